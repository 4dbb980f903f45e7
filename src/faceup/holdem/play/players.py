"""Agents at a table of real dollars: one hand, or all hands at once.

A player is asked for one legal action at a time (Slumbot). Its choices hang on its seed, the hand's number and the place in the
hand alone, so that a hand taken up again after an interruption goes on as it would have. A reader answers for all hands at once,
which is what a local best response asks (holdem/solve). Sizes that an agent's tree has not are translated by chance
(betting/translation): by one draw a hand, or into one view for each node as which a line may have been read.
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from faceup.cards.cards import HOLE_CARDS, card_text, parse_hand
from faceup.holdem.betting.betting_tree import DECISION, BettingState, BettingTree, children
from faceup.holdem.betting.hand_play import Choose, Played, play_hand
from faceup.holdem.betting.notation import longer, read_line, state_after
from faceup.holdem.betting.translation import legal_action, node_after, read_action
from faceup.holdem.play.agents import Agent, PolicyAgent
from faceup.holdem.solve.local_best_response import Move, View
from faceup.holdem.solve.policy import Policy, checked_rows


class Player(Protocol):
    """Who can sit at a table."""

    def decide(self, hand: int, hole: str, board: str, betting: str) -> tuple[str, int]:
        """The action, as betting's `act` takes it, of the player to act in the hand-th hand."""
        ...


class DollarPlayer:
    """Plays what an agent says that reads dollars; nothing needs translation but its own sizes."""

    def __init__(self, agent: Agent, seed: int = 0, argmax: bool = False):
        """argmax: always the likeliest action, else actions are drawn."""
        self.agent, self.seed, self.argmax = agent, seed, argmax

    def decide(self, hand: int, hole: str, board: str, betting: str) -> tuple[str, int]:
        """See `Player`. Raises ValueError as the agent does."""
        (private, public), heard = parse_hand(hole, board), self._heard(hand, betting)
        p = self.agent.probabilities(np.array([private]), public, heard)[0]
        if self.argmax:
            picked = int(np.argmax(p))
        else:
            draws = np.random.default_rng([self.seed, hand, len(read_line(betting).moves)])
            picked = int(draws.choice(len(p), p=p / p.sum()))
        return legal_action(list(self.agent.legal(heard))[picked], state_after(betting))

    def _heard(self, hand: int, betting: str):
        """The line as the agent is asked for it."""
        return betting


class TablePlayer(DollarPlayer):
    """Plays a policy on a betting tree; sizes off the tree are translated by chance, once a hand."""

    def __init__(self, tree: BettingTree, policy: Policy, seed: int = 0, argmax: bool = False):
        """policy: answers for the tree's nodes; where the tree's players are all-in and dollars are left, it checks and calls."""
        super().__init__(PolicyAgent(tree, policy), seed, argmax)
        self.tree = tree

    def _heard(self, hand: int, betting: str) -> int:
        """The node as which the line is read in this hand."""
        actor = state_after(betting).actor
        return node_after(self.tree, betting, actor, lambda i: np.random.default_rng([self.seed, hand, i, 1]).random())


def play_dealt(players: Sequence[Player], deck: Sequence[int], hand: int) -> Played:
    """Play the hand-th hand between two players, the small blind first; deck and errors as in `play_hand`."""

    def text(cards: Sequence[int]) -> str:
        """Such as "Ac3h"."""
        return "".join(card_text(card) for card in cards)

    def seat(player: Player) -> Choose:
        """The player as the rules engine asks it."""
        return lambda state, hole, board, betting: player.decide(hand, text(hole), text(board), betting)

    return play_hand(deck, [seat(player) for player in players])


class TableReader:
    """A policy on a betting tree; a view is a node."""

    SCRATCH = ("_known",)  # what a board leaves behind: see notebook/stored

    def __init__(self, tree: BettingTree, policy: Policy):
        """policy: answers for the tree's nodes."""
        self.tree, self.policy = tree, policy
        self._known: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}  # the last board's probabilities on each street

    def hear(self, view: View, state: BettingState, move: Move) -> list[tuple[View, float]]:
        """See `Reader`: the nodes as which a raise may be read."""
        return [(view, 1.0)] if self.tree.kind[view] != DECISION else read_action(self.tree, view, state, *move)

    def act(self, view: View, state: BettingState, board: list[int]) -> list[tuple[Move, View, np.ndarray]]:
        """See `Reader`. Where the tree has the players all-in and dollars are left, it checks and calls."""
        if self.tree.kind[view] != DECISION:
            return [(("call", 0), view, np.ones(len(HOLE_CARDS)))]
        start = int(self.tree.street_start[state.street])
        rows = self._rows(state.street, board)
        labels = self.tree.labels
        return [(legal_action(labels[self.tree.label[c]], state), c, rows[c - start]) for c in children(self.tree, view)]

    def _rows(self, street: int, board: list[int]) -> np.ndarray:
        """Probabilities of a street's actions for each hole, (width, 1326)."""
        if street not in self._known or self._known[street][0] != tuple(board):
            table, row_of_hole = checked_rows(self.tree, street, self.policy.street(street, board))
            self._known[street] = tuple(board), np.ascontiguousarray(table.T[:, row_of_hole])
        return self._known[street][1]


class DollarReader:
    """An agent that reads dollars as they are; a view is the number of a line."""

    SCRATCH = ("_lines", "_number")

    def __init__(self, agent: Agent):
        """agent: such as a `ModelAgent`; it is asked for all holes at once."""
        self.agent, self._lines, self._number = agent, [""], {"": 0}

    def hear(self, view: View, state: BettingState, move: Move) -> list[tuple[View, float]]:
        """See `Reader`: one line, the move added."""
        return [(self._after(view, state, move), 1.0)]

    def act(self, view: View, state: BettingState, board: list[int]) -> list[tuple[Move, View, np.ndarray]]:
        """See `Reader`."""
        line = self._lines[view]
        p = self.agent.probabilities(np.arange(len(HOLE_CARDS)), board, line)
        said = self.agent.legal(line).items()
        moves = [(label, 0) if label in ("fold", "call") else ("raise", amount) for label, amount in said]
        return [(move, self._after(view, state, move), p[:, k]) for k, move in enumerate(moves)]

    def _after(self, view: View, state: BettingState, move: Move) -> View:
        line = longer(self._lines[view], state, move)
        if line not in self._number:
            self._number[line] = len(self._lines)
            self._lines.append(line)
        return self._number[line]
