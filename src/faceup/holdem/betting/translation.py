"""Bet sizes that a strategy does not know: an opponent's read as its own, and its own turned into legal dollars.

An agent that reads dollars needs only the second. A table agent, whose strategy stands on a betting tree, reads an opponent's
size by the randomised pseudo-harmonic mapping (Ganzfried & Sandholm 2013, "Action translation in extensive-form games with
large action spaces", Section 7): of the neighbouring sizes A < x < B on the tree, in fractions of the pot, the smaller with
probability (B - x)(1 + A) / ((B - A)(1 + x)). The mixture then calls a bet of x as often as makes a bluff of x indifferent.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from faceup.holdem.betting.betting_tree import (
    CALL,
    DECISION,
    FOLD,
    BettingState,
    BettingTree,
    children,
    legal_raises,
    pot_and_call,
)
from faceup.holdem.betting.notation import read_line


def lower_probability(x: float, a: float, b: float) -> float:
    """Probability with which a bet of x pots is read as a rather than b pots, 0 <= a <= x <= b, a < b."""
    return (b - x) * (1 + a) / ((b - a) * (1 + x))


def size_chances(x: float, sizes: Sequence[float]) -> list[tuple[int, float]]:
    """(index, probability) of the one or two sizes that a bet of x pots is read as, the smaller first; sizes ascending.

    A bet below the smallest or above the largest size is read as that size.
    """
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
        below = children(tree, node) if move.player == player else ()
        own = [c for c in below if legal_action(tree.labels[tree.label[c]], move.before) == move.action]
        read = [(own[0], 1.0)] if own else read_action(tree, node, move.before, *move.action)
        node = read[0][0] if draw(i) < read[0][1] else read[-1][0]
    return node


def read_action(tree: BettingTree, node: int, state: BettingState, action: str, amount: int) -> list[tuple[int, float]]:
    """The one or two nodes as which an opponent's action in a state is read, and their probabilities."""
    below = {int(tree.label[c]): c for c in children(tree, node)}
    raises = [c for label, c in below.items() if label > CALL]
    if action != "raise" or not raises:  # where the tree's players are all-in nothing bigger can be read
        return [(below[FOLD if action == "fold" else CALL], 1.0)]
    if amount == legal_raises(state)[1]:
        return [(raises[-1], 1.0)]  # all-in is all-in
    pot, to_call = pot_and_call(state)
    x = (amount - state.bets[1 - state.actor][state.street]) / (pot + to_call)
    actor, street = int(tree.actor[node]), int(tree.street[node])
    base, called = int(tree.bets[node, 1 - actor, street]), 2 * int(tree.bets[node].sum(axis=1).max())
    sizes = [(int(tree.bets[c, actor, street]) - base) / called for c in raises]
    return [(raises[k], p) for k, p in size_chances(x, sizes)]
