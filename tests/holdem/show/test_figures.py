"""Charts of a strategy, and leaks in words: shares that fill their cells, all that is known shown, wrong shares refused."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle
from random_trees import random_tree

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.betting.betting_tree import DECISION, build_tree, menu_from
from faceup.holdem.betting.notation import line_to
from faceup.holdem.play.branches import N_BINS, Mean
from faceup.holdem.show import figures
from faceup.trees.figures import Part

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
    with pytest.raises(ValueError, match="expected 100"):
        figures.shares13(axes, {**shares, "fold": shares["fold"] + 1})
    plt.close(figure)


def test_one_chart_for_each_agent():
    charts = {name: figures.opening_shares(some_shares()) for name in ("one", "two", "three")}
    figure = figures.opening_figure(charts, {name: f"title of {name}" for name in charts})
    titles = [axes.get_title() for axes in figure.axes if axes.has_data()]
    assert titles == [f"title of {name}" for name in charts]
    plt.close(figure)


def test_use_is_written_where_it_counts():
    use = np.array([[1, 0], [0.3, 0.04]])
    names = {"flop": ["equity", "river_equity_p90"], "river": ["a", "opponent_bet_river"]}
    figure = figures.use_figure({"flop": use, "river": use}, names)
    assert [t.get_text() for t in figure.axes[0].texts] == ["100", "30"]
    assert [t.get_text() for t in figure.axes[1].get_yticklabels()] == ["a"]  # the other is hardly asked
    assert figures.short_name("turn_equity_p10") == "turn equity, 10 %"
    assert figures.short_name("equity") == "equity" and figures.short_name("own_bet_flop") == "own flop bet"
    assert figures.short_name("opponent_bet_river") == "opponent's river bet"
    plt.close(figure)


def test_a_branch_shows_its_actions_and_leaves_out_what_is_not_legal():
    tree = random_tree(1, 6, 1, 5)
    part = Part("a branch", tree, ["equity"], tree.feature >= 0, marked=2)
    gain = Mean(np.array([np.nan, 0, 12.5, np.nan, -300]), np.array([np.nan, 0, 4, np.nan, 50]))
    rows = figures.gain_rows(LABELS, gain)
    assert rows == {"bet the pot": (12.5, 4), "all-in": (-300, 50)}
    figure = figures.branch_figure(part, LABELS, {"all": np.ones(N_BINS), "these": np.zeros(N_BINS)}, rows, "checking")
    left, right = figure.axes[1:]
    assert [t.get_text() for t in right.get_yticklabels()] == list(rows)
    assert "over checking" in right.get_xlabel()
    assert [bar.get_height() for bar in left.patches] == [100 / N_BINS] * N_BINS + [0] * N_BINS
    plt.close(figure)


TREE = build_tree(menu_from([[1], []], [[1], []], [[]], [[]]))
NODE = {line_to(TREE, node): node for node in np.flatnonzero(TREE.kind == DECISION).tolist()}


def test_lines_are_told_in_dollars():
    assert figures.line_words(TREE, NODE[""]) == "first to act"
    assert figures.line_words(TREE, NODE["b300c/"]) == "raise to 300, call"
    assert figures.line_words(TREE, NODE["ck/kb200"]) == "call, check / check, bet 200"
    assert figures.line_words(TREE, NODE["b300c/b600b19700"]) == "raise to 300, call / bet 600, all-in"


def test_worst_leaks_come_first_with_their_hands():
    leaks = np.zeros((len(TREE.kind), 169))
    first, second = NODE["b300"], NODE["ck/"]
    leaks[first, [3, 7]] = 4, 5
    leaks[second, 11] = 6
    found = figures.worst_leaks(TREE, leaks, 2)
    assert [leak.mbb for leak in found] == [9, 6]
    assert found[0].hands[:2] == (CLASS_NAMES[7], CLASS_NAMES[3])
    assert (found[0].seat, found[1].seat, found[1].street) == ("big blind", "big blind", 1)
    said = figures.leak_words("CART", found[0], 30)
    assert "raise to 300" in said and "30 % of all leaks" in said and "hold 100 % of it" in said


def test_bars_name_each_line():
    _, axes = plt.subplots()
    leaks = np.arange(len(TREE.kind) * 169, dtype=float).reshape(-1, 169)
    nodes = [leak.node for leak in figures.worst_leaks(TREE, leaks, 3)]
    figures.leak_bars(axes, TREE, {"one": leaks, "other": leaks / 2}, nodes, ("red", "blue"))
    assert [len(axes.patches), len(axes.texts)] == [6, 3]
    assert axes.patches[0].get_width() == leaks[nodes[0]].sum() == 2 * axes.patches[3].get_width()
    plt.close()


def test_each_action_has_a_colour_of_its_own():
    many = ("fold", "call", *(f"raise_{x}" for x in (0.5, 1, 2, 3)), "all_in")
    assert len(set(figures.action_colours(many))) == len(many)
    assert figures.action_colours(("fold", "call", "all_in")) == [figures.SKY, figures.LIME, figures.WINE]
