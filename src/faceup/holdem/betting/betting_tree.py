"""The betting of heads-up hold'em, no-limit and fixed-limit, as a public tree in flat arrays.

Player 0 is the small blind and the button: first to act preflop, last on later streets. A node is a decision of one
player or an end of the hand (a fold or a showdown); dealing cards is not a node, the street of a decision tells which cards lie.
Node 0 is the root. Every other node stands for the action that leads to it, and nodes are numbered so that parents come
before children, the children of a node are neighbours, the actions taken on one street are neighbours (`street_start`), and so
are, among them, those below one root of the street: a strategy on a street is one row of numbers over its slice of the nodes.

Sizes are fractions of the pot after calling. A menu lists, for each street, the sizes offered as first bet, as first raise and so
on; the last list serves all later raises. All-in is always offered (paper 000, Section 2.3.3 keeps "several choices of action").
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from faceup.cards.cards import STREETS
from faceup.cards.features import STACK

SMALL_BLIND, BIG_BLIND = 50, 100
MBB_PER_DOLLAR = 1000 // BIG_BLIND  # results are in thousandths of a big blind a game
MOST_NODES = 10_000_000  # of a tree: some minutes and 10 GB to build
FOLD, CALL = 0, 1  # the first two labels; call is check where there is nothing to call
DECISION, FOLD_END, SHOWDOWN = 0, 1, 2
LIMIT_BETS, LIMIT_RAISES = (100, 100, 200, 200), (3, 4, 4, 4)  # fixed-limit hold'em: dollars a bet, bets and raises a street

Menu = dict[str, list[list[float]]]
Bets = tuple[tuple[int, int, int, int], tuple[int, int, int, int]]  # dollars that each player has put in on each street


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
    bets: np.ndarray  # (n, 2, 4) int32: dollars each player has put in on each street, blinds included
    street_start: np.ndarray  # (5,) int32: nodes reached by an action on street s are street_start[s]..street_start[s + 1]


class BettingState(NamedTuple):
    """What the rules need to know of a betting line, and what is played for; hold'em's own by default."""

    street: int
    actor: int
    bets: Bets  # of both players
    raises: int  # bets and raises on this street
    last_raise: int  # the least amount by which the next raise must raise
    acted: int  # actions on this street
    big_blind: int = BIG_BLIND
    stack: int = STACK  # of each player at the start of the hand


START = BettingState(0, 0, ((SMALL_BLIND, 0, 0, 0), (BIG_BLIND, 0, 0, 0)), 0, BIG_BLIND, 0)


def pot_and_call(state: BettingState) -> tuple[int, int]:
    """Dollars in the pot, and dollars the actor must add to call."""
    put = [sum(b) for b in state.bets]
    return sum(put), put[1 - state.actor] - put[state.actor]


def legal_raises(state: BettingState) -> tuple[int, int]:
    """Least and largest amount that a raise may bring the actor's bet on this street to; (0, 0) where none is legal."""
    _, to_call = pot_and_call(state)
    own, other = state.bets[state.actor], state.bets[1 - state.actor]
    most = state.stack - sum(own) + own[state.street]
    if sum(other) >= state.stack or state.stack - sum(own) <= to_call:
        return 0, 0
    return min(other[state.street] + state.last_raise, most), most


def act(state: BettingState, action: str, amount: int = 0) -> tuple[BettingState | None, int]:
    """The state after "fold", "call" or "raise" to `amount` on this street, and its kind.

    A fold or showdown returns (None, kind). Raises ValueError on an illegal action.
    """
    pot, to_call = pot_and_call(state)
    if action == "fold":
        if to_call <= 0:
            raise ValueError("fold: nothing to call, expected check or bet")
        return None, FOLD_END
    if action == "raise":
        least, most = legal_raises(state)
        if not least or not least <= amount <= most:
            raise ValueError(f"raise to {amount}: expected from {least} to {most}" if least else "raise: not legal here")
        raised = amount - state.bets[1 - state.actor][state.street]
        return _put(state, amount, state.raises + 1, raised), DECISION
    if action != "call":
        raise ValueError(f"action {action!r}: expected fold, call or raise")
    after = _put(state, state.bets[state.actor][state.street] + to_call, state.raises, state.last_raise)
    if sum(after.bets[0]) >= state.stack or (state.street == 3 and state.acted > 0):
        return None, SHOWDOWN
    if state.acted == 0:  # a limp or a first check leaves the street open
        return after, DECISION
    return after._replace(street=state.street + 1, actor=1, raises=0, last_raise=state.big_blind, acted=0), DECISION


def _put(state: BettingState, amount: int, raises: int, last_raise: int) -> BettingState:
    bets = [list(own) for own in state.bets]
    bets[state.actor][state.street] = amount
    frozen: Any = tuple(bets[0]), tuple(bets[1])
    return state._replace(actor=1 - state.actor, bets=frozen, raises=raises, last_raise=last_raise, acted=state.acted + 1)


def size_name(fraction: float) -> str:
    """Label of a raise by a fraction of the pot, as in "raise_0.5"."""
    return f"raise_{fraction:g}"


def menu_from(
    preflop_sizes: list[list[float]], flop_sizes: list[list[float]], turn_sizes: list[list[float]], river_sizes: list[list[float]]
) -> Menu:
    """The menu of params.yaml's section `betting`."""
    return dict(zip(STREETS, (preflop_sizes, flop_sizes, turn_sizes, river_sizes), strict=True))


def menu_labels(menu: Menu) -> tuple[str, ...]:
    """All action labels of a menu in their fixed order. Raises ValueError on an unusable menu."""
    sizes = set()
    for street in STREETS:
        if street not in menu:
            raise ValueError(f"menu: no sizes for {street}, expected one list of lists for each of {STREETS}")
        for level in menu[street]:
            if len(set(level)) < len(level):
                raise ValueError(f"menu: sizes {level} on the {street}, expected different ones")
            for fraction in level:
                if not 0 < fraction <= 200:
                    raise ValueError(f"menu: size {fraction!r} on the {street}, expected a pot fraction above 0")
                sizes.add(float(fraction))
    return ("fold", "call", *(size_name(f) for f in sorted(sizes)), "all_in")


def offered(state: BettingState, menu: Menu, labels: tuple[str, ...]) -> list[tuple[int, str, int]]:
    """Actions that a menu offers in a state: (label, action, amount), in label order."""
    pot, to_call = pot_and_call(state)
    actions = [(FOLD, "fold", 0)] if to_call > 0 else []
    actions.append((CALL, "call", 0))
    least, most = legal_raises(state)
    if not least:
        return actions
    levels = menu[STREETS[state.street]] or [[]]
    base = state.bets[1 - state.actor][state.street]
    for fraction in sorted(levels[min(state.raises, len(levels) - 1)]):
        amount = base + round(fraction * (pot + to_call))
        if least <= amount < most:
            actions.append((labels.index(size_name(fraction)), "raise", amount))
    actions.append((len(labels) - 1, "raise", most))
    return actions


def _count(menus: tuple[Menu, Menu], labels: tuple[str, ...], start: BettingState) -> int:
    """How many nodes a tree will have, without building it; of earlier streets' bets their sum alone matters."""

    @cache
    def below(state: BettingState) -> int:
        """Nodes of the tree from this state on, its own included; an end counts as one."""
        n = 1
        for _, action, amount in offered(state, menus[state.actor], labels):
            after, s = act(state, action, amount)[0], state.street
            if after and after.street > s:  # all that was bet so far stands on the first street
                after = after._replace(bets=tuple((sum(own), 0, 0, 0) for own in after.bets))  # type: ignore[arg-type]
            n += below(after) if after else 1
        return n

    return below(start)


def build_tree(menu: Menu, start: BettingState = START, big_blind_menu: Menu | None = None) -> BettingTree:
    """The public tree of a menu, from the first decision on or from a later one.

    With a menu of its own for the big blind it is a match tree: each seat's decisions offer the sizes of that seat's menu. Raises
    ValueError on an unusable menu, and before work starts on one of more than MOST_NODES.
    """
    menus = (menu, big_blind_menu or menu)
    for seat_menu in menus:
        menu_labels(seat_menu)
    labels = menu_labels({street: menus[0][street] + menus[1][street] for street in STREETS})
    if (n_nodes := _count(menus, labels, start)) > MOST_NODES:
        raise ValueError(f"menu: its tree has {n_nodes:,} nodes, expected at most {MOST_NODES:,}: fewer sizes, or fewer raises")
    return _grow(labels, lambda state: offered(state, menus[state.actor], labels), start)


def limit_tree() -> BettingTree:
    """The public tree of fixed-limit hold'em: 6,378 decisions, labels "fold", "call" and "raise".

    Every bet and raise is one big blind before and on the flop and two on turn and river (the game 10/20 at ten dollars a
    chip), four bets a street; before the flop the big blind is the first of them. Stacks are never reached.
    """

    def offers(state: BettingState) -> list[tuple[int, str, int]]:
        """The legal actions of a state as (label index, word, chips bet to)."""
        actions = [(FOLD, "fold", 0)] if pot_and_call(state)[1] > 0 else []
        actions.append((CALL, "call", 0))
        if state.raises < LIMIT_RAISES[state.street]:
            to = state.bets[1 - state.actor][state.street] + LIMIT_BETS[state.street]
            actions.append((CALL + 1, "raise", to))
        return actions

    return _grow(("fold", "call", "raise"), offers, START)


def _grow(
    labels: tuple[str, ...], offers: Callable[[BettingState], list[tuple[int, str, int]]], start: BettingState
) -> BettingTree:
    """The tree of the actions (label, action, amount) that are offered in each state."""
    rows: list[list] = [[DECISION, start.actor, -1, -1, 0, 0, start.street, start.bets]]  # in the order of `BettingTree`
    streets: list[list[tuple[int, BettingState]]] = [[], [], [], []]
    streets[start.street].append((0, start))
    street_start = [1]
    for street in range(4):
        for root in streets[street]:  # one subtree of the street after the other
            queue = [root]
            for node, state in queue:  # grows while it is walked: breadth first
                first = len(rows)
                for label, action, amount in offers(state):
                    after, kind = act(state, action, amount)
                    if after:
                        (queue if after.street == street else streets[after.street]).append((len(rows), after))
                        rows.append([kind, after.actor, node, label, 0, 0, after.street, after.bets])
                    elif kind == FOLD_END:
                        rows.append([kind, state.actor, node, label, 0, 0, street, state.bets])
                    else:
                        called = _put(state, state.bets[state.actor][street] + pot_and_call(state)[1], 0, 0)
                        rows.append([kind, -1, node, label, 0, 0, street, called.bets])
                rows[node][4:6] = first, len(rows) - first
        street_start.append(len(rows))
    types = np.int8, np.int8, np.int32, np.int8, np.int32, np.int8, np.int8, np.int32
    arrays = [np.array(column, dtype=kept) for column, kept in zip(zip(*rows, strict=True), types, strict=True)]
    arrays.append(np.array(street_start, dtype=np.int32))
    return BettingTree(labels, *arrays)


def children(tree: BettingTree, node: int) -> range:
    """The nodes below a node."""
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_children[node]))


def columns(tree: BettingTree, node: int) -> slice:
    """Where the actions of a decision stand in a row of its street."""
    first = int(tree.first_child[node] - tree.street_start[tree.street[node]])
    return slice(first, first + int(tree.n_children[node]))


def decisions(tree: BettingTree, street: int, seat: int | None = None) -> np.ndarray:
    """Nodes (n,) int32 of a street's decisions; of one seat's only, where one is given."""
    own = (tree.kind == DECISION) & (tree.street == street)
    return np.flatnonzero(own if seat is None else own & (tree.actor == seat)).astype(np.int32)


def action_to(tree: BettingTree, node: int) -> tuple[str, int]:
    """The action that leads to a node from its parent, as `act` takes it."""
    if tree.label[node] <= CALL:
        return ("fold" if tree.label[node] == FOLD else "call"), 0
    above = tree.parent[node]
    return "raise", int(tree.bets[node, tree.actor[above], tree.street[above]])


def states_of(tree: BettingTree) -> list[BettingState | None]:
    """The rules' state at each node of a tree from the start of a hand; None at ends."""
    states: list[BettingState | None] = [START]
    for node in range(1, len(tree.kind)):
        before = states[tree.parent[node]]
        assert before is not None  # an end has no children
        states.append(act(before, *action_to(tree, node))[0])
    return states


def line_text(tree: BettingTree, node: int) -> str:
    """The betting line to a node as words: "call, raise_1 / call, call"."""
    words: list[str] = []
    while node > 0:
        above = int(tree.parent[node])
        words.append(tree.labels[tree.label[node]] + (" /" if tree.street[node] != tree.street[above] else ","))
        node = above
    return " ".join(reversed(words)).rstrip(",/ ")
