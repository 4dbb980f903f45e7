"""A strategy at a table where any amount may be bet: what it reads, and what it answers.

An opponent's size between two that the tree knows is read as either, by the randomised pseudo-harmonic mapping
(`faceup.holdem.betting.translation`). As in the paper, no bet at all is one of the sizes, so that small bets are read as
checks and small raises as calls. A fourth bet, which the tree lacks, is read as a call or as all-in: then the player calls,
or does what he does where the opponent's raise before had been all-in.
"""

from collections.abc import Callable, Sequence

import numpy as np

from faceup.cards.cards import card_text
from faceup.discard.deals import HandTables, _asked, _find_boards, _make_seen, _see
from faceup.discard.rules import STACK, TOKEN, Hand, act, legal_tokens, play, start, to_call
from faceup.discard.selfplay import Strategy
from faceup.discard.tree import ALL_IN, CALL, CHANGE, FOLD, PAT, RAISE, PublicTree
from faceup.holdem.betting.translation import size_chances


def read_bet(x: float, sizes: Sequence[float]) -> list[tuple[int, float]]:
    """(size, chance) as which a bet of x pots is read: 0 for no bet, k for the k-th size; sizes ascending, all-in last."""
    return size_chances(x, (0.0, *sizes))


class TablePlayer:
    """Plays a strategy by hands in text."""

    def __init__(self, tree: PublicTree, tables: HandTables, strategy: Strategy):
        self.tree, self.tables, self.strategy = tree, tables, strategy

    def chances(self, deal: str | Sequence[int], line: str, draw: Callable[[int], float] = lambda i: 0.5) -> dict[str, float]:
        """The action to take after a line and its chances, as `rules` writes actions; empty when the hand is over.

        draw(i): a number in [0, 1) that decides how the line's i-th action is read. Raises ValueError as `rules.play`.
        """
        play(deal, line)  # a wrong line is an error before work starts
        hand, node = start(deal), 0
        for i, token in enumerate(TOKEN.findall("".join(line.split()))):
            node = self._after(node, hand, token, draw(i)) if self._is_at(node, hand) else node
            hand = act(hand, token)
        if hand.over:
            return {}
        if self._is_at(node, hand):
            return self._mixture(hand, node)
        return {legal_tokens(hand)[0][0 if hand.to_swap else -1]: 1.0}  # a fourth bet read as a call, or all-in on the tree alone

    def _is_at(self, node: int, hand: Hand) -> bool:
        """Whether a hand's decision is a node's."""
        decision = hand.street + 3 * bool(hand.to_swap), hand.actor
        return node >= 0 and self.tree.n_actions[node] > 0 and (self.tree.table[node], self.tree.player[node]) == decision

    def _below(self, node: int) -> dict[int, int]:
        """The node that each label leads to."""
        found, child = {}, node + 1
        for _ in range(self.tree.n_actions[node]):
            found[int(self.tree.label[child])] = child
            child = int(self.tree.end[child])
        return found

    def _pots(self, node: int, child: int) -> float:
        """How many pots a raise is that leads from one node's bets to another's."""
        before, after = int(self.tree.put[node].max()), int(self.tree.put[child].max())
        return (after - before) / (2 * before)

    def _after(self, node: int, hand: Hand, token: str, drawn: float) -> int:
        """The node as which an action is read; -1 where the tree knows none."""
        below = self._below(node)
        if token[0] != "b":
            return below[{"f": FOLD, "k": CALL, "c": CALL, "p": PAT, "s": CHANGE}[token[0]]]
        raises = [below[label] for label in (RAISE, ALL_IN) if label in below]
        if not raises:  # a fourth bet
            raises = [self._below(int(self.tree.parent[self.tree.parent[node]])).get(ALL_IN, -1)]
        total = hand.betting.base + int(token[1:])
        if total == STACK or raises == [-1]:
            return raises[-1]
        x = (total - max(hand.betting.put)) / (sum(hand.betting.put) + to_call(hand.betting))
        read = read_bet(x, [self._pots(node, child) for child in raises])
        return [below[CALL], *raises][read[0][0] if drawn < read[0][1] else read[-1][0]]

    def _mixture(self, hand: Hand, node: int) -> dict[str, float]:
        player, table, layout, cards = hand.actor, self.tree.table[node], self.strategy.layout, np.array(hand.deal)
        seen, found = _make_seen(1), _find_boards(cards[4:9], self.tables)
        own = cards[[2 * player, 2 * player + 1, 9 + 2 * player, 10 + 2 * player]]
        _see(own, self.strategy.policy, self.tables, found, seen, 0)
        state, below = self.tree.hands[node, player], self._below(node)
        entry = int(layout.base[table] + seen.rows[0, table, state] * layout.width[table] + layout.slot[node])
        weights = self.strategy.chances[entry : entry + len(below)]
        weights = weights / weights.sum() if weights.sum() > 0 else np.full(len(below), 1 / len(below))
        if hand.to_swap and (fixed := seen.forced[0, table - 4, state]) >= 0:
            weights = np.eye(2)[fixed]
        tokens = [self._token(hand, label, self._pots(node, child), found[0]) for label, child in below.items()]
        return {t: float(sum(w for s, w in zip(tokens, weights, strict=True) if s == t)) for t in tokens}

    def _token(self, hand: Hand, label: int, pots: float, where: np.ndarray) -> str:
        """An action of the tree as it is written here."""
        plain, (least, most) = legal_tokens(hand)
        if label == CHANGE:
            first, second = hand.holes[hand.actor]
            _, _, kept = _asked(self.tables, hand.street - 1, where, first, second, self.strategy.policy)
            return "s" + card_text(second if kept == first else first)
        if label in (FOLD, CALL, PAT) or not least:
            return plain[0 if label in (FOLD, PAT) else -1]
        wanted = max(hand.betting.put) - hand.betting.base + round(pots * (sum(hand.betting.put) + to_call(hand.betting)))
        return f"b{most if label == ALL_IN else min(max(wanted, least), most)}"
