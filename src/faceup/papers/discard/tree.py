"""The betting tree of Discard Hold'em, with the swaps as nodes (Section 2.2).

Heads-up no-limit hold'em with blinds of 1 and 2 chips and stacks of 200, reset each hand (the
contest's rules, 2017). Before the betting of the flop, and again of the turn, each player may swap
one private card for one from the deck: the big blind first, then the small blind. A thrown card is
dead. The opponent sees that a card was swapped, not which. All-in players swap as well: the
contest's slides leave it open, and the paper's remark on pocket twos is about such hands.

The tree has two sizes beside checking, calling and folding: a bet of 66 % or a raise of 100 % of
the pot, and all-in. A player acts at most twice a street, so that a raise is offered only where the
opponent has an action left to answer it, and the third bet of a street is the last (before the flop
the big blind is the first). In our reading this makes 1,042 betting decisions.

The tree holds both players' swaps, so that every betting line of the flop is there four times and
of the turn sixteen times. Nodes are numbered in preorder. A strategy has a row of numbers for each
bucket of hands; the place of a node in the row, its `slot`, depends on what its player sees: the
betting line alone, also the opponent's swaps, or all swaps.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import STREETS
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
SWAP_STREETS = (1, 2)
NO_SWAPS, THEIR_SWAPS, ALL_SWAPS = range(3)  # that a player's infosets distinguish
MOST_ACTIONS = 4
RAISERS = 3  # actions of a street that may be raises; behind them the opponent has none left
# of each street: sizes in pots of the first bet or raise, of the next, ..
Sizes = Sequence[Sequence[Sequence[float]]]


class PublicTree(NamedTuple):
    """Betting and swaps of n nodes."""

    kind: np.ndarray  # (n,) int8
    player: np.ndarray  # (n,) int8: who decides or has folded; -1 at a showdown
    parent: np.ndarray  # (n,) int32, -1 at the root
    action: np.ndarray  # (n,) int8: index of the parent's action that leads here
    label: np.ndarray  # (n,) int8: label of that action; -1 at the root
    n_actions: np.ndarray  # (n,) int8: 0 at ends
    street: np.ndarray  # (n,) int8: of a decision or a swap
    # (n, 2) int8: which of its possible hands each player holds: swapped on the flop * 2 + on the
    # turn
    hands: np.ndarray
    # (n,) float64: chips that player 0 wins at an end, at a showdown with the better hand
    stake: np.ndarray
    # (n, 3) int32: of a decision or a swap, for players who see NO_SWAPS, THEIR_SWAPS, ALL_SWAPS
    slot: np.ndarray
    width: np.ndarray  # (3, 4) int64: numbers in a row, for each
    end: np.ndarray  # (n,) int32: the first node that is not below a node


_TYPES = "i1 i1 i4 i1 i1 i1 i1 i1 f8 i4".split()  # of the fields up to slot


class _Path(NamedTuple):
    """How a node is reached."""

    parent: int
    action: int  # the action's index
    label: int
    hands: tuple[int, ...]
    line: str  # labels of the betting so far


class _Builder:
    """Collects nodes in preorder."""

    def __init__(self, sizes: Sizes):
        self.sizes = sizes
        self.rows: list[tuple] = []
        self.slots: tuple[dict, dict, dict] = {}, {}, {}  # by the swaps that a player sees
        self.widths = np.zeros((3, len(STREETS)), dtype=np.int64)

    def add(
        self, path: _Path, kind: int, player: int, state: BettingState, n_actions: int = 0
    ) -> int:
        """Add a node; returns its number."""
        first, second = map(sum, state.bets)
        stake = 0 if n_actions else first if player < 0 else (-first, second)[player]
        street, slots = state.street if n_actions else 0, [0, 0, 0]
        for i, swaps in enumerate(((), path.hands[1 - player], path.hands) if n_actions else ()):
            key = (kind, street, path.line, player, swaps)
            slots[i] = self.slots[i].setdefault(key, self.widths[i, street])
            # a swap has numbers for either advice
            self.widths[i, street] = max(
                self.widths[i, street], slots[i] + n_actions * (1 + (kind == SWAP))
            )
        self.rows.append((kind, player, *path[:3], n_actions, street, path.hands, stake, slots))
        return len(self.rows) - 1

    def street(self, state: BettingState, path: _Path, player: int = 1) -> None:
        """Add the swaps of a street, from a player's on, where it has some, then its betting; actor
        -1: both are all-in.
        """
        if state.street in SWAP_STREETS and player >= 0:
            node = self.add(path, SWAP, player, state, 2)
            for i in range(2):
                hands = list(path.hands)
                hands[player] += i * (3 - state.street)  # 2 on the flop, 1 on the turn
                below = _Path(node, i, PAT + i, tuple(hands), path.line)
                self.street(state, below, player - 1)
        elif state.actor >= 0:
            self.betting(state, path)
        elif state.street < 3:
            self.street(state._replace(street=state.street + 1), path)
        else:
            self.add(path, SHOWDOWN, -1, state)

    def betting(self, state: BettingState, path: _Path) -> None:
        """A decision to bet and all below."""
        actions = self.offered(state)
        node = self.add(path, DECISION, state.actor, state, len(actions))
        for i, (label, action, amount) in enumerate(actions):
            after, kind = act(state, action, amount)
            below = _Path(node, i, label, path.hands, path.line + str(label))
            if kind == FOLD_END:
                self.add(below, FOLD_END, state.actor, state)
            elif after and after.street == state.street:
                self.betting(after, below)
            else:  # the street is over
                # at a showdown, all-in or after the river, both bets are equal and nobody acts
                bets = (state.bets[1 - state.actor],) * 2
                called = state._replace(street=state.street + 1, actor=-1, bets=bets)
                self.street(after or called, below._replace(line=below.line + "/"))

    def offered(self, state: BettingState) -> list[tuple[int, str, int]]:
        """Actions in a state: (label, action, amount) as `act` takes them."""
        pot, to_call = pot_and_call(state)
        actions = [(FOLD, "fold", 0), (CALL, "call", 0)] if to_call else [(CALL, "call", 0)]
        levels, (least, most) = self.sizes[state.street], legal_raises(state)
        if not least or state.raises >= len(levels) or state.acted >= RAISERS:
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
    builder.street(start, _Path(-1, 0, -1, (0, 0), ""))
    arrays = [
        np.array(column, dtype=t)
        for column, t in zip(zip(*builder.rows, strict=True), _TYPES, strict=True)
    ]
    end = np.arange(1, 1 + len(builder.rows), dtype=np.int32)
    for node in range(len(end) - 1, 0, -1):
        parent = builder.rows[node][2]
        end[parent] = max(end[parent], end[node])
    return PublicTree(*[*arrays, builder.widths, end])
