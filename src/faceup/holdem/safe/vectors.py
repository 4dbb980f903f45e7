"""Arithmetic on 16 numbers at a time, for values of hands at many ends of a street.

As `holdem/solve/lanes`, whose reasons hold here too: an operand is a contiguous float32 array and the offset, in numbers, at
which its 16 begin, or a float32 that stands for 16 equal ones. Nothing is checked, and the bits are those of a plain loop.
"""

from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.extending import intrinsic

WIDTH = 16
_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)


def _operation(build: Callable[..., ir.Value]) -> Callable:
    """Code that sets the first operand to build(builder, all operands)."""

    def generate(context: BaseContext, builder: ir.IRBuilder, signature, arguments) -> ir.Value:
        """Load or repeat the operands, build, store."""
        values, out, k = [], None, 0
        while k < len(arguments):
            if not isinstance(signature.args[k], types.Array):
                one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), arguments[k], ir.Constant(ir.IntType(32), 0))
                zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
                values.append(builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), zeros))
                k += 1
                continue
            start = context.make_array(signature.args[k])(context, builder, arguments[k]).data
            pointer = builder.bitcast(builder.gep(start, [arguments[k + 1]]), _VECTOR.as_pointer())
            out = out or pointer
            values.append(builder.load(pointer, align=4))
            k += 2
        builder.store(build(builder, *values), out, align=4)
        return context.get_dummy_value()

    return generate


def _arrays(*operands):
    """The signature of arrays and their offsets."""
    return types.void(*(types.int64 if k % 2 else array for k, array in enumerate(operands)))


@intrinsic
def clear(_, out, i):
    """out = 0."""
    return _arrays(out, i), _operation(lambda b, out: ir.Constant(_VECTOR, [0.0] * WIDTH))


@intrinsic
def negate(_, out, i):
    """out = -out."""
    return _arrays(out, i), _operation(lambda b, out: b.fsub(ir.Constant(_VECTOR, [0.0] * WIDTH), out))


@intrinsic
def add(_, out, i, x, j):
    """out += x."""
    return _arrays(out, i, x, j), _operation(lambda b, out, x: b.fadd(out, x))


@intrinsic
def scaled(_, out, i, x, j, factor):
    """out = factor * x."""
    signature = types.void(out, types.int64, x, types.int64, types.float32)
    return signature, _operation(lambda b, out, x, factor: b.fmul(factor, x))


@intrinsic
def shown(_, out, i, stake, j, seen, every, also, a, again, b):
    """out = stake * (every - a - b): what a showdown is worth, from sums over all hands and those with either card."""
    return _arrays(out, i, stake, j, seen, every, also, a, again, b), _operation(
        lambda b, out, stake, every, x, y: b.fmul(stake, b.fsub(b.fsub(every, x), y))
    )


@intrinsic
def folded(_, out, i, stake, j, seen, every, also, a, again, b, own, k):
    """out = stake * (every - a - b + own): what a fold is worth; the hand itself was taken off twice."""
    return _arrays(out, i, stake, j, seen, every, also, a, again, b, own, k), _operation(
        lambda b, out, stake, every, x, y, own: b.fmul(stake, b.fadd(b.fsub(b.fsub(every, x), y), own))
    )
