"""The log of hands against Slumbot: JSON lines, each written before anything else happens, and the ledger that they add up to.

The ledger is a function of the log alone, so that a session killed at any moment goes on from its log. Events are the methods of
`Ledger`. The server's own totals are the truth: what they hold beyond the hands that we saw end is booked to hands whose answers
were lost, as soon as the next hand's end tells the totals. What the server never counts is never booked.
"""

import fcntl
import json
import math
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from faceup.holdem.play.slumbot_api import Answer
from faceup.notebook.intervals import student_95

MBB_PER_DOLLAR = 10


class Summary(NamedTuple):
    """What a log adds up to; mbb/g with half-widths of 95 % intervals, infinite below two hands."""

    hands: int  # that the server has counted
    winnings: int  # dollars, equal to the server's totals
    mbb: float
    ci95: float
    baseline_mbb: float  # our result less Slumbot's own on the same cards in our seat
    baseline_ci95: float
    reconciled: int  # hands counted by the server whose end we did not see
    lost: int  # answers lost: at most so many hands were cut short, or never counted
    odd: int  # hands paid against the rules, and moves of the server's totals that lost answers do not explain


class _Tally:
    """Results of hands in dollars, and the server's own sum of them."""

    def __init__(self) -> None:
        self.n = self.total = self.server = 0
        self._squares = 0.0

    def book(self, dollars: int, server: int | None, missing: int | None) -> int:
        """Add a hand; what the server's sum holds beyond it goes to `missing` hands (None: to nobody). Returns this rest."""
        self._add(dollars, 1)
        if server is None:  # not told
            self.server += dollars
            return 0
        rest, self.server = server - self.server - dollars, server
        if missing is not None:
            self._add(rest, missing)
        return rest

    def _add(self, dollars: int, n: int) -> None:
        """n hands that won `dollars` together: their spread is not known, so they count as equal."""
        if n:
            self._squares += dollars * dollars / n
        self.n, self.total = self.n + n, self.total + dollars

    def mbb(self) -> tuple[float, float]:
        """Mean and half-width of the 95 % interval."""
        if self.n < 2:
            return MBB_PER_DOLLAR * self.total / max(self.n, 1), math.inf
        variance = max(self._squares - self.total**2 / self.n, 0) / (self.n - 1)
        return MBB_PER_DOLLAR * self.total / self.n, MBB_PER_DOLLAR * student_95(self.n) * math.sqrt(variance / self.n)


class Ledger:
    """What the events of a log add up to."""

    def __init__(self) -> None:
        self.base = self.player = ""  # of the session
        self.token: str | None = None
        self.asked = ""  # the request that was sent, or is about to be, and has no answer in the log
        self.hand = 0  # number of the hand that was answered last
        self.seen: Answer | None = None  # the session's last answer
        self.our_turn = False  # whether the hand can go on from there
        self.server_hands = self.reconciled = self.lost = self.odd = 0
        self._lost_earlier = 0  # in sessions that were left
        self.won, self.baseline = _Tally(), _Tally()

    def apply(self, event: str, **fields: object) -> None:
        """Take an event in. Raises ValueError on one that is not known, TypeError where its fields are not as they should be."""
        if event not in ("session", "token", "ask", "undone", "lost", "answer"):
            raise ValueError(f"event {event!r} is not known")
        getattr(self, f"_{event}")(**fields)

    def _session(self, base: str, player: str) -> None:
        """A new session on the server, whose totals start at 0."""
        self.base, self.player, self.token, self.asked = base, player, None, ""
        self.seen, self.our_turn, self._lost_earlier = None, False, self.lost
        self.server_hands = self.won.server = self.baseline.server = 0

    def _token(self, token: str) -> None:
        """To be sent from now on."""
        self.token = token

    def _ask(self, name: str, incr: str = "") -> None:
        """A request is about to be sent: `new_hand`, or `act` with our action."""
        self.asked = name

    def _undone(self, why: str) -> None:
        """The server has not acted on it."""
        self.asked = ""

    def _lost(self, why: str) -> None:
        """The server may have acted on it, its answer is lost."""
        self.asked, self.our_turn, self.lost = "", False, self.lost + 1

    def _answer(self, hand: int, **fields: object) -> None:
        """It is our turn in this hand, or the hand is over; fields: of an Answer."""
        answer = Answer(**fields)  # type: ignore[arg-type]
        self.asked, self.hand, self.seen, self.our_turn = "", hand, answer, answer.winnings is None
        if answer.winnings is not None:
            self._book(answer, answer.winnings)

    def _book(self, answer: Answer, winnings: int) -> None:
        """Count a hand that is over, and the lost hands that the server's totals hold beyond it."""
        hands = self.server_hands + 1 if answer.hands is None else answer.hands
        missing, lost = hands - self.server_hands - 1, self.lost - self._lost_earlier
        earlier = not self.server_hands and missing > lost  # the account's hands of old, which are not this log's
        ours = None if missing < 0 or earlier else missing
        rest = self.won.book(winnings, answer.total, ours)
        if answer.baseline is not None:
            self.baseline.book(answer.baseline, answer.baseline_total, ours)
        explained = earlier or 0 < missing <= lost or missing == rest == 0
        self.odd += (not explained) + (answer.expected not in (None, winnings))
        self.reconciled, self.server_hands = self.reconciled + (ours or 0), hands

    def summary(self) -> Summary:
        """Totals so far."""
        return Summary(self.won.n, self.won.total, *self.won.mbb(), *self.baseline.mbb(), self.reconciled, self.lost, self.odd)


def read_events(path: Path) -> tuple[Ledger, int]:
    """The ledger of a log and the bytes of its complete lines; a last line cut short by a kill is no event.

    Raises ValueError naming the line that is not an event.
    """
    text = path.read_bytes()
    end = text.rfind(b"\n") + 1
    ledger = Ledger()
    for i, line in enumerate(text[:end].splitlines(), start=1):
        try:
            ledger.apply(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path.name}, line {i}: {line[:80]!r}: expected an event of a log ({error})") from error
    return ledger, end


def summary(path: str | os.PathLike) -> Summary:
    """What a log adds up to; nothing is asked of any server. All zero where there is no log."""
    return read_events(Path(path))[0].summary() if Path(path).is_file() else Ledger().summary()


class Log(AbstractContextManager):
    """A log open for one writer; what is noted is in the file, and in the ledger, when `note` returns."""

    def __init__(self, path: str | os.PathLike):
        """Raises ValueError where another process writes it, or it is not a log."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        private = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)  # it holds a session's token
        self._file = os.fdopen(private, "r+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.ledger, end = read_events(path)
        except BlockingIOError:
            raise ValueError(f"{path.name}: another process plays into it, expected one at a time") from None
        self._file.truncate(end)

    def note(self, event: str, **fields: object) -> None:
        """Write an event, then take it in."""
        self._file.write(json.dumps({"event": event, **fields}).encode() + b"\n")
        self.ledger.apply(event, **fields)

    def __exit__(self, *_: object) -> None:
        self._file.close()
