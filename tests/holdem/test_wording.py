"""Wording of splits, true of exactly the values that go that way; opening shares."""

import numpy as np
import pytest
from random_trees import SMALL

from faceup.cards.features import feature_names
from faceup.holdem import figures
from faceup.holdem.wording import action_name, call_words, condition, path_words, reasons, wording


def test_conditions_in_words():
    assert condition("equity", 0.27449, False) == "equity at most 27.45 %"
    found = condition("river_equity_p90", np.float32(0.8934), True)
    assert found == "on over 10 % of rivers equity above 89.34 %"
    assert condition("turn_equity_p30", 0.5, False) == "on 30 % of turns equity at most 50 %"
    assert condition("flop_equity_p100", 0.75, False).startswith("on all ")
    assert condition("flop_equity_p100", 0.75, True).startswith("on some ")
    assert condition("opponent_bet_river", 10_750.0, True) == "opponent's river bet above $10,750"
    assert condition("bet_faced", 0.0027, False) == "no bet faced"
    assert condition("bet_faced", 0.0027, True) == "a bet faced"
    assert condition("bet_faced", 0.5, False) == "bet faced at most 50 % of the pot"
    assert condition("flop_equity_p100", 0.99997, True) == "on some flops equity above 99.997 %"
    assert condition("button", 0.5, False) == "in the big blind"
    assert condition("button", 0.5, True) == "on the button"


@pytest.mark.parametrize("street", range(4))
def test_every_feature_has_words_of_its_own(street):
    names = feature_names(street)
    said = [form for name in names for form in wording(name)[:3]]
    assert len(set(said)) == 3 * len(names) and not [form for form in said if "_" in form]
    assert [wording(n).dollars for n in names] == ["bet" in n for n in names]


def test_answers_about_one_feature_are_put_together():
    told = {  # feature: the hand's value, thresholds in the order in which they are asked, words
        "equity": (0.4, (0.9, 0.25, 0.5), "equity above 25 %, at most 50 %"),
        "opponent_bet_flop": (300, (100, 200), "opponent's flop bet above $200"),
        "river_equity_p20": (0.3, (0.1, 0.35), "river equity, 20 % mark: above 10 %, at most 35 %"),
        "bet_faced": (0.5, (0.75, 0.25), "bet faced above 25 %, at most 75 % of the pot"),
        "stack_to_pot": (3, (5, 1), "stack above 1, at most 5 pots"),
    }
    steps = [
        (name, asked[k], value > asked[k])
        for k in range(3)
        for name, (value, asked, _) in told.items()
        if k < len(asked)
    ]
    assert reasons(steps) == [words for *_, words in told.values()]


def test_what_must_be_called_a_path_and_actions_in_words():
    assert call_words(600, 0) == "nothing to call"
    assert call_words(900, 300) == "$300 to call: a bet of half the pot, pot odds 3 to 1"
    assert call_words(1000, 400) == "$400 to call: a bet of 66.67 % of the pot, pot odds 2.5 to 1"
    found = [path_words(SMALL, ["equity", "opponent_bet_turn"], node) for node in (0, 1, 4)]
    bet = "opponent's turn bet {} $12,700".format
    assert found == [[], [bet("at most")], [bet("above"), "equity above 10 %"]]
    said = [action_name(label) for label in ("fold", "call", "raise_1", "raise_0.5", "all_in")]
    assert said == ["fold", "check or call", "bet the pot", "bet 0.5 \u00d7 pot", "all-in"]


def test_raises_of_all_sizes_are_added_up():
    labels = ("fold", "call", "raise_1", "raise_2", "all_in")
    percent = dict(
        zip(labels, 100 * np.random.default_rng(0).dirichlet(np.ones(5), 169).T, strict=True)
    )
    shares = figures.opening_shares(percent)
    assert list(shares) == list(figures.OPENING)
    np.testing.assert_allclose(shares["raise"], percent["raise_1"] + percent["raise_2"])
    assert not figures.opening_shares({k: percent[k] for k in ("fold", "call", "all_in")})[
        "raise"
    ].any()
