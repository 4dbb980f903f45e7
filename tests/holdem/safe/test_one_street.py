"""The river street: its tree, and CFR-BR against exploitabilities that were measured elsewhere; test_reference has the rest."""

import numpy as np
import pytest

from faceup.holdem.betting.betting_tree import DECISION, line_text
from faceup.holdem.play.match import random_boards
from faceup.holdem.safe.one_street import Street, street_tree


@pytest.mark.slow
@pytest.mark.parametrize(("n_levels", "most"), [(10, 210), (40, 110)])
def test_levels_made_safe(n_levels, most):
    """Four passes over 3,000 boards, judged on 200 unseen ones: CFR-BR stays below `most`, self-play loses over twice as much."""
    learnt, unseen = random_boards(3000, np.random.default_rng(1)), random_boards(200, np.random.default_rng(2))
    old, new = Street(street_tree(3), n_levels), Street(street_tree(3), n_levels)
    for _ in range(4):
        old.self_play(learnt)
        new.cfr_br(learnt)
    assert new.leak(unseen).mean() < min(most, old.leak(unseen).mean() / 2)


@pytest.mark.parametrize(("street", "n"), [(3, 10), (2, 56)])
def test_no_line_of_the_street_has_three_raises(street, n):
    tree = street_tree(street)
    lines = [line_text(tree, node).split("/") for node in range(len(tree.kind))]
    assert (tree.kind == DECISION).sum() == n
    assert all(line.count("raise_1") + line.count("all_in") <= 2 for streets in lines for line in streets)
