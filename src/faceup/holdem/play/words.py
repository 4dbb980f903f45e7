"""What a tree asks, in words that a card player knows, and one hand of an agent against itself, told decision by decision."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, STREETS, card_text, hole_index
from faceup.cards.equity import StreetTable
from faceup.cards.features import board_features
from faceup.holdem.betting.betting_tree import DECISION, BettingTree, children, line_text
from faceup.holdem.solve.policy import ModelPolicy
from faceup.trees.decision_tree import DecisionTree, leaf_of, path_to

_TRIES = 1000


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
    percent: bool  # the number is an equity from 0 to 1, else dollars or as it is
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
    names = dict.fromkeys(step.feature for step in steps)
    return [_range(name, low.get(name), high.get(name)) for name in names]


def _range(name: str, low: float | None, high: float | None) -> str:
    if low is None:
        assert high is not None  # a step sets one of the two
        return condition(name, high, False)
    if high is None:
        return condition(name, low, True)
    said = wording(name)
    return said.between.format(number(said, low), number(said, high))


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


def action_words(label: str, to_call: int, amount: int) -> str:
    """An action at a decision: "check", "call", "raise_1 (to $300)"."""
    if label in ("fold", "call"):
        return "check" if label == "call" and not to_call else label
    return f"{label} (to ${amount:,})"


class Decision(NamedTuple):
    """What a tree agent is asked, and what it answers."""

    node: int  # of the betting tree
    leaf: int  # of the round's tree
    steps: list[Step]  # the questions and the hand's answers
    share: np.ndarray  # (n_children,) chance of each action, in the order of the betting tree's children
    taken: int  # the betting tree's node that the action leads to


def _decide(
    tree: BettingTree,
    models: Sequence[DecisionTree],
    names: Sequence[Sequence[str]],
    policy: ModelPolicy,
    tables: tuple[StreetTable, ...],
    hole: int,
    board: Sequence[int],
    node: int,
    luck: float,
) -> Decision:
    """What `policy`, which is the four `models`, answers for a hole (0..1325) at a decision; luck (0 to 1) picks the action."""
    street = int(tree.street[node])
    shown = [int(c) for c in board[: BOARD_CARDS[street]]]
    wanted = np.zeros(1326, dtype=bool)
    wanted[hole] = True
    rows, row_of_hole = policy.street(street, shown, wanted)
    first, n = int(tree.first_child[node]), int(tree.n_children[node])
    start = tree.street_start[street]
    share = np.asarray(rows[row_of_hole[hole], first - start : first - start + n], dtype=np.float64)
    told, nodes, history = policy.histories[street]
    betting = told[history[np.flatnonzero(nodes == node)[0]]]
    x = np.concatenate([board_features(street, tables[street], shown)[hole], betting])
    picked = min(int(np.searchsorted(share.cumsum() / share.sum(), luck, side="right")), n - 1)
    leaf = int(leaf_of(models[street], x[None])[0])
    return Decision(node, leaf, steps(models[street], names[street], x), share, first + picked)


def walk(
    tree: BettingTree,
    models: Sequence[DecisionTree],
    names: Sequence[Sequence[str]],
    policy: ModelPolicy,
    tables: tuple[StreetTable, ...],
    holes: Sequence[Sequence[int]],
    board: Sequence[int],
    seed: int,
) -> list[Decision]:
    """A hand of an agent against itself: its first try in which the small blind decides on all four rounds.

    holes: two cards of the small blind, two of the big blind; board: five cards. The k-th try draws its actions from the seed
    and k. Raises ValueError unless the nine cards differ, and where no try comes so far.
    """
    cards = [*holes[0], *holes[1], *board]
    if len(cards) != 9 or len(set(cards)) != 9:
        raise ValueError(f"cards {cards}: expected nine different ones")
    owned = [hole_index(*hole) for hole in holes]
    for k in range(_TRIES):
        rng, node, made = np.random.default_rng([seed, k]), 0, []
        while tree.kind[node] == DECISION:
            made.append(_decide(tree, models, names, policy, tables, owned[tree.actor[node]], board, node, rng.random()))
            node = made[-1].taken
        if {int(tree.street[d.node]) for d in made if tree.actor[d.node] == 0} == set(range(len(STREETS))):
            return made
    raise ValueError(f"holes {list(holes)}: no hand of {_TRIES} comes to the small blind on the river, expected one")


def tell(tree: BettingTree, board: Sequence[int], decision: Decision) -> str:
    """A decision in words: what lies and has been bet, the reasons, the mixture, the action that was drawn."""
    node, street = decision.node, int(tree.street[decision.node])
    put, actor = tree.bets[node].sum(axis=1), tree.actor[node]
    to_call = int(put[1 - actor] - put[actor])
    cards = "".join(card_text(int(c)) for c in board[: BOARD_CARDS[street]])
    before = line_text(tree, node) or "nobody has acted"
    lines = [f"{STREETS[street]} {cards}: ${put.sum():,} in the pot, ${to_call:,} to call ({before})".replace(" :", ":")]
    lines += [f"    {'because' if i == 0 else '    and'} {reason}" for i, reason in enumerate(reasons(decision.steps))]
    names = {c: _said(tree, c, to_call) for c in children(tree, node)}
    likeliest = sorted(zip(decision.share, names, strict=True), reverse=True)
    mixture = ", ".join(f"{names[c]} {100 * p:.0f} %" for p, c in likeliest if p >= 0.005)
    return "\n".join([*lines, f"    so: {mixture}; drawn: {names[decision.taken]}"])


def _said(tree: BettingTree, child: int, to_call: int) -> str:
    """An action as "fold", "check", "call", "raise to $600"."""
    above = int(tree.parent[child])
    label, street, actor = tree.labels[tree.label[child]], tree.street[above], tree.actor[above]
    if label == "call":
        return "call" if to_call else "check"
    if label == "fold":
        return "fold"
    to = tree.bets[child, actor, street]
    return f"all-in for ${to:,}" if label == "all_in" else f"{'raise' if to_call else 'bet'} to ${to:,}"
