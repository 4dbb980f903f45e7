"""Best responses with real cards inside the betting tree: how much a strategy can lose.

The responder knows the strategy and sees its own two cards and the board as they are; the strategy may see groups, features
or nothing. On a flop all turn and river cards are played, exact and with suits folded; flops are a sample. The responder
chooses per hand and board on flop, turn and river; the preflop choices that are valued on a flop are made on all the others,
so that they do not profit from the sample's luck (the estimate errs low, not high). The interval is a delete-one jackknife:
without each flop in turn all is estimated anew, the preflop choices too.

What a betting line is worth on a flop hangs first of all on whom the flop fits. So the showdown value of the line's pot, as if it
were checked down, is a control variate: its exact mean over all flops is known. How strongly it moves a line's value is fitted
on all other flops; for preflop all-ins the result is the exact value itself.

Exploitability is the mean of what a best responder wins in the two seats, in mbb/g: a strategy's own value over both seats is 0.
So it is also the sum, over all decisions of both seats, of what the best action wins more than the strategy's own choice, times
the strategy's own reach: its leaks. Those from a street on are what a responder wins who plays the strategy itself until then.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    HOLE_CARDS,
    N_CLASSES,
    PERMUTED_HOLES,
    canonical_boards,
    fixing_permutations,
    folded_cards,
)
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, edges, flop_wins
from faceup.holdem.policy import Policy, class_reach, compatible_weight, free_holes, preflop_reach, street_reach
from faceup.holdem.river_response import RiverResponder
from faceup.holdem.rules import CALL, DECISION, FOLD_END, MBB_PER_DOLLAR, SHOWDOWN, size_name
from faceup.holdem.tree import BettingTree, children, decisions
from faceup.lab.parallel import parallel
from faceup.lab.stats import student_95

N_FLOPS = 22_100
_OPPONENTS = 1225  # holes that share no card with a given one
_COMBOS = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)


class Exploitability(NamedTuple):
    """What best responders win, mbb/g."""

    mbb: float  # mean over the two seats
    ci95: float  # half-width over flops
    seats: tuple[float, float]  # the responder's winnings as small blind and as big blind
    flops: int
    later: tuple[float, ...]  # of all leaks; and of those from flop, turn, river on: mbb if the responder deviates there only
    later_ci95: tuple[float, ...]
    without: tuple[float, ...]  # mbb with each flop left out


class FlopValues(NamedTuple):
    """What a flop is worth to a responder in each seat, for each starting hand; sums over pairs of holes, dollars."""

    values: np.ndarray  # (n_menus, 2, n_frontier, 169) of what preflop betting leads to, mean over turn and river cards
    luck: np.ndarray  # (2, n_frontier, 169) checked down: the exact mean over flops of each pot's value less that on this flop
    leaks: np.ndarray  # (n_menus, 3, 169) of flop, turn and river, both seats
    pairs: np.ndarray  # (169,) pairs of holes that the flop leaves


class Responder:
    """Best responses, in both seats, to one policy on one tree."""

    def __init__(
        self,
        tree: BettingTree,
        policy: Policy,
        preflop_wins: np.ndarray | None = None,
        menus: Sequence[Sequence[float] | None] = (None,),
    ):
        """The policy must treat suits alike, as all that see equities or features do.

        preflop_wins (169, 169): of cards/matchups, for the control variate (None: without); menus: each a list of the
        raises, in pots, that the responder has beside fold, call and all-in (None: all of the tree's); a pass answers all menus.
        Raises ValueError on sizes the tree has not.
        """
        self.tree, self.policy = tree, policy
        self._allowed = np.array([allowed_nodes(tree, menu) for menu in menus])  # (n_menus, n_nodes)
        self._rivers = RiverResponder(tree, self._allowed)
        self._edges = None if preflop_wins is None else edges(preflop_wins, RUNOUTS_PREFLOP)
        # what a street hands on to the next: its first decisions, and all-ins so far, whose cards are still to come
        above = tree.parent
        begins = (tree.kind == DECISION) & (tree.street > tree.street[np.maximum(above, 0)])
        self._frontier = [
            np.flatnonzero((begins & (tree.street == s + 1)) | ((tree.kind == SHOWDOWN) & (tree.street <= s)))
            for s in range(3)
        ]  # fmt: skip

    def flop(self, flop: Sequence[int]) -> tuple[FlopValues, np.ndarray]:
        """What a flop is worth to a responder; what each hand leaks after it, (n_menus, n_nodes, 169)."""
        flop = [int(c) for c in flop]
        value, leaks = self._flop_nodes(flop)
        by_class = _by_class(value[:, :, self._frontier[0]].astype(np.float64))
        free = free_holes(flop)
        pairs = _by_class(compatible_weight(free[None].astype(np.float64))[0] * free)
        luck = np.zeros_like(by_class[0])
        if self._edges is not None:
            exact = self._edges * (pairs / (_COMBOS * _OPPONENTS))[:, None]
            stake = self.tree.bets[self._frontier[0]].sum(axis=2)
            theirs = class_reach(self.tree, self.policy)[::-1, self._frontier[0]]
            luck = stake.T[:, :, None] * (theirs @ (exact - edges(flop_wins(flop), RUNOUTS_FLOP)).T)
        by_street = np.stack([leaks[:, decisions(self.tree, street)].sum(axis=1) for street in (1, 2, 3)], axis=1)
        return FlopValues(by_class, luck, by_street, pairs), leaks

    def flops(
        self, flops: np.ndarray, progress: Callable[[int], None] = lambda done: None
    ) -> tuple[list[FlopValues], np.ndarray]:
        """`flop` of each of several flops (n, 3), shared out, and the sum of all leaks: a step that can be stored."""
        distinct, where, times = np.unique(flops, axis=0, return_inverse=True, return_counts=True)
        found = parallel(self.flop, distinct, lambda done: progress(int(times[:done].sum())))
        leaks = sum(n * leaks for n, (_, leaks) in zip(times, found, strict=True))
        return [found[k][0] for k in where.reshape(-1)], leaks

    def _flop_nodes(self, flop: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Values (n_menus, 2, n_nodes, 1326) of a flop's nodes and frontier, leaks (n_menus, n_nodes, 169) of all streets."""
        reach = self._start(flop)
        value, leaks = self._nothing_yet(reach)
        fixed = fixing_permutations(flop, np.arange(24))
        for turn, images in folded_cards(flop, fixed):
            at_turn, found = self._turn_nodes(flop, turn, fixed, reach.copy())
            leaks += found * (len(images) / 45)
            for p in images:
                value[:, :, self._frontier[1][:, None], PERMUTED_HOLES[p]] += at_turn[:, :, self._frontier[1]] / np.float32(45)
        self._ascend(1, flop, reach, value, leaks)
        return value, leaks

    def _nothing_yet(self, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and leaks of 0."""
        n_menus, n_nodes = self._allowed.shape
        return np.zeros((n_menus, *reach.shape), dtype=np.float32), np.zeros((n_menus, n_nodes, N_CLASSES))

    def _start(self, flop: list[int]) -> np.ndarray:
        """Each player's reach of the nodes that actions before the turn lead to, (2, nodes before the river's actions, 1326)."""
        reach = np.zeros((2, int(self.tree.street_start[3]), len(HOLE_CARDS)), dtype=np.float32)
        reach[:, 0] = free_holes(flop)
        for street, board in enumerate(([], flop)):
            street_reach(self.tree, street, self.policy.street(street, board), reach)
        return reach

    def _turn_nodes(self, flop: list[int], turn: int, fixed: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `_flop_nodes`, given the turn card."""
        board = [*flop, turn]
        reach[:, :, ~free_holes(board)] = 0
        street_reach(self.tree, 2, self.policy.street(2, board), reach)
        value, leaks = self._nothing_yet(reach)
        rivers = folded_cards(board, fixing_permutations([turn], fixed))
        played = [self.policy.street(3, [*board, card]) for card, _ in rivers]
        tables = {id(table): table for table, _ in played}  # most policies have one for all boards
        first = dict(zip(tables, np.cumsum([0, *map(len, tables.values())]), strict=False))
        boards = np.array([[*board, card] for card, _ in rivers])
        images = np.array([[*images, *[-1] * (4 - len(images))] for _, images in rivers])
        rows = np.array([row_of_hole + first[id(table)] for table, row_of_hole in played], dtype=np.int32)
        table = np.concatenate([*tables.values()]) if len(tables) > 1 else played[0][0]
        self._rivers.add((boards, images, rows), table, reach, value, leaks)
        value[:, :, self._frontier[2]] /= np.float32(44)
        leaks /= 44
        self._ascend(2, board, reach, value, leaks)
        return value, leaks

    def _ascend(self, street: int, board: list[int], reach: np.ndarray, value: np.ndarray, leaks: np.ndarray) -> None:
        """Fill value and leaks at a street's decisions from its folds and from the frontier below."""
        tree = self.tree
        start, end = tree.street_start[street : street + 2]
        folds = start + np.flatnonzero(tree.kind[start:end] == FOLD_END)
        free = free_holes(board)
        for player in range(2):
            value[:, player, folds] = fold_values(tree, folds, player, reach) * free
        for each in zip(self._allowed, value, leaks, strict=True):
            _respond(decisions(tree, street)[::-1], tree.actor, tree.first_child, tree.n_children, reach, *each)

    def summarise(self, flops: Sequence[FlopValues], menu: int = 0) -> Exploitability:
        """Exploitability by a menu from results of `flop`, for flops drawn alike, and its delete-one jackknife interval.

        An estimate takes two flops, one to choose on and one to value. Raises ValueError below three.
        """
        n = len(flops)
        if n < 3:
            raise ValueError(f"flops: {n} given, expected at least 3: two are left when one is left out")
        found = self._estimate(flops, menu)
        without = np.array([self._estimate([*flops[:k], *flops[k + 1 :]], menu) for k in range(n)])
        ci95 = _jackknife_ci95(without).tolist()
        seats, left_out = (found[0], found[1]), tuple(without[:, 2].tolist())
        return Exploitability(found[2], ci95[2], seats, n, tuple(found[3:]), tuple(ci95[3:]), left_out)

    def _estimate(self, flops: Sequence[FlopValues], menu: int) -> list[float]:
        """mbb/g of each seat, their mean, and leaks from preflop, flop, turn and river on, from two flops or more."""
        values = self._preflop_values(flops, menu)
        leaks = [self._preflop_leaks(values).sum(axis=(0, 1)), *np.sum([f.leaks[menu] for f in flops], axis=0)]
        pairs = np.maximum(np.sum([f.pairs for f in flops], axis=0), 1)
        won = np.array([*values[:, :, 0].sum(axis=0), *leaks])
        seats, by_street = np.split(MBB_PER_DOLLAR * (won / pairs) @ _COMBOS / len(HOLE_CARDS), [2])
        return [*seats.tolist(), float(seats.mean()), *(np.cumsum(by_street[::-1])[::-1] / 2).tolist()]

    def leak_map(self, flops: Sequence[FlopValues], leaks: np.ndarray, menu: int = 0) -> np.ndarray:
        """mbb/g that each starting hand leaks at each decision, (n_nodes, 169), from what `flops` found.

        They add up to the exploitability, but for what the strategy happens to win from itself on these flops.
        """
        leaks = leaks[menu].copy()
        leaks[: self.tree.street_start[1]] += self._preflop_leaks(self._preflop_values(flops, menu)).sum(axis=0)
        return MBB_PER_DOLLAR / 2 * leaks / np.maximum(sum(f.pairs for f in flops), 1) * _COMBOS / len(HOLE_CARDS)

    def _preflop_values(self, flops: Sequence[FlopValues], menu: int) -> np.ndarray:
        """Values of preflop nodes on each flop, in each seat, by the actions that all other flops recommend.

        (n_flops, 2, n_preflop_nodes, 169), sums over pairs of holes.
        """
        values, luck, pairs = (np.array(x) for x in zip(*((f.values[menu], f.luck, f.pairs) for f in flops), strict=True))
        slopes = _slopes(values, luck, pairs)
        others = values.sum(axis=0) - values + slopes * (luck.sum(axis=0) - luck)
        found = np.empty((len(flops), 2, self.tree.street_start[1], N_CLASSES))
        for player in range(2):
            choice = self._preflop(player, others[:, player], pairs.sum(axis=0) - pairs, self._allowed[menu])[1]
            found[:, player] = self._preflop(player, (values + slopes * luck)[:, player], pairs, self._allowed[menu], choice)[0]
        return found

    def _preflop_leaks(self, values: np.ndarray) -> np.ndarray:
        """What values (.., 2, n_preflop_nodes, 169) are above those of the strategy's own actions, (.., n_preflop_nodes, 169)."""
        tree, own = self.tree, class_reach(self.tree, self.policy)
        leaks = np.zeros((*values.shape[:-3], *values.shape[-2:]))
        for node in decisions(tree, 0):
            who, below = tree.actor[node], children(tree, node)
            chosen = (own[who, below] * values[..., who, below, :]).sum(axis=-2)
            leaks[..., node, :] = own[who, node] * values[..., who, node, :] - chosen
        return leaks

    def _preflop(
        self, player: int, values: np.ndarray, pairs: np.ndarray, allowed: np.ndarray, choice: dict[int, np.ndarray] | None = None
    ) -> tuple[np.ndarray, dict[int, np.ndarray]]:
        """Values of preflop nodes over some flops, (.., n_preflop_nodes, 169), and a responder's actions: as chosen, or the best.

        values (.., n_frontier, 169) and pairs (.., 169) are the flops' sums; so is what is returned. allowed (n_nodes,)
        bool: where the best actions may lead to; choice: actions of each decision (None: the best).
        """
        tree, end = self.tree, int(self.tree.street_start[1])
        value = np.zeros((*values.shape[:-2], end, N_CLASSES))
        value[..., self._frontier[0], :] = values
        folds = np.flatnonzero(tree.kind[:end] == FOLD_END)
        reach = preflop_reach(tree, self.policy.street(0, []))
        share = pairs[..., None, :] / (_COMBOS * _OPPONENTS)
        value[..., folds, :] = _by_class(fold_values(tree, folds, player, reach)) * share
        taken = {}
        for node in decisions(tree, 0)[::-1]:
            below = value[..., children(tree, node), :]
            if tree.actor[node] != player:
                value[..., node, :] = below.sum(axis=-2)
                continue
            barred = np.where(allowed[children(tree, node)], 0, -np.inf)[:, None]
            taken[node] = (below + barred).argmax(axis=-2, keepdims=True) if choice is None else choice[node]
            value[..., node, :] = np.take_along_axis(below, taken[node], axis=-2)[..., 0, :]
        return value, taken


def difference(first: Exploitability, second: Exploitability) -> tuple[float, float]:
    """What best responders win more from the first than from the second, mbb/g, and half of its 95 % jackknife interval.

    Both measured on the same flops, in the same order: their common luck cancels. Raises ValueError on unlike numbers of flops.
    """
    if first.flops != second.flops:
        raise ValueError(f"flops: {first.flops} and {second.flops}, expected the same ones")
    return first.mbb - second.mbb, float(_jackknife_ci95(np.subtract(first.without, second.without)))


def _jackknife_ci95(without: np.ndarray) -> np.ndarray:
    """Half of the 95 % intervals of estimates, from those with each draw left out, (n, ...)."""
    n = len(without)
    return student_95(n) * np.sqrt((n - 1) * without.var(axis=0))


def _slopes(values: np.ndarray, luck: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """How much a pot's value falls as its luck grows, on all flops but each, over all hands: (n, 2, n_frontier, 1).

    values, luck (n, 2, n_frontier, 169); pairs (n, 169). For all-ins it is 1; where more is still to be bet, whom the flop fits
    decides about more than the pot as it is. 1 too where the others' luck does not vary.
    """
    left = (pairs > 0)[:, None, None]  # a flop of three aces leaves no pair of aces
    n, per_pair = left.sum(axis=0), np.maximum(pairs, 1)[:, None, None]
    v, x = ((y - y.sum(axis=0) / np.maximum(n, 1)) * left for y in (values / per_pair, luck / per_pair))

    def of_others(products: np.ndarray) -> np.ndarray:
        """Sums of products of distances from the mean: from that of the others, with one of n flops left out."""
        return (_COMBOS * (products.sum(axis=0) - products * n / np.maximum(n - 1, 1))).sum(axis=3)

    square = of_others(x * x)
    varies = square > 1e-9 * (_COMBOS * x * x).sum(axis=(0, 3))
    return np.where(varies, -of_others(v * x) / np.where(varies, square, 1), 1)[..., None]


def _by_class(values: np.ndarray) -> np.ndarray:
    """Sums over the holes of each starting hand, (.., 1326) to (.., 169)."""
    return np.stack([values[..., CLASS_OF_HOLE == k].sum(axis=-1) for k in range(N_CLASSES)], axis=-1)


def allowed_nodes(tree: BettingTree, sizes: Sequence[float] | None) -> np.ndarray:
    """Nodes that fold, call, all-in or a raise by one of `sizes` (None: any) leads to, (n_nodes,) bool.

    Raises ValueError on a size that the tree does not have.
    """
    wanted = None if sizes is None else {size_name(size) for size in sizes}
    if wanted is not None and not wanted <= set(tree.labels):
        raise ValueError(f"sizes: {sorted(wanted - set(tree.labels))} are not among the tree's {list(tree.labels[2:])}")
    always = [0, CALL, len(tree.labels) - 1]
    label_ok = [wanted is None or i in always or name in wanted for i, name in enumerate(tree.labels)]
    return np.array(label_ok)[tree.label]


@njit(cache=True)
def _respond(nodes, actor, first_child, n_children, reach, allowed, value, leaks):
    """Values of decisions, children before parents: the best allowed action to the actor, the sum to the other player."""
    for node in nodes:
        who, other, first, end = actor[node], 1 - actor[node], first_child[node], first_child[node] + n_children[node]
        for h in range(value.shape[2]):
            best, own, others = value[who, first, h], np.float64(0), np.float64(0)
            for c in range(first, end):
                if allowed[c]:
                    best = max(best, value[who, c, h])
                own += np.float64(reach[who, c, h]) * np.float64(value[who, c, h])
                others += value[other, c, h]
            value[who, node, h] = best
            value[other, node, h] = others
            leaks[node, CLASS_OF_HOLE[h]] += np.float64(reach[who, node, h]) * np.float64(best) - own


def fold_values(tree: BettingTree, folds: np.ndarray, player: int, reach: np.ndarray) -> np.ndarray:
    """Dollars times opposing holes that folds are worth to a player with each hole, (n_folds, 1326)."""
    put = tree.bets[folds].sum(axis=2)
    gain = np.where(tree.actor[folds] == player, -put[:, player], put[:, 1 - player])
    return gain[:, None] * compatible_weight(reach[1 - player, folds])


def sample_flops(n: int, generator: np.random.Generator) -> np.ndarray:
    """n flops (n, 3), each real flop equally likely, spread evenly over the canonical order (suit pattern, then ranks).

    Systematic sampling: one random start, equal steps through the 22,100 flops listed by canonical flop.
    """
    boards = canonical_boards(3)
    if not 1 <= n <= N_FLOPS:
        raise ValueError(f"flops is {n}, expected from 1 to {N_FLOPS}")
    at = (np.arange(n) + generator.random()) * N_FLOPS / n
    picks = np.searchsorted(np.cumsum(boards.multiplicity), at, side="right")
    shuffled = generator.permutation(picks)  # so that the first few are spread as well
    return boards.cards[shuffled].astype(np.int64)
