"""Names of curves keep clear of each other."""

import matplotlib.pyplot as plt
import numpy as np

from faceup.onecard.figures import _spread, named_curves


def test_names_are_spread_in_order_and_stay_where_there_is_room():
    spread = _spread(np.array([0.1, 0.5, 0.5, 0.51, 0.9]), 0.05)
    assert (np.diff(spread) >= 0.05 - 1e-6).all()
    assert spread[0] == 0.1 and spread[-1] == 0.9


def test_each_curve_is_drawn_and_named():
    figure, axes = plt.subplots()
    named_curves(axes, [[1, 2]] * 10, [[i, i + 1] for i in range(10)], [f"curve {i}" for i in range(10)])
    assert len(axes.lines) == 10 and [t.get_text() for t in axes.texts] == [f"curve {i}" for i in range(10)]
    plt.close(figure)
