"""Self-play at the ends of hands and on the river, by groups of holes instead of holes.

Within a river subgame the holes of a group have one strategy: their reach of a node is their reach
of the root times a product that belongs to the group. The value of a node to a hole of cards a and
b is value(group, ALL) - value(group, a) - value(group, b), summed over entries, where the hole
itself drops out of showdowns (it would win half and lose half) and is added back at folds. So holes
are touched only at the root. The head of `holdem/board` has a table of these indices: place, group,
entry, slot, lane.

The two players lie side by side in the arrays of a sweep, (.., 2, LANES), so that one loop serves
both. Reach is at the index of the player whose it is. Values are at the index of the player against
whom they are won (`value_against`): what the actor wins stands at the opponent's index. Arrays by
node are in the order of slots (`RiverSubgames`).
"""

import numpy as np
from numba import njit

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.board import N_SUMS
from faceup.holdem.regret_matching import matching_probability
from faceup.holdem.river_subgames import LANES
from faceup.holdem.vector_arithmetic import (
    BOTH_LANES,
    add_both,
    add_product_both,
    product,
    subtract_both,
)


@njit(cache=True)
def _match_group_regrets(subgames, row, probability):
    """Regret matching at every decision: probability (n_nodes, LANES) from a row (width,) of the
    river's regrets; float32.
    """
    total = np.empty(probability.shape[1], dtype=np.float32)
    for d in range(subgames.actor.shape[0]):
        first, end = subgames.first_child[d], subgames.first_child[d] + subgames.n_children[d]
        total[:] = 0
        for k in range(first, end):
            at, node = subgames.slot[k], subgames.tree_node[k]
            for j in range(node.shape[0]):
                probability[at, j] = max(row[node[j] - subgames.first_node], np.float32(0))
                total[j] += probability[at, j]
        for at in subgames.slot[first:end]:
            for j in range(total.shape[0]):
                probability[at, j] = matching_probability(probability[at, j], total[j], end - first)


@njit(cache=True)
def fill_reach(subgames, probability, reach_from_root):
    """Both players' reach of every node from the root, reach_from_root (n_nodes, 2, LANES), from
    probability (n_nodes, LANES); float32.
    """
    reach_from_root[subgames.slot[-1]] = 1
    for d in range(subgames.actor.shape[0]):
        actor, opponent, first = subgames.actor[d], 1 - subgames.actor[d], subgames.first_child[d]
        above = reach_from_root[subgames.slot[subgames.decision[d]]]
        for at in subgames.slot[first : first + subgames.n_children[d]]:
            for j in range(probability.shape[1]):
                reach_from_root[at, actor, j] = above[actor, j] * probability[at, j]
                reach_from_root[at, opponent, j] = above[opponent, j]


@njit(cache=True)
def add_group(groups, g, sums, reach_from_root, n, card_sums):
    """Add the reach of the first n ends, with the holes of group g, to the sums of their cards.

    sums (n_entries, BOTH_LANES): reach of the root; reach_from_root (n_groups, n_nodes, 2, LANES);
    card_sums (53, n_ends, BOTH_LANES); float32.
    """
    for k in range(groups.first[g], groups.first[g + 1]):
        for e in range(n):
            at, offset = groups.card[k] * card_sums.shape[1] + e, g * reach_from_root.shape[1] + e
            add_product_both(
                card_sums,
                at * BOTH_LANES,
                reach_from_root,
                offset * BOTH_LANES,
                sums,
                k * BOTH_LANES,
            )


@njit(cache=True)
def sum_groups(groups, n_shown, sums, reach_from_root, card_sums):
    """Fill sums of all holes by card: at folds as they are, at showdowns negative. Shapes as in
    `add_group`.
    """
    card_sums[:] = 0
    for g in range(groups.row.shape[0]):
        add_group(groups, g, sums, reach_from_root, card_sums.shape[1], card_sums)
    card_sums[:, :n_shown] *= -1


@njit(cache=True)
def _learn_group(
    subgames, sums, probability, reach_from_root, value_against, regrets, strategy_sums
):
    """Fill values of decisions from those of ends, for a group; add regrets and the actor's reach
    to its rows of the tables, regrets and strategy_sums (width,).

    sums (2, LANES): reach of the root with all holes of the group; probability (n_nodes, LANES);
    reach_from_root, value_against (n_nodes, 2, LANES); float32.
    """
    for d in range(subgames.actor.shape[0] - 1, -1, -1):
        actor, opponent, first = subgames.actor[d], 1 - subgames.actor[d], subgames.first_child[d]
        end = first + subgames.n_children[d]
        node_value = value_against[subgames.slot[subgames.decision[d]]]
        node_value[:] = 0
        for at in subgames.slot[first:end]:
            for j in range(probability.shape[1]):
                node_value[opponent, j] += probability[at, j] * value_against[at, opponent, j]
                node_value[actor, j] += value_against[at, actor, j]
        for k in range(first, end):
            at, node = subgames.slot[k], subgames.tree_node[k]
            for j in range(node.shape[0]):
                column = node[j] - subgames.first_node
                regrets[column] += value_against[at, opponent, j] - node_value[opponent, j]
                strategy_sums[column] += sums[actor, j] * reach_from_root[at, actor, j]


@njit(cache=True, nogil=True)
def sweep_subgames(subgames, groups, joint_bucket, reach, value, regrets, strategy_sums):
    """Values of the roots, summed over the holes of joint buckets; tables learn from each group.

    joint_bucket (1081,) int64: of the hole at each place; reach, value (2, n_joint, n_nodes)
    float32: of a player, reach its own; regrets, strategy_sums (1981, width) float32: the river's
    tables.
    """
    n_groups, n_nodes, n_joint = groups.row.shape[0], subgames.slot.shape[0], reach.shape[1]
    roots = subgames.tree_node[-1]
    at_root = np.zeros((n_joint, 2, LANES), dtype=np.float32)
    for player in range(2):
        for k in range(n_joint):
            for j in range(roots.shape[0]):
                at_root[k, player, j] = reach[player, k, roots[j]]
    sums = np.zeros((groups.card.shape[0], 2, LANES), dtype=np.float32)
    for i in range(N_RIVER_HOLES):
        for entry in groups.entries[i]:
            add_both(sums, entry * BOTH_LANES, at_root, joint_bucket[i] * BOTH_LANES)
    probability = np.zeros((n_groups, n_nodes, LANES), dtype=np.float32)
    reach_from_root = np.empty((n_groups, n_nodes, 2, LANES), dtype=np.float32)
    for g in range(n_groups):
        _match_group_regrets(subgames, regrets[groups.row[g]], probability[g])
        fill_reach(subgames, probability[g], reach_from_root[g])
    root_value_against, fold_credit_against = _sweep_groups(
        subgames, groups, sums, probability, reach_from_root, regrets, strategy_sums
    )
    value_against = np.zeros_like(at_root)
    for i in range(N_RIVER_HOLES):
        (every, a, b), at, g = groups.entries[i], joint_bucket[i] * BOTH_LANES, groups.of_hole[i]
        add_both(value_against, at, root_value_against, every * BOTH_LANES)
        subtract_both(value_against, at, root_value_against, a * BOTH_LANES)
        subtract_both(value_against, at, root_value_against, b * BOTH_LANES)
        add_product_both(value_against, at, fold_credit_against, g * BOTH_LANES, at_root, at)
    for player in range(2):
        for k in range(n_joint):
            for j in range(roots.shape[0]):
                value[1 - player, k, roots[j]] = value_against[k, player, j]


@njit(cache=True)
def _sweep_groups(subgames, groups, sums, probability, reach_from_root, regrets, strategy_sums):
    """Values of all ends to all groups, weakest first, and what each group learns.

    sums (n_entries, 2, LANES): reach of the root; probability (n_groups, n_nodes, LANES);
    reach_from_root (n_groups, n_nodes, 2, LANES); float32.

    card_sums[c], by end, is twice the weight of weaker holes with card c, plus once that of the
    strength at hand, less the total: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is
    the weight of all holes with the card.

    Returns values of the roots, summed over ends, root_value_against (n_entries, 2, LANES); and
    fold_credit_against (n_groups, 2, LANES), what folds give back for the hole itself, a unit of
    its reach.
    """
    n_shown, n_ends = subgames.n_shown, subgames.n_ends
    n_groups, n_nodes = reach_from_root.shape[0], reach_from_root.shape[1]
    root_value_against = np.zeros_like(sums)
    fold_credit_against = np.zeros((n_groups, 2, LANES), dtype=np.float32)
    card_sums = np.empty((N_SUMS, n_ends, BOTH_LANES), np.float32)
    staked_reach = np.empty((n_ends, BOTH_LANES), np.float32)
    value_against = np.empty((n_nodes, 2, LANES), np.float32)
    won, stake = value_against[:n_ends].reshape(-1), subgames.stake_against.reshape(-1)
    sum_groups(groups, n_shown, sums, reach_from_root, card_sums)
    for strength in range(groups.first_of_strength.shape[0] - 1):
        first, end = groups.first_of_strength[strength], groups.first_of_strength[strength + 1]
        for g in range(first, end):
            add_group(groups, g, sums, reach_from_root, n_shown, card_sums)
        for g in range(first, end):
            start, row = groups.first[g], groups.row[g]
            # the reach of the player who wins the stake, times the stake: at the opponent's index
            for e in range(n_ends):
                x, at = e * BOTH_LANES, (g * n_nodes + e) * BOTH_LANES
                product(staked_reach, x, reach_from_root, at + LANES, stake, x)
                product(staked_reach, x + LANES, reach_from_root, at, stake, x + LANES)
            won[:] = 0
            for k in range(start, groups.first[g + 1]):
                card = groups.card[k]
                _add_entry(groups.coefficient[k], card_sums[card], won)
                for e in range(n_ends):
                    of_card = (card * n_ends + e) * BOTH_LANES
                    add_product_both(
                        root_value_against,
                        k * BOTH_LANES,
                        staked_reach,
                        e * BOTH_LANES,
                        card_sums,
                        of_card,
                    )
            for e in range(n_shown, n_ends):  # at folds the hole itself is counted back
                at = (g * n_nodes + e) * BOTH_LANES
                add_product_both(
                    value_against, e * BOTH_LANES, reach_from_root, at, sums, start * BOTH_LANES
                )
                add_product_both(
                    fold_credit_against,
                    g * BOTH_LANES,
                    reach_from_root,
                    at,
                    staked_reach,
                    e * BOTH_LANES,
                )
            for x in range(won.shape[0]):
                won[x] *= stake[x]  # so far a group's values were for a dollar
            tables = regrets[row], strategy_sums[row]
            _learn_group(
                subgames, sums[start], probability[g], reach_from_root[g], value_against, *tables
            )
        for g in range(first, end):
            add_group(groups, g, sums, reach_from_root, n_shown, card_sums)
    return root_value_against, fold_credit_against


@njit(cache=True)
def _add_entry(coefficient, card_sums, won):
    """Add card_sums (n_ends, BOTH_LANES) times an entry's coefficient to won (n_ends *
    BOTH_LANES,).
    """
    for e in range(card_sums.shape[0]):
        for x in range(card_sums.shape[1]):
            won[e * BOTH_LANES + x] += coefficient * card_sums[e, x]
