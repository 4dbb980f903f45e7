"""Small games, random strategies, and oracles without kernels."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numba
import numpy as np
from phevaluator import evaluate_cards
from random_trees import random_tree

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, STREETS
from faceup.cards.features import feature_names
from faceup.cards.matchups import RUNOUTS_PREFLOP
from faceup.holdem import reference
from faceup.holdem.bet_translation import translate_action
from faceup.holdem.betting_lines import legal_action, read_line
from faceup.holdem.betting_tree import BettingTree, build_tree, children, columns
from faceup.holdem.buckets import N_RIVER_BUCKETS, Buckets
from faceup.holdem.infosets import HandBuckets
from faceup.holdem.policy import TablePolicy
from faceup.holdem.rules import DECISION, BettingState, Menu, menu_from, menu_labels
from faceup.trees.agent_file import save_agent
from faceup.trees.tree import DecisionTree

MINE = menu_from([[1], []], [[1], []], [[1], []], [[1], []])
THEIRS = menu_from([[0.75], [1.5], []], [[0.5, 2], []], [[0.5], []], [[0.5, 1.5], []])
SMALL_MENU = menu_from([[1], []], [[1], []], [[]], [[1], []])
SMALL = build_tree(SMALL_MENU)
PUSH = build_tree(menu_from([[]], [[]], [[]], [[]]))
BOARD = [9, 24, 34, 51, 3]
IDS = [
    ((7 * np.arange(1326)[None] + np.arange(n)[:, None]) % 40).astype(np.int32)
    for n in (1755, 16_432)
]
FEW_BUCKETS = Buckets(*IDS, (169, 40, 40, N_RIVER_BUCKETS))


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Kernels run on n threads."""
    before = numba.get_num_threads()
    numba.set_num_threads(n)
    try:
        yield
    finally:
        numba.set_num_threads(before)


def equity_levels(n_levels: int) -> HandBuckets:
    """1 to 1,981 equal levels of equity on a river with $300 from each; bets of the pot, all-in."""
    tree = build_tree(
        menu_from(*[[[1], [1], []]] * 4), BettingState(3, 1, ((300, 0, 0, 0),) * 2, 0, 100, 0)
    )
    ids = [np.zeros_like(of_street) for of_street in IDS]  # there is no betting before the river
    tables = tuple(np.zeros((1, width), dtype=np.float32) for width in np.diff(tree.street_start))
    return HandBuckets(
        tree, TablePolicy(tables, Buckets(*ids, (169, 1, 1, N_RIVER_BUCKETS))), ids[1], n_levels
    )


def random_rows(
    tree: BettingTree, n_rows: Sequence[int], rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Random probabilities of the actions of all decisions, in so many rows on each street."""
    found = tuple(
        rng.random(shape).astype(np.float32)
        for shape in zip(n_rows, np.diff(tree.street_start), strict=True)
    )
    for node in np.flatnonzero(tree.kind == DECISION):
        own = found[tree.street[node]][:, columns(tree, node)]
        own /= own.sum(axis=1, keepdims=True)
    return found


def random_table(tree: BettingTree, seed: int, buckets: Buckets = FEW_BUCKETS) -> TablePolicy:
    """A random strategy for each bucket at each decision of a tree."""
    return TablePolicy(random_rows(tree, buckets.n_buckets, np.random.default_rng(seed)), buckets)


class RandomPolicy:
    """Random probabilities in n_rows rows a street, and a random row for each hole."""

    def __init__(self, tree: BettingTree, seed: int, n_rows: int = 40):
        rng = np.random.default_rng(seed)
        self.rows = rng.integers(0, n_rows, (4, 1326)).astype(np.int32)
        self.tables = random_rows(tree, [n_rows] * 4, rng)

    def street_rows(self, street, board, wanted=None):
        return self.tables[street], self.rows[street]


def preflop_edges(wins: np.ndarray) -> np.ndarray:
    """Mean of wins less losses of each hole all-in before the flop, (1326,); wins (169, 169)."""
    edge = (wins.sum(axis=1) - wins.sum(axis=0)) / (
        np.bincount(CLASS_OF_HOLE) * 1225 * RUNOUTS_PREFLOP
    )
    return edge[CLASS_OF_HOLE]


def pair_outcomes(board: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Holes left by a board, and (n, n) float: 1, 0, -1 (win, tie, loss), nan for shared cards."""
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
        tables, rows = zip(
            *(policy.street_rows(street, board[:n]) for street, n in enumerate((0, 3, 4, 5))),
            strict=True,
        )
        chances.append(
            reference.action_probabilities(tree, tables, np.array([row[holes] for row in rows]))
        )
    return reference.between(tree, *chances)


def node_reach(tree: BettingTree, policies, board: list[int], holes: np.ndarray) -> np.ndarray:
    """Reach (2, n_nodes, n_holes) float64 of each node; player p follows policies[p]."""
    return reference.reaches(tree, played(tree, policies, board, holes))


def node_values(
    tree: BettingTree,
    policies,
    board: list[int],
    best: Sequence[int] = (),
    subset: np.ndarray | None = None,
):
    """Holes and `reference.values` (2, n_nodes, n_holes); player p follows policies[p]."""
    dealt = reference.deal(board, subset)
    return dealt.holes, reference.values(
        tree, dealt, played(tree, policies, board, dealt.holes), best
    )


def random_models(
    labels: Sequence[str], n_splits: int, seed: int = 0, feature_set: str = "opponent"
) -> list[DecisionTree]:
    """A random tree for each round, its thresholds as equities and dollars are."""
    # thresholds of features that are neither dollars nor shares
    made, most = [], {"button": 0.5, "stack_to_pot": 20}
    for street in range(4):
        names = feature_names(street, feature_set)
        tree = random_tree(seed + street, n_splits, len(names), len(labels))
        scale = np.array([most.get(name, 3000 if "_bet_" in name else 1) for name in names])[
            tree.feature
        ]
        threshold = np.where(
            tree.feature < 0, 0, np.random.default_rng(street).random(len(scale)) * scale
        )
        made.append(tree._replace(threshold=threshold.astype(np.float32)))
    return made


def save_random_agent(
    path: Path, menu: Menu, n_splits: int, seed: int = 0, feature_set: str = "opponent"
) -> Path:
    """The file of an agent of `random_models` that plays what its menu offers on each street."""
    labels, names = menu_labels(menu), [feature_names(street, feature_set) for street in range(4)]
    trees = random_models(labels, n_splits, seed, feature_set)
    for street, tree in zip(STREETS, trees, strict=True):
        value = tree.value * np.isin(labels, menu_labels(dict.fromkeys(STREETS, menu[street])))
        tree.value[:] = value / value.sum(axis=1, keepdims=True)
    save_agent(path, trees, names, labels, {"menu": menu})
    return path


def node_after(tree: BettingTree, betting: str, player: int, draw: Callable[[int], float]) -> int:
    """The node of a tree as which a player of its strategy reads a line of real dollars.

    draw(i): a number in [0, 1) for the line's i-th action. The player's own raises are known by the
    dollars that the tree's labels stand for. May return an end where the tree's players are all-in
    and the real ones are not.
    """
    node = 0
    for i, move in enumerate(read_line(betting).moves):
        if tree.kind[node] != DECISION:
            break
        below = children(tree, node) if move.player == player else ()
        own = [
            c for c in below if legal_action(tree.labels[tree.label[c]], move.before) == move.action
        ]
        read = [(own[0], 1.0)] if own else translate_action(tree, node, move.before, *move.action)
        node = read[0][0] if draw(i) < read[0][1] else read[-1][0]
    return node
