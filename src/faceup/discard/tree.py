"""The betting tree of the paper, with the swaps as decisions (Section 2.2).

Two sizes beside checking, calling and folding: a bet of 66 % or a raise of 100 % of the pot, and all-in. A player acts at
most twice a street, so that a raise is offered only where the opponent has an action left to answer it, and the third bet of
a street is the last (before the flop the big blind is the first). In our reading this makes 1,042 betting decisions.

The tree holds both players' swaps, too, so that every betting line of the flop is there four times and of the turn sixteen
times. Nodes are numbered in preorder: `end` of a node is the first one that is not below it. A strategy has a row of numbers
for each group of hands; where it finds those of a node in the row, its `slot`, depends on what its player sees: the betting
line, or also whether the opponent has swapped.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.discard.rules import START, SWAP_STREETS, Betting, bet, legal_raises, to_call

BET, SWAP, FOLD_END, SHOWDOWN_END = range(4)  # kinds of nodes
FOLD, CALL, RAISE, ALL_IN, PAT, CHANGE = range(6)
N_TABLES = 6  # of a strategy: betting on four streets, swaps on flop and turn
MOST_ACTIONS = 4
Menu = tuple[Sequence[Sequence[float]], ...]  # of each street: sizes in pots of the first bet or raise, of the next, ..


class PublicTree(NamedTuple):
    """Betting and swaps of n nodes."""

    kind: np.ndarray  # (n,) int8
    player: np.ndarray  # (n,) int8: who decides or has folded; -1 at a showdown
    parent: np.ndarray  # (n,) int32, -1 at the root
    action: np.ndarray  # (n,) int8: number of the parent's action that leads here
    label: np.ndarray  # (n,) int8: what that action is; -1 at the root
    n_actions: np.ndarray  # (n,) int8: 0 at ends
    table: np.ndarray  # (n,) int8: of a decision
    hands: np.ndarray  # (n, 2) int8: which of its possible hands each player holds: swapped on the flop * 2 + on the turn
    stake: np.ndarray  # (n,) float64: at an end what player 0 wins in chips, at a showdown with the better hand
    put: np.ndarray  # (n, 2) int16: chips of both players
    line_slot: np.ndarray  # (n,) int32: for who sees the betting line
    seen_slot: np.ndarray  # (n,) int32: for who also sees the opponent's swaps
    line_width: np.ndarray  # (N_TABLES,) int64: numbers in a row
    seen_width: np.ndarray  # (N_TABLES,) int64
    end: np.ndarray  # (n,) int32


_TYPES = "i1 i1 i4 i1 i1 i1 i1 i1 f8 i2 i4 i4".split()  # of the fields up to seen_slot


def offered(state: Betting, menu: Menu) -> list[tuple[int, str, int]]:
    """Actions in a state: (label, action, amount) as `rules.bet` takes them."""
    actions = [(FOLD, "fold", 0), (CALL, "call", 0)] if to_call(state) else [(CALL, "call", 0)]
    levels, (least, most) = menu[state.street], legal_raises(state)
    if not least or state.raises >= len(levels) or state.acted >= 3:
        return actions
    other, pot = state.put[1 - state.actor], sum(state.put) + to_call(state)
    amounts = (other - state.base + round(size * pot) for size in levels[state.raises])
    return [*actions, *((RAISE, "raise", amount) for amount in amounts if least <= amount < most), (ALL_IN, "raise", most)]


class _Builder:
    """Takes nodes in preorder. `above` is what leads to a node: its parent, and the action's number and label."""

    def __init__(self, menu: Menu):
        self.menu = menu
        self.rows: list[tuple] = []
        self.slots: tuple[dict, dict] = {}, {}  # by what is seen: the betting line, or the opponent's swaps too
        self.widths = [0] * N_TABLES, [0] * N_TABLES

    def add(self, above: tuple, kind: int, player: int, hands: tuple, put: tuple, table=0, n_actions=0, line="") -> int:
        """A node's number."""
        stake, slots = 0 if n_actions else put[0] if player < 0 else (-put[0], put[1])[player], [0, 0]
        for i, key in enumerate(((table, line, player), (table, line, player, hands[1 - player])) if n_actions else ()):
            slots[i] = self.slots[i].setdefault(key, self.widths[i][table])
            self.widths[i][table] = max(self.widths[i][table], slots[i] + n_actions)
        self.rows.append((kind, player, *above, n_actions, table, hands, stake, put, *slots))
        return len(self.rows) - 1

    def street(self, state: Betting, line: str, hands: tuple, above: tuple, player: int = 1) -> None:
        """The swaps of a street, if it has some, from a player's on, then its betting; actor -1: both are all-in."""
        if state.street in SWAP_STREETS and player >= 0:
            node = self.add(above, SWAP, player, hands, state.put, 3 + state.street, 2, line)
            for i in range(2):
                after = tuple(hand + (3 - state.street) * i * (p == player) for p, hand in enumerate(hands))
                self.street(state, line, after, (node, i, PAT + i), player - 1)
        elif state.actor >= 0:
            self.betting(state, line, hands, above)
        elif state.street < 3:
            self.street(state._replace(street=state.street + 1), line, hands, above)
        else:
            self.add(above, SHOWDOWN_END, -1, hands, state.put)

    def betting(self, state: Betting, line: str, hands: tuple, above: tuple) -> None:
        """A decision to bet and all below."""
        actions = offered(state, self.menu)
        node = self.add(above, BET, state.actor, hands, state.put, state.street, len(actions), line)
        for i, (label, action, amount) in enumerate(actions):
            (after, ended), below = bet(state, action, amount), (node, i, label)
            if label == FOLD:
                self.add(below, FOLD_END, state.actor, hands, state.put)
            elif not ended and after.street == state.street:
                self.betting(after, line + str(label), hands, below)
            else:  # the street is over; where betting has ended, all-in or on the river, nobody is to act any more
                after = after._replace(street=state.street + 1, actor=-1) if ended else after
                self.street(after, line + str(label) + "/", hands, below)


def build_tree(menu: Menu, start: Betting = START) -> PublicTree:
    """The tree of a menu, from the start of a hand or from a later street's swaps on."""
    builder = _Builder(menu)
    builder.street(start, "", (0, 0), (-1, 0, -1))
    columns = [np.array(column, dtype=t) for column, t in zip(zip(*builder.rows, strict=True), _TYPES, strict=True)]
    end = np.arange(1, 1 + len(builder.rows), dtype=np.int32)
    for node in range(len(end) - 1, 0, -1):
        parent = builder.rows[node][2]
        end[parent] = max(end[parent], end[node])
    return PublicTree(*[*columns, *np.array(builder.widths), end])


def count(tree: PublicTree) -> dict[str, int]:
    """Betting decisions, those of each street, and decisions to swap, each betting line counted once."""
    out: dict[str, int] = {}
    for name, kind in (("betting", BET), ("swaps", SWAP)):
        tables, _ = np.unique(np.stack([tree.table, tree.line_slot])[:, tree.kind == kind], axis=1)
        out |= {f"{name} {t}": int((tables == t).sum()) for t in np.unique(tables)} | {name: len(tables)}
    return out
