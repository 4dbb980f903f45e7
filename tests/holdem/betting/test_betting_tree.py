"""The betting tree against the rules; test_hand_play holds these to pokerkit's engine in every state of random hands."""

import numpy as np
import pytest

from faceup.holdem.betting import betting_tree
from faceup.holdem.betting.betting_tree import (
    DECISION,
    FOLD_END,
    SHOWDOWN,
    STACK,
    START,
    act,
    build_tree,
    line_text,
    menu_from,
    menu_labels,
)

POT = menu_from([[1], [1], []], [[1], []], [[1], []], [[1], []])


def test_pot_sized_tree_has_counted_nodes():
    tree = build_tree(POT)
    decisions = tree.kind == DECISION
    assert [int((decisions & (tree.street == s)).sum()) for s in range(4)] == [12, 40, 120, 328]
    assert tree.labels == ("fold", "call", "raise_1", "all_in")


@pytest.mark.parametrize("sizes", [([[]],) * 4, ([[1, 2], []], [[0.5, 1], []], [[1]], [[1], []])])
def test_nodes_are_counted_before_a_tree_is_built(sizes, monkeypatch):
    menu, other = menu_from(*sizes), menu_from([[2]], [[]], [[]], [[1, 3], []])
    for big_blind_menu in (None, other):
        n_nodes = len(build_tree(menu, big_blind_menu=big_blind_menu).kind)
        monkeypatch.setattr(betting_tree, "MOST_NODES", n_nodes)
        build_tree(menu, big_blind_menu=big_blind_menu)
        monkeypatch.setattr(betting_tree, "MOST_NODES", n_nodes - 1)
        with pytest.raises(ValueError, match=f"menu: its tree has {n_nodes:,} nodes, expected at most {n_nodes - 1:,}"):
            build_tree(menu, big_blind_menu=big_blind_menu)
        monkeypatch.undo()


def test_nodes_are_numbered_as_promised():
    tree = build_tree(POT)
    n = len(tree.kind)
    assert (tree.parent[1:] < np.arange(1, n)).all()
    for node in np.flatnonzero(tree.kind == DECISION):
        below = np.arange(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        assert (tree.parent[below] == node).all()
        start, end = tree.street_start[tree.street[node] : tree.street[node] + 2]
        assert start <= below[0] and below[-1] < end


def test_money_at_ends_adds_up():
    tree = build_tree(POT)
    put = tree.bets.sum(axis=2)
    showdowns = tree.kind == SHOWDOWN
    assert (put[showdowns, 0] == put[showdowns, 1]).all()
    assert (put <= STACK).all()
    folds = np.flatnonzero(tree.kind == FOLD_END)
    assert (put[folds, tree.actor[folds]] < put[folds, 1 - tree.actor[folds]]).all()


def test_root_offers_a_pot_raise_to_300_dollars():
    tree = build_tree(POT)
    raised = 1 + [tree.labels[k] for k in tree.label[1:5]].index("raise_1")
    assert tree.bets[raised, 0, 0] == 300
    assert line_text(tree, raised) == "raise_1"


@pytest.mark.parametrize(
    ("action", "amount", "message"),
    [("raise", 150, "from 200 to 20000"), ("raise", -5, "from 200"), ("raise", 20001, "to 20000"), ("bet", 0, "expected fold")],
)
def test_illegal_actions_are_refused(action, amount, message):
    with pytest.raises(ValueError, match=message):
        act(START, action, amount)


def test_fold_needs_a_bet():
    limped, _ = act(START, "call")
    with pytest.raises(ValueError, match="nothing to call"):
        act(limped, "fold")


@pytest.mark.parametrize("size", [-1, 0, 1000])
def test_unusable_menus_are_refused(size):
    with pytest.raises(ValueError, match="size"):
        menu_labels(menu_from([[size]], [[1]], [[1]], [[1]]))
    with pytest.raises(ValueError, match=r"sizes \[1, 1\] on the flop, expected different ones"):
        menu_labels(menu_from([[1]], [[1, 1]], [[1]], [[1]]))
    with pytest.raises(ValueError, match="no sizes for turn"):
        menu_labels({"preflop": [[1]], "flop": [[1]]})
