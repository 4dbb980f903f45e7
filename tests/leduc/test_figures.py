"""Figures of the Leduc notebook: what stands in them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from faceup.leduc.agents import cautious_agent
from faceup.leduc.figures import end_labels, needed_cells, opponent_panels, strategy_card
from faceup.leduc.game import RLCARD, build
from faceup.leduc.readable import Card, answers, by_hand_and_line, sort_into_cells
from faceup.leduc.training import Curve
from faceup.notebook.plots import readable_panel

LEDUC = build(RLCARD)


@pytest.fixture
def card():
    """The cautious agent, who answers the same in all situations of a cell, as a card."""
    cells, names = sort_into_cells(LEDUC, by_hand_and_line)
    first = np.unique(cells, return_index=True)[1]
    return Card(cells, names, answers(LEDUC, cautious_agent(LEDUC))[first], 0.0)


def test_needed_cells(card):
    """Cautious folds jacks and never raises a queen: what would follow is not needed."""
    needed = dict(zip(card.names, needed_cells(LEDUC, card).tolist(), strict=True))
    assert needed[0, 2, -1, "rr"] and needed[1, 2, 2, ""]
    assert not needed[0, 0, -1, "rr"] and not needed[0, 1, -1, "crr"] and not needed[1, 0, 0, "k"]


def test_strategy_card_shows_every_needed_cell(card):
    figure, axes = plt.subplots(2, 1)
    strategy_card(axes, LEDUC, card)
    letters = [t.get_text() for a in axes for t in a.texts]
    rows = sum(len(a.get_yticks()) * len(a.get_xticks()) for a in axes)
    assert len(letters) == rows < 72  # a pure strategy has one bar a cell; who never raises a queen needs no row for it
    assert letters.count("\u2013") == rows - needed_cells(LEDUC, card).sum()
    assert [t.get_text() for t in axes[1].get_xticklabels()][:2] == ["J on J", "J on Q"]
    plt.close(figure)


def test_panels_and_labels():
    shape = (3, 2, 1)
    curve = Curve(np.array([1000, 2000]), np.ones(shape), np.ones(shape), np.ones(shape) / 9, np.ones((3, 2)), ())
    figure, axes = plt.subplots(1, 2)
    opponent_panels(axes[:1], [("Q", "C0", [curve])], ["random"], {"random": 0.5}, {"random": 1.5}, "games")
    assert {t.get_text() for t in axes[0].texts} == {"best response 1.500", "equilibrium 0.500"}
    readable_panel(axes[1], {"CART": ([1, 2], [0.5, 0.1])}, {42: [0.3, 0.2]}, "leaves")
    end_labels(axes[1], 2, [(0.1, "a", "C0"), (0.1, "b", "C1")])
    low, high = (t.xyann[1] for t in axes[1].texts[-2:])
    assert high - low == pytest.approx(12)
    plt.close(figure)
