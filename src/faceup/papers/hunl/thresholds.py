"""Thresholds of bet sizes that an opponent may hit (paper 000, Section 5).

A decision tree knows only the bets of its betting abstraction. A threshold between two of them
stands midway, by the rule of the learner and not because of any row. A bet that equals it, such as
a raise to 200 dollars between 100 and 300, is read as the smaller of the two.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import STREETS
from faceup.cards.features import BET_NAMES, BETTING_FEATURES, FEATURE_NAMES
from faceup.holdem.betting_tree import BettingTree, action_to, build_tree, children
from faceup.holdem.policy import ModelPolicy
from faceup.holdem.rules import START, Menu, act, legal_raises, pot_and_call, size_name

COMMON_POTS = (1 / 3, 1 / 2, 2 / 3, 3 / 4, 1, 3 / 2, 2)  # bets and raises that players make


class Suspicious(NamedTuple):
    """Suspicious thresholds of one street's decision tree; k nodes."""

    nodes: np.ndarray  # (k,) int64
    smaller: np.ndarray  # (k,) float32: the abstraction's next size below the threshold, dollars
    larger: np.ndarray  # (k,) float32: and above it
    questions: int  # of the tree that ask for a bet of the opponent, suspicious or not


class Threshold(NamedTuple):
    """A suspicious threshold, at all nodes of a street's tree that share it."""

    street: str
    feature: str
    dollars: float
    smaller: float  # the abstraction's neighboring sizes, dollars
    larger: float
    nodes: int
    stake: float  # share of the tree's weight that comes to these nodes


def common_bets(tree: BettingTree, pots: Sequence[float] = COMMON_POTS) -> list[set[int]]:
    """The dollars to which bets and raises by `pots` bring a player's bet, one set a street: all
    legal ones, short of all-in, at decisions of a betting tree that starts with the blinds.
    """
    found, queue = [set[int]() for _ in range(4)], [(0, START)]
    for node, state in queue:  # grows while it is walked
        pot, to_call = pot_and_call(state)
        least, most = legal_raises(state)
        base = state.bets[1 - state.actor][state.street]
        amounts = (base + round(fraction * (pot + to_call)) for fraction in pots)
        found[state.street].update(amount for amount in amounts if least <= amount < most)
        for child in children(tree, node):
            after, _ = act(state, *action_to(tree, child))
            queue += [(child, after)] if after else []
    return found


def suspicious_thresholds(
    policy: ModelPolicy, street: int, pots: Sequence[float] = COMMON_POTS
) -> Suspicious:
    """The thresholds of a street's decision tree that are suspicious by two conditions.

    A threshold of an opponent's bet stands exactly midway between two neighbors among the sizes
    that come to its node in the policy's betting abstraction; and it is a common bet (`pots`) on
    the street of that bet.
    """
    model, inputs = policy.models[street], policy.betting_inputs[street].features
    names, bets = BETTING_FEATURES[policy.feature_set], common_bets(policy.tree, pots)
    comes = np.zeros((len(model.feature), len(inputs)), dtype=bool)  # inputs to nodes
    comes[0], found, questions = True, [], 0
    for node in np.flatnonzero(model.feature >= 0):  # parents come before children
        column, threshold = model.feature[node] - len(FEATURE_NAMES[street]), model.threshold[node]
        left = right = comes[node]
        if column >= 0:
            size = inputs[:, column]
            left, right = comes[node] & (size <= threshold), comes[node] & (size > threshold)
        comes[model.left[node]], comes[model.right[node]] = left, right
        if column < 0 or names[column] not in BET_NAMES:
            continue
        questions += 1
        if left.any() and right.any():
            smaller, larger = size[left].max(), size[right].min()
            common = float(threshold) in bets[BET_NAMES.index(names[column])]
            if common and smaller + larger == 2 * threshold:
                found.append((node, smaller, larger))
    nodes, smaller, larger = np.array(found, dtype=np.float64).reshape(-1, 3).T
    sizes = smaller.astype(np.float32), larger.astype(np.float32)
    return Suspicious(nodes.astype(np.int64), *sizes, questions)


def with_mended_thresholds(policy: ModelPolicy, pots: Sequence[float] = COMMON_POTS) -> ModelPolicy:
    """The policy with every suspicious threshold moved down to the smaller size: what is larger
    than that is read as the larger one. On its own betting abstraction it plays as before.

    A size x between A and B pots should be read as A with probability (B - x)(1 + A) / ((B - A)(1 +
    x)) (`bet_translation`). Midway this is (1 + A) / (2 + A + B), less than a half: the larger size
    is the likelier reading. The error of that reading costs the pot at most, by folding too often;
    that of the other costs up to the stack, by calling too often.
    """
    models = []
    for street, model in enumerate(policy.models):
        found, threshold = suspicious_thresholds(policy, street, pots), model.threshold.copy()
        threshold[found.nodes] = found.smaller
        models.append(model._replace(threshold=threshold))
    return ModelPolicy(policy.tree, models, policy.equities, policy.feature_set)


def list_suspicious(
    policy: ModelPolicy, pots: Sequence[float] = COMMON_POTS
) -> tuple[list[Threshold], list[int]]:
    """All suspicious thresholds of four decision trees, the largest stake of each street first, and
    the number of each street's questions about the opponent's bets.
    """
    listed, questions = [], []
    for street, model in enumerate(policy.models):
        found = suspicious_thresholds(policy, street, pots)
        columns, names = model.feature[found.nodes], BETTING_FEATURES[policy.feature_set]
        key = np.stack([columns, model.threshold[found.nodes], found.smaller, found.larger], axis=1)
        distinct, where = np.unique(key, axis=0, return_inverse=True)
        stake = np.bincount(where.reshape(-1), model.weight[found.nodes] / model.weight[0])
        nodes = np.bincount(where.reshape(-1))
        questions.append(found.questions)
        for k in np.argsort(-stake, kind="stable"):
            column, *dollars = distinct[k].tolist()
            name = names[int(column) - len(FEATURE_NAMES[street])]
            row = STREETS[street], name, *dollars, int(nodes[k]), float(stake[k])
            listed.append(Threshold(*row))
    return listed, questions


def with_flop_bet(policy: ModelPolicy, menu: Menu, pots: float) -> ModelPolicy:
    """The policy on the tree of a menu with one more first bet on the flop, of `pots`, which the
    policy reads in dollars and never makes.
    """
    first, *later = menu["flop"]
    tree = build_tree(menu | {"flop": [[*first, pots], *(later or [first])]})
    label = tree.labels.index(size_name(pots))
    models = [
        model._replace(value=np.insert(model.value, label, 0, axis=1)) for model in policy.models
    ]
    return ModelPolicy(tree, models, policy.equities, policy.feature_set)
