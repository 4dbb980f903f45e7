"""Deals from the view of a strategy against hands played by the rules, and matches."""

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from plain_lookup import ROWS, TREE, choice_in_words, fake_lookup

from faceup.cards.cards import CLASS_NAMES, CLASS_OF_HOLE, card_text, hole_index
from faceup.cards.strength import strength
from faceup.papers.discard import deals
from faceup.papers.discard.matches import SIDES, deal_values, threshold_strategy
from faceup.papers.discard.selfplay import Strategy, strategy_layout
from faceup.papers.discard.tree import NO_SWAPS, THEIR_SWAPS, build_swap_tree
from faceup.util.rng import rng

STREAM = partial(rng, 5, "test")


def view_of(cards, player, policy, lookup):
    """A player's rows, strengths and swaps, from the 13 cards of a deal."""
    cards, view = np.array(cards), deals.empty_view(1)
    own = cards[[2 * player, 2 * player + 1, 9 + 2 * player, 10 + 2 * player]]
    deals.fill_view(own, policy, lookup, deals.find_boards(cards[4:9], lookup), view, 0)
    return (part[0] for part in view)


@pytest.mark.parametrize("policy", [deals.RULE, deals.BEST, deals.NEVER, deals.ALWAYS])
def test_swaps_are_those_of_the_rules(policy):
    lookup = fake_lookup()
    column = policy if policy in (deals.RULE, deals.BEST) else deals.BETTER_THROW
    for k in range(60):
        cards = np.random.default_rng([5, k]).permutation(52)[:13].tolist()
        player, held = k % 2, 0
        hole = cards[2 * player : 2 * player + 2]
        rows, strengths, swaps = view_of(cards, player, policy, lookup)
        assert rows[0, 0] == CLASS_OF_HOLE[hole_index(*hole)]
        for when, table in enumerate((lookup.flop, lookup.turn)):
            board = "".join(map(card_text, cards[4 : 7 + when]))
            choice = choice_in_words(table[..., column], "".join(map(card_text, hole)), board)
            decided = policy != deals.NEVER and choice != "keep"
            assert swaps[1 + when, held] == decided
            if decided:
                drawn = cards[9 + 2 * player + when]
                hole = [drawn if card_text(c) == choice[-2:] else c for c in hole]
                held += 2 - when
        assert strengths[held] == strength([*hole, *cards[4:9]])


def test_a_player_wins_nothing_from_itself():
    generator, lookup = np.random.default_rng(3), fake_lookup()
    layout = strategy_layout(TREE, ROWS, NO_SWAPS)
    for policy in (deals.RULE, deals.LEARNED):
        mixed = Strategy(layout, generator.random(int(layout.base[-1])), policy)
        assert np.array_equal(deal_values(TREE, lookup, mixed, mixed, 50, STREAM), np.zeros(50))


def test_all_hands_of_a_deal_meet_in_both_seats():
    """All-in with every hand against all-in with pairs alone, folding the rest. Nobody swaps."""
    tree, lookup = build_swap_tree(([[], []], [], [], [])), fake_lookup()
    layout = strategy_layout(tree, ROWS, NO_SWAPS)
    wild, careful = (
        Strategy(layout, np.zeros(int(layout.base[-1])), deals.NEVER) for _ in range(2)
    )
    for node in np.flatnonzero((tree.street == 0) & (tree.n_actions > 0)):
        for cls, name in enumerate(CLASS_NAMES):
            entry = layout.base[0] + cls * layout.width[0] + layout.slot[node]
            wild.chances[entry + tree.n_actions[node] - 1] = 1
            careful.chances[entry + (tree.n_actions[node] - 1 if len(name) == 2 else 0)] = 1
    deck, expected = np.arange(52), 0
    deals.shuffle(deck, 5 + 4 * SIDES, deals.random_state(int(STREAM().integers(1 << 62)), 0))
    holes = [deck[5 + 4 * side : 7 + 4 * side].tolist() for side in range(SIDES)]
    power = [strength([*hole, *deck[:5].tolist()]) for hole in holes]
    for i, j in permutations(range(SIDES), 2):
        pair = holes[j][0] // 4 == holes[j][1] // 4
        # as big and as small blind
        expected += 400 * ((power[i] > power[j]) - (power[i] < power[j])) if pair else 2 + 1
    found = deal_values(tree, lookup, wild, careful, 1, STREAM)[0]
    assert found == pytest.approx(500 * expected / (2 * SIDES * (SIDES - 1)))


def test_thresholds_remove_rare_actions():
    layout = strategy_layout(TREE, ROWS, THEIR_SWAPS)
    first = layout.base[0] + layout.slot[0]
    strategy = Strategy(layout, np.zeros(int(layout.base[-1])), deals.NEVER)
    strategy.chances[first : first + 4] = 2, 1, 16, 1  # 10 %, 5 %, 80 %, 5 %
    for least, kept in ((0.05, [2 / 18, 0, 16 / 18, 0]), (0.9, [0, 0, 1, 0])):
        found = threshold_strategy(TREE, strategy, (least, 0, 0, 0)).chances
        np.testing.assert_allclose(found[first : first + 4], kept)
        # a strategy of zeros is uniform; on the river nobody swaps
        assert (found[layout.base[3] :] > 0).all()
