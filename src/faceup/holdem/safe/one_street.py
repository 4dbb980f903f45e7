"""One river street as a game of its own: self-play and CFR-BR on equity levels, judged on boards that neither has seen.

Both players hold every hand alike. A player sees the level of its equity only; its opponent, when it is judged, sees all cards.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting.betting_tree import DECISION, MBB_PER_DOLLAR, BettingState, BettingTree, build_tree, menu_from
from faceup.holdem.safe.infosets import equity_levels, make_infosets
from faceup.holdem.safe.river import _collect, _follow, _learn, _prepare, _respond, _values, _weigh
from faceup.holdem.safe.subtrees import _hands_of, _scratch_of, make_scratch, make_subtrees, new_hands
from faceup.lab.parallel import on_threads

N_PAIRS = N_RIVER_HOLES * 990


def street_tree(street: int) -> BettingTree:
    """Betting from a street on, with $300 from each player in the pot, bets of the pot and all-in, at most two a street."""
    bets = ((300, 0, 0, 0), (300, 0, 0, 0))
    tree = build_tree(menu_from(*[[[1.0]]] * 4), BettingState(street, 1, bets, 0, 100, 0))
    raises = np.zeros(len(tree.kind), dtype=np.int64)
    for node in range(1, len(raises)):
        above = tree.parent[node]
        same = tree.street[above] == tree.street[node] or tree.kind[node] != DECISION
        raises[node] = raises[above] * same + (tree.label[node] > 1)
    return without(tree, raises > 2)


def without(tree: BettingTree, gone: np.ndarray) -> BettingTree:
    """A tree without some nodes (n_nodes,) bool and all below them."""
    gone = gone.copy()
    for node in range(1, len(gone)):
        gone[node] |= gone[tree.parent[node]]
    kept = np.flatnonzero(~gone)
    number = np.full(len(gone), -1, dtype=np.int32)
    number[kept] = np.arange(len(kept))
    n_children = np.bincount(tree.parent[kept[1:]], minlength=len(gone))[kept].astype(np.int8)
    first = np.zeros(len(gone), dtype=np.int32)
    for node in kept[:0:-1]:
        first[tree.parent[node]] = number[node]
    start = np.searchsorted(kept, tree.street_start).astype(np.int32)
    parent = np.where(tree.parent[kept] >= 0, number[tree.parent[kept]], -1).astype(np.int32)
    fields = {name: getattr(tree, name)[kept] for name in ("kind", "actor", "label", "street", "bets")}
    return tree._replace(**fields, parent=parent, first_child=first[kept], n_children=n_children, street_start=start)


@njit(cache=True, nogil=True)
def _cfr_br(share, f, cards, levels, of, time, reach, regrets, averages, place, hands, scratches, best, won):
    """One board: both players learn, each against best responses of its own, or nobody where time is 0.

    reach (2, subtrees, 1326); won (2,): what the best responders win from those who act by `regrets`. Neither player touches what
    is the other's.
    """
    for learner in range(share[0], 2, share[1]):
        s, own = _scratch_of(scratches, learner), _hands_of(hands, learner)
        _prepare(f, cards, learner, levels, of, regrets, place[learner], own, s)
        best[learner] = 0
        _respond(f, learner, own, reach[learner], s, np.int64(0), best[learner])  # as an int64: a literal would compile it again
        won[1 - learner] = np.sum(best[learner].astype(np.float64) * reach[1 - learner])
        if time == 0:
            continue
        for root in range(f.node.shape[0]):
            _follow(f, root, 1 - learner, own, s.choice[0], reach[1 - learner, root], s.up, s.weight)
            _values(f, root, learner, own, reach[1 - learner, root], s.weight, s.seen, s.value)
            _collect(f, root, own, reach[learner, root], s)
        _learn(f, learner, of, own, time, s, regrets, averages)


@njit(cache=True)
def _self_play(f, boards, times, levels, of, reach, regrets, averages, place, hands, scratches):
    """Self-play: on each board both players learn against each other's current strategies."""
    root = np.int64(0)
    for t in range(boards.shape[0]):
        for player in range(2):
            s, own = _scratch_of(scratches, player), _hands_of(hands, player)
            _prepare(f, boards[t], player, levels, of, regrets, place[player], own, s)
            _weigh(f, root, own, s.path, reach[0], s.weight)
        for player in range(2):
            s, own = _scratch_of(scratches, player), _hands_of(hands, player)
            _values(f, root, player, own, reach[0], scratches.weight[1 - player], s.seen, s.value)
            _collect(f, root, own, reach[0], s)
            _learn(f, player, of, own, times[t], s, regrets, averages)


class Street:
    """The river of a betting tree, and what a grouped player can learn there."""

    def __init__(self, tree: BettingTree, n_levels: int):
        """tree: as `street_tree(3)`; n_levels: equal levels of equity that the learner tells apart, 1 to 1,981."""
        self.tree, self.levels = tree, equity_levels(n_levels)
        self.infosets = make_infosets(tree, 3, n_levels)
        self.subtrees = make_subtrees(tree, self.infosets.situation, 3)
        self.regrets, self.averages = (np.zeros((self.infosets.n, len(tree.labels)), dtype=np.float32) for _ in range(2))
        self.iteration = 0
        place = np.full((2, n_levels), -1, dtype=np.int32)
        self._kept = place, new_hands(2, n_levels), make_scratch(self.subtrees, min(n_levels, N_RIVER_HOLES))
        self._best = np.zeros((2, len(self.subtrees.node), 1326), dtype=np.float32)
        self._every_hand = np.ones((2, 1, 1326), dtype=np.float32)

    def self_play(self, boards: np.ndarray) -> None:
        """Learn on boards (n, 5), one after the other, against the other player's current strategy."""
        steps, shared = self._steps(boards), (self.levels, self.infosets.of, self._every_hand[0])
        _self_play(self.subtrees, *steps, *shared, self.regrets, self.averages, *self._kept)

    def cfr_br(self, boards: np.ndarray) -> None:
        """Learn on boards (n, 5), one after the other, against best responses with all cards."""
        for cards, time in zip(*self._steps(boards), strict=True):
            self._play(cards, self.regrets, time)

    def leak(self, boards: np.ndarray) -> np.ndarray:
        """What best responders win who know the average strategy and deviate on the river only, mbb/g a board.

        boards (n, 5); returns (n,). What the strategy wins from itself is 0 in the mean of both seats, and so are all-ins.
        """
        return np.array([MBB_PER_DOLLAR * self._play(cards, self.averages, 0.0).mean() / N_PAIRS for cards in boards])

    def _play(self, cards: np.ndarray, weights: np.ndarray, time: float) -> np.ndarray:
        """One board; returns what the best responders win, (2,) dollars times pairs of hands."""
        won, shared = np.zeros(2), (self.levels, self.infosets.of, np.float32(time), self._reach(cards))
        on_threads(_cfr_br, self.subtrees, cards, *shared, weights, self.averages, *self._kept, self._best, won)
        return won

    def _reach(self, cards: np.ndarray) -> np.ndarray:
        """How often both players come to each subtree with each hand, (2, subtrees, 1326)."""
        return self._every_hand

    def _steps(self, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Boards, and what each counts: as much as its number, so that what was learnt early is soon outweighed."""
        times = np.arange(self.iteration + 1, self.iteration + 1 + len(boards), dtype=np.float32) / np.float32(1000)
        self.iteration += len(boards)
        return boards, times


class Learnt(NamedTuple):
    """What a training on one street gives."""

    exploitability: np.ndarray  # (passes, n_unseen) mbb/g after each pass, on boards that it has not seen
    opening: np.ndarray  # (levels, labels) how often each level takes each action as the first to act


def train_street(n_levels: int, how: str, boards: np.ndarray, unseen: np.ndarray, passes: int) -> Learnt:
    """Train on boards (n, 5), so many times over, by how = "self-play" or "CFR-BR". Raises ValueError on another word."""
    if how not in ("self-play", "CFR-BR"):
        raise ValueError(f"how is {how!r}, expected 'self-play' or 'CFR-BR'")
    street, lost = Street(street_tree(3), n_levels), []
    for _ in range(passes):
        (street.cfr_br if how == "CFR-BR" else street.self_play)(boards)
        lost.append(street.leak(unseen))
    first = street.averages[street.infosets.of[:, 0]].astype(np.float64)
    return Learnt(np.array(lost), first / np.maximum(first.sum(axis=1, keepdims=True), 1e-30))
