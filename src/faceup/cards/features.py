"""Features of a decision: the hand's equity, deciles of its later equities, the bets so far (paper
000, Section 2.2).

The betting features are the opponent's bets on each street, as in the paper; "both" adds the
player's own, and "both+seat" whether the player sits on the button. "pot-relative" replaces the
opponent's bets by the bet faced and the player's stack, both as fractions of the pot before that
bet: numbers that mean the same at any bet size.

Integer equities become float32 features here: divided in double precision by the street's unit,
then rounded once. Deciles are those of `cards.equity`.

`board_features` reads the tables of `cards.equity`. `swept_features` evaluates the river boards
that may follow instead: one sweep over each gives every hole's equity there; a flop has 1,176,
which takes a fifth of a second for all holes (2,118,760 before the flop are too many).
`hand("Ac3h", "Kh3sJc")` knows the outcomes and histograms of one hole besides.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

import numpy as np

from faceup.cards.cards import (
    BOARD_CARDS,
    CLASS_OF_HOLE,
    HOLE_CARDS,
    N_CARDS,
    N_HOLES,
    PERMUTED_HOLES,
    STREETS,
    canonical,
    hole_index,
    parse_hand,
)
from faceup.cards.equity import (
    N_DECILES,
    UNITS,
    StreetEquities,
    all_equities,
    fill_river_equity,
    river_counts,
    weighted_deciles,
)

_LATER = tuple([f"{name}_equity_p{10 * d}" for d in range(1, N_DECILES + 1)] for name in STREETS)
# 31, 21, 11 and 1 names
FEATURE_NAMES = tuple(tuple(sum(_LATER[s + 1 :], ["equity"])) for s in range(4))
BET_NAMES = tuple(f"opponent_bet_{street}" for street in STREETS)  # dollars, blinds included
OWN_BET_NAMES = tuple(f"own_bet_{street}" for street in STREETS)
_SEATED = (*BET_NAMES, *OWN_BET_NAMES, "button")
# in pots, where the pot before the bet faced is twice the player's own bets
_SIZES = ("bet_faced", "stack_to_pot")
BETTING_FEATURES = {
    "opponent": BET_NAMES,
    "both": BET_NAMES + OWN_BET_NAMES,
    "both+seat": _SEATED,
    "pot-relative": (*OWN_BET_NAMES, "button", *_SIZES),
    "all": _SEATED + _SIZES,
}
STACK = 20_000  # dollars that each player starts a hand with


def feature_names(street: int, feature_set: str = "opponent") -> tuple[str, ...]:
    """Names of a model's features on street 0..3: the hand's 31, 21, 11 or 1, then those of the
    betting.

    feature_set: the betting features, a key of BETTING_FEATURES; "opponent" is the paper's.
    """
    return FEATURE_NAMES[street] + BETTING_FEATURES[feature_set]


def betting_features(
    bets: np.ndarray, actor: np.ndarray, feature_set: str = "opponent"
) -> np.ndarray:
    """Betting features: (n, 4 | 8 | 9 | 7 | 11) float32, columns: BETTING_FEATURES[feature_set].

    bets: dollars that each player has put in on each street, (n, 2, 4); actor: the player to act,
    (n,), 0 on the button. Pots are ratios of whole dollars, rounded once: a bet of half the pot is
    0.5, and pot odds are 1 + 1 / bet_faced to 1. A player who calls all-in faces stack_to_pot pots.
    """
    row, actor = np.arange(len(bets)), np.asarray(actor)
    own, theirs = bets[row, actor], bets[row, 1 - actor]
    put, to_call = own.sum(axis=1), theirs.sum(axis=1) - own.sum(axis=1)
    columns = dict(zip(_SEATED, [*theirs.T, *own.T, actor == 0], strict=True))
    columns |= {"bet_faced": to_call / (2 * put), "stack_to_pot": (STACK - put) / (2 * put)}
    names = BETTING_FEATURES[feature_set]
    return np.stack([columns[name] for name in names], axis=1).astype(np.float32)


def board_features(street: int, table: StreetEquities, board: list[int]) -> np.ndarray:
    """Hand features of all 1,326 holes on a real board, in its own suits; 0 for blocked holes.

    board: 0, 3, 4 or 5 cards. Returns float32 (1326, 31 | 21 | 11 | 1), columns as in
    FEATURE_NAMES[street].
    """
    row, columns = 0, CLASS_OF_HOLE
    if street:
        row, permutation = canonical(board)
        columns = PERMUTED_HOLES[permutation]
    equity = table.equity[row]
    out = np.empty((len(equity), len(FEATURE_NAMES[street])), dtype=np.float32)
    np.divide(equity, UNITS[street], out=out[:, 0], casting="same_kind")
    for i, deciles in enumerate(table.deciles):
        np.divide(
            deciles[row],
            UNITS[street + 1 + i],
            out=out[:, 1 + N_DECILES * i :][:, :N_DECILES],
            casting="same_kind",
        )
    return out[columns]


@dataclass(frozen=True)
class Hand:
    """Two private cards on a board of 3 to 5: exact equity, later equities and features."""

    hole: tuple[int, int]
    board: tuple[int, ...]

    @property
    def street(self) -> int:
        """1..3 = flop, turn, river."""
        return BOARD_CARDS.index(len(self.board))

    @property
    def equity(self) -> Fraction:
        """Probability to win against a random hand and random further cards, plus half that of a
        tie; exact.
        """
        values, counts = self.histograms[3]
        return Fraction(int(values @ counts), int(counts.sum()) * UNITS[3])

    @property
    def outcomes(self) -> tuple[int, int, int]:
        """(wins, ties, losses) over all opposing hands and all further cards."""
        _, wins, ties = self._rivers
        return int(wins.sum()), int(ties.sum()), int((UNITS[3] // 2 - wins - ties).sum())

    @cached_property
    def _rivers(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All completions of the board: cards drawn (m, k), opposing holes beaten (m,) and tied
        (m,).
        """
        unseen = [c for c in range(52) if c not in self.hole + self.board]
        draws = list(combinations(unseen, 5 - len(self.board)))
        hole, (less, equal) = hole_index(*self.hole), np.empty((2, 1326), dtype=np.int32)
        wins, ties = np.empty((2, len(draws)), dtype=np.int64)
        for i, draw in enumerate(draws):
            river_counts(np.array(self.board + draw, dtype=np.int64), less, equal)
            wins[i], ties[i] = less[hole], equal[hole]
        return np.array(draws, dtype=np.int64), wins, ties

    @cached_property
    def histograms(self) -> dict[int, tuple[np.ndarray, np.ndarray]]:
        """By street, the equities of this hand on the river and other later streets and their
        counts.

        Equities are integers out of UNITS[street], ascending; counts are of unordered sets of
        further cards: 47 turns and 1,081 rivers after a flop.
        """
        draws, wins, ties = self._rivers
        units = 2 * wins + ties
        found = {3: np.unique(units, return_counts=True)}
        # a turn card's equity is the sum over the 46 rivers that may follow it
        if self.street == 1:
            by_card = np.bincount(draws.ravel(), weights=np.repeat(units, 2), minlength=52).astype(
                np.int64
            )
            found[2] = np.unique(by_card[np.unique(draws)], return_counts=True)
        return found

    def deciles(self, street: int) -> np.ndarray:
        """The ten deciles of a later street's histogram as equities from 0 to 1, (10,) float64."""
        return weighted_deciles(*self.histograms[street]) / UNITS[street]

    def features(self, opponent_bets: tuple[float, ...] = (0, 0, 0, 0)) -> dict[str, float]:
        """The features of a model of this street by name, in the order of `feature_names`.

        opponent_bets: of each street, in dollars, blinds included.
        """
        own = swept_features(np.array([hole_index(*self.hole)]), self.board)[0]
        values = [*own.tolist(), *opponent_bets]
        return dict(zip(feature_names(self.street), values, strict=True))


def hand(hole: str, board: str) -> Hand:
    """A hand from text, as in hand("Ac3h", "Kh3sJc").

    Raises ValueError as `parse_hand`, and before the flop.

    >>> kings_up = hand("Kc3h", "Kh3sJc")
    >>> round(float(kings_up.equity), 4), round(kings_up.features()["turn_equity_p10"], 4)
    (0.9112, 0.8632)
    """
    private, public = parse_hand(hole, board)
    if not public:
        raise ValueError(
            "board '': expected 3, 4 or 5 cards; "
            "equities before the flop are in cards.equity.all_equities()[0]"
        )
    return Hand((private[0], private[1]), tuple(public))


def hole_features(
    holes: np.ndarray, board: list[int], equities: tuple[StreetEquities, ...] | None = None
) -> np.ndarray:
    """Hand features of some holes (n,) on a board, (n, 31 | 21 | 11 | 1) float32; 0 for blocked
    holes.

    equities: of the four streets, preflop first. Without them the board's own rivers are evaluated
    (`swept_features`); before the flop they are computed, once a process and in about 15 seconds.
    """
    if equities is None and board:
        return swept_features(holes, board)
    street, tables = BOARD_CARDS.index(len(board)), equities or all_equities()
    return board_features(street, tables[street], board)[holes]


def swept_features(holes: np.ndarray, board: Sequence[int]) -> np.ndarray:
    """Hand features of holes (n,) on a board of 3, 4 or 5 cards, as in `board_features`.

    Returns float32 (n, 21 | 11 | 1), columns as in FEATURE_NAMES; 0 for blocked holes.
    """
    street, left = BOARD_CARDS.index(len(board)), np.setdiff1d(np.arange(N_CARDS), board)
    draws = np.array(list(combinations(left, 5 - len(board))), dtype=np.int64)
    rivers = np.empty((len(draws), len(holes)), dtype=np.uint16)  # 0 where a hole is blocked
    of_all = np.empty(N_HOLES, dtype=np.uint16)
    for draw, row in zip(draws, rivers, strict=True):
        fill_river_equity(np.append(np.array(board, dtype=np.int64), draw), of_all)
        row[:] = of_all[holes]
    out = np.empty((len(holes), len(FEATURE_NAMES[street])), dtype=np.float32)
    out[:, 0] = rivers.sum(axis=0, dtype=np.int64) / UNITS[street]
    later = {3: rivers} if street < 3 else {}
    if street == 1:
        by_turn = [rivers[(draws == card).any(axis=1)].sum(axis=0, dtype=np.int64) for card in left]
        later = {2: np.array(by_turn), 3: rivers}
    for i, (other, equities) in enumerate(later.items()):
        out[:, 1 + N_DECILES * i :][:, :N_DECILES] = _deciles(equities).T / UNITS[other]
    out[np.isin(HOLE_CARDS[holes], board).any(axis=1)] = 0
    return out


def _deciles(equities: np.ndarray) -> np.ndarray:
    """Deciles (10, n) of the equities (m, n) of each of n holes, where 0 means that it is
    blocked.
    """
    ordered, blocked = np.sort(equities, axis=0), (equities == 0).sum(axis=0)
    places = -(-np.arange(1, N_DECILES + 1)[:, None] * (len(equities) - blocked) // N_DECILES) - 1
    return np.take_along_axis(ordered, np.clip(blocked + places, 0, len(equities) - 1), axis=0)
