"""An agent at a table of real dollars, one hand at a time: against Slumbot, or against itself."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from faceup.cards.cards import BOARD_CARDS, STREETS, parse_cards, parse_hand
from faceup.holdem.betting.betting_tree import START, BettingState, act
from faceup.holdem.betting.notation import longer, read_line, state_after
from faceup.holdem.betting.translation import legal_action
from faceup.holdem.play.agents import Agent, action_probabilities

_TRIES = 1000


class Player(Protocol):
    """Who can sit at a table."""

    def decide(self, hand: int, hole: str, board: str, betting: str) -> tuple[str, int]:
        """The action, as betting's `act` takes it, of the player to act in the hand-th hand."""
        ...


class DollarPlayer:
    """Plays what an agent says.

    Its choices hang on its seed, the hand's number and the place in the hand alone, so that a hand taken up again after an
    interruption goes on as it would have.
    """

    def __init__(self, agent: Agent, seed: int = 0, argmax: bool = False):
        """argmax: always the likeliest action, else actions are drawn."""
        self.agent, self.seed, self.argmax = agent, seed, argmax

    def decide(self, hand: int, hole: str, board: str, betting: str) -> tuple[str, int]:
        """See `Player`. Raises ValueError as the agent does."""
        private, public = parse_hand(hole, board)
        p = self.agent.probabilities(np.array([private]), public, betting)[0]
        if self.argmax:
            picked = int(np.argmax(p))
        else:
            draws = np.random.default_rng([self.seed, hand, len(read_line(betting).moves)])
            picked = int(draws.choice(len(p), p=p / p.sum()))
        return legal_action(list(self.agent.legal(betting))[picked], state_after(betting))


class Decision(NamedTuple):
    """What an agent is asked in a hand, and the label of the action that it draws."""

    player: int  # 0 the small blind
    hole: str
    board: str
    betting: str
    action: str


def walk(agent: Agent, holes: Sequence[str], board: str, seed: int) -> tuple[str, list[Decision]]:
    """A hand of an agent against itself, its line and decisions: the first try in which the small blind decides on all rounds.

    holes: of small and big blind, such as "Ac3h"; board: five cards. The k-th try draws its actions from the seed and k. Raises
    ValueError unless the nine cards differ, and where no try comes so far.
    """
    if len(parse_cards("".join([*holes, board]))) != 9:
        raise ValueError(f"holes {list(holes)} and board {board!r}: expected nine different cards")
    for k in range(_TRIES):
        line, made = _walk_once(agent, holes, board, np.random.default_rng([seed, k]))
        if {len(d.board) for d in made if d.player == 0} == {2 * n for n in BOARD_CARDS}:
            return line, made
    raise ValueError(f"holes {list(holes)}: no hand of {_TRIES} comes to the small blind on the {STREETS[3]}, expected one")


def _walk_once(agent: Agent, holes: Sequence[str], board: str, rng: np.random.Generator) -> tuple[str, list[Decision]]:
    """A hand to its end: its line and decisions."""
    betting, made = "", []
    state: BettingState | None = START
    while state is not None:
        hole, shown = holes[state.actor], board[: 2 * BOARD_CARDS[state.street]]
        share = action_probabilities(agent, hole, shown, betting)
        sums = np.cumsum(list(share.values()))
        label = [*share][min(int(np.searchsorted(sums / sums[-1], rng.random(), side="right")), len(share) - 1)]
        made.append(Decision(state.actor, hole, shown, betting, label))
        move = legal_action(label, state)
        betting, (state, _) = longer(betting, state, move), act(state, *move)
    return betting, made
