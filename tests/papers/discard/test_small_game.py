"""The tell's small game against a linear program and the sums of a plain enumeration."""

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest
from sequence_form import solve

from faceup.games.extensive_game import uniform
from faceup.games.sequence_form import best_response, make_form
from faceup.papers.discard.small_game import small_game, tell_price


@pytest.mark.parametrize("seen", [None, 0])
@pytest.mark.parametrize("keeps", [1, 4])
def test_a_response_wins_what_the_deals_say(keeps, seen):
    """Of player 1 to one who takes all actions equally often: fold or call, and check or bet."""
    sums = defaultdict(lambda: np.zeros(4))
    for own, other, drawn, others in permutations(range(1, 7), 4):
        mine, theirs = own if own >= keeps else drawn, other if other >= keeps else others
        sign = np.sign(mine - theirs)
        sums[own, mine, seen == 0 and other < keeps] += -1, 3 * sign, sign, (1 + 3 * sign) / 2
    expected = sum(max(a, b) / 2 + max(c, d) / 2 for a, b, c, d in sums.values()) / 360
    game = small_game(keeps, seen)
    assert best_response(make_form(game), uniform(game), 1)[0] == pytest.approx(expected)


@pytest.mark.parametrize("keeps", [4, None])
def test_the_price_of_betting_well_is_that_of_a_linear_program(keeps):
    """The one who is seen loses minus the game's value; blind betting loses more."""
    seats = [solve(small_game(keeps, seen))[0] for seen in (0, 1)]
    aware = tell_price(keeps, True, 2000)
    assert aware == pytest.approx((seats[1] - seats[0]) / 2, abs=2e-4)
    assert tell_price(keeps, False, 2000) > 5 * aware > 0
