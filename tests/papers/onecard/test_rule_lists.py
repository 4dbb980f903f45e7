"""Rule lists: each kind of line by hand, known losses, the search, the paper's rules."""

import re

import numpy as np
import pytest
from numba import config

from faceup.papers.onecard import rule_lists
from faceup.papers.onecard.game import EXAMPLES, random_games
from faceup.papers.onecard.rule_lists import (
    BALANCE,
    STRONG,
    RuleLine,
    describe,
    list_strategies,
    losses,
    search,
)
from faceup.papers.onecard.solutions import solve_games

UNIFORM = solve_games(*(d[None] for d in EXAMPLES["uniform"]))


BY_HAND = [  # lines, shares of bets by card and size
    # cards from their strength up, and the first line counts: cards 7 to 10 have 0.65, 0.75, 0.85
    # and 0.95
    ([(STRONG, 0.88, 30), (STRONG, 0.68, 5)], {(9, 30): 1, (8, 5): 1, (7, 5): 1}),
    # bluffs in proportion, 3 to 1 + 3 and 1 to 1 + 1, the largest size with the weakest cards
    (
        [(STRONG, 0.94, 30), (STRONG, 0.84, 10), (BALANCE, 0.5)],
        {(9, 30): 1, (8, 10): 1, (0, 30): 0.75, (0, 10): 0.25, (1, 10): 0.25},
    ),
    # no bluff above the limit: only card 1, of strength 0.05
    ([(STRONG, 0.74, 30), (BALANCE, 0.1)], {(9, 30): 1, (8, 30): 1, (7, 30): 1, (0, 30): 1}),
    # the list by heart: cards 9 (exactly 85 %) and 10 bet the pot, and card 1 bluffs as often as
    # one of them
    ([(STRONG, 0.85, 10), (BALANCE, 1.0)], {(9, 10): 1, (8, 10): 1, (0, 10): 1}),
]


@pytest.mark.parametrize(("lines", "shares"), BY_HAND)
def test_lines_in_the_uniform_game_by_hand(lines, shares):
    expected = np.zeros((10, 31))
    for place, share in shares.items():
        expected[place] = share
    expected[:, 0] = 1 - expected.sum(axis=1)
    rules = [RuleLine(*line) for line in lines]
    assert np.allclose(list_strategies(rules, UNIFORM.own, UNIFORM.other)[0], expected)


def test_perfect_play_as_a_list_in_the_game_of_strong_or_weak():
    """The paper's equilibrium: all-in with 10, and with 1 three quarters of the time."""
    game = solve_games(*(d[None] for d in EXAMPLES["strong or weak"]))
    assert losses([RuleLine(STRONG, 0.9, 30), RuleLine(BALANCE, 0.4)], game)[0] == pytest.approx(
        0, abs=1e-12
    )
    # checking wins half the pots, the game is worth 0.875
    assert losses([], game)[0] == pytest.approx(0.375)


@pytest.mark.skipif(config.DISABLE_JIT, reason="takes minutes without the compiler")
def test_the_search_finds_lists_that_clearly_beat_checking_on_unseen_games():
    games, unseen = (
        solve_games(*random_games(n, np.random.default_rng(seed)))
        for seed, n in ((1, 80), (2, 5000))
    )
    always, reached = losses([], unseen).mean(), []
    assert always == pytest.approx(0.0707, abs=0.005)  # known
    lists = search(games, 4, progress=reached.append)
    assert reached == list(lists) == [3, 4]
    for n_lines, lines in lists.items():
        assert [x.kind for x in lines] == [STRONG] * (n_lines - 2) + [BALANCE]
        assert losses(lines, unseen).mean() < 0.022 < always


def test_sentences():
    sentences = describe([RuleLine(STRONG, 0.83, 10), RuleLine(BALANCE, 0.68)])
    patterns = "1.*at least 83%.*bet 1.0", "2.*more than 68%.*10 bluffs for 20", "3. Check"
    assert all(re.match(*pair) for pair in zip(patterns, sentences, strict=True))
    assert describe([]) == ["1. Always check."]


def test_the_papers_rules_change_only_what_they_speak_of():
    other = np.full((2, 10), 0.1)
    other[1] = np.eye(10)[3]  # never a strong card
    uniform = np.full((2, 10, 31), 1 / 31)
    ruled = rule_lists.with_80_20_rule(uniform, other)
    assert (ruled[0, 2:8, 0] == 1).all()  # cards 3 to 8 beat 2/9 to 7/9
    assert (ruled[0, [0, 1, 8, 9]] == uniform[0, 0]).all()
    ruled = rule_lists.with_all_in_rule(uniform, other)
    assert ruled[0, 9, 30] == 1 and (ruled[0, :9] == uniform[0, :9]).all()
    assert (ruled[1] == uniform[1]).all()
