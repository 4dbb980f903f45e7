"""Wording of splits, true of exactly the values that go that way; opening shares."""

import re
from math import inf

import numpy as np
import pytest
from random_trees import SMALL

from faceup.cards.features import feature_names
from faceup.holdem import figures
from faceup.holdem.wording import (
    action_name,
    call_words,
    condition,
    path_words,
    range_words,
    reasons,
    wording,
)

SAID = [  # feature, threshold, [words at most it|words above it]
    ("equity", 0.27449, "equity [at most|above] 27.4 %"),
    (
        "river_equity_p90",
        0.8934,
        "[9 rivers in 10 leave at most|over 1 river in 10 leaves more than] 89.3 % equity",
    ),
    (
        "turn_equity_p10",
        0.5,
        "[1 turn in 10 leaves at most|over 9 turns in 10 leave more than] 50 % equity",
    ),
    (
        "flop_equity_p100",
        0.99997,
        "[no flop leaves|the best flops leave] more than 99.997 % equity",
    ),
    (
        "opponent_bet_river",
        10_750.5,
        "the opponent put in [at most|more than] $10,750 on the river",
    ),
    ("opponent_bet_flop", 50, "the opponent put in [nothing|chips] on the flop"),
    ("opponent_bet_preflop", 150, "[no|a] raise before the flop"),
    ("opponent_bet_preflop", 200, "the opponent put in [at most|more than] $200 before the flop"),
    ("own_bet_preflop", 150, "the bot put in [no more|more] than a blind before the flop"),
    ("bet_faced", 0.0027, "[no|a] bet to call"),
    ("bet_faced", 12.5, "[at most|more than] 1250 % of the pot to call"),
    ("stack_to_pot", 4.996, "stack [at most|above] 5 pots"),
    ("button", 0.5, "[in the big blind|on the button]"),
]


@pytest.mark.parametrize(("name", "threshold", "words"), SAID)
def test_conditions_in_words(name, threshold, words):
    before, either, after = re.fullmatch(r"(.*)\[(.*)\](.*)", words).groups()
    for above, said in enumerate(either.split("|")):
        assert condition(name, float(np.float32(threshold)), bool(above)) == before + said + after


@pytest.mark.parametrize("street", range(4))
def test_every_feature_has_words_of_its_own(street):
    names = feature_names(street)
    said = [form for name in names for form in wording(name)[:3]]
    assert len(set(said)) == 3 * len(names) and not [form for form in said if "_" in form]
    assert [wording(n).dollars for n in names] == ["bet" in n for n in names]


def test_answers_about_one_feature_are_put_together():
    told = {  # feature: the hand's value, thresholds in the order in which they are asked, words
        "equity": (0.4, (0.9, 0.25, 0.5), "equity between 25 % and 50 %"),
        "opponent_bet_flop": (300, (100, 200), "the opponent put in more than $200 on the flop"),
        "river_equity_p20": (
            0.3,
            (0.1, 0.35),
            "over 8 rivers in 10 leave more than 10 % equity, 2 in 10 at most 35 %",
        ),
        "turn_equity_p100": (
            0.9,
            (0.8, 0.95),
            "the best turns leave more than 80 % equity, none more than 95 %",
        ),
        "bet_faced": (0.5, (0.75, 0.25), "25 % to 75 % of the pot to call"),
        "stack_to_pot": (3, (5, 1), "stack between 1 and 5 pots"),
    }
    steps = [
        (name, asked[k], value > asked[k])
        for k in range(3)
        for name, (value, asked, _) in told.items()
        if k < len(asked)
    ]
    assert reasons(steps) == [words for *_, words in told.values()]


@pytest.mark.parametrize(
    ("limits", "value", "said"),
    [
        ((0.5, 0.6), 0.55, "equity between 50 % and 60 % (here 55 %)"),
        ((0.99996, inf), 1.0, "equity above 99.996 % (here 100 %)"),
        ((0.5, 0.50004), 0.50004, "equity between 50 % and 50.004 % (here 50.004 %)"),
        ((0.13355, inf), 0.133552, "equity above 13.355 % (here 13.3552 %)"),
    ],
)
def test_rounding_contradicts_nothing(limits, value, said):
    assert range_words("equity", limits, value) == said


def test_the_equity_of_a_decile_is_told_from_its_share_of_boards():
    said = "over 2 turns in 10 leave more than 54.9 % equity (here 65.7 % equity)"
    assert range_words("turn_equity_p80", (0.549, inf), 0.657) == said


def test_what_must_be_called_a_path_and_actions_in_words():
    assert call_words(600, 0) == "nothing to call"
    assert call_words(900, 300) == "$300 to call: a bet of half the pot, pot odds 3 to 1"
    assert call_words(1000, 400) == "$400 to call: a bet of 66.67 % of the pot, pot odds 2.5 to 1"
    found = [path_words(SMALL, ["equity", "opponent_bet_turn"], node) for node in (0, 1, 4)]
    bet = "the opponent put in {} than $12,700 on the turn".format
    assert found[0] == [] and found[2] == [bet("more"), "equity above 10 %"]
    assert found[1] == ["the opponent put in at most $12,700 on the turn"]
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
