"""The evaluator against pyAgrum: expected utilities and beliefs for random evidence."""

import numpy as np
import pytest

from faceup.cards.cards import STREETS
from faceup.papers.bayes.model import NOTHING, ROUND_START, Evaluator, make_model, make_round
from faceup.papers.bayes.network import POTS, UNIT, Library
from faceup.papers.bayes.strategies import NAMES


def random_case(evaluator, moves, seat, street, rng):
    """Random evidence for the library, and the evaluator's utilities and belief given the same."""
    model = evaluator.model
    evidence = {}
    types = np.full((1, evaluator.n_types), 1 / evaluator.n_types)
    for s in range(street):
        betting = make_round(moves, s, seat, model.slip)
        po = rng.choice(len(model.joint[s]), p=model.joint[s].sum(axis=(1, 2)))
        ps = rng.integers(1, len(NAMES))
        goes_on = np.flatnonzero(
            (betting.own[ps, betting.ends] > 0) & (betting.folder[betting.ends] == 0)
        )
        end = rng.choice(goes_on)
        place = betting.ends[[end]]
        seen = {"PO": po, "PS": ps, "OA": end, "Heard": betting.first[place[0]]}
        evidence |= {f"{name} {STREETS[s]}": int(value) for name, value in seen.items()}
        types = evaluator.posterior(s, seat, place, np.array([po]), types)
    po = rng.choice(len(model.joint[street]), p=model.joint[street].sum(axis=(1, 2)))
    heard = NOTHING if (seat == 0) == (street == 0) else rng.integers(1, 3)
    pot = rng.integers(len(POTS[street]))
    seen = {"PO": po, "Heard": heard, "CP": pot}
    evidence |= {f"{name} {STREETS[street]}": int(value) for name, value in seen.items()}
    cp = np.array([UNIT * POTS[street][pot]])
    turn = (
        ROUND_START
        if heard == NOTHING
        else np.flatnonzero(make_round(moves, street, seat, model.slip).first == heard)[0]
    )
    worth = evaluator.utilities(street, seat, np.array([turn]), np.array([po]), cp, types)[0]
    types = types[0] * evaluator.by_own_odds[street, seat, turn, po]
    return evidence, worth, types / types.sum()


@pytest.mark.parametrize(
    ("cases", "bins", "streets"),
    [(15, 5, (0, 1)), (4, 10, (2, 3)), pytest.param(125, 10, range(4), marks=pytest.mark.slow)],
)
def test_the_evaluator_equals_pyagrum(counts, moves, cases, bins, streets):
    """On random evidence for every seat and round; 1,000 cases in the slow test."""
    model = make_model(counts, bins, (0.1, -0.1, -0.3), 0.02)
    evaluator, rng = Evaluator(model, moves), np.random.default_rng(bins)
    for seat in range(2):
        for street in streets:
            library = Library(model, moves, seat, street)
            for _ in range(cases):
                evidence, worth, types = random_case(evaluator, moves, seat, street, rng)
                theirs, beliefs = library.query(evidence)
                np.testing.assert_allclose(worth, theirs, rtol=0, atol=1e-9)
                np.testing.assert_allclose(types, beliefs, rtol=0, atol=1e-9)
