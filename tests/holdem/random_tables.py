"""Strategies that answer at random, but differently for different hands and bets; and how a line of other bets is read."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from random_trees import random_tree

from faceup.cards.features import feature_names
from faceup.holdem.groups import Groups
from faceup.holdem.lines import legal_action, read_action, read_line
from faceup.holdem.policy import TablePolicy
from faceup.holdem.rules import DECISION, Menu, menu_from, menu_labels
from faceup.holdem.tree import BettingTree, children, columns, decisions
from faceup.trees.tree import DecisionTree, save_agent

MINE = menu_from([[1], []], [[1], []], [[1], []], [[1], []])
THEIRS = menu_from([[0.75], [1.5], []], [[0.5, 2], []], [[0.5], []], [[0.5, 1.5], []])
_MOST = {"button": 0.5, "stack_to_pot": 20}  # thresholds of features that are neither dollars nor shares


def random_table(tree: BettingTree, groups: Groups, seed: int) -> TablePolicy:
    """A random strategy for each group at each decision of a tree."""
    rng = np.random.default_rng(seed)
    out = []
    for street in range(4):
        start, end = tree.street_start[street : street + 2]
        table = rng.exponential(size=(groups.n_groups[street], end - start)).astype(np.float32)
        for node in decisions(tree, street):
            table[:, columns(tree, node)] /= table[:, columns(tree, node)].sum(axis=1, keepdims=True)
        out.append(table)
    return TablePolicy(tuple(out), groups)


def random_models(labels: Sequence[str], n_splits: int, seed: int = 0, history: str = "opponent") -> list[DecisionTree]:
    """A random tree for each round, its thresholds as equities and dollars are."""
    made = []
    for street in range(4):
        names = feature_names(street, history)
        tree = random_tree(seed + street, n_splits, len(names), len(labels))
        scale = np.array([_MOST.get(name, 3000 if "_bet_" in name else 1) for name in names])[tree.feature]
        threshold = np.where(tree.feature < 0, 0, np.random.default_rng(street).random(len(scale)) * scale)
        made.append(tree._replace(threshold=threshold.astype(np.float32)))
    return made


def save_random_agent(path: Path, menu: Menu, n_splits: int, seed: int = 0, history: str = "opponent") -> Path:
    """The file of an agent of `random_models`."""
    labels, names = menu_labels(menu), [feature_names(street, history) for street in range(4)]
    save_agent(path, random_models(labels, n_splits, seed, history), names, labels, {"menu": menu})
    return path


def node_after(tree: BettingTree, betting: str, player: int, draw: Callable[[int], float]) -> int:
    """The node of a tree as which a player of its strategy reads a line of real dollars.

    draw(i): a number in [0, 1) for the line's i-th action. The player's own raises are known by the dollars that the tree's
    labels stand for. May return an end where the tree's players are all-in and the real ones are not.
    """
    node = 0
    for i, move in enumerate(read_line(betting).moves):
        if tree.kind[node] != DECISION:
            break
        below = children(tree, node) if move.player == player else ()
        own = [c for c in below if legal_action(tree.labels[tree.label[c]], move.before) == move.action]
        read = [(own[0], 1.0)] if own else read_action(tree, node, move.before, *move.action)
        node = read[0][0] if draw(i) < read[0][1] else read[-1][0]
    return node
