"""Which conditions on a tree's path decide its answer: a few that alone fix its likeliest action.

A path asks up to fifteen questions, and most of them would not change the action. As in anchors
(Ribeiro, Singh and Guestrin 2018) we look for the fewest conditions with which the action stays the
same in a share ENOUGH of the cases: those on the hand among all hands that are possible on the
board after this betting, those on the betting among the betting lines of the tree's training, for
which the weights of its branches stand. The browser pages do the same (pages/agent.js).
"""

from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from faceup.holdem.policy import legal_probabilities
from faceup.holdem.wording import Range, Step, merged, path_steps
from faceup.trees.tree import DecisionTree, leaf_of

ENOUGH = 0.9
MOST = 4  # conditions


class Deciding(NamedTuple):
    """The conditions that decide, the hand's first, and what they say of all possible hands."""

    ranges: dict[str, Range]
    met: int  # hands that meet them
    same: int  # those of them with the same likeliest action


def deciding(
    tree: DecisionTree,
    names: Sequence[str],
    x: np.ndarray,
    hands: np.ndarray,
    legal: np.ndarray,
    given: Collection[str] = (),
) -> Deciding:
    """The conditions that decide the answer of a tree with the features `names`.

    x (f,): the hand's features; hands (n, f): those of all possible hands, with the same betting;
    legal (k,): labels of the legal actions; given: features of the betting that are no news, as
    what the opponent put in where there is nothing to call.
    """
    likeliest = legal_probabilities(tree.value, legal).argmax(axis=1)
    leaf = int(leaf_of(tree, x[None])[0])
    kept = likeliest == likeliest[leaf]  # (n_nodes,)
    same, column = kept[leaf_of(tree, hands)], {name: k for k, name in enumerate(names)}
    limits = [
        (name, limit, above)
        for name, (low, high) in merged(path_steps(tree, names, leaf)).items()
        for limit, above in ((low, True), (high, False))
        if isfinite(limit)
    ]

    def met(chosen: Sequence[Step]) -> np.ndarray:
        """Which hands meet all chosen conditions, (n,) bool."""
        found = np.ones(len(hands), dtype=bool)
        for name, limit, above in chosen:
            found &= (hands[:, column[name]] > limit) == above
        return found

    def hand_share(chosen: Sequence[Step]) -> tuple[float, float]:
        """The share of those hands with the same action, and their number."""
        found = met(chosen)
        return same[found].sum() / found.sum(), found.sum()

    fixed = [is_hand(name) or name in given for name in names]

    def betting_share(chosen: Sequence[Step]) -> tuple[float, float]:
        """The share of betting lines that meet them with the same action, twice."""
        ranges = merged(chosen)
        known = [ranges.get(name, (-inf, inf)) for name in names]
        share = _kept_share(tree, kept, np.where(fixed, x, np.nan), known)
        return share, share

    hand = _fewest([step for step in limits if is_hand(step[0])], MOST, hand_share)
    free = [step for step in limits if not fixed[column[step[0]]]]
    betting = _fewest(free, MOST - len(merged(hand)), betting_share)
    found = met(hand)
    return Deciding(merged([*hand, *betting]), int(found.sum()), int(same[found].sum()))


def is_hand(name: str) -> bool:
    """Whether a feature is the hand's, not the betting's."""
    return "equity" in name


def _fewest(
    limits: Sequence[Step], most: int, share: Callable[[Sequence[Step]], tuple[float, float]]
) -> Sequence[Step]:
    """The fewest limits with a share of at least ENOUGH, or else those with the largest share.

    share: of some limits, and the number by which one prefers among equally many that are enough.
    """
    best, found = (False, -1.0), tuple[Step, ...]()
    for n in range(min(most, len(limits)) + 1):
        for chosen in combinations(limits, n):
            part, preferred = share(chosen)
            rank = (True, preferred) if part >= ENOUGH else (False, part)
            if rank > best:
                best, found = rank, chosen
        if best[0]:
            break
    return found


def _kept_share(
    tree: DecisionTree,
    kept: np.ndarray,
    x: np.ndarray,
    known: Sequence[Range],
    node: int = 0,
) -> float:
    """The share of a branch's weight that keeps the action, (n_nodes,) bool.

    x (f,): the features that are fixed, the others NaN; known: the ranges of those.
    """
    k, threshold = tree.feature[node], tree.threshold[node]
    if k < 0:
        return float(kept[node])
    at_most, above = x[k] <= threshold, x[k] > threshold
    if np.isnan(x[k]):
        at_most, above = known[k][0] < threshold, known[k][1] > threshold
    sides = [int(side[node]) for side, met in ((tree.left, at_most), (tree.right, above)) if met]
    shares = [_kept_share(tree, kept, x, known, side) for side in sides]
    return float(np.average(shares, weights=tree.weight[sides]))
