"""Arithmetic on LANES numbers at a time, as single vector operations.

Written as loops the same takes more than twice as long: before a loop over so few numbers numba's code checks whether its arrays
overlap, which costs more than the numbers, and slices are counted in and out. Here an operand is a contiguous float32
array of any shape, and the offset in it, in numbers, at which its LANES (or WIDE) numbers begin; nothing is checked. The
first is `out`, and others may be the same. The bits are those of a plain loop.
"""

from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.extending import intrinsic

from faceup.holdem.solve.layout import LANES

WIDE = 2 * LANES  # both players' lanes


def _operation(width: int, build: Callable[..., ir.Value]) -> Callable:
    """Code that sets `width` numbers of `out` to build(builder, the same numbers of out, of x, of y, ..)."""
    kind = ir.VectorType(ir.FloatType(), width).as_pointer()

    def generate(context: BaseContext, builder: ir.IRBuilder, signature, arguments) -> ir.Value:
        """Load all rows, build, store the first."""
        at = []
        for k in range(0, len(arguments), 2):
            start = context.make_array(signature.args[k])(context, builder, arguments[k]).data
            at.append(builder.bitcast(builder.gep(start, [arguments[k + 1]]), kind))
        builder.store(build(builder, *(builder.load(pointer, align=4) for pointer in at)), at[0], align=4)
        return context.get_dummy_value()

    return generate


def _signature(*operands):
    """Arrays and their offsets."""
    return types.void(*(types.int64 if k % 2 else array for k, array in enumerate(operands)))


@intrinsic
def copy(_, out, i, x, j):
    """out = x."""
    return _signature(out, i, x, j), _operation(LANES, lambda b, out, x: x)


@intrinsic
def add(_, out, i, x, j):
    """out += x."""
    return _signature(out, i, x, j), _operation(LANES, lambda b, out, x: b.fadd(out, x))


@intrinsic
def product(_, out, i, x, j, y, k):
    """out = x * y."""
    return _signature(out, i, x, j, y, k), _operation(LANES, lambda b, out, x, y: b.fmul(x, y))


@intrinsic
def add_product(_, out, i, x, j, y, k):
    """out += x * y."""
    return _signature(out, i, x, j, y, k), _operation(LANES, lambda b, out, x, y: b.fadd(out, b.fmul(x, y)))


@intrinsic
def largest_sum(_, out, i, x, j, y, k):
    """out = max(out, x + y)."""

    def build(b, out, x, y):
        """The larger."""
        total = b.fadd(x, y)
        return b.select(b.fcmp_ordered(">", total, out), total, out)

    return _signature(out, i, x, j, y, k), _operation(LANES, build)


@intrinsic
def add_gain(_, out, i, x, j, y, k, best, m, own, n):
    """out += x * y * (best - own)."""

    def build(b, out, x, y, best, own):
        """The sum."""
        return b.fadd(out, b.fmul(b.fmul(x, y), b.fsub(best, own)))

    return _signature(out, i, x, j, y, k, best, m, own, n), _operation(LANES, build)


@intrinsic
def add_wide(_, out, i, x, j):
    """out += x, WIDE numbers."""
    return _signature(out, i, x, j), _operation(WIDE, lambda b, out, x: b.fadd(out, x))


@intrinsic
def wide_product(_, out, i, x, j, y, k):
    """out = x * y, WIDE numbers."""
    return _signature(out, i, x, j, y, k), _operation(WIDE, lambda b, out, x, y: b.fmul(x, y))


@intrinsic
def add_wide_product(_, out, i, x, j, y, k):
    """out += x * y, WIDE numbers."""
    return _signature(out, i, x, j, y, k), _operation(WIDE, lambda b, out, x, y: b.fadd(out, b.fmul(x, y)))


@intrinsic
def wide_value(_, out, i, x, j, every, k, a, m, c, n):
    """out = x * (every - a - c), WIDE numbers."""

    def build(b, out, x, every, a, c):
        """The product."""
        return b.fmul(x, b.fsub(b.fsub(every, a), c))

    return _signature(out, i, x, j, every, k, a, m, c, n), _operation(WIDE, build)
