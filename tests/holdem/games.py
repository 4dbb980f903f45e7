"""Small games and plain-numpy oracles for the tests of `solve`: slow, short, and without any of its kernels."""

from collections.abc import Iterator
from contextlib import contextmanager

import numba
import numpy as np
from phevaluator import evaluate_cards

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS
from faceup.cards.matchups import RUNOUTS_PREFLOP
from faceup.holdem import reference
from faceup.holdem.best_response import Exploitability, Responder
from faceup.holdem.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.rules import DECISION, menu_from
from faceup.holdem.tree import BettingTree, build_tree, columns

SMALL = build_tree(menu_from([[1], []], [[1], []], [[]], [[1], []]))
PUSH = build_tree(menu_from([[]], [[]], [[]], [[]]))
BOARD = [9, 24, 34, 51, 3]
IDS = [((7 * np.arange(1326)[None] + np.arange(n)[:, None]) % 5).astype(np.int32) for n in (1755, 16_432)]
FEW_GROUPS = Groups(*IDS, (169, 5, 5, N_RIVER_GROUPS))


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Kernels run on n threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(n)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def exploitability(tree: BettingTree, policy, flops: np.ndarray, preflop_wins: np.ndarray) -> Exploitability:
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
    cards = HOLE_CARDS[holes]
    rank = np.array([evaluate_cards(*map(int, board), *pair) for pair in cards.tolist()])
    outcome = np.sign(rank[None, :] - rank[:, None]).astype(float)  # phevaluator: lower is stronger
    share = (cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    outcome[share] = np.nan
    return holes, outcome


def played(tree: BettingTree, policies, board: list[int], holes: np.ndarray) -> np.ndarray:
    """The reference's chances where player p follows policies[p], (n_nodes, n_holes) float64."""
    chances = []
    for policy in policies:
        tables, rows = zip(*(policy.street(street, board[:n]) for street, n in enumerate((0, 3, 4, 5))), strict=True)
        chances.append(reference.chances(tree, tables, np.array([row[holes] for row in rows])))
    return reference.between(tree, *chances)


def node_reach(tree: BettingTree, policies, board: list[int], holes: np.ndarray) -> np.ndarray:
    """Each player's reach of each node, (2, n_nodes, n_holes) float64, player p following policies[p]."""
    return reference.reaches(tree, played(tree, policies, board, holes))


def node_values(
    tree: BettingTree, policies, board: list[int], best: int | tuple[int, ...] = (), subset: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Holes, and the reference's values where player p follows policies[p], (2, n_nodes, n_holes) dollars; best: as there."""
    dealt, best = reference.deal(board, subset), (best,) if isinstance(best, int) else best
    return dealt.holes, reference.values(tree, dealt, played(tree, policies, board, dealt.holes), best)
