"""Hands dealt in batches and really played, action by action, with real dollars (paper 000, Section 3: 150,000 games a pair).

Thousands of hands walk a match tree at once. Every deal is played twice, the second time by the other player in each seat.
Nothing is summed over here: it is the slow and noisy way to measure, kept to check the exact one, and the way in which models
too dear to ask about every hand of a board can be measured on many boards.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, PERMUTED_HOLES, STREETS, _canonical, canonical_boards
from faceup.cards.equity import UNITS, StreetTable
from faceup.cards.features import betting_features
from faceup.cards.strength import _strength
from faceup.holdem.betting.betting_tree import DECISION, FOLD_END, MBB_PER_DOLLAR, BettingTree
from faceup.holdem.betting.hand_play import payoffs
from faceup.holdem.play.agents import AgentPolicy
from faceup.holdem.play.match_tree import Sides, model_on_match_tree, read_tree
from faceup.holdem.play.purified import LikelyModel, likely
from faceup.holdem.solve.policy import FixedPolicy, ModelPolicy, Policy, TablePolicy, ask, legal_probabilities
from faceup.notebook.threads import on_threads

_BATCH = 8192  # deals that are played at once


class Deals(NamedTuple):
    """n deals: cards, and where the street tables keep each hand."""

    cards: np.ndarray  # (n, 9) int64: two cards of the small blind, two of the big blind, five of the board
    holes: np.ndarray  # (n, 2) int64
    boards: np.ndarray  # (4, n) int64 row of the board in each street's table
    permutations: np.ndarray  # (4, n) int64 of suits, that lead from the board to its row; 0 preflop
    columns: np.ndarray  # (4, n, 2) int64 column of each player's hole there
    river: np.ndarray  # (n, 2) int64 river equity out of UNITS[3]
    strengths: np.ndarray  # (n, 2) int64 of the seven cards


@njit(cache=True, nogil=True)
def _locate(share, cards, n_cards, keys, columns, boards, permutations):
    for i in range(share[0], cards.shape[0], share[1]):
        key, permutations[i] = _canonical(cards[i, 4 : 4 + n_cards], n_cards)
        boards[i] = np.searchsorted(keys, key)
        for player in range(2):
            columns[i, player] = PERMUTED_HOLES[permutations[i], columns[i, player]]


@njit(cache=True, nogil=True)
def _strengths(share, cards, out):
    for i in range(share[0], cards.shape[0], share[1]):
        seven = np.empty(7, dtype=np.int64)
        seven[2:] = cards[i, 4:]
        for player in range(2):
            seven[:2] = cards[i, 2 * player : 2 * player + 2]
            out[i, player] = _strength(seven, 7)


def deal(tables: tuple[StreetTable, ...], n: int, seed: int | list[int]) -> Deals:
    """n deals by chance; tables: of cards/equity, preflop first. Raises ValueError unless n is 1 or more."""
    if n < 1:
        raise ValueError(f"n is {n}, expected 1 deal or more")
    cards = np.random.default_rng(seed).random((n, 52)).argsort(axis=1, kind="stable")[:, :9].copy()
    pairs = np.sort(cards[:, :4].reshape(-1, 2, 2), axis=2)
    holes = pairs[:, :, 1] * (pairs[:, :, 1] - 1) // 2 + pairs[:, :, 0]
    boards, permutations = np.zeros((2, 4, len(cards)), dtype=np.int64)
    columns = np.repeat(holes[None], 4, axis=0)
    columns[0] = CLASS_OF_HOLE[holes]
    for street in (1, 2, 3):
        keys = canonical_boards(BOARD_CARDS[street]).keys
        on_threads(_locate, cards, BOARD_CARDS[street], keys, columns[street], boards[street], permutations[street])
    strengths = np.empty((len(cards), 2), dtype=np.int64)
    on_threads(_strengths, cards, strengths)
    river = tables[3].equity[boards[3][:, None], columns[3]].astype(np.int64)
    return Deals(cards, holes, boards, permutations, columns, river, strengths)


class Seat(Protocol):
    """Who plays a batch of hands from one seat of a match tree."""

    def start(self, deals: Deals, player: int) -> None:
        """New hands; player: whose cards of the deals are this seat's."""
        ...

    def act(self, street: int, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The nodes that the seat's actions lead to; u uniform in [0, 1), one a hand."""
        ...

    def watch(self, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> None:
        """The opponent's actions have led to these nodes."""
        ...


class _Dealt(Seat):
    """Keeps the deals and whose cards to look at; what the opponent does is read off the tree."""

    def start(self, deals: Deals, player: int) -> None:
        self._deals, self._player = deals, player

    def watch(self, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> None:
        pass


def _drawn(chances: np.ndarray, u: np.ndarray) -> np.ndarray:
    """A column of each row, by its chances (n, k), which need not sum to 1."""
    sums = np.cumsum(chances, axis=1, dtype=np.float64)
    picked = (sums <= u[:, None] * sums[:, -1:]).sum(axis=1)
    last = chances.shape[1] - 1 - (chances[:, ::-1] > 0).argmax(axis=1)  # where rounding would draw a column without chance
    return np.minimum(picked, last)


class TableSeat(_Dealt):
    """A table or a fixed player: reads lines as its own tree's, and draws one reading where there are several."""

    def __init__(self, match: BettingTree, own: BettingTree, policy: TablePolicy | FixedPolicy, seat: int):
        """policy: answers for the tree `own`."""
        self.readings, self.policy = read_tree(match, own, seat), policy
        sources, first, n = np.unique(self.readings.source, return_index=True, return_counts=True)
        self._first, self._n = np.zeros((2, len(self.readings.node)), dtype=np.int64)
        self._first[sources], self._n[sources] = first, n  # a reading's edges are neighbours

    def start(self, deals: Deals, player: int) -> None:
        """Nothing has been read yet."""
        super().start(deals, player)
        self._at = np.zeros(len(deals.cards), dtype=np.int64)

    def _below(self, hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Edges from the hands' readings (m, k), and which of them there are."""
        at = self._at[hands]
        k = np.arange(self._n[at].max())
        there = k < self._n[at][:, None]
        return np.where(there, self._first[at][:, None] + k, 0), there

    def act(self, street: int, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The children drawn from the table at what it takes the hands' betting for."""
        edges, there = self._below(hands)
        columns = self.readings.column[edges]
        table, rows = self._rows(street, hands)
        chances = np.where(columns >= 0, table[rows[:, None], np.maximum(columns, 0)], 1) * there
        return self._go(hands, edges, _drawn(chances, u))

    def watch(self, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> None:
        """One of the readings of what the opponent did is drawn."""
        edges, there = self._below(hands)
        chances = self.readings.chance[edges] * (there & (self.readings.node[self.readings.target[edges]] == nodes[:, None]))
        self._go(hands, edges, _drawn(chances, u))

    def _go(self, hands: np.ndarray, edges: np.ndarray, drawn: np.ndarray) -> np.ndarray:
        self._at[hands] = self.readings.target[edges[np.arange(len(hands)), drawn]]
        return self.readings.node[self._at[hands]]

    def _rows(self, street: int, hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The policy's rows on a street, and each hand's."""
        if isinstance(self.policy, FixedPolicy):
            return self.policy.street(street, [])[0], np.zeros(len(hands), dtype=np.int64)
        deals, player, groups = self._deals, self._player, self.policy.groups
        rows = deals.columns[street, hands, player] if street == 0 else deals.river[hands, player]
        if street in (1, 2):
            table = groups.flop if street == 1 else groups.turn
            rows = table[deals.boards[street, hands], deals.columns[street, hands, player]]
        return self.policy.tables[street], rows


class ModelSeat(_Dealt):
    """Four models that read real dollars, one a round."""

    def __init__(self, match: BettingTree, policy: ModelPolicy, least: float = 0):
        """policy: answers for the match tree; least: the probability below which it drops an action."""
        self.match, self.policy, self._least = match, policy, least

    def act(self, street: int, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The children drawn from the models' answers to the hands' features."""
        match = self.match
        told = betting_features(match.bets[nodes], match.actor[nodes], self.policy.history)
        X = np.concatenate([self._features(street, hands), told], axis=1)
        p = ask(self.policy.predict[street], X, len(match.labels), f"model of the {STREETS[street]}")
        chances = legal_probabilities(p, match.label, match.first_child[nodes], match.n_children[nodes])
        if self._least:
            chances = likely(chances, self._least)
        return match.first_child[nodes] + _drawn(chances, u)

    def _features(self, street: int, hands: np.ndarray) -> np.ndarray:
        """The models' features of the hands without the betting, as `board_features` gives them."""
        table, deals = self.policy.tables[street], self._deals
        place = deals.boards[street, hands], deals.columns[street, hands, self._player]
        later = [table.deciles[i][place] / UNITS[street + 1 + i] for i in range(len(table.deciles))]
        return np.concatenate([table.equity[place][:, None] / UNITS[street], *later], axis=1).astype(np.float32)


class AgentSeat(_Dealt):
    """Any agent, asked for one hand after the other."""

    def __init__(self, policy: AgentPolicy):
        """policy: of the match tree."""
        self.policy = policy

    def act(self, street: int, hands: np.ndarray, nodes: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The children drawn from the agent's answers, a hand at a time."""
        match, cards = self.policy.tree, self._deals.cards[hands, 4 : 4 + BOARD_CARDS[street]].tolist()
        chances = np.zeros((len(hands), int(match.n_children.max())))
        for row, hole, board, node in zip(chances, self._deals.holes[hands, self._player], cards, nodes.tolist(), strict=True):
            row[: match.n_children[node]] = self.policy.at(node, np.array([hole]), board)[0]
        return match.first_child[nodes] + _drawn(chances, u)


def seated(match: BettingTree, own: BettingTree, policy: Policy, seat: int) -> Seat:
    """A policy of its own tree in a seat (0 the small blind) of a match tree. Raises ValueError on a kind that cannot play."""
    if isinstance(policy, LikelyModel):
        return ModelSeat(match, model_on_match_tree(match, own, policy.drawn, seat), policy.least)
    if isinstance(policy, ModelPolicy):
        return ModelSeat(match, model_on_match_tree(match, own, policy, seat))
    if isinstance(policy, AgentPolicy):
        return AgentSeat(AgentPolicy(match, policy.agent, seat))
    if isinstance(policy, TablePolicy | FixedPolicy):
        return TableSeat(match, own, policy, seat)
    raise ValueError(f"policy is a {type(policy).__name__}, expected a table, a model, an agent or a fixed player")


def play_deals(match: BettingTree, seats: tuple[Seat, Seat], deals: Deals, seed: int | list[int]) -> np.ndarray:
    """The node at which each deal ends, (n,) int64; seed: of the agents' draws."""
    rng, n = np.random.default_rng(seed), len(deals.cards)
    for seat in range(2):
        seats[seat].start(deals, seat)
    nodes = np.zeros(n, dtype=np.int64)
    for street in range(4):
        while len(hands := np.flatnonzero((match.kind[nodes] == DECISION) & (match.street[nodes] == street))):
            actors = match.actor[nodes[hands]]
            for actor in range(2):
                mine = hands[actors == actor]
                if len(mine):
                    nodes[mine] = seats[actor].act(street, mine, nodes[mine], rng.random(len(mine)))
                    seats[1 - actor].watch(mine, nodes[mine], rng.random(len(mine)))
    return nodes


def dollars(match: BettingTree, deals: Deals, nodes: np.ndarray) -> np.ndarray:
    """Dollars that the small blind wins in deals that have ended at these nodes, (n,) int64."""
    folded = np.where(match.kind[nodes] == FOLD_END, match.actor[nodes], -1)
    return payoffs(match.bets[nodes].sum(axis=2), folded, deals.strengths)[:, 0]


def play_match(
    sides: Sides,
    agent: Policy,
    opponent: Policy,
    tables: tuple[StreetTable, ...],
    games: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """mbb/g that the agent (of the first side's tree) wins in each deal's two games, as small and as big blind, (games // 2, 2).

    In the second game each holds the cards that the other held; tables: of cards/equity. Raises ValueError unless games
    is 2 or more.
    """
    if games < 2:
        raise ValueError(f"games is {games}, expected 2 or more: each deal is played twice")
    pairs = [
        (seated(match, sides.own[0], agent, seat), seated(match, sides.own[1], opponent, 1 - seat))
        for seat, match in enumerate(sides.trees)
    ]
    won = np.zeros((games // 2, 2))
    for k, start in enumerate(range(0, len(won), _BATCH)):
        deals = deal(tables, min(_BATCH, len(won) - start), [seed, k, 0])
        for seat, (match, pair) in enumerate(zip(sides.trees, pairs, strict=True)):
            ends = play_deals(match, pair if seat == 0 else pair[::-1], deals, [seed, k, 1])
            won[start : start + _BATCH, seat] = (MBB_PER_DOLLAR, -MBB_PER_DOLLAR)[seat] * dollars(match, deals, ends)
        progress(min(2 * (start + _BATCH), games))
    return won
