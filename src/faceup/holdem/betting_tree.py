"""The betting of heads-up hold'em as a public tree in flat arrays.

A node is a decision of one player or an end of the hand (a fold or a showdown); dealing cards is
not a node, the street of a decision tells which cards lie. Node 0 is the root. Each node but the
root stands for the action that leads to it. Nodes are numbered so that parents come before
children, the children of a node are neighbors, the actions taken on one street are neighbors
(`street_start`), and so are, among them, those below one root of the street: a strategy on a street
has a row of numbers over its slice of the nodes for each group of hands.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import STREETS
from faceup.holdem.rules import (
    CALL,
    DECISION,
    FOLD,
    FOLD_END,
    START,
    BettingState,
    Menu,
    act,
    called,
    menu_labels,
    offered,
)

MOST_NODES = 1_000_000  # of a tree


class BettingTree(NamedTuple):
    """A public betting tree; n nodes."""

    labels: tuple[str, ...]  # names of actions: "fold", "call", "raise_1", .., "all_in"
    kind: np.ndarray  # (n,) int8: DECISION, FOLD_END or SHOWDOWN
    actor: np.ndarray  # (n,) int8: who decides, at a fold who has folded, -1 at a showdown
    parent: np.ndarray  # (n,) int32, -1 at the root
    label: np.ndarray  # (n,) int8: the action that leads here, -1 at the root
    first_child: np.ndarray  # (n,) int32, 0 at ends
    n_children: np.ndarray  # (n,) int8
    street: np.ndarray  # (n,) int8: street of a decision; at an end the street it was reached on
    # (n, 2, 4) int32: dollars each player has put in on each street, blinds included
    bets: np.ndarray
    # (5,) int32: nodes reached by an action on street s are street_start[s]..street_start[s + 1]
    street_start: np.ndarray


def build_tree(
    menu: Menu, start: BettingState = START, big_blind_menu: Menu | None = None
) -> BettingTree:
    """The public tree of a menu, from a state on.

    With another menu for the big blind it is a match tree: each seat's decisions offer the sizes of
    that seat's menu. Raises ValueError as `menu_labels`, and on a menu whose tree has more
    than MOST_NODES.
    """
    menus = (menu, menu if big_blind_menu is None else big_blind_menu)
    for each in menus:
        menu_labels(each)
    labels = menu_labels({s: [*menus[0][s], *menus[1][s]] for s in STREETS})
    return grow_tree(labels, lambda state: offered(state, menus[state.actor], labels), start)


def grow_tree(
    labels: tuple[str, ...],
    offers: Callable[[BettingState], list[tuple[int, str, int]]],
    start: BettingState,
) -> BettingTree:
    """The tree of the actions (label, action, amount) that are offered in each state."""
    # fields in the order of `BettingTree`
    rows: list[list] = [[DECISION, start.actor, -1, -1, 0, 0, start.street, start.bets]]
    streets: list[list[tuple[int, BettingState]]] = [[], [], [], []]
    streets[start.street].append((0, start))
    street_start = [1]
    for street in range(4):
        for root in streets[street]:
            queue = [root]
            for node, state in queue:  # grows while it is walked: breadth first
                first = len(rows)
                for label, action, amount in offers(state):
                    after, kind = act(state, action, amount)
                    if after:
                        waiting = queue if after.street == street else streets[after.street]
                        waiting.append((len(rows), after))
                        last = after.actor, after.street, after.bets
                    elif kind == FOLD_END:
                        last = state.actor, street, state.bets
                    else:
                        last = -1, street, called(state).bets
                    actor, at, bets = last
                    rows.append([kind, actor, node, label, 0, 0, at, bets])
                rows[node][4:6] = first, len(rows) - first
            if len(rows) > MOST_NODES:
                raise ValueError(
                    f"menu: its tree has over {MOST_NODES:,} nodes, expected fewer sizes"
                )
        street_start.append(len(rows))
    types = np.int8, np.int8, np.int32, np.int8, np.int32, np.int8, np.int8, np.int32
    fields = zip(zip(*rows, strict=True), types, strict=True)
    arrays = [np.array(field, dtype=kept) for field, kept in fields]
    return BettingTree(labels, *[*arrays, np.array(street_start, dtype=np.int32)])


def children(tree: BettingTree, node: int) -> range:
    """The nodes below a node."""
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_children[node]))


def columns(tree: BettingTree, node: int) -> slice:
    """The columns of a decision's actions in its street's rows."""
    first = int(tree.first_child[node] - tree.street_start[tree.street[node]])
    return slice(first, first + int(tree.n_children[node]))


def decision_nodes(
    tree: BettingTree, street: int | None = None, seat: int | None = None
) -> np.ndarray:
    """Nodes (n,) int32 of decisions, parents first: all, or those of a street, of a seat."""
    found = (tree.kind == DECISION) & (street is None or tree.street == street)
    return np.flatnonzero(found & (seat is None or tree.actor == seat)).astype(np.int32)


def path_to_node(tree: BettingTree, node: int) -> list[int]:
    """The nodes from the root to a node, without the root."""
    return [*path_to_node(tree, int(tree.parent[node])), node] if node else []


def action_to(tree: BettingTree, node: int) -> tuple[str, int]:
    """The action that leads to a node from its parent, as `act` takes it."""
    if tree.label[node] <= CALL:
        return ("fold" if tree.label[node] == FOLD else "call"), 0
    above = tree.parent[node]
    return "raise", int(tree.bets[node, tree.actor[above], tree.street[above]])
