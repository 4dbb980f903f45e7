"""Slumbot's web API on the wire: one request, and an answer that is checked before anything is built on it.

JSON by POST: `login`, `new_hand`, `act`. What may be repeated hangs on where a request failed: if no connection was made, the
server has not seen it; in every other case it may have, and an action must not be sent again.
"""

import errno
import json
import socket
import ssl
import time
import urllib.error
import urllib.request
from typing import NamedTuple
from urllib.parse import urlsplit

from faceup.cards.cards import card_text, parse_cards
from faceup.holdem.betting.betting_tree import FOLD_END
from faceup.holdem.betting.hand_play import BOARD_SIZE, settle
from faceup.holdem.betting.notation import Line, read_line

BASE = "https://slumbot.com/api/"  # the other address in recent use: https://slumbot.com/slumbot/api/
POLITE = 0.2  # seconds between two requests to somebody else's machine, at the least
_LARGEST = 1 << 20  # bytes of an answer
_NEVER_CONNECTED = (errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)


class NotSent(Exception):
    """The server has not seen the request: it may be repeated."""


class Lost(Exception):
    """The server may have acted on the request, and no answer that makes sense came back."""


class Refused(Lost):
    """The server said `error_msg`."""


class OpenHand(NamedTuple):
    """A hand in which it is our turn."""

    number: int
    player: int  # ours: 0 is the small blind
    hole: str
    board: str
    betting: str


class Answer(NamedTuple):
    """A checked answer to `new_hand` or `act`."""

    player: int
    hole: str
    board: str
    betting: str
    line: Line
    bot_hole: str
    winnings: int | None  # None while the hand goes on

    @property
    def expected(self) -> int | None:
        """Our winnings by the rules; None while the hand goes on, or at a showdown whose cards are not all told."""
        if self.line.state is not None:
            return None
        holes = [parse_cards(self.hole), parse_cards(self.bot_hole)][:: 1 if self.player == 0 else -1]
        board = parse_cards(self.board)
        if self.line.kind != FOLD_END and (len(board) != 5 or any(len(hole) != 2 for hole in holes)):
            return None
        return settle(self.line, holes, board).payoffs[self.player]

    def has_own_action(self) -> bool:
        """Whether we have already acted in this hand."""
        return any(move.player == self.player for move in self.line.moves)

    def check_continues(self, hand: OpenHand, incr: str = "") -> None:
        """Raises Lost unless this is a hand known so far, with the same cards, our action `incr` and what follows."""
        if self.player != hand.player or sorted(parse_cards(self.hole)) != sorted(parse_cards(hand.hole)):
            raise Lost(f"answer: seat {self.player}, hole {self.hole}, expected {hand.player}, {hand.hole}, as at first")
        if not self.board.startswith(hand.board):
            raise Lost(f"answer: board {self.board!r}, expected one that begins with {hand.board!r}")
        known = read_line(hand.betting).tokens + ((incr,) if incr else ())
        if self.line.tokens[: len(known)] != known:
            raise Lost(f"answer: betting {self.betting!r}, expected {hand.betting!r}, {incr!r} and what follows")


class Api:
    """Requests to one base address, one at a time, a pause between them."""

    def __init__(self, base: str = BASE, timeout: float = 30, pause: float = 0.5):
        """timeout, pause in seconds. Raises ValueError on an address without http(s), or a pause too short to be polite."""
        address = urlsplit(base)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError(f"base {base!r}: expected an address such as {BASE!r}")
        if address.hostname not in ("127.0.0.1", "localhost", "::1") and pause < POLITE:
            raise ValueError(f"pause is {pause}, expected at least {POLITE} seconds between requests")
        if timeout <= 0:
            raise ValueError(f"timeout is {timeout}, expected seconds above 0")
        self.base, self.timeout, self.pause = base.rstrip("/") + "/", timeout, pause
        self._next = 0.0
        self._opener = urllib.request.build_opener(_NoRedirects)

    def post(self, name: str, body: dict) -> dict:
        """The JSON object that the server answers. Raises NotSent or Lost."""
        time.sleep(max(0.0, self._next - time.monotonic()))
        headers = {"Content-Type": "application/json", "User-Agent": "faceup"}
        request = urllib.request.Request(self.base + name, json.dumps(body).encode(), headers)
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                status, text = response.status, response.read(_LARGEST)
        except urllib.error.HTTPError as error:
            with error:
                raise Lost(f"{name}: status {error.code}") from error
        except urllib.error.URLError as error:
            raise (NotSent if _never_connected(error.reason) else Lost)(f"{name}: {error.reason}") from error
        except Exception as error:  # http.client's errors, time-outs, resets: the request was out
            raise Lost(f"{name}: {error or type(error).__name__}") from error
        finally:
            self._next = time.monotonic() + self.pause
        return _json_object(name, status, text)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nothing: a redirected action would be sent twice."""

    def redirect_request(self, *arguments: object) -> None:
        return None


def _never_connected(reason: object) -> bool:
    if isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError):
        return True
    return isinstance(reason, OSError) and reason.errno in _NEVER_CONNECTED


def _json_object(name: str, status: int, text: bytes) -> dict:
    if status != 200:
        raise Lost(f"{name}: status {status}")
    try:
        content = json.loads(text)
    except ValueError as error:
        raise Lost(f"{name}: the answer is not JSON: {text[:80]!r}") from error
    if not isinstance(content, dict):
        raise Lost(f"{name}: the answer is a {type(content).__name__}, expected an object")
    return content


def read_answer(content: dict, hand: OpenHand | None = None, incr: str = "") -> Answer:
    """Check an answer: to `new_hand`, or to our action `incr` in a hand.

    Raises Lost unless it continues the hand by the rules, shows the same cards, and either it is our turn or the hand is over.
    """
    try:
        answer = _read(content, hand)
    except (ValueError, TypeError) as error:
        raise Lost(f"answer: {error}") from error
    if hand is not None:
        answer.check_continues(hand, incr)
    if (answer.line.state is None) != (answer.winnings is not None):
        raise Lost(f"answer: betting {answer.betting!r} with winnings {answer.winnings}, expected winnings when a hand is over")
    if answer.line.state is not None:
        _check_our_turn(answer)
    return answer


def _read(content: dict, hand: OpenHand | None) -> Answer:
    position = content.get("client_pos")
    if position is None and hand is not None:  # some servers tell it on new_hand only
        position = 1 - hand.player
    if type(position) is not int or position not in (0, 1):
        raise ValueError(f"client_pos is {position!r}, expected 0 (big blind) or 1 (small blind)")
    winnings = content.get("winnings")
    if winnings is not None and type(winnings) is not int:
        raise ValueError(f"winnings is {winnings!r}, expected whole dollars or null")
    betting = content.get("action")
    if not isinstance(betting, str):
        raise ValueError(f"action is {betting!r}, expected a betting line")
    hole, board, theirs = (_cards(content, name) for name in ("hole_cards", "board", "bot_hole_cards"))
    if len(hole) != 4 or len(board) not in [2 * n for n in BOARD_SIZE] or len(theirs) not in (0, 4):
        raise ValueError(f"cards {hole!r}, {board!r}, {theirs!r}: expected 2, up to 5, and 0 or 2")
    parse_cards(hole + board + theirs)  # no card twice
    return Answer(1 - position, hole, board, betting, read_line(betting), theirs, winnings)


def _cards(content: dict, name: str) -> str:
    cards = content.get(name) or []
    return "".join(card_text(card) for card in parse_cards("".join(cards)))


def _check_our_turn(answer: Answer) -> None:
    state = answer.line.state
    assert state is not None
    if state.actor != answer.player:
        raise Lost(f"answer: after {answer.betting!r} it is not our turn")
    if len(answer.board) != 2 * BOARD_SIZE[state.street]:
        raise Lost(f"answer: board {answer.board!r} with betting {answer.betting!r}, expected {BOARD_SIZE[state.street]} cards")
