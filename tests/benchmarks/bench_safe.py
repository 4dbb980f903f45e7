"""How fast CFR-BR is on one river street: both players learn, each against best responses of its own."""

from report import record, seconds

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting.betting_tree import DECISION
from faceup.holdem.play.match import random_boards
from faceup.holdem.safe.one_street import Street, street_tree

LEVELS = 40
SWEEPS = 2  # the best response, and what is learnt against it
SEATS = 2
BOARDS = 2000


def test_one_street() -> None:
    """Decisions x 1,081 hands x boards a second, counted in each of both sweeps and for the learner in each seat."""
    tree, boards = street_tree(3), random_boards(BOARDS, seed=1)
    street = Street(tree, LEVELS)
    street.cfr_br(boards[:100])
    taken = seconds(lambda: street.cfr_br(boards))
    decisions = int((tree.kind == DECISION).sum())
    record(
        "safe",
        {
            "hole_updates_per_second": round(decisions * N_RIVER_HOLES * BOARDS * SWEEPS * SEATS / taken),
            "boards_per_second": round(BOARDS / taken),
            "levels": LEVELS,
            "decisions": decisions,
        },
    )
