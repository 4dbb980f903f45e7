"""What a tree asks, and what it does, in words that a card player knows."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.trees.tree import DecisionTree, path_to


class Step(NamedTuple):
    """A question that a tree asks on the way to its answer, and the hand's answer."""

    feature: str
    value: float
    threshold: float

    def __str__(self) -> str:
        relation = "<=" if self.value <= self.threshold else ">"
        return f"{self.feature} is {self.value:,.6g} {relation} {self.threshold:,.6g}"


def steps(model: DecisionTree, names: Sequence[str], x: np.ndarray) -> list[Step]:
    """The questions that a tree asks about features x (n_features,) float32, from the root to the leaf."""
    node, made = 0, []
    while (k := int(model.feature[node])) >= 0:
        made.append(Step(names[k], float(x[k]), float(model.threshold[node])))
        node = int((model.left if x[k] <= model.threshold[node] else model.right)[node])
    return made


class Wording(NamedTuple):
    """How a feature's comparison with a number is said; {} stands for the number with its unit."""

    at_most: str
    above: str
    between: str  # {} twice
    percent: bool  # the number is an equity, or a share of the pot; else dollars or as it is
    dollars: bool


def wording(name: str) -> Wording:
    """The words for a feature; names that are none of ours are said as they stand."""
    if name == "equity":
        return Wording("equity at most {}", "equity above {}", "equity above {}, at most {}", True, False)
    later, _, decile = name.partition("_equity_p")
    if decile.isdigit():
        share, rest = int(decile), 100 - int(decile)
        cards = f"{later}s"
        most = f"on {share} % of {cards}" if rest else f"on all {cards}"
        some = f"on over {rest} % of {cards}" if rest else f"on some {cards}"
        between = f"{later} equity, {share} % mark: above {{}}, at most {{}}"
        return Wording(f"{most} equity at most {{}}", f"{some} equity above {{}}", between, True, False)
    if name == "button":
        return Wording("in the big blind", "on the button", "", False, False)
    if name == "bet_faced":
        between = "bet faced above {}, at most {} of the pot"
        return Wording("bet faced at most {} of the pot", "bet faced above {} of the pot", between, True, False)
    if name == "stack_to_pot":
        return Wording("stack at most {} pots", "stack above {} pots", "stack above {}, at most {} pots", False, False)
    for who, person in (("opponent", "opponent's"), ("own", "own")):
        if name.startswith(f"{who}_bet_"):
            what = f"{person} {name.rpartition('_')[2]} bet"
            return Wording(f"{what} at most {{}}", f"{what} above {{}}", f"{what} above {{}}, at most {{}}", False, True)
    return Wording(f"{name} at most {{}}", f"{name} above {{}}", f"{name} above {{}}, at most {{}}", False, False)


def number(said: Wording, value: float) -> str:
    """A threshold with its unit, to four digits (dollars whole): "27.45 %", "$1,400"."""
    if said.dollars:
        return f"${value:,.0f}"
    return f"{100 * value:.4g} %" if said.percent else f"{value:.4g}"


def condition(name: str, threshold: float, above: bool) -> str:
    """One answer of a question: "opponent's river bet at most $100"."""
    said = wording(name)
    return (said.above if above else said.at_most).format(number(said, threshold))


def reasons(steps: Sequence[Step]) -> list[str]:
    """A path through a tree, its answers about the same feature put together, in the order of first mention."""
    low: dict[str, float] = {}
    high: dict[str, float] = {}
    for step in steps:
        if step.value <= step.threshold:
            high[step.feature] = min(step.threshold, high.get(step.feature, step.threshold))
        else:
            low[step.feature] = max(step.threshold, low.get(step.feature, step.threshold))
    put = []
    for name in dict.fromkeys(step.feature for step in steps):
        said = wording(name)
        if name in low and name in high:
            put.append(said.between.format(number(said, low[name]), number(said, high[name])))
        else:
            put.append(condition(name, low[name], True) if name in low else condition(name, high[name], False))
    return put


def action_name(label: str) -> str:
    """An action's label as a card player says it: "check or call", "bet 2 x pot", "all-in"."""
    if label.startswith("raise_"):
        times = label.removeprefix("raise_")
        return "bet the pot" if times == "1" else f"bet {times} \u00d7 pot"
    return {"call": "check or call", "all_in": "all-in"}.get(label, label)


def path_words(tree: DecisionTree, names: Sequence[str], node: int) -> list[str]:
    """The conditions under which a tree's branch is reached, one a feature; none at the root."""
    steps = []
    for split, above in path_to(tree, node):
        threshold = float(tree.threshold[split])
        steps.append(Step(names[tree.feature[split]], math.inf if above else -math.inf, threshold))
    return reasons(steps)


def call_words(pot: int, to_call: int) -> str:
    """What a player must call, as a card player says it; pot: dollars, the bet to call among them."""
    if not to_call:
        return "nothing to call"
    size = to_call / (pot - to_call)
    said = {0.5: "half the pot", 1: "the pot", 2: "twice the pot"}.get(size, f"{100 * size:.4g} % of the pot")
    return f"${to_call:,} to call: a bet of {said}, pot odds {pot / to_call:.3g} to 1"
