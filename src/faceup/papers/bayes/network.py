"""The paper's network in pyAgrum, an open library of graphical models: Figs. 1 to 4 of paper 003,
executed.

pyAgrum has influence diagrams, and variables whose values are whole numbers, as the ordinal nodes
CP and FP need.

The nodes of a round are those of Fig. 3: PO, OO and Win (one joint distribution), OST, OS, PS (the
decision), Heard and OA (the opponent's first action, and the place where the betting ends), CP, FP
(both players' money; the one with less has folded) and Outcome. Money is counted in halves of a
small bet, 50 dollars. Rounds are joined through OST as in Fig. 4.
"""

from collections.abc import Sequence

import numpy as np
import pyagrum as gum

from faceup.cards.cards import STREETS
from faceup.holdem.rules import START
from faceup.papers.bayes.model import N_HEARD, NOTHING, Model, Round, make_round, normalized
from faceup.papers.bayes.strategies import CURRENT, NAMES, Moves

UNIT = 50  # dollars
# money of either player before each round, in UNIT
POTS = ((0,), (2, 4, 6, 8), tuple(range(2, 17, 2)), tuple(range(2, 33, 2)))
HEARD_NAMES = ("fold", "call", "raise", "nothing")


def _add_round(
    net: gum.InfluenceDiagram, model: Model, betting: Round, seat: int, street: int, decides: bool
) -> None:
    """Add the nodes of a round; decides: whether PS is the decision, else evidence."""
    bins, n_types, place = model.joint.shape[1], model.choice.shape[1], STREETS[street]
    po, oo, win, ost, os, heard, cp, ps, oa, fp = (
        f"{name} {place}"
        for name in ("PO", "OO", "Win", "OST", "OS", "Heard", "CP", "PS", "OA", "FP")
    )
    joint = model.joint[street]
    _add(net, po, list(range(bins)), [], joint.sum(axis=(1, 2)))
    _add(net, oo, list(range(bins)), [po], normalized(joint.sum(axis=2)))
    _add(net, win, [-1, 0, 1], [po, oo], normalized(joint))
    before = [f"OST {STREETS[street - 1]}"] if street else []
    prior = np.eye(n_types) if street else np.full(n_types, 1 / n_types)
    _add(net, ost, list(range(n_types)), before, prior)
    _add(net, os, NAMES, [ost, oo], model.choice[street])
    _add(net, heard, HEARD_NAMES, [os], _heard(betting))
    pots, ends = np.array(POTS[street]), betting.ends.tolist()
    _add(net, cp, pots.tolist(), [], np.full(len(pots), 1 / len(pots)))
    if decides:
        _add(net, ps, NAMES, [po, heard, cp], kind="decision")
    else:
        _add(net, ps, NAMES, [], np.full(len(CURRENT), 1 / len(CURRENT)))
    _add(net, oa, ends, [ps, os, heard], _ends(betting))
    if not decides:
        return
    # (CP and end, player and opponent)
    final = (pots[:, None, None] + betting.put[ends] // UNIT).reshape(-1, 2)
    pairs, which = np.unique(final, axis=0, return_inverse=True)
    labels = [f"{pl}:{op}" for pl, op in pairs.tolist()]
    _add(net, fp, labels, [cp, oa], np.eye(len(pairs))[which.reshape(len(pots), len(ends))])
    blind = sum(START.bets[seat]) // UNIT if street == 0 else 0
    utility = UNIT * _outcome(pots + blind, pairs)[..., None]
    _add(net, f"Outcome {place}", ["value"], [win, cp, fp], utility, "utility")


def _add(
    net: gum.InfluenceDiagram,
    name: str,
    values: Sequence,
    parents: list[str],
    table=None,
    kind: str = "chance",
) -> None:
    """Add a node. table, which a decision lacks: an axis for each parent in order, then its own."""
    variable = gum.IntegerVariable if isinstance(values[0], int) else gum.LabelizedVariable
    add = {
        "chance": net.addChanceNode,
        "decision": net.addDecisionNode,
        "utility": net.addUtilityNode,
    }[kind]
    add(variable(name, name, list(values)))
    for parent in parents:
        net.addArc(parent, name)
    if table is not None:
        tensor, axes = net.utility(name) if kind == "utility" else net.cpt(name), [*parents, name]
        # the last name is numpy's first axis
        order = [axes.index(of) for of in reversed(tensor.names)]
        tensor[:] = np.ascontiguousarray(np.asarray(table, dtype=float).transpose(order))


def _heard(betting: Round) -> np.ndarray:
    """Pr[Heard | OS], (8, N_HEARD)."""
    heard, place = np.unique(betting.first, return_index=True)
    out = np.zeros((len(CURRENT), N_HEARD))
    out[:, heard] = np.where(heard == NOTHING, 1, betting.other[:, place])
    return out


def _ends(betting: Round) -> np.ndarray:
    """Pr[OA | PS, OS, Heard], (8, 8, N_HEARD, n_ends); uniform where Heard cannot be."""
    reach = betting.own[:, None, betting.ends] * betting.other[None, :, betting.ends]
    heard = betting.first[betting.ends] == np.arange(N_HEARD)[:, None]
    return normalized(reach[:, :, None] * heard)


def _outcome(current: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """The paper's utility over (Win, CP, FP); the player with less money in the pot has folded."""
    win, cp = np.array([-1, 0, 1])[:, None, None], current[:, None]
    pl, op = pairs.T
    result = np.where(pl == op, win, np.sign(pl - op))
    return np.where(result == 1, op + cp, np.where(result == 0, (op - pl) / 2 + cp, cp - pl))


class Library:
    """The network of a hand up to a round, in which the player in a seat (0: the dealer) decides.

    The player's strategies of earlier rounds are evidence. Nodes are named as in the paper: "PO
    flop".
    """

    def __init__(self, model: Model, moves: Moves, seat: int, street: int):
        self.net, self._place = gum.InfluenceDiagram(), STREETS[street]
        for s in range(street + 1):
            betting = make_round(moves, s, seat, model.slip)
            _add_round(self.net, model, betting, seat, s, decides=s == street)
        self._engine = gum.ShaferShenoyLIMIDInference(self.net)

    def query(self, evidence: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
        """Expected Outcome of each current strategy, (8,) dollars, and Pr[OST].

        evidence: index of each observed node's value.
        """
        self._engine.eraseAllEvidence()
        self._engine.setEvidence(evidence)
        self._engine.makeInference()
        value = self._engine.posteriorUtility(f"PS {self._place}").toarray()
        return value, self._engine.posterior(f"OST {self._place}").toarray()
