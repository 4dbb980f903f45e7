"""Betting lines as Slumbot writes them: streets joined by "/", as in "b300c/kb400".

k is check, c call, f fold, bN bet or raise to N dollars on this street, blinds included. Blinds are 50/100, stacks 20,000; the
small blind acts first preflop and last on later streets, so that a line tells who is to act.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from faceup.cards.cards import STREETS
from faceup.holdem.betting.betting_tree import DECISION, FOLD_END, START, BettingState, BettingTree, act, action_to, pot_and_call

_TOKEN = re.compile(r"[kcf]|b[0-9]+")


class Move(NamedTuple):
    """One action of a line."""

    player: int
    token: str
    before: BettingState

    @property
    def action(self) -> tuple[str, int]:
        """As betting's `act` takes it."""
        return {"f": "fold", "b": "raise"}.get(self.token[0], "call"), int(self.token[1:] or 0)


class Line(NamedTuple):
    """A betting line that keeps the rules."""

    moves: tuple[Move, ...]
    state: BettingState | None  # what is to be decided; None once the hand is over
    kind: int  # DECISION, or how the hand ended: FOLD_END, SHOWDOWN

    @property
    def tokens(self) -> tuple[str, ...]:
        """The actions without streets: they tell all that the rules leave open."""
        return tuple(move.token for move in self.moves)

    @property
    def put(self) -> tuple[int, int]:
        """Dollars that each player has put in; after a showdown both the same."""
        first, second = (sum(bets) for bets in (self.state or self.moves[-1].before).bets)
        return (first, second) if self.kind in (DECISION, FOLD_END) else (max(first, second), max(first, second))


def token(state: BettingState, action: str, amount: int = 0) -> str:
    """How "fold", "call" or "raise" to `amount` is written in a state."""
    if action == "raise":
        return f"b{amount}"
    return "f" if action == "fold" else "c" if pot_and_call(state)[1] else "k"


def longer(betting: str, state: BettingState, action: tuple[str, int]) -> str:
    """A line with one more action, which is taken in the state that the line leads to."""
    after, _ = act(state, *action)
    return betting + token(state, *action) + ("/" if after and after.street > state.street else "")


def line_to(tree: BettingTree, node: int) -> str:
    """The line that leads to a node of a tree."""
    way = []
    while node:
        way.append(node)
        node = int(tree.parent[node])
    betting, state = "", START
    for child in reversed(way):
        betting, (after, _) = longer(betting, state, action_to(tree, child)), act(state, *action_to(tree, child))
        state = after or state
    return betting


@lru_cache(maxsize=1024)  # one answer takes a line several times
def read_line(betting: str) -> Line:
    """All actions of a line and where they lead; "" is the start of a hand.

    The "/" behind a street's last action may be left out at the end of the line, and any number may follow the end of a hand.
    Raises ValueError naming the line, the action and what was expected: for unknown or illegal actions, a "/" out of place.
    """
    state: BettingState | None = START
    moves: list[Move] = []
    kind = DECISION
    parts = betting.split("/")
    for street, part in enumerate(parts):
        played = "/".join(parts[:street])
        if state is not None and state.street != street:
            raise ValueError(f"betting {betting!r}: '/' after {played!r}, expected the {STREETS[state.street]}'s next action")
        words = _TOKEN.findall(part)
        if "".join(words) != part:
            raise ValueError(f"betting {betting!r}: {part!r}, expected k, c, f and bN, such as 'b300c/kb400'")
        for word in words:
            if state is None:
                raise ValueError(f"betting {betting!r}: the hand is over after {moves[-1].token!r}, expected no {word!r}")
            if state.street != street:
                raise ValueError(f"betting {betting!r}: {word!r} in {part!r}, expected '/', for the street is over")
            moves.append(Move(state.actor, word, state))
            state, kind = _after(moves[-1], betting)
    return Line(tuple(moves), state, kind)


def state_after(betting: str) -> BettingState:
    """The state that a betting line leads to. Raises ValueError as `read_line`, and for lines after which nobody is to act."""
    line = read_line(betting)
    if line.state is None:
        over = f"the hand is over after {line.moves[-1].token!r}, expected a player to act"
        raise ValueError(f"betting {betting!r}: {over}")
    return line.state


def _after(move: Move, betting: str) -> tuple[BettingState | None, int]:
    _, to_call = pot_and_call(move.before)
    if move.token == "k" and to_call:
        raise ValueError(f"betting {betting!r}: 'k' facing ${to_call}, expected c, f or a raise")
    if move.token == "c" and not to_call:
        raise ValueError(f"betting {betting!r}: 'c' with nothing to call, expected k or a bet")
    try:
        return act(move.before, *move.action)
    except ValueError as error:
        raise ValueError(f"betting {betting!r}: {move.token!r}: {error}") from error
