"""The calling rule: the theorem behind it, the rule by hand, exact losses."""

import numpy as np
import pytest

from faceup.papers.onecard.calling import MDF, bluff_catching_shares, caller_losses
from faceup.papers.onecard.game import EXAMPLES, random_games
from faceup.papers.onecard.solutions import betting_strategies, calling_shares, solve_games

GAMES = solve_games(*random_games(40, np.random.default_rng(1)))


def test_mdf_of_the_cards_that_beat_a_bluff_which_also_checks():
    """In every game with a card that both bluffs and checks; and the pocket card by hand."""
    played = betting_strategies(GAMES)
    shares = calling_shares(GAMES)
    above = 1 - np.cumsum(GAMES.other, axis=1)
    checks, each = played[:, :, 0] > 1e-6, np.arange(len(played))
    # cards that check; below another, a bet is a bluff
    first, last = checks.argmax(axis=1), 9 - checks[:, ::-1].argmax(axis=1)
    games = np.flatnonzero((played[each, first, 1:].sum(axis=1) > 1e-6) & (first < last))
    assert len(games) > 25
    np.testing.assert_allclose(shares[games], above[games, first[games]][:, None] * MDF, atol=1e-9)
    own, other = (d[None] for d in EXAMPLES["uniform"])
    # cards 3 to 10 beat a 2
    assert bluff_catching_shares(own, other, 0.15)[0, [5, 10]] == pytest.approx(
        [0.8 * 2 / 3, 0.8 / 2]
    )


def test_equilibrium_calls_lose_nothing_and_others_something():
    share = calling_shares(GAMES)
    assert np.abs(caller_losses(share, GAMES)).max() < 1e-9
    never = caller_losses(np.zeros_like(share), GAMES)
    assert np.allclose(never, 1 - GAMES.value)  # the bettor takes every pot
