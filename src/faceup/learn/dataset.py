"""Rows for distillation: features of a situation, the average strategy's probabilities, and how much the row matters.

Situations are drawn from boards that the strategy plays against itself (paper 000, Section 2.4: "many different HUNL Poker
game-states ... and associated labels"). A situation's weight is the chance that play reaches it times the pot at stake. Rows are drawn
with probability in proportion to the square root of that, and carry the other half as their weight, so that rare but
costly lines are present without drowning the common ones. Preflop there are few situations: all of them are rows.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from faceup.game.betting import DECISION, Tree
from faceup.game.cards import CLASS_OF_HOLE, HOLE_CARDS
from faceup.hands.equity import StreetTable
from faceup.hands.features import board_features
from faceup.solve.policy import Policy, free_holes, opponents, street_reach

BOARD_CARDS = (0, 3, 4, 5)


class Rows(NamedTuple):
    """Training rows of one round."""

    X: np.ndarray  # (n, n_features) float32: the hand's features, then the opponent's four bets in dollars
    P: np.ndarray  # (n, n_labels) float32: probability of each action label, 0 where it is illegal
    w: np.ndarray  # (n,) float64: weights, mean 1


def draw_rows(
    tree: Tree,
    policy: Policy,
    tables: tuple[StreetTable, ...],
    n_rows: tuple[int, int, int],
    boards: np.ndarray,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Rows]:
    """Rows of the four rounds, preflop first.

    n_rows: how many on flop, turn and river, shared evenly over the boards; boards (n_boards, 5) as dealt. Raises ValueError where a
    street would get less than a row a board.
    """
    if min(n_rows) < len(boards):
        raise ValueError(f"n_rows is {n_rows}, expected at least one a board ({len(boards)})")
    parts: list[list[Rows]] = [[], [], [], []]
    for k, board in enumerate(boards.tolist()):
        rng = np.random.default_rng([seed, k])
        reach = _reach(tree, policy, board, (0, 1, 2))
        for street in (1, 2, 3):
            parts[street].append(_street_rows(tree, policy, tables, street, board, reach, n_rows[street - 1] // len(boards), rng))
        if k == 0:
            parts[0].append(_preflop_rows(tree, policy, tables))
        progress(k + 1)
    return [_join(rows) for rows in parts]


def _join(parts: list[Rows]) -> Rows:
    x, p, w = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Rows(x, p, w / w.mean())


def _reach(tree: Tree, policy: Policy, board: list[int], streets: tuple[int, ...]) -> np.ndarray:
    """Each player's reach of each node with each hole that the board leaves, (2, n_nodes, 1326) float32; 0 for the others."""
    reach = np.zeros((2, len(tree.kind), len(HOLE_CARDS)), dtype=np.float32)
    reach[:, 0] = free_holes(board)
    for street in streets:
        street_reach(tree, street, policy.street(street, board[: BOARD_CARDS[street]]), reach)
    return reach


def stakes(tree: Tree, nodes: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """Chance that play comes to each node with each hole, times the dollars in the pot, (n_nodes, 1326), up to a constant."""
    actor = tree.actor[nodes]
    own, other = reach[actor, nodes], reach[1 - actor, nodes]
    return own * opponents(other) * tree.bets[nodes].sum(axis=(1, 2))[:, None]


def _decisions(tree: Tree, street: int) -> np.ndarray:
    return np.flatnonzero((tree.kind == DECISION) & (tree.street == street))


def _street_rows(tree, policy, tables, street, board, reach, n, rng) -> Rows:
    nodes, shown = _decisions(tree, street), board[: BOARD_CARDS[street]]
    stake = stakes(tree, nodes, reach).ravel()
    draw = np.sqrt(stake)
    picks = rng.choice(len(draw), n, p=draw / draw.sum())
    node, hole = nodes[picks // len(HOLE_CARDS)], picks % len(HOLE_CARDS)
    hands = board_features(street, tables[street], shown)[hole]
    table, row_of_hole = policy.street(street, shown)
    weight = stake[picks] / draw[picks] * draw.sum()  # the sum keeps boards comparable
    return Rows(_features(tree, node, hands), _targets(tree, street, table, row_of_hole[hole], node), weight)


def _preflop_rows(tree: Tree, policy: Policy, tables: tuple[StreetTable, ...]) -> Rows:
    """All starting hands at all preflop decisions, weighted by stake."""
    table, row_of_hole = policy.street(0, [])
    nodes = _decisions(tree, 0)
    reach = _reach(tree, policy, [], (0,))
    stake = stakes(tree, nodes, reach)
    by_class = np.stack([np.bincount(CLASS_OF_HOLE, weights=s, minlength=169) for s in stake])
    hole_of_class = np.unique(CLASS_OF_HOLE, return_index=True)[1]
    node, k = np.repeat(nodes, 169), np.tile(np.arange(169), len(nodes))
    hands = board_features(0, tables[0], [])[hole_of_class[k]]
    weight = by_class.ravel() + 1e-6 * by_class.max()  # never reached is still defined: it is taught, if faintly
    return Rows(_features(tree, node, hands), _targets(tree, 0, table, row_of_hole[hole_of_class[k]], node), weight)


def _features(tree: Tree, node: np.ndarray, hands: np.ndarray) -> np.ndarray:
    bets = tree.bets[node, 1 - tree.actor[node]]
    return np.concatenate([hands, bets.astype(np.float32)], axis=1)


def _targets(tree: Tree, street: int, table: np.ndarray, rows: np.ndarray, node: np.ndarray) -> np.ndarray:
    """Probabilities of all labels at each (row, node), (n, n_labels) float32."""
    p = np.zeros((len(node), len(tree.labels)), dtype=np.float32)
    start = tree.street_start[street]
    for i in range(int(tree.n_children.max())):
        has = np.flatnonzero(i < tree.n_children[node])
        child = tree.first_child[node[has]] + i
        p[has, tree.label[child]] = table[rows[has], child - start]
    return p / p.sum(axis=1, keepdims=True)
