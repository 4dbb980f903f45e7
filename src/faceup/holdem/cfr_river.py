"""Self-play at the ends of hands and on the river, on buckets of holes instead of holes.

Within a river subtree the holes of a bucket (see holdem/board) play alike: their reach of a node is
their reach of the subtree's root times a product that belongs to the bucket. The value of a node to a
hole of cards a and b is value(bucket, 52) - value(bucket, a) - value(bucket, b), summed over the entries
of buckets, where the hole itself drops out of showdowns (it would win half and lose half) and is
added back at folds. So holes are touched only at the root.

The two players lie side by side in the arrays of a subgames, (.., 2, LANES), so that one loop serves
both: reach is with the player whose it is, and values are with the player whose holes they are won
from.
"""

import numpy as np
from numba import njit

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.board import matching_probability
from faceup.holdem.lanes import WIDE, add_wide, add_wide_product, product, subtract_wide
from faceup.holdem.river_subgames import LANES


@njit(cache=True)
def _match(subgames, row, chance):
    """Regret matching at every decision of a subgames: chance (n_nodes, LANES), by slot, from a row of
    the river's regrets.
    """
    total = np.empty(chance.shape[1], dtype=np.float32)
    for d in range(subgames.actor.shape[0]):
        first, end = subgames.first_child[d], subgames.first_child[d] + subgames.n_children[d]
        total[:] = 0
        for at in subgames.slot[first:end]:
            for j in range(subgames.node.shape[1]):
                chance[at, j] = max(row[subgames.node[at, j] - subgames.river], np.float32(0))
                total[j] += chance[at, j]
        for at in subgames.slot[first:end]:
            for j in range(total.shape[0]):
                chance[at, j] = matching_probability(chance[at, j], total[j], end - first)


@njit(cache=True)
def _reach(subgames, chance, reach_from_root):
    """Both players' reach of every node since the root: reach_from_root (n_nodes, 2, LANES), by slot, chance
    (n_nodes, LANES).
    """
    reach_from_root[subgames.slot[-1]] = 1
    for d in range(subgames.actor.shape[0]):
        above, who, other = subgames.decision[d], subgames.actor[d], 1 - subgames.actor[d]
        for at in subgames.slot[
            subgames.first_child[d] : subgames.first_child[d] + subgames.n_children[d]
        ]:
            for j in range(chance.shape[1]):
                reach_from_root[at, who, j] = reach_from_root[above, who, j] * chance[at, j]
                reach_from_root[at, other, j] = reach_from_root[above, other, j]


@njit(cache=True)
def _add_bucket(buckets, g, sums, reach_from_root, n, seen):
    """Add the reach of the first n ends, with the holes of a bucket, to the sums of their cards, seen
    (53, n_ends, WIDE).
    """
    for k in range(buckets.first[g], buckets.first[g + 1]):
        for e in range(n):
            at = (buckets.card[k] * seen.shape[1] + e) * WIDE
            add_wide_product(
                seen, at, reach_from_root, (g * reach_from_root.shape[1] + e) * WIDE, sums, k * WIDE
            )


@njit(cache=True)
def _add_all(buckets, n_shown, sums, reach_from_root, seen):
    """Sums of all holes by card: at folds as they are, at showdowns counted negative."""
    seen[:] = 0
    for g in range(buckets.equity.shape[0]):
        _add_bucket(buckets, g, sums, reach_from_root, seen.shape[1], seen)
    seen[:, :n_shown] *= -1


@njit(cache=True)
def _learn_bucket(subgames, sums, chance, reach_from_root, value, regrets, averages):
    """Values of decisions from those of ends, for a bucket; regrets and the actor's reach go to its
    rows of the tables.

    sums (2, LANES): reach of the root with all holes of the bucket; value (n_nodes, 2, LANES).
    """
    for d in range(subgames.actor.shape[0] - 1, -1, -1):
        above, who, other = subgames.decision[d], subgames.actor[d], 1 - subgames.actor[d]
        below = subgames.slot[
            subgames.first_child[d] : subgames.first_child[d] + subgames.n_children[d]
        ]
        value[above] = 0
        for at in below:
            for j in range(chance.shape[1]):
                value[above, other, j] += chance[at, j] * value[at, other, j]
                value[above, who, j] += value[at, who, j]
        for at in below:
            for j in range(subgames.node.shape[1]):
                regrets[subgames.node[at, j] - subgames.river] += (
                    value[at, other, j] - value[above, other, j]
                )
                averages[subgames.node[at, j] - subgames.river] += (
                    sums[who, j] * reach_from_root[at, who, j]
                )


@njit(cache=True, nogil=True)
def _sweep_subgames(subgames, buckets, joint, reach, value, regrets, averages):
    """Values of a subgames's roots, summed over the holes of joint buckets; tables learn from each bucket.

    joint (1081,): of each hole; reach, value (2, n_joint, n_nodes): reach is each player's own.
    """
    n_buckets, n_nodes, n_joint, roots = (
        buckets.equity.shape[0],
        subgames.slot.shape[0],
        reach.shape[1],
        subgames.node[-1],
    )
    at_root = np.zeros((n_joint, 2, LANES), dtype=np.float32)
    for player in range(2):
        for k in range(n_joint):
            for j in range(roots.shape[0]):
                at_root[k, player, j] = reach[player, k, roots[j]]
    sums = np.zeros((buckets.card.shape[0], 2, LANES), dtype=np.float32)
    for i in range(N_RIVER_HOLES):
        for entry in buckets.entries[i]:
            add_wide(sums, entry * WIDE, at_root, joint[i] * WIDE)
    chance = np.zeros((n_buckets, n_nodes, subgames.stake.shape[2]), dtype=np.float32)
    reach_from_root = np.empty((n_buckets, n_nodes, 2, LANES), dtype=np.float32)
    for g in range(n_buckets):
        _match(subgames, regrets[buckets.equity[g]], chance[g])
        _reach(subgames, chance[g], reach_from_root[g])
    root, own = _sweep_buckets(subgames, buckets, sums, chance, reach_from_root, regrets, averages)
    worth = np.zeros_like(at_root)
    for i in range(N_RIVER_HOLES):
        every, a, b = buckets.entries[i]
        add_wide(worth, joint[i] * WIDE, root, every * WIDE)
        subtract_wide(worth, joint[i] * WIDE, root, a * WIDE)
        subtract_wide(worth, joint[i] * WIDE, root, b * WIDE)
        add_wide_product(
            worth, joint[i] * WIDE, own, buckets.of_hole[i] * WIDE, at_root, joint[i] * WIDE
        )
    for player in range(2):
        for k in range(n_joint):
            for j in range(roots.shape[0]):
                value[1 - player, k, roots[j]] = worth[k, player, j]


@njit(cache=True)
def _sweep_buckets(subgames, buckets, sums, chance, reach_from_root, regrets, averages):
    """Values of all ends to all buckets, weakest first, and what each bucket learns.

    seen[c], by end, is twice the weight of weaker holes with card c, plus once that of the class at
    hand, less the total: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is the weight
    of all holes with the card.

    Returns values of the roots, summed over ends: root (n_entries, 2, LANES), and what folds give
    back for the hole itself, own (n_buckets, 2, LANES), for each unit of its reach.
    """
    n_shown, n_ends, n_buckets, n_nodes = (
        subgames.n_shown,
        subgames.n_ends,
        reach_from_root.shape[0],
        reach_from_root.shape[1],
    )
    root, own = np.zeros_like(sums), np.zeros((n_buckets, 2, LANES), dtype=np.float32)
    seen, weight = np.empty((53, n_ends, WIDE), np.float32), np.empty((n_ends, WIDE), np.float32)
    value = np.empty((n_nodes, 2, LANES), np.float32)
    won, stake = value[:n_ends].reshape(-1), subgames.stake.reshape(-1)
    _add_all(buckets, n_shown, sums, reach_from_root, seen)
    for cls in range(buckets.classes.shape[0] - 1):
        first, last = buckets.classes[cls], buckets.classes[cls + 1]
        for g in range(first, last):
            _add_bucket(buckets, g, sums, reach_from_root, n_shown, seen)
        for g in range(first, last):
            start = buckets.first[g]
            # the reach of the player whom an end is worth something to, times the stake
            for e in range(n_ends):
                at = (g * n_nodes + e) * WIDE
                product(weight, e * WIDE, reach_from_root, at + LANES, subgames.stake, e * WIDE)
                product(
                    weight, e * WIDE + LANES, reach_from_root, at, subgames.stake, e * WIDE + LANES
                )
            won[:] = 0
            for k in range(start, buckets.first[g + 1]):
                _add_entry(buckets.count[k], seen[buckets.card[k]], won)
                for e in range(n_ends):
                    add_wide_product(
                        root,
                        k * WIDE,
                        weight,
                        e * WIDE,
                        seen,
                        (buckets.card[k] * n_ends + e) * WIDE,
                    )
            for e in range(n_shown, n_ends):  # at folds the hole itself is counted back
                at = (g * n_nodes + e) * WIDE
                add_wide_product(value, e * WIDE, reach_from_root, at, sums, start * WIDE)
                add_wide_product(own, g * WIDE, reach_from_root, at, weight, e * WIDE)
            for x in range(won.shape[0]):
                won[x] *= stake[x]  # so far a bucket's values were for a dollar
            _learn_bucket(
                subgames,
                sums[start],
                chance[g],
                reach_from_root[g],
                value,
                regrets[buckets.equity[g]],
                averages[buckets.equity[g]],
            )
        for g in range(first, last):
            _add_bucket(buckets, g, sums, reach_from_root, n_shown, seen)
    return root, own


@njit(cache=True)
def _add_entry(count, seen, won):
    for e in range(seen.shape[0]):
        for x in range(seen.shape[1]):
            won[e * WIDE + x] += count * seen[e, x]
