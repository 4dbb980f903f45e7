"""The network of paper 003 as arrays: posteriors and expected utilities of many hands at once.

A round (Figs. 3 and 4): the deal gives the player's odds PO, the opponent's OO and the result Win;
the opponent's type OST and OO give its current strategy OS; its actions OA follow OS but for slips;
betting ends where PS and OA lead it. The player picks the PS of greatest expected Outcome given PO,
the pot CP, the opponent's first action in the round, and the belief in OST.

The final pot FP is that "by the end of the game". Backward induction gives its expected part of
Outcome: from the river on, a round is worth what the player's best strategies win there, against an
opponent of a known type, and both odds change from round to round by counted chances. Without these
chances FP is the pot at the end of the round, as if the cards were shown then; this is what
`bayes/network` computes by a library.

All sums over OO, OS, OA and Win are made once: a hand then costs some look-ups.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.holdem.rules import DECISION, FOLD_END, START
from faceup.papers.bayes.enumeration import LOSS, WIN
from faceup.papers.bayes.strategies import CURRENT, FINE, Moves, strategy_of_bin

# values of Heard: the label of the opponent's first action, fold, call (check) or raise; NOTHING
# where the player is first to act
NOTHING = 3
N_HEARD = 4
ROUND_START = -1  # the place at which a round begins
POT_UNIT = 100  # dollars; each player puts in 0 to 24 times as much
_POTS = POT_UNIT * np.arange(25)
_TINY = 1e-300  # keeps 0 / 0 at 0


class Model(NamedTuple):
    """The player's model of deals and opponents."""

    joint: np.ndarray  # (4, bins, bins, 3) Pr[PO, OO, Win] in each round
    choice: np.ndarray  # (4, n_types, bins, 8) Pr[OS | OST, OO]
    slip: float  # chance of a random legal action of the opponent instead of its strategy's


class Round(NamedTuple):
    """The betting of a round from one seat. Places are the nodes that its actions lead to, as in
    `Moves.place`.
    """

    other: (
        np.ndarray
    )  # (8, n_places) chance of the opponent's actions up to a place, by its strategy
    own: np.ndarray  # (8, n_places) whether the player's strategy takes its own actions up to there
    # (n_places,) Heard: the opponent's first action up to a place
    first: np.ndarray
    ends: np.ndarray  # (n_ends,) places at which the round ends
    turns: tuple[int, ...]  # places at which the player is to act, ROUND_START for the first to act
    # (n_places, 2) dollars that player and opponent have put in during the round, blinds included
    put: np.ndarray
    folder: np.ndarray  # (n_places,) 0 nobody, 1 the player, 2 the opponent has folded


def make_model(counts: np.ndarray, bins: int, shifts: Sequence[float], slip: float) -> Model:
    """A model of `bins` odds, a divisor of FINE, and of types with shifted limits.

    Where a bin straddles a limit the strategy is mixed, by the distribution of a random hand's odds
    within the bin. counts (4, FINE, FINE, 3): of `joint_odds`.
    """
    n = FINE // bins
    joint = counts.reshape(4, bins, n, bins, n, 3).sum(axis=(2, 4))
    odds = counts.sum(axis=(1, 3)).reshape(4, bins, n).astype(float)  # of the opponent
    picks = np.array([np.eye(len(CURRENT))[strategy_of_bin(shift)] for shift in shifts])
    picks = picks.reshape(len(shifts), bins, n, -1)
    choice = np.einsum("sbi,tbik->stbk", normalized(odds), picks)
    return Model(joint / joint.sum(axis=(1, 2, 3), keepdims=True), choice, slip)


def normalized(table: np.ndarray) -> np.ndarray:
    """Each row over the last axis divided by its sum; uniform where that is 0."""
    total = table.sum(axis=-1, keepdims=True)
    return np.divide(table, total, out=np.full(table.shape, 1 / table.shape[-1]), where=total > 0)


def make_round(moves: Moves, street: int, seat: int, slip: float) -> Round:
    """The betting of a street from a seat, 0 the dealer's."""
    tree = moves.tree
    root, nodes = nodes_of_round(moves, street)
    first = np.full(len(nodes), NOTHING)
    if tree.actor[root] != seat:
        for p, node in enumerate(nodes):
            above = tree.parent[node]
            first[p] = tree.label[node] if above == root else first[moves.place[above]]
    put = tree.bets[nodes][:, [seat, 1 - seat], street]
    folder = np.where(tree.kind[nodes] == FOLD_END, 1 + (tree.actor[nodes] != seat), 0)
    inside = (tree.kind[nodes] == DECISION) & (tree.street[nodes] == street)
    later = np.flatnonzero(inside & (tree.actor[nodes] == seat)).tolist()
    turns = (*(ROUND_START,) * int(tree.actor[root] == seat), *later)
    other, own = reach(moves, street, 1 - seat, slip), reach(moves, street, seat)
    return Round(other, own, first, np.flatnonzero(~inside), turns, put, folder)


def nodes_of_round(moves: Moves, street: int) -> tuple[int, np.ndarray]:
    """The decision at which the first of a street's rounds begins, and the nodes that actions of
    the round lead to, (n_places,).
    """
    tree = moves.tree
    root = int(np.flatnonzero((tree.kind == DECISION) & (tree.street == street))[0])
    n = int(moves.place[tree.street_start[street] : tree.street_start[street + 1]].max()) + 1
    return root, int(tree.first_child[root]) + np.arange(n)


def reach(
    moves: Moves, street: int, player: int, slip: float = 0, turn: int = ROUND_START
) -> np.ndarray:
    """Chance of a player's own actions from a turn to each place, by the current strategy, (8,
    n_places) float64.

    The other's actions count as taken; places that are not below the turn have 0. slip: as in
    `Model`.
    """
    root, nodes = nodes_of_round(moves, street)
    tree, start = moves.tree, root if turn == ROUND_START else nodes[turn]
    out = np.zeros((len(CURRENT), len(nodes)))
    for p, node in enumerate(nodes):
        above = tree.parent[node]
        out[:, p] = 1 if above == start else out[:, moves.place[above]] if above != root else 0
        if tree.actor[above] == player:
            slipped = slip / tree.n_children[above]
            out[:, p] *= (1 - slip) * (moves.after[:, above] == node) + slipped
    return out


def count_transitions(odds: np.ndarray, bins: int) -> np.ndarray:
    """Chances of both players' odds in the next round, by those in a round: (3, bins, bins, bins,
    bins), own odds first.

    odds (n, 2, 4): FINE bins of both players in the four rounds of sampled deals, each of which
    counts for both.
    """
    own, other = odds.transpose(1, 2, 0).astype(np.int64) // (FINE // bins)
    pairs = np.concatenate([own * bins + other, other * bins + own], axis=1)  # (4, 2 n)
    steps = pairs[:-1] * bins**2 + pairs[1:]
    counts = np.array([np.bincount(step, minlength=bins**4) for step in steps])
    return normalized(counts.reshape(3, bins**2, -1)).reshape(3, *(bins,) * 4)


class Evaluator:
    """Expected utilities and likelihoods of a model, as tables over all that can be observed."""

    def __init__(self, model: Model, moves: Moves, transitions: np.ndarray | None = None):
        """model: of the opponent and the deals; moves: of the limit tree; transitions: of
        `count_transitions`, None: FP is the pot at the end of the round.
        """
        self.model, self.moves, self.n_types = model, moves, model.choice.shape[1]
        bins, n_places = model.joint.shape[1], int(moves.place.max()) + 1
        shape = 4, 2, n_places + 1, bins  # the place of a turn, ROUND_START last
        # Outcome times the chance of Heard, by CP, type and PS
        self.outcome = np.zeros((*shape, len(_POTS), self.n_types, len(CURRENT)))
        # likelihood of the opponent's actions up to a place, by PO and by OO; 1 at ROUND_START
        self.by_own_odds, self.by_odds = np.ones((2, *shape, self.n_types))
        # dollars won if the cards are shown after a round, by street, CP, PO, OO and type
        sign = (model.joint[..., WIN] - model.joint[..., LOSS]) / np.maximum(
            model.joint.sum(axis=3), _TINY
        )
        shown = np.einsum("c,spo,t->scpot", _POTS, sign, np.ones(self.n_types))
        for seat in range(2):
            worth = self._fill(3, seat, shown[3])
            for street in range(2, -1, -1):
                rest = (
                    shown[street]
                    if transitions is None
                    else np.einsum("poqr,cqrt->cpot", transitions[street], worth)
                )
                worth = self._fill(street, seat, rest)

    def _fill(self, street: int, seat: int, rest: np.ndarray) -> np.ndarray:
        """Fill in a round's tables from what the rest of the game is worth to the player, by CP
        after the round, PO, OO and type; returns the same from the round's start on.
        """
        moves, (root, nodes) = self.moves, nodes_of_round(self.moves, street)
        betting, at = make_round(moves, street, seat, self.model.slip), (street, seat)
        n, ends = len(nodes), betting.ends
        joint, choice = self.model.joint[street].sum(axis=2), self.model.choice[street]
        of_po = joint / np.maximum(joint.sum(axis=1, keepdims=True), _TINY)  # Pr[OO | PO]
        self.by_odds[at][:n] = np.einsum("tok,kn->not", choice, betting.other)
        self.by_own_odds[at][:n] = np.einsum("po,not->npt", of_po, self.by_odds[at][:n])
        own, other = (_POTS[:, None] + betting.put[ends, p] for p in range(2))
        won = rest[np.minimum(own // POT_UNIT, len(_POTS) - 1)]  # (CP, end, PO, OO, type)
        for folder, dollars in ((1, -own), (2, other)):
            at_ends = betting.folder[ends] == folder
            won[:, at_ends] = dollars[:, at_ends, None, None, None]
        # the paper's Outcome counts the player's money in the pot as gone
        gone = _POTS[:, None, None, None, None] + (sum(START.bets[seat]) if street == 0 else 0)
        reached = self.by_odds[at][ends]
        mean = np.einsum("po,eot,cepot->pcte", of_po, reached, won + gone)
        # the player's actions by the strategies that are picked; none, where the other folds first
        is_first = moves.tree.parent[nodes] == root
        plan = np.zeros(mean.shape) + (is_first[ends] & (moves.tree.actor[root] != seat))
        for turn in betting.turns:
            taken = reach(moves, street, seat, turn=turn)[:, ends]
            self.outcome[at][turn] = mean @ taken.T
            if turn == ROUND_START or is_first[turn]:
                heard = np.maximum(self.by_own_odds[at][turn], _TINY)[:, None, :, None]
                plan += taken[(self.outcome[at][turn] / heard).round(6).argmax(axis=3)]
        return np.einsum("pcte,eot,cepot->cpot", plan, reached, won)

    def utilities(
        self,
        street: int,
        seat: int,
        turn: np.ndarray,
        po: np.ndarray,
        cp: np.ndarray,
        types: np.ndarray,
    ) -> np.ndarray:
        """Expected Outcome in dollars of each current strategy, (n, 8), given Heard.

        turn (n,): places at which the player is to act, ROUND_START where it begins; po (n,): bins;
        cp (n,): dollars put in by either before the round; types (n, n_types): belief before it.
        """
        at = street, seat, turn, po
        value = np.einsum("nt,ntj->nj", types, self.outcome[(*at, cp // POT_UNIT)])
        return value / np.einsum("nt,nt->n", types, self.by_own_odds[at])[:, None]

    def posterior(
        self,
        street: int,
        seat: int,
        place: np.ndarray,
        po: np.ndarray,
        types: np.ndarray,
        oo: np.ndarray | None = None,
    ) -> np.ndarray:
        """Belief in the types after the betting of a round has led to places (n,), (n, n_types).

        po (n,): bins; types (n, n_types): belief before it; oo (n,): bins of the opponent's odds
        where its cards were shown, -1 elsewhere.
        """
        likelihood = self.by_own_odds[street, seat, place, po]
        if oo is not None:
            shown = self.by_odds[street, seat, place, np.maximum(oo, 0)]
            likelihood = np.where((oo >= 0)[:, None], shown, likelihood)
        weights = types * likelihood
        return weights / weights.sum(axis=1, keepdims=True)
