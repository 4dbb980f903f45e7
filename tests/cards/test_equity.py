"""Exact equities: known counts, full enumeration by an independent evaluator, sums that hold, threads."""

import csv
import random
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numba
import numpy as np
import pytest
from games import threads
from phevaluator import evaluate_cards

from faceup.cards import equity
from faceup.cards.cards import (
    CLASS_NAMES,
    CLASS_OF_HOLE,
    HOLE_CARDS,
    PERMUTED_HOLES,
    canonical,
    canonical_boards,
    hole_index,
    parse_cards,
)
from faceup.cards.equity import BOARD_CARDS, UNITS, class_histogram, load_tables, save_tables
from faceup.cards.matchups import preflop_outcomes

COMBOS = np.bincount(CLASS_OF_HOLE)
HOLDS = np.zeros((1326, 52), dtype=bool)  # HOLDS[h, c]: hole h holds card c
np.put_along_axis(HOLDS, HOLE_CARDS.astype(np.int64), True, axis=1)
APART = ~(HOLDS[:, None] & HOLDS).any(axis=2)  # pairs of holes without a shared card


def oracle_strengths(board):
    """phevaluator's rank of each hole on a river board, larger is stronger; -9999 for blocked holes."""
    free = np.flatnonzero(~HOLDS[:, board].any(axis=1))
    values = np.full(1326, -9999)
    values[free] = [-evaluate_cards(hi, lo, *board) for hi, lo in HOLE_CARDS[free].tolist()]
    return values


def oracle_equity(values, hole):
    """2 * wins + ties of a hole against its 990 opponents, each looked at."""
    others = values[APART[hole] & (values > -9999)]
    assert len(others) == 990
    return int(2 * (others < values[hole]).sum() + (others == values[hole]).sum())


def oracle_deciles(futures):
    return np.quantile(futures, np.arange(1, 11) / 10, method="inverted_cdf").astype(int).tolist()


def look_up(table, board, hole):
    """Equity and lists of deciles of a hole on a real board."""
    row, permutation = canonical(board)
    column = PERMUTED_HOLES[permutation, hole]
    return int(table.equity[row, column]), [d[row, column].tolist() for d in table.deciles]


def random_boards(n_boards, n_cards, n_holes, seed):
    """Boards with holes that they leave free, all at random."""
    draw = random.Random(seed)
    for _ in range(n_boards):
        board = draw.sample(range(52), n_cards)
        yield board, draw.sample(np.flatnonzero(~HOLDS[:, board].any(axis=1)).tolist(), n_holes)


@pytest.fixture(scope="module")
def outcomes(all_in_wins):
    return preflop_outcomes(all_in_wins)


@pytest.fixture(scope="module")
def known():
    with open(Path(__file__).parents[1] / "data" / "preflop_equity.csv", newline="") as file:
        return {row["hand"]: [int(row[k]) for k in ("wins", "ties", "losses")] for row in csv.DictReader(file)}


def test_all_starting_hands_exactly(outcomes, known, tables):
    assert dict(zip(CLASS_NAMES, outcomes.tolist(), strict=True)) == known
    assert len(known) == 169
    assert (tables[0].equity[0] == 2 * outcomes[:, 0] + outcomes[:, 1]).all()


def test_random_against_random(outcomes):
    wins, ties, losses = (COMBOS @ outcomes).tolist()
    assert (wins, ties, losses) == (1_334_125_369_292, 113_130_263_816, 1_334_125_369_292)
    assert wins + ties + losses == 2_781_381_002_400


def boards_and_more(few, many):
    """A test on few boards always, on many where slow tests are run."""
    return pytest.mark.parametrize("n_boards", [few, pytest.param(many, marks=pytest.mark.slow)])


@boards_and_more(60, 2000)
def test_river_against_full_enumeration(tables, n_boards):
    for board, holes in random_boards(n_boards, 5, 5, seed=1):
        values = oracle_strengths(board)
        for hole in holes:
            assert look_up(tables[3], board, hole) == (oracle_equity(values, hole), [])


@boards_and_more(3, 50)
def test_turn_against_full_enumeration(tables, n_boards):
    for board, holes in random_boards(n_boards, 4, 4, seed=2):
        rivers = {c: oracle_strengths([*board, c]) for c in range(52) if c not in board}
        for hole in holes:
            futures = [oracle_equity(values, hole) for c, values in rivers.items() if not HOLDS[hole, c]]
            assert len(futures) == 46
            assert look_up(tables[2], board, hole) == (sum(futures), [oracle_deciles(futures)])


@boards_and_more(1, 3)
def test_flop_against_full_enumeration(tables, n_boards):
    for board, holes in random_boards(n_boards, 3, 4 if n_boards == 1 else 20, seed=3):
        unseen = [c for c in range(52) if c not in board]
        rivers = {pair: oracle_strengths([*board, *pair]) for pair in combinations(unseen, 2)}
        for hole in holes:
            futures = {pair: oracle_equity(values, hole) for pair, values in rivers.items() if not HOLDS[hole, list(pair)].any()}
            turns = [sum(e for p, e in futures.items() if c in p) for c in unseen if not HOLDS[hole, c]]
            assert (len(turns), len(futures)) == (47, 1081)
            deciles = [oracle_deciles(turns), oracle_deciles(list(futures.values()))]
            assert look_up(tables[1], board, hole) == (sum(futures.values()), deciles)


@pytest.mark.parametrize("street", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_preflop_deciles_from_every_flop_and_turn(tables, street):
    kings, hole = CLASS_NAMES.index("KK"), hole_index(*parse_cards("KcKd"))
    unseen = [c for c in range(52) if not HOLDS[hole, c]]
    boards = np.array(list(combinations(unseen, BOARD_CARDS[street])))
    futures = [look_up(tables[street], board, hole)[0] for board in boards]
    assert tables[0].deciles[street - 1][0, kings].tolist() == oracle_deciles(futures)


def test_histograms_average_to_the_equity(tables):
    for name in ("AA", "72o", "JTs"):
        k = CLASS_NAMES.index(name)
        for street in (1, 2, 3):
            values, counts = class_histogram(street, tables[street], k)
            n_boards = (0, 19_600, 230_300, 2_118_760)[street]
            assert counts.sum() == COMBOS[k] * n_boards
            mean = Fraction(int(values.astype(np.int64) @ counts), int(counts.sum()) * UNITS[street])
            assert mean == Fraction(int(tables[0].equity[0, k]), UNITS[0])
            assert (np.diff(values.astype(np.int64)) > 0).all()
            assert tables[0].deciles[street - 1][0, k, -1] == values[-1]


@pytest.mark.parametrize(("street", "completions"), [(1, 1176), (2, 48), (3, 1)])
def test_what_one_wins_another_loses(tables, street, completions):
    """Each pair of opposing holes shares two units on each river board, so every board has the same total."""
    totals = tables[street].equity.sum(axis=1, dtype=np.int64)
    assert (totals == completions * 1081 * 990).all()


@pytest.mark.parametrize("street", [1, 2, 3])
def test_blocked_holes_are_zero_and_deciles_ascend(tables, street):
    cards = canonical_boards(BOARD_CARDS[street]).cards
    for i in range(0, len(cards), 41):
        blocked = HOLDS[:, cards[i]].any(axis=1)
        assert not tables[street].equity[i, blocked].any()
        assert tables[street].equity[i].max() <= UNITS[street]
        for later, deciles in enumerate(tables[street].deciles, start=street + 1):
            assert not deciles[i, blocked].any()
            assert deciles[i].max() <= UNITS[later]
            assert (np.diff(deciles[i].astype(np.int64), axis=1) >= 0).all()
            assert (deciles[i, ~blocked, -1] > 0).all()


def test_same_bits_on_one_and_two_threads(tables):
    """Parts of every parallel table, made again on one and on two threads, equal the whole tables."""
    rivers, turns, flops = (canonical_boards(n) for n in (5, 4, 3))
    for n_threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        with threads(n_threads):
            river = np.empty((4000, 1326), dtype=np.uint16)
            equity._river_table(rivers.cards[:4000].astype(np.int64), river)
            assert (river == tables[3].equity[:4000]).all()
            turn = [np.empty_like(a[:400]) for a in (tables[2].equity, *tables[2].deciles)]
            equity._turn_table(turns.cards[:400], rivers.keys, tables[3].equity, *turn)
            for ours, whole in zip(turn, (tables[2].equity, *tables[2].deciles), strict=True):
                assert (ours == whole[:400]).all()
            flop = [np.empty_like(a[:30]) for a in (tables[1].equity, *tables[1].deciles)]
            equity._flop_table(flops.cards[:30], turns.keys, tables[2].equity, rivers.keys, tables[3].equity, *flop)
            for ours, whole in zip(flop, (tables[1].equity, *tables[1].deciles), strict=True):
                assert (ours == whole[:30]).all()


def arrays_of(tables):
    return [array for table in tables for array in (table.equity, *table.deciles)]


def exact_of(array):
    return equity.Exact(array.shape, str(array.dtype), equity.total_of(array))


def test_all_numbers_are_the_known_ones(tables):
    """What is known of the files is what every machine computes."""
    expected = [exact for files in equity._FILES for exact in files.values()]
    assert [exact_of(array) for array in arrays_of(tables)] == expected


@pytest.fixture
def saved(tables, tmp_path, monkeypatch):
    """Files of the first seven boards, for the whole tables are 1 GB, that pass for the whole."""
    small = tuple(equity.StreetTable(t.equity[:7], tuple(d[:7] for d in t.deciles)) for t in tables)
    arrays = iter(arrays_of(small))
    files = tuple({name: exact_of(next(arrays)) for name in files} for files in equity._FILES)
    monkeypatch.setattr(equity, "_FILES", files)
    save_tables(tmp_path, small)
    return tmp_path, small


def test_tables_come_back_from_disk(saved):
    folder, small = saved
    assert len(list(folder.iterdir())) == 10
    for ours, theirs in zip(arrays_of(small), arrays_of(load_tables(folder)), strict=True):
        assert ours.dtype == theirs.dtype and (ours == theirs).all()
    assert not theirs.flags.writeable


def flipped(content):
    return content[:-300] + bytes([content[-300] ^ 1]) + content[-299:]


@pytest.mark.parametrize(
    ("name", "spoil", "message"),
    [
        ("river_equity", lambda content, _: content[:-100], "cannot be read"),
        ("flop_equity", lambda content, _: b"", "cannot be read"),
        (
            "flop_equity",
            lambda _, folder: (folder / "turn_river_deciles.npy").read_bytes(),
            r"holds uint16 of shape \(7, 1326, 10\)",
        ),
        ("flop_equity", lambda _, folder: (folder / "turn_equity.npy").read_bytes(), "holds other numbers"),
        ("turn_equity", lambda content, _: content[:200] + bytes(len(content) - 200), "holds other numbers"),
        ("turn_river_deciles", lambda content, _: flipped(content), "holds other numbers"),
    ],
)
def test_a_spoilt_table_is_named_with_the_remedy(saved, name, spoil, message):
    folder, _ = saved
    path = folder / f"{name}.npy"
    path.write_bytes(spoil(path.read_bytes(), folder))
    with pytest.raises(ValueError, match=rf"{name}.npy: {message}.*make it again with `dvc repro equity`"):
        load_tables(folder)


def test_a_missing_table_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"preflop_equity.npy: there is no such file, expected int64 of shape \(1, 169\)"):
        load_tables(tmp_path)
