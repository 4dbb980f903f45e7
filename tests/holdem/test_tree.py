"""The nodes of a betting tree; test_rules holds the rules to pokerkit's engine."""

import numpy as np
import pytest

from faceup.holdem import tree as betting_tree
from faceup.holdem.lines import line_to, state_after
from faceup.holdem.rules import DECISION, menu_from, menu_labels, offered
from faceup.holdem.tree import action_to, build_tree, children, limit_tree

MENU = menu_from([[1], [1], []], [[1], []], [[1], []], [[1], []])
POT = build_tree(MENU)


@pytest.mark.parametrize(("tree", "counts"), [(POT, [12, 40, 120, 328]), (limit_tree(), [8, 70, 630, 5670])])
def test_trees_have_counted_decisions(tree, counts):
    """The limit tree's are 6,378 in all."""
    assert [int(((tree.kind == DECISION) & (tree.street == s)).sum()) for s in range(4)] == counts
    assert POT.labels == ("fold", "call", "raise_1", "all_in") and limit_tree().labels == ("fold", "call", "raise")
    assert POT.bets[children(POT, 0), 0, 0].tolist() == [50, 100, 300, 20_000]
    assert limit_tree().bets.sum(axis=2).max() == 4 * (100 + 100 + 200 + 200)  # four bets a street


def test_too_large_a_tree_is_refused(monkeypatch):
    monkeypatch.setattr(betting_tree, "MOST_NODES", len(POT.kind) - 1)
    with pytest.raises(ValueError, match="menu: its tree has over"):
        build_tree(MENU)


def test_nodes_are_numbered_as_promised():
    assert (POT.parent[1:] < np.arange(1, len(POT.kind))).all()
    for node in np.flatnonzero(POT.kind == DECISION):
        below = children(POT, node)
        assert (POT.parent[below] == node).all()
        start, end = POT.street_start[POT.street[node] : POT.street[node] + 2]
        assert start <= below[0] and below[-1] < end


def test_each_seat_of_a_match_tree_offers_its_own_sizes():
    menus = MENU, menu_from([[0.75], [1.5], []], [[0.5, 2], []], [[0.5], []], [[0.5, 1.5], []])
    match = build_tree(menus[0], big_blind_menu=menus[1])
    for node in np.random.default_rng(1).choice(np.flatnonzero(match.kind == DECISION), 300):
        state = state_after(line_to(match, int(node)))
        assert (state.street, state.actor) == (match.street[node], match.actor[node])
        actions = [(action, amount) for _, action, amount in offered(state, menus[state.actor], match.labels)]
        assert [action_to(match, c) for c in children(match, node)] == actions
    assert all(np.array_equal(a, b) for a, b in zip(build_tree(MENU, big_blind_menu=MENU), POT, strict=True))


@pytest.mark.parametrize("flop", [[0], [1, 1]])
def test_unusable_menus_of_agent_files_are_refused(flop):
    with pytest.raises(ValueError, match=r"sizes .* on the flop, expected"):
        menu_labels(menu_from([[1]], [flop], [[1]], [[1]]))
