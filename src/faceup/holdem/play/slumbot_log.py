"""The log of hands against Slumbot: JSON lines, each written before anything else happens.

A line holds what has changed. All lines laid over each other are the session's state, so that a session killed at any moment goes
on from its log. The server's own totals are the truth: what they hold beyond the hands that we saw end is booked to hands whose
answers were lost, as soon as the next hand's end tells the totals. What the server never counts is never booked.
"""

import fcntl
import json
import math
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

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


@dataclass(frozen=True)
class State:
    """A log's state."""

    base: str = ""  # the server's address, and our player's name
    player: str = ""
    token: str | None = None  # to be sent
    asked: str = ""  # a request, sent or about to be, that has no answer in the log: "new_hand", or "act" with `incr`
    incr: str = ""
    why: str = ""  # the last request failed
    hand: int = 0  # number of the hand that was answered last
    seen: Answer | None = None  # the session's last answer
    our_turn: bool = False  # whether the hand can go on from there
    server: tuple = (0, 0, 0)  # hands, dollars and baseline that the server has counted in the session
    won: tuple = (0, 0, 0.0)  # hands, dollars, and squares of dollars, in all sessions
    baseline: tuple = (0, 0, 0.0)
    lost: int = 0  # as in Summary; of them in sessions that were left
    lost_earlier: int = 0
    reconciled: int = 0
    odd: int = 0

    def summary(self) -> Summary:
        """Totals so far."""
        results = (*_mbb(*self.won), *_mbb(*self.baseline))
        return Summary(self.won[0], self.won[1], *results, self.reconciled, self.lost, self.odd)


def _mbb(n: int, dollars: int, squares: float) -> tuple[float, float]:
    """Mean and half-width of the 95 % interval."""
    if n < 2:
        return MBB_PER_DOLLAR * dollars / max(n, 1), math.inf
    variance = max(squares - dollars**2 / n, 0) / (n - 1)
    return MBB_PER_DOLLAR * dollars / n, MBB_PER_DOLLAR * student_95(n) * math.sqrt(variance / n)


def _add(tally: tuple, dollars: int, n: int = 1) -> tuple:
    """n hands that won `dollars` together: their spread is not known, so they count as equal."""
    return tally[0] + n, tally[1] + dollars, tally[2] + (dollars * dollars / n if n else 0)


def fresh(state: State, base: str, player: str) -> dict:
    """What a new session on the server changes."""
    left = {"token": None, "asked": "", "seen": None, "our_turn": False, "server": (0, 0, 0), "lost_earlier": state.lost}
    return {"base": base, "player": player} | left


def booked(state: State, end: Answer) -> dict:
    """What the end of a hand changes: it is counted, and so are the lost hands that the server's totals hold beyond it."""
    own = (1, end.winnings or 0, end.baseline or 0)
    server = [s + d if told is None else told for s, d, told in zip(state.server, own, end[-3:], strict=True)]
    missing, rest, baseline_rest = (now - s - d for now, s, d in zip(server, state.server, own, strict=True))
    lost = state.lost - state.lost_earlier
    earlier = not state.server[0] and missing > lost  # the account's hands of old, which are not this log's
    explained = earlier or 0 < missing <= lost or missing == rest == 0
    odd = state.odd + (not explained) + (end.expected not in (None, end.winnings))
    won, baseline = _add(state.won, own[1]), _add(state.baseline, own[2], int(end.baseline is not None))
    ours = 0 if earlier or missing < 0 else missing
    if not earlier and missing >= 0:
        won, baseline = _add(won, rest, ours), _add(baseline, baseline_rest, ours if end.baseline_total is not None else 0)
    return {"won": won, "baseline": baseline, "server": server, "reconciled": state.reconciled + ours, "odd": odd}


def read_log(path: Path) -> tuple[State, int]:
    """The state of a log and the bytes of its complete lines; a last line cut short by a kill does not count.

    Raises ValueError naming the line that is not a log's.
    """
    text, state = path.read_bytes(), State()
    end = text.rfind(b"\n") + 1
    for i, line in enumerate(text[:end].splitlines(), start=1):
        try:
            changes = json.loads(line)
            if changes.get("seen"):
                changes["seen"] = Answer(**changes["seen"])
            state = replace(state, **changes)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{path.name}, line {i}: {line[:80]!r}: expected a line of a log ({error})") from error
    return state, end


def summary(path: str | os.PathLike) -> Summary:
    """What a log adds up to; nothing is asked of any server. All zero where there is no log."""
    return read_log(Path(path))[0].summary() if Path(path).is_file() else State().summary()


class Log(AbstractContextManager):
    """A log open for one writer; what is noted is in the file, and in `state`, when `note` returns."""

    def __init__(self, path: str | os.PathLike):
        """Raises ValueError where another process writes it, or it is not a log."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        private = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)  # it holds a session's token
        self._file = os.fdopen(private, "r+b", buffering=0)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.state, end = read_log(path)
        except BlockingIOError:
            raise ValueError(f"{path.name}: another process plays into it, expected one at a time") from None
        self._file.truncate(end)

    def note(self, **changes: Any) -> None:
        """Write changes of the state, then take them in."""
        line = {name: new._asdict() if isinstance(new, Answer) else new for name, new in changes.items()}
        self._file.write(json.dumps(line).encode() + b"\n")
        self.state = replace(self.state, **changes)

    def __exit__(self, *_: object) -> None:
        self._file.close()
