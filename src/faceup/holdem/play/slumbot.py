"""A client for Slumbot, the paper's benchmark (paper 000, Section 3): plays hands over its web API and keeps every one in a log.

    python -m faceup.holdem.play.slumbot --hands 1000 --log data/slumbot/cart.jsonl

Nothing is sent anywhere unless a number of hands is asked for. Killed or stopped, the same command goes on where the log ends.
An action is sent once: where no answer that makes sense comes back, the client does not ask again but takes the next hand. If
the server gives the interrupted hand back, play goes on from what it shows; else the hand's result is read off the server's
totals at the end of the next one.
"""

import argparse
import getpass
import hashlib
import math
import os
import sys
import time
from pathlib import Path

from faceup.holdem.betting.notation import read_line, state_after, token
from faceup.holdem.play.players import DollarPlayer, Player
from faceup.holdem.play.slumbot_api import BASE, POLITE, Answer, Api, Lost, NotDone, SlumbotError, read_answer
from faceup.holdem.play.slumbot_log import Log, Summary, booked, fresh, summary
from faceup.notebook.paths import AGENTS, DATA
from faceup.notebook.progress import Progress

PASSWORD = "FACEUP_SLUMBOT_PASSWORD"  # the environment variable that may hold it
ATTEMPTS = 10  # that fail in a row before the client gives up: some four minutes
_LONGEST_WAIT = 60.0  # seconds between attempts


class Client:
    """A player's seat at Slumbot's table."""

    def __init__(self, api: Api, log: Log, player: Player, first_wait: float = 1.0):
        """first_wait: seconds after a first failed attempt; each further wait is twice as long, a minute at most."""
        self.api, self.log, self.player, self.first_wait = api, log, player, first_wait
        self._doubted: Answer | None = None

    def login(self, username: str, password: str) -> None:
        """Take a token for an account, in one attempt. Raises SlumbotError where the server gives none."""
        self._post("login", {"username": username, "password": password})
        if not self.log.state.token:
            raise SlumbotError("login: the answer has no token")

    def play(self, hands: int) -> Summary:
        """Play until the server has counted `hands` hands in the log; progress and failed attempts go to stderr.

        Raises SlumbotError after ten failures in a row. A hand that was dealt and cannot be played is no success.
        """
        progress = Progress("slumbot", hands)
        if self.log.state.asked:
            self._note_failure(Lost("stopped between a request and its answer"))
        failed = 0
        while self.log.state.won[0] < hands:
            try:
                if self.log.state.our_turn:
                    self._act()
                    failed = 0
                else:
                    self._deal()
            except (NotDone, Lost) as error:
                failed += 1
                self._take_failure(error, failed)
            progress(self.log.state.won[0])
        return self.log.state.summary()

    def _take_failure(self, error: SlumbotError, attempt: int) -> None:
        self._note_failure(error)
        wait = min(self.first_wait * 2 ** (attempt - 1), _LONGEST_WAIT)
        then = f"next in {wait:g} s" if attempt < ATTEMPTS else "giving up"
        print(f"\rslumbot: attempt {attempt} of {ATTEMPTS} failed: {error}; {then}", file=sys.stderr, flush=True)
        if attempt == ATTEMPTS:
            raise SlumbotError(f"{ATTEMPTS} attempts in a row failed, the last: {error}") from error
        time.sleep(wait)

    def _note_failure(self, error: SlumbotError) -> None:
        changes = {"our_turn": False, "lost": self.log.state.lost + 1} if isinstance(error, Lost) else {}
        self.log.note(asked="", why=str(error), **changes)

    def _act(self) -> None:
        """Send our action, once."""
        state = self.log.state
        assert state.seen is not None
        choice = self.player.decide(state.hand, state.seen.hole, state.seen.board, state.seen.betting)
        incr = token(state_after(state.seen.betting), *choice)
        self.log.note(asked="act", incr=incr)
        self._take(state.hand, read_answer(self._post("act", {"token": state.token, "incr": incr}), state.seen, incr))

    def _deal(self) -> None:
        """Take the next hand, or the interrupted one again."""
        self.log.note(asked="new_hand")
        state = self.log.state
        answer = read_answer(self._post("new_hand", {"token": state.token} if state.token else {}))
        interrupted = state.seen if state.seen and state.seen.winnings is None else None
        back = interrupted if interrupted and not answer.unlike(interrupted) else None
        self._check_fresh(answer, back)
        self._take(state.hand if back else state.hand + 1, answer)

    def _take(self, hand: int, answer: Answer) -> None:
        over = answer.winnings is not None
        self.log.note(asked="", hand=hand, seen=answer, our_turn=not over, **booked(self.log.state, answer) if over else {})

    def _check_fresh(self, answer: Answer, back: Answer | None) -> None:
        """Raises Lost on what may be an old answer, delivered again: to act on it would be to act twice.

        back: the interrupted hand, where it is given back. Without our last action in it, it is believed when it comes again.
        """
        doubted, self._doubted = self._doubted, None
        line = read_line(answer.betting)
        if answer.winnings is not None and answer.hands == self.log.state.server[0]:
            raise Lost(f"answer: hand {answer.hands} of the session is over, as it was before")
        if not back and any(move.player == answer.player for move in line.moves):
            raise Lost(f"answer: a new hand with betting {answer.betting!r}, in which we have acted")
        if back and line.tokens == read_line(back.betting).tokens and answer != doubted:
            self._doubted = answer
            raise Lost(f"answer: betting {answer.betting!r} without our action, to be confirmed")

    def _post(self, name: str, body: dict) -> dict:
        content = self.api.post(name, body)
        new = content.get("token")
        if isinstance(new, str) and new != self.log.state.token:
            self.log.note(token=new)
        if content.get("error_msg"):
            raise (Lost if name == "act" else NotDone)(f"{name}: {content['error_msg']}")
        return content


def tree_player(path: str | os.PathLike, seed: int = 0, argmax: bool = False) -> tuple[Player, str]:
    """A tree agent's player, and the name that tells its hands from others'. Raises ValueError as `load_agent`."""
    from faceup.holdem.play.agents import load_agent  # brings every library of learning: not for --help and sums

    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]
    name = f"{Path(path).name} {digest} {'argmax' if argmax else 'drawn'} seed {seed}"
    return DollarPlayer(load_agent(path), seed, argmax), name


def play_slumbot(
    player: Player,
    name: str,
    hands: int,
    log: str | os.PathLike,
    base: str = BASE,
    login: tuple[str, str] | None = None,
    pause: float = 0.5,
    timeout: float = 30,
    new_session: bool = False,
) -> Summary:
    """Play until the log holds `hands` hands, and say what it adds up to. With hands = 0 nothing is sent anywhere.

    name: tells players apart, for a log holds the hands of one; base: the API's address; login: (username, password), sent once a
    session; pause: seconds between requests; timeout: seconds to wait for an answer; new_session: leave the server's session, if
    its token is no longer taken. Raises ValueError where the log is another player's or another server's, SlumbotError where the
    server cannot be played with.
    """
    if hands < 0:
        raise ValueError(f"hands is {hands}, expected 0 or more")
    if hands == 0:
        return summary(log)
    api = Api(base, timeout, pause)
    with Log(log) as opened:
        state = opened.state
        if state.base and (state.base, state.player) != (api.base, name):
            found = f"{state.player!r} at {state.base!r}"
            raise ValueError(f"{Path(log).name}: holds hands of {found}, expected {name!r} at {api.base!r}")
        if not state.base or new_session:
            opened.note(**fresh(state, api.base, name))
        client = Client(api, opened, player)
        if login and not opened.state.token:
            client.login(*login)
        return client.play(hands)


def words(so_far: Summary) -> str:
    """A summary for people: no figure without hands, no interval below two."""
    if not so_far.hands:
        return "no hands yet"
    interval = f" ± {so_far.ci95:,.1f} mbb/g (95 %)" if so_far.hands > 1 else " mbb/g"
    lines = [f"{so_far.hands:,} hands, ${so_far.winnings:+,}: {so_far.mbb:+,.1f}{interval}"]
    if math.isfinite(so_far.baseline_ci95):
        theirs = f"{so_far.baseline_mbb:+,.1f} ± {so_far.baseline_ci95:,.1f} mbb/g"
        lines.append(f"less Slumbot's own result on the same cards: {theirs}")
    if so_far.lost or so_far.odd:
        lines.append(f"{so_far.lost} answers lost, {so_far.reconciled} hands read off the server's totals, {so_far.odd} oddities")
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
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
    return parser


def _run(asked: argparse.Namespace) -> Summary:
    if asked.hands == 0:
        return summary(asked.log)
    player, name = tree_player(asked.agent, asked.seed, asked.argmax)
    login = (asked.username, os.environ.get(PASSWORD) or getpass.getpass("Slumbot password: ")) if asked.username else None
    wire = (asked.base, login, asked.pause, asked.timeout, asked.new_session)
    return play_slumbot(player, name, asked.hands, asked.log, *wire)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 1 where the server cannot be played with, 2 on bad input."""
    asked = _parser().parse_args(arguments)
    try:
        print(words(_run(asked)))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except (SlumbotError, KeyboardInterrupt) as error:
        print(f"\n{error or 'stopped'}; the same command goes on from the log", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
