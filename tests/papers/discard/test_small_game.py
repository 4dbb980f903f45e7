"""The tell's small game: best responses from the deals themselves, and what one who ignores the
tell loses.
"""

from collections import defaultdict
from itertools import permutations

import numpy as np
import pytest

from faceup.games.cfr import solve
from faceup.games.extensive_game import uniform
from faceup.games.sequence_form import best_response, exploitability, make_form, value
from faceup.papers.discard.small_game import small_game, unseeing


@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("keeps", [1, 4])
def test_a_response_wins_what_the_deals_say(keeps, seen):
    """Of the second player to one who takes all actions equally often: for what it knows, fold or
    call, and check or bet.
    """
    sums = defaultdict(lambda: np.zeros(4))
    for own, other, drawn, others in permutations(range(1, 7), 4):
        mine, theirs = own if own >= keeps else drawn, other if other >= keeps else others
        sign = np.sign(mine - theirs)
        sums[own, mine, seen and other < keeps] += -1, 3 * sign, sign, (1 + 3 * sign) / 2
    expected = (
        sum(max(fold, call) / 2 + max(check, bet) / 2 for fold, call, check, bet in sums.values())
        / 360
    )
    game = small_game(keeps, (seen, seen))
    assert len(game.names) == 4 * len(sums)  # two infosets a player for each
    assert best_response(make_form(game), uniform(game), 1)[0] == pytest.approx(expected)


def test_who_ignores_the_tell_pays_for_it_and_who_bets_well_pays_less():
    (blind, first), (seen, second) = (
        (game, make_form(game)) for game in (small_game(4, (who,) * 2) for who in (False, True))
    )
    strategy = solve(first, 2000)
    ignoring = unseeing(seen, blind, strategy)
    assert (
        exploitability(first, strategy) < 1e-4
        and exploitability(second, solve(second, 2000)) < 1e-4
    )
    assert value(second, ignoring) == pytest.approx(value(first, strategy), abs=1e-12)
    assert exploitability(second, ignoring) == pytest.approx(0.2028, abs=1e-3)
    # my swaps alone are seen, in either seat
    forms = [make_form(small_game(4, one)) for one in ((False, True), (True, False))]
    known = [value(form, solve(form, 2000)) for form in forms]
    assert 0 < (known[1] - known[0]) / 2 < 0.05
