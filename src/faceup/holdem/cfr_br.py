"""CFR-BR on hold'em: a learner with an abstract strategy trains against a best response that knows
it (Johanson, Bard, Burch and Bowling 2012).

An iteration deals a flop, a turn card and some rivers, and then, for learners in both seats at
once:

1. reach: how the learner comes to each decision with each hand, by its current strategy, which is
   regret matching on its regrets.
2. opponent: how the opponent comes there. It plays a best response in a share of the hands, and
   another strategy in the rest (`OpponentMixture`): its reach is share x best response + (1 -
   share) x other. A share of 1 is CFR-BR, less is a restricted Nash response (Johanson, Zinkevich
   and Bowling 2007), 0 with the learner itself as the other is self-play.
3. values: the counterfactual value of each action to each of the learner's hands against that
   opponent.
4. regrets: value[action] - value[decision] is added to the learner's regrets, and its own reach to
   its summed strategy. The average strategy, in proportion to the sums, is the result.

Learners in both seats start from the same strategy, and so may several turn boards, which are then
learnt from in parallel. Iteration k has weight k / 100 (linear averaging).

A leaf of a decision tree serves many decisions of the game at once. By the product rule the
derivative of the strategy's value with respect to a leaf's probability of action a is a sum over
those decisions d, each weighed by the learner's own reach:

    sum over hands h and decisions d of the leaf: reach(h, d) (value(a, h, d) - value(h, d)).

CFR leaves the reach out. With perfect recall it is the same for all that an infoset holds, and
changes nothing (Srinivasan et al. 2018 compare the two). But in a leaf, hands and bets with which
the learner never comes would count as much as those it often comes with. So `by_reach` weighs
regrets with it: for trees it should, for tables it need not.

The best response holds real cards. From the turn on it knows the learner's strategy and the rivers
that may come, and takes the best actions. Before the turn, where a response would have to be good
on all cards to come, it learns by regrets, too, in buckets of its own. Knowing which rivers may
come makes it stronger than any real opponent, the less so the more are dealt: 48 are all.

Values are counterfactual, sums over the other player's hands that a turn board leaves, on all
streets: before the turn such a sum is right averaged over the boards dealt. All-ins before the flop
have their exact value.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from typing import NamedTuple

import numba
import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_OF_CLASS, N_CLASSES, N_HOLES
from faceup.cards.matchups import RUNOUTS_PREFLOP, net_wins
from faceup.holdem.agents import TreeAgent
from faceup.holdem.best_response import fill_best_action_values, fold_values
from faceup.holdem.betting_tree import BettingTree, build_tree, children, columns
from faceup.holdem.board import board_order
from faceup.holdem.buckets import N_RIVER_BUCKETS
from faceup.holdem.cfr import street_decisions
from faceup.holdem.cfr_br_river import (
    RootReach,
    UpdateWeight,
    best_responses,
    betting_subgames,
    learn_rivers,
)
from faceup.holdem.infosets import (
    Abstraction,
    HandBuckets,
    Infosets,
    TreeLeaves,
    Weights,
    strategy_rows,
)
from faceup.holdem.policy import StreetRows, TablePolicy
from faceup.holdem.reach import fill_street_reach
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import FOLD_END, SHOWDOWN, START, Menu
from faceup.holdem.showdown import add_end_values, free_holes
from faceup.util.memo import memo
from faceup.util.progress import Progress

# chance that a turn board, which shares no card with one hand, shares none with the other either
_MISSED = (48 * 47 * 46 * 45) / (50 * 49 * 48 * 47)
_RIVERS, _FREE_RIVERS = 48, 44  # river cards of a turn board, and those that two hands leave
_COMBOS = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)
_NO_ACTIONS = np.zeros((0, 0, 0, 0), dtype=np.int8)  # of a best response that nobody plays
# a strategy on a board, by street; on the river the rows are those of equities (1981,)
Rows = dict[int, StreetRows]


class OpponentMixture(NamedTuple):
    """An opponent that plays a best response to the learner in a share of the hands, a policy in
    the rest.

    OpponentMixture(share, None): in the rest it plays the learner's current strategy, so that
    OpponentMixture(1, None) is CFR-BR and OpponentMixture(0, None) self-play. Where one seat alone
    learns (`CfrBr`), the learner has no reach in the other: nobody plays there in the rest of the
    hands, and nothing is learnt from them.
    """

    share: float  # 0 to 1
    policy: TablePolicy | None


class State(NamedTuple):
    """All that has been learnt."""

    regrets: Weights
    strategy_sums: Weights
    responder_regrets: Weights  # regrets of the best response before the turn
    iteration: int


@njit(cache=True)
def _learn_street(street, infosets, table, update, reach, value, regrets, strategy_sums):
    """Fill values (2, n_nodes, 1326) float32 of a street's decisions where both players play a
    table (rows, width), and add what they learn to regrets and strategy_sums (n_infosets,
    n_labels).

    street: of `StreetDecisions`. Adds value[action] - value[decision] to regrets, and own reach (2,
    n_nodes, 1326) of actions to strategy_sums, both as `update` says.
    """
    for d in range(street.node.shape[0] - 1, -1, -1):
        node, who = street.node[d], street.actor[d]
        for h in range(value.shape[2]):
            row, mean, others = infosets.row[h], np.float32(0), np.float32(0)
            for e in range(street.first[d], street.end[d]):
                mean += value[who, e, h] * table[row, e - street.start]
                others += value[1 - who, e, h]  # the actor's chances are in them already
            value[who, node, h], value[1 - who, node, h] = mean, others
            infoset = infosets.infoset[row, infosets.situation[node]]
            own = update.weight * reach[who, node, h]
            share = own if update.by_reach else update.weight
            for e in range(street.first[d], street.end[d]):
                regrets[infoset, street.label[e]] += share * (value[who, e, h] - mean)
                strategy_sums[infoset, street.label[e]] += own * table[row, e - street.start]


class CfrBr:
    """A solver: CFR-BR of a learner on the betting tree of its abstraction."""

    def __init__(
        self,
        learner: Abstraction,
        preflop_wins: np.ndarray,
        responder_buckets: HandBuckets | None = None,
        by_reach: bool = False,
        seat: int | None = None,
    ):
        """preflop_wins (169, 169): of cards/matchups.

        responder_buckets: those in which a best response learns before the turn. None: it plays
        there as the learner does. by_reach: the learner's regrets are weighed by its own reach.
        seat: the only one in which it learns (None: both).
        """
        self.tree, self.learner, self.responder_buckets = learner.tree, learner, responder_buckets
        self._by_reach, self._seat = by_reach, seat
        tree, n = learner.tree, int(learner.tree.street_start[3])
        self._subgames = betting_subgames(tree)
        self._streets = [street_decisions(tree, street) for street in range(3)]
        self._folds = np.flatnonzero(tree.kind[:n] == FOLD_END)
        shown = np.flatnonzero(tree.kind[:n] == SHOWDOWN)
        preflop = tree.street[shown] == 0
        self._preflop_all_ins, self._all_ins = shown[preflop], shown[~preflop]
        self._on_board = np.setdiff1d(np.arange(tree.street_start[1]), self._preflop_all_ins)
        self._net_wins = net_wins(preflop_wins, RUNOUTS_PREFLOP) / _COMBOS[:, None]

    def start(self, warm_start: float = 0) -> State:
        """Nothing learnt yet; warm_start: weight of the first strategies as regrets, dollars times
        pairs of hands.
        """
        begins, warm = self.learner.start(), np.float32(warm_start)
        regrets, strategy_sums = (
            tuple(np.float32(scale) * weights for weights in begins) for scale in (warm, 1e-6)
        )
        responder = (
            tuple(warm * x for x in self.responder_buckets.start()[:2])
            if self.responder_buckets
            else ()
        )
        return State(regrets, strategy_sums, responder, 0)

    def train(
        self,
        state: State,
        turn_boards: np.ndarray,
        opponent: OpponentMixture,
        progress: Callable[[int], None] = lambda done: None,
        boards_per_update: int = 1,
    ) -> State:
        """What is learnt by an iteration on each turn board from a state on, which stays as it is.

        turn_boards (n, 5 to 52): the four cards of each, then the rivers that may come.
        boards_per_update: boards that start from the same strategy, each on threads of its own; to
        stop between two of them changes what is learnt.
        """
        regrets, strategy_sums, responder = (
            tuple(table.copy() for table in tables) for tables in state[:3]
        )
        state = State(regrets, strategy_sums, responder, state.iteration)
        threads = max(numba.get_num_threads() // boards_per_update, 1)
        with ThreadPoolExecutor(boards_per_update) as pool:
            for first in range(0, len(turn_boards), boards_per_update):
                some = turn_boards[first : first + boards_per_update]
                step = partial(self._step, state, opponent, threads)
                # all are done before the state changes
                for added in [*pool.map(step, some, range(1, boards_per_update + 1))]:
                    for table, more in zip(
                        [*regrets, *strategy_sums, *responder], added, strict=True
                    ):
                        table += more
                state = state._replace(iteration=state.iteration + len(some))
                progress(first + len(some))
        return state

    def _step(
        self,
        state: State,
        opponent: OpponentMixture,
        threads: int,
        turn_board: np.ndarray,
        later: int,
    ) -> list[np.ndarray]:
        """What an iteration on a turn board, the state's last plus `later`, adds to each of the
        state's tables.
        """
        numba.set_num_threads(threads)  # in this thread: other boards keep the others busy
        boards, roots = _river_boards(turn_board), self._subgames.root
        turn, weight = boards[0, :4], np.float32((state.iteration + later) / 100)
        update = UpdateWeight(weight, self._by_reach)
        regrets, strategy_sums, responder = (
            [np.zeros_like(table) for table in tables] for tables in state[:3]
        )
        infosets, rows = _strategy(self.learner, state.regrets, turn)
        reach = self._reach(rows, turn)  # 1. reach
        if self._seat is not None:  # nothing is learnt by, or won from, a player without reach
            reach[1 - self._seat] = 0

        share, best, actions = np.float32(opponent.share), reach, _NO_ACTIONS  # 2. opponent
        other_rows = _policy_rows(opponent.policy, turn) if opponent.policy else rows
        if share > 0:
            best, actions = self._responder_reach(state, boards, rows, reach, weight, responder)
        other = self._reach(other_rows, turn) if opponent.policy else reach
        both = share * best + (1 - share) * other
        at_roots = RootReach(reach[:, roots], share * best[:, roots], (1 - share) * other[:, roots])
        if self._seat is not None:
            both[self._seat] = at_roots.best_response[self._seat] = 0
            at_roots.other_strategy[self._seat] = 0

        # 3. values; on the river regrets are added at once
        strategies, tables = (rows[3], other_rows[3]), (regrets[3], strategy_sums[3])
        won = learn_rivers(
            self._subgames, boards, infosets[3], strategies, at_roots, actions, update, tables
        )
        value = self._ends(boards, both, won)

        for n in (2, 1, 0):  # 4. regrets
            street, tables = self._streets[n], (regrets[n], strategy_sums[n])
            _learn_street(street, infosets[n], rows[n][0], update, reach, value, *tables)
        return [*regrets, *strategy_sums, *responder]

    def _reach(self, rows: Rows, turn: np.ndarray) -> np.ndarray:
        """Each player's reach of the nodes before the river's actions, (2, n_nodes, 1326), where
        both play rows.

        Hands with a card of the turn board have 0, but at all-ins before the flop, whose value is
        that over all boards.
        """
        reach = np.ones((2, int(self.tree.street_start[3]), N_HOLES), dtype=np.float32)
        for street in range(3):
            fill_street_reach(self.tree, street, rows[street], reach)
            if street == 0:
                reach[:, self._on_board] *= free_holes(turn.tolist())
        return reach

    def _respond_from_turn(
        self, boards: np.ndarray, rows: Rows, reach: np.ndarray
    ) -> tuple[np.ndarray, Rows, np.ndarray]:
        """A best response's values (2, n_nodes, 1326) from the turn on, its rows there, and its
        actions on the rivers.
        """
        won, actions = best_responses(
            self._subgames, boards, rows[3], reach[:, self._subgames.root]
        )
        value, every = self._ends(boards, reach, won), np.ones(len(self.tree.kind), dtype=bool)
        fill_best_action_values(self.tree, 2, every, value[None, None])
        width = int(np.diff(self.tree.street_start)[2])
        response = np.zeros((width, N_HOLES), dtype=np.float32)
        for node in self._streets[2].node:
            best = value[self.tree.actor[node], children(self.tree, node)].argmax(axis=0)
            below = np.arange(self.tree.n_children[node])
            response[columns(self.tree, node)] = below[:, None] == best
        return value, {2: (response.T, np.arange(N_HOLES, dtype=np.int32))}, actions

    def _responder_reach(
        self,
        state: State,
        boards: np.ndarray,
        rows: Rows,
        reach: np.ndarray,
        weight: np.float32,
        added: list[np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reach (2, n_nodes, 1326) of a best response to rows, and its actions on the rivers.

        Before the turn it learns first: its regrets are written to `added`, arrays of 0.
        """
        value, response, actions = self._respond_from_turn(boards, rows, reach)
        if self.responder_buckets:
            infosets, played = _strategy(self.responder_buckets, state.responder_regrets, boards[0])
            update = UpdateWeight(weight, False)
            for n in (1, 0):
                # the responder's tree has a label for each of its sizes
                street = self._streets[n]._replace(label=self.responder_buckets.tree.label)
                unused = np.zeros_like(added[n])
                _learn_street(
                    street, infosets[n], played[n][0], update, reach, value, added[n], unused
                )
            regrets = tuple(map(np.add, state.responder_regrets, added))
            response |= _strategy(self.responder_buckets, regrets, boards[0])[1]
        return self._reach(rows | response, boards[0, :4]), actions

    def _ends(self, boards: np.ndarray, reach: np.ndarray, won: np.ndarray) -> np.ndarray:
        """Both players' values (2, n_nodes, 1326) where the betting before the river ends, by the
        other's reach.

        won (2, n, 1326): values of the rivers' roots, sums over boards (n_boards, 5).
        """
        value = np.zeros_like(reach)
        a_river = np.float32(_RIVERS / _FREE_RIVERS / len(boards))
        free = free_holes(boards[0, :4].tolist())
        stakes = stakes_at(self.tree, self._preflop_all_ins)[:, :1]
        shown = stakes_at(self.tree, self._all_ins).astype(np.float32)
        orders = [board_order(board) for board in boards]
        for seat in range(2):
            theirs = reach[1 - seat]
            if not theirs.any():  # they learn in the other seat alone
                continue
            value[seat, self._subgames.root] = a_river * won[seat]
            value[seat, self._folds] = fold_values(self.tree, self._folds, seat, reach) * free
            of_class = theirs[self._preflop_all_ins][:, HOLE_OF_CLASS] @ self._net_wins.T
            value[seat, self._preflop_all_ins] = (
                _MISSED * free * (stakes * of_class)[:, CLASS_OF_HOLE]
            )
            all_in = np.ascontiguousarray(theirs[self._all_ins].T)  # (1326, all-ins)
            worth = np.zeros_like(all_in)
            for order in orders:
                add_end_values(order, order.holes, 0, shown[:, 0], all_in, worth)
            value[seat, self._all_ins] = a_river * worth.T
        return value


def cfr_br_with_other_menu(
    leaves: TreeLeaves,
    menu: Menu,
    theirs: Menu,
    seat: int,
    preflop_wins: np.ndarray,
    responder_buckets: HandBuckets,
) -> CfrBr:
    """CFR-BR in which leaves play one seat with their own menu, and the opponent has another menu
    and the responder's buckets.

    Leaves read any bet, so that what they learn here, by reach, goes on in CFR-BR on their own
    tree.
    """
    menus = (menu, START, theirs) if seat == 0 else (theirs, START, menu)
    tree, labels = build_tree(*menus), leaves.tree.labels
    every = (*labels, *(label for label in tree.labels if label not in labels))
    label = np.array([*map(every.index, tree.labels), -1], dtype=np.int8)[tree.label]
    # leaves learn nothing about other sizes
    known = tree._replace(labels=labels, label=np.minimum(label, len(labels) - 1))
    against = responder_buckets.on(tree._replace(labels=every, label=label))
    return CfrBr(TreeLeaves(leaves.base_policy.on(known, seat)), preflop_wins, against, True, seat)


def train_alternately(
    schedule: Sequence[tuple[CfrBr, OpponentMixture, int]],
    state: State,
    turn_boards: np.ndarray,
    progress: Callable[[int], None] = lambda done: None,
    boards_per_update: int = 1,
) -> State:
    """As `CfrBr.train`, by solvers that share what the learner learns: the schedule is a
    cycle of solvers, each with its opponent and a number of turn boards.

    The responder of each solver learns separately, that of the first from `state` on.
    """
    done, responders = 0, {schedule[0][0]: state.responder_regrets}
    for solver, opponent, n in cycle(schedule):
        if done >= len(turn_boards):
            break
        begins = responders[solver] if solver in responders else solver.start().responder_regrets
        some = turn_boards[done : done + n]
        state = solver.train(
            state._replace(responder_regrets=begins),
            some,
            opponent,
            boards_per_update=boards_per_update,
        )
        responders[solver] = state.responder_regrets
        done += n
        progress(min(done, len(turn_boards)))
    return state._replace(responder_regrets=responders[schedule[0][0]])


def retrain(
    agent: TreeAgent,
    tree: BettingTree,
    blueprint: TablePolicy,
    preflop_wins: np.ndarray,
    turn_boards: np.ndarray,
    known_share: float,
    warm_start: float,
    other_menu: Menu | None = None,
    name: str = "",
) -> TreeAgent:
    """A tree agent with the same splits and retrained leaf probabilities, a restricted Nash
    response; stored by `memo`.

    The opponent knows the agent in a share of the hands. It then learns in the blueprint's buckets
    before the turn, and plays a best response afterwards. In the other hands it plays the
    blueprint. Two boards are learnt from at a time; turn_boards, warm_start: as of `CfrBr`.
    other_menu: of the opponent on every second pair of boards, where the blueprint is left out.
    name: of the agent, for a line of progress.
    """
    leaves = TreeLeaves(agent.policy(tree))
    responder = HandBuckets(tree, blueprint, np.zeros_like(blueprint.buckets.turn), 1)
    solver = CfrBr(leaves, preflop_wins, responder, by_reach=True)
    on_own_tree = solver, OpponentMixture(known_share, blueprint if known_share < 1 else None), 2
    schedule: list[tuple[CfrBr, OpponentMixture, int]] = [on_own_tree]
    if other_menu:
        others = [
            cfr_br_with_other_menu(leaves, agent.menu, other_menu, seat, preflop_wins, responder)
            for seat in range(2)
        ]
        alone = OpponentMixture(known_share, None)
        schedule = [step for other in others for step in (on_own_tree, (other, alone, 2))]
    progress = Progress(f"retraining {name}, turn boards", len(turn_boards))
    strategy_sums = memo(
        train_alternately, schedule, solver.start(warm_start), turn_boards, progress, 2
    ).strategy_sums
    how = {
        "learner": "OCT, leaves retrained by CFR-BR",
        "turn_boards": len(turn_boards),
        "known_share": known_share,
    }
    return TreeAgent(
        agent.menu,
        leaves.retrained(strategy_sums),
        agent.equities,
        agent.feature_set,
        agent.provenance | how,
    )


def _river_boards(turn_board: np.ndarray) -> np.ndarray:
    """Boards (n, 5) of a turn board and its rivers (4 + n,)."""
    return np.array([[*turn_board[:4], river] for river in turn_board[4:]], dtype=np.int64)


def _strategy(
    who: Abstraction, weights: Weights, board: np.ndarray
) -> tuple[dict[int, Infosets], Rows]:
    """Infosets on the streets of weights, and the strategy's rows on them."""
    infosets = {
        street: who.street_infosets(street, board[: BOARD_CARDS[street]].tolist())
        for street in range(len(weights))
    }
    return infosets, {
        k: (strategy_rows(who.tree, k, of, weights[k]), of.row) for k, of in infosets.items()
    }


def _policy_rows(policy: TablePolicy, board: np.ndarray) -> Rows:
    """A policy's rows on a turn board and its rivers."""
    rows = {n: policy.street_rows(n, board[: BOARD_CARDS[n]].tolist()) for n in range(3)}
    return rows | {3: (policy.tables[3], np.arange(N_RIVER_BUCKETS, dtype=np.int32))}
