"""Metrics against numbers worked out by hand."""

import numpy as np
import pytest

from faceup.trees.metrics import LEAST, brier_floor, fit_metrics, log_loss

P = np.array([[1.0, 0.0], [0.25, 0.75]])
Q = np.array([[0.5, 0.5], [0.2, 0.8]])
W = np.array([1.0, 3.0])


@pytest.mark.parametrize("unit", [1, 1000])
def test_metrics_are_those_worked_out_by_hand(unit):
    found = fit_metrics(P, Q, unit * W)
    second = -(0.25 * np.log(0.2) + 0.75 * np.log(0.8))
    assert found["log_loss"] == pytest.approx((np.log(2) + 3 * second) / 4)
    assert found["floor"] == pytest.approx(-3 * (0.25 * np.log(0.25) + 0.75 * np.log(0.75)) / 4)
    assert found["brier"] == pytest.approx((2 * 0.25 + 3 * 2 * 0.05**2) / 4)
    assert found["agreement"] == pytest.approx((1.0 + 3 * 0.75) / 4)  # row 0 is a tie: the first label
    assert log_loss(P[:1], 1 - P[:1]) == pytest.approx(-np.log(LEAST))


def test_the_brier_floor_is_the_spread_within_equal_rows():
    """Rows 0 and 1 share their features: their mean (0.4375, 0.5625) is the best for both; row 2 stands alone."""
    X, third = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]]), [[0.3, 0.7]]
    mean = (1 * P[0] + 3 * P[1]) / 4
    spread = sum(w * ((p - mean) ** 2).sum() for p, w in zip(P, W, strict=True))
    assert brier_floor(X, np.concatenate([P, third]), np.array([*W, 4.0])) == pytest.approx(spread / 8)
