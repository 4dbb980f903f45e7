"""Charts of a strategy, whose shares fill their cells."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from faceup.holdem import figures

matplotlib.use("Agg")


def test_raises_of_all_sizes_are_added_up_and_each_cell_is_filled_to_scale():
    labels = ("fold", "call", "raise_1", "raise_2", "all_in")
    percent = dict(zip(labels, 100 * np.random.default_rng(0).dirichlet(np.ones(5), 169).T, strict=True))
    shares = figures.opening_shares(percent)
    assert list(shares) == list(figures.OPENING)
    np.testing.assert_allclose(shares["raise"], percent["raise_1"] + percent["raise_2"])
    assert not figures.opening_shares({k: percent[k] for k in ("fold", "call", "all_in")})["raise"].any()
    figure = figures.opening_figure({"one": shares}, {"one": "title"})
    for k in (0, 14, 100, 168):
        cell, (row, column) = figure.axes[0].patches[k::169], divmod(k, 13)
        widths = np.array([shares[a][k] / 100 for a in figures.OPENING])
        assert [bar.get_width() for bar in cell] == pytest.approx(widths)
        assert [bar.get_x() for bar in cell] == pytest.approx(column - 0.5 + widths.cumsum() - widths)
        assert cell[0].get_y() == pytest.approx(row - 0.5)
    plt.close(figure)
