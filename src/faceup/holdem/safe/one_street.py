"""One river street as a game of its own: self-play and CFR-BR on equity levels, judged on boards that neither has seen.

Both players hold every hand alike. A player sees the level of its equity only; its opponent, when it is judged, sees all cards.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting.betting_tree import DECISION, MBB_PER_DOLLAR, BettingState, BettingTree, build_tree, menu_from
from faceup.holdem.safe.infosets import equity_levels, make_infosets
from faceup.holdem.safe.river import _collect, _learn, _meet, _prepare, _respond, _values, _weigh
from faceup.holdem.safe.subtrees import _hands_of, _scratch_of, make_scratch, make_subtrees, new_hands

POT_AND_ALL_IN = [[1.0], [1.0], [1.0]]
N_PAIRS = N_RIVER_HOLES * 990


def street_tree(street: int, pot: int = 600, most_raises: int = 2) -> BettingTree:
    """Betting from a street on, half of the pot from each player, with bets of the pot and all-in, at most so many a street."""
    half = pot // 2
    bets = ((half, 0, 0, 0), (half, 0, 0, 0))
    tree = build_tree(menu_from(*[POT_AND_ALL_IN] * 4), BettingState(street, 1, bets, 0, 100, 0))
    raises = np.zeros(len(tree.kind), dtype=np.int64)
    for node in range(1, len(raises)):
        above = tree.parent[node]
        same = tree.street[above] == tree.street[node] or tree.kind[node] != DECISION
        raises[node] = raises[above] * same + (tree.label[node] > 1)
    return without(tree, raises > most_raises)


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


@njit(cache=True, parallel=True)
def _cfr_br(f, boards, times, levels, of, reach, regrets, averages, place, hands, scratches, best):
    """CFR-BR of both players, each against best responses of its own: neither touches what is the other's."""
    for seat in prange(2):
        learner = np.int64(seat)
        s, own = _scratch_of(scratches, learner), _hands_of(hands, learner)
        for t in range(boards.shape[0]):
            _prepare(f, boards[t], learner, levels, of, regrets, place[learner], own, s)
            _respond(f, learner, own, reach, s, np.int64(0), best[learner])
            _meet(f, learner, own, reach, reach, s, np.int64(0))
            _learn(f, learner, of, own, times[t], s, regrets, averages)


@njit(cache=True)
def _self_play(f, boards, times, levels, of, reach, regrets, averages, place, hands, scratches):
    """Self-play: on each board both players learn against each other's current strategies."""
    for t in range(boards.shape[0]):
        for player in range(2):
            s, own = _scratch_of(scratches, player), _hands_of(hands, player)
            _prepare(f, boards[t], player, levels, of, regrets, place[player], own, s)
            _weigh(f, 0, own, s.path, reach[0], s.weight)
        for player in range(2):
            s, own = _scratch_of(scratches, player), _hands_of(hands, player)
            _values(f, 0, player, own, reach[0], scratches.weight[1 - player], s.seen, s.value)
            _collect(f, 0, own, reach[0], s)
            _learn(f, player, of, own, times[t], s, regrets, averages)


@njit(cache=True, parallel=True)
def _judge(f, boards, levels, of, reach, averages, place, hands, scratches, best, won):
    """What best responders win on each board from strategies that are proportional to `averages`: won (2, n)."""
    for seat in prange(2):
        learner = np.int64(seat)
        s, own = _scratch_of(scratches, learner), _hands_of(hands, learner)
        for t in range(boards.shape[0]):
            _prepare(f, boards[t], learner, levels, of, averages, place[learner], own, s)
            best[learner] = 0
            _respond(f, learner, own, reach, s, np.int64(0), best[learner])
            for h in range(best.shape[2]):
                won[learner, t] += best[learner, 0, h]


class Street:
    """A river street, and what a grouped player can learn there."""

    def __init__(self, tree: BettingTree, n_levels: int):
        """tree: as `street_tree(3)`. Raises ValueError as `equity_levels`."""
        self.tree, self.levels = tree, equity_levels(n_levels)
        self.infosets = make_infosets(tree, 3, n_levels)
        self.subtrees = make_subtrees(tree, self.infosets.situation, 3)
        self.regrets, self.averages = (np.zeros((self.infosets.n, len(tree.labels)), dtype=np.float32) for _ in range(2))
        self.iteration = 0
        self._reach = np.ones((1, 1326), dtype=np.float32)
        self._hands = new_hands(2, n_levels)
        self._scratch = make_scratch(self.subtrees, n_levels)
        self._place = np.full((2, n_levels), -1, dtype=np.int32)
        self._best = np.zeros((2, 1, 1326), dtype=np.float32)

    def self_play(self, boards: np.ndarray) -> None:
        """Learn on boards (n, 5), one after the other, against the other player's current strategy."""
        _self_play(self.subtrees, *self._steps(boards), *self._tables(), self.averages, *self._kept())

    def cfr_br(self, boards: np.ndarray) -> None:
        """Learn on boards (n, 5), one after the other, against best responses with all cards."""
        _cfr_br(self.subtrees, *self._steps(boards), *self._tables(), self.averages, *self._kept(), self._best)

    def exploitability(self, boards: np.ndarray) -> np.ndarray:
        """What best responders win from the average strategy on each board, mean of seats, mbb/g: (n,)."""
        won = np.zeros((2, len(boards)))
        _judge(self.subtrees, boards, *self._tables()[:-1], self.averages, *self._kept(), self._best, won)
        return MBB_PER_DOLLAR * won.mean(axis=0) / N_PAIRS

    def restart(self, steps: float = 0.5) -> None:
        """Go on from the average strategy, which begins anew, with steps of that size relative to now's (see games/cfr_br)."""
        total = self.averages.sum(axis=1, keepdims=True)
        met = total[:, 0] > 0
        left = np.maximum(self.regrets, 0).sum(axis=1, keepdims=True) / np.float32(steps)
        self.regrets[met] = left[met] * self.averages[met] / total[met]
        self.averages[:] = 0

    def _steps(self, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Boards, and what each counts: as much as its number, so that what was learnt early is soon outweighed."""
        times = np.arange(self.iteration + 1, self.iteration + 1 + len(boards), dtype=np.float32) / np.float32(1000)
        self.iteration += len(boards)
        return boards, times

    def _tables(self) -> tuple:
        return self.levels, self.infosets.of, self._reach, self.regrets

    def _kept(self) -> tuple:
        return self._place, self._hands, self._scratch


def random_boards(n: int, seed: int) -> np.ndarray:
    """n boards of five cards, (n, 5) int64."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(52)[:5] for _ in range(n)], dtype=np.int64)


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
        lost.append(street.exploitability(unseen))
    first = street.averages[street.infosets.of[:, 0]].astype(np.float64)
    return Learnt(np.array(lost), first / np.maximum(first.sum(axis=1, keepdims=True), 1e-30))
