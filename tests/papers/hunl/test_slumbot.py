"""The client against a local server that deals real hands of Slumbot's in the form of its API."""

import gzip
import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import requests

from faceup.holdem.agents import FunctionAgent
from faceup.holdem.betting_lines import state_after
from faceup.holdem.rules import menu_from, pot_and_call
from faceup.papers.hunl import slumbot
from faceup.papers.hunl.slumbot import SlumbotError, play_slumbot
from faceup.util.stats import student_95

FILE = Path(__file__).parents[2] / "data" / "slumbot_hands.txt"
# seat, cards, line, dollars
DEALS = [line.replace(" - ", "  ").split(" ") for line in FILE.read_text().splitlines()[1:]]
FEW = DEALS[4:10]  # the second is the first with a flop
OK, BUSY = b"HTTP/1.0 200 OK\r\n", b"HTTP/1.0 429 x\r\n\r\n"
TOKEN = re.compile(r"b\d+|[kcf]")


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(self.path)
        change = self.server.spoil.get(len(self.server.requests), {})
        if isinstance(change, dict):
            answer = self.server.answer(self.path.endswith("/new_hand"), **body)
            change = OK + b"\r\n" + json.dumps(answer | change).encode()
        for part in [change] if isinstance(change, bytes) else change:
            self.wfile.write(part)


class Server(ThreadingHTTPServer):
    """Plays hands of the file in one session."""

    def __init__(self, spoil=None, deals=FEW):
        """spoil: by the number of a request, changed fields or what is sent, in parts or not."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.spoil, self.deals, self.requests, self.stale = spoil or {}, deals, [], 0
        Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        """Say nothing of a client that hangs up."""

    def answer(self, new, token=None, incr=None):
        if token is None:  # a new session
            self.left, self.tokens = iter(self.deals), []
        self.stale += token not in (None, *self.tokens[-1:])
        if new:
            self.deal, self.shown = next(self.left), 0
        seat, hole, bot_hole, board, line, won = self.deal
        # a line is shown up to its next action
        starts = [found.start() for found in TOKEN.finditer(line)] + [len(line)]
        old = line[: starts[self.shown]]
        assert incr in (None, line[len(old) : starts[self.shown + bool(incr)]].rstrip("/"))
        self.shown += bool(incr)
        while not (over := self.shown == len(starts) - 1):
            *streets, now = line[: starts[self.shown]].split("/")
            # seat 1 begins before the flop, then seat 0
            if int(seat) == (len(TOKEN.findall(now)) + (not streets)) % 2:
                break
            self.shown += 1
        hole, bot_hole, board = (re.findall("..", text) for text in (hole, bot_hole, board))
        answer = {
            "old_action": old,
            "action": line[: starts[self.shown]],
            "client_pos": int(seat),
            "hole_cards": hole,
        }
        answer["board"] = board if over else board[: (0, 3, 4, 5)[len(streets)]]
        if not token or len(self.requests) % 5 == 0:
            self.tokens += [answer.setdefault("token", f"token {len(self.requests)}")]
        if over:
            answer |= {"bot_hole_cards": bot_hole, "winnings": int(won), "won_pot": 2 * int(won)}
        return answer


class Script:
    """The agent that played the file's hands; stopped at its n-th decision, as by Ctrl-C."""

    def __init__(self, server, stop=0):
        self.server, self.stop = server, stop

    def legal(self, betting):
        state = state_after(betting)
        token = TOKEN.findall(self.server.deal[4])[len(TOKEN.findall(betting))]
        pots = (int(token[1:] or 0) - state.bets[1 - state.actor][state.street]) / sum(
            pot_and_call(state)
        )
        return {{"f": "fold", "b": f"raise_{pots}"}.get(token[0], "call"): 0}

    def probabilities(self, holes, board, betting):
        self.stop -= 1
        if self.stop == 0:
            raise KeyboardInterrupt
        return np.ones((1, 1))


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def play(server, log, hands, stop=0, **options):
    base = f"http://127.0.0.1:{server.server_address[1]}/api"
    options = {"base": base, "pause": 0} | options
    return play_slumbot(Script(server, stop), "script", hands, log, **options)


def states(log):
    return [json.loads(line)["hand"] for line in log.read_text().splitlines()]


def test_real_hands_are_read_and_paid_as_slumbot_paid_them(tmp_path):
    server, log = Server(deals=DEALS), tmp_path / "new" / "log.jsonl"
    won = [int(deal[-1]) for deal in DEALS]
    found = play(server, log, 62)
    ended = [
        [str(x) for x in hand.values()] for hand in states(log) if hand["winnings"] is not None
    ]
    assert ended == [
        [seat, hole, board, line, bot_hole, won] for seat, hole, bot_hole, board, line, won in DEALS
    ]
    assert found == (62, pytest.approx(10 * np.mean(won)), found.ci95, 0)
    assert found.ci95 == pytest.approx(10 * student_95(62) * np.std(won, ddof=1) / np.sqrt(62))
    requests = len(server.requests)
    assert play(server, log, 62) == found and len(server.requests) == requests
    assert len(server.tokens) > 10 and not server.stale


@pytest.mark.parametrize("way", ["lost answer", "server error", "refused", "Ctrl-C"])
def test_a_stopped_run_goes_on_with_another_hand(tmp_path, monkeypatch, way):
    log = tmp_path / "log.jsonl"
    spoil = {"lost answer": {4: b""}, "server error": {4: b"HTTP/1.0 502 x\r\n\r\n"}}
    server = Server(spoil.get(way))
    post = requests.post
    with monkeypatch.context() as patch:
        patch.setattr(
            requests,
            "post",
            lambda url, **options: post(
                "http://127.0.0.1:1" if way == "refused" and len(server.requests) == 3 else url,
                **options,
            ),
        )
        with pytest.raises((SlumbotError, KeyboardInterrupt), match="log.jsonl, hand 2, http|^$"):
            play(server, log, 4, stop=2 * (way == "Ctrl-C"))
    found = play(server, log, 4)
    # the end of the second hand is unknown; the new session deals the file's hands again
    assert (found.hands, found.open) == (4, 1)
    won = [int(FEW[k][-1]) for k in (0, 0, 1, 2)]
    assert found.mbb == pytest.approx(10 * np.mean(won))
    assert server.requests[4].endswith("new_hand") or way in ("refused", "Ctrl-C")


WRONG = {
    2: {  # the end of the first hand
        "winnings: expected -100 by the rules": [{"winnings": x} for x in (20_800, 10**400, None)],
        "bot_hole_cards: expected 2 cards": [{"bot_hole_cards": []}],
    },
    3: {"a new hand, without our moves": [{"action": "b200b600b1000"}]},
    4: {  # the flop of the second hand, after our b600
        "client_pos: expected 0 or 1|our turn": [{"client_pos": x} for x in (2, None, 1)],
        "hole_cards: expected 2 cards": [{"hole_cards": x} for x in (["Kh"], "KhKd", None, [5])],
        "board: expected 3 cards|card": [
            {"board": ["Ah", "7d", x]} for x in (["5h"], "1h", "", "Kh")
        ],
        "betting": [{"action": x} for x in ("b200b600c/b30000", "b" + "9" * 60_000, None, ["k"])],
        "hand: expected .* and then b600": [{"action": "b200b700c/"}, {"hole_cards": ["Kh", "Ks"]}],
        "(winnings|error_msg): expected (N|n)one": [
            {"winnings": 100},
            {"error_msg": "\x1b[2J\u202e" * 4_000},
        ],
        "answer: expected status 200, a JSON object of at most 65536 bytes, found .*": [
            OK + b"\r\n" + text
            for text in (b"", b"[1]", b"[" * 9_999, b"\xff", b"{}" + b" " * 65_535)
        ],
        r"\(200, '<html>\\x1b busy'": [OK + b"\r\n<html>\x1b busy"],
        r"\(200, '\\x1f": [  # as sent: 10 MB are not decompressed
            OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b" " * 10**7)
        ],
        r"found \((307|404), ''": [
            b"HTTP/1.0 307 x\r\nLocation: /api/act\r\n\r\n",
            b"HTTP/1.0 404 x\r\n\r\n",
        ],
        "BadStatusLine|IncompleteRead": [
            b"\x1b[2J" * 9_999 + b"\r\n\r\n",
            OK + b"Transfer-Encoding: chunked\r\n\r\n9\r\n{}",
        ],
    },
}


@pytest.mark.parametrize(("n", "message"), [(n, message) for n in WRONG for message in WRONG[n]])
def test_wrong_answers_are_named_and_not_counted(tmp_path, n, message):
    for i, change in enumerate(WRONG[n][message]):
        log, server = tmp_path / f"{i}.jsonl", Server({n: change})
        with pytest.raises(
            SlumbotError, match=rf"^{i}.jsonl, hand {1 + (n > 2)}, http://.*{message}"
        ) as error:
            play(server, log, 4)
        assert len(str(error.value)) < 400 and str(error.value).isprintable()
        assert [hand["winnings"] for hand in states(log)] == [None, -100, None][: n - 1]


@pytest.mark.parametrize("start", [b"HTTP/1.0 200 ", OK + b"X: ", OK + b"\r\n"])
def test_a_hand_ends_in_time_though_the_server_drips(tmp_path, start):
    def drip():
        yield start
        for _ in range(60):  # 3 seconds
            time.sleep(0.05)
            yield b"2"

    with pytest.raises(SlumbotError, match=r"hand 1, http.*: expected its end within 0.3 s"):
        play(Server({1: drip()}), tmp_path / "log.jsonl", 1, seconds=0.3)


def test_an_endless_answer_is_not_read_on(tmp_path):
    parts = iter([OK + b"\r\n"] + [b" " * 65_536] * 2_000)
    with pytest.raises(SlumbotError, match=r"at most 65536 bytes, found \(200, '  "):
        play(Server({1: parts}), tmp_path / "log.jsonl", 1)
    assert len(list(parts)) > 1_000


def test_a_busy_server_is_queried_again_in_the_time_of_a_hand(tmp_path, monkeypatch):
    with pytest.raises(SlumbotError, match=r"found \(429, ''"):  # the next attempt is after 1 s
        play(Server({1: BUSY}), tmp_path / "busy.jsonl", 1, seconds=0.5)
    waits = []
    monkeypatch.setattr(slumbot.time, "sleep", waits.append)
    busy = Server({1: BUSY, 2: b"HTTP/1.0 502 x\r\n\r\n", 6: BUSY})
    found = [play(server, tmp_path / f"{server.spoil}"[:9], 4) for server in (busy, Server())]
    assert found[0] == found[1] and [wait for wait in waits if wait >= 1] == [1, 3, 1]
    assert busy.requests[:3] == ["/api/new_hand"] * 3 and busy.requests[5] == "/api/act"


def test_nothing_is_sent_without_need_and_a_log_has_one_run(tmp_path):
    log, server = tmp_path / "log.jsonl", Server()
    for hands in (-5, 0, 2.5, "3", None):
        with pytest.raises(ValueError, match=rf"^hands: expected 1, 2, .., found {hands!r}$"):
            play(server, log, hands)
    for limits in ({"seconds": 0}, {"seconds": np.nan}, {"pause": -1}, {"pause": 9, "seconds": 8}):
        with pytest.raises(ValueError, match="^pause, seconds: expected 0 <= pause < seconds"):
            play(server, log, 1, **limits)
    assert not log.exists() and not server.requests
    assert play(server, log, 1).ci95 == np.inf
    with pytest.raises(ValueError, match=r"log.jsonl, line 1: expected a hand of .*found"):
        play(server, log, 2, seed=1)


def test_actions_depend_on_seed_and_hand_alone():
    menu = menu_from([[1], [1], []], [[]], [[]], [[]])
    agent = FunctionAgent(lambda *_: {"fold": 1, "call": 2, "raise_1": 1}, menu)
    hand = slumbot.Hand(0, "AcKd", "", "b200", "", None)
    a, b = ([slumbot._choose(agent, hand, 7, k) for k in range(200)] for _ in range(2))
    assert a == b and set(a) == {"f", "c", "b600"} and 75 < a.count("c") < 125
