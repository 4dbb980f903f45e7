"""Slumbot's web API on the wire: one request, and an answer that is checked before anything is built on it.

JSON by POST: `login`, `new_hand`, `act`. Whether a request may be repeated depends on where it failed. If no connection was made,
the server has not seen it. In every other case it may have, and an action must not be sent again.
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

from faceup.cards.cards import BOARD_CARDS, card_text, parse_cards
from faceup.holdem.betting.betting_tree import FOLD_END
from faceup.holdem.betting.hand_play import settle
from faceup.holdem.betting.notation import read_line

BASE = "https://slumbot.com/api/"  # the other address in recent use: https://slumbot.com/slumbot/api/
POLITE = 0.2  # seconds between two requests to somebody else's machine, at the least
_LARGEST = 1 << 20  # bytes of an answer
_NEVER_CONNECTED = (errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)


class SlumbotError(Exception):
    """The server cannot be played with; says why."""


class NotDone(SlumbotError):
    """The server has not acted on the request: it may be repeated."""


class Lost(SlumbotError):
    """The server may have acted on the request, and no answer that makes sense came back."""


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
        """The JSON object that the server answers. Raises NotDone or Lost."""
        time.sleep(max(0.0, self._next - time.monotonic()))
        headers = {"Content-Type": "application/json", "User-Agent": "faceup"}
        request = urllib.request.Request(self.base + name, json.dumps(body).encode(), headers)
        try:
            with self._opener.open(request, timeout=self.timeout) as response:
                content = json.loads(response.read(_LARGEST))
        except urllib.error.HTTPError as error:
            error.close()
            raise Lost(f"{name}: status {error.code}") from error
        except urllib.error.URLError as error:
            never_sent = isinstance(error.reason, OSError) and error.reason.errno in _NEVER_CONNECTED
            never_sent |= isinstance(error.reason, socket.gaierror | ssl.SSLCertVerificationError)
            raise (NotDone if never_sent else Lost)(f"{name}: {error.reason}") from error
        except ValueError as error:
            raise Lost(f"{name}: the answer is not JSON: {error}") from error
        except Exception as error:  # http.client's errors, time-outs, resets: the request was out
            raise Lost(f"{name}: {error or type(error).__name__}") from error
        finally:
            self._next = time.monotonic() + self.pause
        if not isinstance(content, dict):
            raise Lost(f"{name}: the answer is a {type(content).__name__}, expected an object")
        return content


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows nothing: a redirected action would be sent twice."""

    def redirect_request(self, *arguments: object) -> None:
        return None


class Answer(NamedTuple):
    """A checked answer to `new_hand` or `act`. Money is in dollars, ours; None is what the server does not tell."""

    player: int  # our seat: 0 is the small blind
    hole: str  # the higher card first
    board: str
    betting: str
    bot_hole: str
    winnings: int | None  # None while the hand goes on
    expected: int | None  # winnings by the rules, where the cards shown tell
    baseline: int | None  # winnings less Slumbot's own on the same cards in our seat
    hands: int | None  # of the session, this one included; so are its totals
    total: int | None
    baseline_total: int | None

    def unlike(self, before: "Answer", incr: str = "") -> str:
        """Why this is not the hand that was answered before, with our action `incr` and what follows; "" if it is."""
        known = read_line(before.betting).tokens + ((incr,) if incr else ())
        if (self.player, self.hole) != (before.player, before.hole) or not self.board.startswith(before.board):
            return f"seat {self.player}, hole {self.hole}, board {self.board!r}, expected them to go on from {before[:3]}"
        if read_line(self.betting).tokens[: len(known)] != known:
            return f"betting {self.betting!r}, expected {before.betting!r}, {incr!r} and what follows"
        return ""


def read_answer(content: dict, before: Answer | None = None, incr: str = "") -> Answer:
    """Check an answer to `new_hand`, or to our action `incr` in the hand that was answered before.

    Raises Lost unless it continues the hand by the rules, shows the same cards, and either it is our turn or the hand is over.
    """
    try:
        answer = _read(content, before)
        why = answer.unlike(before, incr) if before else ""
    except (ValueError, TypeError) as error:
        why = str(error)
    if why:
        raise Lost(f"answer: {why}"[:300])
    return answer


def _read(content: dict, before: Answer | None) -> Answer:
    position, betting, winnings = (content.get(name) for name in ("client_pos", "action", "winnings"))
    if position is None and before:  # some servers tell it on new_hand only
        position = 1 - before.player
    if type(position) is not int or position not in (0, 1):
        raise ValueError(f"client_pos is {position!r}, expected 0 (big blind) or 1 (small blind)")
    player, (hole, board, bot_hole) = 1 - position, _cards(content)
    if not isinstance(betting, str):
        raise ValueError(f"action is {betting!r}, expected a betting line")
    if winnings is not None and type(winnings) is not int:
        raise ValueError(f"winnings is {winnings!r}, expected whole dollars or null")
    line = read_line(betting)
    if (line.state is None) != (winnings is not None):
        raise ValueError(f"betting {betting!r} with winnings {winnings}, expected winnings when a hand is over")
    if line.state and line.state.actor != player:
        raise ValueError(f"after {betting!r} it is not our turn")
    if line.state and len(board) != 2 * BOARD_CARDS[line.state.street]:
        raise ValueError(f"board {board!r} with betting {betting!r}, expected {BOARD_CARDS[line.state.street]} cards")
    expected = None  # where a showdown's cards are not all told
    if line.kind == FOLD_END or (line.state is None and len(board) == 10 and bot_hole):
        holes = [parse_cards(hole), parse_cards(bot_hole)]
        expected = settle(line, holes if player == 0 else holes[::-1], parse_cards(board))[player]
    totals = ("baseline_winnings", "session_num_hands", "session_total", "session_baseline_total")
    told = [content[name] if type(content.get(name)) is int else None for name in totals]
    return Answer(player, hole, board, betting, bot_hole, winnings, expected, *told)


def _cards(content: dict) -> list[str]:
    hole, board, bot_hole = (parse_cards("".join(content.get(name) or [])) for name in ("hole_cards", "board", "bot_hole_cards"))
    cards = ["".join(map(card_text, some)) for some in (sorted(hole, reverse=True), board, bot_hole)]
    if len(hole) != 2 or len(board) not in BOARD_CARDS or len(bot_hole) not in (0, 2):
        raise ValueError(f"cards {cards}: expected 2, up to 5, and 0 or 2")
    parse_cards("".join(cards))  # no card twice
    return cards
