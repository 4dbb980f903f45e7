"""Student's t by its table, and how often intervals of few draws hold the mean."""

import numpy as np
import pytest

from faceup.notebook.intervals import mean_ci95, student_95


@pytest.mark.parametrize(("n", "factor"), [(2, 12.7062), (3, 4.3027), (9, 2.3060), (30, 2.0452), (10**6, 1.95997), (1, np.inf)])
def test_factor_by_the_table(n, factor):
    assert student_95(n) == pytest.approx(factor, abs=1e-4)


@pytest.mark.parametrize("n", [3, 20])
def test_nineteen_of_twenty_intervals_hold_the_mean(n):
    draws = np.random.default_rng(n).normal(1, 2, (n, 20_000))
    mean, ci95 = mean_ci95(draws)
    assert mean == pytest.approx(draws.mean(axis=0)) and (np.abs(mean - 1) < ci95).mean() == pytest.approx(0.95, abs=0.005)


def test_one_draw_says_nothing_of_the_spread():
    assert mean_ci95(np.array([3.0])) == (3, np.inf)
    assert np.isinf(mean_ci95(np.ones((1, 4)))[1]).all()
