"""Pairs of agents as records and as a square."""

import numpy as np
import pytest

from faceup.holdem.pairings import Found, all_and_each, record, square, summed, summed_against
from faceup.lab.stats import student_95

NAMES = ["table", "CART", "table, argmax", "CART, argmax"]


def test_the_first_meets_all_and_kinds_meet_their_own():
    wanted = all_and_each(2, 2)
    met = {(NAMES[i], NAMES[j]) for i, j in np.argwhere(np.triu(wanted, 1))}
    assert met == {("table", "CART"), ("table", "table, argmax"), ("table", "CART, argmax"), ("table, argmax", "CART, argmax")}
    assert np.array_equal(wanted, wanted.T)


def test_results_are_half_of_both_seats():
    """In dollars: 3 won as small blind and 1 lost as big blind are 1 dollar a game, 10 mbb."""
    values = np.zeros((2, 4, 4))
    values[:, 0, 1], values[:, 1, 0] = 3, 1
    found = summed(NAMES, values, all_and_each(2, 2), 1081)
    assert len(found) == 4 and found["table", "CART"] == Found(10, 0, 2, 1081)
    mbb, ci95 = square(NAMES, found)
    assert mbb[1, 0] == -10 and np.isnan(mbb[0, 0]) and np.isnan(mbb[1, 2])
    assert (ci95[np.isfinite(mbb)] == 0).all()


def test_one_opponent():
    met = summed_against("stand-in", {"CART": np.array([1.0, 3.0]), "NN": np.array([4.0, 4.0])}, 160)
    assert met["CART", "stand-in"] == (2, pytest.approx(student_95(2)), 2, 160)  # 95 %, from two boards of standard error 1
    mbb, _ = square(["NN", "stand-in"], met)
    assert mbb.tolist()[1][0] == -4  # CART is not among the names
    assert record(("NN", "stand-in"), met["NN", "stand-in"]) == {
        "first": "NN", "second": "stand-in", "mbb": 4, "ci95": 0, "boards": 2, "holes": 160
    }  # fmt: skip
