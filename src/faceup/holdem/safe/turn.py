"""CFR-BR from the turn on: earlier streets as a given strategy plays them, turn and river learnt against best responses.

An iteration deals a turn board and some of its rivers. The learner plays its groups' strategies. The opponent comes to the turn
with the hands that the given strategy brings there, trembling: with a small chance an action before the turn is random, so
that no hand is missing. From the turn on he sees all cards, knows the learner's strategy and the rivers that may come, and
answers best. Against these answers the learner adds its regrets, in both seats at once.

That he knows which rivers may come makes him stronger than any real opponent, the less so the more rivers are dealt: 48 are all.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from faceup.holdem.betting.betting_tree import FOLD_END, MBB_PER_DOLLAR, BettingTree, decisions
from faceup.holdem.safe.infosets import Seen, strategy_rows
from faceup.holdem.safe.learners import Learner
from faceup.holdem.safe.river import _learn, _meet, _prepare, _respond, _values
from faceup.holdem.safe.subtrees import PADDED, _hands_of, _scratch_of, all_ins_of, make_scratch, make_subtrees, new_hands
from faceup.holdem.solve.best_response import fold_values
from faceup.holdem.solve.policy import Policy, free_holes, street_reach

N_PAIRS = 1128 * 1035  # ordered pairs of hands on a turn board
RIVERS = 48


class SafeState(NamedTuple):
    """All that has been learnt."""

    regrets: tuple[np.ndarray, np.ndarray]  # of turn and river, (infosets, labels) float32
    averages: tuple[np.ndarray, np.ndarray]
    iteration: int


class Plan(NamedTuple):
    """The turn's betting, for kernels."""

    nodes: np.ndarray  # (n,) int32 decisions, parents first
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
def _learn_turn(plan, learner, of, situation, rows, own, reach, time, value, regrets, averages):
    """Values of decisions to the learner, (n_nodes, 1326), and what its infosets learn.

    own (n_nodes, 1326): its chance of the action that leads to each node, 1 after the other's; reach alike: its reach.
    """
    for node in plan.nodes[::-1]:
        first, end = plan.first_child[node], plan.first_child[node] + plan.n_children[node]
        for h in range(value.shape[1]):
            mean = np.float32(0)
            for c in range(first, end):
                mean += value[c, h] * own[c, h]
            value[node, h] = mean
            if plan.actor[node] == learner:
                infoset = of[rows[h], situation[node]]
                for c in range(first, end):
                    regrets[infoset, plan.label[c]] += time * (value[c, h] - mean)
                    averages[infoset, plan.label[c]] += time * reach[c, h]


@njit(cache=True)
def _add_all_ins(g, player, hands, ones, reach, s, value):
    """Add what all-ins are worth to a player's hands on one river to value (all-ins, 1326); reach alike: the other player's."""
    n = g.stake.shape[1]
    for e in range(reach.shape[0]):
        for i in range(hands.hole.shape[0]):
            s.weight[i * n + e] = reach[e, hands.hole[i]]
    _values(g, 0, player, hands, ones, s.weight, s.seen, s.value)
    for e in range(reach.shape[0]):
        for i in range(hands.hole.shape[0]):
            value[e, hands.hole[i]] += s.value[i * n + e]


@njit(cache=True, parallel=True)
def _respond_to_all(f, g, boards, levels, of, ones, reach, reach_pots, regrets, place, hands, scratches, pots, best, best_pots):
    """Best responses to both learners, sums over rivers: best (2, subtrees, 1326), best_pots (2, all-ins, 1326)."""
    for seat in prange(2):
        learner = np.int64(seat)
        s, pot, own = _scratch_of(scratches, learner), _scratch_of(pots, learner), _hands_of(hands, learner)
        best[learner] = 0
        best_pots[learner] = 0
        for r in range(boards.shape[0]):
            _prepare(f, boards[r], learner, levels, of, regrets, place[learner], own, s)
            _respond(f, learner, own, reach[learner], s, np.int64(r), best[learner])
            _add_all_ins(g, 1 - learner, own, ones, reach_pots[learner], pot, best_pots[learner])


@njit(cache=True, parallel=True)
def _learn_from_all(
    f, g, boards, levels, of, ones, time, reach, others, others_pots, regrets, place, hands, scratches, pots, found, averages,
    worth, worth_pots,
):  # fmt: skip
    """What both learners get against the choices of `_respond_to_all`, by root and all-in; what they learn to found and averages.

    found, averages (2, infosets, labels): apart, as two learners may share an infoset.
    """
    for seat in prange(2):
        learner = np.int64(seat)
        s, pot, own = _scratch_of(scratches, learner), _scratch_of(pots, learner), _hands_of(hands, learner)
        worth[learner] = 0
        worth_pots[learner] = 0
        for r in range(boards.shape[0]):
            _prepare(f, boards[r], learner, levels, of, regrets, place[learner], own, s)
            _meet(f, learner, own, reach[learner], others[1 - learner], s, np.int64(r), worth[learner])
            _learn(f, learner, of, own, time, s, found[learner], averages[learner])
            _add_all_ins(g, learner, own, ones, others_pots[1 - learner], pot, worth_pots[learner])


def trembling(tree: BettingTree, street: int, table: np.ndarray, tremble: float) -> np.ndarray:
    """A street's rows (rows, width), mixed with a uniform choice that is made with that chance at each decision."""
    start, end = tree.street_start[street : street + 2]
    even = (1 / tree.n_children[tree.parent[start:end]]).astype(np.float32)
    return (np.float32(1 - tremble) * table + np.float32(tremble) * even).astype(np.float32)


class SafeTurn:
    """CFR-BR on turn and river of a tree, below a strategy that plays the earlier streets."""

    def __init__(self, tree: BettingTree, trunk: Policy, learner: Learner, rivers: int, tremble: float, seed: int):
        """trunk: who plays before the turn; rivers: how many are dealt on each turn board.

        tremble: chance of a random action of the opponent before the turn. Raises ValueError unless rivers are from 1 to 48.
        """
        if not 1 <= rivers <= RIVERS:
            raise ValueError(f"rivers is {rivers}, expected from 1 to {RIVERS}")
        self.made_from = (tree, trunk, learner, rivers, tremble, seed)
        self.tree, self.trunk, self.learner, self.seed = tree, trunk, learner, seed
        self.rivers, self.tremble, self.before = rivers, tremble, int(tree.street_start[3])
        situation, n_rows = learner.river.infosets.situation, len(learner.river.infosets.of)
        self.subtrees, self._all_ins = make_subtrees(tree, situation, 3), all_ins_of(tree, 2)
        self._folds = np.flatnonzero((tree.kind == FOLD_END) & (tree.street == 2))
        nodes = decisions(tree, 2).astype(np.int32)
        self._plan = Plan(nodes, tree.actor, tree.first_child, tree.n_children, tree.label)
        self.state = self.new_state()
        self._scratch = make_scratch(self.subtrees, min(n_rows, PADDED), RIVERS), new_hands(2, n_rows)
        self._pots = make_scratch(self._all_ins, 1)
        self._place = np.full((2, n_rows), -1, dtype=np.int32)

    def new_state(self) -> SafeState:
        """Nothing learnt yet."""
        sizes = self.learner.turn([0, 1, 2, 3]).infosets.n, self.learner.river.infosets.n
        regrets, averages = (tuple(np.zeros((n, len(self.tree.labels)), dtype=np.float32) for n in sizes) for _ in range(2))
        return SafeState(regrets, averages, 0)  # type: ignore[arg-type]

    def advance(self, iterations: int) -> None:
        """Learn on so many more turn boards, drawn from the seed and the iteration's number."""
        for _ in range(iterations):
            cards = np.random.default_rng([self.seed, self.state.iteration]).permutation(52)
            self.state = self.state._replace(iteration=self.state.iteration + 1)
            self._play(cards[:4], cards[4 : 4 + self.rivers], self.state.regrets, np.float32(self.state.iteration / 100))

    def leak(self, boards: np.ndarray, current: bool = False) -> np.ndarray:
        """What best responders win who know the average (or current) strategy and deviate from the turn on, mbb/g a board.

        boards (n, 4), each with all its rivers; returns (n,). The responders bring the hands of the trunk as it is.
        """
        weights, won = self.state.regrets if current else self.state.averages, []
        for board in boards:
            rivers = np.setdiff1d(np.arange(52), board)
            won.append(MBB_PER_DOLLAR * self._play(board, rivers, weights, np.float32(0)).mean() / N_PAIRS)
        return np.array(won)

    def _play(self, board: np.ndarray, rivers: np.ndarray, weights: tuple, time: np.float32) -> np.ndarray:
        """One turn board: learn, unless time is 0; returns what the best responders win, (2,) dollars times pairs of hands."""
        tree, plan, f, g = self.tree, self._plan, self.subtrees, self._all_ins
        start, end = tree.street_start[2:4]
        seen, river = self.learner.turn(board.tolist()), self.learner.river
        kinds = Seen(np.arange(len(seen.infosets.of)), seen.infosets)
        strategy = strategy_rows(tree, 2, kinds, weights[0])
        own = self._trunk_reach(board, 0.0)
        others = self._trunk_reach(board, self.tremble) if time > 0 else own.copy()
        street_reach(tree, 2, (strategy, seen.row), own)
        boards = np.array([[*board, card] for card in rivers], dtype=np.int64)
        ones, times = np.ones(1326, dtype=np.float32), np.float32(RIVERS / len(rivers) / 44)
        shared = f, g, boards, river.row, river.infosets.of, ones
        kept = weights[1], self._place, self._scratch[1], self._scratch[0], self._pots
        shape, pot_shape = (2, len(f.node), 1326), (2, len(g.node), 1326)
        best, pots = np.empty(shape, dtype=np.float32), np.empty(pot_shape, dtype=np.float32)
        _respond_to_all(*shared, own[:, f.node], own[:, g.node], *kept, best, pots)
        value, choice = np.zeros_like(own), np.zeros((2, self.before, 1326), dtype=np.int8)
        for responder in range(2):
            self._fill(value[responder], responder, board, own, times * best[1 - responder], times * pots[1 - responder])
            _answer(plan, responder, value[responder], choice[responder])
        begins = plan.nodes[tree.street[tree.parent[plan.nodes]] < 2]
        won = (value[:, begins].astype(np.float64) * own[:, begins]).sum(axis=(1, 2))
        if time == 0:
            return won
        for responder in range(2):
            _follow_turn(plan, responder, choice[responder], others[responder])
        (turn_sums, river_sums), (found, added) = self.state.averages, np.zeros((2, 2, *weights[1].shape), dtype=np.float32)
        reaches = own[:, f.node], others[:, f.node], others[:, g.node]
        _learn_from_all(*shared, time, *reaches, *kept, found, added, best, pots)
        for learner in range(2):
            self._fill(value[learner], learner, board, others, times * best[learner], times * pots[learner])
            chances = np.ones_like(own[learner])
            by_learner = np.flatnonzero(tree.actor[tree.parent[start:end]] == learner) + start
            chances[by_learner] = strategy[:, by_learner - start].T[:, seen.row]
            table = seen.infosets.of, seen.infosets.situation, seen.row, chances, own[learner]
            _learn_turn(plan, learner, *table, time, value[learner], weights[0], turn_sums)
        weights[1][:] += found.sum(axis=0)
        river_sums[:] += added.sum(axis=0)
        return won

    def _trunk_reach(self, board: np.ndarray, tremble: float) -> np.ndarray:
        """Both players' reach of what streets before the turn lead to, (2, n_nodes, 1326)."""
        reach = np.zeros((2, self.before, 1326), dtype=np.float32)
        reach[:, 0] = free_holes(board.tolist())
        for street in range(2):
            table, row_of_hole = self.trunk.street(street, board[: 3 * street].tolist())
            street_reach(self.tree, street, (trembling(self.tree, street, table, tremble), row_of_hole), reach)
        return reach

    def _fill(
        self, value: np.ndarray, player: int, board: np.ndarray, reach: np.ndarray, rivers: np.ndarray, pots: np.ndarray
    ) -> None:
        """Set a player's values, (n_nodes, 1326), where the turn's betting ends; reach (2, n_nodes, 1326)."""
        value[self.subtrees.node], value[self._all_ins.node] = rivers, pots
        value[self._folds] = fold_values(self.tree, self._folds, player, reach) * free_holes(board.tolist())

    def policy(self, current: bool = False) -> Policy:
        """The whole strategy, with the average (or current) play from the turn on."""
        return self.learner.policy(self.state.regrets if current else self.state.averages)


def learn(run: SafeTurn, state: SafeState, iterations: int, progress: Callable[[int], None] = lambda done: None) -> SafeState:
    """What a run knows after so many more iterations from a state: a step whose result can be stored."""
    regrets, averages = (tuple(table.copy() for table in tables) for tables in state[:2])
    run.state = SafeState(regrets, averages, state.iteration)  # type: ignore[arg-type]
    for done in range(iterations):
        run.advance(1)
        progress(done + 1)
    return run.state


def leak_of(run: SafeTurn, state: SafeState, boards: np.ndarray) -> np.ndarray:
    """`SafeTurn.leak` of a state's average strategy on boards (n, 4): a step whose result can be stored."""
    run.state = state
    return run.leak(boards)
