"""Exact equities: known counts, full enumeration by an independent evaluator, sums that hold."""

import csv
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from phevaluator import evaluate_cards

from faceup.cards.cards import CLASS_NAMES, CLASS_OF_HOLE, HOLE_CARDS, PERMUTED_HOLES, canonical, canonical_boards, parse_cards
from faceup.cards.equity import BOARD_CARDS, StreetTable, load_tables, save_tables
from faceup.cards.matchups import preflop_outcomes

HOLDS = np.zeros((1326, 52), dtype=bool)  # HOLDS[h, c]: hole h holds card c
np.put_along_axis(HOLDS, HOLE_CARDS.astype(np.int64), True, axis=1)
APART = ~(HOLDS[:, None] & HOLDS).any(axis=2)  # pairs of holes without a shared card
# one suit, the best hand for all, four of a kind, nearly a straight flush, a full house and a straight on the board
SPECIAL = [parse_cards(text) for text in "2h5h9hJhKh AhKhQhJhTh 7c7d7h7sAc 2c3c4c5c7d KcKdKhQsQc 2c3d4h5s6c".split()]


def left_by(board):
    """The holes that a board leaves."""
    return np.flatnonzero(~HOLDS[:, board].any(axis=1))


def counted(board, holes):
    """2 * wins + ties of holes on a river board by phevaluator, every opponent looked at; -1 for holes that it blocks."""
    free = left_by(board)
    ranks = np.zeros(1326, dtype=int)  # a low rank is strong
    ranks[free] = [evaluate_cards(hi, lo, *board) for hi, lo in HOLE_CARDS[free].tolist()]
    shares = APART[np.ix_(holes, free)] * (1 + np.sign(ranks[free] - ranks[holes, None]))
    return np.where(np.isin(holes, free), shares.sum(axis=1), -1)


def deciles_of(futures, n):
    """Deciles of the n futures that each hole has; futures (more than n, holes), -1 where there is none."""
    assert ((futures >= 0).sum(axis=0) == n).all()
    return np.quantile(np.sort(futures, axis=0)[-n:], np.arange(1, 11) / 10, axis=0, method="inverted_cdf").T


def assert_table_says(table, board, holes, equities, *deciles):
    """Compare what is known of holes on a real board with their numbers in a table."""
    row, permutation = canonical(board)
    for array, expected in zip((table.equity, *table.deciles), (equities, *deciles), strict=True):
        np.testing.assert_array_equal(array[row, PERMUTED_HOLES[permutation, holes]], expected)


def random_boards(n_boards, n_cards, seed):
    draw = random.Random(seed)
    return [draw.sample(range(52), n_cards) for _ in range(n_boards)]


def test_all_starting_hands_exactly(all_in_wins, tables):
    with open(Path(__file__).parents[1] / "data" / "preflop_equity.csv", newline="") as file:
        known = {row.pop("hand"): [int(n) for n in row.values()] for row in csv.DictReader(file)}
    outcomes = preflop_outcomes(all_in_wins)
    assert dict(zip(CLASS_NAMES, outcomes.tolist(), strict=True)) == known
    assert (tables[0].equity[0] == 2 * outcomes[:, 0] + outcomes[:, 1]).all()


def boards_and_more(few, many):
    """A test on few boards always, on many where slow tests are run."""
    return pytest.mark.parametrize("n_boards", [few, pytest.param(many, marks=pytest.mark.slow)])


@boards_and_more(60, 2000)
def test_river_against_full_enumeration(tables, n_boards):
    for board in random_boards(n_boards, 5, seed=1) + SPECIAL:
        assert_table_says(tables[3], board, left_by(board), counted(board, left_by(board)))


@boards_and_more(3, 50)
def test_turn_against_full_enumeration(tables, n_boards):
    for board in random_boards(n_boards, 4, seed=2):
        holes = left_by(board)
        rivers = np.array([counted([*board, c], holes) for c in range(52) if c not in board])
        assert_table_says(tables[2], board, holes, rivers.clip(0).sum(axis=0), deciles_of(rivers, 46))


@boards_and_more(1, 3)
def test_flop_against_full_enumeration(tables, n_boards):
    for board in random_boards(n_boards, 3, seed=3):
        holes, unseen = left_by(board)[::11], [c for c in range(52) if c not in board]
        pairs = np.array(list(combinations(unseen, 2)))
        rivers = np.array([counted([*board, *pair], holes) for pair in pairs.tolist()])
        after = {c: rivers[(pairs == c).any(axis=1)].clip(0).sum(axis=0) for c in unseen}
        turns = np.array([np.where(HOLDS[holes, c], -1, total) for c, total in after.items()])
        equities = rivers.clip(0).sum(axis=0)
        assert_table_says(tables[1], board, holes, equities, deciles_of(turns, 47), deciles_of(rivers, 1081))


@pytest.mark.parametrize("street", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_preflop_deciles_from_every_flop_and_turn(tables, street):
    kings = CLASS_NAMES.index("KK")
    hole = np.flatnonzero(CLASS_OF_HOLE == kings)[0]
    boards = combinations(np.flatnonzero(~HOLDS[hole]).tolist(), BOARD_CARDS[street])
    places = [(row, PERMUTED_HOLES[permutation, hole]) for row, permutation in map(canonical, boards)]
    futures = tables[street].equity[tuple(np.array(places).T)]
    np.testing.assert_array_equal(tables[0].deciles[street - 1][0, [kings]], deciles_of(futures[:, None], len(futures)))


@pytest.mark.parametrize(("street", "completions"), [(1, 1176), (2, 48), (3, 1)])
def test_what_one_wins_another_loses_and_blocked_holes_have_nothing(tables, street, completions):
    """Each pair of opposing holes shares two units on each river board, so every board has the same total."""
    totals = tables[street].equity.sum(axis=1, dtype=np.int64)
    assert (totals == completions * 1081 * 990).all()
    boards = canonical_boards(BOARD_CARDS[street]).cards[::41]
    blocked = HOLDS[:, boards].any(axis=2).T
    assert not any(array[::41][blocked].any() for array in (tables[street].equity, *tables[street].deciles))


def test_tables_come_back_from_disk(tmp_path):
    made = [StreetTable(np.arange(street, 9), tuple(np.arange(k, 9) for k in range(3 - street))) for street in range(4)]
    save_tables(tmp_path, made)
    for found, table in zip(load_tables(tmp_path), made, strict=True):
        pairs = zip((found.equity, *found.deciles), (table.equity, *table.deciles), strict=True)
        assert all(np.array_equal(one, other) and not one.flags.writeable for one, other in pairs)
