"""The method in plain numpy: self-play and CFR-BR on a small betting tree, nothing compiled.

The fast engines compute this, and tests compare them with it; but only here does a best response
know the whole board at once.

Both players are dealt every hand at once (public chance sampling: Johanson, Waugh, Bowling and
Zinkevich 2012): only the board is drawn. Arrays over a tree have a row a node, since each node but
the root stands for the action that leads to it. `h` runs over the n holes that the board leaves.

- probability[k, h]: the probability of the action that leads to node k, with hole h, for the player
  who takes it.
- reach[p, k, h]: the product of player p's own probabilities on the path to node k.
- value[p, k, h]: dollars that player p wins in the whole hand, with hole h, when play reaches node
  k: the sum over the other player's holes, each times its reach. These are counterfactual values:
  p's own reach is not in them.

A learner's regrets and summed strategies are tables, one a street: a row for each bucket of holes,
a column for each node (see `holdem/policy`). buckets[s, h] is the bucket of hole h on street s.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import HOLE_CARDS, hole_index, parse_cards
from faceup.cards.strength import strength
from faceup.holdem.betting_tree import BettingTree, build_tree, children, columns, decision_nodes
from faceup.holdem.rules import FOLD_END, MBB_PER_DOLLAR, SHOWDOWN, BettingState, menu_from

Tables = list[np.ndarray]  # four, (n_buckets, width)


class Deal(NamedTuple):
    """A river board, and the outcomes of its holes against each other."""

    holes: np.ndarray  # (n,) of 1,326, those that the board leaves
    apart: np.ndarray  # (n, n) 1 where two holes share no card, else 0: they can be dealt together
    # (n, n) 1, 0, -1 where the first wins, ties, loses; 0 where they share a card
    beats: np.ndarray


def deal(board: Sequence[int], allowed: np.ndarray | None = None) -> Deal:
    """All holes of a board of five cards; of `allowed` (1326,) bool alone where it is given."""
    free = ~np.isin(HOLE_CARDS, board).any(axis=1)
    holes = np.flatnonzero(free if allowed is None else free & allowed)
    cards = HOLE_CARDS[holes]
    strengths = np.array([strength([*board, *pair]) for pair in cards.tolist()])
    apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
    return Deal(
        holes, apart.astype(float), np.sign(strengths[:, None] - strengths[None, :]) * apart
    )


def three_hands() -> tuple[BettingTree, Deal]:
    """Kuhn poker (1950) on a river: each player holds QQ, KK or AA, has put $300 into the pot, and
    may put in $300 more.

    The game's value is $300 / 18 to player 0, who acts second.
    """
    start = BettingState(3, 1, ((300, 0, 0, 0), (300, 0, 0, 0)), 0, 100, 0, stack=600)
    holes = [hole_index(*parse_cards(hole)) for hole in ("QsQh", "KsKh", "AsAh")]
    dealt = deal(parse_cards("2c2d7h8s9d"), np.isin(np.arange(len(HOLE_CARDS)), holes))
    return build_tree(menu_from([[]], [[]], [[]], [[]]), start), dealt


def regret_matching(weights: np.ndarray) -> np.ndarray:
    """Probabilities in proportion to positive weights (.., actions), equal where none is positive.

    Of regrets this is regret matching (Zinkevich et al. 2007), of summed strategies the average
    strategy.
    """
    positive = np.maximum(weights, 0)
    total = positive.sum(axis=-1, keepdims=True)
    return np.where(total > 0, positive / np.where(total > 0, total, 1), 1 / weights.shape[-1])


def strategy(tree: BettingTree, weights: Tables) -> Tables:
    """`regret_matching` at every decision: from regrets what is played next, from sums of
    strategies their average.
    """
    played = [np.zeros_like(table) for table in weights]
    for node in decision_nodes(tree):
        table, at = weights[tree.street[node]], columns(tree, node)
        played[tree.street[node]][:, at] = regret_matching(table[:, at])
    return played


def action_probabilities(tree: BettingTree, tables: Tables, buckets: np.ndarray) -> np.ndarray:
    """Each hole's probability of the action that leads to each node, (n_nodes, n), by a strategy's
    tables and the holes' buckets (4, n).
    """
    probability = np.ones((len(tree.kind), buckets.shape[1]))
    for street, table in enumerate(tables):
        probability[slice(*tree.street_start[street : street + 2])] = table[buckets[street]].T
    return probability


def between(tree: BettingTree, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Probabilities of a hand in which player 0 follows the first, player 1 the second."""
    actor = np.append(-1, tree.actor[tree.parent[1:]])
    return np.where((actor == 0)[:, None], first, second)


def reaches(tree: BettingTree, probability: np.ndarray) -> np.ndarray:
    """Each player's reach of each node with each hole, (2, n_nodes, n): the product of its own
    probabilities.
    """
    reach = np.ones((2, *probability.shape))
    for node in range(1, len(tree.kind)):
        above = tree.parent[node]
        reach[:, node] = reach[:, above]
        reach[tree.actor[above], node] *= probability[node]
    return reach


def values(
    tree: BettingTree, dealt: Deal, probability: np.ndarray, best: Sequence[int] = ()
) -> np.ndarray:
    """Counterfactual values of each node to each player with each hole, (2, n_nodes, n) dollars.

    best: players that take the best action with each hole instead of following `probability`.
    """
    reach, put = reaches(tree, probability), tree.bets.sum(axis=2)
    value = np.zeros_like(reach)
    for player, other in ((0, 1), (1, 0)):
        for end in np.flatnonzero(tree.kind == FOLD_END):
            won = -put[end, player] if tree.actor[end] == player else put[end, other]
            value[player, end] = won * (dealt.apart @ reach[other, end])
        for end in np.flatnonzero(tree.kind == SHOWDOWN):
            value[player, end] = put[end, player] * (dealt.beats @ reach[other, end])
        for node in decision_nodes(tree)[::-1]:
            below = value[player, children(tree, node)]
            if tree.actor[node] != player:
                # the other's probabilities are in the values already
                value[player, node] = below.sum(axis=0)
            elif player in best:
                value[player, node] = below.max(axis=0)
            else:
                value[player, node] = (probability[children(tree, node)] * below).sum(axis=0)
    return value


def best_response(
    tree: BettingTree, dealt: Deal, probability: np.ndarray, player: int
) -> np.ndarray:
    """Probabilities in which a player takes the best action with each hole against the other's
    probabilities, which stay.
    """
    value, response = values(tree, dealt, probability, best=[player])[player], probability.copy()
    for node in decision_nodes(tree):
        if tree.actor[node] == player:
            below = children(tree, node)
            response[below] = np.arange(len(value[below]))[:, None] == value[below].argmax(axis=0)
    return response


def exploitability(tree: BettingTree, dealt: Deal, probability: np.ndarray) -> float:
    """Winnings of best responders who see the board, averaged over the seats, mbb a game."""
    value = values(tree, dealt, probability, best=[0, 1])[:, 0]
    return float(MBB_PER_DOLLAR * value.sum(axis=1).mean() / dealt.apart.sum())


def learn(
    tree: BettingTree,
    probability: np.ndarray,
    value: np.ndarray,
    player: int,
    buckets: np.ndarray,
    regrets: Tables,
    strategy_sums: Tables,
    weight: float = 1,
    by_reach: bool = False,
) -> None:
    """Add a player's regrets, value[action] - value[decision], and its own reach to tables: sums
    over the holes of a bucket.

    by_reach: regrets are weighted by the player's own reach, as they should be where decisions
    share probabilities (`cfr_br`).
    """
    reach = reaches(tree, probability)[player]
    for node in decision_nodes(tree):
        if tree.actor[node] != player:
            continue
        street, regret_weight = tree.street[node], weight * reach[node] if by_reach else weight
        for child in children(tree, node):
            column = child - tree.street_start[street]
            np.add.at(
                regrets[street][:, column],
                buckets[street],
                regret_weight * (value[player, child] - value[player, node]),
            )
            np.add.at(strategy_sums[street][:, column], buckets[street], weight * reach[child])


def step(
    tree: BettingTree,
    dealt: Deal,
    buckets: np.ndarray,
    regrets: Tables,
    strategy_sums: Tables,
    opponent: str = "self",
    weight: float = 1,
    by_reach: bool = False,
) -> None:
    """One iteration on one board; both players learn from the strategy as it was.

    opponent "self": self-play, each plays against the other's current strategy. opponent "best":
    CFR-BR (Johanson, Bard, Burch and Bowling 2012), each plays against a best response that knows
    the strategy and the whole board. The two differ in one line.
    """
    own = action_probabilities(tree, strategy(tree, regrets), buckets)
    for player in range(2):
        played = own if opponent == "self" else best_response(tree, dealt, own, 1 - player)
        value = values(tree, dealt, played)
        learn(tree, played, value, player, buckets, regrets, strategy_sums, weight, by_reach)


def discount(
    regrets: Tables, strategy_sums: Tables, t: int, alpha: float, beta: float, gamma: float
) -> None:
    """Discounted CFR after iteration t (Brown and Sandholm 2019), once an epoch in `cfr`."""
    for table in regrets:
        table *= np.where(table > 0, t**alpha / (t**alpha + 1), t**beta / (t**beta + 1))
    for table in strategy_sums:
        table *= (t / (t + 1)) ** gamma
