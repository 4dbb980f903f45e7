"""The log of hands against Slumbot: JSON lines, each written before anything else happens, and the ledger that they add up to.

The ledger is a function of the log alone: a session that was killed at any moment is taken up again by reading its log, and
totals are recomputed the same way. Events:

    session   base, player        a new session on the server, whose totals start at 0
    token     token               to be sent from now on
    deal                          `new_hand` is about to be sent
    turn      hand, player, hole, board, betting      it is our turn
    act       incr                an action is about to be sent, once
    unsent                        it was not: no connection was made
    lost      why                 the request may have been acted on, its answer is lost
    refused   why                 the server said error_msg to `new_hand`: nothing was dealt
    hand      hand, player, hole, board, betting, bot_hole, winnings, expected, baseline_winnings, session_num_hands,
              session_total, session_baseline_total   a hand is over

The server's own totals are the truth. What they hold beyond the hands that we saw end is booked to the hands whose answers
were lost, as soon as the next hand's `session_num_hands` and `session_total` tell; what the server never counts is never booked.
"""

import fcntl
import json
import math
import os
from pathlib import Path
from typing import NamedTuple

from faceup.holdem.play.slumbot_api import OpenHand
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
    lost: int  # hands lost to us that the server has not counted, nor may ever
    disputed: int  # hands whose winnings differ from what the rules give
    unexplained: int  # times that the server's totals moved by more than our lost hands allow


class _Mean:
    """Running mean and spread."""

    def __init__(self) -> None:
        self.n, self.total, self.squares = 0, 0.0, 0.0

    def add(self, total: float, n: int = 1) -> None:
        """n hands that won `total` together: their spread is not known, so they count as equal."""
        if n:
            self.squares += total * total / n
        self.n, self.total = self.n + n, self.total + total

    def mbb(self) -> tuple[float, float]:
        """Mean and half-width of the 95 % interval."""
        if self.n < 2:
            return MBB_PER_DOLLAR * self.total / max(self.n, 1), math.inf
        variance = max(self.squares - self.total**2 / self.n, 0) / (self.n - 1)
        return MBB_PER_DOLLAR * self.total / self.n, MBB_PER_DOLLAR * student_95(self.n) * math.sqrt(variance / self.n)


class Ledger:
    """What the events of a log add up to."""

    def __init__(self) -> None:
        self.session: dict = {}
        self.token: str | None = None
        self.waiting: str | None = None  # "deal" or "act": sent, or about to be, and no answer in the log
        self.hand: OpenHand | None = None  # where it is our turn
        self.interrupted: OpenHand | None = None  # the last hand that was lost in the middle
        self.dealt = self.counted = self.winnings = 0
        self._lost_before = 0  # hands that were lost when the interrupted one was not yet
        self.lost = self.given_up = self.reconciled = self.disputed = self.unexplained = 0
        self.server_hands = self.server_total = 0
        self.server_baseline: int | None = 0
        self._mean, self._baseline = _Mean(), _Mean()

    def apply(self, event: dict) -> None:
        """Take an event in. Raises ValueError on one that is not known, KeyError on one that lacks a field."""
        kind = event["event"]
        if kind not in ("session", "token", "deal", "turn", "act", "unsent", "lost", "refused", "hand"):
            raise ValueError(f"event {kind!r} is not known")
        getattr(self, f"_{kind}")(event)

    def _session(self, event: dict) -> None:
        self.session = event
        self.token = self.waiting = self.hand = self.interrupted = None
        self.given_up, self.lost = self.given_up + self.lost, 0
        self.server_hands = self.server_total = self.server_baseline = 0

    def _token(self, event: dict) -> None:
        self.token = event["token"]

    def _deal(self, event: dict) -> None:
        self.waiting, self.hand = "deal", None

    def _turn(self, event: dict) -> None:
        self._seen(event["hand"])
        self.hand = OpenHand(event["hand"], event["player"], event["hole"], event["board"], event["betting"])

    def _act(self, event: dict) -> None:
        self.waiting = "act"

    def _unsent(self, event: dict) -> None:
        self.waiting = None

    def _refused(self, event: dict) -> None:
        self.waiting = None

    def _lost(self, event: dict) -> None:
        if self.hand:
            self.interrupted, self._lost_before = self.hand, self.lost
        self.waiting = self.hand = None
        self.lost += 1

    def _seen(self, number: int) -> None:
        """An answer about a hand has come: nothing is waited for, and a lost hand may have been given back."""
        if self.waiting == "deal" and self.interrupted and self.interrupted.number == number:
            self.lost = self._lost_before  # what seemed to be further hands was this one
        self.waiting = self.interrupted = None
        self.dealt = max(self.dealt, number)

    def _hand(self, event: dict) -> None:
        self._seen(event["hand"])
        self.hand = None
        self._reconcile(event)
        self.counted, self.winnings = self.counted + 1, self.winnings + event["winnings"]
        self._mean.add(event["winnings"])
        if event["baseline_winnings"] is not None:
            self._baseline.add(event["baseline_winnings"])
        self.disputed += event["expected"] is not None and event["expected"] != event["winnings"]

    def _reconcile(self, event: dict) -> None:
        """Book what the server's totals hold beyond this hand and those already counted."""
        n, total = event["session_num_hands"], event["session_total"]
        if n is None or total is None:  # a server that does not tell: nothing to compare with
            n, total = self.server_hands + 1, self.server_total + event["winnings"]
        missing, extra = n - self.server_hands - 1, total - self.server_total - event["winnings"]
        baseline = self._baseline_extra(event)
        carried = self.server_hands == 0 and missing > self.lost  # the account's earlier hands: not this log's
        self.server_hands, self.server_total = n, total
        if missing < 0 or carried or (missing == 0 and extra == 0):
            self.unexplained += missing < 0
            return
        self.unexplained += missing > self.lost or missing == 0
        self.lost = max(self.lost - missing, 0)
        self.reconciled, self.counted, self.winnings = self.reconciled + missing, self.counted + missing, self.winnings + extra
        self._mean.add(extra, missing)
        if baseline is not None:
            self._baseline.add(baseline, missing)

    def _baseline_extra(self, event: dict) -> int | None:
        before, self.server_baseline = self.server_baseline, event["session_baseline_total"]
        own, now = event["baseline_winnings"], self.server_baseline
        return None if before is None or own is None or now is None else now - before - own

    def summary(self) -> Summary:
        """Totals so far."""
        return Summary(
            self.counted,
            self.winnings,
            *self._mean.mbb(),
            *self._baseline.mbb(),
            self.reconciled,
            self.lost + self.given_up,
            self.disputed,
            self.unexplained,
        )


def read_events(path: Path) -> tuple[Ledger, int]:
    """The ledger of a log and the bytes of its complete lines; a last line cut short by a kill is no event.

    Raises ValueError naming the line that is not an event.
    """
    text = path.read_bytes()
    end = text.rfind(b"\n") + 1
    ledger = Ledger()
    for i, line in enumerate(text[:end].splitlines(), start=1):
        try:
            ledger.apply(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path.name}, line {i}: {line[:80]!r}: expected an event of a log ({error})") from error
    return ledger, end


def summary(path: str | os.PathLike) -> Summary:
    """What a log adds up to; nothing is asked of any server. All zero where there is no log."""
    return read_events(Path(path))[0].summary() if Path(path).is_file() else Ledger().summary()


class Log:
    """A log open for one writer; what is noted is in the file, and in the ledger, when `note` returns."""

    def __init__(self, path: str | os.PathLike):
        """Raises ValueError where another process writes it, or it is not a log."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)  # it holds a session's token
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.ledger, end = read_events(path)
        except BlockingIOError:
            os.close(self._file)
            raise ValueError(f"{path.name}: another process plays into it, expected one at a time") from None
        except ValueError:
            os.close(self._file)
            raise
        os.ftruncate(self._file, end)

    def note(self, event: str, **fields: object) -> None:
        """Write an event, then take it in."""
        content = {"event": event, **fields}
        os.write(self._file, json.dumps(content).encode() + b"\n")
        self.ledger.apply(content)

    def close(self) -> None:
        """Let others write."""
        os.close(self._file)

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
