"""Small games and plain-numpy oracles for the tests of `solve`: slow, short, and without any of its kernels."""

from collections.abc import Iterator
from contextlib import contextmanager

import numba
import numpy as np
from phevaluator import evaluate_cards

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, card_text
from faceup.cards.matchups import RUNOUTS_PREFLOP
from faceup.holdem.betting.betting_tree import DECISION, FOLD_END, SHOWDOWN, BettingTree, build_tree, children, columns, menu_from
from faceup.holdem.solve.best_response import Exploitability, Responder

SMALL = build_tree(menu_from([[1], []], [[1], []], [[]], [[1], []]))
PUSH = build_tree(menu_from([[]], [[]], [[]], [[]]))
BOARD = [9, 24, 34, 51, 3]


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Kernels run on n threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(n)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def exploitability(tree: BettingTree, policy, flops: np.ndarray, preflop_wins: np.ndarray | None = None) -> Exploitability:
    """Exploitability of a policy on flops (n, 3)."""
    responder = Responder(tree, policy, preflop_wins)
    return responder.summarise(responder.flops(flops)[0])


class RandomPolicy:
    """Random probabilities in n_rows rows a street, and a random row for each hole."""

    def __init__(self, tree: BettingTree, seed: int, n_rows: int = 40):
        rng = np.random.default_rng(seed)
        self.rows = rng.integers(0, n_rows, (4, 1326)).astype(np.int32)
        self.tables = [rng.random((n_rows, width)).astype(np.float32) for width in np.diff(tree.street_start)]
        for node in np.flatnonzero(tree.kind == DECISION):
            own = self.tables[tree.street[node]][:, columns(tree, node)]
            own /= own.sum(axis=1, keepdims=True)

    def street(self, street, board, wanted=None):
        return self.tables[street], self.rows[street]


def preflop_edges(wins: np.ndarray) -> np.ndarray:
    """All-in before the flop: what each hole wins less what it loses, mean over all opposing holes, (1326,); wins (169, 169)."""
    edge = (wins.sum(axis=1) - wins.sum(axis=0)) / (np.bincount(CLASS_OF_HOLE) * 1225 * RUNOUTS_PREFLOP)
    return edge[CLASS_OF_HOLE]


def pair_outcomes(board: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Holes that a board leaves, and (n, n) float: 1, 0, -1 where the first wins, ties, loses; nan where they share a card."""
    holes = np.flatnonzero(~np.isin(HOLE_CARDS, board).any(axis=1))
    text = [card_text(c) for c in board]
    rank = np.array([evaluate_cards(*text, *(card_text(int(c)) for c in HOLE_CARDS[h])) for h in holes])
    outcome = np.sign(rank[None, :] - rank[:, None]).astype(float)  # phevaluator: lower is stronger
    cards = HOLE_CARDS[holes]
    share = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    outcome[share] = np.nan
    return holes, outcome


def node_reach(tree: BettingTree, policies, board: list[int], holes: np.ndarray) -> np.ndarray:
    """Each player's reach of each node, (2, n_nodes, n_holes) float64, player p following policies[p]."""
    reach = np.ones((2, len(tree.kind), len(holes)))
    for node in range(1, len(tree.kind)):
        above = tree.parent[node]
        actor, street = tree.actor[above], tree.street[above]
        table, row = policies[actor].street(street, board[: (0, 3, 4, 5)[street]])
        reach[:, node] = reach[:, above]
        reach[actor, node] *= table[row[holes], node - tree.street_start[street]]
    return reach


def node_values(
    tree: BettingTree, policies, board: list[int], best: int | tuple[int, ...] = (), subset: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Values of every node to each player with each hole, times the other's reach, (2, n_nodes, n_holes) dollars.

    best: a player, or both, whose values are those of the best action, for each hole, against the other's policy;
    subset: holes that may be held at all, (1326,) bool.
    """
    best = (best,) if isinstance(best, int) else best
    holes, outcome = pair_outcomes(board)
    if subset is not None:
        chosen = subset[holes]
        holes, outcome = holes[chosen], outcome[np.ix_(chosen, chosen)]
    reach = node_reach(tree, policies, board, holes)
    put, value = tree.bets.sum(axis=2), np.zeros((2, len(tree.kind), len(holes)))
    folds, shown = np.flatnonzero(tree.kind == FOLD_END), np.flatnonzero(tree.kind == SHOWDOWN)
    for player, other in ((0, 1), (1, 0)):
        gain = np.where(tree.actor[folds] == player, -put[folds, player], put[folds, other])
        value[player, folds] = gain[:, None] * (reach[other, folds] @ ~np.isnan(outcome).T)
        value[player, shown] = put[shown, player, None] * (reach[other, shown] @ np.nan_to_num(outcome).T)
    for node in np.flatnonzero(tree.kind == DECISION)[::-1]:
        street = tree.street[node]
        for player in range(2):
            below = value[player, children(tree, node)]
            if tree.actor[node] != player:
                value[player, node] = below.sum(axis=0)
            elif player in best:
                value[player, node] = below.max(axis=0)
            else:
                table, row = policies[player].street(street, board[: (0, 3, 4, 5)[street]])
                value[player, node] = (table[row[holes]][:, columns(tree, node)].T * below).sum(axis=0)
    return holes, value
