"""CFR-BR on all streets of hold'em (Johanson, Bard, Burch and Bowling 2012).

An iteration deals a flop, a turn card and some rivers, and then, for learners in both seats at once:

1. reach: how the learner comes to each decision with each hand, by its current strategy;
2. best response: the opponent holds real cards. From the turn on it knows the learner's strategy, and the rivers that may come,
   and takes the best actions. Before the turn, where an answer would have to be good on all cards to come, it learns by regrets,
   too, in groups of hands of its own;
3. values: what each action is worth to each of the learner's hands against that opponent;
4. regrets: the learner adds what each action would have won more than its strategy did.

That it knows which rivers may come makes the opponent stronger than any real one, the less so the more are dealt: 48 are all.

A learner who fears such an opponent in all hands wins less from others. So the opponent may be a mixture, a restricted Nash
response (Johanson, Zinkevich and Bowling 2007): its reach is known_share x best response + (1 - known_share) x a given table.

Values are counterfactual, sums over the other player's hands that a turn board leaves, on all streets: before the turn such a
sum is right in the mean over the boards dealt. All-ins before the flop have their exact value.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_OF_CLASS, N_CLASSES
from faceup.cards.matchups import RUNOUTS_PREFLOP, edges
from faceup.holdem.best_response import fold_values
from faceup.holdem.infosets import (
    N_EQUITIES,
    Abstraction,
    HandGroups,
    Infosets,
    Weights,
    make_infosets,
    make_street,
    strategy_rows,
    weights_of,
)
from faceup.holdem.layout import stakes_at
from faceup.holdem.policy import StreetRows, free_holes
from faceup.holdem.rules import FOLD_END, MBB_PER_DOLLAR, SHOWDOWN
from faceup.holdem.safe_river import Opponents, beginnings, best_responses, reach_before_river, rows_before_river, train_rivers
from faceup.holdem.subtrees import Beginnings, Player, make_rivers, new_player
from faceup.holdem.tree import BettingTree
from faceup.lab.memo import Cache
from faceup.lab.rng import Stream

N_TURN_PAIRS = 1128 * 1035  # ordered pairs of hands on a turn board
RIVERS = 48
_MISSED = (48 * 47 * 46 * 45) / (50 * 49 * 48 * 47)  # chance that a turn board, which a hand has missed, misses the other one
_COMBOS = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)


class Settings(NamedTuple):
    """How a learner is trained."""

    rivers: int  # dealt on each turn board, 1 to 48
    first_street: int  # that is learnt; on earlier ones the learner plays as it begins
    warm_start: float  # what that beginning counts, as regrets: dollars times pairs of hands
    known_share: float = 1.0  # of the hands in which the opponent knows the strategy, above 0; in the rest it plays its table


class SafeState(NamedTuple):
    """All that has been learnt."""

    regrets: Weights
    averages: Weights
    opponent: Weights  # its regrets before the turn
    iteration: int


@njit(cache=True)
def _best_actions(street, seat, value, answer):
    """A best response's values (n_nodes, 1326) of a street's decisions, and its strategy there, answer (width, 1326)."""
    best = np.empty(value.shape[1], dtype=np.int64)
    for d in range(street.node.shape[0] - 1, -1, -1):
        node, first, end = street.node[d], street.first_edge[d], street.end_edge[d]
        value[node], best[:] = value[street.start + first], first
        for e in range(first + 1, end):
            for h in range(value.shape[1]):
                x = value[street.start + e, h]
                if street.actor[d] != seat:
                    value[node, h] += x
                elif x > value[node, h]:
                    value[node, h], best[h] = x, e
        if street.actor[d] == seat:
            for h in range(value.shape[1]):
                answer[best[h], h] = np.float32(1)


@njit(cache=True)
def _add_regrets(street, seat, infosets, table, time, value, regrets):
    """Values (n_nodes, 1326) of a street's decisions to who plays a table (rows, width) in a seat, and its regrets."""
    for d in range(street.node.shape[0] - 1, -1, -1):
        node, own, situation = street.node[d], street.actor[d] == seat, infosets.situation[street.node[d]]
        first, end = street.first_edge[d], street.end_edge[d]
        for h in range(value.shape[1]):
            mean = np.float32(0)
            for e in range(first, end):
                x = value[street.start + e, h]
                mean += x * table[infosets.row[h], e] if own else x
            value[node, h] = mean
            if own:
                regret = regrets[infosets.of[infosets.row[h], situation]]
                for e in range(first, end):
                    regret[street.label[e]] += time * (value[street.start + e, h] - mean)


@njit(cache=True)
def _add_average(street, seat, infosets, table, time, reach, averages):
    """Add a player's strategy on a street, (rows, width), to its average, times its own reach (n_nodes, 1326) of decisions."""
    for d in range(street.node.shape[0]):
        if street.actor[d] == seat:
            node, situation = street.node[d], infosets.situation[street.node[d]]
            for h in range(reach.shape[1]):
                average = averages[infosets.of[infosets.row[h], situation]]
                for e in range(street.first_edge[d], street.end_edge[d]):
                    average[street.label[e]] += time * (reach[node, h] * table[infosets.row[h], e])


class SafeGame:
    """CFR-BR on a betting tree that begins before the flop."""

    def __init__(
        self, tree: BettingTree, learner: Abstraction, opponent: HandGroups, preflop_wins: np.ndarray, settings: Settings,
        stream: Stream,
    ):  # fmt: skip
        """opponent: what it tells apart before the turn, and its table; preflop_wins (169, 169): of cards/matchups."""
        self.tree, self.learner, self.opponent, self.settings, self.stream = tree, learner, opponent, settings, stream
        self._rivers, self._streets = make_rivers(tree, (1, 2)), [make_street(tree, street) for street in range(3)]
        self._pushes = np.flatnonzero((tree.kind == SHOWDOWN) & (tree.street == 0))
        self._folds = np.flatnonzero((tree.kind == FOLD_END) & (tree.street < 3))
        self._edges = edges(preflop_wins, RUNOUTS_PREFLOP) / _COMBOS[:, None]
        self._cache = Cache()

    def _players(self) -> tuple[Player, Player]:
        """On the river: the learner, whose weights are to be set, and who plays the table, if anybody does. Made once."""
        if not self._cache:
            river, exact = self.learner.river, make_infosets(self.tree, 3, np.arange(N_EQUITIES), N_EQUITIES)
            learner = new_player(self._rivers, river, np.zeros((river.n, len(self.tree.labels)), np.float32), RIVERS)
            weights = weights_of(self.tree, 3, exact, self.opponent.table.tables[3])
            plays = new_player(self._rivers, exact, weights) if self.settings.known_share < 1 else learner
            self._cache["players"] = learner, plays
        return self._cache["players"]

    def new_state(self) -> SafeState:
        """Nothing learnt yet."""
        begins, warm = self.learner.start(), np.float32(self.settings.warm_start)
        regrets, averages = (tuple(np.float32(scale) * weights for weights in begins) for scale in (warm, 1e-6))
        return SafeState(regrets, averages, tuple(warm * weights for weights in self.opponent.start()[:2]), 0)

    def advance(self, state: SafeState, iterations: int) -> SafeState:
        """Learn on so many more turn boards, each drawn by its number; the state's tables change in place."""
        for _ in range(iterations):
            cards = self.stream(state.iteration).permutation(52)
            state = state._replace(iteration=state.iteration + 1)
            self._play(state, cards[:4], cards[4 : 4 + self.settings.rivers], np.float32(state.iteration / 100))
        return state

    def exploitability(self, state: SafeState, boards: np.ndarray) -> np.ndarray:
        """What best responses to the average strategy win that deviate from the turn on, mbb/g a board.

        boards (n, 4), each with all its rivers; returns (n,). A step whose result can be stored.
        """
        won = []
        for board in boards:
            rivers = np.setdiff1d(np.arange(52), board)
            won.append(MBB_PER_DOLLAR * self._play(state, board, rivers, np.float32(0)).mean() / N_TURN_PAIRS)
        return np.array(won)

    def _play(self, state: SafeState, board: np.ndarray, rivers: np.ndarray, time: np.float32) -> np.ndarray:
        """One turn board: what the best responses win, (2,) dollars times pairs of hands.

        The learner plays and learns its current strategy; where time is 0 it plays the average and nobody learns.
        """
        weights, turn, (learner, plays) = state.regrets if time else state.averages, self._streets[2], self._players()
        learner, boards = learner._replace(weights=weights[3]), np.array([[*board, card] for card in rivers], dtype=np.int64)
        infosets, rows = self._strategies(self.learner, board, weights[:3])
        own = reach_before_river(self.tree, board, rows)
        at_river = beginnings(self._rivers, own)

        best = best_responses(self._rivers, boards, learner, at_river)
        value, answer = self._ends(board, own, best, len(rivers)), np.zeros((len(turn.label), 1326), dtype=np.float32)
        for seat in range(2):
            _best_actions(turn, seat, value[seat], answer)
        begins = turn.node[self.tree.street[self.tree.parent[turn.node]] < 2]
        won = (value[:, begins].astype(np.float64) * own[:, begins]).sum(axis=(1, 2))
        if time == 0:
            return won

        best_reach, table_reach = self._opponents(state.opponent, board, time, value, answer)
        (best_begin, _), (table_begin, _) = beginnings(self._rivers, best_reach), beginnings(self._rivers, table_reach)
        reach = best_reach + table_reach
        met = Opponents(best_begin, table_begin, beginnings(self._rivers, reach).all_ins, plays)
        worth, regrets, averages = train_rivers(self._rivers, boards, learner, met, time, at_river)
        value = self._ends(board, reach, worth, len(rivers))
        for seat in range(2):
            for street in range(2, self.settings.first_street - 1, -1):
                at = self._streets[street], seat, infosets[street], rows[street][0], time
                _add_regrets(*at, value[seat], weights[street])
                _add_average(*at, own[seat], state.averages[street])
        weights[3][:] += regrets
        state.averages[3][:] += averages
        return won

    def _opponents(
        self, regrets: Weights, board: np.ndarray, time: np.float32, value: np.ndarray, answer: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reach (2, n_nodes, 1326) of the mixture: known_share x best response, and (1 - known_share) x table.

        On the turn the best response plays answer (width, 1326). Before, it learns: first it adds its regrets, by its values
        (2, n_nodes, 1326).
        """
        infosets, rows = self._strategies(self.opponent, board, regrets)
        for seat in range(2):
            for street in (1, 0):
                at = self._streets[street], seat, infosets[street], rows[street][0], time
                _add_regrets(*at, value[seat], regrets[street])
        rows = [*self._strategies(self.opponent, board, regrets)[1], (answer.T, np.arange(1326, dtype=np.int32))]
        best, table = (reach_before_river(self.tree, board, r) for r in (rows, rows_before_river(self.opponent.table, board)))
        return np.float32(self.settings.known_share) * best, (1 - np.float32(self.settings.known_share)) * table

    def _strategies(self, who: Abstraction, board: np.ndarray, weights: Weights) -> tuple[list[Infosets], list[StreetRows]]:
        """Infosets and strategy on a board's first streets, as many as there are weights."""
        infosets = [who.street(street, board[: BOARD_CARDS[street]].tolist()) for street in range(len(weights))]
        return infosets, [(strategy_rows(self.tree, s, x, weights[s]), x.row) for s, x in enumerate(infosets)]

    def _ends(self, board: np.ndarray, reach: np.ndarray, won: Beginnings, n_rivers: int) -> np.ndarray:
        """Both players' values (2, n_nodes, 1326) where the betting before the river ends; won: sums over so many rivers."""
        free, value = free_holes(board.tolist()), np.zeros(reach.shape, dtype=np.float32)
        a_river = np.float32(RIVERS / n_rivers / 44)
        value[:, self._rivers.betting.root], value[:, self._rivers.all_ins.root] = a_river * won.betting, a_river * won.all_ins
        pushed, stakes = reach[:, self._pushes][:, :, HOLE_OF_CLASS], stakes_at(self.tree, self._pushes)[:, :1]
        for seat in range(2):
            value[seat, self._folds] = fold_values(self.tree, self._folds, seat, reach) * free
            value[seat, self._pushes] = _MISSED * free * (stakes * (pushed[1 - seat] @ self._edges.T))[:, CLASS_OF_HOLE]
        return value


def learn(game: SafeGame, state: SafeState, iterations: int, progress: Callable[[int], None] = lambda done: None) -> SafeState:
    """What is learnt after so many more iterations from a state, which stays: a step whose result can be stored."""
    regrets, averages, opponent = (tuple(table.copy() for table in tables) for tables in state[:3])
    state = SafeState(regrets, averages, opponent, state.iteration)
    for done in range(iterations):
        state = game.advance(state, 1)
        progress(done + 1)
    return state
