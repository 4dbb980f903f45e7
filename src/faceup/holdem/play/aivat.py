"""AIVAT in hold'em: a table agent's played hands scored with less luck (Burch et al. 2018, arXiv 1612.06915).

The agent's strategy is known, the opponent's is not. After each of the agent's actions every hole it could have held is
weighted by how likely it would have acted so. At the end a showdown is scored for all of them against the hand that the
opponent showed, and each of the agent's draws among its actions is corrected by what the other actions would have been worth, by
a value fixed beforehand: the money that both have put in by then, times a guess of the chance to win it from both equities.
That is unbiased for any guess. The cards on the board are left to luck: correcting them would need a sum over all boards.
"""

from collections.abc import Callable

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, PERMUTED_HOLES
from faceup.cards.equity import UNITS, StreetTable
from faceup.cards.strength import _strength
from faceup.holdem.betting.betting_tree import FOLD, FOLD_END, MBB_PER_DOLLAR, SHOWDOWN, BettingTree
from faceup.holdem.play.match_tree import Sides
from faceup.holdem.play.sampled_match import Deals, TableSeat, deal, dollars, play_deals, seated
from faceup.holdem.solve.policy import Policy, TablePolicy
from faceup.notebook.threads import on_threads

_BATCH = 4096  # deals at once: 22 MB of weights
_SLOPES = (2.0, 2.0, 2.0, 1e9)  # of the guess in the lead in equity, by street; on the river the better hand wins


@njit(cache=True, nogil=True)
def _observe(
    share, hands, chosen, columns, worth, folds, table, lookup, equity, boards, permutations, theirs, slope, weights, out
):
    """Weigh the holes by the action that was chosen, and correct for the draw of it.

    columns, worth (m, k): of each of a hand's actions, -1 where there is none; folds (m, k): whether it pays `worth` for sure,
    else `worth` times a guess of 2 * (chance to win) - 1, `slope` times the lead in equity. lookup (n_boards, n_columns): row of
    `table` of each hole; equity of the same shape; theirs (m,): the opponent's equity.
    """
    for i in range(share[0], hands.shape[0], share[1]):
        weight = weights[hands[i]]
        rows, known = lookup[boards[i]], equity[boards[i]]
        preflop = rows.shape[0] < weight.shape[0]
        before, expected, after, taken = 0.0, 0.0, 0.0, 0.0
        for h in range(weight.shape[0]):
            if weight[h] == 0:
                continue
            column = CLASS_OF_HOLE[h] if preflop else PERMUTED_HOLES[permutations[i], h]
            row = rows[column]
            ahead = slope * (np.float64(known[column]) - theirs[i])
            ahead = min(max(ahead, -1.0), 1.0)
            before += weight[h]
            keep = np.float32(0)
            for k in range(columns.shape[1]):
                if columns[i, k] < 0:
                    continue
                p = table[row, columns[i, k]]
                value = worth[i, k] if folds[i, k] else worth[i, k] * ahead
                expected += weight[h] * p * value
                if k == chosen[i]:
                    keep = p
                    taken += weight[h] * p * value
            weight[h] *= keep
            after += weight[h]
        if before > 0 and after > 0:
            out[hands[i]] += expected / before - taken / after


@njit(cache=True, nogil=True)
def _showdowns(share, hands, cards, strengths, stakes, weights, out):
    """Add what all holes win on average at a showdown against the opponent's hand; strengths (m,) of that."""
    for i in range(share[0], hands.shape[0], share[1]):
        weight = weights[hands[i]]
        seven = np.empty(7, dtype=np.int64)
        seven[2:] = cards[hands[i], 4:]
        total, won = 0.0, 0.0
        for h in range(weight.shape[0]):
            if weight[h] > 0:
                seven[0], seven[1] = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
                mine = _strength(seven, 7)
                total += weight[h]
                won += weight[h] * ((mine > strengths[i]) - (mine < strengths[i]))
        out[hands[i]] += stakes[i] * won / total


class ImaginedSeat(TableSeat):
    """A table at a match tree whose hands are also scored by AIVAT: `score` them when they are over."""

    def __init__(self, match: BettingTree, own: BettingTree, policy: TablePolicy, seat: int, tables: tuple[StreetTable, ...]):
        """tables: of cards/equity."""
        super().__init__(match, own, policy, seat)
        self._match, self._tables, self._seat, self._known = match, tables, seat, policy
        self._lookups = np.arange(169, dtype=np.int32)[None], policy.groups.flop, policy.groups.turn, tables[3].equity

    def start(self, deals: Deals, player: int) -> None:
        """Take the deals, with every hole that the player may hold as likely as any other."""
        super().start(deals, player)
        free = np.ones((len(deals.cards), 52), dtype=np.float32)  # 0 for cards of the board and the opponent
        np.put_along_axis(free, np.delete(deals.cards, [2 * player, 2 * player + 1], axis=1), 0, axis=1)
        self._weights = free.take(HOLE_CARDS[:, 0], axis=1) * free.take(HOLE_CARDS[:, 1], axis=1)
        self._corrections = np.zeros(len(deals.cards))

    def act(self, street: int, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> np.ndarray:
        """See `Seat`; a reading behind the own tree's end calls whatever it holds, so that nothing is to be learnt there."""
        edges, there = self._below(hands)
        after = super().act(street, hands, nodes, u)
        columns = np.where(there, self.readings.column[edges], -1)
        targets = self.readings.target[edges]
        chosen = (there & (targets == self._at[hands][:, None])).argmax(axis=1)
        asked = columns[:, 0] >= 0
        hands, reached = hands[asked], self.readings.node[targets[asked]]
        folds = self._match.label[reached] == FOLD
        matched = self._match.bets[reached].sum(axis=3).min(axis=2).astype(np.float64)  # a raise is often not called
        worth = np.where(folds, -matched, matched)
        deals, equity = self._deals, self._tables[street].equity
        boards, permutations = deals.boards[street, hands], deals.permutations[street, hands]
        shown = equity[boards, deals.columns[street, hands, 1 - self._player]].astype(np.float64)
        known = self._known.tables[street], self._lookups[street], equity, boards, permutations, shown
        slope = _SLOPES[street] / UNITS[street]
        on_threads(_observe, hands, chosen[asked], columns[asked], worth, folds, *known, slope, self._weights, self._corrections)
        return after

    def score(self, nodes: np.ndarray) -> np.ndarray:
        """Dollars that the agent wins in each hand, with less luck, (n,) float64; nodes (n,): where the hands ended."""
        match, deals = self._match, self._deals
        out, stakes = self._corrections.copy(), match.bets[nodes].sum(axis=2).min(axis=1)
        folded = match.kind[nodes] == FOLD_END
        out[folded] += np.where(match.actor[nodes] == self._seat, -stakes, stakes)[folded]
        shown = np.flatnonzero(match.kind[nodes] == SHOWDOWN)
        strengths = deals.strengths[shown, 1 - self._player]
        on_threads(_showdowns, shown, deals.cards, strengths, stakes[shown].astype(np.float64), self._weights, out)
        return out


def scored_match(
    sides: Sides,
    agent: TablePolicy,
    opponent: Policy,
    tables: tuple[StreetTable, ...],
    games: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, np.ndarray]:
    """As `play_match` for a table agent: what it won and what AIVAT makes of it, mbb/g, twice (games // 2, 2).

    Raises ValueError unless the agent is a table and games is 2 or more.
    """
    if not isinstance(agent, TablePolicy) or games < 2:
        raise ValueError(f"agent is a {type(agent).__name__}, games is {games}: expected a table and 2 games or more")
    won, scored = np.zeros((2, games // 2, 2))
    for seat, match in enumerate(sides.trees):
        known = ImaginedSeat(match, sides.own[0], agent, seat, tables)
        other = seated(match, sides.own[1], opponent, 1 - seat)
        pair, sign = ((known, other), 1) if seat == 0 else ((other, known), -1)
        for k, start in enumerate(range(0, len(won), _BATCH)):
            deals = deal(tables, min(_BATCH, len(won) - start), [seed, k, 0])
            ends = play_deals(match, pair, deals, [seed, k, 1])
            won[start : start + _BATCH, seat] = sign * MBB_PER_DOLLAR * dollars(match, deals, ends)
            scored[start : start + _BATCH, seat] = MBB_PER_DOLLAR * known.score(ends)
            progress(seat * len(won) + min(start + _BATCH, len(won)))
    return won, scored
