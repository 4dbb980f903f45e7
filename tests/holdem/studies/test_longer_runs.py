"""What is said of longer training: exact on a power law, with a jackknife that has a known answer."""

import numpy as np
import pytest

from faceup.holdem.solve.best_response import Exploitability
from faceup.holdem.studies.longer_runs import as_in_the_last_doubling, forecast
from faceup.notebook.intervals import student_95

BOARDS = [100, 200, 400]


def runs_of(losses, scales):
    """Runs with these losses, in which leaving out a flop scales all losses alike."""
    return [Exploitability(mbb, 0, (mbb, mbb), len(scales), (), (), tuple(mbb * s for s in scales)) for mbb in losses]


def test_a_power_law_goes_on():
    runs = runs_of([800, 400, 200], [1, 1, 1])  # half as much after twice the boards
    assert forecast(BOARDS, runs, 3200) == pytest.approx((25, 25, 25))
    np.testing.assert_allclose(as_in_the_last_doubling(BOARDS, runs, np.array([400, 800, 3200])), [200, 100, 25])


def test_the_interval_is_the_jackknifes_of_the_logarithm():
    runs = runs_of([800, 400, 200], np.exp([-0.1, 0, 0.1]))
    said, low, high = forecast(BOARDS, runs, 3200)
    half = student_95(3) * np.sqrt(2 * 0.02 / 3)  # the scales' logarithms are -0.1, 0 and 0.1
    assert (said, low, high) == pytest.approx((25, 25 * np.exp(-half), 25 * np.exp(half)))


def test_the_last_doubling_counts_alone():
    runs = runs_of([8000, 400, 200], [1, 1, 1])
    assert as_in_the_last_doubling(BOARDS, runs, 800) == pytest.approx(100)
    assert forecast(BOARDS, runs, 800)[0] < 100
