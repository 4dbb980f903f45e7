"""The client against a server on loopback that deals real hands of Slumbot's in the form of its
API, and fails as told.
"""

import json
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
import requests

from faceup.holdem import slumbot
from faceup.holdem.agents import FunctionAgent
from faceup.holdem.betting_lines import state_after
from faceup.holdem.rules import menu_from, pot_and_call
from faceup.holdem.slumbot import Result, SlumbotError, play_slumbot, slumbot_result
from faceup.util.stats import student_95

FILE = Path(__file__).parents[1] / "data" / "slumbot_hands.txt"
# seat, cards, line, dollars
DEALS = [line.replace(" - ", "  ").split(" ") for line in FILE.read_text().splitlines()[1:]]
FEW = DEALS[4:10]  # the second is the first with a flop
WON = [int(deal[-1]) for deal in FEW]
OK, CODES, TOKEN = b"HTTP/1.0 200 OK\r\n\r\n", "\x1b[2J\u202e" * 4_000, re.compile(r"b\d+|[kcf]")


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(self.path)
        change = self.server.spoil.get(len(self.server.requests), {})
        answer = (
            {} if change is None else self.server.answer(self.path.endswith("/new_hand"), **body)
        )
        for piece in (
            [OK, json.dumps(answer | change).encode()] if isinstance(change, dict) else change or []
        ):
            self.wfile.write(piece)
            time.sleep(3 * (not piece))


class Server(ThreadingHTTPServer):
    """Plays hands of the file in one session; `new_hand` in the middle of one gives it back, or
    else it is forfeited for $100.
    """

    def __init__(self, gives_back=True, spoil=None, deals=FEW):
        """spoil: by the number of a request, fields that are changed, or pieces of bytes; None
        where nothing is done.
        """
        super().__init__(("127.0.0.1", 0), Handler)
        self.gives_back, self.spoil, self.deals, self.requests, self.stale = (
            gives_back,
            spoil or {},
            deals,
            [],
            0,
        )
        Thread(target=self.serve_forever, daemon=True).start()

    def answer(self, new, token=None, incr=None):
        if token is None:  # a new session
            self.left, self.deal, self.shown, self.hands, self.total, self.tokens = (
                iter(self.deals),
                None,
                0,
                0,
                0,
                [],
            )
        self.stale += token not in (None, *self.tokens[-1:])
        if new and self.deal and not self.gives_back:
            self.deal, self.hands, self.total = None, self.hands + 1, self.total - 100
        if new and not self.deal:
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
            self.deal, self.hands, self.total = None, self.hands + 1, self.total + int(won)
            answer |= {"bot_hole_cards": bot_hole, "winnings": int(won), "won_pot": 2 * int(won)}
            answer |= {"session_num_hands": self.hands, "session_total": self.total}
        return answer


class Script:
    """The agent that played the file's hands; stopped at the n-th question, as by Ctrl-C."""

    def __init__(self, server, stop=0):
        self.server, self.stop = server, stop

    def legal(self, betting):
        state, token = (
            state_after(betting),
            TOKEN.findall(self.server.deal[4])[len(TOKEN.findall(betting))],
        )
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
    monkeypatch.setattr(slumbot, "WAITS", ())


def play(server, log, hands, stop=0, **options):
    base = f"http://127.0.0.1:{server.server_address[1]}/api"
    return play_slumbot(Script(server, stop), "script", hands, log, base=base, pause=0, **options)


def test_real_hands_are_read_and_paid_as_slumbot_paid_them(tmp_path):
    server, log, won = (
        Server(deals=DEALS),
        tmp_path / "new" / "log.jsonl",
        [int(deal[-1]) for deal in DEALS],
    )
    assert play(server, log, 40).hands == 40
    found, asked = play(server, log, 62), len(server.requests)
    hands = [json.loads(line).get("hand") for line in log.read_text().splitlines()]
    ended = [
        [str(x) for x in hand.values()] for hand in hands if hand and hand["winnings"] is not None
    ]
    assert ended == [
        [seat, hole, board, line, bot_hole, won] for seat, hole, bot_hole, board, line, won in DEALS
    ]
    assert found == slumbot_result(log) == (62, pytest.approx(10 * np.mean(won)), found.ci95, 0)
    assert found.ci95 == pytest.approx(10 * student_95(62) * np.std(won, ddof=1) / np.sqrt(62))
    assert (
        play(server, log, 62) == found
        and len(server.requests) == asked
        and len(server.tokens) > 10
        and not server.stale
    )


@pytest.mark.parametrize("gives_back", [True, False])
@pytest.mark.parametrize("way", ["not done", "lost", "refused", "Ctrl-C"])
def test_no_hand_is_lost_or_played_twice(tmp_path, monkeypatch, way, gives_back):
    # stopped at the n-th request or decision, in the middle of writing a line
    for n in range(1, 8):
        log, post = tmp_path / f"{n}.jsonl", requests.post
        server = Server(gives_back, {"not done": {n: None}, "lost": {n: []}}.get(way))

        def connect(url, n=n, post=post, server=server, **options):
            return post(
                "http://127.0.0.1:1" if way == "refused" and len(server.requests) == n - 1 else url,
                **options,
            )

        with (
            monkeypatch.context() as patch,
            pytest.raises((KeyboardInterrupt, SlumbotError), match=f"{n}.jsonl, hand|^$"),
        ):
            patch.setattr(requests, "post", connect)
            play(server, log, 4, n * (way == "Ctrl-C"))
        log.write_text(log.read_text() + '{"sent": "ne')
        found = play(server, log, 4)
        assert (found.hands, found.mbb) == (
            server.hands,
            pytest.approx(10 * server.total / server.hands),
        )
        assert not found.open or (n > 1 and server.requests[n - 1].endswith("new_hand"))
        assert server.total == sum(WON[: server.hands]) or not (
            gives_back or way in ("refused", "Ctrl-C")
        )


def test_requests_without_an_answer_are_made_good_or_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(slumbot, "WAITS", (0, 0))
    server = Server(spoil={1: [], 6: [], 7: []})
    assert play(server, tmp_path / "a.jsonl", 4)[:2] == (4, pytest.approx(10 * np.mean(WON[:4])))
    assert capsys.readouterr().err.count("next attempt in 0 s") == 3
    # of the lost hand
    with pytest.raises(
        SlumbotError, match=r"hand 3, .*: expected 2, -150 as in the log, found \(3, 30000\)"
    ):
        play(Server(False, {4: [], 6: {"session_total": 30_000}}), tmp_path / "b.jsonl", 4)
    # it was another action
    with pytest.raises(SlumbotError, match="hand 2, .*/new_hand: hand: expected .* and then b600"):
        play(Server(spoil={4: [], 5: {"action": "b200b700c/"}}), tmp_path / "c.jsonl", 4)
    assert slumbot_result(tmp_path / "b.jsonl") == (1, -1000, np.inf, 1)


# to follow would be to act twice
MOVED, BAD = b"HTTP/1.0 307 x\r\nLocation: /api/act\r\n\r\n", b"HTTP/1.0 502 x\r\n\r\n"
WRONG = {
    2: {  # the end of the first hand
        "winnings: expected -100 by the rules": [
            {"winnings": x} for x in (20_800, 10**15, 10**400, -100.0, True, None)
        ],
        r"1, -100 as in the log, found \(": [
            {f"session_{x}": y} for x in ("num_hands", "total") for y in (None, "1", 4, True)
        ],
        "bot_hole_cards: expected 2 cards": [{"bot_hole_cards": []}],
    },
    3: {
        "a new hand, without our moves": [{"action": "b200b600b1000"}],
        "token: expected a string": [{"token": 5}],
    },
    4: {  # the flop of the second hand, after our b600
        "client_pos: expected 0 or 1|our turn": [{"client_pos": x} for x in (2, True, 1)],
        "hole_cards: expected 2 cards": [{"hole_cards": x} for x in (["Kh"], "KhKd", None, 5)],
        "board: expected 3 cards|appears twice": [
            {"board": ["Ah", "7d", x]} for x in (["5h"], "1h", "", "Kh")
        ],
        "betting": [{"action": x} for x in ("b200b600c/b30000", "b" + "9" * 60_000, None, ["k"])],
        "hand: expected .* and then b600": [
            {"action": "b200b700c/"},
            {"hole_cards": ["Kh", "Ks"]},
            {"old_action": "b200b600"},
        ],
        "(winnings|error_msg): expected (N|n)one": [
            {"winnings": 100},
            {"error_msg": CODES},
            {"error_msg": [CODES]},
        ],
        "Expecting value|an object|recursion": [
            [OK, b"<html>busy"],
            [OK, b"[1]"],
            [OK, b"[" * 60_000],
        ],
        "status 200, at most 65536 bytes": [
            [OK, b" " * 70_000],
            [MOVED],
            [b"HTTP/1.0 404 x\r\n\r\n", CODES.encode()],
        ],
        "attempts: (status 502|.*[Tt]imed out)": [[BAD], [OK, b"{", b""]],
    },
}


@pytest.mark.parametrize(("n", "said"), [(n, said) for n in WRONG for said in WRONG[n]])
def test_wrong_answers_are_named_and_not_booked(tmp_path, n, said):
    for i, change in enumerate(WRONG[n][said]):
        log, server = tmp_path / f"{i}.jsonl", Server(spoil={n: change})
        with pytest.raises(
            SlumbotError, match=rf"^{i}.jsonl, hand {1 + (n > 2)}, http://.*/(act|new_hand).*{said}"
        ) as error:
            play(server, log, 4, seconds=1.5 if "imed out" in said else 120)
        assert len(str(error.value)) < 300 and str(error.value).isprintable()
        assert slumbot_result(log)[:2] == ((0, 0) if n == 2 else (1, -1000))


def test_nothing_is_sent_unasked_and_logs_are_told_apart(tmp_path):
    log, server = tmp_path / "log.jsonl", Server()
    assert (
        play(server, log, 0) == Result(0, 0, np.inf, 0) and not log.exists() and not server.requests
    )
    assert play(server, log, 1).ci95 == np.inf
    with pytest.raises(
        ValueError, match=r"log.jsonl: has hands of .*'seed': 0.*, expected .*'seed': 1"
    ):
        play(server, log, 2, seed=1)
    for line in ('{"nothing": 1}', "[]", "x", '{"hand": {"hole": "AcKd"}}'):
        log.write_text(line + "\n")
        with pytest.raises(ValueError, match="log.jsonl, line 1: expected a line of a log"):
            slumbot_result(log)


def test_actions_hang_on_seed_and_hand_alone(tmp_path):
    menu = menu_from([[1], [1], []], [[]], [[]], [[]])
    state, agent = (
        slumbot._Log(tmp_path),
        FunctionAgent(lambda *_: {"fold": 1, "call": 2, "raise_1": 1}, menu),
    )
    state.hand = slumbot.Hand(0, "AcKd", "", "b200", "", None)
    a, b = ([slumbot._decide(agent, state, 7) for state.number in range(200)] for _ in range(2))
    assert a == b and set(a) == {"f", "c", "b600"} and 75 < a.count("c") < 125
