"""Leaks in words."""

import matplotlib.pyplot as plt
import numpy as np

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.show.leak_figures import hand_map, leak_bars, leak_words, line_words, worst_leaks

TREE = build_tree(menu_from([[1], []], [[1], []], [[]], [[]]))


def follow(*labels: str) -> int:
    """The node at the end of a line of labels."""
    node = 0
    for label in labels:
        below = range(TREE.first_child[node], TREE.first_child[node] + TREE.n_children[node])
        node = next(c for c in below if TREE.labels[TREE.label[c]] == label)
    return node


def test_lines_are_told_in_dollars():
    assert line_words(TREE, 0) == "first to act"
    assert line_words(TREE, follow("raise_1", "call")) == "raise to 300, call"
    assert line_words(TREE, follow("call", "call", "call", "raise_1")) == "call, check / check, bet 200"
    assert line_words(TREE, follow("raise_1", "call", "raise_1", "all_in")) == "raise to 300, call / bet 600, all-in"


def test_worst_leaks_come_first_with_their_hands():
    leaks = np.zeros((len(TREE.kind), 169))
    first, second = follow("raise_1"), follow("call", "call")
    leaks[first, [3, 7]] = 4, 5
    leaks[second, 11] = 6
    found = worst_leaks(TREE, leaks, 2, hands=2)
    assert [leak.mbb for leak in found] == [9, 6]
    assert found[0].hands == (CLASS_NAMES[7], CLASS_NAMES[3])
    assert (found[0].seat, found[1].seat, found[1].street) == ("big blind", "big blind", 1)
    said = leak_words("CART", found[0], 30)
    assert "raise to 300" in said and "30 % of all leaks" in said


def test_bars_name_each_line():
    _, axes = plt.subplots()
    leaks = np.arange(len(TREE.kind) * 169, dtype=float).reshape(-1, 169)
    leak_bars(axes, worst_leaks(TREE, leaks, 3), 1000)
    assert len(axes.patches) == 3 and len(axes.texts) == 3
    plt.close()


def test_hands_lie_as_in_the_usual_chart():
    """Aces in the upper left corner, AKs to their right, deuces in the lower right."""
    _, axes = plt.subplots()
    hand_map(axes, np.arange(169.0), "mbb/g")
    assert [text.get_text() for text in axes.get_xticklabels()] == list("AKQJT98765432")
    assert axes.images[0].get_array()[0, 1] == CLASS_NAMES.index("AKs")
    plt.close()
