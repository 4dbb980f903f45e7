"""What a learner tells apart on a street."""

import numpy as np
import pytest

from faceup.holdem.betting.betting_tree import DECISION, children
from faceup.holdem.safe.infosets import equity_levels, make_infosets, strategy_rows
from faceup.holdem.safe.one_street import street_tree

TREE = street_tree(3)


def test_situations():
    """On one street: nothing, a bet that may still be raised, one that may not, and all-in; each for two seats."""
    by_decision, by_situation = make_infosets(TREE, 3, 10), make_infosets(TREE, 3, 10, "situation")
    assert by_decision.n == 100 and by_situation.n == 80
    nodes = np.flatnonzero(TREE.kind == DECISION)
    for one in nodes:
        for other in nodes[by_situation.situation[nodes] == by_situation.situation[one]]:
            assert TREE.actor[one] == TREE.actor[other]
            assert TREE.label[children(TREE, one)].tolist() == TREE.label[children(TREE, other)].tolist()


@pytest.mark.parametrize("by", ["decision", "situation"])
def test_strategy_rows(by):
    """Positive weights of the legal actions, normalised; uniform where there are none."""
    infosets, levels = make_infosets(TREE, 3, 5, by), equity_levels(5)
    weights = np.random.default_rng(1).normal(size=(infosets.n, len(TREE.labels))).astype(np.float32)
    weights[infosets.of[2]] = -1
    table = strategy_rows(TREE, 3, infosets, levels, weights)
    assert table.shape == (1981, len(TREE.kind) - 1)
    for node in np.flatnonzero(TREE.kind == DECISION):
        below = np.array(children(TREE, node))
        for equity in (0, 990, 1980):
            own = np.maximum(weights[infosets.of[levels[equity], infosets.situation[node]], TREE.label[below]], 0)
            expected = own / own.sum() if own.sum() > 0 else np.full(len(below), 1 / len(below))
            np.testing.assert_allclose(table[equity, below - 1], expected, rtol=1e-5)


def test_another_word_is_named():
    with pytest.raises(ValueError, match="street"):
        make_infosets(TREE, 3, 5, "street")
