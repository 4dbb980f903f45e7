"""What each player wins once a betting line has ended.

Blinds are 50/100 and both stacks 20,000, reset each hand, so that a hand's result is a sum of dollars won from one opponent.
The rules of betting are those of holdem/betting/betting_tree alone; tests hold chips and payoffs to an independent engine's.
"""

from collections.abc import Sequence

import numpy as np

from faceup.cards.cards import STREETS
from faceup.cards.strength import strength
from faceup.holdem.betting.betting_tree import FOLD_END
from faceup.holdem.betting.notation import Line


def settle(line: Line, holes: Sequence[Sequence[int]], board: Sequence[int]) -> tuple[int, int]:
    """Dollars that small blind and big blind win at the end of a line; holes: two cards of each; board: five at a showdown.

    A fold needs no cards. Raises ValueError where the line has not ended, or a showdown lacks cards.
    """
    if line.state is not None:
        raise ValueError(f"line {''.join(line.tokens)!r}: {STREETS[line.state.street]} betting goes on, expected an ended hand")
    folded, strengths = line.moves[-1].player, [0, 0]
    if line.kind != FOLD_END:
        if len(board) != 5 or any(len(hole) != 2 for hole in holes):
            raise ValueError(f"showdown with holes {holes} and board {board}: expected 2, 2 and 5 cards")
        folded, strengths = -1, [strength([*hole, *board]) for hole in holes]
    won, lost = payoffs(np.array([line.put]), np.array([folded]), np.array([strengths]))[0].tolist()
    return won, lost


def payoffs(put: np.ndarray, folded: np.ndarray, strengths: np.ndarray) -> np.ndarray:
    """What both players win in many hands at once, dollars, (n, 2) int64; what nobody has called goes back.

    put (n, 2): dollars each player has put in; folded (n,): who has folded, -1 at a showdown; strengths (n, 2): of their
    seven cards, looked at only at showdowns.
    """
    matched = np.asarray(put, dtype=np.int64).min(axis=1)
    better = np.sign(np.asarray(strengths[:, 0], dtype=np.int64) - strengths[:, 1])
    sign = np.where(folded < 0, better, np.where(folded == 1, 1, -1))
    return np.stack([sign * matched, -sign * matched], axis=1)
