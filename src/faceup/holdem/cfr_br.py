"""CFR-BR on hold'em: a learner with an abstract strategy trains against a best response that knows
it (Johanson, Bard, Burch and Bowling 2012).

An iteration deals a flop, a turn card and some rivers, and then, for learners in both seats at
once:

1. reach: how the learner comes to each decision with each hand, by its current strategy, which is
   regret matching on its regrets.
2. opponent: how the opponent comes there. It knows the learner's strategy in a share of the games,
   where it plays a best response, and plays another strategy in the rest (`OpponentMixture`): its
   reach is known_share x best response + (1 - known_share) x rest. A share of 1 is CFR-BR, less is
   a restricted Nash response (Johanson, Zinkevich and Bowling 2007), 0 with the learner itself in
   the rest is self-play.
3. values: the counterfactual value of each action to each of the learner's hands against that
   opponent.
4. regrets: value[action] - value[decision] is added to the learner's regrets, and its own reach to
   its summed strategy. The average strategy, in proportion to the sums, is the result.

Learners in both seats start from the same strategy, and so may several turn boards, which are then
learned from in parallel. Iteration k has weight k / 100 (linear averaging).

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
from itertools import cycle, product
from typing import NamedTuple

import numba
import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, COMBOS, HOLE_OF_CLASS, N_HOLES
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
    ActionWeights,
    HandBuckets,
    Infosets,
    TreeLeaves,
    strategy_table,
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
_NO_ACTIONS = np.zeros((0, 0, 0, 0), dtype=np.int8)  # of a best response that nobody plays
# by street; on the river rows are selected by equity (1981,) instead of hole
BoardStrategy = dict[int, StreetRows]


class OpponentMixture(NamedTuple):
    """An opponent that plays a best response to the learner in a share of the games, a policy in
    the rest.

    OpponentMixture(known_share, None): in the rest it plays the learner's current strategy, so that
    OpponentMixture(1, None) is CFR-BR and OpponentMixture(0, None) self-play. Where one seat alone
    learns (`CfrBr`), the learner has no reach in the other: nobody plays there in the rest of the
    games, and nothing is learned from them.
    """

    known_share: float  # of the games in which it knows the learner's strategy, 0 to 1
    policy: TablePolicy | None


class State(NamedTuple):
    """All that has been learned."""

    regrets: ActionWeights
    strategy_sums: ActionWeights
    responder_regrets: ActionWeights  # regrets of the best response before the turn
    iteration: int


@njit(cache=True)
def _learn_street(street, infosets, table, update, reach, value, regrets, strategy_sums):
    """Fill values (2, n_nodes, 1326) float32 of a street's decisions from those of their children
    and add to regrets and strategy_sums (n_infosets, n_labels).

    table (rows, width): the strategy of the player who learns, at decisions of that player; the
    other player's is in the children's values. Adds value[action] - value[decision] to regrets,
    and own reach (2, n_nodes, 1326) of actions to strategy_sums, both as `update` says. Where only
    one player learns, sums of the other player's decisions are not used. street: of
    `StreetDecisions`.
    """
    for d in range(street.node.shape[0] - 1, -1, -1):
        node, actor = street.node[d], street.actor[d]
        for h in range(value.shape[2]):
            row, mean, opponent_sum = infosets.row[h], np.float32(0), np.float32(0)
            for e in range(street.first[d], street.end[d]):
                mean += value[actor, e, h] * table[row, e - street.first_node]
                opponent_sum += value[1 - actor, e, h]  # the actor's chances are in them already
            value[actor, node, h], value[1 - actor, node, h] = mean, opponent_sum
            infoset = infosets.infoset[row, infosets.situation[node]]
            reach_weight = update.iteration_weight * reach[actor, node, h]
            regret_weight = reach_weight if update.by_reach else update.iteration_weight
            for e in range(street.first[d], street.end[d]):
                action, chance = street.label[e], table[row, e - street.first_node]
                regrets[infoset, action] += regret_weight * (value[actor, e, h] - mean)
                strategy_sums[infoset, action] += reach_weight * chance


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
        tree, n = learner.betting_tree, int(learner.betting_tree.street_start[3])
        self.tree, self.learner, self.responder_buckets = tree, learner, responder_buckets
        self._by_reach, self._seat = by_reach, seat
        self._subgames = betting_subgames(tree)
        self._streets = [street_decisions(tree, street) for street in range(3)]
        self._folds = np.flatnonzero(tree.kind[:n] == FOLD_END)
        all_ins = np.flatnonzero(tree.kind[:n] == SHOWDOWN)
        preflop = tree.street[all_ins] == 0
        self._preflop_all_ins, self._later_all_ins = all_ins[preflop], all_ins[~preflop]
        # nodes before the flop whose hands must leave the turn board
        self._dealt = np.setdiff1d(np.arange(tree.street_start[1]), self._preflop_all_ins)
        self._net_wins_per_combo = net_wins(preflop_wins, RUNOUTS_PREFLOP) / COMBOS[:, None]

    def start(self, warm_start: float = 0) -> State:
        """Nothing learned yet; warm_start: weight of the first strategies as regrets, dollars times
        pairs of hands.
        """
        begins, warm = self.learner.start(), np.float32(warm_start)
        regrets, strategy_sums = (
            # almost nothing, so that a leaf that is never reached keeps its first probabilities
            tuple(np.float32(scale) * weights for weights in begins)
            for scale in (warm, 1e-6)
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
        turn_deals: np.ndarray,
        opponent: OpponentMixture,
        progress: Callable[[int], None] = lambda done: None,
        boards_per_update: int = 1,
    ) -> State:
        """What is learned by an iteration on each turn board from a state on, which stays as it is.

        turn_deals (n, 5 to 52): the four cards of each board, then the rivers that may come.
        boards_per_update: boards that start from the same strategy, each on threads of its own; to
        stop between two of them changes what is learned.
        """
        regrets, strategy_sums, responder = (
            tuple(table.copy() for table in tables) for tables in state[:3]
        )
        state = State(regrets, strategy_sums, responder, state.iteration)
        threads = max(numba.get_num_threads() // boards_per_update, 1)
        with ThreadPoolExecutor(boards_per_update) as pool:
            for first in range(0, len(turn_deals), boards_per_update):
                some = turn_deals[first : first + boards_per_update]
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
        self, state: State, opponent: OpponentMixture, threads: int, turn_deal: np.ndarray, nth: int
    ) -> list[np.ndarray]:
        """What an iteration on a turn board, the nth (1, ..) after the state's last, adds to each
        of the state's tables.
        """
        numba.set_num_threads(threads)  # in this thread: other boards keep the others busy
        boards = np.array([[*turn_deal[:4], river] for river in turn_deal[4:]], dtype=np.int64)
        roots = self._subgames.root
        turn_board, iteration_weight = turn_deal[:4], np.float32((state.iteration + nth) / 100)
        update = UpdateWeight(iteration_weight, self._by_reach)
        regrets, strategy_sums, responder = (
            [np.zeros_like(table) for table in tables] for tables in state[:3]
        )
        infosets, strategy = _strategy(self.learner, state.regrets, turn_board)
        reach = self._reach(strategy, turn_board)  # 1. reach
        if self._seat is not None:  # nothing is learned by, or won from, a player without reach
            reach[1 - self._seat] = 0

        # 2. opponent
        known_share, best_reach, actions = np.float32(opponent.known_share), reach, _NO_ACTIONS
        rest = _policy_strategy(opponent.policy, turn_board) if opponent.policy else strategy
        if known_share > 0:
            best_reach, actions = self._responder_reach(
                state, boards, strategy, reach, iteration_weight, responder
            )
        rest_reach = self._reach(rest, turn_board) if opponent.policy else reach
        mixed_reach = known_share * best_reach + (1 - known_share) * rest_reach
        at_roots = RootReach(
            reach[:, roots],
            known_share * best_reach[:, roots],
            (1 - known_share) * rest_reach[:, roots],
        )
        if self._seat is not None:
            mixed_reach[self._seat] = at_roots.best_response[self._seat] = 0
            at_roots.rest[self._seat] = 0

        # 3. values; on the river regrets are added at once
        strategies, tables = (strategy[3], rest[3]), (regrets[3], strategy_sums[3])
        won = learn_rivers(
            self._subgames, boards, infosets[3], strategies, at_roots, actions, update, tables
        )
        value = self._ends(boards, mixed_reach, won)

        for n in (2, 1, 0):  # 4. regrets
            street, tables = self._streets[n], (regrets[n], strategy_sums[n])
            _learn_street(street, infosets[n], strategy[n][0], update, reach, value, *tables)
        return [*regrets, *strategy_sums, *responder]

    def _reach(self, strategy: BoardStrategy, turn_board: np.ndarray) -> np.ndarray:
        """Each player's reach of the nodes before the river's actions, (2, n_nodes, 1326), where
        both play a strategy.

        Hands with a card of the turn board have 0, but at all-ins before the flop, whose value is
        that over all boards.
        """
        reach = np.ones((2, int(self.tree.street_start[3]), N_HOLES), dtype=np.float32)
        for street in range(3):
            fill_street_reach(self.tree, street, strategy[street], reach)
            if street == 0:
                reach[:, self._dealt] *= free_holes(turn_board.tolist())
        return reach

    def _respond_from_turn(
        self, boards: np.ndarray, strategy: BoardStrategy, reach: np.ndarray
    ) -> tuple[np.ndarray, BoardStrategy, np.ndarray]:
        """A best response's values (2, n_nodes, 1326) from the turn on, its strategy on the turn,
        and its actions on the rivers.
        """
        won, actions = best_responses(
            self._subgames, boards, strategy[3], reach[:, self._subgames.root]
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
        strategy: BoardStrategy,
        reach: np.ndarray,
        iteration_weight: np.float32,
        added: list[np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reach (2, n_nodes, 1326) of a best response to a strategy, and its actions on the rivers.

        Before the turn it learns first: its regrets are written to `added`, arrays of 0.
        """
        value, response, actions = self._respond_from_turn(boards, strategy, reach)
        if self.responder_buckets:
            infosets, played = _strategy(self.responder_buckets, state.responder_regrets, boards[0])
            update = UpdateWeight(iteration_weight, False)
            for n in (1, 0):
                # the responder's tree has a label for each of its sizes
                street = self._streets[n]._replace(label=self.responder_buckets.betting_tree.label)
                unused = np.zeros_like(added[n])
                _learn_street(
                    street, infosets[n], played[n][0], update, reach, value, added[n], unused
                )
            regrets = tuple(map(np.add, state.responder_regrets, added))
            response |= _strategy(self.responder_buckets, regrets, boards[0])[1]
        # before the turn, without buckets of its own, it plays as the learner; the learner's rivers
        # are in the union, too, but reach ends where they begin
        return self._reach(strategy | response, boards[0, :4]), actions

    def _ends(self, boards: np.ndarray, reach: np.ndarray, won: np.ndarray) -> np.ndarray:
        """Both players' values (2, n_nodes, 1326) where the betting before the river ends, by the
        other's reach.

        won (2, n, 1326): values of the rivers' roots, sums over boards (n_boards, 5).
        """
        value = np.zeros_like(reach)
        river_weight = np.float32(_RIVERS / _FREE_RIVERS / len(boards))
        free = free_holes(boards[0, :4].tolist())
        preflop_stakes = stakes_at(self.tree, self._preflop_all_ins)[:, :1]
        later_stakes = stakes_at(self.tree, self._later_all_ins).astype(np.float32)
        orders = [board_order(board) for board in boards]
        for seat in range(2):
            opposing = reach[1 - seat]
            if not opposing.any():  # the learner plays in the other seat alone
                continue
            value[seat, self._subgames.root] = river_weight * won[seat]
            value[seat, self._folds] = fold_values(self.tree, self._folds, seat, reach) * free
            net = opposing[self._preflop_all_ins][:, HOLE_OF_CLASS] @ self._net_wins_per_combo.T
            value[seat, self._preflop_all_ins] = (
                _MISSED * free * (preflop_stakes * net)[:, CLASS_OF_HOLE]
            )
            all_in = np.ascontiguousarray(opposing[self._later_all_ins].T)  # (1326, all-ins)
            worth = np.zeros_like(all_in)
            for order in orders:
                add_end_values(order, order.holes, 0, later_stakes[:, 0], all_in, worth)
            value[seat, self._later_all_ins] = river_weight * worth.T
        return value


def cfr_br_with_other_menu(
    leaves: TreeLeaves,
    menu: Menu,
    other_menu: Menu,
    seat: int,
    preflop_wins: np.ndarray,
    responder_buckets: HandBuckets,
) -> CfrBr:
    """CFR-BR in which leaves play one seat with their own menu, and the opponent has another menu
    and the responder's buckets.

    Leaves read any bet, so that what they learn here, by reach, goes on in CFR-BR on their own
    tree.
    """
    menus = (menu, START, other_menu) if seat == 0 else (other_menu, START, menu)
    tree, labels = build_tree(*menus), leaves.betting_tree.labels
    every = (*labels, *(label for label in tree.labels if label not in labels))
    label = np.array([*map(every.index, tree.labels), -1], dtype=np.int8)[tree.label]
    # leaves learn nothing about sizes that they lack: only the opponent bets them
    known = tree._replace(labels=labels, label=np.minimum(label, len(labels) - 1))
    against = responder_buckets.uniform_on(tree._replace(labels=every, label=label))
    return CfrBr(TreeLeaves(leaves.base_policy.on(known, seat)), preflop_wins, against, True, seat)


def train_alternately(
    schedule: Sequence[tuple[CfrBr, OpponentMixture, int]],
    state: State,
    turn_deals: np.ndarray,
    progress: Callable[[int], None] = lambda done: None,
    boards_per_update: int = 1,
) -> State:
    """As `CfrBr.train`, by solvers that share what the learner learns: the schedule is a
    cycle of solvers, each with its opponent and a number of turn boards.

    The responder of each solver learns separately, that of the first from `state` on.
    """
    done, responders = 0, {schedule[0][0]: state.responder_regrets}
    for solver, opponent, n in cycle(schedule):
        if done >= len(turn_deals):
            break
        begins = responders[solver] if solver in responders else solver.start().responder_regrets
        some = turn_deals[done : done + n]
        state = solver.train(
            state._replace(responder_regrets=begins),
            some,
            opponent,
            boards_per_update=boards_per_update,
        )
        responders[solver] = state.responder_regrets
        done += n
        progress(min(done, len(turn_deals)))
    return state._replace(responder_regrets=responders[schedule[0][0]])


def retrain(
    agent: TreeAgent,
    tree: BettingTree,
    blueprint: TablePolicy,
    preflop_wins: np.ndarray,
    turn_deals: np.ndarray,
    known_share: float,
    warm_start: float,
    others: Sequence[tuple[Menu, float]] = (),
    name: str = "",
) -> TreeAgent:
    """A tree agent with the same splits and retrained leaf probabilities, a restricted Nash
    response; stored by `memo`.

    The opponent knows the agent in a share of the games. It then learns in the blueprint's buckets
    before the turn, and plays a best response afterwards. In the other hands it plays the
    blueprint. Two boards are learned from at a time; turn_deals, warm_start: as of `CfrBr`.
    others: bets of the opponent, by turns, on every second pair of boards, where the blueprint is
    left out, and the share of the games in which it knows the agent there. name: of the agent, for
    a line of progress.
    """
    leaves = TreeLeaves(agent.policy(tree))
    responder = HandBuckets(tree, blueprint, np.zeros_like(blueprint.buckets.turn), 1)
    solver = CfrBr(leaves, preflop_wins, responder, by_reach=True)
    on_own_tree = solver, OpponentMixture(known_share, blueprint if known_share < 1 else None), 2
    schedule: list[tuple[CfrBr, OpponentMixture, int]] = [] if others else [on_own_tree]
    for (menu, share), seat in product(others, range(2)):
        other = cfr_br_with_other_menu(leaves, agent.menu, menu, seat, preflop_wins, responder)
        schedule += [on_own_tree, (other, OpponentMixture(share, None), 2)]
    progress = Progress(f"retraining {name}, turn boards", len(turn_deals))
    strategy_sums = memo(
        train_alternately, schedule, solver.start(warm_start), turn_deals, progress, 2
    ).strategy_sums
    how = {
        "learner": "OCT, leaves retrained by CFR-BR",
        "turn_boards": len(turn_deals),
        "known_share": known_share,
    }
    return TreeAgent(
        agent.menu,
        leaves.retrained(strategy_sums),
        agent.equities,
        agent.feature_set,
        agent.provenance | how,
    )


def _strategy(
    abstraction: Abstraction, weights: ActionWeights, turn_board: np.ndarray
) -> tuple[dict[int, Infosets], BoardStrategy]:
    """Infosets on the streets of weights, and the strategy there.

    turn_board: at least four cards. Infosets of the river are by equity and need no board, so that
    these serve all rivers.
    """
    infosets = {
        street: abstraction.street_infosets(street, turn_board[: BOARD_CARDS[street]].tolist())
        for street in range(len(weights))
    }
    return infosets, {
        street: (strategy_table(abstraction.betting_tree, street, x, weights[street]), x.row)
        for street, x in infosets.items()
    }


def _policy_strategy(policy: TablePolicy, turn_board: np.ndarray) -> BoardStrategy:
    """A policy's rows on a turn board and its rivers."""
    rows = {n: policy.street_rows(n, turn_board[: BOARD_CARDS[n]].tolist()) for n in range(3)}
    return rows | {3: (policy.tables[3], np.arange(N_RIVER_BUCKETS, dtype=np.int32))}
