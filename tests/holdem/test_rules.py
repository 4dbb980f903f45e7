"""Rules, trees and lines: hands to the end by pokerkit; nodes; lines as text and in words; sizes
off the tree, legal dollars.
"""

import math
import os
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from games import THEIRS
from hypothesis import given
from hypothesis import strategies as st
from pokerkit_table import STACK, PokerkitTable, random_choice

from faceup.cards.cards import BOARD_CARDS, short_repr
from faceup.holdem import betting_lines as lines
from faceup.holdem import betting_tree
from faceup.holdem.agents import Agent
from faceup.holdem.bet_translation import pseudo_harmonic, translate_action, translate_size
from faceup.holdem.betting_lines import legal_action, line_labels, line_to, state_after
from faceup.holdem.betting_tree import action_to, build_tree, children
from faceup.holdem.policy import fixed_row, legal_probabilities
from faceup.holdem.rules import (
    DECISION,
    FOLD_END,
    SHOWDOWN,
    START,
    act,
    legal_raises,
    menu_from,
    offered,
    pot_and_call,
)

HANDS = int(os.environ.get("FACEUP_RULES_HANDS", 600))  # of pokerkit's about 900 a second


def test_random_hands_equal_pokerkits():
    """No-limit, compared before each action, where any label is legal; one in four with equal
    ranks, so that pots are split.
    """
    found = []
    for seed in range(HANDS):
        rng = np.random.default_rng(seed)
        deck = rng.permutation(52).tolist()
        if seed % 4 == 0:
            first, second = (4 * rng.permutation(13)[:2]).tolist()
            holes = [first, second + 1, first + 2, second + 3]
            deck = [*holes, *(card for card in deck if card not in holes)]
        table, state, betting = PokerkitTable(deck[:9]), START, ""
        while state is not None:
            assert (table.actor, table.street, table.over) == (state.actor, state.street, False)
            assert table.shown == BOARD_CARDS[state.street] and table.put == (
                sum(state.bets[0]),
                sum(state.bets[1]),
            )
            assert table.to_call == pot_and_call(state)[1] and table.can_fold == (table.to_call > 0)
            assert table.raises == legal_raises(state)
            line = lines.read_line(betting.removesuffix("/"))  # the last "/" may be left out
            assert (line.state, line.kind) == (state, DECISION) and state_after(betting) == state
            for label in LABELS:
                act(state, *legal_action(label, state))  # raises ValueError if it is not legal
            choice = random_choice(state, rng)
            table.act(*choice)
            betting, (state, _) = lines.longer(betting, state, choice), act(state, *choice)
        line = lines.read_line(betting)
        assert table.over and lines.settle(line, (deck[:2], deck[2:4]), deck[4:9]) == table.payoffs
        assert "".join(line.tokens) == betting.replace("/", "")
        assert lines.read_line(betting + "///") == line  # empty streets behind the end are nothing
        found.append((line.kind, table.payoffs[0]))
    kind, won = np.array(found).T
    kinds = [
        kind == FOLD_END,
        kind == SHOWDOWN,
        np.abs(won) == STACK,
        (kind == SHOWDOWN) & (won == 0),
    ]
    assert min(k.sum() for k in kinds) >= HANDS // 60


TREE = build_tree(menu_from([[1, 2], [1], []], [[0.5, 1], []], [[1], []], [[1], []]))
MENU = menu_from([[1], [1], []], [[1], []], [[1], []], [[1], []])
POT = build_tree(MENU)
LABELS = ("fold", "call", "raise_0.1", "raise_0.5", "raise_1", "raise_3", "raise_200", "all_in")


def test_trees_have_counted_decisions_numbered_as_promised():
    tree = POT
    found = [int(((tree.kind == DECISION) & (tree.street == s)).sum()) for s in range(4)]
    assert found == [12, 40, 120, 328]
    assert POT.labels == ("fold", "call", "raise_1", "all_in")
    assert POT.bets[children(POT, 0), 0, 0].tolist() == [50, 100, 300, 20_000]
    below, above = np.arange(1, len(tree.kind)), tree.parent[1:]
    start, end = (tree.street_start[tree.street[above] + k] for k in (0, 1))
    assert ((above < below) & (start <= below) & (below < end)).all()
    assert all(
        (tree.parent[children(tree, node)] == node).all()
        for node in np.flatnonzero(tree.kind == DECISION)
    )


def test_each_seat_of_a_match_tree_offers_its_own_sizes():
    menus = MENU, THEIRS
    match = build_tree(menus[0], big_blind_menu=menus[1])
    for node in np.random.default_rng(1).choice(np.flatnonzero(match.kind == DECISION), 300):
        state = state_after(line_to(match, int(node)))
        assert (state.street, state.actor) == (match.street[node], match.actor[node])
        actions = [
            (action, amount)
            for _, action, amount in offered(state, menus[state.actor], match.labels)
        ]
        assert [action_to(match, c) for c in children(match, node)] == actions
    assert all(
        np.array_equal(a, b)
        for a, b in zip(build_tree(MENU, big_blind_menu=MENU), POT, strict=True)
    )


def test_a_menu_may_forbid_limps_and_leave_all_in_to_short_stacks():
    """Without limps the first action is fold or raise; all-in stands only in the place of a pot
    that the stack cannot pay.
    """
    tree = build_tree(MENU | {"limps": False, "all_in": False})
    assert [action_to(tree, c) for c in children(tree, 0)] == [("fold", 0), ("raise", 300)]
    assert (
        fixed_row(tree, 0)[0, :2].tolist()
        == legal_probabilities(np.zeros((1, 4)), np.array([0, 2]))[0].tolist()
        == [1, 0]
    )
    above = tree.parent[tree.label == tree.labels.index("all_in")]
    # after calling the pot is twice the larger bet
    raised = 3 * tree.bets[above].sum(axis=2).max(axis=1)
    assert len(above) and (raised >= 20_000).all()


BAD_SIZES = (
    *(None, 1, "1", {}, [1], [None], ["1"], [{1}], np.ones((1, 1))),
    *([[x]] for x in (0, -1, 201, math.nan, math.inf, True, "1", None, [1], 1j, 10**400)),
    *([[x]] for x in (np.int64(1), Fraction(1), Decimal(1))),
    [[1, 1.0]],
)


@pytest.mark.parametrize("flop", BAD_SIZES, ids=repr)
def test_unusable_menus_are_refused_and_named(flop):
    bad = MENU | {"flop": flop}
    for wrong in (
        lambda: menu_from([[1]], flop, [[1]], [[1]]),
        lambda: build_tree(bad),
        lambda: build_tree(MENU, big_blind_menu=bad),
        lambda: Agent(bad),
    ):
        message = f"menu: 'flop': {short_repr(flop)}, expected for each street"
        with pytest.raises(ValueError, match=re.escape(message)):
            wrong()


def test_menus_of_other_keys_or_with_two_sizes_of_one_name_are_refused(monkeypatch):
    for keys in ([1], "x", {}, {"flop": [[1]]}):
        with pytest.raises(ValueError, match="menu: .*, expected a dict with keys"):
            build_tree(MENU, big_blind_menu=keys)
    for more in ({"limps": "no"}, {"all_in": 0}, {"limp": True}):
        with pytest.raises(ValueError, match="menu: '(limps?|all_in)': "):
            build_tree(MENU | more)
    for sizes in ([[1 / 3, 0.333333]], [[0.1 + 0.2, 0.3]], [[1 / 3], [0.333333]]):
        with pytest.raises(ValueError, match=r"sizes 0.3.* and 0.3.* are both raise_0.3+, exp"):
            build_tree(menu_from([[1]], sizes, [[1]], [[1]]))
    with pytest.raises(ValueError, match="both raise_1, expected"):
        build_tree(MENU, big_blind_menu=MENU | {"river": [[1.0000001]]})
    monkeypatch.setattr(betting_tree, "MOST_NODES", len(POT.kind) - 1)
    with pytest.raises(ValueError, match="menu: its tree has over"):
        build_tree(MENU)


BAD_LINES = {
    "expected k, c, f and bN": ["x", "b300c/b", "b٣٠٠", "b0300", "ck kk"],
    "'/' behind a street; it reads": ["b300c/kb400/", "b300c//", "/", "b300c/kk//", "b300ck"],
    "it reads 'c'": ["k"],  # $50 are to be called
    "it reads 'b300c/": ["b300k", "b300c/c"],
    "fold: nothing to call": ["b300c/f"],
    "expected from 200 to (19700|20000)": [
        "b150",
        "b20001",
        *(f"b300c/b100b{n}" for n in (150, 20000, 9999999, "9" * 30)),
    ],
    "expected from 0 to 0": ["b20000b20000"],
    "hand is over": [
        "f",
        "ff",
        "b20000c",
        "b20000ck",
        "b20000c///",
        "ck/kk/kk/kk",
        "ck/kk/kk/kk/k",
    ],
}


@pytest.mark.parametrize(
    ("said", "betting"), [(said, line) for said, several in BAD_LINES.items() for line in several]
)
def test_lines_against_the_rules_are_named(said, betting):
    with pytest.raises(ValueError, match=said) as error:
        state_after(betting)
    assert repr(betting) in str(error.value)


def test_lines_by_labels():
    found = {line_to(TREE, n): line_labels(TREE, n) for n in range(len(TREE.kind))}
    assert found[""] == "" and found["b300c/"] == "raise_1, call"
    assert found["ck/kb200"] == "call, call, call, raise_1"


@given(st.floats(0, 50), st.floats(0.01, 100), st.floats(0, 1))
def test_the_mixture_calls_as_often_as_makes_a_bluff_indifferent(a, more, share):
    """What the mapping is derived from: a bluff of x is indifferent if called 1 / (1 + x) of the
    time.
    """
    x, b = min(a + share * more, a + more), a + more
    p = pseudo_harmonic(x, a, b)
    assert 0 <= p <= 1 + 1e-12
    assert p / (1 + a) + (1 - p) / (1 + b) == pytest.approx(1 / (1 + x), rel=1e-9)


def test_sizes_between_two_are_read_as_either_and_the_papers_middle_equally_often():
    a, b = 0.25, 4.0
    assert pseudo_harmonic((a + b + 2 * a * b) / (a + b + 2), a, b) == pytest.approx(0.5)
    assert pseudo_harmonic(1 / 3, 0, 1) == pytest.approx(0.5)  # between a check and a pot
    assert translate_size(1.5, [0.5, 1, 3]) == [(1, p := pseudo_harmonic(1.5, 1, 3)), (2, 1 - p)]
    assert [translate_size(x, [0.5, 1, 3]) for x in (0.1, 0.5, 1, 3, 90)] == [
        [(k, 1)] for k in (0, 0, 1, 2, 2)
    ]


def test_known_increments():
    for line, label, action in (
        ("", "raise_1", ("raise", 300)),
        ("b300", "raise_0.1", ("raise", 500)),  # the minimum: 300 and the 200 it was raised by
        ("c", "fold", ("call", 0)),  # a check: nobody asks for a fold
        ("b300c/", "raise_0.5", ("raise", 300)),
        ("b300c/b200", "raise_1", ("raise", 1200)),  # 200, and the pot of 800 with the 200 to call
        ("b300c/", "raise_200", ("raise", 19_700)),  # all that is left
        ("b300c/", "all_in", ("raise", 19_700)),
        ("b19950", "raise_1", ("raise", 20_000)),
    ):
        assert legal_action(label, state_after(line)) == action, line


def test_sizes_of_the_tree_are_read_as_they_are_and_others_as_those_beside_them():
    """Of others: a pot is 200, so to 300 is one pot, to 500 two, to 400 one and a half."""
    for node in range(1, len(TREE.kind)):
        above = int(TREE.parent[node])
        assert translate_action(
            TREE, above, state_after(line_to(TREE, above)), *action_to(TREE, node)
        ) == [(node, 1.0)]
    p = pseudo_harmonic(1.5, 1, 2)
    told = {
        400: [("raise_1", p), ("raise_2", 1 - p)],
        200: [("raise_1", 1)],
        20_000: [("all_in", 1)],
    }
    for betting in ("", "c"):
        node = next(n for n in np.flatnonzero(TREE.kind == DECISION) if line_to(TREE, n) == betting)
        for amount, wanted in told.items():
            found = translate_action(TREE, node, state_after(betting), "raise", amount)
            assert [
                (TREE.labels[TREE.label[child]], chance) for child, chance in found
            ] == wanted, (betting, amount)
