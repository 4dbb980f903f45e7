"""What strategies see of a deal against hands played by the rules, and matches."""

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from plain_tables import ROWS, TREE, fake_tables, lookup

from faceup.cards.cards import CLASS_NAMES, CLASS_OF_HOLE, card_text, hole_index
from faceup.cards.strength import strength
from faceup.papers.discard.deals import (
    ALWAYS,
    NEVER,
    OWN,
    RULE,
    _find_boards,
    _generator,
    _make_seen,
    _see,
    _shuffle,
)
from faceup.papers.discard.matches import SIDES, deal_values, random_player, threshold_strategy
from faceup.papers.discard.selfplay import Strategy, strategy_layout
from faceup.papers.discard.tree import build_swap_tree
from faceup.util.rng import rng
from faceup.util.stats import mean_ci95

STREAM = partial(rng, 5, "test")


def sides(cards, player, policy, tables):
    cards, seen = np.array(cards), _make_seen(1)
    own = cards[[2 * player, 2 * player + 1, 9 + 2 * player, 10 + 2 * player]]
    _see(own, policy, tables, _find_boards(cards[4:9], tables), seen, 0)
    return (part[0] for part in seen)


@pytest.mark.parametrize("policy", range(5))
def test_swaps_are_those_of_the_rules(policy):
    tables = fake_tables()
    column = policy if policy >= RULE else 1
    for k in range(60):
        cards = np.random.default_rng([5, k]).permutation(52)[:13].tolist()
        player, state = k % 2, 0
        hole = cards[2 * player : 2 * player + 2]
        rows, strengths, forced = sides(cards, player, policy, tables)
        assert rows[0, 0] == CLASS_OF_HOLE[hole_index(*hole)]
        for when, table in enumerate((tables.flop, tables.turn)):
            asked = lookup(
                table[..., column],
                "".join(map(card_text, hole)),
                "".join(map(card_text, cards[4 : 7 + when])),
            )
            decided = forced[when, state]
            assert decided == {OWN: -1, NEVER: 0, ALWAYS: 1}.get(policy, int(asked != "keep"))
            swap = decided == 1 or (decided < 0 and k % 3 == 0)
            if swap and asked == "keep":  # a policy that swaps anyway throws the better card
                break
            if swap:
                state += 2 - when
                hole = [
                    cards[9 + 2 * player + when] if card_text(c) == asked[-2:] else c for c in hole
                ]
        else:
            assert strengths[state] == strength([*hole, *cards[4:9]])


def test_a_player_wins_nothing_from_itself():
    rng = np.random.default_rng(3)
    layout = strategy_layout(TREE, ROWS, False)
    mixed = Strategy(layout, rng.random(int(layout.base[-1])), RULE)
    assert np.array_equal(deal_values(TREE, fake_tables(), mixed, mixed, 50, STREAM), np.zeros(50))
    wild = random_player(TREE, ROWS)
    careful = wild._replace(chances=np.where(np.arange(len(wild.chances)) % 2, 1.0, 0.1))
    found, back = (
        deal_values(TREE, fake_tables(), *pair, 1000, STREAM)
        for pair in ((wild, careful), (careful, wild))
    )
    mean, ci95 = mean_ci95(found)
    assert abs(mean) > ci95 > 0 and abs(back.mean() + mean) < 2 * ci95


def test_all_hands_of_a_deal_meet_in_both_seats():
    """One player goes all-in or calls with every hand, the other with pairs alone; he folds the
    rest. Nobody swaps.
    """
    tree, tables = build_swap_tree(([[], []], [], [], [])), fake_tables()
    layout = strategy_layout(tree, ROWS, False)
    wild, careful = (Strategy(layout, np.zeros(int(layout.base[-1])), NEVER) for _ in range(2))
    for node in np.flatnonzero((tree.table == 0) & (tree.n_actions > 0)):
        for cls, name in enumerate(CLASS_NAMES):
            entry = layout.base[0] + cls * layout.width[0] + layout.slot[node]
            wild.chances[entry + tree.n_actions[node] - 1] = 1
            careful.chances[entry + (tree.n_actions[node] - 1 if len(name) == 2 else 0)] = 1
    deck, expected = np.arange(52), 0
    _shuffle(deck, 9 + 4 * SIDES, _generator(int(STREAM().integers(1 << 62)), 0))
    holes = [deck[9 + 4 * side : 11 + 4 * side].tolist() for side in range(SIDES)]
    power = [strength([*hole, *deck[4:9].tolist()]) for hole in holes]
    for i, j in permutations(range(SIDES), 2):
        pair = holes[j][0] // 4 == holes[j][1] // 4
        # as big and as small blind
        expected += 400 * ((power[i] > power[j]) - (power[i] < power[j])) if pair else 2 + 1
    assert deal_values(tree, tables, wild, careful, 1, STREAM)[0] == pytest.approx(
        500 * expected / (2 * SIDES * (SIDES - 1))
    )


def test_thresholds_remove_rare_actions():
    layout = strategy_layout(TREE, ROWS, True)
    first, strategy = (
        layout.base[0] + layout.slot[0],
        Strategy(layout, np.zeros(int(layout.base[-1])), OWN),
    )
    strategy.chances[first : first + 4] = 2, 1, 16, 1  # 10 %, 5 %, 80 %, 5 %
    for least, kept in ((0.05, [2 / 18, 0, 16 / 18, 0]), (0.9, [0, 0, 1, 0])):
        found = threshold_strategy(TREE, strategy, (least, 0, 0, 0)).chances
        np.testing.assert_allclose(found[first : first + 4], kept)
