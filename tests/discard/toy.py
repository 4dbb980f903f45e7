"""A toy game on the kernels' own tree, small enough for exact best responses: six cards, one private card each, one swap.

From the turn on, with 20 chips of each in the pot: both may swap their card, there is a bet of the pot or all-in, nobody bets
on the river. The strategy's rows tell a player all that he has seen of his own cards.
"""

from itertools import product

import numpy as np
from numba import njit

from faceup.discard.deals import DealView, _make_seen
from faceup.discard.selfplay import CHANCE_ONLY, EXTERNAL, RESPOND, _make_scratch, _walk, both, strategy_layout
from faceup.discard.tree import HAND_START, build_swap_tree
from faceup.games.extensive_game import GameBuilder, normalised
from faceup.holdem.rules import SHOWDOWN

RANKS, SUITS = 3, 2
N_ROWS = (1, 1, 12, 12, 1, 3)
TREE = build_swap_tree(([], [], [[1.0]], []), HAND_START._replace(street=2, actor=1, bets=((20, 0, 0, 0),) * 2))


def deals():
    """(ranks of both cards and of what both may draw, probability)."""
    for ranks in product(range(RANKS), repeat=4):
        ways = np.prod([max(SUITS - ranks[:i].count(rank), 0) / (RANKS * SUITS - i) for i, rank in enumerate(ranks)])
        if ways > 0:
            yield ranks, float(ways)


def seen_of(ranks):
    """A deal as the kernels take it."""
    rows, strengths = np.zeros((2, 6, 4), dtype=np.int64), np.zeros((2, 4), dtype=np.int64)
    for p in range(2):
        own, drawn = ranks[p], ranks[2 + p]
        rows[p, 5, 0] = own
        rows[p, 2:4, :2] = own, 3 + 3 * own + drawn
        strengths[p, :2] = own, drawn
    return DealView(rows, strengths, np.full((2, 2, 4), -1, dtype=np.int64))


def game_of(layout):
    """The toy as an extensive game; an infoset is called by where its numbers are in a strategy."""
    builder = GameBuilder()
    root = builder.chance()

    def add(parent, by, node, seen):
        if TREE.n_actions[node] == 0:
            first, second = (seen.strengths[p, TREE.hands[node, p]] for p in range(2))
            sign = np.sign(first - second) if TREE.kind[node] == SHOWDOWN else 1
            builder.end(parent, by, float(sign * TREE.stake[node]))
            return
        p, table = int(TREE.player[node]), TREE.table[node]
        row = seen.rows[p, table, TREE.hands[node, p]]
        name = str(layout.base[table] + row * layout.width[table] + layout.slot[node])
        labels = [str(a) for a in range(TREE.n_actions[node])]
        number, child = builder.decision(parent, by, p, f"{p}:{name}", labels), node + 1
        for label in labels:
            add(number, label, child, seen)
            child = TREE.end[child]

    for ranks, chance in deals():
        add(root, chance, 0, seen_of(ranks))
    return builder.build()


def strategy_of(game, averages):
    """A strategy of the game from the kernels' numbers."""
    first = np.array([int(name.split(":")[1]) for name in game.names])
    chances = np.concatenate([averages[f : f + n] for f, n in zip(first, np.diff(game.first_action), strict=True)])
    return normalised(game.first_action, chances)


@njit(cache=True)
def _learn(tree, layout, regrets, averages, rows, strengths, picked, way, gamma):
    seen, scratch = _make_seen(2), _make_scratch(tree.kind.shape[0])
    seen.forced[:] = -1
    for t in range(picked.shape[0]):
        seen.rows[:], seen.strengths[:] = rows[picked[t]], strengths[picked[t]]
        for traverser in range(2 if way == EXTERNAL else 1):
            who, weight = -1 if way == CHANCE_ONLY else traverser, float(t + 1) ** gamma
            _walk(tree, layout, regrets, averages, seen, way, who, weight, scratch)


def _run(layout, numbers, way, iterations, gamma):
    dealt, chances = zip(*deals(), strict=True)
    seen = [seen_of(ranks) for ranks in dealt]
    picked = np.random.default_rng(3).choice(len(dealt), iterations, p=np.array(chances) / sum(chances))
    _learn(TREE, layout, *numbers, np.array([s.rows for s in seen]), np.array([s.strengths for s in seen]), picked, way, gamma)
    return numbers[1]


def learn(reads, sampler, iterations, gamma):
    """Averages after self-play on random deals."""
    layout = strategy_layout(TREE, N_ROWS, reads)
    numbers = tuple(np.zeros((2, int(layout.base[-1]))))
    return layout, _run(both(layout, layout, 0), numbers, CHANCE_ONLY if sampler == "chance" else EXTERNAL, iterations, gamma)


def respond(layout, fixed, iterations):
    """Averages of player 0 after responding to fixed ones of player 1 on random deals."""
    numbers = np.append(np.zeros_like(fixed), fixed), np.zeros_like(fixed)
    return _run(both(layout, layout, len(fixed)), numbers, RESPOND, iterations, 1.0)
