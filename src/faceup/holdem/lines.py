"""Betting lines as Slumbot writes them, such as "b300c/kb400"; sizes that a strategy does not know; what each player has won.

k is check, c call, f fold, bN bet or raise to N dollars on this street, blinds included; streets are joined by "/". Blinds are
50/100, stacks 20,000; the small blind acts first preflop and last on later streets, so that a line tells who is to act.

An agent that reads dollars needs its own sizes turned into legal dollars alone. A table agent, whose strategy stands on a betting
tree, reads an opponent's size by the randomised pseudo-harmonic mapping (Ganzfried & Sandholm 2013, "Action translation in
extensive-form games with large action spaces", Section 7): of the neighbouring sizes A < x < B on the tree, in fractions of the
pot, the smaller with probability (B - x)(1 + A) / ((B - A)(1 + x)). The mixture then calls a bet of x as often as makes a bluff
of x indifferent.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import STREETS
from faceup.cards.strength import strength
from faceup.holdem.rules import CALL, DECISION, FOLD, FOLD_END, START, BettingState, act, legal_raises, pot_and_call
from faceup.holdem.tree import BettingTree, action_to, children

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


def lower_probability(x: float, a: float, b: float) -> float:
    """Probability with which a bet of x pots is read as a rather than b pots, 0 <= a <= x <= b, a < b."""
    return (b - x) * (1 + a) / ((b - a) * (1 + x))


def size_chances(x: float, sizes: Sequence[float]) -> list[tuple[int, float]]:
    """(index, probability) of the one or two sizes that a bet of x pots is read as, the smaller first; sizes ascending.

    A bet below the smallest or above the largest size is read as that size.
    """
    above = bisect_right(sizes, x)
    if above == 0 or above == len(sizes):
        return [(min(above, len(sizes) - 1), 1.0)]
    smaller = lower_probability(x, sizes[above - 1], sizes[above])
    return [(above - 1, smaller), (above, 1 - smaller)] if smaller < 1 else [(above - 1, 1.0)]


def legal_action(label: str, state: BettingState) -> tuple[str, int]:
    """The action of a label in a state of real dollars, as `act` takes it: never an illegal one.

    A raise by a fraction of the pot is brought to at least the minimum and to at most all-in; where no raise is legal it is a
    call, and so is a fold that nothing asks for. Raises ValueError on an unknown label.
    """
    pot, to_call = pot_and_call(state)
    if label in ("fold", "call"):
        return ("fold" if label == "fold" and to_call else "call"), 0
    if label != "all_in" and not label.startswith("raise_"):
        raise ValueError(f"label {label!r}: expected fold, call, raise_<pots> or all_in")
    least, most = legal_raises(state)
    if not least:
        return "call", 0
    if label == "all_in":
        return "raise", most
    wanted = state.bets[1 - state.actor][state.street] + round(float(label.removeprefix("raise_")) * (pot + to_call))
    return "raise", min(max(wanted, least), most)


def node_after(tree: BettingTree, betting: str, player: int, draw: Callable[[int], float]) -> int:
    """The node of a tree as which a player of its strategy reads a line of real dollars.

    draw(i): a number in [0, 1) for the line's i-th action, the same whenever it is asked for in one hand. The player's own
    raises are known by the dollars that the tree's labels stand for. May return an end where the tree's players are all-in and
    the real ones are not. Raises ValueError as `read_line`.
    """
    node = 0
    for i, move in enumerate(read_line(betting).moves):
        if tree.kind[node] != DECISION:
            break
        below = children(tree, node) if move.player == player else ()
        own = [c for c in below if legal_action(tree.labels[tree.label[c]], move.before) == move.action]
        read = [(own[0], 1.0)] if own else read_action(tree, node, move.before, *move.action)
        node = read[0][0] if draw(i) < read[0][1] else read[-1][0]
    return node


def read_action(tree: BettingTree, node: int, state: BettingState, action: str, amount: int) -> list[tuple[int, float]]:
    """The one or two nodes as which an opponent's action in a state is read, and their probabilities."""
    below = {int(tree.label[c]): c for c in children(tree, node)}
    raises = [c for label, c in below.items() if label > CALL]
    if action != "raise" or not raises:  # where the tree's players are all-in nothing bigger can be read
        return [(below[FOLD if action == "fold" else CALL], 1.0)]
    if amount == legal_raises(state)[1]:
        return [(raises[-1], 1.0)]  # all-in is all-in
    pot, to_call = pot_and_call(state)
    x = (amount - state.bets[1 - state.actor][state.street]) / (pot + to_call)
    actor, street = int(tree.actor[node]), int(tree.street[node])
    base, called = int(tree.bets[node, 1 - actor, street]), 2 * int(tree.bets[node].sum(axis=1).max())
    sizes = [(int(tree.bets[c, actor, street]) - base) / called for c in raises]
    return [(raises[k], p) for k, p in size_chances(x, sizes)]


def settle(line: Line, holes: Sequence[Sequence[int]], board: Sequence[int]) -> tuple[int, int]:
    """Dollars that small blind and big blind win at the end of a line; holes: two cards of each; board: five at a showdown.

    A fold needs no cards. Raises ValueError where the line has not ended, or a showdown lacks cards.
    """
    if line.state is not None:
        raise ValueError(f"line {''.join(line.tokens)!r}: {STREETS[line.state.street]} betting goes on, expected an ended hand")
    folded, strengths = line.moves[-1].player, [0, 0]
    if line.kind != FOLD_END:
        if len(board) != 5 or any(len(hole) != 2 for hole in holes):
            raise ValueError(f"showdown with holes {holes} and board {board}: expected 2, 2 and 5 cards")
        folded, strengths = -1, [strength([*hole, *board]) for hole in holes]
    won, lost = payoffs(np.array([line.put]), np.array([folded]), np.array([strengths]))[0].tolist()
    return won, lost


def payoffs(put: np.ndarray, folded: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """What both players win in many hands at once, dollars, (n, 2) int64; what nobody has called goes back.

    put (n, 2): dollars each player has put in; folded (n,): who has folded, -1 at a showdown; strengths (n, 2): of their
    seven cards, looked at only at showdowns.
    """
    matched = np.asarray(put, dtype=np.int64).min(axis=1)
    better = np.sign(np.asarray(strengths[:, 0], dtype=np.int64) - strengths[:, 1])
    sign = np.where(folded < 0, better, np.where(folded == 1, 1, -1))
    return np.stack([sign * matched, -sign * matched], axis=1)
