"""Hand features of all holes on one board, without the tables of all boards.

One sweep over the river boards that may follow gives every hole's equity on each of them; a flop
has 1,176, which takes a fifth of a second. `features.hand` does the same for one hole.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, N_CARDS, N_HOLES
from faceup.cards.equity import N_DECILES, UNITS, fill_river_equity
from faceup.cards.features import FEATURE_NAMES


def swept_features(board: Sequence[int]) -> np.ndarray:
    """Hand features of all 1,326 holes on a board of 3, 4 or 5 cards, as in `board_features`.

    Returns float32 (1326, 21 | 11 | 1), columns as in FEATURE_NAMES; 0 for blocked holes.
    """
    street, left = BOARD_CARDS.index(len(board)), np.setdiff1d(np.arange(N_CARDS), board)
    draws = np.array(list(combinations(left, 5 - len(board))), dtype=np.int64)
    rivers = np.zeros((len(draws), N_HOLES), dtype=np.uint16)  # 0 where a hole is blocked
    for draw, row in zip(draws, rivers, strict=True):
        fill_river_equity(np.append(np.array(board, dtype=np.int64), draw), row)
    out = np.empty((N_HOLES, len(FEATURE_NAMES[street])), dtype=np.float32)
    out[:, 0] = rivers.sum(axis=0, dtype=np.int64) / UNITS[street]
    later = {3: rivers} if street < 3 else {}
    if street == 1:
        by_turn = [rivers[(draws == card).any(axis=1)].sum(axis=0, dtype=np.int64) for card in left]
        later = {2: np.array(by_turn), 3: rivers}
        for card, row in zip(left, later[2], strict=True):
            row[(HOLE_CARDS == card).any(axis=1)] = 0
    for i, (other, equities) in enumerate(later.items()):
        out[:, 1 + N_DECILES * i :][:, :N_DECILES] = _deciles(equities).T / UNITS[other]
    out[np.isin(HOLE_CARDS, board).any(axis=1)] = 0
    return out


def _deciles(equities: np.ndarray) -> np.ndarray:
    """Deciles (10, 1326) of each hole's equities (n, 1326), where 0 means that it is blocked."""
    ordered, blocked = np.sort(equities, axis=0), (equities == 0).sum(axis=0)
    places = -(-np.arange(1, N_DECILES + 1)[:, None] * (len(equities) - blocked) // N_DECILES) - 1
    return np.take_along_axis(ordered, np.clip(blocked + places, 0, len(equities) - 1), axis=0)
