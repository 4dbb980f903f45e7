"""Bet sizes that a strategy does not know: an opponent's read as its own, and its own turned into legal dollars.

An agent that reads dollars needs only the second. A table agent, whose strategy stands on a betting tree, reads an opponent's
size by the randomised pseudo-harmonic mapping (Ganzfried & Sandholm 2013, "Action translation in extensive-form games with
large action spaces", Section 7): of the neighbouring sizes A < x < B on the tree, in fractions of the pot, the smaller with
probability (B - x)(1 + A) / ((B - A)(1 + x)). The mixture then calls a bet of x as often as makes a bluff of x indifferent.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence

import numpy as np

from faceup.holdem.betting.betting_tree import CALL, DECISION, FOLD, STACK, BettingState, BettingTree, legal_raises, pot_and_call
from faceup.holdem.betting.notation import Move, read_line


def lower_probability(x: float, a: float, b: float) -> float:
    """Probability with which a bet of x pots is read as a rather than b pots, 0 <= a <= x <= b, a < b.

    Raises ValueError on sizes out of that order.
    """
    if not 0 <= a <= x <= b or a >= b:
        raise ValueError(f"sizes {a} <= {x} <= {b}: expected 0 <= a <= x <= b and a < b")
    return (b - x) * (1 + a) / ((b - a) * (1 + x))


def nearest_size(x: float, sizes: Sequence[float], u: float) -> int:
    """Index of the size that a bet of x pots is read as; sizes ascending, u uniform in [0, 1).

    A bet below the smallest or above the largest size is read as that size. Raises ValueError where there are no sizes.
    """
    read = size_chances(x, sizes)
    return read[0][0] if u < read[0][1] else read[-1][0]


def size_chances(x: float, sizes: Sequence[float]) -> list[tuple[int, float]]:
    """(index, probability) of the one or two sizes that a bet of x pots is read as, the smaller first; as in `nearest_size`."""
    if not len(sizes):
        raise ValueError("sizes: there are none, expected at least one")
    above = bisect_right(sizes, x)
    if above == 0 or above == len(sizes):
        return [(min(above, len(sizes) - 1), 1.0)]
    smaller = lower_probability(x, sizes[above - 1], sizes[above])
    return [(above - 1, smaller), (above, 1 - smaller)] if smaller < 1 else [(above - 1, 1.0)]


def legal_action(label: str, state: BettingState) -> tuple[str, int]:
    """The action of a label in a state of real dollars, as `act` takes it: never an illegal one.

    A raise by a fraction of the pot is brought to at least the minimum and to at most all-in; where no raise is legal it is a
    call, and so is a fold that nothing asks for. Raises ValueError on an unknown label.
    """
    pot, to_call = pot_and_call(state)
    if label in ("fold", "call"):
        return ("fold" if label == "fold" and to_call else "call"), 0
    if label != "all_in" and not label.startswith("raise_"):
        raise ValueError(f"label {label!r}: expected fold, call, raise_<pots> or all_in")
    least, most = legal_raises(state)
    if not least:
        return "call", 0
    if label == "all_in":
        return "raise", most
    wanted = state.bets[1 - state.actor][state.street] + round(float(label.removeprefix("raise_")) * (pot + to_call))
    return "raise", min(max(wanted, least), most)


def node_after(tree: BettingTree, betting: str, player: int, draw: Callable[[int], float]) -> int:
    """The node of a tree as which a player of its strategy reads a line of real dollars.

    draw(i): a number in [0, 1) for the line's i-th action, the same whenever it is asked for in one hand. The player's own
    raises are known by the dollars that the tree's labels stand for. May return an end where the tree's players are all-in and
    the real ones are not. Raises ValueError as `read_line`.
    """
    node = 0
    for i, move in enumerate(read_line(betting).moves):
        if tree.kind[node] != DECISION:
            break
        node = child(tree, node, _label(tree, node, move, player, draw(i)))
    return node


def children(tree: BettingTree, node: int) -> range:
    """The nodes below a node."""
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_children[node]))


def child(tree: BettingTree, node: int, label: int) -> int:
    """The node below a node that a label leads to."""
    return next(c for c in children(tree, node) if tree.label[c] == label)


def _label(tree: BettingTree, node: int, move: Move, player: int, u: float) -> int:
    """The label as which a move is read at a node."""
    if not move.token.startswith("b"):
        return FOLD if move.token == "f" else CALL
    amount = int(move.token[1:])
    if move.player == player:
        raises = [c for c in children(tree, node) if tree.label[c] > CALL]
        own = [c for c in raises if legal_action(tree.labels[tree.label[c]], move.before) == ("raise", amount)]
        if own:
            return int(tree.label[own[0]])
    chances = read_raise(tree, node, move.before, amount)
    return int(tree.label[chances[0][0] if u < chances[0][1] else chances[-1][0]])


def read_raise(tree: BettingTree, node: int, state: BettingState, amount: int) -> list[tuple[int, float]]:
    """The one or two nodes as which an opponent's raise to `amount` dollars is read in a state, and their probabilities."""
    raises = [c for c in children(tree, node) if tree.label[c] > CALL]
    if not raises:
        return [(child(tree, node, CALL), 1.0)]  # on the tree somebody is all-in: nothing bigger to read it as
    if amount == STACK - sum(state.bets[state.actor]) + state.bets[state.actor][state.street]:
        return [(raises[-1], 1.0)]  # all-in is all-in
    pot, to_call = pot_and_call(state)
    x = (amount - state.bets[1 - state.actor][state.street]) / (pot + to_call)
    return [(raises[k], p) for k, p in size_chances(x, raise_sizes(tree, node, raises))]


def raise_sizes(tree: BettingTree, node: int, raises: Sequence[int]) -> list[float]:
    """Raises of a node as fractions of the pot after calling, ascending."""
    actor, street = int(tree.actor[node]), int(tree.street[node])
    put = tree.bets[node].sum(axis=1)
    base, called = int(tree.bets[node, 1 - actor, street]), 2 * int(np.max(put))
    return [(int(tree.bets[c, actor, street]) - base) / called for c in raises]
