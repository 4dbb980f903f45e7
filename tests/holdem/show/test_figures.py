"""Charts of a strategy, whose shares fill their cells, and lines in words."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.betting.betting_tree import DECISION, build_tree, menu_from
from faceup.holdem.betting.notation import line_to
from faceup.holdem.show import figures

matplotlib.use("Agg")
LABELS = ("fold", "call", "raise_1", "raise_2", "all_in")


def some_shares() -> dict[str, np.ndarray]:
    """Random shares of five labels, in percent."""
    p = 100 * np.random.default_rng(0).dirichlet(np.ones(5), 169).T
    return dict(zip(LABELS, p, strict=True))


def test_raises_of_all_sizes_are_added_up():
    percent = some_shares()
    shares = figures.opening_shares(percent)
    assert list(shares) == list(figures.OPENING)
    np.testing.assert_allclose(shares["raise"], percent["raise_1"] + percent["raise_2"])
    np.testing.assert_allclose(sum(shares.values()), 100)
    assert not figures.opening_shares({k: percent[k] for k in ("fold", "call", "all_in")})["raise"].any()


def test_each_cell_is_filled_to_scale():
    figure, axes = plt.subplots()
    shares = figures.opening_shares(some_shares())
    figures.shares13(axes, shares)
    bars = [p for p in axes.patches if isinstance(p, Rectangle)]
    assert len(bars) == 4 * 169
    for k in (0, 14, 100, 168):
        cell = bars[k::169]
        row, column = divmod(k, 13)
        assert cell[0].get_x() == pytest.approx(column - 0.5) and cell[0].get_y() == pytest.approx(row - 0.5)
        assert [b.get_width() for b in cell] == pytest.approx([shares[a][k] / 100 for a in figures.OPENING])
        assert cell[-1].get_x() + cell[-1].get_width() == pytest.approx(column + 0.5)
    assert [t.get_text() for t in axes.texts] == list(CLASS_NAMES)
    plt.close(figure)


def test_one_chart_for_each_agent():
    charts = {name: figures.opening_shares(some_shares()) for name in ("one", "two", "three")}
    figure = figures.opening_figure(charts, {name: f"title of {name}" for name in charts})
    titles = [axes.get_title() for axes in figure.axes if axes.has_data()]
    assert titles == [f"title of {name}" for name in charts]
    plt.close(figure)


TREE = build_tree(menu_from([[1], []], [[1], []], [[]], [[]]))
NODE = {line_to(TREE, node): node for node in np.flatnonzero(TREE.kind == DECISION).tolist()}


def test_lines_are_told_in_dollars():
    assert figures.line_words(TREE, NODE[""]) == "first to act"
    assert figures.line_words(TREE, NODE["b300c/"]) == "raise to 300, call"
    assert figures.line_words(TREE, NODE["ck/kb200"]) == "call, check / check, bet 200"
    assert figures.line_words(TREE, NODE["b300c/b600b19700"]) == "raise to 300, call / bet 600, all-in"


def test_each_action_has_a_colour_of_its_own():
    many = ("fold", "call", *(f"raise_{x}" for x in (0.5, 1, 2, 3)), "all_in")
    assert len(set(figures.action_colours(many))) == len(many)
    assert figures.action_colours(("fold", "call", "all_in")) == [figures.SKY, figures.LIME, figures.WINE]
