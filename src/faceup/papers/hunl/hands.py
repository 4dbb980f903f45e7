"""A hand that an agent plays against itself (paper 000, Section 5)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS
from faceup.holdem.agents import TreeAgent
from faceup.holdem.betting_lines import legal_action, longer
from faceup.holdem.rules import START, BettingState, act


class Decision(NamedTuple):
    """One decision of a hand."""

    seat: int  # 0 the small blind
    hole: str
    board: str
    betting: str  # the betting line before it
    action: str  # label of the action taken


def self_play(
    player: TreeAgent, holes: Sequence[str], board: str, generator: np.random.Generator
) -> tuple[str, list[Decision]]:
    """A hand with sampled actions: its betting line, and the decisions of both seats.

    holes: of small and big blind, e.g. "Ac3h"; board: all five cards.
    """
    betting, decisions = "", list[Decision]()
    state: BettingState | None = START
    while state is not None:
        seen = holes[state.actor], board[: 2 * BOARD_CARDS[state.street]], betting
        share = player.action_probabilities(*seen)
        p = np.array(list(share.values()))
        action = list(share)[generator.choice(len(p), p=p / p.sum())]
        decisions.append(Decision(state.actor, *seen, action))
        move = legal_action(action, state)
        betting, (state, _) = longer(betting, state, move), act(state, *move)
    return betting, decisions
