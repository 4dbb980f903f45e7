"""CFR-BR on hold'em (Johanson, Bard, Burch and Bowling 2012), and self-play, which differs from it
in whom the learner meets.

An iteration deals a flop, a turn card and some rivers, and then, for learners in both seats at
once:

1. reach: how the learner comes to each decision with each hand, by its current strategy; 2.
opponent: how the opponent comes there. In self-play it is the learner itself, in CFR-BR a best
response, in a restricted Nash response (Johanson, Zinkevich and Bowling 2007) a mixture, whose
reach is share x best response + (1 - share) x a table; 3. values: what each action is worth to each
of the learner's hands against that opponent; 4. regrets: the learner adds what each action would
have won more than its strategy did, and its own reach to its average.

Learners in both seats start from the same strategy, and so may several deals, which are then learnt
from side by side.

A leaf of a decision tree answers at many decisions of the game at once. How much the strategy's
value changes with a leaf's answer is by the product rule a sum over those decisions, each times the
learner's own reach:

    d value / d answer(leaf, a) = sum over h, decisions of the leaf: reach(h) (value(a, h) - value(h)).

CFR leaves the reach out. With perfect recall it is the same for all that an infoset holds, and
changes nothing (Srinivasan et al. 2018 compare the two). But in a leaf, hands and bets that the
learner never comes with would count like those it often comes with. So `by_reach` weighs regrets
with it: for trees it should, for tables it need not.

The best response holds real cards. From the turn on it knows the learner's strategy, and the rivers
that may come, and takes the best actions. Before the turn, where an answer would have to be good on
all cards to come, it learns by regrets, too, in groups of hands of its own. That it knows which
rivers may come makes it stronger than any real opponent, the less so the more are dealt: 48 are
all.

Values are counterfactual, sums over the other player's hands that a turn board leaves, on all
streets: before the turn such a sum is right in the mean over the boards dealt. All-ins before the
flop have their exact value.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import cycle
from typing import Literal, NamedTuple

import numba
import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_OF_CLASS, N_CLASSES
from faceup.cards.matchups import RUNOUTS_PREFLOP, net_wins
from faceup.holdem.agents import TreeAgent
from faceup.holdem.best_response import fold_values
from faceup.holdem.board import _add_values, board_order, free_holes, street_reach
from faceup.holdem.buckets import N_RIVER_BUCKETS
from faceup.holdem.cfr_br_river import (
    Reach,
    UpdateWeight,
    best_responses,
    learn_rivers,
    make_subtrees,
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
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import FOLD_END, SHOWDOWN, START, Menu
from faceup.holdem.tree import BettingTree, build_tree, children, columns, decisions
from faceup.util.memo import memo
from faceup.util.progress import Progress

# chance that a turn board, which a hand has missed, misses the other one
_MISSED = (48 * 47 * 46 * 45) / (50 * 49 * 48 * 47)
_COMBOS = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)
_NOTHING = np.zeros((0, 0, 0, 0), dtype=np.int8)  # actions of a best response that is not there
# a strategy on a board, by street; on the river the rows are those of equities (1981,)
Rows = dict[int, StreetRows]


class Mixed(NamedTuple):
    """An opponent who plays a best response in a share of the hands, and a table in the rest."""

    share: float  # above 0, at most 1
    # None, only where one seat alone learns: nobody, from whom nothing is learnt
    table: TablePolicy | None


Opponent = Literal["self", "best"] | Mixed


class State(NamedTuple):
    """All that has been learnt."""

    regrets: Weights
    averages: Weights
    responder: Weights  # regrets of the best response before the turn
    iteration: int


class Street(NamedTuple):
    """A street's n decisions, parents first."""

    node: np.ndarray  # (n,) int32
    actor: np.ndarray  # (n,) int8
    first: np.ndarray  # (n,) int32 first node below
    end: np.ndarray  # (n,) int32 after the last one
    label: np.ndarray  # (n_nodes,) int8 of the action that leads to a node
    start: int  # first node that an action of the street leads to


@njit(cache=True)
def _learn(street, infosets, table, update, reach, value, regrets, averages):
    """Values (2, n_nodes, 1326) of a street's decisions where both players play a table (rows,
    width), and what they learn.

    Adds regrets, value[action] - value[decision], as `update` says, and own reach (2, n_nodes,
    1326) of actions times its time.
    """
    for d in range(street.node.shape[0] - 1, -1, -1):
        node, who = street.node[d], street.actor[d]
        for h in range(value.shape[2]):
            row, mean, others = infosets.row[h], np.float32(0), np.float32(0)
            for e in range(street.first[d], street.end[d]):
                mean += value[who, e, h] * table[row, e - street.start]
                others += value[1 - who, e, h]  # the actor's chances are in them already
            value[who, node, h], value[1 - who, node, h] = mean, others
            infoset, weight = (
                infosets.of[row, infosets.situation[node]],
                update.time * reach[who, node, h],
            )
            share = weight if update.by_reach else update.time
            for e in range(street.first[d], street.end[d]):
                regrets[infoset, street.label[e]] += share * (value[who, e, h] - mean)
                averages[infoset, street.label[e]] += weight * table[row, e - street.start]


class CfrBr:
    """Hold'em on the betting tree of an abstraction."""

    def __init__(
        self,
        learner: Abstraction,
        preflop_wins: np.ndarray,
        responder: HandBuckets | None = None,
        by_reach: bool = False,
        seat: int | None = None,
    ):
        """preflop_wins (169, 169): of cards/matchups.

        responder: what a best response tells apart before the turn, where it learns. None: it plays
        there as the learner does. by_reach: whether the learner's regrets count its own reach.
        seat: the only one in which it learns (None: both).
        """
        self.tree, self.learner, self.responder = learner.tree, learner, responder
        self._by_reach, self._seat = by_reach, seat
        tree, n = learner.tree, int(learner.tree.street_start[3])
        self._subtrees, self._streets = make_subtrees(tree), []
        for street in range(3):
            node = decisions(tree, street)
            first, start = tree.first_child[node], int(tree.street_start[street])
            self._streets.append(
                Street(
                    node, tree.actor[node], first, first + tree.n_children[node], tree.label, start
                )
            )
        self._folds, shown = (
            np.flatnonzero(tree.kind[:n] == FOLD_END),
            np.flatnonzero(tree.kind[:n] == SHOWDOWN),
        )
        self._pushes, self._all_ins = shown[tree.street[shown] == 0], shown[tree.street[shown] > 0]
        self._on_board = np.setdiff1d(np.arange(tree.street_start[1]), self._pushes)
        self._net_wins = net_wins(preflop_wins, RUNOUTS_PREFLOP) / _COMBOS[:, None]

    def start(self, warm_start: float = 0) -> State:
        """Nothing learnt yet; warm_start: what first strategies count, as regrets: dollars times
        pairs of hands.
        """
        begins, warm = self.learner.start(), np.float32(warm_start)
        regrets, averages = (
            tuple(np.float32(scale) * weights for weights in begins) for scale in (warm, 1e-6)
        )
        return State(
            regrets,
            averages,
            tuple(warm * x for x in self.responder.start()[:2]) if self.responder else (),
            0,
        )

    def train(
        self,
        state: State,
        deals: np.ndarray,
        opponent: Opponent,
        progress: Callable[[int], None] = lambda done: None,
        together: int = 1,
    ) -> State:
        """What is learnt by an iteration on each deal from a state on, which stays as it is.

        deals (n, 5 to 52): the four cards of a turn board, then the rivers that may come. opponent:
        "self" is self-play, "best" CFR-BR, `Mixed` a restricted Nash response. The k-th iteration
        of all counts k / 100 times. together: so many deals start from the same strategy, each on
        threads of its own; to stop between two of them changes what is learnt.
        """
        regrets, averages, responder = (
            tuple(table.copy() for table in tables) for tables in state[:3]
        )
        state = State(regrets, averages, responder, state.iteration)
        threads = max(numba.get_num_threads() // together, 1)
        with ThreadPoolExecutor(together) as side_by_side:
            for first in range(0, len(deals), together):
                step, some = (
                    partial(self._step, state, opponent, threads),
                    deals[first : first + together],
                )
                # all are done before the state changes
                for added in [*side_by_side.map(step, some, range(1, together + 1))]:
                    for table, more in zip([*regrets, *averages, *responder], added, strict=True):
                        table += more
                state = state._replace(iteration=state.iteration + len(some))
                progress(first + len(some))
        return state

    def _step(
        self, state: State, opponent: Opponent, threads: int, deal: np.ndarray, later: int
    ) -> list[np.ndarray]:
        """What an iteration on a deal, so much `later` than the state's last, adds to each of the
        state's tables.
        """
        numba.set_num_threads(threads)  # in this thread: other deals keep the others busy
        boards, roots = _boards(deal), self._subtrees.root
        turn, update = (
            boards[0, :4],
            UpdateWeight(np.float32((state.iteration + later) / 100), self._by_reach),
        )
        regrets, averages, responder = (
            [np.zeros_like(table) for table in tables] for tables in state[:3]
        )
        infosets, rows = _strategy(self.learner, state.regrets, turn)
        reach = self._reach(rows, turn)  # 1. reach
        if self._seat is not None:  # who never comes learns nothing, and nothing is won from it
            reach[1 - self._seat] = 0

        # 2. opponent: here the three ways to train differ
        share, other_rows = _mixture(opponent, rows, turn)
        best, actions = reach, _NOTHING
        if share > 0:
            best, actions = self._best_response(state, boards, rows, reach, update.time, responder)
        other = reach if other_rows is rows else self._reach(other_rows, turn)
        both = share * best + (1 - share) * other
        met = Reach(reach[:, roots], share * best[:, roots], (1 - share) * other[:, roots])
        if self._seat is not None:
            both[self._seat] = met.best[self._seat] = met.other[self._seat] = 0

        strategies = rows[3], other_rows[3]  # 3. values; on the river regrets are added at once
        won = learn_rivers(
            self._subtrees,
            boards,
            infosets[3],
            strategies,
            met,
            actions,
            update,
            (regrets[3], averages[3]),
        )
        value = self._ends(boards, both, won)

        for street in (2, 1, 0):  # 4. regrets
            table = rows[street][0]
            _learn(
                self._streets[street],
                infosets[street],
                table,
                update,
                reach,
                value,
                regrets[street],
                averages[street],
            )
        return [*regrets, *averages, *responder]

    def _reach(self, rows: Rows, turn: np.ndarray) -> np.ndarray:
        """Each player's reach of the nodes before the river's actions, (2, n_nodes, 1326), where
        both play rows.

        Hands with a card of the turn board have 0, but at all-ins before the flop, whose value is
        that over all boards.
        """
        reach = np.ones((2, int(self.tree.street_start[3]), 1326), dtype=np.float32)
        for street in range(3):
            street_reach(self.tree, street, rows[street], reach)
            if street == 0:
                reach[:, self._on_board] *= free_holes(turn.tolist())
        return reach

    def _respond(
        self, boards: np.ndarray, rows: Rows, reach: np.ndarray
    ) -> tuple[np.ndarray, Rows, np.ndarray]:
        """A best response's values (2, n_nodes, 1326) from the turn on, its rows there, and its
        actions on the rivers.
        """
        won, actions = best_responses(
            self._subtrees, boards, rows[3], reach[:, self._subtrees.root]
        )
        value = self._ends(boards, reach, won)
        answer = np.zeros((int(np.diff(self.tree.street_start)[2]), 1326), dtype=np.float32)
        for node in self._streets[2].node[::-1]:
            who, below = self.tree.actor[node], value[:, children(self.tree, node)]
            value[1 - who, node], value[who, node] = (
                below[1 - who].sum(axis=0),
                below[who].max(axis=0),
            )
            answer[columns(self.tree, node)] = np.arange(below.shape[1])[:, None] == below[
                who
            ].argmax(axis=0)
        return value, {2: (answer.T, np.arange(1326, dtype=np.int32))}, actions

    def _best_response(
        self,
        state: State,
        boards: np.ndarray,
        rows: Rows,
        reach: np.ndarray,
        time: np.float32,
        learnt: list[np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Reach (2, n_nodes, 1326) of a best response to rows, and its actions on the rivers.

        Before the turn it learns first: its regrets are added to `learnt`, arrays of 0.
        """
        value, answers, actions = self._respond(boards, rows, reach)
        if self.responder:
            infosets, played = _strategy(self.responder, state.responder, boards[0])
            for street in (1, 0):
                table, update = played[street][0], UpdateWeight(time, False)
                unused = np.zeros_like(learnt[street])
                # where each size has a name
                nodes = self._streets[street]._replace(label=self.responder.tree.label)
                _learn(nodes, infosets[street], table, update, reach, value, learnt[street], unused)
            regrets = tuple(map(np.add, state.responder, learnt))
            answers |= _strategy(self.responder, regrets, boards[0])[1]
        return self._reach(rows | answers, boards[0, :4]), actions

    def _ends(self, boards: np.ndarray, reach: np.ndarray, won: np.ndarray) -> np.ndarray:
        """Both players' values (2, n_nodes, 1326) where the betting before the river ends, by the
        other's reach.

        won (2, roots, 1326): values of the rivers' roots, sums over boards (n, 5).
        """
        value, a_river = np.zeros_like(reach), np.float32(48 / 44 / len(boards))
        free, stakes = free_holes(boards[0, :4].tolist()), stakes_at(self.tree, self._pushes)[:, :1]
        shown, orders = (
            stakes_at(self.tree, self._all_ins).astype(np.float32),
            [board_order(board) for board in boards],
        )
        for seat in range(2):
            theirs = reach[1 - seat]
            if not theirs.any():  # they learn in the other seat alone
                continue
            value[seat, self._subtrees.root] = a_river * won[seat]
            value[seat, self._folds] = fold_values(self.tree, self._folds, seat, reach) * free
            pushed = theirs[self._pushes][:, HOLE_OF_CLASS]
            value[seat, self._pushes] = (
                _MISSED * free * (stakes * (pushed @ self._net_wins.T))[:, CLASS_OF_HOLE]
            )
            all_in = np.ascontiguousarray(theirs[self._all_ins].T)  # (1326, all-ins)
            worth = np.zeros_like(all_in)
            for order in orders:
                _add_values(order, order.holes, 0, shown[:, 0], all_in, worth)
            value[seat, self._all_ins] = a_river * worth.T
        return value


def game_with_other_menu(
    leaves: TreeLeaves,
    menu: Menu,
    theirs: Menu,
    seat: int,
    preflop_wins: np.ndarray,
    responder: HandBuckets,
) -> CfrBr:
    """A game in which leaves have one seat and their own menu, and the opponent has other sizes, in
    the responder's groups.

    Leaves read any bet, so that what they learn here, by reach, goes on in the game of their own
    tree.
    """
    tree, labels = (
        build_tree(*((menu, START, theirs) if seat == 0 else (theirs, START, menu))),
        leaves.tree.labels,
    )
    every = (*labels, *(label for label in tree.labels if label not in labels))
    label = np.array([*map(every.index, tree.labels), -1], dtype=np.int8)[tree.label]
    # leaves learn nothing about other sizes
    told = tree._replace(labels=labels, label=np.minimum(label, len(labels) - 1))
    against = responder.on(tree._replace(labels=every, label=label))
    return CfrBr(TreeLeaves(leaves.base_policy.on(told, seat)), preflop_wins, against, True, seat)


def train_alternately(
    turns: Sequence[tuple[CfrBr, Opponent, int]],
    state: State,
    deals: np.ndarray,
    progress: Callable[[int], None] = lambda done: None,
    together: int = 1,
) -> State:
    """As `CfrBr.train`, in games that share what the learner learns: so many deals in each, again
    and again.

    The responder of each game learns by itself, that of the first from `state` on.
    """
    done, responders = 0, {turns[0][0]: state.responder}
    for game, opponent, n in cycle(turns):
        if done >= len(deals):
            break
        begins = responders[game] if game in responders else game.start().responder
        state = game.train(
            state._replace(responder=begins), deals[done : done + n], opponent, together=together
        )
        responders[game] = state.responder
        done += n
        progress(min(done, len(deals)))
    return state._replace(responder=responders[turns[0][0]])


def retrain(
    agent: TreeAgent,
    tree: BettingTree,
    blueprint: TablePolicy,
    preflop_wins: np.ndarray,
    deals: np.ndarray,
    known_share: float,
    warm_start: float,
    other_menu: Menu | None = None,
    name: str = "",
) -> TreeAgent:
    """A tree agent with the same splits and retrained leaf probabilities, a restricted Nash
    response; stored by `memo`.

    The opponent knows the agent in a share of the hands. It then learns in the blueprint's buckets
    before the turn, and answers best afterwards. In the other hands it plays the blueprint. Two
    deals are learnt from at a time; deals, warm_start: as of `CfrBr`. other_menu: of the opponent
    on every second pair of deals, where the blueprint is left out. name: of the agent, for a line
    of progress.
    """
    leaves = TreeLeaves(agent.policy(tree))
    responder = HandBuckets(tree, blueprint, np.zeros_like(blueprint.buckets.turn), 1)
    game, opponent = (
        CfrBr(leaves, preflop_wins, responder, by_reach=True),
        Mixed(known_share, blueprint),
    )
    turns: list[tuple[CfrBr, Opponent, int]] = [(game, opponent if known_share < 1 else "best", 2)]
    if other_menu:
        others = [
            game_with_other_menu(leaves, agent.menu, other_menu, seat, preflop_wins, responder)
            for seat in range(2)
        ]
        turns = [
            turn for other in others for turn in (*turns, (other, Mixed(known_share, None), 2))
        ]
    progress = Progress(f"retraining {name}, turn boards", len(deals))
    averages = memo(train_alternately, turns, game.start(warm_start), deals, progress, 2).averages
    how = {
        "learner": "OCT, leaves retrained by CFR-BR",
        "turn_boards": len(deals),
        "known_share": known_share,
    }
    return TreeAgent(
        agent.menu, leaves.retrained(averages), agent.tables, agent.history, agent.provenance | how
    )


def _boards(deal: np.ndarray) -> np.ndarray:
    """Boards (n, 5) of a deal (4 + n,)."""
    return np.array([[*deal[:4], river] for river in deal[4:]], dtype=np.int64)


def _strategy(
    who: Abstraction, weights: Weights, board: np.ndarray
) -> tuple[dict[int, Infosets], Rows]:
    """Infosets on the streets of weights, and rows on them."""
    infosets = {
        street: who.street(street, board[: BOARD_CARDS[street]].tolist())
        for street in range(len(weights))
    }
    return infosets, {
        k: (strategy_rows(who.tree, k, of, weights[k]), of.row) for k, of in infosets.items()
    }


def _mixture(opponent: Opponent, rows: Rows, board: np.ndarray) -> tuple[np.float32, Rows]:
    """In which share of the hands the opponent is a best response, and how it plays in the others;
    rows: the learner's.
    """
    if isinstance(opponent, Mixed) and opponent.table:
        played = {
            street: opponent.table.street(street, board[: BOARD_CARDS[street]].tolist())
            for street in range(3)
        }
        played[3] = opponent.table.tables[3], np.arange(N_RIVER_BUCKETS, dtype=np.int32)
        return np.float32(opponent.share), played
    return np.float32(opponent.share if isinstance(opponent, Mixed) else opponent == "best"), rows
