"""CFR-BR on all streets of hold'em.

An iteration deals a flop, a turn card and some rivers. The learner plays its infosets' strategies. The opponent holds real cards:
from the turn on he knows the learner's strategy and the rivers that may come, and answers best. Before the turn, where an answer
would have to be good on all cards to come, he minimises regret, too, in groups of hands of his own. Against him the learner
adds its regrets, in both seats at once.

That he knows which rivers may come makes him stronger than any real opponent, the less so the more rivers are dealt: 48 are all.

Who fears such an opponent at all times wins less from others. So the opponent may know the strategy in a share of the hands only,
and play a given table in the rest: a restricted Nash response (Johanson, Zinkevich and Bowling 2007).

Values of a hand are sums over the other player's hands that a turn board leaves, on all streets: before the turn such a sum is
right in the mean over the boards dealt. All-ins before the flop have their exact value.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_OF_CLASS, N_CLASSES
from faceup.cards.matchups import RUNOUTS_PREFLOP, edges
from faceup.holdem.betting.betting_tree import FOLD_END, MBB_PER_DOLLAR, SHOWDOWN, BettingTree, decisions
from faceup.holdem.safe.infosets import N_LEVELS, Seen, make_infosets, strategy_rows, weights_of
from faceup.holdem.safe.learners import Learner, Levels, Weights
from faceup.holdem.safe.river import _collect, _follow, _learn, _prepare, _respond, _values, _weigh
from faceup.holdem.safe.subtrees import PADDED, _hands_of, _scratch_of, all_ins_of, make_scratch, make_subtrees, new_hands
from faceup.holdem.safe.vectors import WIDTH, add
from faceup.holdem.solve.best_response import fold_values
from faceup.holdem.solve.layout import stakes_at
from faceup.holdem.solve.policy import StreetRows, TablePolicy, free_holes, preflop_reach, street_reach
from faceup.lab.memo import Cache
from faceup.lab.parallel import on_threads
from faceup.lab.rng import Stream

N_PAIRS = 1128 * 1035  # ordered pairs of hands on a turn board
RIVERS = 48
_MISSED = (48 * 47 * 46 * 45) / (50 * 49 * 48 * 47)  # chance that a turn board, which a hand has missed, misses the other one
_COMBOS = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)


class SafeState(NamedTuple):
    """All that has been learnt."""

    regrets: Weights
    averages: Weights
    opponent: Weights  # his regrets before the turn
    iteration: int


class Plan(NamedTuple):
    """A street's betting before the river, for kernels."""

    nodes: np.ndarray  # (n,) int32 decisions, parents first
    start: int  # first node that an action of the street leads to
    actor: np.ndarray  # the tree's, like the following
    first_child: np.ndarray
    n_children: np.ndarray
    label: np.ndarray


@njit(cache=True)
def _answer(plan, responder, value, choice):
    """Best actions on the turn, choice (n_nodes, 1326), and values (n_nodes, 1326) of decisions from those of the nodes below."""
    for node in plan.nodes[::-1]:
        first = plan.first_child[node]
        value[node] = value[first]
        choice[node] = 0
        for c in range(first + 1, first + plan.n_children[node]):
            for h in range(value.shape[1]):
                if plan.actor[node] != responder:
                    value[node, h] += value[c, h]
                elif value[c, h] > value[node, h]:
                    value[node, h], choice[node, h] = value[c, h], c - first


@njit(cache=True)
def _follow_turn(plan, responder, choice, reach):
    """The responder's reach (n_nodes, 1326) of what its choices on the turn lead to."""
    for node in plan.nodes:
        first = plan.first_child[node]
        for c in range(first, first + plan.n_children[node]):
            for h in range(reach.shape[1]):
                taken = plan.actor[node] != responder or choice[node, h] == c - first
                reach[c, h] = reach[node, h] if taken else np.float32(0)


@njit(cache=True)
def _learn_street(plan, learner, of, situation, row, table, time, value, regrets):
    """Values of a street's decisions to the learner, (n_nodes, 1326), and its regrets; table (rows, width): its strategy."""
    for node in plan.nodes[::-1]:
        first, end, own = plan.first_child[node], plan.first_child[node] + plan.n_children[node], plan.actor[node] == learner
        for h in range(value.shape[1]):
            mean = np.float32(0)
            for c in range(first, end):
                mean += value[c, h] * table[row[h], c - plan.start] if own else value[c, h]
            value[node, h] = mean
            if own:
                regret = regrets[of[row[h], situation[node]]]
                for c in range(first, end):
                    regret[plan.label[c]] += time * (value[c, h] - mean)


@njit(cache=True)
def _average_street(plan, learner, of, situation, row, reach, time, averages):
    """Add the learner's strategy on a street to its average; reach (n_nodes, 1326): its own."""
    for node in plan.nodes:
        if plan.actor[node] == learner:
            for h in range(reach.shape[1]):
                average = averages[of[row[h], situation[node]]]
                for c in range(plan.first_child[node], plan.first_child[node] + plan.n_children[node]):
                    average[plan.label[c]] += time * reach[c, h]


@njit(cache=True)
def _add_all_ins(g, player, hands, ones, reach, s, value):
    """Add what all-ins are worth to a player's hands on one river to value (all-ins, 1326); reach alike: the other player's."""
    n = g.stake.shape[1]
    for e in range(reach.shape[0]):
        for i in range(hands.hole.shape[0]):
            s.weight[i * n + e] = reach[e, hands.hole[i]]
    _values(g, np.int64(0), player, hands, ones, s.weight, s.seen, s.value)  # a literal would compile it again
    for e in range(reach.shape[0]):
        for i in range(hands.hole.shape[0]):
            value[e, hands.hole[i]] += s.value[i * n + e]


@njit(cache=True, nogil=True)
def _respond_to_all(
    share, f, g, boards, levels, of, ones, reach, reach_pots, regrets, place, hands, scratches, pots, best, best_pots
):
    """Best responses to both learners, sums over rivers: best (2, subtrees, 1326), best_pots (2, all-ins, 1326)."""
    for learner in range(share[0], 2, share[1]):
        s, pot, own = _scratch_of(scratches, learner), _scratch_of(pots, learner), _hands_of(hands, learner)
        best[learner] = 0
        best_pots[learner] = 0
        for r in range(boards.shape[0]):
            _prepare(f, boards[r], learner, levels, of, regrets, place[learner], own, s)
            _respond(f, learner, own, reach[learner], s, r, best[learner])
            _add_all_ins(g, 1 - learner, own, ones, reach_pots[learner], pot, best_pots[learner])


@njit(cache=True)
def _meet_both(f, mixed, on_table, met, t, learner, hands, reach, others, theirs, s, board, worth):
    """What the learner's hands get against the best responses of `_respond` and a table; others, theirs: both opponents' reach.

    reach, others, theirs, worth (subtrees, 1326); on_table, met, t: the table's subtrees, hands, scratch; mixed: if it is played.
    """
    for root in range(f.node.shape[0]):
        _follow(f, root, 1 - learner, hands, s.choice[board], others[root], s.up, s.weight)
        n_slots = f.first_slot[root + 1] - f.first_slot[root]
        if mixed:
            _weigh(on_table, root, met, t.path, theirs[root], t.weight)
            for x in range(0, hands.hole.shape[0] * n_slots, WIDTH):
                add(s.weight, x, t.weight, x)
        _values(f, root, learner, hands, others[root] + theirs[root], s.weight, s.seen, s.value)
        _collect(f, root, hands, reach[root], s)
        for i in range(hands.hole.shape[0]):  # each plays its row's strategy
            total, at = np.float32(0), f.first_slot[root] * hands.size[1] + hands.row[i] * n_slots
            for x in range(n_slots):
                total += s.path[at + x] * s.value[i * n_slots + x]
            worth[root, hands.hole[i]] += total


@njit(cache=True, nogil=True)
def _learn_from_all(
    share, f, g, boards, levels, of, ones, time, reach, others, theirs, pots_reach, mixed, on_table, table_levels, table_of,
    weights, table_place, table_hands, table_scratches, regrets, place, hands, scratches, pots, found, averages, worth,
    worth_pots,
):  # fmt: skip
    """What both learners get against the choices of `_respond_to_all` and a table, by root and all-in, and what they learn.

    others, theirs (2, subtrees, 1326): reach of who answers best and of who plays the table; pots_reach (2, all-ins, 1326): of
    both; mixed: whether anybody plays the table; on_table: its subtrees; weights: its strategy. found, averages (2, infosets,
    labels): what is learnt, apart, as two learners may share an infoset.
    """
    for learner in range(share[0], 2, share[1]):
        s, pot, own = _scratch_of(scratches, learner), _scratch_of(pots, learner), _hands_of(hands, learner)
        t, met = _scratch_of(table_scratches, learner), _hands_of(table_hands, learner)
        worth[learner] = 0
        worth_pots[learner] = 0
        for r in range(boards.shape[0]):
            _prepare(f, boards[r], learner, levels, of, regrets, place[learner], own, s)
            if mixed:
                _prepare(on_table, boards[r], 1 - learner, table_levels, table_of, weights, table_place[learner], met, t)
            both = others[1 - learner], theirs[1 - learner]
            _meet_both(f, mixed, on_table, met, t, learner, own, reach[learner], *both, s, r, worth[learner])
            _learn(f, learner, of, own, time, s, found[learner], averages[learner])
            _add_all_ins(g, learner, own, ones, pots_reach[1 - learner], pot, worth_pots[learner])


class SafeGame:
    """CFR-BR on a betting tree, from its first street on or from a later one."""

    def __init__(
        self, tree: BettingTree, learner: Learner, opponent: Levels, preflop_wins: np.ndarray, rivers: int, first: int,
        warm: float, stream: Stream, knows: float = 1.0,
    ):  # fmt: skip
        """opponent: what he sees before the turn, and how he begins there; preflop_wins (169, 169): of cards/matchups.

        rivers: how many are dealt on each turn board; first: the first street that is learnt, on earlier ones the learner plays
        as it begins; warm: what that beginning counts, as regrets: dollars times pairs of hands; knows: in what share of the
        hands the opponent knows the strategy, in the rest he plays his table. Raises ValueError unless rivers are from 1 to 48
        and knows is above 0 and at most 1.
        """
        if not 1 <= rivers <= RIVERS:
            raise ValueError(f"rivers is {rivers}, expected from 1 to {RIVERS}")
        if not 0 < knows <= 1:
            raise ValueError(f"knows is {knows}, expected above 0 and at most 1")
        self.knows = np.float32(knows)
        self.tree, self.learner, self.opponent, self.stream = tree, learner, opponent, stream
        self.rivers, self.first, self.warm, self.before = rivers, first, warm, int(tree.street_start[3])
        self.subtrees = make_subtrees(tree, learner.river.infosets.situation, 3)
        self._all_ins = all_ins_of(tree, (1, 2))
        self._pushes = np.flatnonzero((tree.kind == SHOWDOWN) & (tree.street == 0))
        self._folds = np.flatnonzero((tree.kind == FOLD_END) & (tree.street < 3))
        self._edges = edges(preflop_wins, RUNOUTS_PREFLOP) / _COMBOS[:, None]
        shape = tree.actor, tree.first_child, tree.n_children, tree.label
        self._plans = [Plan(decisions(tree, street), int(tree.street_start[street]), *shape) for street in range(3)]
        self._cache = Cache()

    def _room(self) -> tuple[tuple, tuple]:
        """What kernels write into, and the table's river: made once."""
        if not self._cache:
            n_rows = len(self.learner.river.infosets.of)
            place, hands = np.full((2, n_rows), -1, dtype=np.int32), new_hands(2, n_rows)
            room = make_scratch(self.subtrees, min(n_rows, PADDED), RIVERS), make_scratch(self._all_ins, 1)
            self._cache["room"] = (place, hands, *room), self._table_river(self.opponent.table)
        return self._cache["room"]

    def _table_river(self, table: TablePolicy) -> tuple:
        """The table's river for `_learn_from_all`, from `mixed` on."""
        infosets, n_rows = make_infosets(self.tree, 3, N_LEVELS), PADDED if self.knows < 1 else 1
        weights = weights_of(self.tree, 3, infosets, table.tables[3])
        f, levels = make_subtrees(self.tree, infosets.situation, 3), np.arange(N_LEVELS, dtype=np.int32)
        room = np.full((2, N_LEVELS), -1, dtype=np.int32), new_hands(2, N_LEVELS), make_scratch(f, n_rows)
        return (self.knows < 1, f, levels, infosets.of, weights, *room)

    def new_state(self) -> SafeState:
        """Nothing learnt yet."""
        begins, others = self.learner.start(), self.opponent.start()[:2]
        regrets, averages = (tuple(np.float32(scale) * weights for weights in begins) for scale in (self.warm, 1e-6))
        return SafeState(regrets, averages, tuple(np.float32(self.warm) * weights for weights in others), 0)

    def advance(self, state: SafeState, iterations: int) -> SafeState:
        """Learn on so many more turn boards, each drawn by its number; the state's tables change in place."""
        for _ in range(iterations):
            cards = self.stream(state.iteration).permutation(52)
            state = state._replace(iteration=state.iteration + 1)
            self._play(state, cards[:4], cards[4 : 4 + self.rivers], np.float32(state.iteration / 100))
        return state

    def leak(self, state: SafeState, boards: np.ndarray) -> np.ndarray:
        """What best responders win who know the average strategy and deviate from the turn on, mbb/g a board.

        boards (n, 4), each with all its rivers; returns (n,). A step whose result can be stored.
        """
        won = []
        for board in boards:
            rivers = np.setdiff1d(np.arange(52), board)
            won.append(MBB_PER_DOLLAR * self._play(state, board, rivers, np.float32(0)).mean() / N_PAIRS)
        return np.array(won)

    def _play(self, state: SafeState, board: np.ndarray, rivers: np.ndarray, time: np.float32) -> np.ndarray:
        """One turn board: what the best responders win, (2,) dollars times pairs of hands.

        The learner plays and learns its current strategy; where time is 0 it plays the average and nobody learns.
        """
        tree, plan, f, g, river = self.tree, self._plans[2], self.subtrees, self._all_ins, self.learner.river
        weights, ((place, hands, scratch, pot_scratch), known) = state.regrets if time else state.averages, self._room()
        seen, rows = self._strategies(self.learner, board, weights[:3])
        own = self._reach(board, rows)
        boards = np.array([[*board, card] for card in rivers], dtype=np.int64)
        ones, times = np.ones(1326, dtype=np.float32), np.float32(RIVERS / len(rivers) / 44)
        shared = f, g, boards, river.row, river.infosets.of, ones
        kept = weights[3], place, hands, scratch, pot_scratch
        shape, pot_shape = (2, len(f.node), 1326), (2, len(g.node), 1326)
        best, pots = np.empty(shape, dtype=np.float32), np.empty(pot_shape, dtype=np.float32)
        at_rivers, at_pots = own.take(f.node, axis=1), own.take(g.node, axis=1)  # in C order, as kernels are compiled for
        on_threads(_respond_to_all, *shared, at_rivers, at_pots, *kept, best, pots)
        value, choice = np.zeros_like(own), np.zeros((2, self.before, 1326), dtype=np.int8)
        for responder in range(2):
            ends = times * best[1 - responder], times * pots[1 - responder]
            self._fill(value[responder], responder, board, own, self._pushed(rows), *ends)
            _answer(plan, responder, value[responder], choice[responder])
        begins = plan.nodes[tree.street[tree.parent[plan.nodes]] < 2]
        won = (value[:, begins].astype(np.float64) * own[:, begins]).sum(axis=(1, 2))
        if time == 0:
            return won
        others, pushed = self._opponents(state.opponent, board, time, value)
        for responder in range(2):
            _follow_turn(plan, responder, choice[responder], others[responder])
        theirs, their_pushed = self._table_reach(board)
        both, both_pushed = others + theirs, pushed + their_pushed
        found, added = np.zeros((2, 2, *weights[3].shape), dtype=np.float32)
        reaches = at_rivers, others.take(f.node, axis=1), theirs.take(f.node, axis=1), both.take(g.node, axis=1)
        on_threads(_learn_from_all, *shared, time, *reaches, *known, *kept, found, added, best, pots)
        for learner in range(2):
            self._fill(value[learner], learner, board, both, both_pushed, times * best[learner], times * pots[learner])
            for street in range(2, self.first - 1, -1):
                at = self._plans[street], learner, seen[street].infosets.of, seen[street].infosets.situation, seen[street].row
                _learn_street(*at, rows[street][0], time, value[learner], weights[street])
                _average_street(*at, own[learner], time, state.averages[street])
        weights[3][:] += found.sum(axis=0)
        state.averages[3][:] += added.sum(axis=0)
        return won

    def _strategies(self, who: Learner, board: np.ndarray, weights: Weights) -> tuple[list[Seen], list[StreetRows]]:
        """What he sees on the first streets, as many as there are weights, and his rows there."""
        seen = [who.street(street, board[: BOARD_CARDS[street]].tolist()) for street in range(len(weights))]
        tables = [
            strategy_rows(self.tree, street, Seen(np.arange(len(s.infosets.of)), s.infosets), weights[street])
            for street, s in enumerate(seen)
        ]
        return seen, [(table, s.row) for table, s in zip(tables, seen, strict=True)]

    def _reach(self, board: np.ndarray, rows: list[StreetRows]) -> np.ndarray:
        """Both players' reach of what the first streets lead to, (2, n_nodes, 1326)."""
        reach = np.zeros((2, self.before, 1326), dtype=np.float32)
        reach[:, 0] = free_holes(board.tolist())
        for street, of_street in enumerate(rows):
            street_reach(self.tree, street, of_street, reach)
        return reach

    def _pushed(self, rows: list[StreetRows]) -> np.ndarray:
        """Both players' reach of called all-ins before the flop, (2, all-ins, 169), from their rows there."""
        return preflop_reach(self.tree, rows[0])[:, self._pushes][:, :, HOLE_OF_CLASS]

    def _table_reach(self, board: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `_opponents`, of who plays the table and does not learn."""
        table, none = self.opponent.table, np.float32(1) - self.knows
        rows = [table.street(street, board[: BOARD_CARDS[street]].tolist()) for street in range(3)]
        return none * self._reach(board, rows), none * self._pushed(rows)

    def _opponents(
        self, weights: Weights, board: np.ndarray, time: np.float32, value: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Both opponents learn from their values, (2, n_nodes, 1326), before the turn; their reach, as of `_reach`, `_pushed`."""
        seen, rows = self._strategies(self.opponent, board, weights)
        for responder in range(2):
            for street in (1, 0):
                at = self._plans[street], responder, seen[street].infosets.of, seen[street].infosets.situation, seen[street].row
                _learn_street(*at, rows[street][0], time, value[responder], weights[street])
        rows = self._strategies(self.opponent, board, weights)[1]
        return self.knows * self._reach(board, rows), self.knows * self._pushed(rows)

    def _fill(
        self, value: np.ndarray, player: int, board: np.ndarray, reach: np.ndarray, pushed: np.ndarray, rivers: np.ndarray,
        pots: np.ndarray,
    ) -> None:  # fmt: skip
        """Set a player's values, (n_nodes, 1326), where the betting before the river ends; reach, pushed: of both players."""
        free = free_holes(board.tolist())
        value[self.subtrees.node], value[self._all_ins.node] = rivers, pots
        value[self._folds] = fold_values(self.tree, self._folds, player, reach) * free
        stakes = stakes_at(self.tree, self._pushes)[:, :1]
        value[self._pushes] = _MISSED * free * (stakes * (pushed[1 - player] @ self._edges.T))[:, CLASS_OF_HOLE]


def learn(game: SafeGame, state: SafeState, iterations: int, progress: Callable[[int], None] = lambda done: None) -> SafeState:
    """What is learnt after so many more iterations from a state, which stays: a step whose result can be stored."""
    regrets, averages, opponent = (tuple(table.copy() for table in tables) for tables in state[:3])
    state = SafeState(regrets, averages, opponent, state.iteration)
    for done in range(iterations):
        state = game.advance(state, 1)
        progress(done + 1)
    return state
