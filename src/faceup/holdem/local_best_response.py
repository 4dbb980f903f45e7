"""Local best response: a lower bound on what a strategy can be made to lose, with any bet sizes
(Lisy & Bowling 2017).

The local responder knows the strategy, and so at any time the distribution of the strategy's hand
given all that was done. At its turn it looks one step ahead, as if after its action all were
checked or called to the showdown: with `wp`, its chance to win that showdown, `pot` and the amount
`asked` to call

    fold 0,   call wp pot - (1 - wp) asked,
    raise by a: fp pot + (1 - fp) (wp' (pot + a) - (1 - wp') (asked + a)),

where fp is the chance that the strategy folds and wp' the chance to win against the hands with
which it does not. The best is played if it is above 0, else the hand is folded; on streets where
the responder is switched off it checks or calls.

All of the responder's holes are followed at once along the betting lines that they choose, against
all of the strategy's holes and all of its actions. So there is no luck in deal, seat or mixed
actions, and nothing left for duplicate hands to cancel: only boards are sampled. All-ins before the
river are valued over all cards to come.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, N_HOLES
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, net_wins
from faceup.holdem.agents import Action, Agent, View
from faceup.holdem.betting_lines import legal_action
from faceup.holdem.board import board_order, free_holes
from faceup.holdem.match import Result, mean_result, random_boards
from faceup.holdem.rules import (
    FOLD_END,
    MBB_PER_DOLLAR,
    START,
    BettingState,
    act,
    legal_raises,
    pot_and_call,
)
from faceup.util.memo import memo
from faceup.util.parallel import parallel
from faceup.util.progress import Progress
from faceup.util.rng import Stream, rng

_HOLES = (1326, 1176, 1128, 1081)  # that the board of a street leaves
_OPPOSING = (1225, 1081, 1035, 990)  # and that a hole leaves then
_RUNOUTS = (RUNOUTS_PREFLOP, RUNOUTS_FLOP, 44, 1)
# holes: lines on which fewer of the strategy's are left are not followed (below 0.02 mbb each)
_LEAST_REACH = 1e-4

# the agent's views of the line so far, and its reach (1326,) with each
Range = list[tuple[View, np.ndarray]]


@njit(cache=True)
def _add_wins_of_held(holes, class_start, held, place, net):
    """Add to net (n_held, 1326) int32 +1 where a held hole is stronger on a river board than
    another, -1 where it is weaker.

    holes (1081,), class_start: of `BoardOrder`; place (1326,) int32 is written.
    """
    place[:] = -1
    for k in range(class_start.shape[0] - 1):
        for i in range(class_start[k], class_start[k + 1]):
            place[holes[i]] = k
    for i in range(held.shape[0]):
        own = place[held[i]]
        if own < 0:
            continue
        for j in range(place.shape[0]):
            if place[j] >= 0:
                net[i, j] += int(own > place[j]) - int(own < place[j])


class Showdowns:
    """What the responder's holes win on one board of five cards: sums over weights of the agent's
    holes.
    """

    def __init__(
        self, board: Sequence[int], preflop_wins: np.ndarray, holes: np.ndarray | None = None
    ):
        """preflop_wins (169, 169): of cards/matchups; holes (n_held,): that the responder may hold
        (None: all 1,326).

        Raises ValueError on anything but five distinct cards.
        """
        self.board = [int(c) for c in board]
        board_order(np.array(self.board))
        self.held = np.arange(N_HOLES) if holes is None else np.asarray(holes)
        combos = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)
        self._preflop = (net_wins(preflop_wins, RUNOUTS_PREFLOP) / (combos[:, None] * combos))[
            CLASS_OF_HOLE[self.held]
        ]
        mine, theirs = HOLE_CARDS[self.held][:, None, :, None], HOLE_CARDS[None, :, None, :]
        self._apart = (~(mine == theirs).any(axis=(2, 3))).astype(np.float64)  # (n_held, 1326)
        self._tables: dict[int, np.ndarray] = {}

    def opposing(self, weights: np.ndarray) -> np.ndarray:
        """The weight of holes that share no card with each held one; weights (n, 1326), returns (n,
        n_held) float64.
        """
        return weights @ self._apart.T

    def net_wins(self, street: int, weights: np.ndarray) -> np.ndarray:
        """The weights of holes that each held one beats less those it loses to, mean over the cards
        to come: (n, n_held) float64.

        weights (n, 1326): of opposing holes, 0 where the street's board blocks them. Before the
        flop weights of holes of one starting hand must be equal, as they are against a strategy
        that treats suits alike.
        """
        if street == 0:
            classes = np.stack(
                [np.bincount(CLASS_OF_HOLE, weights=w, minlength=N_CLASSES) for w in weights]
            )
            return classes @ self._preflop.T
        if street not in self._tables:
            self._tables[street] = self._table(street)
        return (np.asarray(weights, dtype=np.float32) @ self._tables[street].T).astype(np.float64)

    def _table(self, street: int) -> np.ndarray:
        """Runouts on which a held hole beats another less those on which it loses, as a share,
        (n_held, 1326) float32.
        """
        shown, place = self.board[: BOARD_CARDS[street]], np.empty(N_HOLES, dtype=np.int32)
        net = np.zeros((len(self.held), N_HOLES), dtype=np.int32)
        for more in combinations([c for c in range(52) if c not in shown], 5 - len(shown)):
            _add_wins_of_held(*board_order(np.array([*shown, *more])), self.held, place, net)
        return (self._apart * net / _RUNOUTS[street]).astype(np.float32)


class Lookahead(NamedTuple):
    """When the local responder thinks, and what it may raise beside all-in."""

    streets: tuple[int, ...]
    # fractions of the pot after calling; None: it never raises, not even all-in
    sizes: tuple[float, ...] | None


# of Lisy & Bowling 2017: 55 sizes and all-in on all rounds; fold, call, pot, all-in on turn and
# river
LBR_SETTINGS = {
    "56 bets": Lookahead((0, 1, 2, 3), tuple(0.05 * 1.15**k for k in range(55))),
    "fcpa": Lookahead((2, 3), (1,)),
}


class LocalResponder(NamedTuple):
    """A local best responder to one agent on one board."""

    agent: Agent  # must treat suits alike
    setting: Lookahead
    showdowns: Showdowns  # of the holes that it may hold: all, or some that are free of the board

    def play(self) -> tuple[float, float]:
        """Dollars a game that the responder wins as small blind and as big blind."""
        start = np.ones(len(self.showdowns.held), dtype=bool), [("", np.ones(N_HOLES))]
        won = [
            self._replace(agent=self.agent.seated(1 - seat)).value(START, seat, *start)
            for seat in range(2)
        ]
        return won[0], won[1]

    def value(self, state: BettingState, seat: int, holes: np.ndarray, agent_range: Range) -> float:
        """Dollars from a state on to the responder in a seat, with those of its holes (n_held,)
        bool that come here.
        """
        if not holes.any() or sum(reach.sum() for _, reach in agent_range) < _LEAST_REACH:
            return 0.0
        if state.actor != seat:
            moves: dict[Action, Range] = {}
            for view, reach in agent_range:
                for move, after, p in self._moves(view, state):
                    moves.setdefault(move, []).append((after, reach * p))
            return sum(
                self._after(state, move, seat, holes, ranges) for move, ranges in moves.items()
            )
        won = 0.0
        for move, chosen in self._choices(state, holes, agent_range):
            seen = [
                (v, reach * p)
                for view, reach in agent_range
                for v, p in self.agent.views(view, state, move)
            ]
            won += self._after(state, move, seat, chosen, seen)
        return won

    def _after(
        self, state: BettingState, move: Action, seat: int, holes: np.ndarray, agent_range: Range
    ) -> float:
        """Dollars once a move is made in a state: what the hand's end pays, or what follows."""
        after, kind = act(state, *move)
        if after is None:
            put, reach = (
                [sum(bets) for bets in state.bets],
                sum((r for _, r in agent_range), np.zeros(N_HOLES)),
            )
            if kind == FOLD_END:
                dollars = self.showdowns.opposing(reach[None])[0] * (
                    -put[seat] if state.actor == seat else put[1 - seat]
                )
            else:
                dollars = self.showdowns.net_wins(state.street, reach[None])[0] * max(put)
            n_holes = min(_HOLES[state.street], len(holes))
            return float(dollars[holes].sum()) / (n_holes * _OPPOSING[state.street])
        if after.street > state.street:
            free = free_holes(self._shown(after.street))
            holes, agent_range = (
                holes & free[self.showdowns.held],
                [(view, reach * free) for view, reach in agent_range],
            )
        return self.value(after, seat, holes, agent_range)

    def _shown(self, street: int) -> list[int]:
        return self.showdowns.board[: BOARD_CARDS[street]]

    def _moves(self, view: View, state: BettingState) -> list[tuple[Action, View, np.ndarray]]:
        """The agent's moves in a state, the view it has after each, and each one's probability for
        each hole, (1326,).
        """
        p = self.agent.probabilities(np.arange(N_HOLES), self._shown(state.street), view)
        moves = [legal_action(label, state) for label in self.agent.legal(view)]
        return [
            (move, self.agent.views(view, state, move, k)[0][0], p[:, k])
            for k, move in enumerate(moves)
        ]

    def _choices(
        self, state: BettingState, holes: np.ndarray, agent_range: Range
    ) -> list[tuple[Action, np.ndarray]]:
        """The responder's moves and the holes with which it makes each."""
        if state.street not in self.setting.streets:
            return [(("call", 0), holes)]
        (pot, asked), (least, most), amounts = pot_and_call(state), legal_raises(state), []
        if least and self.setting.sizes is not None:
            base = state.bets[1 - state.actor][state.street]
            sized = {base + round(size * (pot + asked)) for size in self.setting.sizes}
            amounts = sorted(a for a in sized if least <= a < most) + [most]
        moves = [("call", 0), *(("raise", amount) for amount in amounts)]
        worth = self.action_values(state, agent_range, amounts)
        best = worth.argmax(axis=0)
        if asked > 0:
            moves.append(("fold", 0))
            best[worth.max(axis=0) <= 0] = len(moves) - 1
        return [
            (move, holes & (best == k))
            for k, move in enumerate(moves)
            if (holes & (best == k)).any()
        ]

    def action_values(
        self, state: BettingState, agent_range: Range, amounts: list[int]
    ) -> np.ndarray:
        """What call and each raise are worth one step ahead, (1 + n_raises, n_held), times the
        agent's reach.
        """
        reach = sum(r for _, r in agent_range)
        staying = np.array(
            [reach, *(reach - folding for folding in self._folding(state, agent_range, amounts))]
        )
        total = self.showdowns.opposing(staying)
        edge = self.showdowns.net_wins(state.street, staying)
        win, lose = (total + edge) / 2, (total - edge) / 2
        pot, asked = pot_and_call(state)
        more = np.array(
            [0, *(amount - state.bets[1 - state.actor][state.street] for amount in amounts)]
        )[:, None]
        return (total[0] - total) * pot + win * (pot + more) - lose * (asked + more)

    def _folding(self, state: BettingState, agent_range: Range, amounts: list[int]) -> np.ndarray:
        """The agent's reach that folds to each raise, (n_raises, 1326)."""
        out, board = np.zeros((len(amounts), N_HOLES)), self._shown(state.street)
        # a raise ends no hand
        afters = [act(state, "raise", amount)[0] or state for amount in amounts]
        for view, reach in agent_range:
            views = [self.agent.views(view, state, ("raise", amount)) for amount in amounts]
            asked = [(k, *reading) for k, readings in enumerate(views) for reading in readings]
            if asked:
                p = self.agent.fold_probabilities(
                    np.arange(N_HOLES), board, [(seen, afters[k]) for k, seen, _ in asked]
                )
                for (k, _, chance), folds in zip(asked, p, strict=True):
                    out[k] += chance * reach * folds
        return out


def evaluate_lbr(
    agent: Agent, seed: int, boards: int, holes: int, preflop_wins: np.ndarray, name: str = ""
) -> dict[str, Result]:
    """What local best responders win from an agent in each of `LBR_SETTINGS`, on the boards on which
    every agent is judged.

    boards, holes: how many boards, and how many random holes the responder may hold on each; name:
    of the agent, for a line of progress. Stored by `memo`, and computed on processes: most of it is
    Python.
    """
    dealt = random_boards(boards, rng(seed, "evaluation/local boards")).tolist()
    held, progress = (
        (holes, partial(rng, seed, "evaluation/local hands")),
        Progress(f"local best response to {name}, boards", boards),
    )
    return memo(lbr_on_boards, agent, LBR_SETTINGS, dealt, preflop_wins, held, progress)


def lbr_on_boards(
    agent: Agent,
    settings: Mapping[str, Lookahead],
    boards: Sequence[Sequence[int]],
    preflop_wins: np.ndarray,
    subset: tuple[int, Stream] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, Result]:
    """What a local best responder wins from an agent in each setting, over boards as dealt.

    preflop_wins (169, 169): of cards/matchups; subset: how many random holes it may hold on a
    board, and the stream that these come from (None: it holds any).
    """
    play = partial(_play, agent, [*settings.values()], preflop_wins, subset)
    won = np.array(parallel(play, [*enumerate(boards)], progress, processes=True))
    return {
        key: mean_result(MBB_PER_DOLLAR * of_one)
        for key, of_one in zip(settings, won.mean(axis=2).T, strict=True)
    }


def _play(
    agent: Agent,
    settings: Sequence[Lookahead],
    preflop_wins: np.ndarray,
    subset: tuple[int, Stream] | None,
    numbered: tuple[int, Sequence[int]],
) -> list[tuple[float, float]]:
    """Dollars of the responder in both seats on a board, in each setting."""
    k, board = numbered
    held = subset and subset[1](k).choice(
        np.flatnonzero(free_holes(list(board))), subset[0], replace=False
    )
    showdowns = Showdowns(board, preflop_wins, held)
    return [LocalResponder(agent, setting, showdowns).play() for setting in settings]
