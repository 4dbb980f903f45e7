"""A client for Slumbot, the paper's benchmark (paper 000, Section 3): plays hands over its web API
and logs them.

Requests are JSON by POST: `new_hand` deals, `act` takes our action `incr`; each answer shows the
hand, with the bot's moves. A line of a log is a hand as an answer shows it. A request that a busy
server refuses is sent again. An action that it may have taken is sent once: where its answer is
lost, play stops, the end of the hand stays unknown, and the next call goes on with another one in a
new session. Money is in dollars, ours.
"""

import json
import multiprocessing.pool
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import requests
from urllib3.exceptions import HTTPError

from faceup.cards.cards import BOARD_CARDS, hole_index, parse_cards, parse_hand, short_repr
from faceup.holdem.agents import Agent
from faceup.holdem.betting_lines import legal_action, read_line, settle, state_after, token
from faceup.holdem.rules import MBB_PER_DOLLAR, SHOWDOWN
from faceup.util.progress import Progress
from faceup.util.rng import rng
from faceup.util.stats import mean_ci95

LARGEST = 1 << 16  # bytes of an answer


class SlumbotError(Exception):
    """Play cannot go on: names log and hand, what was expected and what was found."""


class Hand(NamedTuple):
    """A hand as the server shows it."""

    client_pos: int  # our seat: 0 big blind, 1 small blind
    hole: str
    board: str
    action: str
    bot_hole: str
    winnings: int | None  # None while the hand goes on


class LogResult(NamedTuple):
    """The sum of a log."""

    hands: int  # played to the end
    mbb: float  # mbb/g
    ci95: float  # half of the 95 % interval, infinite below two hands
    open: int  # hands that were begun and whose end is unknown


def _read_log(path: Path, run: dict) -> dict[int, Hand]:
    """The last state of each hand of a log by its number, none if there is no log; run: agent, seed
    and server, which are to be the log's.
    """
    hands = dict[int, Hand]()
    for i, line in enumerate(path.read_text().splitlines() if path.is_file() else [], start=1):
        entry = json.loads(line)
        hands[entry["number"]] = Hand(**entry["hand"])
        _check(f"{path.name}, line {i}", entry["run"] == run, f"a hand of {run}", entry["run"])
    return hands


def _log_result(hands: dict[int, Hand]) -> LogResult:
    won = [hand.winnings for hand in hands.values() if hand.winnings is not None]
    mean, ci95 = mean_ci95(MBB_PER_DOLLAR * np.array(won)) if won else (0, np.inf)
    return LogResult(len(won), float(mean), float(ci95), len(hands) - len(won))


def play_slumbot(
    agent: Agent,
    name: str,
    hands: int,
    log: str | Path,
    *,
    base: str = "https://slumbot.com/api/",  # also in use: https://slumbot.com/slumbot/api/
    seed: int = 0,
    seconds: float = 120,
    pause: float = 0.5,
) -> LogResult:
    """Play until the log has `hands` hands that were played to the end; nothing is sent if it has
    them.

    The same call continues a log. name: of the agent, since a log is for one; seconds: limit of
    a hand, pauses included; pause: seconds before each request. Raises ValueError for hands and
    seconds out of range and if the log is of another agent, seed or server, SlumbotError if a hand
    takes longer and for answers against the protocol or the rules.
    """
    _check("hands", isinstance(hands, int | np.integer) and hands > 0, "1, 2, ..", hands)
    _check(
        "pause, seconds",
        0 <= pause < seconds <= 86_400,
        "0 <= pause < seconds <= 86400",
        (pause, seconds),
    )
    path, run = Path(log), {"agent": name, "seed": seed, "base": base}
    dealt, progress = _read_log(path, run), Progress("slumbot", hands)
    path.parent.mkdir(parents=True, exist_ok=True)
    # the pool's thread waits for answers: a hand ends in time though a server drips byte by byte
    with multiprocessing.pool.ThreadPool(1) as pool, path.open("a") as file:
        server = _Server(base.rstrip("/"), pause, pool)
        while (result := _log_result(dealt)).hands < hands:
            number = len(dealt) + 1
            server.end = time.monotonic() + seconds
            try:
                for hand in _play_hand(agent, server, seed, number):
                    dealt[number] = hand
                    print(
                        json.dumps({"run": run, "number": number, "hand": hand._asdict()}),
                        file=file,
                        flush=True,
                    )
            except (
                ValueError,
                requests.RequestException,
                HTTPError,
                multiprocessing.TimeoutError,  # without a text
            ) as error:
                found = str(error)[:300] or f"expected its end within {seconds} s"
                raise SlumbotError(f"{path.name}, hand {number}, {base}: {found}") from error
            progress(result.hands)
    return result


def _play_hand(agent: Agent, server: "_Server", seed: int, number: int) -> Iterator[Hand]:
    """Play one hand: its states as the server's answers show them, the last with its winnings."""
    hand = _read(server.post("new_hand"))
    _check(
        "action",
        all(move.player == hand.client_pos for move in read_line(hand.action).moves),
        "a new hand, without our moves",
        hand.action,
    )
    yield hand
    while hand.winnings is None:
        incr, before = _choose(agent, hand, seed, number), hand
        hand = _read(server.post("act", incr=incr), before)
        known, tokens = read_line(before.action).tokens, read_line(hand.action).tokens
        continues = (
            before[:2] == hand[:2]
            and hand.board.startswith(before.board)
            and tokens[: len(known) + 1] == (*known, incr)
        )
        _check("hand", continues, f"{before[1:4]} and then {incr}", hand[1:4])
        yield hand


def _choose(agent: Agent, hand: Hand, seed: int, number: int) -> str:
    """Our action, drawn by a stream of its own for each seed, hand and decision."""
    private, board = parse_hand(hand.hole, hand.board)
    p = agent.probabilities(np.array([hole_index(*private)]), board, hand.action)[0]
    generator = rng(seed, f"matches/Slumbot hand {number}", len(read_line(hand.action).moves))
    label = list(agent.legal(hand.action))[generator.choice(len(p), p=p / p.sum())]
    return token(state_after(hand.action), *legal_action(label, state_after(hand.action)))


def _read(answer: dict, before: Hand | None = None) -> Hand:
    """The hand in an answer; before: the same hand in the previous answer.

    Raises ValueError naming a field unless cards, betting and winnings keep the rules.
    """
    # some servers send the seat with new_hand alone
    seat: Any = answer.get("client_pos", before.client_pos if before else None)
    _check("client_pos", seat in (0, 1), "0 or 1", seat)
    betting, winnings = answer.get("action", ""), answer.get("winnings")
    line = read_line(betting)
    last, over = line.state or line.moves[-1].before, line.state is None
    _check("action", over or last.actor == 1 - seat, "our turn", betting)
    hole = _cards(answer, "hole_cards", 2)
    bot_hole = _cards(answer, "bot_hole_cards", 2 * over)
    board = _cards(answer, "board", 5 if line.kind == SHOWDOWN else BOARD_CARDS[last.street])
    parse_cards(hole + bot_hole + board)  # no card twice
    by_seat = [parse_cards(cards) for cards in ((hole, bot_hole) if seat else (bot_hole, hole))]
    paid = settle(line, by_seat, parse_cards(board))[1 - seat] if over else None
    _check("winnings", winnings == paid, f"{paid} by the rules", winnings)
    return Hand(seat, hole, board, betting, bot_hole, winnings)


def _cards(answer: dict, name: str, n: int) -> str:
    found = answer.get(name) or []
    good = isinstance(found, list) and all(isinstance(card, str) for card in found)
    _check(name, good and len(parse_cards("".join(found))) == n, f"{n} cards such as 'Ac'", found)
    return "".join(found)


def _check(name: str, good: bool, expected: str, found: object) -> None:
    if not good:
        raise ValueError(f"{name}: expected {expected}, found {short_repr(found)}")


class _Server:
    """A session with the server, which its token names. A hand is to end before `end` on the
    monotonic clock.
    """

    def __init__(self, base: str, pause: float, pool: multiprocessing.pool.ThreadPool):
        self.base, self.pause, self.pool, self.token, self.end = base, pause, pool, "", 0.0

    def post(self, request: str, **body: str) -> dict:
        """The JSON object that answers a request. Raises ValueError for any other answer,
        multiprocessing.TimeoutError at the end of the hand's time, RequestException or HTTPError if
        the connection fails.
        """
        status, content = self.pool.apply_async(self._fetch, (request, body)).get(
            self.end - time.monotonic()
        )
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = content.decode(errors="replace")
        _check(
            "answer",
            status == 200 and isinstance(answer, dict) and len(content) <= LARGEST,
            f"status 200, a JSON object of at most {LARGEST} bytes",
            (status, answer),
        )
        _check("error_msg", not answer.get("error_msg"), "none", answer.get("error_msg"))
        self.token = answer.get("token", self.token)
        return answer

    def _fetch(self, request: str, body: dict) -> tuple[int, bytes]:
        """Status and content of the answer, at most a byte more than LARGEST and not decompressed;
        a busy server is queried again while there is time.
        """
        status, content, wait = 0, b"no time left", self.pause
        # 429 and 503: the server did not act; after another error it may have taken an action
        while time.monotonic() + wait < self.end and (
            status in (0, 429, 503) or (status >= 500 and request == "new_hand")
        ):
            time.sleep(wait)
            with requests.post(
                f"{self.base}/{request}",
                json=body | ({"token": self.token} if self.token else {}),
                headers={"Accept-Encoding": "identity"},
                timeout=self.end - time.monotonic(),
                allow_redirects=False,  # to follow one would be to act twice
                stream=True,
            ) as response:
                content = response.raw.read(LARGEST + 1, decode_content=False)
            status, wait = response.status_code, 2 * wait + 1
        return status, content
