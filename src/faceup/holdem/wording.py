"""Tree paths and actions in poker terms."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from faceup.trees.tree import DecisionTree, path_to

# a split on a path: its feature, its threshold, and whether the path goes on above it
Step = tuple[str, float, bool]

# of the pot: a bet of $100 into $10,000; a smaller threshold separates bets from no bet
_NO_BET = 0.01


class Wording(NamedTuple):
    """Phrases for the comparison of a feature with a number; {} is the number with its unit."""

    at_most: str
    above: str
    between: str  # {} twice
    percent: bool  # the number is an equity or a share of the pot
    dollars: bool


def wording(name: str) -> Wording:
    """The phrases for a feature; unknown names are used verbatim."""
    if name == "button":
        return Wording("in the big blind", "on the button", "", False, False)
    later, _, decile = name.partition("_equity_p")
    if decile.isdigit():
        share, rest, cards = int(decile), 100 - int(decile), f"{later}s"
        most = f"on {share} % of {cards}" if rest else f"on all {cards}"
        some = f"on over {rest} % of {cards}" if rest else f"on some {cards}"
        between = f"{later} equity, {share} % mark: above {{}}, at most {{}}"
        return Wording(
            f"{most} equity at most {{}}", f"{some} equity above {{}}", between, True, False
        )
    who, bet, street = name.partition("_bet_")
    what, unit = {
        "bet_faced": ("bet faced", " of the pot"),
        "stack_to_pot": ("stack", " pots"),
    }.get(name, (name, ""))
    person = {"opponent": "opponent's", "own": "own"}.get(who) if bet else None
    what = f"{person} {street} bet" if person else what
    most, above = f"{what} at most {{}}{unit}", f"{what} above {{}}{unit}"
    between = f"{what} above {{}}, at most {{}}{unit}"
    return Wording(most, above, between, name in ("equity", "bet_faced"), person is not None)


def number(words: Wording, value: float) -> str:
    """A threshold with its unit, to four digits (dollars whole): "27.45 %", "$1,400"; values just
    below 100 % keep more digits.
    """
    if words.dollars:
        return f"${value:,.0f}"
    digits = 7 if 0.9999 < value < 1 else 4
    return f"{100 * value:.{digits}g} %" if words.percent else f"{value:.4g}"


def condition(name: str, threshold: float, above: bool) -> str:
    """The condition of a branch: "opponent's river bet at most $100"."""
    return _bounded(name, threshold, math.inf) if above else _bounded(name, -math.inf, threshold)


def _bounded(name: str, low: float, high: float) -> str:
    """A feature above low, at most high, one of them finite or both."""
    if name == "bet_faced" and (
        high < _NO_BET or low < _NO_BET and math.isinf(high) and not math.isinf(low)
    ):
        return "no bet faced" if high < _NO_BET else "a bet faced"
    words = wording(name)
    form = words.at_most if math.isinf(low) else words.above if math.isinf(high) else words.between
    return form.format(*(number(words, bound) for bound in (low, high) if math.isfinite(bound)))


def reasons(steps: Sequence[Step]) -> list[str]:
    """The conditions of a path, merged for each feature, in the order of first use."""
    bounds: dict[str, tuple[float, float]] = {}  # above, at most
    for name, threshold, above in steps:
        low, high = bounds.get(name, (-math.inf, math.inf))
        bounds[name] = (max(low, threshold), high) if above else (low, min(high, threshold))
    return [_bounded(name, low, high) for name, (low, high) in bounds.items()]


def action_name(label: str) -> str:
    """An action's label in words: "check or call", "bet 2 x pot", "all-in"."""
    if label.startswith("raise_"):
        times = label.removeprefix("raise_")
        return "bet the pot" if times == "1" else f"bet {times} \u00d7 pot"
    return {"call": "check or call", "all_in": "all-in"}.get(label, label)


def path_steps(tree: DecisionTree, names: Sequence[str], node: int) -> list[Step]:
    """The splits from the root of a tree to a node."""
    return [
        (names[tree.feature[k]], float(tree.threshold[k]), above)
        for k, above in path_to(tree, node)
    ]


def path_words(tree: DecisionTree, names: Sequence[str], node: int) -> list[str]:
    """The conditions of a tree's branch, one a feature; none at the root."""
    return reasons(path_steps(tree, names, node))


def call_words(pot: int, to_call: int) -> str:
    """The price of a call in words; pot: dollars, including the bet to call."""
    if not to_call:
        return "nothing to call"
    size = to_call / (pot - to_call)
    named = {0.5: "half the pot", 1: "the pot", 2: "twice the pot"}
    words = named.get(size, f"{100 * size:.4g} % of the pot")
    return f"${to_call:,} to call: a bet of {words}, pot odds {pot / to_call:.3g} to 1"
