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

BET, SWAP, FOLD_END, SHOWDOWN_END = 0, 1, 2, 3  # kinds of nodes
FOLD, CALL, RAISE, ALL_IN, PAT, CHANGE = range(6)
N_TABLES = 6  # of a strategy: betting on four streets, swaps on flop and turn
MOST_ACTIONS = 4
Menu = tuple[Sequence[Sequence[float]], ...]  # of each street: sizes in pots of the first bet or raise, of the next, ..


class PublicTree(NamedTuple):
    """Betting and swaps of n nodes."""

    kind: np.ndarray  # (n,) int8
    player: np.ndarray  # (n,) int8: who decides or has folded; -1 at a showdown
    parent: np.ndarray  # (n,) int32, -1 at the root
    end: np.ndarray  # (n,) int32
    action: np.ndarray  # (n,) int8: number of the parent's action that leads here
    label: np.ndarray  # (n,) int8: what that action is; -1 at the root
    n_actions: np.ndarray  # (n,) int8: 0 at ends
    table: np.ndarray  # (n,) int8: of a decision
    hands: np.ndarray  # (n, 2) int8: which of its possible hands each player holds: swapped on the flop * 2 + on the turn
    stake: np.ndarray  # (n,) float64: at an end what player 0 wins in chips, at a showdown with the better hand
    put: np.ndarray  # (n, 2) int16: chips of both players
    line_slot: np.ndarray  # (n,) int32: for who sees the betting line
    line_width: np.ndarray  # (N_TABLES,) int64: numbers in a row
    seen_slot: np.ndarray  # (n,) int32: for who also sees the opponent's swaps
    seen_width: np.ndarray  # (N_TABLES,) int64


def offered(state: Betting, menu: Menu) -> list[tuple[int, str, int]]:
    """Actions in a state: (label, action, amount) as `rules.bet` takes them."""
    actions = [(FOLD, "fold", 0)] if to_call(state) else []
    actions.append((CALL, "call", 0))
    levels, (least, most) = menu[state.street], legal_raises(state)
    if not least or state.raises >= len(levels) or state.acted >= 3:
        return actions
    other, pot = state.put[1 - state.actor], sum(state.put) + to_call(state)
    for size in levels[state.raises]:
        amount = other - state.base + round(size * pot)
        if least <= amount < most:
            actions.append((RAISE, "raise", amount))
    actions.append((ALL_IN, "raise", most))
    return actions


class _Builder:
    """Takes nodes in preorder."""

    def __init__(self, menu: Menu):
        self.menu = menu
        self.rows: list[tuple] = []
        self.end: list[int] = []
        self.slots: tuple[dict, dict] = {}, {}
        self.widths = [0] * N_TABLES, [0] * N_TABLES

    def add(self, kind, player, parent, action, label, n_actions, table, hands, stake, put, line, seen) -> int:
        """A node's number; its end is known later."""
        slots = (0, 0) if not n_actions else tuple(self._slot(i, (table, *key), n_actions) for i, key in enumerate((line, seen)))
        self.rows.append((kind, player, parent, action, label, n_actions, table, hands, stake, put, *slots))
        self.end.append(0)
        return len(self.rows) - 1

    def _slot(self, i: int, key: tuple, n_actions: int) -> int:
        if key not in self.slots[i]:
            self.slots[i][key] = self.widths[i][key[0]]
            self.widths[i][key[0]] += n_actions
        return self.slots[i][key]

    def betting(self, state: Betting, line: str, swaps: tuple, above: tuple[int, int, int]) -> None:
        """A decision to bet and all below; swaps: of each player, whether he has swapped on flop and turn (None: not yet)."""
        actions, hands = offered(state, self.menu), _hands(swaps)
        seen = (line, swaps[1 - state.actor])
        node = self.add(BET, state.actor, *above, len(actions), state.street, hands, 0, state.put, (line,), seen)
        for i, (label, action, amount) in enumerate(actions):
            after, below = bet(state, action, amount), (node, i, label)
            if label == FOLD:
                self.close(FOLD_END, state.actor, below, hands, state.put)
            elif isinstance(after, str) and state.street == 3:
                self.close(SHOWDOWN_END, -1, below, hands, (max(state.put),) * 2)
            elif isinstance(after, str):
                over = Betting(state.street + 1, -1, (max(state.put),) * 2, max(state.put), 0, 0, 0)
                self.street(over, line + str(label) + "/", swaps, below)
            elif after.street > state.street:
                self.street(after, line + str(label) + "/", swaps, below)
            else:
                self.betting(after, line + str(label), swaps, below)
        self.end[node] = len(self.rows)

    def street(self, state: Betting, line: str, swaps: tuple, above: tuple[int, int, int]) -> None:
        """The swaps of a street, if it has some, then its betting; actor -1: both are all-in."""
        if state.street in SWAP_STREETS:
            self.swap(1, state, line, swaps, above)
        elif state.actor < 0:
            self.close(SHOWDOWN_END, -1, above, _hands(swaps), state.put)
        else:
            self.betting(state, line, swaps, above)

    def swap(self, player: int, state: Betting, line: str, swaps: tuple, above: tuple[int, int, int]) -> None:
        """A player's decision to swap, and all below."""
        when = SWAP_STREETS.index(state.street)
        key = (line, player)
        node = self.add(
            SWAP, player, *above, 2, 4 + when, _hands(swaps), 0, state.put, key, (*key, swaps[1 - player])
        )  # fmt: skip
        for i in range(2):
            after = tuple((*s[:when], i, *s[when + 1 :]) if p == player else s for p, s in enumerate(swaps))
            below = (node, i, PAT + i)
            if player == 1:
                self.swap(0, state, line, after, below)
            elif state.actor < 0:
                self.street(state._replace(street=state.street + 1), line, after, below)
            else:
                self.betting(state, line, after, below)
        self.end[node] = len(self.rows)

    def close(self, kind: int, player: int, above: tuple[int, int, int], hands: tuple, put: tuple) -> None:
        """An end of the hand."""
        stake = put[0] if kind == SHOWDOWN_END else -put[0] if player == 0 else put[1]
        node = self.add(kind, player, *above, 0, 0, hands, stake, put, (), ())
        self.end[node] = len(self.rows)


def _hands(swaps: tuple) -> tuple[int, int]:
    """Which of its hands each player holds: swapped on the flop + 2 * ... as `PublicTree.hands` says."""
    first, second = (2 * (flop or 0) + (turn or 0) for flop, turn in swaps)
    return first, second


def build_tree(menu: Menu, start: Betting = START) -> PublicTree:
    """The tree of a menu, from the start of a hand or from a later street's swaps on. Raises ValueError on an unusable menu."""
    if len(menu) != 4 or any(not 0 < size <= 200 for levels in menu for sizes in levels for size in sizes):
        raise ValueError(f"menu is {menu!r}, expected four streets of lists of sizes, pots above 0 and at most 200")
    builder = _Builder(menu)
    builder.street(start, "", ((None, None), (None, None)), (-1, 0, -1))
    kind, player, parent, action, label, n_actions, table, hands, stake, put, line, seen = map(
        np.array, zip(*builder.rows, strict=True)
    )
    small, (line_width, seen_width) = np.int8, np.array(builder.widths, dtype=np.int64)
    return PublicTree(
        kind.astype(small), player.astype(small), parent.astype(np.int32), np.array(builder.end, dtype=np.int32),
        action.astype(small), label.astype(small), n_actions.astype(small), table.astype(small), hands.astype(small),
        stake.astype(np.float64), put.astype(np.int16), line.astype(np.int32), line_width, seen.astype(np.int32), seen_width,
    )  # fmt: skip


def count(tree: PublicTree) -> dict[str, int]:
    """Betting decisions, those of each street, and decisions to swap, each betting line counted once."""
    out: dict[str, int] = {}
    for name, kind in (("betting", BET), ("swaps", SWAP)):
        rows = np.flatnonzero(tree.kind == kind)
        tables, counts = np.unique(np.unique(np.stack([tree.table[rows], tree.line_slot[rows]]), axis=1)[0], return_counts=True)
        out |= {f"{name} {t}": int(n) for t, n in zip(tables, counts, strict=True)} | {name: int(counts.sum())}
    return out
