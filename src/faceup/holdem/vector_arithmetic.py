"""Arithmetic on LANES numbers at a time, as single vector instructions.

Written as loops the same takes more than twice as long: before a loop over so few numbers numba's
code checks whether its arrays overlap, which costs more than the numbers, and slices are counted in
and out. Here an operand is a contiguous float32 array of any shape, and the offset in it, in
numbers, at which its LANES (or BOTH_LANES) numbers begin; nothing is checked. The first operand is
the output, and others may be the same. The bits are those of a plain loop, which is what runs
without the compiler.
"""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from types import SimpleNamespace

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core.base import BaseContext
from numba.extending import intrinsic

from faceup.holdem.river_subgames import LANES

BOTH_LANES = 2 * LANES  # both players' lanes


# the builder's instructions, without the compiler
_PLAIN = SimpleNamespace(
    fadd=np.add,
    fsub=np.subtract,
    fmul=np.multiply,
    select=np.where,
    fcmp_ordered=lambda _, x, y: x > y,
)


def vector_operation(width: int, build: Callable[..., ir.Value]) -> Callable:
    """An operation of kernels, f(out, i, x, j, ..): sets `width` numbers of out, from i on, to
    build(builder, those, x's, ..).
    """

    def plain(*operands) -> None:
        """The same without the compiler."""
        rows = [
            array.reshape(-1)[i : i + width]
            for array, i in zip(operands[::2], operands[1::2], strict=True)
        ]
        rows[0][:] = build(_PLAIN, *rows)

    if config.DISABLE_JIT:
        return plain
    kind = ir.VectorType(ir.FloatType(), width).as_pointer()

    def generate(context: BaseContext, b: ir.IRBuilder, called, arguments) -> ir.Value:
        """Load all rows, build, store the first."""
        at = []
        for k in range(0, len(arguments), 2):
            start = context.make_array(called.args[k])(context, b, arguments[k]).data
            at.append(b.bitcast(b.gep(start, [arguments[k + 1]]), kind))
        b.store(build(b, *(b.load(pointer, align=4) for pointer in at)), at[0], align=4)
        return context.get_dummy_value()

    def operation(_, *operands):
        return types.void(
            *(types.int64 if k % 2 else array for k, array in enumerate(operands))
        ), generate

    # numba would fold a star argument into a tuple: the signature names every operand's array and
    # offset, in the order of `build`
    names = [
        "_",
        *(
            f"{part}_{name}"
            for name in list(signature(build).parameters)[1:]
            for part in ("array", "offset")
        ),
    ]
    parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    operation.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return intrinsic(operation)


copy = vector_operation(LANES, lambda b, out, x: x)  # out = x
add = vector_operation(LANES, lambda b, out, x: b.fadd(out, x))  # out += x
product = vector_operation(LANES, lambda b, out, x, y: b.fmul(x, y))  # out = x * y
add_both = vector_operation(BOTH_LANES, lambda b, out, x: b.fadd(out, x))
subtract_both = vector_operation(BOTH_LANES, lambda b, out, x: b.fsub(out, x))  # out -= x
product_both = vector_operation(BOTH_LANES, lambda b, out, x, y: b.fmul(x, y))
add_product_both = vector_operation(BOTH_LANES, lambda b, out, x, y: b.fadd(out, b.fmul(x, y)))
# out = x * (every - a - c)
value_both = vector_operation(
    BOTH_LANES, lambda b, out, x, every, a, c: b.fmul(x, b.fsub(b.fsub(every, a), c))
)


def _larger(b: ir.IRBuilder, out: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    total = b.fadd(x, y)
    return b.select(b.fcmp_ordered(">", total, out), total, out)


largest_sum = vector_operation(LANES, _larger)  # out = max(out, x + y)
