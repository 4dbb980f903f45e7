"""A server that plays as Slumbot's does, and a wire to it that fails as told. Rules and chips are pokerkit's.

`abandoned` says what becomes of a hand when `new_hand` comes in the middle of it: "forfeit" (its chips are lost at once), "later"
(the same, some hands later), "never" (it is forgotten) or "give_back" (it goes on).
"""

import json
import socketserver
import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from itertools import chain, repeat

import numpy as np
from pokerkit_table import PokerkitTable, random_choice

from faceup.cards.cards import BOARD_CARDS, card_text
from faceup.holdem.betting.notation import read_line, state_after, token
from faceup.holdem.play.slumbot_api import Lost, NotDone

WAYS = ("forfeit", "later", "never", "give_back")


class Killed(BaseException):
    """Stands for the end of the client's process: nothing in it may catch this."""


class RandomPlayer:
    """Legal at random, the same in the same place of the same hand; mortal: dies at every seventh question."""

    def __init__(self, mortal=False):
        self.lives = 7 if mortal else 1 << 40

    def decide(self, hand, hole, board, betting):
        self.lives -= 1
        if not self.lives:
            raise Killed
        return random_choice(state_after(betting), np.random.default_rng([7, hand, len(read_line(betting).moves)]))


class Hand:
    """One hand against a bot that plays at random; client: 0 if the client is the small blind."""

    def __init__(self, client, rng):
        a, b, c, d, *board = (int(c) for c in rng.permutation(52)[:9])
        deck = [max(a, b), min(a, b), max(c, d), min(c, d), *board]  # the client names the higher card first
        cards = [card_text(c) for c in deck]
        self.client, self.rng, self.line, self.table = client, rng, "", PokerkitTable(deck)
        self.holes, self.board = (cards[:2], cards[2:4]), cards[4:]
        self._bot_plays()

    def act(self, incr):
        """The client's action; where it breaks the rules the test fails."""
        table, (least, most), amount = self.table, self.table.raises, int(incr[1:] or 0)
        legal = {"f": table.can_fold, "c": table.to_call, "k": not table.to_call, "b": least and least <= amount <= most}
        assert table.actor == self.client and legal[incr[0]], f"{incr} after {self.line}"
        self._put(incr, {"f": "fold", "b": "raise"}.get(incr[0], "call"), amount)
        self._bot_plays()

    def _bot_plays(self):
        self.before_bot = self.line
        while not self.table.over and self.table.actor != self.client:
            choice = random_choice(state_after(self.line), self.rng)
            self._put(token(state_after(self.line), *choice), *choice)

    def _put(self, word, action, amount):
        shown = self.table.shown
        self.table.act(action, amount)
        self.line += word + "/" * (BOARD_CARDS.index(self.table.shown) - BOARD_CARDS.index(shown))  # several after an all-in


class SlumbotServer:
    """Plays one session at a time; a request without a token begins another."""

    def __init__(self, seed, abandoned="forfeit"):
        self.rng, self.abandoned, self.requests, self.total, self.past = np.random.default_rng(seed), abandoned, Counter(), 0, 0
        self._new_session()

    def _new_session(self):
        self.past += self.total  # dollars of earlier sessions
        self.hand, self.dealt, self.hands, self.total, self.baseline_total = None, 0, 0, 0, 0
        self.forfeits = []  # (number of hands after which it is booked, winnings)
        self.applied = []  # (the client's cards, line before, incr) of each action done
        self.results = {}  # n-th hand counted -> the client's cards, line, winnings
        self.tokens, self.used = ["0"], []  # used: (token of a request, the newest one then)

    def answer(self, name, body):
        """The content of an answer: at times with a new token or without the last "/", to `act` without the client's seat."""
        self.requests[name] += 1
        if "token" not in body:
            self._new_session()
        elif body["token"] not in self.tokens:
            return {"error_msg": "Invalid token"}
        self.used.append((body.get("token", "0"), self.tokens[-1]))
        if self.rng.random() < 0.1:
            self.tokens.append(str(len(self.tokens)))
        token = {"token": self.tokens[-1]}
        if name == "login":
            return token
        if name == "new_hand":
            told = self._new_hand()
        else:
            self.applied.append(("".join(self.hand.holes[self.hand.client]), self.hand.line, body["incr"]))
            self.hand.act(body["incr"])
            told = self._told(self.hand)
        return told | token | {"action": told["action"].rstrip("/" if self.rng.random() < 0.1 else " ")}

    def _new_hand(self):
        if self.hand and self.abandoned in ("forfeit", "later"):
            due = self.hands + 3 * (self.abandoned == "later")
            self.forfeits.append((due, -self.hand.table.put[self.hand.client]))
        if not self.hand or self.abandoned != "give_back":
            self.dealt += 1
            self.hand = Hand((self.dealt + 1) % 2, self.rng)
        return {"client_pos": 1 - self.hand.client} | self._told(self.hand)

    def _told(self, hand):
        own, board = hand.holes[hand.client], hand.board[: hand.table.shown]
        told = {"action": hand.line, "hole_cards": own, "board": board, "winnings": None}
        if hand.table.over:
            told |= {"winnings": int(hand.table.payoffs[hand.client]), "bot_hole_cards": hand.holes[1 - hand.client]}
            baseline = told["winnings"] - int(self.rng.integers(-50, 51)) * 10
            due = [lost for wait, lost in self.forfeits if wait <= self.hands]
            self.forfeits = [forfeit for forfeit in self.forfeits if forfeit[0] > self.hands]
            self.hands += 1 + len(due)
            self.total += told["winnings"] + sum(due)
            self.baseline_total += baseline + sum(due)
            told |= {"session_total": self.total, "session_baseline_total": self.baseline_total}
            told |= {"session_num_hands": self.hands, "baseline_winnings": baseline}
            self.hand, self.results[self.hands] = None, ("".join(own), hand.line.rstrip("/"), told["winnings"])
        return told


def _replayed(wire, content):
    old, wire.delivered = wire.delivered, None  # never twice running
    return old or content


def _line(spoil):
    return lambda wire, content: content | {"action": spoil(content["action"])}


# name -> whether the server does what it is asked; what comes back: an exception, or its answer changed where that can be done
FAULTS = {
    "refused": (False, NotDone),
    "lost_before": (False, Lost),
    "killed_before": (False, Killed),
    "error_msg": (False, lambda wire, content: {"error_msg": "Internal error"}),
    "lost": (True, Lost),
    "killed": (True, Killed),
    "empty": (True, lambda wire, content: {}),
    "replayed": (True, _replayed),
    "missing_street": (True, _line(lambda line: line.split("/", 1)[-1])),
    "missing_slash": (True, _line(lambda line: line.replace("/", "", 1))),
    "doubled_street": (True, _line(lambda line: "/".join([*line.split("/")[:-1], *line.split("/")[-2:]]))),
    "out_of_turn": (True, lambda wire, content: content | ({"action": wire.server.hand.before_bot} if wire.server.hand else {})),
}


class Wire:
    """In the place of `Api`: asks a server in this process; faults: one a request, "" for none, none after the last."""

    base = "http://127.0.0.1/"

    def __init__(self, server, faults=()):
        self.server, self.faults, self.delivered = server, chain(faults, repeat("")), None

    def post(self, name, body):
        """As `Api.post`."""
        fault = next(self.faults)
        done, effect = FAULTS.get(fault, (True, lambda wire, content: content))
        content = self.server.answer(name, body) if done else {}
        if isinstance(effect, type):
            raise effect(fault)
        answer = effect(self, content)
        if answer == content:
            self.delivered = content
        return answer


@contextmanager
def served(reply):
    """A listener on loopback, by its address; reply(name, body) -> the bytes that it answers."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.wfile.write(reply(self.path.rsplit("/", 1)[-1], body))

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as listener:
        threading.Thread(target=listener.serve_forever, args=[0.01], daemon=True).start()
        yield f"http://127.0.0.1:{listener.server_address[1]}/"
        listener.shutdown()
