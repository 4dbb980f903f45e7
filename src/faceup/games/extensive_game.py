"""A two-player zero-sum game of imperfect information as a tree in flat arrays.

Node 0 is the root. Nodes are numbered in preorder, so that parents precede children and subtrees
are contiguous. Players observe infosets; their actions are numbered through all infosets, so that a
strategy of both players is one array of probabilities (n_actions,).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

CHANCE, END = 2, 3  # values of `Game.player` beside players 0 and 1


class Game(NamedTuple):
    """A game of n nodes, k infosets and n_actions actions."""

    player: np.ndarray  # (n,) int8: 0, 1, CHANCE or END
    parent: np.ndarray  # (n,) int32, -1 at the root
    # (n,) float64: probability of the card that leads here; 1 at the root and below a decision
    chance: np.ndarray
    action: np.ndarray  # (n,) int32: the action that leads here, -1 at the root and below chance
    infoset: np.ndarray  # (n,) int32, -1 where no player decides
    value: np.ndarray  # (n,) float64: winnings of player 0 at an end, 0 elsewhere
    owner: np.ndarray  # (k,) int8: the player who decides at an infoset
    names: tuple[str, ...]  # of the infosets
    # (k + 1,) int32: the actions of infoset i are first_action[i]..first_action[i + 1]
    first_action: np.ndarray
    labels: tuple[str, ...]  # (n_actions,) of the actions


class GameBuilder:
    """Takes the nodes of a game in preorder."""

    def __init__(self) -> None:
        self._rows: list[tuple] = []  # player, parent, chance, action, infoset, value
        self._infosets: dict[tuple[int, str], int] = {}
        self._first = [0]  # action of each infoset, and the end of the last one's
        self._labels: list[str] = []

    def decision(
        self, parent: int, by: str | float, player: int, name: str, actions: Sequence[str]
    ) -> int:
        """Add a node at which a player decides, and return its number.

        by: the action's label that leads here or, below chance, its probability. Nodes of the same
        player and name are one infoset.
        """
        key = (player, name)
        if key not in self._infosets:
            self._infosets[key] = len(self._infosets)
            self._labels += actions
            self._first.append(len(self._labels))
        return self._add(player, parent, by, self._infosets[key], 0.0)

    def chance(self, parent: int = -1, by: str | float = 1.0) -> int:
        """Add a node at which cards are dealt, and return its number."""
        return self._add(CHANCE, parent, by, -1, 0.0)

    def end(self, parent: int, by: str | float, value: float) -> int:
        """Add an end, at which player 0 wins `value`, and return its number."""
        return self._add(END, parent, by, -1, value)

    def _add(self, player: int, parent: int, by: str | float, infoset: int, value: float) -> int:
        chance, action = 1.0, -1
        if isinstance(by, str):
            action = self._labels.index(by, self._first[self._rows[parent][4]])
        else:
            chance = by
        self._rows.append((player, parent, chance, action, infoset, value))
        return len(self._rows) - 1

    def build(self) -> Game:
        """The game."""
        player, parent, chance, action, infoset, value = zip(*self._rows, strict=True)
        return Game(
            player=np.array(player, dtype=np.int8),
            parent=np.array(parent, dtype=np.int32),
            chance=np.array(chance, dtype=np.float64),
            action=np.array(action, dtype=np.int32),
            infoset=np.array(infoset, dtype=np.int32),
            value=np.array(value, dtype=np.float64),
            owner=np.array([player for player, _ in self._infosets], dtype=np.int8),
            names=tuple(name for _, name in self._infosets),
            first_action=np.array(self._first, dtype=np.int32),
            labels=tuple(self._labels),
        )


def normalized(first_action: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weights of actions (n_actions,), at least 0, as probabilities; uniform in infosets of weight
    0.
    """
    n = np.diff(first_action)
    total = np.repeat(np.add.reduceat(weights, first_action[:-1]), n)
    return np.where(total > 0, weights / np.where(total > 0, total, 1), np.repeat(1 / n, n))


def uniform(game: Game) -> np.ndarray:
    """The uniform strategy of both players, (n_actions,)."""
    return normalized(game.first_action, np.zeros(len(game.labels)))


def action_infoset(game: Game) -> np.ndarray:
    """The infoset of each action, (n_actions,) int32."""
    return np.repeat(np.arange(len(game.owner), dtype=np.int32), np.diff(game.first_action))


def against(game: Game, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """One strategy of both seats from two: player 0 as in `first`, player 1 as in `second`."""
    return np.where(game.owner[action_infoset(game)] == 0, first, second)


def infoset_reach(game: Game, strategy: np.ndarray) -> np.ndarray:
    """The probability that play reaches each infoset if both players follow a strategy, (k,)."""
    reach = np.ones(len(game.player))
    for node in range(1, len(reach)):
        reach[node] = reach[game.parent[node]] * game.chance[node]
        if game.action[node] >= 0:
            reach[node] *= strategy[game.action[node]]
    inside = game.infoset >= 0
    return np.bincount(game.infoset[inside], weights=reach[inside], minlength=len(game.owner))
