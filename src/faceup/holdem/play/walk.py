"""One hand of two policies on a betting tree, decision by decision, with the way each takes through a tree agent."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import card_text, hole_index
from faceup.cards.equity import BOARD_CARDS, StreetTable
from faceup.cards.features import board_features
from faceup.holdem.betting.betting_tree import DECISION, STREETS, BettingTree, line_text
from faceup.holdem.play.agents import Step, steps
from faceup.holdem.play.words import reasons
from faceup.holdem.solve.policy import ModelPolicy
from faceup.trees.decision_tree import DecisionTree, leaf_of

_TRIES = 1000


class Decision(NamedTuple):
    """What a tree agent is asked, and what it answers."""

    node: int  # of the betting tree
    leaf: int  # of the round's tree
    steps: list[Step]  # the questions and the hand's answers
    share: np.ndarray  # (n_children,) chance of each action, in the order of the betting tree's children
    taken: int  # the betting tree's node that the action leads to


def decide(
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
            made.append(decide(tree, models, names, policy, tables, owned[tree.actor[node]], board, node, rng.random()))
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
    children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
    names = {c: _said(tree, c, to_call) for c in children}
    likeliest = sorted(zip(decision.share, children, strict=True), reverse=True)
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
