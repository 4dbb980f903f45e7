"""Best responses with real cards inside the betting tree: how much a strategy can lose.

The responder knows the strategy and sees its own two cards and the board as they are; the strategy may see groups, features
or nothing. On a flop all turn and river cards are played, exact and with suits folded; flops are a sample. The responder
chooses per hand and board on flop, turn and river; the preflop choices that are valued on a flop are made on all the others,
so that they do not profit from the sample's luck (the estimate errs low, not high: on few flops far low where much goes in
preflop).

Exploitability is the mean of what a best responder wins in the two seats, in mbb/g: a strategy's own value over both seats is 0.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.game.betting import DECISION, FOLD_END, SHOWDOWN, Tree
from faceup.game.cards import CLASS_OF_HOLE, HOLE_CARDS, PERMUTED_HOLES, SUIT_PERMUTATIONS, canonical_boards
from faceup.solve.policy import Policy, free_holes, opponents, street_reach
from faceup.solve.river_response import RiverResponder, make_rivers

N_FLOPS = 22_100
_OPPONENTS = 1225  # holes that share no card with a given one
_MBB_PER_DOLLAR = 10
_NORMAL_95 = 1.959964


class Exploitability(NamedTuple):
    """What best responders win, mbb/g."""

    mbb: float  # mean over the two seats
    ci95: float  # half-width over flops
    seats: tuple[float, float]  # the responder's winnings as small blind and as big blind
    flops: int


class FlopValues(NamedTuple):
    """What a flop is worth to a responder in each seat, for each starting hand."""

    values: np.ndarray  # (2, n_frontier, 169) dollars, summed over pairs of holes, mean over turn and river cards
    pairs: np.ndarray  # (169,) pairs of holes that the flop leaves


def folded_cards(board: Sequence[int], fixed: np.ndarray) -> list[tuple[int, list[int]]]:
    """Next cards up to the suit permutations `fixed` (indices) that leave the board as it is.

    Returns (card, permutations), one permutation for each card that the first stands for.
    """
    seen: set[int] = set()
    out = []
    for card in range(52):
        if card in board or card in seen:
            continue
        images: dict[int, int] = {}
        for p in fixed:
            images.setdefault(4 * (card // 4) + int(SUIT_PERMUTATIONS[p, card % 4]), int(p))
        seen.update(images)
        out.append((card, list(images.values())))
    return out


def fixing_permutations(cards: Sequence[int], among: np.ndarray) -> np.ndarray:
    """Those of the suit permutations `among` (indices) that map a set of cards to itself."""
    cards = np.asarray(cards)
    moved = 4 * (cards // 4) + SUIT_PERMUTATIONS[among][:, cards % 4]
    return among[(np.sort(moved, axis=1) == np.sort(cards)).all(axis=1)]


class Responder:
    """Best responses, in both seats, to one policy on one tree."""

    def __init__(self, tree: Tree, policy: Policy):
        """The policy must treat suits alike, as all that see equities or features do."""
        self.tree, self.policy = tree, policy
        self._rivers = RiverResponder(tree)
        # what a street hands on to the next: its first decisions, and all-ins so far, whose cards are still to come
        above = tree.parent
        begins = (tree.kind == DECISION) & (tree.street > tree.street[np.maximum(above, 0)])
        self._frontier = [
            np.flatnonzero((begins & (tree.street == s + 1)) | ((tree.kind == SHOWDOWN) & (tree.street <= s)))
            for s in range(3)
        ]  # fmt: skip

    def flop(self, flop: Sequence[int]) -> FlopValues:
        """Values to a responder at what preflop betting leads to, given a flop."""
        flop = [int(c) for c in flop]
        reach, value = self._start(flop)
        self._descend(0, flop, reach)
        self._descend(1, flop, reach)
        fixed = fixing_permutations(flop, np.arange(24))
        for turn, images in folded_cards(flop, fixed):
            at_turn = self._turn(flop, turn, fixed, reach.copy())
            for p in images:
                value[:, self._frontier[1][:, None], PERMUTED_HOLES[p]] += at_turn / np.float32(45)
        self._ascend(1, flop, reach, value)
        front = value[:, self._frontier[0]].astype(np.float64)
        by_class = np.stack([front[:, :, CLASS_OF_HOLE == k].sum(axis=2) for k in range(169)], axis=2)
        free = free_holes(flop)
        others = opponents(free[None].astype(np.float64))[0] * free
        return FlopValues(by_class, np.bincount(CLASS_OF_HOLE, weights=others, minlength=169))

    def flops(self, flops: np.ndarray, progress: Callable[[int], None] = lambda done: None) -> list[FlopValues]:
        """`flop` of each of several flops (n, 3)."""
        values = []
        for k, flop in enumerate(flops):
            values.append(self.flop(flop))
            progress(k + 1)
        return values

    def _start(self, board: list[int]) -> tuple[np.ndarray, np.ndarray]:
        shape = (2, len(self.tree.kind), len(HOLE_CARDS))
        reach, value = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        reach[:, 0] = free_holes(board)
        return reach, value

    def _descend(self, street: int, board: list[int], reach: np.ndarray) -> None:
        shown = board[: (0, 3, 4, 5)[street]]
        street_reach(self.tree, street, self.policy.street(street, shown), reach)

    def _turn(self, flop: list[int], turn: int, fixed: np.ndarray, reach: np.ndarray) -> np.ndarray:
        """Values at the flop's frontier given the turn card, (2, n_frontier, 1326)."""
        board = [*flop, turn]
        reach[:, :, ~free_holes(board)] = 0
        self._descend(2, board, reach)
        value = np.zeros_like(reach)
        self._sum_rivers(board, fixing_permutations([turn], fixed), reach, value)
        value[:, self._frontier[2]] /= np.float32(44)
        self._ascend(2, board, reach, value)
        return value[:, self._frontier[1]]

    def _sum_rivers(self, board: list[int], fixed: np.ndarray, reach: np.ndarray, value: np.ndarray) -> None:
        rivers = folded_cards(board, fixed)
        boards = [[*board, card] for card, _ in rivers]
        played = [self.policy.street(3, complete) for complete in boards]
        table, rows = played[0][0], [row_of_hole for _, row_of_hole in played]
        self._rivers.add(make_rivers(boards, [images for _, images in rivers], table, rows), reach, value)

    def _ascend(self, street: int, board: list[int], reach: np.ndarray, value: np.ndarray) -> None:
        """Fill value at a street's decisions from its folds and from the frontier below."""
        tree = self.tree
        start, end = tree.street_start[street : street + 2]
        folds = start + np.flatnonzero(tree.kind[start:end] == FOLD_END)
        free = free_holes(board)
        for player in range(2):
            value[player, folds] = fold_values(tree, folds, player, reach) * free
        for node in np.flatnonzero((tree.kind == DECISION) & (tree.street == street))[::-1]:
            below = value[:, tree.first_child[node] : tree.first_child[node] + tree.n_children[node]]
            actor = tree.actor[node]
            value[actor, node] = below[actor].max(axis=0)
            value[1 - actor, node] = below[1 - actor].sum(axis=0)

    def summarise(self, flops: Sequence[FlopValues]) -> Exploitability:
        """Exploitability from at least four results of `flop`, for flops drawn alike; jackknife interval over flops."""
        n = len(flops)
        if n < 4:
            raise ValueError(f"flops: {n} given, expected at least 4 (the others choose what is valued on each)")
        choices = [[self._preflop(player, _without(flops, k), None)[1] for player in range(2)] for k in range(n)]
        seats = self._cross_fitted(list(zip(flops, choices, strict=True)))
        without = [self._cross_fitted(_without(list(zip(flops, choices, strict=True)), k)).mean() for k in range(n)]
        ci95 = _NORMAL_95 * np.sqrt((n - 1) * np.var(without))
        return Exploitability(float(seats.mean()), float(ci95), (float(seats[0]), float(seats[1])), n)

    def _cross_fitted(self, valued: list[tuple[FlopValues, list[dict]]]) -> np.ndarray:
        """What the responder wins in each seat, mbb/g, from flops with the preflop actions that others chose for them."""
        pairs = sum(flop.pairs for flop, _ in valued)
        gains = [[self._preflop(p, [flop], choice[p], pairs)[0] for p in range(2)] for flop, choice in valued]
        return _MBB_PER_DOLLAR * np.sum(gains, axis=0)

    def _preflop(
        self, player: int, flops: Sequence[FlopValues], choice: dict | None, pairs: np.ndarray | None = None
    ) -> tuple[float, dict]:
        """Dollars a game that a responder wins over some flops, and its preflop actions: `choice`, or without one the best.

        What preflop betting leads to is worth its sum over the flops for each pair of holes in them. With `pairs`, those of a
        larger sample, the flops' share of that sample's value is returned.
        """
        tree = self.tree
        reach, _ = self._start([])
        self._descend(0, [], reach)
        own_pairs = sum(f.pairs for f in flops)
        total = np.maximum(own_pairs if pairs is None else pairs, 1)
        value = np.zeros((len(tree.kind), 169))
        value[self._frontier[0]] = sum(f.values[player] for f in flops) * (_OPPONENTS / total)
        folds = np.flatnonzero((tree.kind == FOLD_END) & (tree.street == 0))
        combos = np.bincount(CLASS_OF_HOLE, minlength=169)
        for node, v in zip(folds, fold_values(tree, folds, player, reach), strict=True):
            value[node] = np.bincount(CLASS_OF_HOLE, weights=v, minlength=169) / combos * (own_pairs / total)
        taken = {}
        for node in np.flatnonzero((tree.kind == DECISION) & (tree.street == 0))[::-1]:
            below = value[tree.first_child[node] : tree.first_child[node] + tree.n_children[node]]
            if tree.actor[node] != player:
                value[node] = below.sum(axis=0)
                continue
            taken[node] = below.argmax(axis=0) if choice is None else choice[node]
            value[node] = np.take_along_axis(below, taken[node][None], axis=0)[0]
        return float(value[0] @ combos) / (len(HOLE_CARDS) * _OPPONENTS), taken


def _without(items: Sequence, k: int) -> list:
    return [x for i, x in enumerate(items) if i != k]


def fold_values(tree: Tree, folds: np.ndarray, player: int, reach: np.ndarray) -> np.ndarray:
    """Dollars times opposing holes that folds are worth to a player with each hole, (n_folds, 1326)."""
    put = tree.bets[folds].sum(axis=2)
    gain = np.where(tree.actor[folds] == player, -put[:, player], put[:, 1 - player])
    return gain[:, None] * opponents(reach[1 - player, folds])


def sample_flops(n: int, seed: int) -> np.ndarray:
    """n flops (n, 3), each real flop equally likely, spread evenly over the canonical order (suit pattern, then ranks).

    Systematic sampling: one random start, equal steps through the 22,100 flops listed by canonical flop.
    """
    boards = canonical_boards(3)
    if not 1 <= n <= N_FLOPS:
        raise ValueError(f"flops is {n}, expected from 1 to {N_FLOPS}")
    start = np.random.default_rng([seed, n]).random()
    at = (np.arange(n) + start) * N_FLOPS / n
    picks = np.searchsorted(np.cumsum(boards.multiplicity), at, side="right")
    shuffled = np.random.default_rng([seed, n, 1]).permutation(picks)  # so that the first few are spread as well
    return boards.cards[shuffled].astype(np.int64)


def exploitability(
    tree: Tree, policy: Policy, flops: np.ndarray, progress: Callable[[int], None] = lambda done: None
) -> Exploitability:
    """Exploitability of a policy, from flops as `sample_flops` draws them (n >= 4, 3)."""
    responder = Responder(tree, policy)
    return responder.summarise(responder.flops(flops, progress))
