"""Pairs of agents as records and as a square: signs, and which way of finding a result is kept."""

import json

import numpy as np
import pytest

from faceup.holdem.play.pairings import Found, all_and_each, record, scored_against, square, summed, summed_against
from faceup.notebook.intervals import student_95

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
    assert len(found) == 4 and found["table", "CART"] == Found(10, 0, "exact", 2, 1081)
    mbb, ci95 = square(NAMES, found)
    assert mbb[1, 0] == -10 and np.isnan(mbb[0, 0]) and np.isnan(mbb[1, 2])
    assert (ci95[np.isfinite(mbb)] == 0).all()


def test_one_opponent_summed_and_scored():
    boards = summed_against("stand-in", {"CART": np.array([1.0, 3.0])}, 1081)
    assert boards["CART", "stand-in"].mbb == 2 and boards["CART", "stand-in"].boards == 2
    deals = scored_against("stand-in", {"NN": np.array([[1.0, 3.0], [5.0, 7.0]])})
    assert deals["NN", "stand-in"] == (4, pytest.approx(student_95(2) * 2), "AIVAT", None, None)  # deals, not games, are drawn
    mbb, _ = square(["NN", "stand-in"], boards | deals)
    assert mbb.tolist()[1][0] == -4  # CART is not among the names


def test_records_are_plain_values():
    hands = np.array([[100.0, -100.0], [300.0, -300.0]])
    one = record(("CART", "NN"), Found(1, 2, "exact", 3, 4), hands, hands / 2)
    assert json.loads(json.dumps(one)) == one
    assert one["games"] == 4 and one["sd_hand"] == pytest.approx(np.sqrt(50_000)) == 2 * one["sd_scored"]
    assert "sd_scored" not in record(("CART", "NN"), Found(1, 2, "exact"), hands)
