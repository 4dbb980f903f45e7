"""Ranges, equities against them by an enumerator, and buckets."""

from itertools import combinations

import numpy as np

from faceup.cards.cards import CLASS_NAMES, CLASS_OF_HOLE, canonical_boards, hole_index, parse_cards
from faceup.cards.strength import strength
from faceup.papers.discard.buckets import (
    RANGE_OF_HOLE,
    StreetSums,
    nearest_buckets,
    range_equities,
    range_sums,
)


def test_ranges_hold_every_hand_once():
    assert np.bincount(RANGE_OF_HOLE).tolist() == [224, 188, 164, 202, 140, 206, 160, 42]
    of = dict(zip((CLASS_NAMES[k] for k in CLASS_OF_HOLE), RANGE_OF_HOLE.tolist(), strict=True))
    names = "32o J2o T9o 22 AKs A2s QQ K9s J7o".split()
    assert [of[name] for name in names] == [0, 1, 4, 3, 6, 5, 7, 6, 3]


def slow(board, hole):
    """Wins and ties against each range on a board of four or five cards, every card counted."""
    score, met = np.zeros(8), np.zeros(8)
    rest = [c for c in range(52) if c not in (*board, *hole)]
    for coming in combinations(rest, 5 - len(board)):
        mine = strength([*board, *coming, *hole])
        for pair in combinations([c for c in rest if c not in coming], 2):
            other, g = strength([*board, *coming, *pair]), RANGE_OF_HOLE[hole_index(*pair)]
            score[g] += (mine > other) + 0.5 * (mine == other)
            met[g] += 1
    return score / met


def test_equities_against_ranges_equal_an_enumerator():
    turn, river = (np.array([parse_cards(text)]) for text in ("Ac7d7h2s", "Ac7d7h2sKd"))
    streets = StreetSums(turn, range_sums(turn), 44.0), StreetSums(river, None, 1.0)
    for street, text, n in zip(streets, ("KhQh 2c2d", "KhQh 2c2d 9s8s As4d"), (2, 4), strict=True):
        points = range_equities(street, np.array([0]))[0]
        for hole in text.split()[:n]:
            cards = parse_cards(hole)
            np.testing.assert_allclose(
                points[hole_index(*cards)], slow(street.boards[0].tolist(), cards), atol=1e-6
            )
        assert (points[hole_index(*parse_cards("Ac3c"))] == 0).all()


def test_buckets_are_the_nearest_centers():
    rng = np.random.default_rng(2)
    boards = canonical_boards(5).cards[rng.integers(0, 134_459, 3)].astype(np.int64)
    river = StreetSums(boards, None, 1.0)
    points, centers = range_equities(river, np.arange(3)), rng.random((7, 8)).astype(np.float32)
    distance = ((points[:, :, None] - centers) ** 2).sum(axis=3)
    found = nearest_buckets(river, centers)[..., None].astype(int)
    assert (
        np.take_along_axis(distance, found, axis=2)[..., 0] <= distance.min(axis=2) + 1e-5
    ).all()
