"""A client for Slumbot, the paper's benchmark (paper 000, Section 3): plays hands over its web API
and keeps each in a log.

Requests are JSON by POST: `new_hand` deals, `act` takes our action `incr`; an answer shows the
hand, with the bot's moves. A log has a line before and after each request: what is sent, then the
hand as answered. An action is sent once. Where its answer is lost, `new_hand` asks: the server
gives the hand back, or deals another, and what the session's totals hold beyond the log is the lost
hand's. Money is in dollars, ours.
"""

import json
import math
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import requests
from urllib3.exceptions import ConnectTimeoutError

from faceup.cards.cards import BOARD_CARDS, N_CARDS, card_text, hole_index, parse_cards, parse_hand
from faceup.cards.features import STACK
from faceup.holdem.betting_lines import legal_action, read_line, settle, state_after, token
from faceup.holdem.policy import Agent
from faceup.holdem.rules import MBB_PER_DOLLAR, SHOWDOWN
from faceup.trees.tree import _clean
from faceup.util.progress import Progress
from faceup.util.rng import rng
from faceup.util.stats import mean_ci95

BASE = "https://slumbot.com/api/"  # also in use: https://slumbot.com/slumbot/api/
LARGEST = 1 << 16  # bytes of an answer
# seconds before the next attempt, after requests without an answer in a row
WAITS = (1, 5, 20, 60, 60)
_DECK = tuple(card_text(card) for card in range(N_CARDS))


class SlumbotError(Exception):
    """Play cannot go on: names log, hand and address, what was expected and what was found."""


class Hand(NamedTuple):
    """A hand as the server shows it."""

    client_pos: int  # our seat: 0 big blind, 1 small blind
    hole: str
    board: str
    action: str
    bot_hole: str
    winnings: int | None  # None while the hand goes on


class Result(NamedTuple):
    """What a log adds up to."""

    hands: int
    mbb: float  # mbb/g
    ci95: float  # half of the 95 % interval, infinite below two hands
    open: int  # at most so many hands were cut short whose winnings the server has not told


class _Log:
    """A log, and the state that its lines leave: a line does the same when it is written and when
    it is read.
    """

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.run: dict = {}  # who plays where
        # sent: what has no answer, "new_hand" or an action; incr: our last action
        self.token = self.sent = self.incr = ""
        # of the last hand seen; hands dealt, seen or not; dollars
        self.number = self.dealt = self.total = 0
        self.hand: Hand | None = None  # in play
        # dollars of each hand; of hands whose end we did not see, an equal share of their sum
        self.won: list[float] = []
        text = self.path.read_bytes() if self.path.is_file() else b""
        self.size = text.rfind(b"\n") + 1  # a last line cut short by a kill does not count
        for i, line in enumerate(text[: self.size].splitlines(), start=1):
            try:
                self._take(**json.loads(line))
            except (ValueError, TypeError) as error:
                raise ValueError(
                    f"{self.path.name}, line {i}: expected a line of a log, found {_clean(str(line))}"
                ) from error

    def note(self, **line: Any) -> None:
        """Write a line and take it in."""
        with self.path.open("ab") as file:
            file.write(json.dumps(line).encode() + b"\n")
        self._take(**line)

    def _take(
        self, hand: dict | None = None, missing: tuple[int, int] = (0, 0), **changes: Any
    ) -> None:
        if not changes.keys() <= vars(self).keys():
            raise ValueError(f"fields {sorted(changes)}")
        vars(self).update(changes)
        if hand:
            self.hand = played = Hand(**hand)
            if played.winnings is not None:
                n, dollars = missing
                self.won += [played.winnings, *[dollars / max(n, 1)] * n]
                self.hand, self.total = None, self.total + played.winnings + dollars


def slumbot_result(log: str | Path) -> Result:
    """mbb/g of the hands in a log. Raises ValueError on a file that is no log."""
    state = _Log(log)
    mean, ci95 = mean_ci95(MBB_PER_DOLLAR * np.array(state.won)) if state.won else (0, math.inf)
    return Result(
        len(state.won),
        float(mean),
        float(ci95),
        state.dealt - len(state.won) - (state.hand is not None),
    )


def play_slumbot(agent: Agent, name: str, hands: int, log: str | Path, *, base: str = BASE, seed: int = 0,
                 seconds: float = 120, pause: float = 0.5) -> Result:  # fmt: skip
    """Play until the log has `hands` hands; the same call goes on where a run was stopped. Nothing
    is sent if it has them.

    name: tells agents apart, for a log has the hands of one; seconds: to wait in a hand; pause:
    seconds before each request. Raises ValueError where the log is of another agent, seed or
    server, SlumbotError on answers against the protocol or the rules, and where no answer comes
    after all of WAITS.
    """
    state, run = _Log(log), {"agent": name, "seed": seed, "base": base}
    if len(state.won) >= hands:
        return slumbot_result(log)
    if state.run not in ({}, run):
        raise ValueError(f"{state.path.name}: has hands of {state.run}, expected {run}")
    state.path.parent.mkdir(parents=True, exist_ok=True)
    with state.path.open("ab") as file:
        file.truncate(state.size)
    state.note(run=run)
    progress, failed, end = Progress("slumbot", hands), 0, time.monotonic() + seconds
    while len(state.won) < hands:
        incr = _decide(agent, state, seed) if state.hand and not state.sent else ""
        url = f"{base.rstrip('/')}/{'act' if incr else 'new_hand'}"
        where = f"{state.path.name}, hand {state.number if state.hand else state.dealt + 1}, {url} {incr}".rstrip()
        time.sleep(pause)
        if failed or not incr:
            end = time.monotonic() + seconds
        try:
            _step(state, url, incr, max(end - time.monotonic(), 0.1))
            # to be dealt a hand that cannot be played is no success
            failed = 0 if incr or not state.hand else failed
        except (ValueError, RecursionError) as error:
            raise SlumbotError(f"{where}: {_clean(str(error))}") from error
        except requests.RequestException as error:
            if failed == len(WAITS):
                raise SlumbotError(
                    f"{where}: expected an answer in {failed + 1} attempts: {_clean(str(error))}"
                ) from error
            print(
                f"{where}: {_clean(str(error))}; next attempt in {WAITS[failed]} s", file=sys.stderr
            )
            time.sleep(WAITS[failed])
            failed += 1
        progress(len(state.won))
    return slumbot_result(log)


def _decide(agent: Agent, state: _Log, seed: int) -> str:
    """Our action. It hangs on seed, hand and place in the hand alone, so that a hand taken up again
    goes on as it would have.
    """
    assert state.hand
    betting, (private, public) = state.hand.action, parse_hand(state.hand.hole, state.hand.board)
    p = agent.probabilities(np.array([hole_index(*private)]), public, betting)[0]
    generator = rng(seed, f"matches/Slumbot hand {state.number}", len(read_line(betting).moves))
    label = list(agent.legal(betting))[generator.choice(len(p), p=p / p.sum())]
    return token(state_after(betting), *legal_action(label, state_after(betting)))


def _step(state: _Log, url: str, incr: str, seconds: float) -> None:
    """A request and its answer, both noted; incr: our action, "" to be dealt a hand. Raises as
    `_post` and `_read`.
    """
    before, was = state.hand, {"sent": state.sent, "dealt": state.dealt, "incr": state.incr}
    dealt = state.dealt + (not incr) if state.token else 1  # without a token a session begins
    state.note(sent=incr or "new_hand", incr=incr or state.incr, dealt=dealt)
    try:
        answer = _post(
            url,
            ({"token": state.token} if state.token else {}) | ({"incr": incr} if incr else {}),
            seconds,
        )
    except requests.ConnectionError as error:
        # the server has not seen the request
        if isinstance(getattr(error.args[0], "reason", None), ConnectTimeoutError):
            state.note(**was)
        raise
    told = answer.get("token") or state.token
    _check("token", isinstance(told, str) and 0 < len(told) <= 200, "a string", told)
    hand, number = _read(answer, before), dealt
    line = read_line(hand.action)
    if before and (incr or before[:2] == hand[:2]):  # the hand goes on, or is given back
        number, dealt = state.number, dealt - (not incr)
        known, old = (
            read_line(str(betting)).tokens
            for betting in (before.action, answer.get("old_action", before.action))
        )
        acted = line.tokens[: len(known) + 1] == (*known, state.incr)
        # a lost action was taken, or was not
        goes_on = acted and old == known if incr else acted or line.tokens == known
        goes_on &= before[:2] == hand[:2] and hand.board.startswith(before.board)
        _check("hand", goes_on, f"{before[1:4]} and then {state.incr}", hand[1:4])
    else:
        _check(
            "action",
            all(move.player == hand.client_pos for move in line.moves),
            "a new hand, without our moves",
            hand.action,
        )
    missing = (
        _missing(state, answer, hand.winnings, dealt - len(state.won) - 1)
        if hand.winnings is not None
        else (0, 0)
    )
    state.note(
        sent="", token=told, number=number, dealt=dealt, hand=hand._asdict(), missing=missing
    )


def _missing(state: _Log, answer: dict, winnings: int, lost: int) -> tuple[int, int]:
    """Hands, at most `lost`, and dollars that the session's totals hold beyond the log and the hand
    that is over.
    """
    hands, dollars = len(state.won) + 1, state.total + winnings
    told: Any = (answer.get("session_num_hands"), answer.get("session_total"))
    n, rest = (told[0] - hands, told[1] - dollars) if [*map(type, told)] == [int, int] else (-1, 0)
    good = n == rest == 0 or (0 < n <= lost and abs(rest) <= STACK * n)
    _check("session_num_hands, session_total", good, f"{hands}, {dollars} as in the log", told)
    return n, rest


def _read(answer: dict, before: Hand | None) -> Hand:
    """The hand that an answer shows. Raises ValueError naming a field unless all is by the rules,
    and what they pay is paid.
    """
    # some tell it on new_hand alone
    pos: Any = answer.get("client_pos", before.client_pos if before else None)
    _check("client_pos", type(pos) is int and 0 <= pos <= 1, "0 or 1", pos)
    line = read_line(str(answer.get("action")))
    last, over = line.state or line.moves[-1].before, line.state is None
    _check(
        "action",
        over or last.actor == 1 - pos,
        "a line after which it is our turn",
        answer["action"],
    )
    names = {
        "hole_cards": 2,
        "bot_hole_cards": 2 * over,
        "board": 5 if line.kind == SHOWDOWN else BOARD_CARDS[last.street],
    }
    hole, bot_hole, board = (_cards(answer, name, n) for name, n in names.items())
    parse_cards(hole + bot_hole + board)  # no card twice
    holes = [parse_cards(cards) for cards in (bot_hole, hole)[:: 1 - 2 * pos]]
    paid = settle(line, holes, parse_cards(board))[1 - pos] if over else None
    winnings = answer.get("winnings")
    _check(
        "winnings",
        type(winnings) is type(paid) and winnings == paid,
        f"{paid} by the rules",
        winnings,
    )
    return Hand(pos, hole, board, answer["action"], bot_hole, winnings)


def _cards(answer: dict, name: str, n: int) -> str:
    found: Any = answer.get(name) or []
    _check(
        name,
        type(found) is list and len(found) == n and all(c in _DECK for c in found),
        f"{n} cards such as 'Ac'",
        found,
    )
    return "".join(found)


def _check(name: str, good: bool, wanted: str, found: object) -> None:
    if not good:
        raise ValueError(f"{name}: expected {wanted}, found {found!r}")


def _post(url: str, body: dict, seconds: float) -> dict:
    """The JSON object that is answered. Raises RequestException where nothing comes for `seconds`,
    ValueError on a wrong one.
    """
    response = requests.post(url, json=body, timeout=seconds, allow_redirects=False)
    status, content = response.status_code, response.content
    if status >= 500:
        raise requests.HTTPError(f"status {status}")
    _check(
        "answer",
        status == 200 and len(content) <= LARGEST,
        f"status 200, at most {LARGEST} bytes",
        (status, content[:100]),
    )
    answer = json.loads(content)
    _check("answer", isinstance(answer, dict), "an object", answer)
    _check("error_msg", not answer.get("error_msg"), "none", answer.get("error_msg"))
    return answer
