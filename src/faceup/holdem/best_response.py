"""Best responses with real cards inside the betting tree: how much a strategy can lose.

The responder knows the strategy and sees its own two cards and the board as they are; the strategy may see groups, features
or nothing. The answer is found street by street, for all hands of both seats at once:

1. Down a flop, and down each turn card (`Responder.flop`, `_turn`): the strategy's reach of every node with each of its hands.
2. The river (`RiverResponder`): on each river card, the responder's best actions with each hand against that reach.
3. Up the turn, up the flop (`_best_actions`): a hand's value where betting ends is the mean over the next card, and at each
   decision the responder takes the hand's best action. All turn and river cards are played, exact; of like suits one.
   A responder may have several menus of bets: the way down and the values of ends serve all, and the way up is repeated for each.
4. Before the flop (`_preflop`), over a sample of flops: the choices that are valued on a flop are made on all the others, so
   that they do not profit from the sample's luck (the estimate errs low, not high). The interval is a delete-one jackknife:
   without each flop in turn all is estimated anew, the preflop choices too.

What a betting line is worth on a flop hangs first of all on whom the flop fits. So the showdown value of the line's pot, as if it
were checked down, is a control variate: its exact mean over all flops is known. How strongly it moves a line's value is fitted
on all other flops; for preflop all-ins the result is the exact value itself.

Exploitability is the mean of what a best responder wins in the two seats, in mbb/g: a strategy's own value over both seats is 0.
So it is also half of the strategy's leaks: at each decision of both seats, what the best action wins more than the strategy's own
choice, times its own reach. Leaks from a street on are won by a responder who plays the strategy itself until then.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import CLASS_OF_HOLE, N_CLASSES, PERMUTED_HOLES, canonical_boards, fixing_permutations, folded_cards
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, edges, flop_wins
from faceup.holdem.layout import stakes_at
from faceup.holdem.policy import Policy, class_reach, compatible_weight, free_holes, preflop_reach, street_reach
from faceup.holdem.river_response import RiverResponder
from faceup.holdem.rules import DECISION, FOLD_END, MBB_PER_DOLLAR, SHOWDOWN, size_name
from faceup.holdem.tree import BettingTree, decisions
from faceup.lab.parallel import parallel
from faceup.lab.stats import student_95

N_FLOPS = 22_100
_OF_CLASS = np.eye(N_CLASSES)[CLASS_OF_HOLE]  # (1326, 169): values of holes @ it are sums over those of each starting hand
_COMBOS = _OF_CLASS.sum(axis=0)
_OPPONENTS = 1225  # holes that share no card with a given one


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
        self, tree: BettingTree, policy: Policy, preflop_wins: np.ndarray, menus: Sequence[Sequence[float] | None] = (None,)
    ):
        """The policy must treat suits alike, as all that see equities or features do.

        preflop_wins (169, 169): of cards/matchups, for the control variate; menus: each the raises, in pots, that a responder has
        beside fold, call and all-in (None: all of the tree's). Raises ValueError on sizes the tree has not.
        """
        self.tree, self.policy, self._edges = tree, policy, edges(preflop_wins, RUNOUTS_PREFLOP)
        self._allowed = np.array([allowed_nodes(tree, sizes) for sizes in menus])
        self._rivers = RiverResponder(tree, self._allowed)

    def flop(self, flop: Sequence[int]) -> tuple[FlopValues, np.ndarray]:
        """What a flop is worth to a responder; what each hand leaks after it, (n_menus, n_nodes, 169)."""
        tree, flop = self.tree, [int(c) for c in flop]
        free, ends = free_holes(flop), frontier(tree, 0)
        value, leaks = self._flop(flop)
        pairs = (compatible_weight(free[None])[0] * free) @ _OF_CLASS
        exact = self._edges * (pairs / (_COMBOS * _OPPONENTS))[:, None]
        theirs, stake = class_reach(tree, self.policy)[::-1, ends], tree.bets[ends].sum(axis=2)
        luck = stake.T[:, :, None] * (theirs @ (exact - edges(flop_wins(flop), RUNOUTS_FLOP)).T)
        by_street = np.stack([leaks[:, decisions(tree, street)].sum(axis=1) for street in (1, 2, 3)], axis=1)
        return FlopValues(value[:, :, ends] @ _OF_CLASS, luck, by_street, pairs), leaks

    def flops(
        self, flops: np.ndarray, progress: Callable[[int], None] = lambda done: None
    ) -> tuple[list[FlopValues], np.ndarray]:
        """`flop` of each of several flops (n, 3), shared out, and the sum of all leaks: a step that can be stored."""
        distinct, where, times = np.unique(flops, axis=0, return_inverse=True, return_counts=True)
        found = parallel(self.flop, distinct, lambda done: progress(int(times[:done].sum())))
        leaks = sum(n * leaks for n, (_, leaks) in zip(times, found, strict=True))
        return [found[k][0] for k in where.reshape(-1)], leaks

    def _flop(self, flop: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Values (n_menus, 2, nodes before the river's actions, 1326) of a flop, leaks (n_menus, n_nodes, 169) of all streets."""
        reach, ends = self._start(flop), frontier(self.tree, 1)
        value, leaks = self._nothing_yet(reach)
        fixed = fixing_permutations(flop, np.arange(24))
        for turn, images in folded_cards(flop, fixed):
            at_turn, found = self._turn(flop, turn, fixed, reach)
            leaks += found * (len(images) / 45)
            for p in images:
                value[:, :, ends[:, None], PERMUTED_HOLES[p]] += at_turn[:, :, ends] / np.float32(45)
        self._ascend(1, flop, reach, value, leaks)
        return value, leaks

    def _nothing_yet(self, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values and leaks of 0."""
        n_menus, n_nodes = self._allowed.shape
        return np.zeros((n_menus, *reach.shape), dtype=np.float32), np.zeros((n_menus, n_nodes, N_CLASSES))

    def _start(self, flop: list[int]) -> np.ndarray:
        """Each player's reach of the nodes that actions before the turn lead to, (2, nodes before the river's actions, 1326)."""
        free = free_holes(flop)
        reach = np.zeros((2, int(self.tree.street_start[3]), len(free)), dtype=np.float32)
        reach[:, 0] = free
        for street, board in enumerate(([], flop)):
            street_reach(self.tree, street, self.policy.street(street, board), reach)
        return reach

    def _turn(self, flop: list[int], turn: int, fixed: np.ndarray, reach: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `_flop`, given the turn card; fixed: suit permutations that leave the flop as it is, reach: of `_start`."""
        board = [*flop, turn]
        reach = reach * free_holes(board)
        street_reach(self.tree, 2, self.policy.street(2, board), reach)
        rivers = folded_cards(board, fixing_permutations([turn], fixed))
        boards = np.array([[*board, card] for card, _ in rivers])
        images = np.array([[*images, *[-1] * (4 - len(images))] for _, images in rivers])
        played = [self.policy.street(3, river) for river in boards.tolist()]
        tables = {id(table): table for table, _ in played}  # most policies have one for all boards
        first = dict(zip(tables, np.cumsum([0, *map(len, tables.values())]), strict=False))
        rows = np.array([row_of_hole + first[id(table)] for table, row_of_hole in played], dtype=np.int32)
        value, leaks = self._nothing_yet(reach)
        self._rivers.add((boards, images, rows), np.concatenate([*tables.values()]), reach, value, leaks)
        value /= np.float32(44)
        leaks /= 44
        self._ascend(2, board, reach, value, leaks)
        return value, leaks

    def _ascend(self, street: int, board: list[int], reach: np.ndarray, value: np.ndarray, leaks: np.ndarray) -> None:
        """Fill value and leaks at a street's decisions from its folds and from the frontier below."""
        tree = self.tree
        folds = _folds(tree, street)
        for player in range(2):
            value[:, player, folds] = fold_values(tree, folds, player, reach) * free_holes(board)
        for allowed, of_menu, leak in zip(self._allowed, value, leaks, strict=True):
            leak[decisions(tree, street)] += _best_actions(tree, street, allowed, reach, of_menu[None])[0] @ _OF_CLASS

    def summarise(self, flops: Sequence[FlopValues], menu: int = 0) -> Exploitability:
        """Exploitability by a menu from results of `flop`, for flops drawn alike, and its delete-one jackknife interval.

        An estimate takes two flops, one to choose on and one to value. Raises ValueError below three.
        """
        n = len(flops)
        if n < 3:
            raise ValueError(f"flops: {n} given, expected at least 3: two are left when one is left out")
        found = self._estimate(flops, menu)
        without = np.array([self._estimate([*flops[:k], *flops[k + 1 :]], menu) for k in range(n)])
        ci95, left_out = _jackknife_ci95(without).tolist(), tuple(without[:, 2].tolist())
        return Exploitability(found[2], ci95[2], (found[0], found[1]), n, tuple(found[3:]), tuple(ci95[3:]), left_out)

    def _estimate(self, flops: Sequence[FlopValues], menu: int) -> list[float]:
        """mbb/g of each seat, their mean, and leaks from preflop, flop, turn and river on, from two flops or more."""
        won, preflop, pairs = self._preflop(flops, menu)
        leaks = [preflop.sum(axis=0), *np.sum([f.leaks[menu] for f in flops], axis=0)]
        seats, by_street = np.split(_mbb(np.array([*won, *leaks]), pairs).sum(axis=1), [2])
        return [*seats.tolist(), float(seats.mean()), *(np.cumsum(by_street[::-1])[::-1] / 2).tolist()]

    def leak_map(self, flops: Sequence[FlopValues], leaks: np.ndarray, menu: int = 0) -> np.ndarray:
        """mbb/g that each starting hand leaks at each decision, (n_nodes, 169), from what `flops` found.

        They add up to the exploitability, but for what the strategy happens to win from itself on these flops.
        """
        _, preflop, pairs = self._preflop(flops, menu)
        leaks = leaks[menu].copy()
        leaks[decisions(self.tree, 0)] += preflop
        return _mbb(leaks, pairs) / 2

    def _preflop(self, flops: Sequence[FlopValues], menu: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What the seats win (2, 169), what preflop decisions leak (n, 169), and pairs of holes (169,): sums over flops.

        On each flop the actions are those that all other flops recommend.
        """
        tree, end = self.tree, int(self.tree.street_start[1])
        values, luck, pairs = (np.array(x) for x in zip(*((f.values[menu], f.luck, f.pairs) for f in flops), strict=True))
        slopes = _slopes(values, luck, pairs)
        found = np.zeros((2, len(flops), 2, end, N_CLASSES))  # all other flops, and each
        others, own = values.sum(axis=0) - values + slopes * (luck.sum(axis=0) - luck), values + slopes * luck
        found[..., frontier(tree, 0), :] = np.array([others, own])
        reach, folds = preflop_reach(tree, self.policy.street(0, [])), _folds(tree, 0)
        share = np.array([pairs.sum(axis=0) - pairs, pairs])[:, :, None] / (_COMBOS * _OPPONENTS)
        for player in range(2):
            found[:, :, player, folds] = fold_values(tree, folds, player, reach) @ _OF_CLASS * share
        leaks = _best_actions(tree, 0, self._allowed[menu], class_reach(tree, self.policy), found)[1]
        return found[1, :, :, 0].sum(axis=0), leaks.sum(axis=0), pairs.sum(axis=0)


def _best_actions(tree: BettingTree, street: int, allowed: np.ndarray, reach: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Fill values of a street's decisions, children before parents: the best action's to the actor, the sum to the other player.

    value (n, .., 2, n_nodes, hands): the best allowed actions by value[0] are taken in all n. Returns the leaks of the street's
    decisions, (n, .., n_decisions, hands): the actor's reach (2, n_nodes, hands), by the strategy, times what is won more.
    """
    nodes = decisions(tree, street)
    leaks = np.empty((*value.shape[:-3], len(nodes), value.shape[-1]))
    for k, node in reversed([*enumerate(nodes)]):
        who, below = tree.actor[node], slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        mine = value[..., who, below, :]
        best = np.where(allowed[below, None], mine[0], -np.inf).argmax(axis=-2, keepdims=True)
        value[..., who, node, :] = np.take_along_axis(mine, best[None], axis=-2)[..., 0, :]
        value[..., 1 - who, node, :] = value[..., 1 - who, below, :].sum(axis=-2)
        own = np.multiply(reach[who, below], mine, dtype=np.float64).sum(axis=-2)
        leaks[..., k, :] = np.multiply(reach[who, node], value[..., who, node, :], dtype=np.float64) - own
    return leaks


def frontier(tree: BettingTree, street: int) -> np.ndarray:
    """What a street hands on to the next: its first decisions, and all-ins so far, whose cards are still to come; nodes (n,)."""
    begins = (tree.kind == DECISION) & (tree.street == street + 1) & (tree.street[np.maximum(tree.parent, 0)] <= street)
    return np.flatnonzero(begins | ((tree.kind == SHOWDOWN) & (tree.street <= street)))


def _folds(tree: BettingTree, street: int) -> np.ndarray:
    return np.flatnonzero((tree.kind == FOLD_END) & (tree.street == street))


def _mbb(dollars: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """mbb a game from sums over pairs of holes (169,) by starting hand, (.., 169)."""
    return MBB_PER_DOLLAR * dollars / np.maximum(pairs, 1) * _COMBOS / _COMBOS.sum()


def difference(first: Exploitability, second: Exploitability) -> tuple[float, float]:
    """What best responders win more from the first than from the second, mbb/g, and half of its 95 % jackknife interval.

    Both measured on the same flops, in the same order: their common luck cancels.
    """
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
    missing = np.broadcast_to(pairs[:, None, None] == 0, values.shape)  # a flop of three aces leaves no pair of aces
    v, x = (np.ma.array(y / np.maximum(pairs, 1)[:, None, None], mask=missing) for y in (values, luck))
    slopes = np.ones((*values.shape[:3], 1))
    for k, slope in enumerate(slopes):
        a, b = (y - y.mean(axis=0) for y in (v[np.arange(len(v)) != k], x[np.arange(len(x)) != k]))
        square, product = (np.ma.filled((_COMBOS * y * b).sum(axis=(0, 3)), 0) for y in (b, a))
        varies = square > 1e-9 * (_COMBOS * x * x).sum(axis=(0, 3))
        slope[varies, 0] = -product[varies] / square[varies]
    return slopes


def allowed_nodes(tree: BettingTree, sizes: Sequence[float] | None) -> np.ndarray:
    """Nodes that fold, call, all-in or a raise by one of `sizes` (None: any) leads to, (n_nodes,) bool.

    Raises ValueError on a size that the tree does not have.
    """
    names = tree.labels if sizes is None else (*tree.labels[:2], *map(size_name, sizes), tree.labels[-1])
    if missing := set(names) - set(tree.labels):
        raise ValueError(f"sizes: {sorted(missing)} are not among the tree's {list(tree.labels[2:])}")
    return np.isin(tree.labels, names)[tree.label]


def fold_values(tree: BettingTree, folds: np.ndarray, player: int, reach: np.ndarray) -> np.ndarray:
    """Dollars times opposing holes that folds are worth to a player with each hole, (n_folds, 1326)."""
    return stakes_at(tree, folds)[:, player, None] * compatible_weight(reach[1 - player, folds])


def sample_flops(n: int, generator: np.random.Generator) -> np.ndarray:
    """n flops (n, 3), up to 22,100, each real flop equally likely, spread evenly over the canonical order (suits, then ranks).

    Systematic sampling: one random start, equal steps through the 22,100 flops listed by canonical flop.
    """
    boards = canonical_boards(3)
    at = (np.arange(n) + generator.random()) * N_FLOPS / n
    picks = np.searchsorted(np.cumsum(boards.multiplicity), at, side="right")
    shuffled = generator.permutation(picks)  # so that the first few are spread as well
    return boards.cards[shuffled].astype(np.int64)
