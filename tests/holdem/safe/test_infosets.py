"""What a learner tells apart on a street."""

import numpy as np

from faceup.holdem.betting.betting_tree import DECISION, children
from faceup.holdem.safe.infosets import Seen, equity_levels, make_infosets, strategy_rows
from faceup.holdem.safe.one_street import street_tree

TREE = street_tree(3)


def test_strategy_rows():
    """Positive weights of the legal actions, normalised; uniform where there are none."""
    infosets, levels = make_infosets(TREE, 3, 5), equity_levels(5)
    weights = np.random.default_rng(1).normal(size=(infosets.n, len(TREE.labels))).astype(np.float32)
    weights[infosets.of[2]] = -1
    table = strategy_rows(TREE, 3, Seen(levels, infosets), weights)
    assert table.shape == (1981, len(TREE.kind) - 1)
    for node in np.flatnonzero(TREE.kind == DECISION):
        below = np.array(children(TREE, node))
        for equity in (0, 990, 1980):
            own = np.maximum(weights[infosets.of[levels[equity], infosets.situation[node]], TREE.label[below]], 0)
            expected = own / own.sum() if own.sum() > 0 else np.full(len(below), 1 / len(below))
            np.testing.assert_allclose(table[equity, below - 1], expected, rtol=1e-5)
