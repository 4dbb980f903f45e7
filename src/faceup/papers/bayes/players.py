"""Players of fixed-limit hold'em in batches of hands, and matches between them (paper 003, Sections
4.3 and 4.4).

The paper's player, `MeuSeat`, picks in each round the current strategy of greatest expected utility
(MEU). Its belief about the opponent has two forms: a fixed model, or types, inferred within each
hand and carried from hand to hand. Many matches are played at once, each at two tables. At the
second the same cards come with the seats exchanged; each table has its own belief.
"""

from collections.abc import Sequence
from copy import deepcopy
from itertools import combinations
from typing import NamedTuple

import numpy as np

from faceup.cards.equity import StreetEquities
from faceup.holdem.buckets import Buckets
from faceup.holdem.rules import MBB_PER_DOLLAR, SHOWDOWN
from faceup.papers.bayes.deals import (
    Act,
    Deals,
    Seat,
    deal_hands,
    dollars,
    play_deals,
    sampled_columns,
)
from faceup.papers.bayes.enumeration import odds_bins
from faceup.papers.bayes.model import ROUND_START, Evaluator
from faceup.papers.bayes.strategies import FINE, Moves, strategy_of_bin
from faceup.util.rng import Stream
from faceup.util.stats import mean_ci95

FIXED, CARRIED = "fixed", "carried"


def deal_bins(
    equities: tuple[StreetEquities, ...], deals: Deals, player: int, bins: int
) -> np.ndarray:
    """Bins of a player's odds in the four rounds of each deal, (4, n) uint8."""
    places = zip(equities, deals.boards, deals.columns[:, :, player], strict=True)
    found = [table.equity[board, column] for table, board, column in places]
    return np.array([odds_bins(street, equity, bins) for street, equity in enumerate(found)])


class OddsSeat(NamedTuple):
    """The amateur and the types: a current strategy a round by the odds; each deal may have a type
    of its own.
    """

    moves: Moves
    equities: tuple[StreetEquities, ...]
    shifts: np.ndarray  # (n,) of the limits, one a deal, or (1,) for all

    def start(self, deals: Deals, player: int) -> Act:
        """As `deals.Seat`."""
        picks = np.array([strategy_of_bin(shift) for shift in self.shifts])
        bins = deal_bins(self.equities, deals, player, FINE)
        strategy = picks[np.arange(len(picks)), bins]  # (4, n)
        return lambda street, hands, nodes, u: self.moves.after[strategy[street, hands], nodes]


class BlueprintSeat(NamedTuple):
    """A tabular policy on the limit tree, with sampled actions: a blueprint or a fixed policy."""

    moves: Moves
    tables: Sequence[np.ndarray]  # a policy's rows on each street of the limit tree
    buckets: Buckets | None = None  # of hands; None: all have the first row

    def start(self, deals: Deals, player: int) -> Act:
        """As `deals.Seat`."""
        tree, rows = self.moves.tree, np.zeros((4, len(deals.cards)), dtype=np.int64)
        if self.buckets:
            boards, columns = deals.boards, deals.columns[:, :, player]
            rows[0], rows[3] = columns[0], deals.river[:, player]
            rows[1] = self.buckets.flop[boards[1], columns[1]]
            rows[2] = self.buckets.turn[boards[2], columns[2]]

        def act(street: int, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> np.ndarray:
            """As `Act`."""
            n, first = tree.n_children[nodes][:, None], tree.first_child[nodes]
            k = np.arange(int(n.max()))
            columns = (first - tree.street_start[street])[:, None] + np.minimum(k, n - 1)
            chances = self.tables[street][rows[street, hands][:, None], columns] * (k < n)
            return first + sampled_columns(chances, u)

        return act


class MeuSeat(NamedTuple):
    """The paper's player: in each round the current strategy of maximum expected utility."""

    evaluator: Evaluator
    equities: tuple[StreetEquities, ...]
    infers: bool  # whether the opponent's actions of one round change the belief in the next
    prior: np.ndarray  # (n, n_types) weights of the types before a hand

    def start(self, deals: Deals, player: int) -> Act:
        """As `deals.Seat`."""
        evaluator, moves, tree = self.evaluator, self.evaluator.moves, self.evaluator.moves.tree
        bins = deal_bins(self.equities, deals, player, evaluator.model.joint.shape[1])
        types = self.prior.copy()
        # planned: the round that a strategy was picked for
        strategy, planned = np.zeros(len(types), dtype=np.int64), np.full(len(types), -1)

        def act(street: int, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> np.ndarray:
            """As `Act`, by the strategies of greatest expected utility."""
            new = planned[hands] < street
            if new.any():
                picking, at = hands[new], nodes[new]
                root = moves.root[at]
                if self.infers and street:  # from the round that is over
                    place, own = moves.place[root], bins[street - 1, picking]
                    types[picking] = evaluator.posterior(
                        street - 1, player, place, own, types[picking]
                    )
                turn = np.where(root == at, ROUND_START, moves.place[at])
                put = tree.bets[root, player, :].sum(axis=1) * min(street, 1)  # no blinds
                own = bins[street, picking]
                utility = evaluator.utilities(street, player, turn, own, put, types[picking])
                # ties go to the most cautious strategy, on every machine
                strategy[picking] = utility.round(6).argmax(axis=1)
                planned[picking] = street
            return moves.after[strategy[hands], nodes]

        return act

    def belief_after(self, deals: Deals, player: int, nodes: np.ndarray) -> np.ndarray:
        """Belief in the types, (n, n_types), after hands that ended at nodes (n,), with the cards
        of showdowns shown.
        """
        evaluator, moves, tree = self.evaluator, self.evaluator.moves, self.evaluator.moves.tree
        n_bins = evaluator.model.joint.shape[1]
        own, other = (
            deal_bins(self.equities, deals, p, n_bins).astype(int) for p in (player, 1 - player)
        )
        shown, out = tree.kind[nodes] == SHOWDOWN, self.prior.copy()
        at = nodes.copy()  # the end of the last round that was played, then of the one before
        for street in range(3, -1, -1):
            played = np.flatnonzero(tree.street[nodes] >= street)
            oo = np.where(shown[played], other[street, played], -1)
            place, po = moves.place[at[played]], own[street, played]
            out[played] = evaluator.posterior(street, player, place, po, out[played], oo)
            at[played] = moves.root[tree.parent[at[played]]]
        return out


class MeuMatches(NamedTuple):
    """Matches of MEU play, two tables each."""

    # (n_hands, n_matches, 2) mbb that the MEU player wins in each hand at each table
    won: np.ndarray
    types: np.ndarray  # (n_hands, n_matches, 2, n_types) the player's belief before each hand

    def mean(self) -> tuple[float, float]:
        """mbb/g, and half of its 95 % interval over matches."""
        return mean_ci95(self.won.mean(axis=(0, 2)))


def play_matches(
    evaluator: Evaluator,
    equities: tuple[StreetEquities, ...],
    opponent: Seat,
    belief: str,
    matches: int,
    hands: int,
    stream: Stream,
    *,
    switch: float = 0,
) -> MeuMatches:
    """Matches of the MEU player, dealer and big blind in turn, against an opponent.

    belief: FIXED (types are always equally likely) or CARRIED; switch: the chance that a carried
    type changes before a hand.
    """
    tree, n_types = evaluator.moves.tree, evaluator.n_types
    belief_now = np.full((2, matches, n_types), 1 / n_types)
    won, types = np.empty((hands, matches, 2)), np.empty((hands, matches, 2, n_types))
    for k in range(hands):
        generator = stream(k)
        deals = deal_hands(equities, matches, generator)
        for table in range(2):
            seat = (k + table) % 2
            types[k, :, table] = belief_now[table]
            mine = MeuSeat(evaluator, equities, belief != FIXED, belief_now[table])
            pair = (mine, opponent) if seat == 0 else (opponent, mine)
            # the same random numbers at both tables
            ends = play_deals(tree, pair, deals, deepcopy(generator))
            won[k, :, table] = (MBB_PER_DOLLAR, -MBB_PER_DOLLAR)[seat] * dollars(tree, deals, ends)
            if belief == CARRIED:
                belief_now[table] = (1 - switch) * mine.belief_after(
                    deals, seat, ends
                ) + switch / n_types
    return MeuMatches(won, types)


def play_pairs(
    moves: Moves,
    equities: tuple[StreetEquities, ...],
    seats: Sequence[Seat],
    deals: int,
    stream: Stream,
) -> np.ndarray:
    """Winnings of each seat from each other in mbb/g, and half of the 95 % interval, (n, n, 2); the
    same deals for all, in both seats.
    """
    n, tree, generator = len(seats), moves.tree, stream()
    dealt, out = deal_hands(equities, deals, generator), np.full((n, n, 2), np.nan)
    for i, j in combinations(range(n), 2):
        won = np.zeros(deals)
        for sign, pair in ((1, (seats[i], seats[j])), (-1, (seats[j], seats[i]))):
            ends = play_deals(tree, pair, dealt, deepcopy(generator))
            won += sign * MBB_PER_DOLLAR / 2 * dollars(tree, dealt, ends)
        mbb, ci95 = mean_ci95(won)
        out[i, j], out[j, i] = (mbb, ci95), (-mbb, ci95)
    return out
