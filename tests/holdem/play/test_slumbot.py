"""The client against a misbehaving server: totals are the server's, nothing is acted twice, nothing is sent unasked."""

import errno
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import urllib.error
from pathlib import Path

import numpy as np
import pytest
from slumbot_server import FAULTS, SPOILT, UNDONE, RandomPlayer, SlumbotServer

from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.play import agents, slumbot
from faceup.holdem.play.players import TablePlayer
from faceup.holdem.play.slumbot import Client, SlumbotError, play_slumbot
from faceup.holdem.play.slumbot_api import Api, Lost, NotSent, OpenHand, read_answer
from faceup.holdem.play.slumbot_log import Log, Summary, summary
from faceup.holdem.solve.policy import FixedPolicy
from faceup.notebook.intervals import student_95

HANDS = int(os.environ.get("FACEUP_SLUMBOT_HANDS", 60))  # in each of the four ways to treat an abandoned hand
HERE = Path(__file__).parent
WAYS = ("forfeit", "later", "never", "give_back")
TIMEOUT = 0.2  # seconds


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


class Killed(BaseException):
    """Stands for the end of the process: nothing in the client may catch it."""


class MortalApi(Api):
    """Dies between request and answer when the server says so."""

    def __init__(self, server):
        super().__init__(server.base, timeout=TIMEOUT, pause=0)
        server.on_kill = lambda: setattr(self, "dying", True)
        self.dying = False

    def post(self, name, body):
        try:
            return super().post(name, body)
        except Lost:
            if self.dying:
                raise Killed from None
            raise


def play(server, path, hands):
    """Play as a process that is started again whenever it is killed; returns the summary and how often it was."""
    kills = 0
    while True:
        try:
            with Log(path) as log:
                if not log.ledger.session:
                    log.note("session", base=server.base, player="random")
                return Client(MortalApi(server), log, RandomPlayer(), first_wait=0.001).play(hands), kills
        except Killed:
            kills += 1


def events_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def intended(events):
    """(hole, betting, incr) of every action that the client set out to send."""
    acts, turn = [], None
    for event in events:
        if event["event"] == "turn":
            turn = event
        elif event["event"] == "act":
            acts.append((turn["hole"], tokens(turn["betting"]), event["incr"]))
    return acts


def check(server, path, so_far):
    """All that a session has to fulfil against the server's own books."""
    events = events_of(path)
    session = server.sessions[-1]
    assert not server.errors
    assert server.refusals == []  # never out of turn, never an illegal bet
    assert (so_far.hands, so_far.winnings) == (session.hands, session.total)
    assert so_far == summary(path)  # recomputed from the file
    sent = iter(intended(events))
    for hole, line, incr in session.applied:  # each done action is one intended in just that place, in order, and no other
        assert ("".join(hole), tokens(line), incr) in sent
    assert server.requests["act"] <= len(intended(events))
    finished = [event for event in events if event["event"] == "hand"]
    assert len(finished) + so_far.reconciled == session.hands
    for event in finished:
        assert event["winnings"] == event["expected"]  # our rules and pokerkit's chips
        hole, line, winnings = session.results[event["session_num_hands"]]
        assert (hole, tokens(line), winnings) == (event["hole"], tokens(event["betting"]), event["winnings"])
    assert so_far.disputed == so_far.unexplained == 0


def tokens(line):
    return line.replace("/", "")


def test_a_server_without_faults(tmp_path):
    with SlumbotServer(1) as server:
        so_far, _ = play(server, tmp_path / "log.jsonl", 60)
    check(server, tmp_path / "log.jsonl", so_far)
    assert (so_far.hands, so_far.reconciled, so_far.lost) == (60, 0, 0)
    won = np.array([e["winnings"] for e in events_of(tmp_path / "log.jsonl") if e["event"] == "hand"])
    assert so_far.mbb == pytest.approx(10 * won.mean())
    assert so_far.ci95 == pytest.approx(10 * student_95(60) * won.std(ddof=1) / np.sqrt(60))
    baseline = [e["baseline_winnings"] for e in events_of(tmp_path / "log.jsonl") if e["event"] == "hand"]
    assert so_far.baseline_mbb == pytest.approx(10 * np.mean(baseline))


@pytest.mark.parametrize("way", WAYS)
def test_all_faults_at_once(tmp_path, way):
    rates = {fault: 0.012 for fault in FAULTS} | {"kill": 0.02}
    with SlumbotServer(11, rates, way) as server:
        so_far, kills = play(server, tmp_path / "log.jsonl", HANDS)
    check(server, tmp_path / "log.jsonl", so_far)
    print(f"{way}: {so_far}, {kills} kills, {sum(server.done_faults.values())} faults: {dict(server.done_faults)}")
    assert kills and so_far.hands >= HANDS
    assert so_far.reconciled or way in ("never", "give_back")
    assert len(server.done_faults) >= len(FAULTS) - 7


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_at_each_request(tmp_path, fault):
    """Three hands, the fault at the first, second, .. eighth request."""
    for k in range(8):
        path = tmp_path / f"{k}.jsonl"
        with SlumbotServer(k, abandoned=WAYS[k % 4], faults=[""] * k + [fault]) as server:
            so_far, _ = play(server, path, 3)
        check(server, path, so_far)


def test_killed_processes_go_on(tmp_path):
    """SIGKILL between request and answer, by the server itself."""
    path = tmp_path / "log.jsonl"
    with SlumbotServer(3, faults=["", "", "", "kill"]) as server:
        codes = []
        while len(codes) < 2:
            process = subprocess.Popen([sys.executable, "-c", SEAT, server.base, str(path)], cwd=HERE)
            server.on_kill = process.kill
            codes.append(process.wait())
    assert codes == [-signal.SIGKILL, 0]
    check(server, path, summary(path))


SEAT = """
import sys
sys.path[:0] = [".", "../game"]
from slumbot_server import RandomPlayer
from faceup.holdem.play.slumbot import play_slumbot
play_slumbot(RandomPlayer(), "random", 6, sys.argv[2], base=sys.argv[1], pause=0)
"""


def test_a_log_cut_anywhere_is_taken_up_again(tmp_path):
    """The file as a kill may leave it, whole lines or not; the server goes on as if the client had vanished there."""
    with SlumbotServer(4) as server:
        play(server, tmp_path / "whole.jsonl", 4)
        whole = (tmp_path / "whole.jsonl").read_bytes()
        start = whole.index(b'"turn"')
        for cut in range(start, len(whole), 97):
            path = tmp_path / f"{cut}.jsonl"
            path.write_bytes(whole[:cut])
            with Log(path) as log:
                ledger = log.ledger
                assert path.read_bytes() == whole[: whole[:cut].rfind(b"\n") + 1]  # half a line is no event
                assert ledger.counted == whole[: len(path.read_bytes())].count(b'"event": "hand"')


def test_a_hand_goes_on_where_the_log_ends(tmp_path):
    """Stopped in the middle of a hand with nothing on the way: the same hand is played on, none is lost."""
    path = tmp_path / "log.jsonl"
    with SlumbotServer(5) as server:
        api = Api(server.base, pause=0)
        with Log(path) as log:
            log.note("session", base=server.base, player="random")
            Client(api, log, RandomPlayer())._deal()
            assert log.ledger.hand is not None
        so_far = play_slumbot(RandomPlayer(), "random", 5, path, base=server.base, pause=0)
    check(server, path, so_far)
    assert (so_far.hands, so_far.reconciled, so_far.lost, server.sessions[0].dealt) == (5, 0, 0, 5)


def test_an_old_answer_delivered_again_is_not_acted_upon(tmp_path):
    """The action was done and its answer lost; the answer to `new_hand` is the state before it, an old one."""
    path = tmp_path / "log.jsonl"
    for seed in range(8):
        path = tmp_path / f"{seed}.jsonl"
        with SlumbotServer(seed, abandoned="give_back", faults=["", "reset", "replayed"]) as server:
            so_far, _ = play(server, path, 3)
        check(server, path, so_far)


def test_old_answers_at_any_place(tmp_path):
    """Among them those of hands that ended before we could act, which look like new ones."""
    for seed in range(3):
        path = tmp_path / f"{seed}.jsonl"
        with SlumbotServer(seed, {"replayed": 0.4}) as server:
            so_far, _ = play(server, path, 40)
        check(server, path, so_far)


def test_a_new_token_is_used_from_then_on(tmp_path):
    with SlumbotServer(2, faults=["", "new_token", "", "new_token"]) as server:
        play(server, tmp_path / "log.jsonl", 4)
    used, (first, second, third) = server.sessions[0].used, server.sessions[0].tokens
    assert used[:4] == [first, second, second, third] and set(used[4:]) == {third}


def test_a_server_that_takes_no_action_costs_ten_hands_at_most(tmp_path):
    path = tmp_path / "log.jsonl"
    with SlumbotServer(12, faults=["", "error_msg"] * 40) as server, Log(path) as log:
        with pytest.raises(SlumbotError, match="10 hands in a row were lost, the last: act: Internal error"):
            Client(Api(server.base, pause=0), log, RandomPlayer(), first_wait=0).play(30)
        assert server.requests["act"] == 10


def test_a_token_no_longer_taken_is_said(tmp_path):
    path = tmp_path / "log.jsonl"
    with SlumbotServer(6) as server:
        play(server, path, 2)
        server.sessions[0].tokens[:] = ["another"]
        with Log(path) as log, pytest.raises(SlumbotError, match="Invalid token"):
            Client(Api(server.base, pause=0), log, RandomPlayer(), first_wait=0).play(4)
        assert summary(path).hands == 2
        so_far = play_slumbot(RandomPlayer(), "random", 5, path, base=server.base, pause=0, new_session=True)
    assert so_far.hands == 5 and so_far.winnings == sum(session.total for session in server.sessions)


def test_login_takes_a_token_and_the_password_stays_out_of_the_log(tmp_path):
    path = tmp_path / "log.jsonl"
    with SlumbotServer(7) as server:
        play_slumbot(RandomPlayer(), "random", 2, path, base=server.base, login=("me", "secret"), pause=0)
        assert server.requests["login"] == 1
        play_slumbot(RandomPlayer(), "random", 4, path, base=server.base, login=("me", "secret"), pause=0)
        assert server.requests["login"] == 1 and len(server.sessions) == 1  # the token in the log is used
    assert "secret" not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_a_server_that_is_not_there_is_said(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{free.getsockname()[1]}/"
    api = Api(base, pause=0)
    with pytest.raises(NotSent):
        api.post("new_hand", {})
    with Log(tmp_path / "log.jsonl") as log, pytest.raises(SlumbotError, match="no hand after 10 attempts.*refused"):
        Client(api, log, RandomPlayer(), first_wait=0).play(1)
    assert summary(tmp_path / "log.jsonl").lost == 0


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), NotSent),
        (socket.gaierror(-2, "no such name"), NotSent),
        (OSError(errno.EHOSTUNREACH, "no route"), NotSent),
        (ssl.SSLCertVerificationError("not trusted"), NotSent),
        (TimeoutError("while sending or connecting"), Lost),
        (ConnectionResetError(errno.ECONNRESET, "while sending"), Lost),
        (BrokenPipeError(errno.EPIPE, "while sending"), Lost),
    ],
)
def test_only_what_was_never_connected_may_be_sent_again(monkeypatch, reason, kind):
    def fails(*_, **__):
        raise urllib.error.URLError(reason)

    api = Api("http://127.0.0.1:9/", pause=0)
    monkeypatch.setattr(api._opener, "open", fails)
    with pytest.raises((NotSent, Lost)) as error:
        api.post("act", {})
    assert type(error.value) is kind


def test_redirects_are_not_followed(tmp_path):
    """A redirected action would be sent twice."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answer = b"HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

        def once():
            connection = listener.accept()[0]
            connection.recv(65536)
            connection.sendall(answer)
            connection.close()

        threading.Thread(target=once, daemon=True).start()
        with pytest.raises(Lost, match="status 307"):
            Api(f"http://127.0.0.1:{listener.getsockname()[1]}/", timeout=2, pause=0).post("act", {})


HAND = OpenHand(1, 1, "AcKd", "2h3h4s", "b300c/")
GOOD = {"action": "b300c/kb600", "client_pos": 0, "hole_cards": ["Ac", "Kd"], "board": ["2h", "3h", "4s"], "winnings": None}


def test_a_good_answer_is_read():
    answer = read_answer(GOOD, HAND, "k")
    assert answer.line.state.actor == 1 and answer.expected is None
    over = GOOD | {"action": "b300c/kb600f", "winnings": -300}
    assert read_answer(over, OpenHand(1, 1, "AcKd", "2h3h4s", "b300c/kb600"), "f").expected == -300


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"action": "b300c/"}, "and what follows"),
        ({"action": "b300c/k"}, "not our turn"),
        ({"action": "b300c/kb600c/", "board": ["2h", "3h", "4s"]}, "and what follows|expected 4 cards"),
        ({"action": "b300ckb600"}, "for the street is over"),
        ({"action": "b300c/kb150000"}, "expected from 100"),
        ({"action": None}, "expected a betting line"),
        ({"action": "b300c/kf"}, "nothing to call"),
        ({"winnings": 300}, "expected winnings when a hand is over"),
        ({"winnings": "300"}, "whole dollars"),
        ({"client_pos": 1}, "seat 0"),
        ({"client_pos": 2}, "expected 0"),
        ({"hole_cards": ["Ac", "Ks"]}, "hole AcKs"),
        ({"hole_cards": ["Ac"]}, "expected 2"),
        ({"hole_cards": [1, 2]}, "sequence item"),
        ({"board": ["2h", "3h", "5s"]}, "begins with"),
        ({"board": ["2h", "3h", "Ac"]}, "appears twice"),
        ({"board": ["2h", "3h", "4s", "5s"]}, "expected 3 cards"),
        ({"board": []}, "begins with"),
    ],
)
def test_answers_that_make_no_sense_are_lost(change, said):
    with pytest.raises(Lost, match=said):
        read_answer(GOOD | change, HAND, "k")


def test_nothing_is_sent_unless_hands_are_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("a connection was opened"))
    assert play_slumbot(RandomPlayer(), "random", 0, tmp_path / "log.jsonl").hands == 0
    assert slumbot.main(["--log", str(tmp_path / "log.jsonl")]) == 0
    assert "0 hands" in capsys.readouterr().out
    assert not (tmp_path / "log.jsonl").exists()


class Caller:
    """Calls, or raises by the pot, whatever it holds."""

    def action_probabilities(self, hole, board="", betting=""):
        return {"call": 0.6, "raise_1": 0.4}


def test_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(agents, "load_agent", lambda path: Caller())
    (tmp_path / "caller.json").write_text("{}")
    with SlumbotServer(8) as server:
        arguments = ["--hands", "4", "--log", str(tmp_path / "log.jsonl"), "--base", server.base, "--pause", "0"]
        arguments += ["--agent", str(tmp_path / "caller.json")]
        assert slumbot.main(arguments) == 0
        assert slumbot.main([*arguments, "--seed", "5"]) == 2  # another player's log
    said = capsys.readouterr()
    check(server, tmp_path / "log.jsonl", summary(tmp_path / "log.jsonl"))
    assert "4 of 4 hands" in said.err and "mbb/g (95 %)" in said.out and "holds hands of" in said.err


def test_a_table_plays_with_its_own_sizes(tmp_path):
    """Its tree knows one size: the bot's are translated, and none of its own is refused."""
    path, tree = tmp_path / "log.jsonl", build_tree(menu_from([[1], []], [[1], []], [[1], []], [[1], []]))
    with SlumbotServer(10) as server:
        table = TablePlayer(tree, FixedPolicy(tree, None), seed=1)
        so_far = play_slumbot(table, "table", 25, path, base=server.base, pause=0)
    check(server, path, so_far)


@pytest.mark.slow
def test_the_trees_of_the_report_play(tmp_path):
    """The committed agent, as the command line loads it, through faults."""
    path = tmp_path / "log.jsonl"
    with SlumbotServer(9, {"reset": 0.05, "new_token": 0.05}) as server:
        arguments = ["--hands", "40", "--log", str(path), "--base", server.base, "--pause", "0"]
        assert slumbot.main(arguments) == 0
    check(server, path, summary(path))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"base": "ftp://x/"}, "expected an address"),
        ({"base": "https://slumbot.com/api/", "pause": 0}, "at least 0.2 seconds"),
        ({"timeout": 0}, "above 0"),
        ({"hands": -1}, "0 or more"),
    ],
)
def test_bad_input_is_refused_before_anything_is_sent(tmp_path, arguments, said):
    asked = {"hands": 3, "base": "http://127.0.0.1:9/", "pause": 0} | arguments
    with pytest.raises(ValueError, match=said):
        play_slumbot(RandomPlayer(), "random", asked.pop("hands"), tmp_path / "log.jsonl", **asked)


def test_a_log_has_one_writer_and_only_events(tmp_path):
    with Log(tmp_path / "log.jsonl"), pytest.raises(ValueError, match="another process"):
        Log(tmp_path / "log.jsonl")
    for line in ('{"event": "nothing"}', "[]", "{}", "x", '{"event": "hand"}', '{"event": "summary"}'):
        (tmp_path / "bad.jsonl").write_text(line + "\n")
        with pytest.raises(ValueError, match="bad.jsonl, line 1"):
            summary(tmp_path / "bad.jsonl")


def booked(*hands, lost=0):
    """The summary of finished hands told as (winnings, session_num_hands, session_total), `lost` hands before the last."""
    from faceup.holdem.play.slumbot_log import Ledger

    ledger = Ledger()
    ledger.apply({"event": "session", "base": "b", "player": "p"})
    for i, (winnings, n, total) in enumerate(hands, start=1):
        for _ in range(lost if i == len(hands) else 0):
            ledger.apply({"event": "deal"})
            ledger.apply({"event": "lost", "why": ""})
        fields = {"winnings": winnings, "expected": winnings, "baseline_winnings": None, "session_baseline_total": None}
        ledger.apply({"event": "hand", "hand": i, "session_num_hands": n, "session_total": total} | fields)
    return ledger.summary()


def test_totals_are_reconciled():
    known: Summary = booked((100, 1, 100), (-50, 3, 350), lost=1)
    assert (known.hands, known.winnings, known.reconciled, known.lost, known.unexplained) == (3, 350, 1, 0, 0)
    assert known.ci95 == pytest.approx(10 * student_95(3) * np.std([100, 300, -50], ddof=1) / np.sqrt(3))
    two = booked((100, 1, 100), (-50, 4, 350), lost=2)  # 300 in two hands: 150 each
    assert two.ci95 == pytest.approx(10 * student_95(4) * np.std([100, 150, 150, -50], ddof=1) / 2, rel=0.2)
    assert booked((100, 41, 5100)).hands == 1  # an account's earlier hands are not ours
    assert booked((100, 1, 100), (-50, 2, 50), lost=1).lost == 1  # never counted by the server
    assert booked((100, 1, 100), (-50, 3, 350)).unexplained == 1
    assert booked((100, None, None), (-50, None, None))[:2] == (2, 50)


def test_every_fault_is_of_one_kind():
    assert len(set(FAULTS)) == len(FAULTS) and {*UNDONE, *SPOILT} < {*FAULTS}
