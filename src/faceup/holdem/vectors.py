"""Arithmetic on 16 numbers at a time, for values of hands at many ends of a street, as in `holdem/lanes`."""

import numpy as np
from llvmlite import ir
from numba import config

from faceup.holdem.lanes import _lanes

WIDTH = 16
_ZERO = np.float32(0) if config.DISABLE_JIT else ir.Constant(ir.VectorType(ir.FloatType(), WIDTH), [0.0] * WIDTH)

clear = _lanes(WIDTH, lambda b, out: _ZERO)  # out = 0
negate = _lanes(WIDTH, lambda b, out: b.fsub(_ZERO, out))  # out = -out
add = _lanes(WIDTH, lambda b, out, x: b.fadd(out, x))  # out += x
# out = stake * (every - x - y): what a showdown is worth, from sums over all hands and those with either card
shown = _lanes(WIDTH, lambda b, out, stake, every, x, y: b.fmul(stake, b.fsub(b.fsub(every, x), y)))
# out = stake * (every - x - y + own): what a fold is worth; the hand itself was taken off twice
folded = _lanes(WIDTH, lambda b, out, stake, every, x, y, own: b.fmul(stake, b.fadd(b.fsub(b.fsub(every, x), y), own)))
