"""A client for Slumbot, the paper's benchmark (paper 000, Section 3): plays hands over its web API and keeps every one in a log.

    python -m faceup.holdem.play.slumbot --hands 1000 --log data/slumbot/cart.jsonl

Nothing is sent anywhere unless a number of hands is asked for. Killed or stopped, the same command goes on where the log ends.
An action is sent once: where no answer that makes sense comes back, the client takes the next hand. If the server gives the
interrupted hand back, play goes on from what it shows; else the next hand's end tells the server's totals, and what they hold
beyond the hands that we saw end is booked to the hands whose answers were lost. The log is JSON lines, each written before
anything else happens: what has changed of the session's state.
"""

import argparse
import fcntl
import getpass
import hashlib
import json
import math
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from faceup.holdem.betting.betting_tree import MBB_PER_DOLLAR
from faceup.holdem.betting.notation import read_line, state_after, token
from faceup.holdem.play.agents import load_agent
from faceup.holdem.play.players import DollarPlayer, Player
from faceup.holdem.play.slumbot_api import BASE, POLITE, Answer, Api, Lost, NotDone, SlumbotError, read_answer
from faceup.notebook.intervals import student_95
from faceup.notebook.paths import AGENTS, DATA
from faceup.notebook.progress import Progress

PASSWORD = "FACEUP_SLUMBOT_PASSWORD"  # the environment variable that may hold it
ATTEMPTS = 10  # that fail in a row before the client gives up: some four minutes
_LONGEST_WAIT = 60  # seconds between attempts: first 1, then twice as long each time


class Tally(NamedTuple):
    """Hands and what they have won."""

    hands: int = 0
    dollars: int = 0
    squares: float = 0.0  # of each hand's dollars, added up

    def plus(self, dollars: int, n: int = 1) -> "Tally":
        """With n more hands that won `dollars` together: their spread is not known, so they count as equal."""
        return Tally(self.hands + n, self.dollars + dollars, self.squares + (dollars * dollars / n if n else 0))

    def mbb(self) -> tuple[float, float]:
        """mbb/g and the half-width of its 95 % interval, infinite below two hands."""
        n, dollars, squares = self
        if n < 2:
            return MBB_PER_DOLLAR * dollars / max(n, 1), math.inf
        variance = max(squares - dollars**2 / n, 0) / (n - 1)
        return MBB_PER_DOLLAR * dollars / n, MBB_PER_DOLLAR * student_95(n) * math.sqrt(variance / n)


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
    won: Tally = Tally()  # hands that the server has counted in all sessions; dollars equal to the server's totals
    baseline: Tally = Tally()  # our result less Slumbot's own on the same cards in our seat
    reconciled: int = 0  # hands counted by the server whose end we did not see
    lost: int = 0  # answers lost: at most so many hands were cut short, or never counted
    lost_earlier: int = 0  # of them in sessions that were left
    odd: int = 0  # hands paid against the rules, and moves of the server's totals that lost answers do not explain


def booked(state: State, end: Answer) -> dict:
    """What the end of a hand changes: it is counted, and so are the lost hands that the server's totals hold beyond it."""
    own = (1, end.winnings or 0, end.baseline or 0)
    server = [s + d if told is None else told for s, d, told in zip(state.server, own, end[-3:], strict=True)]
    missing, rest, baseline_rest = (now - s - d for now, s, d in zip(server, state.server, own, strict=True))
    lost = state.lost - state.lost_earlier
    earlier = not state.server[0] and missing > lost  # the account's hands of old, which are not this log's
    explained = earlier or 0 < missing <= lost or missing == rest == 0
    odd = state.odd + (not explained) + (end.expected not in (None, end.winnings))
    won, baseline = state.won.plus(own[1]), state.baseline.plus(own[2], int(end.baseline is not None))
    ours = 0 if earlier or missing < 0 else missing
    if not earlier and missing >= 0:
        won, baseline = won.plus(rest, ours), baseline.plus(baseline_rest, ours if end.baseline_total is not None else 0)
    return {"won": won, "baseline": baseline, "server": tuple(server), "reconciled": state.reconciled + ours, "odd": odd}


_FROM_JSON: dict[str, Callable] = {
    "won": Tally._make, "baseline": Tally._make, "server": tuple, "seen": lambda seen: seen and Answer(**seen)
}  # fmt: skip


def read_log(path: Path) -> tuple[State, int]:
    """The state of a log and the bytes of its complete lines; a last line cut short by a kill does not count.

    Raises ValueError naming the line that is not a log's.
    """
    text, state = path.read_bytes(), State()
    end = text.rfind(b"\n") + 1
    for i, line in enumerate(text[:end].splitlines(), start=1):
        try:
            changes = json.loads(line)
            made = {name: make(changes[name]) for name, make in _FROM_JSON.items() if name in changes}
            state = replace(state, **changes | made)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"{path.name}, line {i}: {line[:80]!r}: expected a line of a log ({error})") from error
    return state, end


def summary(path: str | os.PathLike) -> State:
    """What a log adds up to; nothing is asked of any server. All zero where there is no log."""
    return read_log(Path(path))[0] if Path(path).is_file() else State()


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


class Client:
    """A player's seat at Slumbot's table."""

    def __init__(self, api: Api, log: Log, player: Player):
        self.api, self.log, self.player = api, log, player
        self._doubted: Answer | None = None

    def play(self, hands: int) -> State:
        """Play until the server has counted `hands` hands in the log; progress and failed attempts go to stderr.

        Raises SlumbotError after ten failures in a row. A hand that was dealt and cannot be played is no success.
        """
        progress = Progress("slumbot", hands)
        if self.log.state.asked:
            self._note_failure(Lost("stopped between a request and its answer"))
        failed = 0
        while self.log.state.won.hands < hands:
            try:
                acts = self.log.state.our_turn
                hand, answer = self._act() if acts else self._deal()
                over = answer.winnings is not None
                changes = booked(self.log.state, answer) if over else {}
                self.log.note(asked="", hand=hand, seen=answer, our_turn=not over, **changes)
                failed = 0 if acts else failed
            except (NotDone, Lost) as error:
                failed += 1
                self._note_failure(error)
                wait = min(2 ** (failed - 1), _LONGEST_WAIT)
                then = f"next in {wait:g} s" if failed < ATTEMPTS else "giving up"
                print(f"\rslumbot: attempt {failed} of {ATTEMPTS} failed: {error}; {then}", file=sys.stderr, flush=True)
                if failed == ATTEMPTS:
                    raise SlumbotError(f"{ATTEMPTS} attempts in a row failed, the last: {error}") from error
                time.sleep(wait)
            progress(self.log.state.won.hands)
        return self.log.state

    def _note_failure(self, error: SlumbotError) -> None:
        changes = {"our_turn": False, "lost": self.log.state.lost + 1} if isinstance(error, Lost) else {}
        self.log.note(asked="", why=str(error), **changes)

    def _act(self) -> tuple[int, Answer]:
        """Send our action, once; the hand's number, and what is answered."""
        state = self.log.state
        assert state.seen is not None
        choice = self.player.decide(state.hand, state.seen.hole, state.seen.board, state.seen.betting)
        incr = token(state_after(state.seen.betting), *choice)
        self.log.note(asked="act", incr=incr)
        return state.hand, read_answer(self.post("act", {"token": state.token, "incr": incr}), state.seen, incr)

    def _deal(self) -> tuple[int, Answer]:
        """Take the next hand, or the interrupted one again; its number, and what is answered.

        Raises Lost on what may be an old answer, delivered again: to act on it would be to act twice. An interrupted hand that is
        given back without our last action in it is believed when it comes again.
        """
        self.log.note(asked="new_hand")
        state = self.log.state
        answer = read_answer(self.post("new_hand", {"token": state.token} if state.token else {}))
        back = state.seen if state.seen and state.seen.winnings is None and not answer.unlike(state.seen) else None
        doubted, self._doubted = self._doubted, None
        line = read_line(answer.betting)
        if answer.winnings is not None and answer.hands == state.server[0]:
            raise Lost(f"answer: hand {answer.hands} of the session is over, as it was before")
        if not back and any(move.player == answer.player for move in line.moves):
            raise Lost(f"answer: a new hand with betting {answer.betting!r}, in which we have acted")
        if back and line.tokens == read_line(back.betting).tokens and answer != doubted:
            self._doubted = answer
            raise Lost(f"answer: betting {answer.betting!r} without our action, to be confirmed")
        return (state.hand if back else state.hand + 1), answer

    def post(self, name: str, body: dict) -> dict:
        """What the server answers, its new token noted. Raises NotDone or Lost, on an error that it tells as well."""
        content = self.api.post(name, body)
        if isinstance(new := content.get("token"), str) and new != self.log.state.token:
            self.log.note(token=new)
        if content.get("error_msg"):
            raise (Lost if name == "act" else NotDone)(f"{name}: {content['error_msg']}")
        return content


def tree_player(path: str | os.PathLike, seed: int = 0, argmax: bool = False) -> tuple[Player, str]:
    """A tree agent's player, and the name that tells its hands from others'. Raises ValueError as `load_agent`."""
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]
    name = f"{Path(path).name} {digest} {'argmax' if argmax else 'drawn'} seed {seed}"
    return DollarPlayer(load_agent(path), seed, argmax), name


def play_slumbot(
    player: Player,
    name: str,
    hands: int,
    log: str | os.PathLike,
    api: Api | None = None,
    login: tuple[str, str] | None = None,
    new_session: bool = False,
) -> State:
    """Play until the log holds `hands` hands, and say what it adds up to. With hands = 0 nothing is sent anywhere.

    name: tells players apart, for a log holds the hands of one; api: of another address or pace than Slumbot's; login: (username,
    password), sent once a session; new_session: leave the server's session, if its token is no longer taken. Raises ValueError
    where the log is another player's or another server's, SlumbotError where the server cannot be played with.
    """
    if hands < 0:
        raise ValueError(f"hands is {hands}, expected 0 or more")
    if hands == 0:
        return summary(log)
    api = api or Api()
    with Log(log) as opened:
        state = opened.state
        if state.base and (state.base, state.player) != (api.base, name):
            found = f"{state.player!r} at {state.base!r}"
            raise ValueError(f"{Path(log).name}: holds hands of {found}, expected {name!r} at {api.base!r}")
        if not state.base or new_session:
            left = {"token": None, "asked": "", "seen": None, "our_turn": False, "server": (0, 0, 0)}
            opened.note(base=api.base, player=name, **left, lost_earlier=state.lost)
        client = Client(api, opened, player)
        if login and not opened.state.token:
            client.post("login", dict(zip(("username", "password"), login, strict=True)))
            if not opened.state.token:
                raise SlumbotError("login: the answer has no token")
        return client.play(hands)


def words(so_far: State) -> str:
    """A summary for people: no figure without hands, no interval below two."""
    hands, dollars, _ = so_far.won
    if not hands:
        return "no hands yet"
    (mbb, ci95), (baseline, baseline_ci95) = so_far.won.mbb(), so_far.baseline.mbb()
    lines = [f"{hands:,} hands, ${dollars:+,}: {mbb:+,.1f}" + (f" ± {ci95:,.1f} mbb/g (95 %)" if hands > 1 else " mbb/g")]
    if math.isfinite(baseline_ci95):
        lines.append(f"less Slumbot's own result on the same cards: {baseline:+,.1f} ± {baseline_ci95:,.1f} mbb/g")
    if so_far.lost or so_far.odd:
        lines.append(f"{so_far.lost} answers lost, {so_far.reconciled} hands read off the server's totals, {so_far.odd} oddities")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 1 where the server cannot be played with, 2 on bad input."""
    parser = argparse.ArgumentParser(prog="python -m faceup.holdem.play.slumbot", description=(__doc__ or "").split("\n")[0])
    add = parser.add_argument
    add("--hands", type=int, default=0, help="hands that the log shall hold; 0, the default, sends nothing and sums the log up")
    add("--log", type=Path, default=DATA / "slumbot" / "cart.jsonl", help="JSON lines, one log a player (default: %(default)s)")
    add("--agent", type=Path, default=AGENTS / "cart.json", help="a tree agent (default: %(default)s)")
    add("--argmax", action="store_true", help="always the likeliest action; else actions are drawn")
    add("--seed", type=int, default=0, help="of the draws (default: %(default)s)")
    add("--base", default=BASE, help="the API's address (default: %(default)s)")
    add("--username", help=f"of an account; the password is read from ${PASSWORD} or asked for")
    add("--pause", type=float, default=0.5, help=f"seconds between requests, at least {POLITE} (default: %(default)s)")
    add("--timeout", type=float, default=30, help="seconds to wait for an answer (default: %(default)s)")
    add("--new-session", action="store_true", help="leave the log's session on the server, if its token is no longer taken")
    asked = parser.parse_args(arguments)
    try:
        if asked.hands:
            player, name = tree_player(asked.agent, asked.seed, asked.argmax)
            api = Api(asked.base, asked.timeout, asked.pause)
            secret = (os.environ.get(PASSWORD) or getpass.getpass("Slumbot password: ")) if asked.username else ""
            login = (asked.username, secret) if asked.username else None
            play_slumbot(player, name, asked.hands, asked.log, api, login, asked.new_session)
        print(words(summary(asked.log)))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except (SlumbotError, KeyboardInterrupt) as error:
        print(f"\n{error or 'stopped'}; the same command goes on from the log", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
