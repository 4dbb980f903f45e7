"""The betting rules of heads-up hold'em, no-limit, for any blinds and stacks, and menus of bet
sizes.

Player 0 is the small blind and the button: first to act preflop, last on later streets. Sizes are
fractions of the pot after calling. A menu lists, for each street, the sizes offered as first bet,
as first raise and so on; the last list serves all later raises. All-in is always offered (paper
000, Section 2.3.3 keeps "several choices of action"); with "all_in": False only in place of a size
that exceeds the stack. "limps": False removes the small blind's first call.
"""

from itertools import chain
from typing import Any, NamedTuple

from faceup.cards.cards import STREETS, short_repr
from faceup.cards.features import STACK

SMALL_BLIND, BIG_BLIND = 50, 100
MBB_PER_DOLLAR = 1000 // BIG_BLIND  # results are in thousandths of a big blind a game
FOLD, CALL = 0, 1  # the first two labels; call is check where there is nothing to call
DECISION, FOLD_END, SHOWDOWN = 0, 1, 2  # kinds of nodes of a betting tree

Menu = dict[str, Any]  # for each street a list of lists of sizes; the switches "limps" and "all_in"
# dollars that each player has put in on each street
Bets = tuple[tuple[int, int, int, int], tuple[int, int, int, int]]


class BettingState(NamedTuple):
    """The state of the betting in a hand; blinds and stacks are hold'em's by default."""

    street: int
    actor: int
    bets: Bets  # of both players
    raises: int  # bets and raises on this street
    last_raise: int  # the least amount by which the next raise must raise
    acted: int  # actions on this street
    big_blind: int = BIG_BLIND
    stack: int = STACK  # of each player at the start of the hand


START = BettingState(0, 0, ((SMALL_BLIND, 0, 0, 0), (BIG_BLIND, 0, 0, 0)), 0, BIG_BLIND, 0)


def pot_and_call(state: BettingState) -> tuple[int, int]:
    """Dollars in the pot, and dollars the actor must add to call."""
    put = [sum(b) for b in state.bets]
    return sum(put), put[1 - state.actor] - put[state.actor]


def legal_raises(state: BettingState) -> tuple[int, int]:
    """Least and largest amount to which a raise may bring the actor's bet on this street; (0, 0)
    where none is legal.
    """
    _, to_call = pot_and_call(state)
    own, other = state.bets[state.actor], state.bets[1 - state.actor]
    most = state.stack - sum(own) + own[state.street]
    if sum(other) >= state.stack or state.stack - sum(own) <= to_call:
        return 0, 0
    return min(other[state.street] + state.last_raise, most), most


def act(state: BettingState, action: str, amount: int = 0) -> tuple[BettingState | None, int]:
    """The state after "fold", "call" or "raise" to `amount` on this street, and its kind.

    A fold or showdown returns (None, kind). Raises ValueError on an illegal action; where no raise
    is legal, amounts from 0 to 0 are expected.
    """
    if action == "fold":
        if pot_and_call(state)[1] <= 0:
            raise ValueError("fold: nothing to call, expected check or bet")
        return None, FOLD_END
    if action == "raise":
        least, most = legal_raises(state)
        if not 0 < least <= amount <= most:
            raise ValueError(f"raise to {amount}: expected from {least} to {most}")
        raised = amount - state.bets[1 - state.actor][state.street]
        after = _with_bet(state, amount)
        return after._replace(raises=state.raises + 1, last_raise=raised), DECISION
    after = called(state)
    if sum(after.bets[0]) >= state.stack or (state.street == 3 and state.acted > 0):
        return None, SHOWDOWN
    if state.acted == 0:  # a limp or a first check leaves the street open
        return after, DECISION
    street, least = state.street + 1, state.big_blind
    return after._replace(street=street, actor=1, raises=0, last_raise=least, acted=0), DECISION


def called(state: BettingState) -> BettingState:
    """The state once the actor has called, whether or not the street or the hand ends with it."""
    own = state.bets[state.actor][state.street]
    return _with_bet(state, own + pot_and_call(state)[1])


def _with_bet(state: BettingState, amount: int) -> BettingState:
    """The state once the actor has brought its bet on this street to an amount."""
    bets = [list(own) for own in state.bets]
    bets[state.actor][state.street] = amount
    frozen: Any = tuple(bets[0]), tuple(bets[1])
    return state._replace(actor=1 - state.actor, bets=frozen, acted=state.acted + 1)


def size_name(fraction: float) -> str:
    """Label of a raise by a fraction of the pot, as in "raise_0.5"."""
    return f"raise_{fraction:g}"


def menu_from(
    preflop_sizes: list[list[float]],
    flop_sizes: list[list[float]],
    turn_sizes: list[list[float]],
    river_sizes: list[list[float]],
) -> Menu:
    """The menu of params.yaml's section `betting`; raises ValueError as `menu_labels`."""
    menu = dict(zip(STREETS, (preflop_sizes, flop_sizes, turn_sizes, river_sizes), strict=True))
    menu_labels(menu)
    return menu


def menu_labels(menu: Menu) -> tuple[str, ...]:
    """All action labels of a menu in their fixed order.

    This is the check of menus: raises ValueError naming the key, its value and what was expected;
    also where two sizes have one label.
    """
    if not isinstance(menu, dict) or not {*STREETS} <= {*menu}:
        raise ValueError(f"menu: {short_repr(menu)}, expected a dict with keys {STREETS}")
    for key, value in menu.items():
        switch = key in ("limps", "all_in") and isinstance(value, bool)
        if not switch and not (key in STREETS and are_sizes(value)):
            raise ValueError(
                f"menu: {short_repr(key)}: {short_repr(value)}, expected for each street a list of "
                'lists of different numbers above 0, at most 200; "limps", "all_in": True or False'
            )
    sizes: dict[str, float] = {}
    for size in chain.from_iterable(chain.from_iterable(menu[street] for street in STREETS)):
        other = sizes.setdefault(size_name(size), size)
        if other != size:
            raise ValueError(
                f"menu: sizes {other!r} and {size!r} are both {size_name(size)}, expected sizes "
                "that differ in six digits"
            )
    return ("fold", "call", *sorted(sizes, key=sizes.__getitem__), "all_in")


def are_sizes(levels: object) -> bool:
    """Whether these are the sizes of a street: for the first bet, for the first raise and so on."""
    return isinstance(levels, list | tuple) and all(
        isinstance(level, list | tuple)
        and all(isinstance(x, int | float) and x is not True and 0 < x <= 200 for x in level)
        and len({*level}) == len(level)
        for level in levels
    )


def offered(state: BettingState, menu: Menu, labels: tuple[str, ...]) -> list[tuple[int, str, int]]:
    """Actions that a menu offers in a state: (label, action, amount), in label order."""
    pot, to_call = pot_and_call(state)
    actions = [(FOLD, "fold", 0)] if to_call > 0 else []
    if menu.get("limps", True) or state.street or state.acted:
        actions.append((CALL, "call", 0))
    least, most = legal_raises(state)
    if not least:
        return actions
    levels, all_in = menu[STREETS[state.street]] or [[]], menu.get("all_in", True)
    base = state.bets[1 - state.actor][state.street]
    for fraction in sorted(levels[min(state.raises, len(levels) - 1)]):
        amount = base + round(fraction * (pot + to_call))
        if least <= amount < most:
            actions.append((labels.index(size_name(fraction)), "raise", amount))
        all_in |= amount >= most
    return [*actions, (len(labels) - 1, "raise", most)] if all_in else actions
