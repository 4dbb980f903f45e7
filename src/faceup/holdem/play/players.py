"""Agents at a table of real dollars: asked for one legal action at a time.

A player's choices hang on its seed, the hand's number and the place in the hand alone, so that a hand taken up again after an
interruption goes on as it would have.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from faceup.cards.cards import card_text, hole_index, parse_hand
from faceup.holdem.betting.betting_tree import DECISION, BettingTree
from faceup.holdem.betting.hand_play import Choose, Played, play_hand
from faceup.holdem.betting.notation import read_line, state_after
from faceup.holdem.betting.translation import children, legal_action, node_after
from faceup.holdem.solve.policy import Policy


class Agent(Protocol):
    """Such as holdem/play/agents' TreeAgent: reads dollars as they are."""

    def action_probabilities(self, hole: str, board: str = "", betting: str = "") -> dict[str, float]:
        """Probability of each legal action, by label."""
        ...


class Player(Protocol):
    """Who can sit at a table."""

    def decide(self, hand: int, hole: str, board: str, betting: str) -> tuple[str, int]:
        """The action, as betting's `act` takes it, of the player to act in the hand-th hand."""
        ...


def _chosen(labels: list[str], p: np.ndarray, argmax: bool, key: list[int]) -> str:
    if argmax:
        return labels[int(np.argmax(p))]
    return labels[int(np.random.default_rng(key).choice(len(labels), p=p / p.sum()))]


class DollarPlayer:
    """Plays what an agent says that reads dollars; nothing needs translation but its own sizes."""

    def __init__(self, agent: Agent, seed: int = 0, argmax: bool = False):
        """argmax: always the likeliest action, else actions are drawn."""
        self.agent, self.seed, self.argmax = agent, seed, argmax

    def decide(self, hand: int, hole: str, board: str, betting: str) -> tuple[str, int]:
        """See `Player`. Raises ValueError as the agent does."""
        line = read_line(betting)
        asked = self.agent.action_probabilities(hole, board, betting)
        key = [self.seed, hand, len(line.moves)]
        label = _chosen(list(asked), np.array(list(asked.values()), dtype=np.float64), self.argmax, key)
        return legal_action(label, state_after(betting))


class TablePlayer:
    """Plays a policy on a betting tree; sizes off the tree are translated by chance, once a hand."""

    def __init__(self, tree: BettingTree, policy: Policy, seed: int = 0, argmax: bool = False):
        """policy: answers for the tree's nodes."""
        self.tree, self.policy, self.seed, self.argmax = tree, policy, seed, argmax

    def decide(self, hand: int, hole: str, board: str, betting: str) -> tuple[str, int]:
        """See `Player`. Where the tree has the players all-in and dollars are left, it checks and calls."""
        state, (private, public) = state_after(betting), parse_hand(hole, board)
        node = node_after(self.tree, betting, state.actor, lambda i: np.random.default_rng([self.seed, hand, i, 1]).random())
        if self.tree.kind[node] != DECISION:
            return legal_action("call", state)
        wanted = np.zeros(1326, dtype=bool)
        wanted[h := hole_index(*private)] = True
        rows, row_of_hole = self.policy.street(state.street, public, wanted)
        below = children(self.tree, node)
        start = int(self.tree.street_start[state.street])
        p = np.asarray(rows[row_of_hole[h], below.start - start : below.stop - start], dtype=np.float64)
        labels = [self.tree.labels[self.tree.label[c]] for c in below]
        key = [self.seed, hand, len(read_line(betting).moves)]
        return legal_action(_chosen(labels, p, self.argmax, key), state)


def play_dealt(players: Sequence[Player], deck: Sequence[int], hand: int) -> Played:
    """Play the hand-th hand between two players, the small blind first; deck and errors as in `play_hand`."""

    def seat(player: Player) -> Choose:
        """The player as the rules engine asks it."""
        return lambda state, hole, board, betting: player.decide(hand, _text(hole), _text(board), betting)

    return play_hand(deck, [seat(player) for player in players])


def _text(cards: Sequence[int]) -> str:
    return "".join(card_text(card) for card in cards)
