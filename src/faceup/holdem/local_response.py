"""Local best response: a lower bound on what a strategy can be made to lose, with any bet sizes (Lisy & Bowling 2017).

The local responder knows the strategy, and so at any time the distribution of the strategy's hand given all that was done. At
its turn it looks one step ahead, as if after its action all were checked or called to the showdown: with `wp`, its chance to
win that showdown, `pot` and the amount `asked` to call

    fold 0,   call wp pot - (1 - wp) asked,
    raise by a: fp pot + (1 - fp) (wp' (pot + a) - (1 - wp') (asked + a)),

where fp is the chance that the strategy folds and wp' the chance to win against the hands with which it does not. The best is
played if it is above 0, else the hand is folded; on streets where the responder is switched off it checks or calls.

All of the responder's holes are followed at once along the betting lines that they choose, against all of the strategy's holes
and all of its actions. So there is no luck in deal, seat or mixed actions, and nothing left for duplicate hands to cancel: only
boards are sampled. All-ins before the river are valued over all cards to come.

Who wins a showdown is an edge, wins less losses, for every hole against any weights of opposing holes (`Showdowns`). Before
the flop it comes from the counts of cards/matchups, on flop and turn from a table of all pairs of holes over the 990 or 44
runouts, on the river from one sweep through the holes by strength.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, N_HOLES
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, edges
from faceup.holdem.board import _order, board_order
from faceup.holdem.lines import legal_action
from faceup.holdem.policy import Action, Agent, View, compatible_weight, free_holes
from faceup.holdem.rules import FOLD_END, MBB_PER_DOLLAR, START, BettingState, act, legal_raises, pot_and_call
from faceup.lab.parallel import on_threads, parallel
from faceup.lab.rng import Stream
from faceup.lab.stats import mean_ci95

_HOLES = (1326, 1176, 1128, 1081)  # that the board of a street leaves
_OPPOSING = (1225, 1081, 1035, 990)  # and that a hole leaves then
_LEAST_REACH = 1e-4  # holes: lines on which fewer of the strategy's are left are not followed (below 0.02 mbb each)

Key = TypeVar("Key", bound=Hashable)
Range = list[tuple[View, np.ndarray]]  # the agent's views of the line so far, and its reach (1326,) with each

_ROWS = 64  # holes whose rows are filled together, while they are in the processor's cache
_RUNOUTS = (RUNOUTS_PREFLOP, RUNOUTS_FLOP, 44, 1)


@njit(cache=True)
def _strengths(boards):
    """Strength of every hole on river boards (n, 5), thrice, each (n, 1326) int16, with another value for blocked holes.

    strength: -1 there; beaten: more than any, so that nothing wins against them; beats: less than any, so that nothing loses.
    """
    strength = np.full((boards.shape[0], N_HOLES), -1, np.int16)
    beaten, beats = np.full_like(strength, 1000), np.full_like(strength, -1000)
    for b in range(boards.shape[0]):
        order = _order(boards[b])
        for k in range(order.class_start.shape[0] - 1):
            for i in range(order.class_start[k], order.class_start[k + 1]):
                h = order.holes[i]
                strength[b, h], beaten[b, h], beats[b, h] = k, k, k
    return strength, beaten, beats


@njit(cache=True, nogil=True)
def _pair_edges(share, strength, beaten, beats, total):
    """Add wins less losses of every two holes over boards to total (1326, 1326) int16; blocked holes add nothing."""
    n_holes = strength.shape[1]
    for part in range(share[0], (n_holes + _ROWS - 1) // _ROWS, share[1]):
        for b in range(strength.shape[0]):
            over, under = beaten[b], beats[b]
            for i in range(part * _ROWS, min((part + 1) * _ROWS, n_holes)):
                s, row = strength[b, i], total[i]
                if s >= 0:
                    for j in range(row.shape[0]):
                        row[j] += np.int16(s > over[j]) - np.int16(s < under[j])


@njit(cache=True)
def _river_edges(order, start, weights, out):
    """Edges of each hole of a river board against weights (n, 1326): out (n, 1326), zero at first."""
    for n in range(weights.shape[0]):
        w, by_card, total = weights[n], np.zeros(52), 0.0
        for sign in (1.0, -1.0):  # from weak to strong the wins, from strong to weak the losses
            by_card[:] = 0
            total = 0.0
            for step in range(start.shape[0] - 1):
                k = step if sign > 0 else start.shape[0] - 2 - step
                for i in range(start[k], start[k + 1]):
                    h = order[i]
                    out[n, h] += sign * (total - by_card[HOLE_CARDS[h, 0]] - by_card[HOLE_CARDS[h, 1]])
                for i in range(start[k], start[k + 1]):
                    h = order[i]
                    by_card[HOLE_CARDS[h, 0]] += w[h]
                    by_card[HOLE_CARDS[h, 1]] += w[h]
                    total += w[h]


# two holes that cannot be dealt together, (1326, 1326)
_SHARED = (HOLE_CARDS[:, None, :, None] == HOLE_CARDS[None, :, None, :]).any(axis=(2, 3))


def _edge_table(shown: list[int]) -> np.ndarray:
    """Boards on which a hole beats another less those on which it loses, of all that go on from a flop or turn: (1326, 1326)."""
    rest = [c for c in range(52) if c not in shown]
    boards = np.array([[*shown, *more] for more in combinations(rest, 5 - len(shown))])
    total = np.zeros((N_HOLES, N_HOLES), dtype=np.int16)
    on_threads(_pair_edges, *_strengths(boards), total)
    total[_SHARED] = 0
    return total.astype(np.float32)


class Showdowns:
    """Edges on each street of one board of five cards."""

    def __init__(self, board: Sequence[int], preflop_wins: np.ndarray):
        """preflop_wins (169, 169): of cards/matchups. Raises ValueError on anything but five distinct cards."""
        self.board = [int(c) for c in board]
        self._order = board_order(np.array(self.board))
        combos = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)
        self._preflop = edges(preflop_wins, RUNOUTS_PREFLOP) / (combos[:, None] * combos)
        self._tables: dict[int, np.ndarray] = {}

    def edges(self, street: int, weights: np.ndarray) -> np.ndarray:
        """For each hole the weights of holes it beats less those it loses to, mean over the cards to come: (n, 1326) float64.

        weights (n, 1326): of opposing holes, 0 where the street's board blocks them. Before the flop weights of holes of one
        starting hand must be equal, as they are against a strategy that treats suits alike.
        """
        if street == 0:
            classes = np.stack([np.bincount(CLASS_OF_HOLE, weights=w, minlength=N_CLASSES) for w in weights])
            return (classes @ self._preflop.T)[:, CLASS_OF_HOLE]
        if street == 3:
            out = np.zeros(weights.shape)
            _river_edges(self._order.holes, self._order.class_start, np.asarray(weights, dtype=np.float64), out)
            return out
        if street not in self._tables:
            self._tables[street] = _edge_table(self.board[: street + 2]) / np.float32(_RUNOUTS[street])
        return (np.asarray(weights, dtype=np.float32) @ self._tables[street].T).astype(np.float64)


class Lookahead(NamedTuple):
    """When the local responder thinks, and what it may raise."""

    streets: tuple[int, ...]
    sizes: tuple[float, ...]  # raises as fractions of the pot after calling
    all_in: bool


SIZES_56 = tuple(0.05 * 1.15**k for k in range(55))  # and all-in
SETTINGS = {
    "fc, rounds 1-4": Lookahead((0, 1, 2, 3), (), False),
    "fcpa, rounds 3-4": Lookahead((2, 3), (1,), True),
    "56 bets, rounds 3-4": Lookahead((2, 3), SIZES_56, True),
    "56 bets, rounds 1-4": Lookahead((0, 1, 2, 3), SIZES_56, True),
}


class Bound(NamedTuple):
    """What a local best responder wins, mbb/g: mean over seats and boards."""

    mbb: float
    ci95: float  # half-width over boards
    boards: int


class LocalResponder(NamedTuple):
    """Local best responses to one agent in one setting."""

    agent: Agent  # must treat suits alike
    setting: Lookahead

    def play(self, showdowns: Showdowns, holes: np.ndarray | None = None) -> tuple[float, float]:
        """Dollars a game that the responder wins as small blind and as big blind on a board of five cards.

        holes: those that the responder may hold, all free of the board (None: every one that can be dealt).
        """
        may_hold, agent_range = np.zeros(N_HOLES, dtype=bool), [("", np.ones(N_HOLES))]
        may_hold[slice(None) if holes is None else holes] = True
        board = _Board(*self, showdowns, None if holes is None else len(holes))
        return board.value(START, 0, may_hold, agent_range), board.value(START, 1, may_hold, agent_range)


class _Board(NamedTuple):
    """A responder on one board."""

    agent: Agent
    setting: Lookahead
    showdowns: Showdowns
    n_holes: int | None = None  # that the responder may hold; None: all

    def value(self, state: BettingState, seat: int, holes: np.ndarray, agent_range: Range) -> float:
        """Dollars from a state on to the responder in a seat, with those of its holes (1326,) bool that come here."""
        if not holes.any() or sum(reach.sum() for _, reach in agent_range) < _LEAST_REACH:
            return 0.0
        if state.actor != seat:
            moves: dict[Action, Range] = {}
            for view, reach in agent_range:
                for move, after, p in self._moves(view, state):
                    moves.setdefault(move, []).append((after, reach * p))
            return sum(self._after(state, move, seat, holes, ranges) for move, ranges in moves.items())
        won = 0.0
        for move, chosen in self._choices(state, holes, agent_range):
            seen = [(v, reach * p) for view, reach in agent_range for v, p in self.agent.views(view, state, move)]
            won += self._after(state, move, seat, chosen, seen)
        return won

    def _after(self, state: BettingState, move: Action, seat: int, holes: np.ndarray, agent_range: Range) -> float:
        """Dollars once a move is made in a state: what the hand's end pays, or what follows."""
        after, kind = act(state, *move)
        if after is None:
            put, reach = [sum(bets) for bets in state.bets], sum((r for _, r in agent_range), np.zeros(N_HOLES))
            if kind == FOLD_END:
                dollars = compatible_weight(reach[None])[0] * (-put[seat] if state.actor == seat else put[1 - seat])
            else:
                dollars = self.showdowns.edges(state.street, reach[None])[0] * max(put)
            return float(dollars[holes].sum()) / ((self.n_holes or _HOLES[state.street]) * _OPPOSING[state.street])
        if after.street > state.street:
            free = free_holes(self._shown(after.street))
            holes, agent_range = holes & free, [(view, reach * free) for view, reach in agent_range]
        return self.value(after, seat, holes, agent_range)

    def _shown(self, street: int) -> list[int]:
        return self.showdowns.board[: BOARD_CARDS[street]]

    def _moves(self, view: View, state: BettingState) -> list[tuple[Action, View, np.ndarray]]:
        """The agent's moves in a state, the view it has after each, and each one's probability for each hole, (1326,)."""
        p = self.agent.probabilities(np.arange(N_HOLES), self._shown(state.street), view)
        moves = [legal_action(label, state) for label in self.agent.legal(view)]
        return [(move, self.agent.views(view, state, move, k)[0][0], p[:, k]) for k, move in enumerate(moves)]

    def _choices(self, state: BettingState, holes: np.ndarray, agent_range: Range) -> list[tuple[Action, np.ndarray]]:
        """The responder's moves and the holes with which it makes each."""
        if state.street not in self.setting.streets:
            return [(("call", 0), holes)]
        (pot, asked), (least, most), amounts = pot_and_call(state), legal_raises(state), []
        if least:
            base = state.bets[1 - state.actor][state.street]
            sized = {base + round(size * (pot + asked)) for size in self.setting.sizes}
            amounts = sorted(a for a in sized if least <= a < most) + [most] * self.setting.all_in
        moves = [("call", 0), *(("raise", amount) for amount in amounts)]
        worth = self.worth(state, agent_range, amounts)
        best = worth.argmax(axis=0)
        if asked > 0:
            moves.append(("fold", 0))
            best[worth.max(axis=0) <= 0] = len(moves) - 1
        return [(move, holes & (best == k)) for k, move in enumerate(moves) if (holes & (best == k)).any()]

    def worth(self, state: BettingState, agent_range: Range, amounts: list[int]) -> np.ndarray:
        """What call and each raise are worth one step ahead, (1 + n_raises, 1326), times the agent's reach."""
        reach = sum(r for _, r in agent_range)
        staying = np.array([reach, *(reach - self._folding(state, agent_range, amount) for amount in amounts)])
        total = compatible_weight(staying)
        edge = self.showdowns.edges(state.street, staying)
        win, lose = (total + edge) / 2, (total - edge) / 2
        pot, asked = pot_and_call(state)
        more = np.array([0, *amounts])[:, None] - state.bets[1 - state.actor][state.street]
        more[0] = 0
        return (total[0] - total) * pot + win * (pot + more) - lose * (asked + more)

    def _folding(self, state: BettingState, agent_range: Range, amount: int) -> np.ndarray:
        """The agent's reach that folds to a raise, (1326,)."""
        move, folding = ("raise", amount), np.zeros(N_HOLES)
        after, _ = act(state, *move)
        assert after  # a raise ends nothing
        for view, reach in agent_range:
            for seen, chance in self.agent.views(view, state, move):
                folding += sum(chance * reach * p for answer, _, p in self._moves(seen, after) if answer[0] == "fold")
        return folding


def local_best_responses(
    responders: Mapping[Key, LocalResponder],
    boards: Sequence[Sequence[int]],
    preflop_wins: np.ndarray,
    subset: tuple[int, Stream] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[Key, Bound]:
    """What local best responders win over the same boards as dealt, which are shared out.

    preflop_wins (169, 169): of cards/matchups; subset: how many random holes they may hold on a board, and the stream that these
    come from; without it they hold any. Raises ValueError on fewer than two boards.
    """
    if len(boards) < 2:
        raise ValueError(f"boards: {len(boards)} given, expected at least 2 (the interval comes from their spread)")
    won = np.array(parallel(partial(_play, [*responders.values()], preflop_wins, subset), [*enumerate(boards)], progress))
    mbb = (mean_ci95(MBB_PER_DOLLAR * of_one) for of_one in won.mean(axis=2).T)
    return {key: Bound(float(mean), float(ci95), len(boards)) for key, (mean, ci95) in zip(responders, mbb, strict=True)}


def _play(
    responders: Sequence[LocalResponder],
    preflop_wins: np.ndarray,
    subset: tuple[int, Stream] | None,
    numbered: tuple[int, Sequence[int]],
) -> list[tuple[float, float]]:
    """Dollars of each responder in both seats on a board."""
    k, board = numbered
    showdowns, free = Showdowns(board, preflop_wins), np.flatnonzero(free_holes(list(board)))
    holes = subset and subset[1](k).choice(free, subset[0], replace=False)
    return [responder.play(showdowns, holes) for responder in responders]
