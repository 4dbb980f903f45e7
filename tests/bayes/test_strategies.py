"""Table 2's current strategies on the limit tree, and the amateur's choice of one."""

import numpy as np
import pytest

from faceup.bayes.strategies import FINE, NAMES, strategy_of_bin
from faceup.holdem.rules import DECISION
from faceup.holdem.tree import way_to


def line(moves, street, first, second):
    """The betting of a street between two current strategies, the first to act named first."""
    tree = moves.tree
    root = node = int(np.flatnonzero((tree.kind == DECISION) & (tree.street == street))[0])
    while tree.kind[node] == DECISION and tree.street[node] == street:
        node = moves.after[NAMES.index(first if tree.actor[node] == tree.actor[root] else second), node]
    return ", ".join(tree.labels[tree.label[k]] for k in way_to(tree, node)[len(way_to(tree, root)) :])


@pytest.mark.parametrize(
    ("street", "first", "second", "betting"),
    [
        (1, "0/0", "0/1", "call, call"),
        (1, "0/0", "1/1", "call, raise, fold"),  # check, fold on any bet
        (1, "0/1", "3/4", "call, raise, call"),  # check, call one bet
        (1, "1/1", "2/3", "raise, raise, fold"),  # bet once, fold if it is raised
        (1, "1/2", "2/3", "raise, raise, call"),
        (1, "3/3", "2/2", "raise, raise, raise, fold"),
        (3, "3/4", "3/3", "raise, raise, raise, call"),
        (0, "0/0", "3/4", "fold"),  # half a bet is to be called
        (0, "1/2", "2/3", "call, raise, call"),
        (0, "2/2", "3/4", "raise, raise, fold"),
    ],
)
def test_strategies_meet(moves, street, first, second, betting):
    assert line(moves, street, first, second) == betting


@pytest.mark.parametrize("shift", [0, 0.1, -0.1, -0.3])
def test_the_amateur_is_the_papers_and_types_shift_his_limits(shift):
    odds = np.arange(FINE) / FINE - shift + 1e-9
    expected = np.select([odds < 0.2, odds < 0.4, odds < 0.6, odds < 0.8], [0, 1, 3, 5], 7)  # 0/0, 0/1, 1/2, 2/3, 3/4
    np.testing.assert_array_equal(strategy_of_bin(shift), expected)
