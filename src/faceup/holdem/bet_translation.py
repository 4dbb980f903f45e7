"""Action translation: bets of sizes that are not on the tree.

A table policy, whose strategy is for a betting tree, reads an opponent's size by the randomized
pseudo-harmonic mapping (Ganzfried & Sandholm 2013, "Action translation in extensive-form games with
large action spaces", Section 7): of the neighboring sizes A < x < B on the tree, in fractions of
the pot, the smaller with probability (B - x)(1 + A) / ((B - A)(1 + x)). The mixture then calls a
bet of x as often as makes a bluff of x indifferent.
"""

from bisect import bisect_right
from collections.abc import Sequence

from faceup.holdem.betting_tree import BettingTree, children
from faceup.holdem.rules import (
    CALL,
    FOLD,
    BettingState,
    legal_raises,
    pot_and_call,
)


def pseudo_harmonic(x: float, a: float, b: float) -> float:
    """Probability with which a bet of x pots is read as a rather than b pots, 0 <= a <= x <= b, a <
    b.
    """
    return (b - x) * (1 + a) / ((b - a) * (1 + x))


def translate_size(x: float, sizes: Sequence[float]) -> list[tuple[int, float]]:
    """(index, probability) of the one or two sizes that a bet of x pots is read as, the smaller
    first; sizes ascending.

    A bet below the smallest or above the largest size is read as that size.
    """
    above = bisect_right(sizes, x)
    if above == 0 or above == len(sizes):
        return [(min(above, len(sizes) - 1), 1.0)]
    smaller = pseudo_harmonic(x, sizes[above - 1], sizes[above])
    return [(above - 1, smaller), (above, 1 - smaller)] if smaller < 1 else [(above - 1, 1.0)]


def translate_action(
    tree: BettingTree, node: int, state: BettingState, action: str, amount: int
) -> list[tuple[int, float]]:
    """The one or two nodes as which an opponent's action in a state is read, and their
    probabilities.
    """
    below = {int(tree.label[c]): c for c in children(tree, node)}
    raises = [c for label, c in below.items() if label > CALL]
    # where the tree's players are all-in nothing bigger can be read
    if action != "raise" or not raises:
        return [(below[FOLD if action == "fold" else CALL], 1.0)]
    if amount == legal_raises(state)[1]:
        return [(raises[-1], 1.0)]  # all-in is all-in
    pot, to_call = pot_and_call(state)
    x = (amount - state.bets[1 - state.actor][state.street]) / (pot + to_call)
    actor, street = int(tree.actor[node]), int(tree.street[node])
    base, called = (
        int(tree.bets[node, 1 - actor, street]),
        2 * int(tree.bets[node].sum(axis=1).max()),
    )
    sizes = [(int(tree.bets[c, actor, street]) - base) / called for c in raises]
    return [(raises[k], p) for k, p in translate_size(x, sizes)]
