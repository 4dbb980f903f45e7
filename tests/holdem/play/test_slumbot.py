"""The client against a misbehaving server: totals are the server's, nothing is acted twice, nothing is sent unasked."""

import errno
import json
import os
import socket
import ssl
import urllib.error
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from slumbot_server import FAULTS, WAYS, Killed, RandomPlayer, SlumbotServer, Wire, served

from faceup.holdem.play import slumbot
from faceup.holdem.play.slumbot import Log, SlumbotError, State, booked, play_slumbot, summary, words
from faceup.holdem.play.slumbot_api import Answer, Api, Lost, NotDone, read_answer
from faceup.notebook.intervals import student_95

HANDS = int(os.environ.get("FACEUP_SLUMBOT_HANDS", 100))  # in each of the four ways to treat an abandoned hand


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(slumbot.time, "sleep", lambda seconds: None)


def play(wire, path, hands):
    """Play as a process that is started again whenever it is killed, each time in the middle of writing a line."""
    while True:
        try:
            return play_slumbot(RandomPlayer(mortal=True), "random", hands, path, wire)
        except Killed:
            with path.open("a") as file:
                file.write('{"asked": "", "ha')


def check(server, path, so_far):
    """All that a log has to fulfil against the server's own books."""
    assert so_far == summary(path)  # recomputed from the file
    assert (*so_far.won[:2], so_far.odd) == (server.hands, server.total, 0)
    answers, intended = [], []
    for line in map(json.loads, path.read_text().splitlines()):
        if line.get("seen"):
            answers.append(line["seen"])
        elif line.get("asked") == "act":
            intended.append((answers[-1]["hole"], answers[-1]["betting"].replace("/", ""), line["incr"]))
    assert server.requests["act"] <= len(intended)
    ahead = iter(intended)  # each action done is one intended in just that place, in order, and no other
    assert all((hole, line.replace("/", ""), incr) in ahead for hole, line, incr in server.applied)
    ended = [answer for answer in answers if answer["winnings"] is not None]
    assert len(ended) + so_far.reconciled == server.hands
    for end in ended:
        assert server.results[end["hands"]] == (end["hole"], end["betting"].rstrip("/"), end["winnings"])
        assert end["winnings"] == end["expected"]  # our rules and pokerkit's chips


@pytest.mark.parametrize("way", WAYS)
def test_all_faults_at_once(tmp_path, way):
    rng, names = np.random.default_rng(11), [*FAULTS]
    faults = (names[rng.integers(len(names))] if rng.random() < 0.25 else "" for _ in iter(int, 1))
    wire, path = Wire(SlumbotServer(11, way), faults), tmp_path / "log.jsonl"
    so_far = play(wire, path, HANDS)
    check(wire.server, path, so_far)
    assert so_far.won.hands >= HANDS and so_far.lost and (so_far.reconciled or way in ("never", "give_back"))


@pytest.mark.parametrize("fault", ["", *FAULTS])
def test_each_fault_at_each_request(tmp_path, fault):
    """At the first, second, .. request; every other time after a lost answer, where an old one may look new."""
    for k in range(16):
        path, faults = tmp_path / f"{k}.jsonl", [""] * (k // 2) + ["lost"] * (k % 2) + [fault]
        wire = Wire(SlumbotServer(k, WAYS[k // 2 % 4]), faults)
        so_far = play(wire, path, 3)
        check(wire.server, path, so_far)
        assert "".join(faults) or (so_far.lost, wire.server.dealt) == (0, 3)  # stopped in a hand, it was played on


@pytest.mark.parametrize(("faults", "why"), [(["refused"] * 10, "refused"), (["", "lost"] * 10, "lost")])
def test_every_failed_attempt_is_said(tmp_path, capsys, faults, why):
    wire, path = Wire(SlumbotServer(12), faults), tmp_path / "log.jsonl"
    with pytest.raises(SlumbotError, match=f"10 attempts in a row failed, the last: {why}"):
        play_slumbot(RandomPlayer(), "random", 30, path, wire)
    said = capsys.readouterr().err.split("\n")
    assert said[0].endswith(f"attempt 1 of 10 failed: {why}; next in 1 s") and said[9].endswith(f"{why}; giving up")
    assert len(said) == 11 and summary(path).lost == 10 * (why == "lost")


def test_tokens(tmp_path):
    wire, path = Wire(SlumbotServer(7)), tmp_path / "log.jsonl"
    server, seat = wire.server, {"player": RandomPlayer(), "name": "random", "log": path, "api": wire, "login": ("me", "secret")}
    play_slumbot(hands=2, **seat)
    play_slumbot(hands=30, **seat)
    assert len(server.tokens) > 2 and all(used == newest for used, newest in server.used)
    assert server.requests["login"] == 1 and "secret" not in path.read_text() and path.stat().st_mode & 0o077 == 0
    server.tokens = ["another"]
    with pytest.raises(SlumbotError, match="Invalid token"):
        play_slumbot(hands=31, **seat)
    so_far = play_slumbot(hands=35, new_session=True, **seat)
    assert so_far.won[:2] == (35, server.past + server.total)
    wire.faults = iter(["empty"])
    with pytest.raises(SlumbotError, match="login: the answer has no token"):
        play_slumbot(hands=40, new_session=True, **seat)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (b"HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\n\r\n", "status 307"),  # to follow would be to send twice
        (b"HTTP/1.1 500 Oh\r\n\r\n{}", "status 500"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a', "not JSON"),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>busy</html>", "not JSON"),
        (b"HTTP/1.1 200 OK\r\n\r\n[1, 2]", "is a list, expected an object"),
        (b"", "closed connection"),
    ],
)
def test_the_wire(monkeypatch, reply, said):
    monkeypatch.setenv("no_proxy", "*")
    good, replies = b'HTTP/1.1 200 OK\r\n\r\n{"a": 1}', {"new_hand": reply}
    with served(lambda name, body: replies.get(name, good)) as base:
        assert Api(base, pause=0).post("act", {}) == {"a": 1}
        with pytest.raises(Lost, match=said):
            Api(base, pause=0).post("new_hand", {})


def test_only_what_was_never_connected_may_be_sent_again(monkeypatch):
    refused, unreachable, reset = (OSError(code, "") for code in (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ECONNRESET))
    repeatable = [refused, unreachable, socket.gaierror(-2, "no such name"), ssl.SSLCertVerificationError("not trusted")]
    api = Api("http://127.0.0.1:9/", pause=0)
    for reason in (*repeatable, reset, TimeoutError(), BrokenPipeError()):
        monkeypatch.setattr(api._opener, "open", Mock(side_effect=urllib.error.URLError(reason)))
        with pytest.raises(NotDone if reason in repeatable else Lost):
            api.post("act", {})


HAND = Answer(1, "AcKd", "2h3h4s", "b300c/", "", None, None, None, None, None, None)
GOOD = {"action": "b300c/kb600", "client_pos": 0, "hole_cards": ["Kd", "Ac"], "board": ["2h", "3h", "4s"], "winnings": None}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"action": "b300c/"}, "and what follows"),
        ({"action": "b300c/k"}, "not our turn"),
        ({"action": "b300c/kb600c/"}, "expected 4 cards"),
        ({"action": "b300c/kb150000"}, "expected from 100"),
        ({"action": None}, "expected a betting line"),
        ({"winnings": 300}, "expected winnings when a hand is over"),
        ({"client_pos": 1}, "not our turn"),
        ({"hole_cards": ["Ac", "Ks"]}, "hole AcKs"),
        ({"hole_cards": ["Ac"]}, "expected 2"),
        ({"hole_cards": [1, 2]}, "sequence item"),
        ({"board": ["2h", "3h", "5s"]}, "go on from"),
        ({"board": ["2h", "3h", "Ac"]}, "appears twice"),
    ],
)
def test_answers_that_make_no_sense_are_lost(change, said):
    answer = read_answer(GOOD, HAND, "k")
    assert answer == HAND._replace(betting="b300c/kb600")
    assert read_answer(GOOD | {"action": "b300c/kb600f", "winnings": -300}, answer, "f").expected == -300
    with pytest.raises(Lost, match=said):
        read_answer(GOOD | change, HAND, "k")


def test_nothing_is_sent_unless_hands_are_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("a connection was opened"))
    path = tmp_path / "log.jsonl"
    assert play_slumbot(RandomPlayer(), "random", 0, path) == State()
    assert slumbot.main(["--log", str(path)]) == 0
    assert capsys.readouterr().out == "no hands yet\n" and not path.exists()
    slow = {"base": "https://slumbot.com/api/", "pause": 0}
    for arguments, said in (({"base": "ftp://x/"}, "an address"), (slow, "at least 0.2 seconds"), ({"timeout": 0}, "above 0")):
        with pytest.raises(ValueError, match=said):
            Api(**arguments)
    with pytest.raises(ValueError, match="0 or more"):
        play_slumbot(RandomPlayer(), "random", -1, path)


def test_the_command_line_plays_the_tree_of_the_report(tmp_path, monkeypatch, capsys):
    wire, path = Wire(SlumbotServer(8)), tmp_path / "log.jsonl"
    monkeypatch.setattr(slumbot, "Api", lambda *_: wire)
    arguments = ["--hands", "4", "--log", str(path)]
    assert slumbot.main(arguments) == 0
    check(wire.server, path, summary(path))
    assert slumbot.main([*arguments, "--seed", "5"]) == 2  # another player's log
    said = capsys.readouterr()
    assert "4 of 4" in said.err and said.out == words(summary(path)) + "\n" and "holds hands of" in said.err


def test_a_log_has_one_writer_and_only_events(tmp_path):
    with Log(tmp_path / "log.jsonl"), pytest.raises(ValueError, match="another process"):
        Log(tmp_path / "log.jsonl")
    for line in ('{"nothing": 1}', "[]", "x", '{"seen": {"hole": "AcKd"}}'):
        (tmp_path / "bad.jsonl").write_text(line + "\n")
        with pytest.raises(ValueError, match="bad.jsonl, line 1"):
            summary(tmp_path / "bad.jsonl")


def after(*ends, lost=0):
    """The state after hands that end with (winnings, hands, total) as the server tells; `lost` answers before them."""
    state = State(lost=lost)
    for winnings, n, total in ends:
        end = HAND._replace(winnings=winnings, expected=winnings, hands=n, total=total, baseline=-winnings)
        state = replace(state, **booked(state, end))
    return state


def test_totals_are_reconciled():
    known = after((100, 1, 100), (-50, 3, 350), lost=1)
    assert (*known.won[:2], known.reconciled, known.lost, known.odd) == (3, 350, 1, 1, 0)
    assert known.won.mbb()[1] == pytest.approx(10 * student_95(3) * np.std([100, 300, -50], ddof=1) / np.sqrt(3))
    assert known.baseline.mbb()[0] == -250
    two = after((100, 1, 100), (-50, 4, 350), lost=2)  # 300 in two hands: 150 each
    assert two.won.mbb()[1] == pytest.approx(10 * student_95(4) * np.std([100, 150, 150, -50], ddof=1) / 2, rel=0.2)
    assert after((100, 41, 5100)).won[:2] == (1, 100)  # an account's earlier hands are not ours
    assert after((100, 1, 100), (-50, 2, 50), lost=1).reconciled == 0  # never counted by the server
    assert after((100, 1, 100), (-50, 3, 350)).odd == after((100, 1, 100), (-50, 2, 350)).odd == 1
    assert after((100, None, None), (-50, None, None)).won[:2] == (2, 50)
    assert words(State()) == "no hands yet"  # and no figure below what it needs
    assert words(after((100, 1, 100))) == "1 hands, $+100: +1,000.0 mbb/g"
    assert "2 hands, $+50: +250.0 ± " in words(after((100, 1, 100), (-50, 2, 50)))
