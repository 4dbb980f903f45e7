"""Discard Hold'em: its betting tree with the swaps as decisions (Section 2.2).

Heads-up no-limit hold'em with blinds of 1 and 2 chips and stacks of 200, reset each hand (the
contest's rules, 2017). When the flop lies, and again when the turn lies, each player may swap one
private card for one from the deck before the betting: the big blind first, then the small blind. A
thrown card is dead. The opponent sees that a card was swapped, not which. All-in players swap as
well: the contest's slides leave it open, and the paper's remark on pocket twos is about such hands.

The tree has two sizes beside checking, calling and folding: a bet of 66 % or a raise of 100 % of
the pot, and all-in. A player acts at most twice a street, so that a raise is offered only where the
opponent has an action left to answer it, and the third bet of a street is the last (before the flop
the big blind is the first). In our reading this makes 1,042 betting decisions.

It holds both players' swaps, too, so that every betting line of the flop is there four times and of
the turn sixteen times. Nodes are numbered in preorder. A strategy has a row of numbers for each
group of hands; where it finds those of a node in the row, its `slot`, depends on what its player
sees: the betting line, or also whether the opponent has swapped.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.holdem.rules import (
    CALL,
    DECISION,
    FOLD,
    FOLD_END,
    SHOWDOWN,
    BettingState,
    act,
    legal_raises,
    pot_and_call,
)

HAND_START = BettingState(0, 0, ((1, 0, 0, 0), (2, 0, 0, 0)), 0, 2, 0, big_blind=2, stack=200)
MBB_PER_CHIP = 1000 / HAND_START.big_blind
SWAP = 3  # a kind of nodes, beside those of hold'em
BET_SIZE, ALL_IN, PAT, CHANGE = range(2, 6)  # labels beside FOLD and CALL
N_TABLES = 6  # of a strategy: betting on four streets, swaps on flop and turn
MOST_ACTIONS = 4
# of each street: sizes in pots of the first bet or raise, of the next, ..
Sizes = Sequence[Sequence[Sequence[float]]]


class PublicTree(NamedTuple):
    """Betting and swaps of n nodes."""

    kind: np.ndarray  # (n,) int8
    player: np.ndarray  # (n,) int8: who decides or has folded; -1 at a showdown
    parent: np.ndarray  # (n,) int32, -1 at the root
    action: np.ndarray  # (n,) int8: number of the parent's action that leads here
    label: np.ndarray  # (n,) int8: what that action is; -1 at the root
    n_actions: np.ndarray  # (n,) int8: 0 at ends
    table: np.ndarray  # (n,) int8: of a decision
    # (n, 2) int8: which of its possible hands each player holds: swapped on the flop * 2 + on the
    # turn
    hands: np.ndarray
    # (n,) float64: at an end what player 0 wins in chips, at a showdown with the better hand
    stake: np.ndarray
    # (n, 2) int32: for who sees the betting line, and for who also sees the opponent's swaps
    slot: np.ndarray
    width: np.ndarray  # (2, N_TABLES) int64: numbers in a row, for either
    end: np.ndarray  # (n,) int32: the first node that is not below a node


_TYPES = "i1 i1 i4 i1 i1 i1 i1 i1 f8 i4".split()  # of the fields up to slot


class _Way(NamedTuple):
    """What leads to a node."""

    parent: int
    action: int  # the action's number
    label: int
    hands: tuple[int, ...]
    line: str  # labels of the betting so far


class _Builder:
    """Takes nodes in preorder."""

    def __init__(self, sizes: Sizes):
        self.sizes = sizes
        self.rows: list[tuple] = []
        # by what is seen: the betting line, or the opponent's swaps too
        self.slots: tuple[dict, dict] = {}, {}
        self.widths = [0] * N_TABLES, [0] * N_TABLES

    def add(
        self,
        way: _Way,
        kind: int,
        player: int,
        state: BettingState,
        table: int = 0,
        n_actions: int = 0,
    ) -> int:
        """A node's number."""
        put = tuple(map(sum, state.bets))
        stake, slots = (
            0 if n_actions else put[0] if player < 0 else (-put[0], put[1])[player],
            [0, 0],
        )
        for i, seen in enumerate(((), (way.hands[1 - player],)) if n_actions else ()):
            key = (table, way.line, player, *seen)
            slots[i] = self.slots[i].setdefault(key, self.widths[i][table])
            self.widths[i][table] = max(self.widths[i][table], slots[i] + n_actions)
        self.rows.append((kind, player, *way[:3], n_actions, table, way.hands, stake, slots))
        return len(self.rows) - 1

    def street(self, state: BettingState, way: _Way, player: int = 1) -> None:
        """The swaps of a street, if it has some, from a player's on, then its betting; actor -1:
        both are all-in.
        """
        if state.street in (1, 2) and player >= 0:
            node = self.add(way, SWAP, player, state, 3 + state.street, 2)
            for i in range(2):
                hands = tuple(
                    hand + (3 - state.street) * i * (p == player)
                    for p, hand in enumerate(way.hands)
                )
                self.street(state, _Way(node, i, PAT + i, hands, way.line), player - 1)
        elif state.actor >= 0:
            self.betting(state, way)
        elif state.street < 3:
            self.street(state._replace(street=state.street + 1), way)
        else:
            self.add(way, SHOWDOWN, -1, state)

    def betting(self, state: BettingState, way: _Way) -> None:
        """A decision to bet and all below."""
        actions = self.offered(state)
        node = self.add(way, DECISION, state.actor, state, state.street, len(actions))
        for i, (label, action, amount) in enumerate(actions):
            (after, kind), below = (
                act(state, action, amount),
                _Way(node, i, label, way.hands, way.line + str(label)),
            )
            if kind == FOLD_END:
                self.add(below, FOLD_END, state.actor, state)
            elif after and after.street == state.street:
                self.betting(after, below)
            # the street is over; at a showdown, all-in or after the river, both have put in the
            # same and nobody acts
            else:
                called = state._replace(
                    street=state.street + 1, actor=-1, bets=(state.bets[1 - state.actor],) * 2
                )
                self.street(after or called, below._replace(line=below.line + "/"))

    def offered(self, state: BettingState) -> list[tuple[int, str, int]]:
        """Actions in a state: (label, action, amount) as `act` takes them."""
        pot, to_call = pot_and_call(state)
        actions = [(FOLD, "fold", 0), (CALL, "call", 0)] if to_call else [(CALL, "call", 0)]
        levels, (least, most) = self.sizes[state.street], legal_raises(state)
        if not least or state.raises >= len(levels) or state.acted >= 3:
            return actions
        other = state.bets[1 - state.actor][state.street]
        amounts = (other + round(size * (pot + to_call)) for size in levels[state.raises])
        return [
            *actions,
            *((BET_SIZE, "raise", a) for a in amounts if least <= a < most),
            (ALL_IN, "raise", most),
        ]


def build_swap_tree(sizes: Sizes, start: BettingState = HAND_START) -> PublicTree:
    """The tree of a menu of sizes, from the start of a hand or from a later street's swaps on."""
    builder = _Builder(sizes)
    builder.street(start, _Way(-1, 0, -1, (0, 0), ""))
    columns = [
        np.array(column, dtype=t)
        for column, t in zip(zip(*builder.rows, strict=True), _TYPES, strict=True)
    ]
    end = np.arange(1, 1 + len(builder.rows), dtype=np.int32)
    for node in range(len(end) - 1, 0, -1):
        parent = builder.rows[node][2]
        end[parent] = max(end[parent], end[node])
    return PublicTree(*[*columns, np.array(builder.widths), end])


def count(tree: PublicTree) -> dict[str, int]:
    """Betting decisions, those of each street, and decisions to swap, each betting line counted
    once.
    """
    out: dict[str, int] = {}
    for name, kind in (("betting", DECISION), ("swaps", SWAP)):
        tables, _ = np.unique(np.stack([tree.table, tree.slot[:, 0]])[:, tree.kind == kind], axis=1)
        out |= {f"{name} {t}": int((tables == t).sum()) for t in np.unique(tables)} | {
            name: len(tables)
        }
    return out
