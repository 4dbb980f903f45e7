"""Exact equities and wins of starting hands: known counts, enumeration by phevaluator, sums."""

import csv
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from games import pair_outcomes
from phevaluator import evaluate_cards

from faceup.cards import matchups
from faceup.cards.cards import (
    CLASS_NAMES,
    CLASS_OF_HOLE,
    HOLE_CARDS,
    PERMUTED_HOLES,
    canonical,
    canonical_boards,
    parse_cards,
)
from faceup.cards.equity import BOARD_CARDS, StreetEquities, load_equities, save_equities

HOLDS = np.zeros((1326, 52), dtype=bool)  # HOLDS[h, c]: hole h holds card c
np.put_along_axis(HOLDS, HOLE_CARDS.astype(np.int64), True, axis=1)
APART = ~(HOLDS[:, None] & HOLDS).any(axis=2)  # pairs of holes without a shared card
# one suit, the best hand for all, four of a kind, nearly a straight flush, a full house and a
# straight on the board
ACES, KINGS = CLASS_NAMES.index("AA"), CLASS_NAMES.index("KK")
SPECIAL = [
    parse_cards(text)
    for text in "2h5h9hJhKh AhKhQhJhTh 7c7d7h7sAc 2c3c4c5c7d KcKdKhQsQc 2c3d4h5s6c".split()
]


def left_by(board):
    """The holes that a board leaves."""
    return np.flatnonzero(~HOLDS[:, board].any(axis=1))


def counted(board, holes):
    """2 * wins + ties of holes on a river board by phevaluator; -1 for holes that it blocks."""
    free = left_by(board)
    ranks = np.zeros(1326, dtype=int)  # a low rank is strong
    ranks[free] = [evaluate_cards(hi, lo, *board) for hi, lo in HOLE_CARDS[free].tolist()]
    shares = APART[np.ix_(holes, free)] * (1 + np.sign(ranks[free] - ranks[holes, None]))
    return np.where(np.isin(holes, free), shares.sum(axis=1), -1)


def deciles_of(futures, n):
    """Deciles of each hole's n futures; futures (more than n, n_holes), -1 where blocked."""
    assert ((futures >= 0).sum(axis=0) == n).all()
    return np.quantile(
        np.sort(futures, axis=0)[-n:], np.arange(1, 11) / 10, axis=0, method="inverted_cdf"
    ).T


def test_all_starting_hands_exactly(all_in_wins, equities):
    with open(Path(__file__).parents[1] / "data" / "preflop_equity.csv", newline="") as file:
        known = {row.pop("hand"): [int(n) for n in row.values()] for row in csv.DictReader(file)}
    outcomes = matchups.preflop_outcomes(all_in_wins)
    assert dict(zip(CLASS_NAMES, outcomes.tolist(), strict=True)) == known
    assert (equities[0].equity[0] == 2 * outcomes[:, 0] + outcomes[:, 1]).all()
    # as every poker calculator has it, suits averaged
    kings_lose = matchups.net_wins(all_in_wins, matchups.RUNOUTS_PREFLOP)[ACES, KINGS] / 36
    assert 0.5 + kings_lose / 2 == pytest.approx(0.8195, abs=1e-4)


# boards of each street, always and where slow tests are run
FEW, MANY = {3: 60, 2: 3, 1: 1}, {3: 2000, 2: 50, 1: 3}


@pytest.mark.parametrize(
    "n_boards", [FEW, pytest.param(MANY, marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.parametrize("street", FEW)
def test_equities_and_deciles_against_full_enumeration(equities, street, n_boards):
    """Of all holes on turn and river, of every eleventh on the flop, for any names of suits."""
    draw, table = random.Random(4 - street), equities[street]
    boards = [draw.sample(range(52), BOARD_CARDS[street]) for _ in range(n_boards[street])]
    for board in boards + (SPECIAL if street == 3 else []):
        holes = left_by(board)[:: 11 if street == 1 else 1]
        unseen = [c for c in range(52) if c not in board]
        more = np.array(list(combinations(unseen, 3 - street)))  # the cards that may still come
        rivers = np.array([counted([*board, *cards], holes) for cards in more.tolist()])
        known = [rivers.clip(0).sum(axis=0)]
        if street == 1:
            after = {c: rivers[(more == c).any(axis=1)].clip(0).sum(axis=0) for c in unseen}
            known.append(
                deciles_of(
                    np.array([np.where(HOLDS[holes, c], -1, total) for c, total in after.items()]),
                    47,
                )
            )
        if street < 3:
            known.append(deciles_of(rivers, {1: 1081, 2: 46}[street]))
        row, permutation = canonical(board)
        for array, expected in zip((table.equity, *table.deciles), known, strict=True):
            np.testing.assert_array_equal(array[row, PERMUTED_HOLES[permutation, holes]], expected)


@pytest.mark.parametrize("street", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_preflop_deciles_from_every_flop_and_turn(equities, street):
    hole = np.flatnonzero(CLASS_OF_HOLE == KINGS)[0]
    boards = combinations(np.flatnonzero(~HOLDS[hole]).tolist(), BOARD_CARDS[street])
    places = [
        (row, PERMUTED_HOLES[permutation, hole]) for row, permutation in map(canonical, boards)
    ]
    futures = equities[street].equity[tuple(np.array(places).T)]
    np.testing.assert_array_equal(
        equities[0].deciles[street - 1][0, [KINGS]], deciles_of(futures[:, None], len(futures))
    )


@pytest.mark.parametrize(("street", "completions"), [(1, 1176), (2, 48), (3, 1)])
def test_what_one_wins_another_loses_and_blocked_holes_have_nothing(equities, street, completions):
    """Each pair of opposing holes shares two units on a river board, so all totals are the same."""
    totals = equities[street].equity.sum(axis=1, dtype=np.int64)
    assert (totals == completions * 1081 * 990).all()
    boards = canonical_boards(BOARD_CARDS[street]).cards[::41]
    blocked = HOLDS[:, boards].any(axis=2).T
    assert not any(
        array[::41][blocked].any() for array in (equities[street].equity, *equities[street].deciles)
    )


def test_tables_come_back_from_disk(tmp_path):
    made = [
        StreetEquities(np.arange(street, 9), tuple(np.arange(k, 9) for k in range(3 - street)))
        for street in range(4)
    ]
    save_equities(tmp_path, made)
    for found, table in zip(load_equities(tmp_path), made, strict=True):
        pairs = zip((found.equity, *found.deciles), (table.equity, *table.deciles), strict=True)
        assert all(np.array_equal(one, other) and not one.flags.writeable for one, other in pairs)


def test_wins_on_boards_one_pair_of_holes_after_the_other_and_on_the_boards_that_may_come():
    """On three deuces aces are never behind kings but for the two kings that may come."""
    boards, weights = np.array([[9, 24, 34, 51, 3], [0, 1, 2, 3, 4]]), np.array([3, 1])
    expected = np.zeros((169, 169), dtype=int)
    for board, weight in zip(boards.tolist(), weights, strict=True):
        holes, outcome = pair_outcomes(board)
        np.add.at(
            expected, np.ix_(CLASS_OF_HOLE[holes], CLASS_OF_HOLE[holes]), weight * (outcome == 1)
        )
    np.testing.assert_array_equal(matchups.class_wins(boards, weights), expected)
    wins = matchups.flop_wins([0, 1, 2])
    assert wins[ACES, KINGS] / (36 * matchups.RUNOUTS_FLOP) > 0.9
    assert wins[ACES, KINGS] + wins[KINGS, ACES] <= 36 * matchups.RUNOUTS_FLOP
    np.testing.assert_allclose(
        matchups.net_wins(wins, matchups.RUNOUTS_FLOP),
        -matchups.net_wins(wins, matchups.RUNOUTS_FLOP).T,
    )
