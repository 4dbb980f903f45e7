"""Local best response (LBR): a lower bound on a strategy's exploitability, with any bet sizes (Lisy
& Bowling 2017).

The responder knows the strategy, and so at any time the distribution of its hand given the betting.
At a decision it looks one step ahead, as if both players checked or called from then on: with `wp`,
its probability of winning the showdown, `pot`, and the amount `call` to call,

    fold 0,   call wp pot - (1 - wp) call,
    raise by a: fp pot + (1 - fp) (wp' (pot + a) - (1 - wp') (call + a)),

where fp is the probability that the strategy folds, and wp' that of winning against the hands with
which it does not. The responder takes the best action if its value is above 0, and else folds; on
streets where it is switched off it checks or calls.

All of the responder's holes are followed at once along the betting lines that they choose, against
all of the strategy's holes and actions. So deal, seat and mixed actions add no variance and there
is nothing for duplicate deals to cancel: only boards are sampled. All-ins before the river are
valued over all cards to come.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, COMBOS, HOLE_CARDS, N_CLASSES, N_HOLES
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, net_wins
from faceup.holdem.agents import Action, Agent, Reading
from faceup.holdem.betting_lines import legal_action
from faceup.holdem.board import board_order
from faceup.holdem.match import mean_result, random_boards, random_holes
from faceup.holdem.rules import (
    FOLD_END,
    MBB_PER_DOLLAR,
    START,
    BettingState,
    act,
    legal_raises,
    pot_and_call,
)
from faceup.holdem.showdown import free_holes
from faceup.util.memo import memo
from faceup.util.parallel import parallel
from faceup.util.progress import Progress
from faceup.util.rng import Stream, rng

_HOLES = (1326, 1176, 1128, 1081)  # that the board of a street leaves
_OPPOSING = (1225, 1081, 1035, 990)  # that the board and a hole leave
_RUNOUTS = (RUNOUTS_PREFLOP, RUNOUTS_FLOP, 44, 1)
# lines on which fewer of the strategy's holes are left are not followed (below 0.02 mbb each)
_LEAST_REACH = 1e-4

# the agent's readings of the line so far, with its reach (1326,) at each
Range = list[tuple[Reading, np.ndarray]]


@njit(cache=True)
def _add_wins_of_held(holes, strength_start, held, strength, net):
    """Add to net (n_held, 1326) int32 +1 where a held hole beats another on a river board, -1 where
    it loses to it.

    holes (1081,) int16, strength_start (n_strengths + 1,) int32: of `BoardOrder`; held (n_held,)
    int64; strength (1326,) int32 is overwritten.
    """
    strength[:] = -1
    for k in range(strength_start.shape[0] - 1):
        for i in range(strength_start[k], strength_start[k + 1]):
            strength[holes[i]] = k
    for i in range(held.shape[0]):
        own = strength[held[i]]
        if own < 0:
            continue
        for j in range(strength.shape[0]):
            if strength[j] >= 0:
                net[i, j] += int(own > strength[j]) - int(own < strength[j])


class Showdowns:
    """The responder's net wins at showdowns on one board of five cards."""

    def __init__(
        self, board: Sequence[int], preflop_wins: np.ndarray, holes: np.ndarray | None = None
    ):
        """preflop_wins (169, 169): of cards/matchups; holes (n_held,): that the responder may hold
        (None: all 1,326).
        """
        self.board = [int(c) for c in board]
        self.held = np.arange(N_HOLES) if holes is None else np.asarray(holes)
        of_classes = net_wins(preflop_wins, RUNOUTS_PREFLOP) / (COMBOS[:, None] * COMBOS)
        self._preflop = of_classes[CLASS_OF_HOLE[self.held]]
        mine, theirs = HOLE_CARDS[self.held][:, None, :, None], HOLE_CARDS[None, :, None, :]
        self._disjoint = (~(mine == theirs).any(axis=(2, 3))).astype(np.float64)  # (n_held, 1326)
        self._tables: dict[int, np.ndarray] = {}

    def opposing(self, weights: np.ndarray) -> np.ndarray:
        """The weight of holes that share no card with each held one, (n, n_held) float64; weights
        (n, 1326).
        """
        return weights @ self._disjoint.T

    def net_wins(self, street: int, weights: np.ndarray) -> np.ndarray:
        """The weight of holes that each held one beats less that of holes it loses to, averaged
        over the cards to come: (n, n_held) float64.

        weights (n, 1326): of opposing holes, 0 where the street's board blocks them. Before the
        flop holes of one starting hand must have equal weights, as they have against a strategy
        that treats all suits equally.
        """
        if street == 0:
            sums = [np.bincount(CLASS_OF_HOLE, weights=w, minlength=N_CLASSES) for w in weights]
            return np.stack(sums) @ self._preflop.T
        if street not in self._tables:
            self._tables[street] = self._table(street)
        return (np.asarray(weights, dtype=np.float32) @ self._tables[street].T).astype(np.float64)

    def _table(self, street: int) -> np.ndarray:
        """Share of runouts on which a held hole beats another, less that on which it loses:
        (n_held, 1326) float32.
        """
        shown = self.board[: BOARD_CARDS[street]]
        strength = np.empty(N_HOLES, dtype=np.int32)
        net = np.zeros((len(self.held), N_HOLES), dtype=np.int32)
        for more in combinations([c for c in range(52) if c not in shown], 5 - len(shown)):
            _add_wins_of_held(*board_order(np.array([*shown, *more])), self.held, strength, net)
        return (self._disjoint * net / _RUNOUTS[street]).astype(np.float32)


class Lookahead(NamedTuple):
    """The streets on which the responder looks ahead, and its raises besides all-in."""

    streets: tuple[int, ...]
    sizes: tuple[float, ...]  # fractions of the pot after calling


# of Lisy & Bowling 2017: 55 sizes and all-in on all streets; fold, call, pot, all-in on turn and
# river
LBR_SETTINGS = {
    "56 bets": Lookahead((0, 1, 2, 3), tuple(0.05 * 1.15**k for k in range(55))),
    "fcpa": Lookahead((2, 3), (1,)),
}


class LocalResult(NamedTuple):
    """What a local best responder wins, as `Result`, and how it does it."""

    mbb: float
    ci95: float
    boards: int
    bets: np.ndarray  # as of `LocalResponder`, sums over boards


class LocalResponder:
    """A local best responder to one agent on one board."""

    def __init__(self, agent: Agent, setting: Lookahead, showdowns: Showdowns):
        """agent: must treat all suits equally; showdowns: of the holes that the responder may hold:
        all, or some that are free of the board.
        """
        self.agent, self.setting, self.showdowns = agent, setting, showdowns
        # how often it has bet each size on each street, all-in last
        self.bets = np.zeros((4, len(setting.sizes) + 1))

    def play(self) -> list[float]:
        """Dollars a game that the responder wins as small blind and as big blind."""
        holes = np.ones(len(self.showdowns.held), dtype=bool)
        return [self.value(START, seat, holes, [("", np.ones(N_HOLES))]) for seat in range(2)]

    def value(self, state: BettingState, seat: int, holes: np.ndarray, agent_range: Range) -> float:
        """Dollars that the responder in a seat wins from a state on; holes (n_held,) bool: those
        with which it gets there.
        """
        if not holes.any() or sum(reach.sum() for _, reach in agent_range) < _LEAST_REACH:
            return 0.0
        if state.actor == seat:
            won = 0.0
            for action, chosen in self._choices(state, holes, agent_range):
                seen = [
                    (after, reach * p)
                    for reading, reach in agent_range
                    for after, p in self.agent.readings(reading, state, action)
                ]
                won += self._after(state, action, seat, chosen, seen)
            return won
        ranges: dict[Action, Range] = {}
        for reading, reach in agent_range:
            p = self.agent.probabilities(np.arange(N_HOLES), self._board(state.street), reading)
            for k, label in enumerate(self.agent.legal(reading)):
                action = legal_action(label, state)
                after = self.agent.readings(reading, state, action, k)[0][0]
                ranges.setdefault(action, []).append((after, reach * p[:, k]))
        return sum(self._after(state, action, seat, holes, r) for action, r in ranges.items())

    def _after(
        self, state: BettingState, action: Action, seat: int, holes: np.ndarray, agent_range: Range
    ) -> float:
        """Dollars after an action: the payoff where the hand ends, else the value from there on."""
        after, kind = act(state, *action)
        if after is None:
            put = [sum(bets) for bets in state.bets]
            reach = sum((r for _, r in agent_range), np.zeros(N_HOLES))[None]
            if kind == FOLD_END:
                won = -put[seat] if state.actor == seat else put[1 - seat]
                dollars = self.showdowns.opposing(reach)[0] * won
            else:
                dollars = self.showdowns.net_wins(state.street, reach)[0] * max(put)
            n_holes = min(_HOLES[state.street], len(holes))
            return float(dollars[holes].sum()) / (n_holes * _OPPOSING[state.street])
        if after.street > state.street:
            free = free_holes(self._board(after.street))
            holes = holes & free[self.showdowns.held]
            agent_range = [(reading, reach * free) for reading, reach in agent_range]
        return self.value(after, seat, holes, agent_range)

    def _board(self, street: int) -> list[int]:
        return self.showdowns.board[: BOARD_CARDS[street]]

    def _choices(
        self, state: BettingState, holes: np.ndarray, agent_range: Range
    ) -> list[tuple[Action, np.ndarray]]:
        """The responder's actions and the holes with which it takes each."""
        if state.street not in self.setting.streets:
            return [(("call", 0), holes)]
        (pot, to_call), (least, most), amounts = pot_and_call(state), legal_raises(state), []
        base = state.bets[1 - state.actor][state.street]
        if least:
            sized = {base + round(size * (pot + to_call)) for size in self.setting.sizes}
            amounts = sorted(a for a in sized if least <= a < most) + [most]
        actions = [("call", 0), *(("raise", amount) for amount in amounts)]
        values = self.action_values(state, agent_range, amounts)
        best = values.argmax(axis=0)
        if to_call > 0:
            actions.append(("fold", 0))
            best[values.max(axis=0) <= 0] = len(actions) - 1
        chosen = [(action, holes & (best == k)) for k, action in enumerate(actions)]
        chosen = [(action, some) for action, some in chosen if some.any()]
        for (action, amount), some in chosen:
            if action == "raise":
                size = (amount - base) / (pot + to_call)
                at = np.abs(np.array([*self.setting.sizes, np.inf]) - size).argmin()
                weight = some.sum() * sum(reach.sum() for _, reach in agent_range)
                self.bets[state.street, -1 if amount == most else at] += weight
        return chosen

    def action_values(
        self, state: BettingState, agent_range: Range, amounts: list[int]
    ) -> np.ndarray:
        """Dollars of a call and of each raise one step ahead, times the agent's reach: (1 +
        n_raises, n_held).
        """
        reach = sum(r for _, r in agent_range)
        folding = self._folding(state, agent_range, amounts)
        staying = np.array([reach, *(reach - folds for folds in folding)])
        total = self.showdowns.opposing(staying)
        net = self.showdowns.net_wins(state.street, staying)
        win, lose = (total + net) / 2, (total - net) / 2
        pot, to_call = pot_and_call(state)
        base = state.bets[1 - state.actor][state.street]
        more = np.array([0, *(amount - base for amount in amounts)])[:, None]
        return (total[0] - total) * pot + win * (pot + more) - lose * (to_call + more)

    def _folding(self, state: BettingState, agent_range: Range, amounts: list[int]) -> np.ndarray:
        """The agent's reach that folds to each raise, (n_raises, 1326)."""
        out, board = np.zeros((len(amounts), N_HOLES)), self._board(state.street)
        # a raise ends no hand
        afters = [act(state, "raise", amount)[0] or state for amount in amounts]
        for reading, reach in agent_range:
            readings = [
                (k, after, p)
                for k, amount in enumerate(amounts)
                for after, p in self.agent.readings(reading, state, ("raise", amount))
            ]
            if readings:
                seen = [(after, afters[k]) for k, after, _ in readings]
                folds = self.agent.fold_probabilities(np.arange(N_HOLES), board, seen)
                for (k, _, p), of_one in zip(readings, folds, strict=True):
                    out[k] += p * reach * of_one
        return out


def evaluate_lbr(
    agent: Agent, seed: int, boards: int, holes: int, preflop_wins: np.ndarray, name: str = ""
) -> dict[str, LocalResult]:
    """What a local best responder wins from an agent in each of `LBR_SETTINGS`, on the same boards
    for all agents.

    boards, holes: the number of boards, and of random holes that the responder may hold on each;
    name: of the agent, for a line of progress. Stored by `memo`; runs on processes, as most of it
    is Python.
    """
    dealt = random_boards(boards, rng(seed, "evaluation/local boards")).tolist()
    subset = holes, partial(rng, seed, "evaluation/local hands")
    progress = Progress(f"local best response to {name}, boards", boards)
    return memo(lbr_on_boards, agent, LBR_SETTINGS, dealt, preflop_wins, subset, progress)


def lbr_on_boards(
    agent: Agent,
    settings: Mapping[str, Lookahead],
    boards: Sequence[Sequence[int]],
    preflop_wins: np.ndarray,
    subset: tuple[int, Stream] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[str, LocalResult]:
    """What a local best responder wins from an agent in each setting, on boards (n, 5) as dealt.

    preflop_wins (169, 169): of cards/matchups; subset: the number of random holes that it may hold
    on a board, and their stream (None: it may hold any).
    """
    play = partial(_play, agent, [*settings.values()], preflop_wins, subset)
    played = parallel(play, [*enumerate(boards)], progress, processes=True)
    found = {}
    for key, of_setting in zip(settings, zip(*played, strict=True), strict=True):
        won, bets = zip(*of_setting, strict=True)
        dollars = np.mean(won, axis=1)
        found[key] = LocalResult(*mean_result(MBB_PER_DOLLAR * dollars), np.sum(bets, axis=0))
    return found


def _play(
    agent: Agent,
    settings: Sequence[Lookahead],
    preflop_wins: np.ndarray,
    subset: tuple[int, Stream] | None,
    numbered: tuple[int, Sequence[int]],
) -> list[tuple[list[float], np.ndarray]]:
    """Dollars of the responder in both seats on a board, and its bets, in each setting."""
    k, board = numbered
    held = None if subset is None else random_holes(board, subset[0], subset[1](k))
    showdowns, found = Showdowns(board, preflop_wins, held), []
    for setting in settings:
        responder = LocalResponder(agent, setting, showdowns)
        found.append((responder.play(), responder.bets))
    return found
