"""Vector operations give the bits of the loops that they stand for, and write nothing else."""

import numpy as np
import pytest
from numba import njit

from faceup.holdem.solve import lanes
from faceup.holdem.solve.lanes import WIDE
from faceup.holdem.solve.layout import LANES

OPERATIONS = {  # width, other operands, what `out` becomes
    "copy": (LANES, 1, lambda out, x: x),
    "add": (LANES, 1, lambda out, x: out + x),
    "product": (LANES, 2, lambda out, x, y: x * y),
    "add_product": (LANES, 2, lambda out, x, y: out + x * y),
    "largest_sum": (LANES, 2, lambda out, x, y: np.maximum(out, x + y)),
    "add_gain": (LANES, 4, lambda out, x, y, best, own: out + x * y * (best - own)),
    "add_wide": (WIDE, 1, lambda out, x: out + x),
    "wide_product": (WIDE, 2, lambda out, x, y: x * y),
    "add_wide_product": (WIDE, 2, lambda out, x, y: out + x * y),
    "wide_value": (WIDE, 4, lambda out, x, every, a, c: x * (every - a - c)),
}


def caller(operation, n: int):
    """The operation on out and n operands, each at an offset of its own, as compiled code calls it."""
    if n == 1:
        return njit(lambda out, x: operation(out, 3, x[0], 5))
    if n == 2:
        return njit(lambda out, x: operation(out, 3, x[0], 5, x[1], 6))
    return njit(lambda out, x: operation(out, 3, x[0], 5, x[1], 6, x[2], 7, x[3], 8))


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_its_loop(name):
    width, n, expected = OPERATIONS[name]
    rng = np.random.default_rng(1)
    out, x = rng.normal(size=100).astype(np.float32), rng.normal(size=(4, 10, 10)).astype(np.float32)
    before = out.copy()
    caller(getattr(lanes, name), n)(out, x)
    rows = [x[k].reshape(-1)[5 + k : 5 + k + width] for k in range(n)]
    assert (out[3 : 3 + width] == expected(before[3 : 3 + width], *rows)).all()
    assert (out[:3] == before[:3]).all() and (out[3 + width :] == before[3 + width :]).all()


def test_every_operation_is_tried():
    assert set(OPERATIONS) == {name for name in vars(lanes) if hasattr(getattr(lanes, name), "_defn")}
