"""The caller's rules: Ganzfried and Chiswick's as printed, the pocket card's, exact losses."""

import numpy as np
import pytest

from faceup.papers.onecard import calling
from faceup.papers.onecard.calling import MDF, caller_losses, chiswick, range_advantage
from faceup.papers.onecard.game import EXAMPLES, random_games
from faceup.papers.onecard.solutions import bets, called_share, solve_games

GAMES = solve_games(*random_games(400, np.random.default_rng(1)))


def test_their_rule_as_printed():
    own, other = (d[None] for d in EXAMPLES["uniform"])
    strong, weak = np.eye(10)[9:], np.eye(10)[:1]
    assert [
        range_advantage(*pair)[0] for pair in ((own, other), (strong, weak), (weak, strong))
    ] == pytest.approx([0.5, 1, 0])
    assert np.allclose(chiswick(own, other), MDF) and MDF[10] == 0.5  # no advantage, no correction
    assert chiswick(strong, weak)[0, 10] == pytest.approx(0.25)
    assert np.allclose(chiswick(weak, strong), MDF)  # never more than MDF


def test_mdf_of_the_cards_that_beat_a_bluff_which_also_checks():
    """The theorem of the module, in every game with a card that both bluffs and checks; and the
    pocket card by hand.
    """
    played, shares, above = bets(GAMES), called_share(GAMES), 1 - np.cumsum(GAMES.other, axis=1)
    checks, each = played[:, :, 0] > 1e-6, np.arange(len(played))
    # cards that check; below another, a bet is a bluff
    first, last = checks.argmax(axis=1), 9 - checks[:, ::-1].argmax(axis=1)
    games = np.flatnonzero((played[each, first, 1:].sum(axis=1) > 1e-6) & (first < last))
    assert len(games) > 250
    np.testing.assert_allclose(shares[games], above[games, first[games]][:, None] * MDF, atol=1e-9)
    own, other = (d[None] for d in EXAMPLES["uniform"])
    # cards 3 to 10 beat a 2
    assert calling.beating_bluffs(own, other, 0.15)[0, [5, 10]] == pytest.approx(
        [0.8 * 2 / 3, 0.8 / 2]
    )


def test_equilibrium_calls_lose_nothing_and_others_something():
    share = called_share(GAMES)
    assert np.abs(caller_losses(share, GAMES)).max() < 1e-9
    never = caller_losses(np.zeros_like(share), GAMES)
    assert np.allclose(never, 1 - GAMES.value)  # the bettor takes every pot
