"""The rules of betting in Discard Hold'em.

Heads-up no-limit hold'em with blinds of 1 and 2 chips and stacks of 200, reset each hand (the contest's rules, 2017). When
the flop lies, and again when the turn lies, each player may swap one private card for one from the deck before the betting:
the big blind first, then the small blind. A thrown card is dead. The opponent sees that a card was swapped, not which.
All-in players swap as well: the contest's slides leave it open, and the paper's remark on pocket twos is about such hands.

Player 0 is the small blind: first to act before the flop, last afterwards.
"""

from typing import NamedTuple

SMALL_BLIND, BIG_BLIND, STACK = 1, 2, 200
MBB_PER_CHIP = 1000 / BIG_BLIND
SWAP_STREETS = (1, 2)  # flop and turn
N_DEALT = 13  # cards of a deal: two holes, a board, four cards to draw
FOLD_END, SHOWDOWN = "fold", "showdown"


class Betting(NamedTuple):
    """What the rules of betting need to know of a hand."""

    street: int
    actor: int
    put: tuple[int, int]  # chips that each player has put in
    base: int  # chips that each had put in when the street began; 0 before the flop
    last_raise: int  # the least amount by which the next raise must raise
    raises: int  # bets and raises on this street; blinds are none
    acted: int  # actions on this street


START = Betting(0, 0, (SMALL_BLIND, BIG_BLIND), 0, BIG_BLIND, 0, 0)


def to_call(state: Betting) -> int:
    """Chips that the actor must add to call."""
    return state.put[1 - state.actor] - state.put[state.actor]


def legal_raises(state: Betting) -> tuple[int, int]:
    """Least and most chips that a bet or raise may bring the actor's own to on this street; (0, 0) where none is legal."""
    other = state.put[1 - state.actor]
    if other >= STACK:
        return 0, 0
    return min(other + max(state.last_raise, BIG_BLIND), STACK) - state.base, STACK - state.base


def bet(state: Betting, action: str, amount: int = 0) -> tuple[Betting, str]:
    """The state after a legal "fold", "call" (or check) or "raise" to an amount on this street, and FOLD_END, SHOWDOWN or "".

    At an end the actor stays. Betting ends in SHOWDOWN when both are all-in, too: swaps go on.
    """
    if action == "fold":
        return state, FOLD_END
    other = state.put[1 - state.actor]
    total = state.base + amount if action == "raise" else other
    put = (total, state.put[1]) if state.actor == 0 else (state.put[0], total)
    after = state._replace(actor=1 - state.actor, put=put, acted=state.acted + 1)
    if action == "raise":
        return after._replace(last_raise=max(total - other, state.last_raise), raises=state.raises + 1), ""
    if total >= STACK or (state.street == 3 and state.acted):
        return state._replace(put=put), SHOWDOWN
    if state.acted == 0:  # a limp or a first check leaves the street open
        return after, ""
    return Betting(state.street + 1, 1, put, total, BIG_BLIND, 0, 0), ""
