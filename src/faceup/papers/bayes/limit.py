"""Fixed-limit hold'em as a betting tree: blinds of 50 and 100 dollars, four bets a street."""

from faceup.holdem.betting_tree import BettingTree, grow_tree
from faceup.holdem.rules import CALL, FOLD, START, BettingState, pot_and_call

RAISE = CALL + 1
LABELS = ("fold", "call", "raise")
BETS = (100, 100, 200, 200)  # dollars a bet, by street
RAISES = (3, 4, 4, 4)  # bets and raises, by street; before the flop the big blind is the first bet


def offered(state: BettingState) -> list[tuple[int, str, int]]:
    """The legal actions of a state as (label, action, dollars bet to)."""
    actions = [(FOLD, "fold", 0)] if pot_and_call(state)[1] > 0 else []
    actions.append((CALL, "call", 0))
    if state.raises < RAISES[state.street]:
        to = state.bets[1 - state.actor][state.street] + BETS[state.street]
        actions.append((RAISE, "raise", to))
    return actions


def limit_tree() -> BettingTree:
    """The public tree of fixed-limit hold'em: 6,378 decisions. Stacks are never reached."""
    return grow_tree(LABELS, offered, START)
