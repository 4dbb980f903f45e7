"""Tables of hands of the right shape without meaning: what is tested with them does not depend on what they say."""

from functools import cache

import numpy as np

from faceup.cards.cards import canonical_boards
from faceup.discard.deals import HandTables

MENU = ([[1.0], [1.0]], [[0.66], [1.0]], [[0.66]], [[0.66]])
ROWS = (169, 100, 100, 100, 100, 100)


@cache
def fake_tables():
    """Random groups and choices."""
    rng = np.random.default_rng(1)
    keys = [canonical_boards(n).keys for n in (3, 4, 5)]
    choices = np.stack([rng.integers(0, n, 99_991, dtype=np.uint8) for n in (100, 3, 3, 2, 100)], axis=-1)
    choices[:, 3] += 1
    flop, turn = (np.resize(choices, (len(k), 1326, 5)) for k in keys[:2])
    return HandTables(flop, turn, np.resize(choices[:, 0], (len(keys[2]), 1326)), *keys)
