"""The nodes of a betting tree, and its errors; test_hand_play and test_limit_tree hold the rules to pokerkit's engine."""

import numpy as np
import pytest

from faceup.holdem import tree as betting_tree
from faceup.holdem.rules import DECISION, menu_from, menu_labels
from faceup.holdem.tree import build_tree, children

POT = build_tree(menu_from([[1], [1], []], [[1], []], [[1], []], [[1], []]))


def test_pot_sized_tree_has_counted_nodes():
    decisions = POT.kind == DECISION
    assert [int((decisions & (POT.street == s)).sum()) for s in range(4)] == [12, 40, 120, 328]
    assert POT.labels == ("fold", "call", "raise_1", "all_in")
    assert POT.bets[children(POT, 0), 0, 0].tolist() == [50, 100, 300, 20_000]


@pytest.mark.parametrize("big_blind_menu", [None, menu_from([[2]], [[]], [[]], [[1, 3], []])])
def test_nodes_are_counted_before_a_tree_is_built(big_blind_menu, monkeypatch):
    menu = menu_from([[1, 2], []], [[0.5, 1], []], [[1]], [[1], []])
    n_nodes = len(build_tree(menu, big_blind_menu=big_blind_menu).kind)
    monkeypatch.setattr(betting_tree, "MOST_NODES", n_nodes - 1)
    with pytest.raises(ValueError, match=f"menu: its tree has {n_nodes:,} nodes, expected at most {n_nodes - 1:,}"):
        build_tree(menu, big_blind_menu=big_blind_menu)


def test_nodes_are_numbered_as_promised():
    assert (POT.parent[1:] < np.arange(1, len(POT.kind))).all()
    for node in np.flatnonzero(POT.kind == DECISION):
        below = children(POT, node)
        assert (POT.parent[below] == node).all()
        start, end = POT.street_start[POT.street[node] : POT.street[node] + 2]
        assert start <= below[0] and below[-1] < end


@pytest.mark.parametrize(("flop", "message"), [([0], "size 0 on the flop"), ([1, 1], r"sizes \[1, 1\] on the flop, expected")])
def test_unusable_menus_of_agent_files_are_refused(flop, message):
    with pytest.raises(ValueError, match=message):
        menu_labels(menu_from([[1]], [flop], [[1]], [[1]]))
