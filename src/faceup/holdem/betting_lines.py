"""Betting lines as Slumbot writes them, such as "b300c/kb400", and by labels; payoffs.

k is check, c call, f fold, bN bet or raise to N dollars on this street, blinds included; streets
are joined by "/". Blinds are 50/100, stacks 20,000; the small blind acts first preflop and last on
later streets, so that a line determines who is to act.

An agent that reads dollars needs only its own sizes turned into legal dollars. A table policy
translates other sizes (`bet_translation`).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import short_repr
from faceup.cards.strength import strength
from faceup.holdem.betting_tree import BettingTree, action_to, path_to_node
from faceup.holdem.rules import (
    DECISION,
    SHOWDOWN,
    START,
    BettingState,
    act,
    legal_raises,
    pot_and_call,
)

_TOKEN = re.compile(r"[kcf]|b[0-9]+")


class Move(NamedTuple):
    """One action of a line."""

    player: int
    token: str
    before: BettingState

    @property
    def action(self) -> tuple[str, int]:
        """As `act` of the rules takes it."""
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
    betting, state = "", START
    for child in path_to_node(tree, node):
        action = action_to(tree, child)
        betting, state = longer(betting, state, action), act(state, *action)[0] or state
    return betting


def line_labels(tree: BettingTree, node: int) -> str:
    """The labels of the actions that lead to a node, such as "call, all_in"; a check is a call."""
    return ", ".join(tree.labels[tree.label[k]] for k in path_to_node(tree, node))


def read_line(betting: str) -> Line:
    """All actions of a line and where they lead; "" is the start of a hand.

    The "/" behind a street's last action may be left out at the end of the line, and any number may
    follow the end of a hand. Raises ValueError naming the line and what was expected: for what is
    no text, unknown or illegal actions, a "/" out of place.
    """
    if not isinstance(betting, str):
        raise ValueError(f"betting {short_repr(betting)}: expected text such as 'b300c/kb400'")
    return _read_line(betting)


@lru_cache(maxsize=1024)  # one answer takes a line several times
def _read_line(betting: str) -> Line:
    state: BettingState | None = START
    moves, kind, written = list[Move](), DECISION, ""
    for word in _TOKEN.findall(betting):
        if state is None:
            raise ValueError(
                f"betting {short_repr(betting)}: the hand is over after {short_repr(written)}, "
                f"expected no {short_repr(word)}"
            )
        moves.append(Move(state.actor, word, state))
        try:
            action = moves[-1].action
            written, (state, kind) = longer(written, state, action), act(state, *action)
        except ValueError as error:
            raise ValueError(
                f"betting {short_repr(betting)}: {short_repr(word)}: {str(error)[:100]}"
            ) from error
    if (betting if state else betting.rstrip("/")) not in (written, written.removesuffix("/")):
        raise ValueError(
            f"betting {short_repr(betting)}: expected k, c, f and bN, and '/' behind a street; it "
            f"reads {short_repr(written)}"
        )
    return Line(tuple(moves), state, kind)


def state_after(betting: str) -> BettingState:
    """The state that a betting line leads to. Raises ValueError as `read_line`, and for lines after
    which nobody is to act.
    """
    if (state := read_line(betting).state) is None:
        raise ValueError(
            f"betting {short_repr(betting)}: the hand is over, expected a player to act"
        )
    return state


def legal_action(label: str, state: BettingState) -> tuple[str, int]:
    """The action of a label in a state of real dollars, as `act` takes it: never an illegal one.

    A raise by a fraction of the pot is brought to at least the minimum and to at most all-in; where
    no raise is legal it is a call, and so is a fold that nothing asks for.
    """
    pot, to_call = pot_and_call(state)
    if label in ("fold", "call"):
        return ("fold" if label == "fold" and to_call else "call"), 0
    least, most = legal_raises(state)
    if not least:
        return "call", 0
    if label == "all_in":
        return "raise", most
    wanted = state.bets[1 - state.actor][state.street] + round(
        float(label.removeprefix("raise_")) * (pot + to_call)
    )
    return "raise", min(max(wanted, least), most)


def settle(line: Line, holes: Sequence[Sequence[int]], board: Sequence[int]) -> tuple[int, int]:
    """Dollars that small blind and big blind win at the end of a line.

    holes: two cards of each; board: five at a showdown.
    """
    last, folded, strengths = line.moves[-1], -1, [0, 0]
    put = [sum(bets) for bets in last.before.bets]
    if line.kind == SHOWDOWN:  # the last action is a call
        put, strengths = [max(put)] * 2, [strength([*hole, *board]) for hole in holes]
    else:
        folded = last.player
    small, big = payoffs(np.array([put]), np.array([folded]), np.array([strengths]))[0].tolist()
    return small, big


def payoffs(put: np.ndarray, folded: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """Dollars that both players win in each of n hands, (n, 2) int64; uncalled bets are returned.

    put (n, 2): dollars each player has put in; folded (n,): who has folded, -1 at a showdown;
    strengths (n, 2): of their seven cards, used at showdowns alone.
    """
    matched = np.asarray(put, dtype=np.int64).min(axis=1)
    better = np.sign(np.asarray(strengths[:, 0], dtype=np.int64) - strengths[:, 1])
    sign = np.where(folded < 0, better, np.where(folded == 1, 1, -1))
    return np.stack([sign * matched, -sign * matched], axis=1)
