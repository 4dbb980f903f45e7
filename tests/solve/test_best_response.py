"""Best responses with real cards against values found another way."""

import numpy as np
import pytest
from games import PUSH, RandomPolicy

from faceup.game.betting import build_tree, menu_from
from faceup.game.cards import CLASS_OF_HOLE, HOLE_CARDS, SUIT_PERMUTATIONS, canonical_boards
from faceup.solve.best_response import (
    Responder,
    exploitability,
    fixing_permutations,
    folded_cards,
    sample_flops,
)
from faceup.solve.policy import FixedPolicy, opponents, river_equities

SYMMETRIC = [0, 1, 2]  # three twos: three suits may be renamed, so that few turns and rivers are left to play
FLOPS = np.array([[0, 1, 2], [4, 5, 6], [48, 49, 50], [24, 25, 26]])


def test_always_fold_loses_750():
    """Half the hands it folds the small blind to nothing, half the big blind to a raise."""
    found = exploitability(PUSH, FixedPolicy(PUSH, 0), FLOPS)
    assert found.mbb == pytest.approx(750, abs=1e-3)
    assert found.ci95 == pytest.approx(0, abs=1e-3)
    assert found.seats == pytest.approx((1000, 500), abs=1e-3)


def test_always_call_pays_for_every_good_river():
    """Against always-call wait for the river, then go all-in where equity is above a half: from the equities alone."""
    responder = Responder(PUSH, FixedPolicy(PUSH, 1))
    values = responder.flop(SYMMETRIC).values
    expected = np.zeros(1326)
    for turn in range(3, 52):
        for river in range(3, 52):
            if turn != river:
                board = [*SYMMETRIC, turn, river]
                edge = 2 * river_equities(board) / 1980 - 1
                free = ~np.isin(HOLE_CARDS, board).any(axis=1)
                expected += free * 990 * np.maximum(20_000 * edge, 100 * edge) / (45 * 44)
    by_class = np.bincount(CLASS_OF_HOLE, weights=expected, minlength=169)
    limped = [i for i, node in enumerate(responder._frontier[0]) if PUSH.kind[node] == 0][0]
    for player in range(2):
        np.testing.assert_allclose(values[player, limped], by_class, rtol=1e-4, atol=100)


def test_responder_beats_every_fixed_reply():
    """Over turns and rivers of a flop no fixed reply wins as much from a random policy as the best response to it."""
    from faceup.play.match import Table

    victim = RandomPolicy(PUSH, 3, n_rows=1)  # one row: it treats suits alike
    responder = Responder(PUSH, victim)
    best = responder._preflop(0, [responder.flop(SYMMETRIC)], None)[0]
    replies = [FixedPolicy(PUSH, label) for label in (*range(len(PUSH.labels)), None)]
    table = Table(PUSH, [*replies, victim])
    rng = np.random.default_rng(0)
    boards = [[*SYMMETRIC, *(3 + rng.permutation(49)[:2]).tolist()] for _ in range(20)]
    won = np.mean([table.play(board)[:-1, -1] for board in boards], axis=0)
    assert (won < best).all()


def test_pairs_of_a_flop_are_counted():
    responder = Responder(PUSH, FixedPolicy(PUSH, 1))
    pairs = responder.flop(SYMMETRIC).pairs
    assert pairs.sum() == 1176 * 1081
    free = ~np.isin(HOLE_CARDS, SYMMETRIC).any(axis=1)
    assert opponents(free[None].astype(float))[0][free].tolist() == [1081] * 1176


def test_folding_suits_counts_every_card_and_situation():
    """All flop-turn and flop-turn-river situations of 40 flops, by their multiplicities; 49 and 48 cards each."""
    for flop in canonical_boards(3).cards[::45].astype(int).tolist():
        fixed = fixing_permutations(flop, np.arange(24))
        turns = folded_cards(flop, fixed)
        assert sum(len(images) for _, images in turns) == 49
        for turn, _ in turns[:3]:
            rivers = folded_cards([*flop, turn], fixing_permutations([turn], fixed))
            assert sum(len(images) for _, images in rivers) == 48


def test_number_of_flop_turn_situations():
    total = sum(
        len(folded_cards(flop, fixing_permutations(flop, np.arange(24))))
        for flop in canonical_boards(3).cards.astype(int).tolist()
    )
    assert total == 63_193


def test_folding_suits_changes_nothing(monkeypatch):
    tree = build_tree(menu_from([[]], [[]], [[]], [[]]))
    policy = RandomPolicy(tree, 4, n_rows=1)
    folded = Responder(tree, policy).flop([0, 4, 8])
    identity = np.flatnonzero((SUIT_PERMUTATIONS == np.arange(4)).all(axis=1))
    monkeypatch.setattr("faceup.solve.best_response.fixing_permutations", lambda cards, among: identity)
    plain = Responder(tree, policy).flop([0, 4, 8])
    np.testing.assert_allclose(folded.values, plain.values, rtol=1e-4, atol=50)


def test_sample_of_flops_is_even():
    flops = sample_flops(22_100, seed=1)
    ids, counts = np.unique(flops, axis=0, return_counts=True)
    assert len(ids) == 1755 and counts.sum() == 22_100
    assert sorted(counts) == sorted(canonical_boards(3).multiplicity)


@pytest.mark.parametrize("n", [0, -3, 22_101])
def test_bad_samples_are_refused(n):
    with pytest.raises(ValueError, match="flops is"):
        sample_flops(n, seed=1)


def test_too_few_flops_are_refused():
    responder = Responder(PUSH, FixedPolicy(PUSH, 1))
    with pytest.raises(ValueError, match="at least 4"):
        responder.summarise([])
