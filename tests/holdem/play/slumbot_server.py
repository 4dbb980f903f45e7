"""A server that speaks Slumbot's protocol over HTTP on loopback and misbehaves on request. Rules and chips are pokerkit's.

It answers one request at a time. A fault is drawn for each request: some leave the request undone, some lose or spoil the answer
to a request that was done. `abandoned` says what becomes of a hand when `new_hand` comes in the middle of it: "forfeit" (its
chips are lost at once), "later" (the same, some hands later), "never" (it is forgotten) or "give_back" (it goes on).
"""

import json
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
from pokerkit_table import PokerkitTable, random_choice

from faceup.cards.cards import card_text
from faceup.holdem.betting.notation import read_line, state_after

UNDONE = ("timeout_before", "status_500_before", "reset_before", "error_msg")
SPOILT = (
    "timeout",
    "status_500",
    "reset",
    "truncated",
    "malformed",
    "replayed",
    "missing_street",
    "replayed_street",
    "out_of_turn",
)
HARMLESS = ("refuse", "new_token", "no_last_slash", "no_client_pos")
FAULTS = (*UNDONE, *SPOILT, *HARMLESS, "kill")
BOARD = (0, 3, 4, 5)


class RandomPlayer:
    """Legal at random, the same in the same place of the same hand."""

    def decide(self, hand, hole, board, betting):
        rng = np.random.default_rng([7, hand, len(read_line(betting).moves)])
        return random_choice(state_after(betting), rng)


class Refusal(Exception):
    """What the server says in `error_msg`."""


class Hand:
    """One hand against a bot that plays at random."""

    def __init__(self, number: int, client: int, rng: np.random.Generator):
        """client: 0 if the client is the small blind."""
        self.number, self.client, self.rng = number, client, rng
        self.deck = [int(c) for c in rng.permutation(52)[:9]]
        self.table, self.line, self.old_line = PokerkitTable(self.deck), "", ""
        self._bot_plays()

    def hole(self, player: int) -> list[str]:
        """A player's cards."""
        return [card_text(c) for c in self.deck[2 * player : 2 * player + 2]]

    def act(self, incr: str) -> None:
        """The client's action. Raises Refusal where the rules forbid it."""
        self.old_line = self.line
        action, amount = self._read(incr)
        self._put(incr, action, amount)
        self._bot_plays()

    def _read(self, incr: str) -> tuple[str, int]:
        table = self.table
        if table.over or table.actor != self.client:
            raise Refusal("Not your turn")
        least, most = table.raises
        if incr == "f" and table.can_fold:
            return "fold", 0
        if incr == ("c" if table.to_call else "k"):
            return "call", 0
        if incr[:1] == "b" and incr[1:].isdecimal() and least and least <= int(incr[1:]) <= most:
            return "raise", int(incr[1:])
        raise Refusal("Illegal bet")

    def _bot_plays(self) -> None:
        self.bot_from = len(self.line)  # what the bot adds stands from here on
        while not self.table.over and self.table.actor == 1 - self.client:
            least, most = self.table.raises
            x = self.rng.random()
            if self.table.to_call and x < 0.15:
                self._put("f", "fold", 0)
            elif least and x > 0.7:
                amount = most if x > 0.97 else int(self.rng.integers(least, min(most, 3 * least) + 1))
                self._put(f"b{amount}", "raise", amount)
            else:
                self._put("c" if self.table.to_call else "k", "call", 0)

    def _put(self, word: str, action: str, amount: int) -> None:
        shown = self.table.shown
        self.table.act(action, amount)
        streets = BOARD.index(self.table.shown) - BOARD.index(shown)  # several after an all-in
        self.line += word + "/" * streets

    def winnings(self) -> int | None:
        """The client's, once the hand is over."""
        return int(self.table.payoffs[self.client]) if self.table.over else None


class Session:
    """What the server counts under one token."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.used: list[str] = []  # the token of each request
        self.hand: Hand | None = None
        self.hands = self.total = self.baseline_total = self.dealt = 0
        self.applied: list[tuple[list[str], str, str]] = []  # (the client's hole, line before, incr) of each action done
        self.results: dict[int, tuple[str, str, int]] = {}  # n-th hand counted -> the client's hole, line, winnings
        self.forfeits: list[tuple[int, int]] = []  # (hands to go until it is booked, winnings)

    def book(self, winnings: int, baseline: int) -> None:
        """Count a hand."""
        self.hands, self.total, self.baseline_total = self.hands + 1, self.total + winnings, self.baseline_total + baseline


class SlumbotServer:
    """`with SlumbotServer(...) as server:` answers at `server.base`."""

    def __init__(self, seed: int, rates: dict[str, float] | None = None, abandoned: str = "forfeit", faults: Sequence[str] = ()):
        """rates: fault -> probability for each request; faults: those of the first requests, "" for none."""
        self.rng, self.rates, self.abandoned, self.script = np.random.default_rng(seed), rates or {}, abandoned, list(faults)
        unknown = {*self.rates, *filter(None, faults)} - set(FAULTS)
        assert not unknown, f"unknown faults {unknown}"
        self.sessions: list[Session] = []
        self.requests, self.done_faults = Counter(), Counter()
        self.refusals: list[str] = []  # said of the client's own mistakes
        self.on_kill: Callable[[], None] = lambda: None
        self._held: list[socket.socket] = []  # kept open and never answered
        self._delivered: dict | None = None
        self._down = 0.0
        self._replayed = False

    # --- the protocol ---------------------------------------------------------------------------------------

    def _answer(self, name: str, body: dict) -> dict:
        if name == "login":
            return {"token": self._new_session().tokens[-1]}
        session = self._session(body.get("token"))
        if name == "new_hand":
            self._abandon(session)
            if session.hand is None:
                session.dealt += 1
                session.hand = Hand(session.dealt, (session.dealt + 1) % 2, self.rng)
            return self._told(session, session.hand, {"token": session.tokens[-1]})
        if name != "act" or session.hand is None:
            raise Refusal("No hand in progress")
        hand, before = session.hand, session.hand.line
        hand.act(body["incr"])
        session.applied.append((hand.hole(hand.client), before, body["incr"]))
        return self._told(session, hand, {})

    def _new_session(self) -> Session:
        session = Session()
        self.sessions.append(session)
        self._new_token(session)
        return session

    def _new_token(self, session: Session) -> str:
        session.tokens.append(f"token-{len(self.sessions)}-{len(session.tokens)}")
        return session.tokens[-1]

    def _session(self, token: str | None) -> Session:
        if token is None:
            return self._new_session()
        for session in self.sessions:
            if token in session.tokens:
                session.used.append(token)
                return session
        raise Refusal("Invalid token")

    def _abandon(self, session: Session) -> None:
        """A new hand is wanted in the middle of one."""
        if session.hand is None or self.abandoned == "give_back":
            return
        lost = -session.hand.table.put[session.hand.client]
        if self.abandoned == "forfeit":
            session.book(lost, lost)
        elif self.abandoned == "later":
            session.forfeits.append((session.hands + 3, lost))
        session.hand = None

    def _told(self, session: Session, hand: Hand, extra: dict) -> dict:
        board = [card_text(c) for c in hand.deck[4 : 4 + hand.table.shown]]
        told = {
            "old_action": hand.old_line,
            "action": hand.line,
            "client_pos": 1 - hand.client,
            "hole_cards": hand.hole(hand.client),
        }
        told |= {"board": board, "winnings": hand.winnings()} | extra
        if hand.table.over:
            session.hand = None
            baseline = told["winnings"] - int(self.rng.integers(-50, 51)) * 10
            for due, lost in [f for f in session.forfeits if f[0] <= session.hands]:
                session.book(lost, lost)
                session.forfeits.remove((due, lost))
            session.book(told["winnings"], baseline)
            session.results[session.hands] = "".join(told["hole_cards"]), hand.line, told["winnings"]
            told |= {"bot_hole_cards": hand.hole(1 - hand.client), "won_pot": told["winnings"] > 0, "baseline_winnings": baseline}
            told |= {"session_num_hands": session.hands, "session_total": session.total}
            told |= {"session_baseline_total": session.baseline_total}
        return told

    # --- faults ---------------------------------------------------------------------------------------------

    def _fault(self) -> str:
        if self.script:
            return self.script.pop(0)
        names = list(self.rates)
        x = self.rng.random()
        for name, upto in zip(names, np.cumsum([self.rates[n] for n in names]), strict=True):
            if x < upto:
                return name
        return ""

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        """One request, its fault included."""
        name = handler.path.rsplit("/", 1)[-1]
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.requests[name] += 1
        fault = self._fault()
        if fault in UNDONE:
            self.done_faults[fault] += 1
            return self._send(handler, {"error_msg": "Internal error"}, fault.removesuffix("_before"))
        try:
            content = self._answer(name, body)
        except Refusal as error:
            self.refusals.append(str(error))
            return self._send(handler, {"error_msg": str(error)}, "")
        clean = dict(content)
        fault = self._spoil(fault, content, body)
        if fault:
            self.done_faults[fault] += 1
        if fault in ("", *HARMLESS):
            self._delivered = clean
        self._send(handler, self._content, fault)

    def _spoil(self, fault: str, content: dict, body: dict) -> str:
        """Put what is to be sent into `_content`; returns the fault, "" where it cannot be done to this answer."""
        self._content, line = content, content.get("action", "")
        replay, self._replayed = fault == "replayed" and bool(self._delivered) and not self._replayed, False
        if fault == "refuse":
            self._down = 0.03
        elif fault == "new_token" and "action" in content:
            session = next(s for s in self.sessions if (content.get("token") or body.get("token")) in s.tokens)
            content["token"] = self._new_token(session)
        elif fault == "no_last_slash" and line.endswith("/"):
            content["action"] = line.rstrip("/")
        elif fault == "no_client_pos" and "token" not in content:
            del content["client_pos"]
        elif replay:
            self._content, self._replayed = self._delivered, True
        elif fault == "missing_street" and "/" in line.rstrip("/"):
            content["action"] = line.split("/", 1)[1] if self.rng.random() < 0.5 else line.replace("/", "", 1)
        elif fault == "replayed_street" and "/" in line.rstrip("/"):
            streets = line.split("/")
            k = int(self.rng.integers(len(streets) - 1))
            content["action"] = "/".join([*streets[: k + 1], *streets[k:]])
        elif fault == "out_of_turn" and self._bot_words(content):
            content["action"], content["winnings"] = line[: len(line) - self._bot_words(content)], None
        elif fault in ("replayed", "out_of_turn", "missing_street", "replayed_street", *HARMLESS):
            return ""
        return fault

    def _bot_words(self, content: dict) -> int:
        """Characters that the bot's move added to an answer's line after the client's, 0 if it has not moved."""
        hand = next((s.hand for s in self.sessions if s.hand and s.hand.line == content.get("action")), None)
        return len(hand.line) - hand.bot_from if hand else 0

    def _send(self, handler: BaseHTTPRequestHandler, content: dict, fault: str) -> None:
        if fault == "kill":
            self.on_kill()
        if fault in ("timeout", "kill"):
            return self._held.append(handler.connection)
        if fault == "reset":
            return None
        text = json.dumps(content).encode()
        if fault == "truncated":
            text = text[: int(self.rng.integers(len(text)))]
        if fault == "malformed":
            spoilt = (
                b"<html>busy</html>",
                b"[1, 2]",
                b"{}",
                b'{"action": 3}',
                b'{"client_pos": 7}',
                text.replace(b'"action"', b'"a"'),
            )
            text = spoilt[int(self.rng.integers(len(spoilt)))]
        if self._down:  # nobody listens when the client comes next
            handler.server.socket.close()
        handler.send_response(500 if fault == "status_500" else 200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(text) + 10 * (fault == "truncated")))
        handler.end_headers()
        handler.wfile.write(text)

    # --- the wire -------------------------------------------------------------------------------------------

    def _listen(self, port: int) -> HTTPServer:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                owner.handle(self)

            def log_message(self, *_: object) -> None:
                pass

        class Listener(HTTPServer):
            timeout = 0.01

            def server_bind(self) -> None:  # HTTPServer's own asks for the host's name
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                self.socket.bind(self.server_address)
                self.server_address = self.socket.getsockname()

            def shutdown_request(self, request: socket.socket) -> None:
                if request not in owner._held:
                    super().shutdown_request(request)

            def handle_error(self, request: socket.socket, client_address: tuple) -> None:
                if not isinstance(sys.exc_info()[1], OSError):  # a client that has gone is no mistake of the server's
                    owner.errors.append(repr(sys.exc_info()[1]))

        return Listener(("127.0.0.1", port), Handler)

    def _serve(self) -> None:
        while not self._stop.is_set():
            self._http.handle_request()
            if self._down:
                time.sleep(self._down)
                self._down = 0.0
                self._http = self._listen(self.port)

    def __enter__(self) -> "SlumbotServer":
        self.errors: list[str] = []
        self._stop = threading.Event()
        self._http = self._listen(0)
        self.port = self._http.server_address[1]
        self.base = f"http://127.0.0.1:{self.port}/api/"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        self._http.server_close()
        for connection in self._held:
            connection.close()
