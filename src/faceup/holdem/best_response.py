"""Best responses with real cards inside the betting tree: how much a strategy can lose.

The responder knows the strategy and sees its own two cards and the board; the strategy may use
buckets, features or nothing. The response is found street by street, for all hands of both seats at
once:

1. Forward pass over a flop and each turn card (`Responder._forward`, `_turn`): the strategy's reach
   of every node with each of its hands.
2. The river (`RiverResponder`): on each river card, the responder's best actions with each hand
   against that reach.
3. Backward pass over turn and flop (`fill_best_action_values`): a hand's value where the next
   street begins is the mean over its cards, and at each decision the responder takes the hand's
   best action.

All river cards are played, and all turn cards or a sample of them; of turn and river cards that
differ by a renaming of suits, one stands for all. A responder may be limited to a set of bet sizes,
and several such sets may be given: they share the forward pass and showdowns, not the backward
pass.

Where turn cards are sampled, the responder chooses its actions on the flop on those cards alone,
which errs high.

`exploitability` makes the choices before the flop and sums up a sample of flops. CFR-BR finds best
responses on one turn board in another way, `cfr_br_river.best_responses`: there the responder also
knows which rivers may come.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    COMBOS,
    N_CLASSES,
    N_HOLES,
    PERMUTED_HOLES,
    SUIT_PERMUTATIONS,
    cards_up_to_suits,
    fixing_permutations,
    short_repr,
)
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, flop_wins, net_wins
from faceup.holdem.best_response_river import RiverResponder, Rivers
from faceup.holdem.betting_tree import BettingTree, decision_nodes
from faceup.holdem.policy import Policy
from faceup.holdem.reach import class_reach, fill_street_reach
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN, are_sizes, size_name
from faceup.holdem.showdown import compatible_weight, free_holes
from faceup.util.parallel import parallel

ALL_PERMUTATIONS = np.arange(len(SUIT_PERMUTATIONS))  # permutation of suits
# (1326, 169): values of holes @ it are sums over those of each starting hand
OF_CLASS = np.eye(N_CLASSES)[CLASS_OF_HOLE]
N_OPPOSING_HOLES = 1225  # holes that share no card with a given one
TURN_CARDS, FREE_TURN_CARDS = 49, 45  # of a flop; and those that two hands leave
FREE_RIVER_CARDS = 44  # of a turn board, those that two hands leave


class FlopValues(NamedTuple):
    """Values of a flop to a responder in each seat, for each starting hand; sums over pairs of
    holes, dollars.
    """

    # (n_bet_sets, 2, n_next, 169) of what preflop betting leads to, mean over turn and river cards
    values: np.ndarray
    # (2, n_next, 169) checked down: the exact mean over flops of each pot's value less that on
    # this flop
    control_variate: np.ndarray
    pairs: np.ndarray  # (169,) pairs of holes that the flop leaves


class Responder:
    """Best responses, in both seats, to one policy on one tree."""

    def __init__(
        self,
        tree: BettingTree,
        policy: Policy,
        preflop_wins: np.ndarray,
        bet_sizes: Sequence[Sequence[float] | None] = (None,),
    ):
        """The policy must not depend on the names of suits; those of equities or features do not.

        preflop_wins (169, 169): of cards/matchups, for the control variate; bet_sizes: sets of the
        raises, in pots, that a responder has beside fold, call and all-in (None: all of the
        tree's). Raises ValueError on sizes that the tree does not have.
        """
        self.tree, self.policy = tree, policy
        self._net_wins = net_wins(preflop_wins, RUNOUTS_PREFLOP)
        self.allowed = np.array([allowed_nodes(tree, sizes) for sizes in bet_sizes])
        self._rivers = RiverResponder(tree, self.allowed)

    def flop(self, flop: Sequence[int], turns: Sequence[int] | None = None) -> FlopValues:
        """Values of a flop to a responder.

        turns: the turn cards that are dealt, each as likely as another; a card may come twice
        (None: all 49).
        """
        tree, flop = self.tree, [int(c) for c in flop]
        free, next_nodes = free_holes(flop), next_street_nodes(tree, 0)
        value = self._flop(flop, turns)
        pairs = (compatible_weight(free[None])[0] * free) @ OF_CLASS
        exact = self._net_wins * (pairs / (COMBOS * N_OPPOSING_HOLES))[:, None]
        opposing = class_reach(tree, self.policy.street_rows(0, []))[::-1, next_nodes]
        stake, here = tree.bets[next_nodes].sum(axis=2), net_wins(flop_wins(flop), RUNOUTS_FLOP)
        control_variate = stake.T[:, :, None] * (opposing @ (exact - here).T)
        return FlopValues(value[:, :, next_nodes] @ OF_CLASS, control_variate, pairs)

    def flops(
        self,
        flops: np.ndarray,
        progress: Callable[[int], None] = lambda done: None,
        turns: np.ndarray | None = None,
    ) -> list[FlopValues]:
        """`flop` of each of several flops (n, 3) with its turn cards (n, n_turns), in parallel; a
        step that `memo` can store.
        """
        cards = np.asarray(flops) if turns is None else np.hstack([flops, turns])
        distinct, where, times = np.unique(cards, axis=0, return_inverse=True, return_counts=True)
        found = parallel(
            self._flop_and_turns, distinct, lambda done: progress(int(times[:done].sum()))
        )
        return [found[k] for k in where.reshape(-1)]

    def _flop_and_turns(self, cards: np.ndarray) -> FlopValues:
        return self.flop(cards[:3].tolist(), cards[3:].tolist() or None)

    def _flop(self, flop: list[int], turns: Sequence[int] | None = None) -> np.ndarray:
        """Values (n_bet_sets, 2, nodes before the river's actions, 1326) of a flop.

        A hole with a sampled turn card is left fewer of them: its values are scaled by the 47 cards
        that a hole leaves of all, divided by the weight of those sampled that it leaves.
        """
        reach, next_nodes = self._forward(flop), next_street_nodes(self.tree, 1)
        value = np.zeros((len(self.allowed), *reach.shape), dtype=np.float32)
        fixed, left = fixing_permutations(flop, ALL_PERMUTATIONS), np.zeros(N_HOLES)
        for turn_card, permutations, weight in turn_weights(flop, fixed, turns):
            at_turn = self._turn(flop, turn_card, fixed, reach)
            for p in permutations:
                value[:, :, next_nodes[:, None], PERMUTED_HOLES[p]] += (
                    np.float32(weight) * at_turn[:, :, next_nodes] / np.float32(FREE_TURN_CARDS)
                )
                left[PERMUTED_HOLES[p]] += weight * free_holes([*flop, turn_card])
        value[:, :, next_nodes] *= ((TURN_CARDS - 2) / np.maximum(left, 1)).astype(np.float32)
        self._backward(1, flop, reach, value)
        return value

    def _forward(self, flop: list[int]) -> np.ndarray:
        """Each player's reach of the nodes that actions before the turn lead to, (2, nodes before
        the river's actions, 1326).
        """
        free = free_holes(flop)
        reach = np.zeros((2, int(self.tree.street_start[3]), len(free)), dtype=np.float32)
        reach[:, 0] = free
        for street, board in enumerate(([], flop)):
            fill_street_reach(self.tree, street, self.policy.street_rows(street, board), reach)
        return reach

    def _turn(
        self, flop: list[int], turn_card: int, fixed: np.ndarray, reach: np.ndarray
    ) -> np.ndarray:
        """As `_flop`, given the turn card; fixed: suit permutations that leave the flop as it is,
        reach: of `_forward`.
        """
        board = [*flop, turn_card]
        reach = reach * free_holes(board)
        fill_street_reach(self.tree, 2, self.policy.street_rows(2, board), reach)
        rivers = cards_up_to_suits(board, fixing_permutations([turn_card], fixed))
        boards = np.array([[*board, card] for card, _ in rivers])
        permutations = np.array(
            [[*permutations, *[-1] * (4 - len(permutations))] for _, permutations in rivers]
        )
        played = [self.policy.street_rows(3, river) for river in boards.tolist()]
        tables = {id(table): table for table, _ in played}  # most policies have one for all boards
        first = dict(zip(tables, np.cumsum([0, *map(len, tables.values())]), strict=False))
        rows = np.array(
            [row_of_hole + first[id(table)] for table, row_of_hole in played], dtype=np.int32
        )
        value = np.zeros((len(self.allowed), *reach.shape), dtype=np.float32)
        self._rivers.add(
            Rivers(boards, permutations, rows), np.concatenate([*tables.values()]), reach, value
        )
        value /= np.float32(FREE_RIVER_CARDS)
        self._backward(2, board, reach, value)
        return value

    def _backward(
        self, street: int, board: list[int], reach: np.ndarray, value: np.ndarray
    ) -> None:
        """Fill values of a street's decisions from its folds and from the nodes it leads to."""
        folds, free = fold_nodes(self.tree, street), free_holes(board)
        for player in range(2):
            value[:, player, folds] = fold_values(self.tree, folds, player, reach) * free
        for allowed, of_set in zip(self.allowed, value, strict=True):
            fill_best_action_values(self.tree, street, allowed, of_set[None, None])


def turn_weights(
    flop: list[int], fixed: np.ndarray, turns: Sequence[int] | None
) -> list[tuple[int, list[int], float]]:
    """The turn cards that are played: card, permutations that map it to the cards it stands for,
    and the weight of each of these.

    fixed: suit permutations that leave the flop as it is. turns: the n cards dealt, of which each
    stands for 49 / n cards and for all cards of its kind equally (None: all cards, with weight 1).
    """
    kinds = cards_up_to_suits(flop, fixed)
    if turns is None:
        return [(card, permutations, 1.0) for card, permutations in kinds]
    cards = [
        {4 * (card // 4) + int(SUIT_PERMUTATIONS[p, card % 4]) for p in permutations}
        for card, permutations in kinds
    ]
    drawn = [sum(int(card) in kind for card in turns) for kind in cards]
    weighed = zip(kinds, drawn, strict=True)
    return [
        (card, permutations, n * TURN_CARDS / (len(turns) * len(permutations)))
        for (card, permutations), n in weighed
        if n
    ]


def fill_best_action_values(
    tree: BettingTree, street: int, allowed: np.ndarray, value: np.ndarray
) -> None:
    """Fill values of a street's decisions, children before parents: the best action's to the actor,
    the sum to the other player.

    value (n_sets, n_problems, 2, n_nodes, n_hands): several sets of values, as of several samples
    of boards, for several problems. In each problem the actions that are best by the first set are
    taken in all sets, so that those of one sample are judged on another. allowed (n_nodes,) bool.
    """
    nodes = decision_nodes(tree, street)
    first = tree.first_child[nodes]
    _fill_best_values(
        nodes, tree.actor[nodes], first, first + tree.n_children[nodes], allowed, value
    )


@njit(cache=True, nogil=True)
def _fill_best_values(nodes, actor, first, end, allowed, value):
    """As `fill_best_action_values`; nodes, actor, first, end (n_decisions,): decisions, parents
    first, and their children's numbers.
    """
    for p in range(value.shape[1]):
        for k in range(nodes.shape[0] - 1, -1, -1):
            node, player = nodes[k], actor[k]
            for h in range(value.shape[4]):
                best = -1
                for e in range(first[k], end[k]):
                    if allowed[e] and (
                        best < 0 or value[0, p, player, e, h] > value[0, p, player, best, h]
                    ):
                        best = e
                for s in range(value.shape[0]):
                    opponent_sum = value[s, p, 1 - player, first[k], h]
                    for e in range(first[k] + 1, end[k]):
                        opponent_sum += value[s, p, 1 - player, e, h]
                    value[s, p, player, node, h] = value[s, p, player, best, h]
                    value[s, p, 1 - player, node, h] = opponent_sum


def next_street_nodes(tree: BettingTree, street: int) -> np.ndarray:
    """What a street hands on to the next: its first decisions, and all-ins so far, whose cards are
    still to come; nodes (n,).
    """
    begins = (
        (tree.kind == DECISION)
        & (tree.street == street + 1)
        & (tree.street[np.maximum(tree.parent, 0)] <= street)
    )
    return np.flatnonzero(begins | ((tree.kind == SHOWDOWN) & (tree.street <= street)))


def fold_nodes(tree: BettingTree, street: int) -> np.ndarray:
    """Nodes (n,) at which a street's betting ends with a fold."""
    return np.flatnonzero((tree.kind == FOLD_END) & (tree.street == street))


def allowed_nodes(tree: BettingTree, sizes: Sequence[float] | None) -> np.ndarray:
    """Nodes that fold, call, all-in or a raise by one of `sizes` (None: any) leads to, (n_nodes,)
    bool.

    Raises ValueError on a size that the tree does not have.
    """
    if sizes is None:
        return np.ones(len(tree.label), dtype=bool)
    if not are_sizes([sizes]) or not {*map(size_name, sizes)} <= {*tree.labels}:
        raise ValueError(
            f"sizes: {short_repr(sizes)}, expected some of the tree's {tree.labels[2:-1]}"
        )
    names = (*tree.labels[:2], *map(size_name, sizes), tree.labels[-1])
    return np.isin(tree.labels, names)[tree.label]


def fold_values(tree: BettingTree, folds: np.ndarray, player: int, reach: np.ndarray) -> np.ndarray:
    """Dollars times opposing holes that folds are worth to a player with each hole, (n_folds,
    1326).
    """
    return stakes_at(tree, folds)[:, player, None] * compatible_weight(reach[1 - player, folds])
