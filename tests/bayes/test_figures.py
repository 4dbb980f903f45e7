"""The figures hold what they are given."""

import matplotlib.pyplot as plt
import numpy as np

from faceup.bayes.figures import belief_curves, calibration, draw_network, hands_until, odds_map
from faceup.bayes.model import make_model
from faceup.bayes.network import hand_network


def test_the_network_is_drawn_whole(counts, moves):
    net = hand_network(make_model(counts, 5, (0.1, -0.1, -0.3), 0.02), moves, 0, 1)
    axes = plt.figure().subplots()
    draw_network(axes, net)
    assert len(axes.texts) == net.size() + net.sizeArcs() + 2  # nodes, arcs, names of rounds


def test_maps_and_curves(counts):
    figure, axes = plt.subplots(1, 3)
    odds_map(axes[0], counts[1])
    belief_curves(axes[1], {"bluff": np.linspace(0, 1, 20).reshape(5, 4)}, ["red"])
    assert axes[1].lines[0].get_ydata()[-1] > axes[1].lines[0].get_ydata()[0]
    rows = calibration(axes[2], np.array([0.05, 0.55, 0.55, 1.0]), np.array([False, True, False, True]))
    assert rows[5].tolist() == [0.55, 0.5, 2] and rows[9, 2] == 1 and np.isnan(rows[2, 0])
    plt.close(figure)


def test_hands_until_a_type_is_known():
    belief = np.array([[0.3, 0.3], [0.9, 0.5], [1.0, 0.9]])
    assert hands_until(belief) == 2 and hands_until(belief, 0.6) == 1 and hands_until(belief, 0.99) is None
