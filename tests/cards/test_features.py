"""Named features and the front door for one hand as text."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faceup.cards.cards import N_HOLES, SUIT_PERMUTATIONS, card_text, hole_index
from faceup.cards.equity import BOARD_CARDS, UNITS
from faceup.cards.features import (
    FEATURE_NAMES,
    betting_features,
    board_features,
    feature_names,
    hand,
    hole_features,
)
from faceup.holdem.betting_lines import state_after

# betting, what the player to act is told: the opponent's bets, the own bets, whether he sits on the
# button, and in pots the bet that he faces and his stack
TOLD = [
    ("", [100, 0, 0, 0, 50, 0, 0, 0, 1, 0.5, 199.5]),
    ("b300", [300, 0, 0, 0, 100, 0, 0, 0, 0, 1, 99.5]),
    ("b300c/kb400", [300, 400, 0, 0, 300, 0, 0, 0, 0, 2 / 3, 19_700 / 600]),
    # half the pot: pot odds 900 to 300
    ("b300c/b300", [300, 300, 0, 0, 300, 0, 0, 0, 1, 0.5, 19_700 / 600]),
    ("cb300c/kk/b600b1800", [300, 0, 1800, 0, 300, 0, 600, 0, 0, 2 / 3, 19_100 / 1800]),
    # all-in: the whole stack
    ("b300c/kk/kk/b19700", [300, 0, 0, 19_700, 300, 0, 0, 0, 1, 19_700 / 600, 19_700 / 600]),
]
# of these
COLUMNS = {"opponent": range(4), "both": range(8), "both+seat": range(9), "all": range(11)}
COLUMNS |= {"pot-relative": range(4, 11)}


@pytest.mark.parametrize("feature_set", COLUMNS)
def test_what_a_model_is_told_of_the_betting(feature_set):
    states, told = [state_after(line) for line, _ in TOLD], COLUMNS[feature_set]
    found = betting_features(
        np.array([s.bets for s in states]), np.array([s.actor for s in states]), feature_set
    )
    assert found.dtype == np.float32
    assert np.array_equal(found, np.float32([[row[k] for k in told] for _, row in TOLD]))
    assert [len(set(feature_names(street, feature_set))) for street in range(4)] == [
        n + len(told) for n in (31, 21, 11, 1)
    ]
    assert feature_names(3, feature_set) == (
        "equity",
        *(feature_names(3, "all")[1 + k] for k in told),
    )
    assert feature_names(3, "all")[1:8:3] == (
        "opponent_bet_preflop",
        "opponent_bet_river",
        "own_bet_turn",
    )
    assert feature_names(3, "all")[-3:] == ("button", "bet_faced", "stack_to_pot")
    first, *_, last = FEATURE_NAMES[0][1:]
    assert (first, last) == ("flop_equity_p10", "river_equity_p100")
    assert FEATURE_NAMES[1][:2] == ("equity", "turn_equity_p10")
    assert FEATURE_NAMES[1][10:12] == ("turn_equity_p100", "river_equity_p10")


# the paper's hand in Section 2.2.1; street: how many futures, and their percentiles by steps of ten
# as numpy has them
EXAMPLE = hand("Ac3h", "Kh3sJc")
KNOWN = {
    2: (
        47,
        [0.5313, 0.5500, 0.5515, 0.5541, 0.5577, 0.5607, 0.5653, 0.6217, 0.6572, 0.7601, 0.9630],
    ),
    3: (
        1081,
        [0.3364, 0.4455, 0.4616, 0.4737, 0.5222, 0.5616, 0.6071, 0.6232, 0.7970, 0.9520, 1.0],
    ),
}


@pytest.mark.parametrize("street", KNOWN)
def test_the_papers_histograms(street):
    (values, counts), (n_futures, percentiles) = EXAMPLE.histograms[street], KNOWN[street]
    futures = np.repeat(values, counts) / UNITS[street]
    assert len(futures) == n_futures
    assert np.percentile(futures, np.arange(0, 101, 10)).round(4).tolist() == percentiles
    assert Fraction(int(values @ counts), n_futures * UNITS[street]) == EXAMPLE.equity


def test_outcomes_equities_and_features_of_hands():
    wins, ties, losses = EXAMPLE.outcomes
    assert round(float(EXAMPLE.equity), 7) == 0.6138041 and wins + ties + losses == 1_070_190
    assert EXAMPLE.equity == Fraction(2 * wins + ties, 2 * 1_070_190)
    features = EXAMPLE.features((100, 250, 0, 0))
    assert tuple(features) == feature_names(1) and list(features.values())[-4:] == [100, 250, 0, 0]
    assert features["equity"] == np.float32(float(EXAMPLE.equity))
    assert features["river_equity_p90"] == np.float32(EXAMPLE.deciles(3)[8])
    nuts, board_plays = hand("AhKh", "QhJhTh2c2d"), hand("2c3d", "AhKhQhJhTh")
    assert (nuts.street, nuts.equity, nuts.outcomes) == (3, 1.0, (990, 0, 0))
    assert (board_plays.equity, board_plays.outcomes) == (Fraction(1, 2), (0, 990, 0))
    with pytest.raises(ValueError, match="expected 3, 4 or 5 cards"):
        hand("KcKd", "")


@settings(max_examples=40)
@given(cards=st.permutations(range(52)), street=st.sampled_from([1, 2, 3]), p=st.integers(0, 23))
def test_hands_agree_with_the_tables_whatever_the_suits_are_called(equities, cards, street, p):
    renamed = [4 * (c // 4) + int(SUIT_PERMUTATIONS[p, c % 4]) for c in cards]
    n = 2 + BOARD_CARDS[street]
    one, other = (
        hand("".join(map(card_text, c[:2])), "".join(map(card_text, c[2:n])))
        for c in (cards, renamed)
    )
    assert (one.outcomes, one.features()) == (other.outcomes, other.features())
    later = [one.deciles(other) for other in range(street + 1, 4)]
    alone = np.concatenate([[float(one.equity)], *later]).astype(np.float32)
    for hole, board in (
        (cards[:2], cards[2:n]),
        (renamed[:2], renamed[2:n]),
        (cards[:2], cards[n - 1 : 1 : -1]),
    ):
        table = board_features(street, equities[street], board)
        assert np.array_equal(table[hole_index(*hole)], alone)
        holes = np.array([hole_index(*hole), hole_index(hole[0], board[0])])  # the second: blocked
        assert np.array_equal(hole_features(holes, board), table[holes])
    assert np.array_equal(hole_features(np.arange(N_HOLES), board), table)
