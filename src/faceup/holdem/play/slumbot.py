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
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from faceup.holdem.betting.notation import read_line, state_after, token
from faceup.holdem.play.players import DollarPlayer, Player
from faceup.holdem.play.slumbot_api import BASE, POLITE, Answer, Api, Lost, NotSent, Refused, read_answer
from faceup.holdem.play.slumbot_log import Log, Summary, summary
from faceup.notebook.paths import AGENTS, DATA

PASSWORD = "FACEUP_SLUMBOT_PASSWORD"  # the environment variable that may hold it
ATTEMPTS = 10  # requests, or hands lost, one after the other before the client gives up: some four minutes
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0  # seconds between attempts, doubled each time

Report = Callable[[Summary], None]


class SlumbotError(Exception):
    """The server cannot be played with; says why. The log is in order, and the same command goes on from it."""


class Client:
    """A player's seat at Slumbot's table."""

    def __init__(self, api: Api, log: Log, player: Player, first_wait: float = _FIRST_WAIT):
        """first_wait: seconds before a request is first repeated; each further wait is twice as long, a minute at most."""
        self.api, self.log, self.player, self.first_wait = api, log, player, first_wait
        self.ledger = log.ledger
        self._unconfirmed: Answer | None = None
        self._why = ""  # the last fault

    def login(self, username: str, password: str) -> None:
        """Take a token for an account. Raises SlumbotError where the server gives none."""
        try:
            content = self._ask("login", {"username": username, "password": password})
        except (NotSent, Lost) as error:
            raise SlumbotError(str(error)) from error
        if not content.get("token"):
            raise SlumbotError("login: the answer has no token")

    def play(self, hands: int, report: Report = lambda so_far: None) -> Summary:
        """Play until the server has counted `hands` hands in the log. Raises SlumbotError where it cannot go on."""
        if self.ledger.waiting:
            self.log.note("lost", why="stopped between a request and its answer")
        lost = 0
        while self.ledger.counted < hands:
            if self.ledger.hand is None:
                self._deal()
            elif self._act():
                lost = 0
            else:
                lost += 1
                if lost >= ATTEMPTS:
                    raise SlumbotError(f"{lost} hands in a row were lost, the last: {self._why}")
                self._wait(lost)
            report(self.ledger.summary())
        return self.ledger.summary()

    def _deal(self) -> None:
        """Take the next hand, or the interrupted one again."""
        for attempt in range(1, ATTEMPTS + 1):
            self.log.note("deal")
            try:
                answer, content = self._new_hand()
            except NotSent as error:
                self.log.note("unsent")
                self._why = str(error)
            except Refused as error:
                self._why = str(error)
                self.log.note("refused", why=self._why)
            except Lost as error:
                self._why = str(error)
                self.log.note("lost", why=self._why)
            else:
                hand = self.ledger.interrupted
                return self._take(hand.number if hand and self._gives_back(answer) else self.ledger.dealt + 1, answer, content)
            self._wait(attempt)
        raise SlumbotError(f"no hand after {ATTEMPTS} attempts, the last: {self._why}")

    def _new_hand(self) -> tuple[Answer, dict]:
        content = self._ask("new_hand", {"token": self.ledger.token} if self.ledger.token else {})
        answer = read_answer(content)
        if answer.winnings is not None and content.get("session_num_hands") == self.ledger.server_hands:
            raise Lost(f"answer: hand {self.ledger.server_hands} of the session is over, as it was before")
        if answer.has_own_action() and not self._gives_back(answer):
            raise Lost(f"answer: a new hand with betting {answer.betting!r}, in which we have acted")
        self._confirm(answer)
        return answer, content

    def _gives_back(self, answer: Answer) -> bool:
        """Whether the answer is the interrupted hand, with or without the action whose answer was lost."""
        if self.ledger.interrupted is None:
            return False
        try:
            answer.check_continues(self.ledger.interrupted)
        except Lost:
            return False
        return True

    def _confirm(self, answer: Answer) -> None:
        """Raises Lost where the interrupted hand comes back without our last action, unless it has come so twice running.

        An old answer delivered again looks the same; to act upon it would be to act twice.
        """
        before, self._unconfirmed = self._unconfirmed, None
        hand = self.ledger.interrupted
        if hand and self._gives_back(answer) and answer.line.tokens == read_line(hand.betting).tokens and before != answer:
            self._unconfirmed = answer
            raise Lost(f"answer: betting {answer.betting!r} without our action, to be confirmed")

    def _act(self) -> bool:
        """Send our action, once; False where the hand is lost."""
        hand = self.ledger.hand
        assert hand is not None
        state = state_after(hand.betting)
        incr = token(state, *self.player.decide(hand.number, hand.hole, hand.board, hand.betting))
        self.log.note("act", incr=incr)
        try:
            content = self._ask_sent("act", {"token": self.ledger.token, "incr": incr})
            answer = read_answer(content, hand, incr)
        except Lost as error:
            self._why = str(error)
            self.log.note("lost", why=self._why)
            return False
        self._take(hand.number, answer, content)
        return True

    def _ask_sent(self, name: str, body: dict) -> dict:
        """Ask again as long as the server cannot have seen the request."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._ask(name, body)
            except NotSent as error:
                self._why = str(error)
            self._wait(attempt)
        self.log.note("unsent")
        raise SlumbotError(f"no connection after {ATTEMPTS} attempts, the last: {self._why}")

    def _ask(self, name: str, body: dict) -> dict:
        content = self.api.post(name, body)
        new = content.get("token")
        if isinstance(new, str) and new != self.ledger.token:
            self.log.note("token", token=new)
        if content.get("error_msg"):
            raise Refused(f"{name}: {content['error_msg']}")
        return content

    def _take(self, number: int, answer: Answer, content: dict) -> None:
        """Put a checked answer into the log."""
        seen = {"hand": number, "player": answer.player, "hole": answer.hole, "board": answer.board, "betting": answer.betting}
        if answer.winnings is None:
            return self.log.note("turn", **seen)
        names = ("baseline_winnings", "session_num_hands", "session_total", "session_baseline_total")
        told = {name: content.get(name) if type(content.get(name)) is int else None for name in names}
        cards = {"bot_hole": answer.bot_hole, "winnings": answer.winnings, "expected": answer.expected}
        self.log.note("hand", **seen, **cards, **told)

    def _wait(self, attempt: int) -> None:
        if attempt < ATTEMPTS:
            time.sleep(min(self.first_wait * 2 ** (attempt - 1), _LONGEST_WAIT))


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
    report: Report = lambda so_far: None,
) -> Summary:
    """Play until the log holds `hands` hands, and say what it adds up to. With hands = 0 nothing is sent anywhere.

    name: tells players apart, for a log holds the hands of one; base: the API's address; login: (username, password), sent once a
    session; pause: seconds between requests; timeout: seconds to wait for an answer; new_session: leave the server's session, if
    its token is no longer taken; report: called after every answer. Raises ValueError where the log is another player's or
    another server's, SlumbotError where the server cannot be played with.
    """
    if hands < 0:
        raise ValueError(f"hands is {hands}, expected 0 or more")
    if hands == 0:
        return summary(log)
    api = Api(base, timeout, pause)
    with Log(log) as opened:
        client = Client(api, opened, player)
        before = opened.ledger.session
        if before and (before["base"], before["player"]) != (api.base, name):
            found = f"{before['player']!r} at {before['base']!r}"
            raise ValueError(f"{Path(log).name}: holds hands of {found}, expected {name!r} at {api.base!r}")
        if not before or new_session:
            opened.note("session", base=api.base, player=name)
        if login and not opened.ledger.token:
            client.login(*login)
        return client.play(hands, report)


def _line(so_far: Summary, hands: int) -> str:
    lost = f", {so_far.lost} lost" if so_far.lost else ""
    return f"slumbot: {so_far.hands:,} of {hands:,} hands, {so_far.mbb:+,.0f} ± {so_far.ci95:,.0f} mbb/g (95 %){lost}"


def _words(so_far: Summary) -> str:
    lines = [
        f"{so_far.hands:,} hands, ${so_far.winnings:+,}: {so_far.mbb:+,.1f} ± {so_far.ci95:,.1f} mbb/g (95 %)",
        f"less Slumbot's own result on the same cards: {so_far.baseline_mbb:+,.1f} ± {so_far.baseline_ci95:,.1f} mbb/g",
    ]
    if so_far.reconciled or so_far.lost:
        lines.append(f"{so_far.reconciled} hands read off the server's totals, {so_far.lost} lost that it has not counted")
    if so_far.disputed or so_far.unexplained:
        lines.append(f"{so_far.disputed} hands paid against the rules, {so_far.unexplained} unexplained changes of the totals")
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
    login = None
    if asked.username:
        login = (asked.username, os.environ.get(PASSWORD) or getpass.getpass("Slumbot password: "))
    wire = {"base": asked.base, "pause": asked.pause, "timeout": asked.timeout}

    def report(so_far: Summary) -> None:
        """Show the line of progress."""
        print(f"\r{_line(so_far, asked.hands)}", end="", file=sys.stderr, flush=True)

    return play_slumbot(player, name, asked.hands, asked.log, login=login, new_session=asked.new_session, report=report, **wire)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 1 where the server cannot be played with, 2 on bad input."""
    asked = _parser().parse_args(arguments)
    try:
        so_far = _run(asked)
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    except (SlumbotError, KeyboardInterrupt) as error:
        print(f"\n{error or 'stopped'}; the same command goes on from the log", file=sys.stderr)
        return 1
    if asked.hands:
        print(file=sys.stderr)  # ends the progress line
    print(_words(so_far))
    return 0


if __name__ == "__main__":
    sys.exit(main())
