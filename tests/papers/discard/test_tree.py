"""The betting tree: its size, and every kind of end against pokerkit's table."""

import numpy as np
import pytest
from pokerkit_table import PokerkitTable

from faceup.cards.strength import strength
from faceup.holdem.rules import CALL, DECISION, FOLD, SHOWDOWN
from faceup.papers.discard.tree import ALL_IN, BET_SIZE, CHANGE, NO_SWAPS, SWAP, build_swap_tree

PAPER = ([[1.0], [1.0]], *([[0.66], [1.0], [1.0]],) * 3)


@pytest.fixture(scope="module")
def tree():
    return build_swap_tree(PAPER)


def test_decisions_are_counted(tree):
    """Each betting line once, whatever was swapped."""
    lines = np.stack([tree.street, tree.slot[:, NO_SWAPS]])[:, tree.kind == DECISION]
    counts = np.bincount(np.unique(lines, axis=1)[0])
    assert counts.tolist() == [10, 58, 244, 730] and counts.sum() == 1042


def test_ends_pay_as_pokerkit_says(tree):
    """Swaps change no bet: hands are dealt as they end. Bets are shares of the pot after a call."""
    rng, ends = np.random.default_rng(2), np.flatnonzero(tree.n_actions == 0)
    for end in rng.choice(ends, 500, replace=False):
        deck, path, swaps, raises = rng.permutation(52)[:9].tolist(), [end], [], [0] * 4
        table = PokerkitTable(deck, blinds=(1, 2), stack=200)
        while tree.parent[path[-1]] >= 0:
            path.append(tree.parent[path[-1]])
        for above, node in zip(path[:0:-1], path[-2::-1], strict=True):
            player, label = tree.player[above], tree.label[node]
            if tree.kind[above] == SWAP:
                assert table.over or table.street == 1 + len(swaps) // 2
                assert player == 1 - len(swaps) % 2
                swaps.append(label == CHANGE)
                continue
            assert table.actor == player
            if label in (BET_SIZE, ALL_IN):
                # pokerkit's seats are the other path round
                other, pot = table.state.bets[player], sum(table.put) + table.to_call
                size = (
                    other + round(PAPER[table.street][raises[table.street]][0] * pot)
                    if label == BET_SIZE
                    else table.raises[1]
                )
                raises[table.street] += 1
                table.act("raise", size)
            else:
                table.act({FOLD: "fold", CALL: "call"}[label])
        first, second = (
            strength([*deck[2 * player : 2 * player + 2], *deck[4:]]) for player in range(2)
        )
        sign = np.sign(first - second) if tree.kind[end] == SHOWDOWN else 1
        assert table.over and table.payoffs[0] == sign * tree.stake[end]
        # of the big blind, then of the small blind
        on_flop, on_turn = ([*swaps, 0, 0, 0, 0][k : k + 2] for k in (0, 2))
        assert tree.hands[end].tolist() == [2 * on_flop[p] + on_turn[p] for p in (1, 0)]
