"""The best blind strategy against a linear program of all games at once."""

import numpy as np
import pytest
from one_card_program import minimize
from scipy.sparse import coo_array

from faceup.papers.onecard.blind import best_blind
from faceup.papers.onecard.game import SIZES, random_games
from faceup.papers.onecard.solutions import mean_loss, solve_games

GAMES = solve_games(*random_games(8, np.random.default_rng(1)))


def test_the_least_loss_is_that_of_the_program_of_all_games():
    """Variables x (10, 31) and, for each game, caller's card and size, what a call wins over a
    fold, at least 0.
    """
    n, entries, costs = len(GAMES.own), [], np.zeros(310)
    for g, (own, other) in enumerate(zip(GAMES.own, GAMES.other, strict=True)):
        costs = np.append(costs, np.repeat(other / (1 - own @ other) / n, 31))
        for j, s in np.ndindex(10, 31):
            row = 310 * g + 31 * j + s
            entries += [(row, 31 * i + s, (1 + SIZES[s]) * own[i]) for i in range(j)]
            entries += [(row, 31 * i + s, -SIZES[s] * own[i]) for i in range(j + 1, 10)]
            entries.append((row, 310 + row, -1))
    rows, columns, coefficients = zip(*entries, strict=True)
    calls = coo_array((coefficients, (rows, columns)), shape=(310 * n, 310 * (n + 1))).tocsr()
    each = np.hstack([np.kron(np.eye(10), np.ones(31)), np.zeros((10, 310 * n))])
    lost = minimize(costs, A_ub=calls, b_ub=np.zeros(310 * n), A_eq=each, b_eq=np.ones(10)).fun
    strategy, loss, bound = best_blind(GAMES, 1e-6)
    assert bound - 1e-9 <= GAMES.value.mean() - 1 + lost <= loss + 1e-9
    assert loss - bound <= 1e-6
    played = np.broadcast_to(strategy, (n, 10, 31))
    assert mean_loss(played, GAMES)[0] == pytest.approx(loss, abs=1e-9)
