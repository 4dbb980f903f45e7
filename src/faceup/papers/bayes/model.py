"""The network of paper 003 as whole arrays: posteriors and expected utilities for many hands at
once.

A round (Figs. 3 and 4): the deal gives the player's odds PO, the opponent's OO and the result Win;
the opponent's type OST and OO give the current strategy OS; what the opponent does, OA, is OS but
for slips; betting ends where PS and OA lead it, and the final pot FP is what then lies there, as if
no more were bet later. Rounds are joined by OST alone. The player picks the PS of greatest expected
Outcome given PO, the pot CP, what the opponent did first in the round, and what is learnt of OST.

All sums over OO, OS, OA and Win are made once: a hand then costs some look-ups. `bayes/network`
asks a library for the same.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.holdem.rules import DECISION, FOLD_END, START
from faceup.papers.bayes.enumeration import LOSS, TIE, WIN
from faceup.papers.bayes.strategies import CURRENT, FINE, Moves, strategy_of_bin

# heard: nothing yet, the player is first to act; else the label of the opponent's action: fold,
# call (check), raise
NOTHING = 3
N_HEARD = 4
ROUND_START = -1  # the place at which a round begins


class Model(NamedTuple):
    """What the player believes of deals and opponents."""

    joint: np.ndarray  # (4, bins, bins, 3) Pr[PO, OO, Win] in each round
    choice: np.ndarray  # (4, n_types, bins, 8) Pr[OS | OST, OO]
    slip: float  # how often the opponent takes any legal action instead of the strategy's


class Round(NamedTuple):
    """The betting of a round, seen from one seat; places are the nodes that its actions lead to, as
    in `Moves.place`.
    """

    # (8, n_places) chance of the opponent's actions on the way to each place, by the opponent's
    # strategy
    theirs: np.ndarray
    # (8, n_places) whether the player's strategy takes the player's actions on the way
    own: np.ndarray
    # (n_places,) what was heard first on the way there, NOTHING where the player acts first
    first: np.ndarray
    ends: np.ndarray  # (n_ends,) places at which the round ends
    turns: tuple[int, ...]  # places at which the player is to act, ROUND_START for the first to act
    # (n_places, 2) dollars that player and opponent have put in during the round, blinds included
    put: np.ndarray
    folder: np.ndarray  # (n_places,) 0 nobody, 1 the player, 2 the opponent has folded


def make_model(counts: np.ndarray, bins: int, shifts: Sequence[float], slip: float) -> Model:
    """A model from `joint_odds` counted in FINE bins; bins divides FINE; shifts: of the limits of
    each type.

    Where a bin straddles a limit the strategy is mixed, by how the odds of a random hand lie within
    the bin.
    """
    n = FINE // bins
    joint = counts.reshape(4, bins, n, bins, n, 3).sum(axis=(2, 4))
    # how often the opponent holds each odds
    odds = counts.sum(axis=(1, 3)).reshape(4, bins, n).astype(float)
    picks = np.array([np.eye(len(CURRENT))[strategy_of_bin(shift)] for shift in shifts]).reshape(
        len(shifts), bins, n, -1
    )
    choice = np.einsum("sbi,tbik->stbk", normalised(odds), picks)
    return Model(joint / joint.sum(axis=(1, 2, 3), keepdims=True), choice, slip)


def normalised(table: np.ndarray) -> np.ndarray:
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
    turns = (ROUND_START,) * int(tree.actor[root] == seat) + tuple(
        np.flatnonzero(inside & (tree.actor[nodes] == seat)).tolist()
    )
    theirs, own = reach(moves, street, 1 - seat, slip), reach(moves, street, seat)
    return Round(theirs, own, first, np.flatnonzero(~inside), turns, put, folder)


def nodes_of_round(moves: Moves, street: int) -> tuple[int, np.ndarray]:
    """The decision at which the first of a street's rounds begins, and the nodes that its actions
    lead to, by place.
    """
    tree = moves.tree
    root = int(np.flatnonzero((tree.kind == DECISION) & (tree.street == street))[0])
    n = int(moves.place[tree.street_start[street] : tree.street_start[street + 1]].max()) + 1
    return root, int(tree.first_child[root]) + np.arange(n)


def reach(
    moves: Moves, street: int, player: int, slip: float = 0, turn: int = ROUND_START
) -> np.ndarray:
    """Chance of a player's own actions on the way from a turn to each place, by the current
    strategy, (8, n_places) float64.

    The other's actions count as taken; places that are not below the turn are 0. slip: see `Model`.
    """
    root, nodes = nodes_of_round(moves, street)
    tree, start = moves.tree, root if turn == ROUND_START else nodes[turn]
    out = np.zeros((len(CURRENT), len(nodes)))
    for p, node in enumerate(nodes):
        above = tree.parent[node]
        out[:, p] = 1 if above == start else out[:, moves.place[above]] if above != root else 0
        if tree.actor[above] == player:
            out[:, p] *= (1 - slip) * (moves.after[:, above] == node) + slip / tree.n_children[
                above
            ]
    return out


def outcomes(betting: Round, street: int, seat: int) -> tuple[np.ndarray, np.ndarray]:
    """The paper's Outcome at each place, for each Win, in dollars: base (n_places, 3) and what each
    dollar of CP adds to it.

    CP: dollars that either player has put in before the round. Outcome counts what the player has
    put in so far as gone.
    """
    blind = sum(START.bets[seat]) if street == 0 else 0
    base = np.empty((len(betting.put), 3))
    base[:, LOSS], base[:, TIE], base[:, WIN] = (
        blind - betting.put[:, 0],
        blind,
        blind + betting.put[:, 1],
    )
    slope = np.repeat([[0.0, 1.0, 2.0]], len(base), axis=0)
    for folder, win in ((1, LOSS), (2, WIN)):
        folded = betting.folder == folder
        base[folded], slope[folded] = base[folded][:, [win]], slope[folded][:, [win]]
    return base, slope


class Evaluator:
    """Expected utilities and likelihoods of a model, as tables over what can be observed."""

    def __init__(self, model: Model, moves: Moves):
        """model: of the opponent and the deals; moves: of the limit tree."""
        self.model, self.moves, self.n_types = model, moves, model.choice.shape[1]
        bins, n_places = model.joint.shape[1], int(moves.place.max()) + 1
        shape = 4, 2, n_places + 1, bins, self.n_types  # a turn's place, ROUND_START last
        # Outcome times the chance of what was heard, by PS
        self.base, self.slope = np.zeros((2, *shape, len(CURRENT)))
        self.heard = np.zeros(shape)  # chance of what was heard before the turn
        # chance of what the other does, by PO and by OO
        self.seen, self.shown = np.ones((2, 4, 2, n_places, bins, self.n_types))
        for street in range(4):
            of_po = model.joint[street] / np.maximum(
                model.joint[street].sum(axis=(1, 2), keepdims=True), 1e-300
            )
            odds = np.einsum("pow,tok->ptkw", of_po, model.choice[street])  # Pr[OS, Win | PO, OST]
            for seat in range(2):
                betting = make_round(moves, street, seat, model.slip)
                n = betting.theirs.shape[1]
                self.shown[street, seat, :n] = np.einsum(
                    "tok,kn->not", model.choice[street], betting.theirs
                )
                self.seen[street, seat, :n] = np.einsum("ptkw,kn->npt", odds, betting.theirs)
                for turn in betting.turns:
                    own = reach(moves, street, seat, turn=turn)[:, betting.ends]
                    ways = own[:, None] * betting.theirs[None][:, :, betting.ends]  # (PS, OS, end)
                    for worth, out in zip(
                        outcomes(betting, street, seat), (self.base, self.slope), strict=True
                    ):
                        out[street, seat, turn] = np.einsum(
                            "ptkw,jke,ew->ptj", odds, ways, worth[betting.ends]
                        )
                    self.heard[street, seat, turn] = (
                        1 if turn == ROUND_START else self.seen[street, seat, turn]
                    )

    def utilities(
        self,
        street: int,
        seat: int,
        turn: np.ndarray,
        po: np.ndarray,
        cp: np.ndarray,
        types: np.ndarray,
    ) -> np.ndarray:
        """Expected Outcome in dollars of each current strategy, (n, 8).

        turn (n,): places at which the player is to act, ROUND_START where the player begins; po
        (n,): bins; cp (n,): dollars put in by either before the round; types (n, n_types): weights
        before it. What the opponent did in the round is heard.
        """
        at = street, seat, turn, po
        worth = np.einsum("nt,ntj->nj", types, self.base[at] + cp[:, None, None] * self.slope[at])
        return worth / np.einsum("nt,nt->n", types, self.heard[at])[:, None]

    def learn(
        self,
        street: int,
        seat: int,
        place: np.ndarray,
        po: np.ndarray,
        types: np.ndarray,
        oo: np.ndarray | None = None,
    ) -> np.ndarray:
        """Weights of the types after a round's betting has led to a place, (n, n_types), summing to
        1.

        oo (n,): bins of the opponent's odds, where cards were shown; -1 elsewhere.
        """
        like = self.seen[street, seat, place, po]
        if oo is not None:
            like = np.where(
                (oo >= 0)[:, None], self.shown[street, seat, place, np.maximum(oo, 0)], like
            )
        weights = types * like
        return weights / weights.sum(axis=1, keepdims=True)
