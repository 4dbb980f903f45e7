"""A strategy at a table where any amount may be bet: what it reads, and what it answers.

An opponent's size between two that the tree knows is read as either, by the randomised pseudo-harmonic mapping
(`faceup.holdem.betting.translation`). As in the paper, no bet at all is one of the sizes, so that small bets are read as
checks and small raises as calls. A fourth bet, which the tree lacks, is read as a call or as all-in: then the player calls,
or does what he does where the opponent's raise before had been all-in.
"""

from collections.abc import Callable

import numpy as np

from faceup.cards.cards import card_text
from faceup.discard.deals import HandTables, _choice, _find_boards, _keeps_first, _moved_hole, _see
from faceup.discard.rules import STACK, Deal, Hand, act, legal_tokens, play, start, to_call, tokens_of
from faceup.discard.selfplay import Strategy, _make_seen
from faceup.discard.tree import ALL_IN, CALL, CHANGE, FOLD, PAT, RAISE, PublicTree
from faceup.holdem.betting.translation import size_chances


def read_bet(x: float, sizes: tuple[float, ...]) -> list[tuple[int, float]]:
    """(size, chance) as which a bet of x pots is read: 0 for no bet, k for the k-th size; sizes ascending, all-in last."""
    return size_chances(x, (0.0, *sizes))


class TablePlayer:
    """Plays a strategy by hands in text."""

    def __init__(self, tree: PublicTree, tables: HandTables, strategy: Strategy):
        self.tree, self.tables, self.strategy = tree, tables, strategy

    def chances(self, deal: Deal, line: str, draw: Callable[[int], float] = lambda i: 0.5) -> dict[str, float]:
        """The action to take after a line and its chances, as `rules` writes actions; empty when the hand is over.

        draw(i): a number in [0, 1) that decides how the line's i-th action is read. Raises ValueError as `rules.play`.
        """
        play(deal, line)  # a wrong line is an error before work starts
        hand, node, tree = start(deal), 0, self.tree
        for i, token in enumerate(tokens_of(line)):
            node = self._after(node, hand, token, draw(i))
            hand = act(hand, token)
        if hand.over:
            return {}
        here = (hand.street + 3 if hand.to_swap else hand.street), hand.actor
        if node >= 0 and tree.n_actions[node] and (tree.table[node], tree.player[node]) == here:
            return self._mixture(hand, node)
        return {
            "p" if hand.to_swap else legal_tokens(hand)[0][-1]: 1.0
        }  # a fourth bet read as a call, or all-in on the tree alone

    def _below(self, node: int) -> dict[int, int]:
        """The node that each label leads to."""
        found, child = {}, node + 1
        for _ in range(self.tree.n_actions[node]):
            found[int(self.tree.label[child])] = child
            child = int(self.tree.end[child])
        return found

    def _after(self, node: int, hand: Hand, token: str, drawn: float) -> int:
        """The node as which an action is read; -1 where the tree knows none."""
        if node < 0 or (self.tree.table[node], self.tree.player[node]) != (hand.street + 3 * bool(hand.to_swap), hand.actor):
            return node
        below = self._below(node)
        if token[0] != "b":
            return below[{"f": FOLD, "k": CALL, "c": CALL, "p": PAT, "s": CHANGE}[token[0]]]
        raises = [below[label] for label in (RAISE, ALL_IN) if label in below]
        above = int(self.tree.parent[self.tree.parent[node]]) if not raises else -1
        if not raises and above >= 0:
            raises = [self._below(above).get(ALL_IN, -1)]
        total, other = hand.betting.base + int(token[1:]), max(hand.betting.put)
        if total == STACK or not raises:
            return raises[-1] if raises else -1
        x = (total - other) / (sum(hand.betting.put) + to_call(hand.betting))
        put = self.tree.put[node].astype(int)
        sizes = tuple((int(self.tree.put[r].max()) - put.max()) / (2 * put.max()) for r in raises)
        read = read_bet(x, sizes)
        place = read[0][0] if drawn < read[0][1] else read[-1][0]
        return raises[place - 1] if place else below[CALL]

    def _mixture(self, hand: Hand, node: int) -> dict[str, float]:
        player, layout, cards = hand.actor, self.strategy.layout, np.array(hand.deal.cards)
        seen, where = _make_seen(), np.empty((3, 2), dtype=np.int64)
        _find_boards(cards, self.tables, where)
        sides = seen.rows[player], seen.strengths[player], seen.forced[player]
        _see(cards, player, self.strategy.policy, self.tables, where, np.empty(7, dtype=np.int64), *sides)
        state, table, n = self.tree.hands[node, player], self.tree.table[node], int(self.tree.n_actions[node])
        entry = int(layout.base[table] + seen.rows[player, table, state] * layout.width[table] + layout.slot[node])
        weights = self.strategy.chances[entry : entry + n]
        weights = weights / weights.sum() if weights.sum() > 0 else np.full(n, 1 / n)
        if hand.to_swap and (fixed := seen.forced[player, table - 4, state]) >= 0:
            weights = np.eye(2)[fixed]
        tokens = [self._token(hand, label, child, where) for label, child in self._below(node).items()]
        return {t: float(sum(w for s, w in zip(tokens, weights, strict=True) if s == t)) for t in tokens}

    def _token(self, hand: Hand, label: int, child: int, where: np.ndarray) -> str:
        """An action of the tree as it is written here."""
        plain, (least, most) = legal_tokens(hand)
        if label in (FOLD, CALL, PAT) or (label != CHANGE and not least):
            return plain[0 if label in (FOLD, PAT) else -1]
        if label == CHANGE:
            first, second = hand.holes[hand.actor]
            number, permutation = where[hand.street - 1]
            table = self.tables.flop if hand.street == 1 else self.tables.turn
            _, thrown = _choice(table[number, _moved_hole(permutation, first, second)], self.strategy.policy)
            return "s" + card_text(second if _keeps_first(permutation, first, second, thrown) else first)
        before = self.tree.put[self.tree.parent[child]].astype(int).max()
        size = (self.tree.put[child].astype(int).max() - before) / (2 * before)
        wanted = max(hand.betting.put) - hand.betting.base + round(size * (sum(hand.betting.put) + to_call(hand.betting)))
        return f"b{most if label == ALL_IN else min(max(wanted, least), most)}"
