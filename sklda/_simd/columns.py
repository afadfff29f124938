"""Several vectors one below the other, as one value: each lane is a column.

Entry k of an array stands in row k // n of n lanes. A sum down the columns takes an
addition for each row, and only the last row is then summed over its lanes: with few
lanes that is soon done, whatever the width of a register. The operators of `vectors`,
`choose` and `to_float` act on columns, too. Each function below is what the compiled
one does, on arrays of NumPy of shape (height, n).
"""

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing import signature

from sklda._simd.vector_type import (
    ALIGNMENT,
    INT32,
    INT64,
    Vector,
    bits_of,
    filled,
    from_registers,
    lowers,
    numbers,
    place_of,
    registers_of,
)


def load_columns(array, k, height, width):
    """Return the entries from ``array.flat[k]`` on; the array must be contiguous."""
    return array.reshape(-1)[k : k + height * width].reshape(height, width).copy()


def store_columns(array, columns):
    """Write columns to the first entries of an array."""
    array.reshape(-1)[: columns.size] = columns.ravel()


def fill_columns(x, height, width):
    """Return columns whose entries are all x; or, of an array, its first entries."""
    n = height * width
    return np.full(n, x if np.ndim(x) == 0 else x[:n]).reshape(height, width)


def repeat_row(vector, height):
    """Return columns whose rows are all this vector."""
    return np.repeat(vector[np.newaxis], height, axis=0)


def one_hot_columns(k, height, width):
    """Return a mask of entry k; of none if there is no such entry."""
    return (np.arange(height * width) == k).reshape(height, width)


def running_down(columns):
    """Return the sums down each column, up to and with each entry."""
    return np.add.accumulate(columns, dtype=columns.dtype)


def last_row(columns):
    """Return the last row, a vector."""
    return columns[-1]


def first_down(mask):
    """Return the first of each column of a mask, which holds all below that one."""
    return mask & ~np.vstack([np.zeros_like(mask[:1]), mask[:-1]])


def first_entry(mask):
    """Return the first entry of a mask that has any."""
    return int(mask.argmax())


def _columns(of, height, width):
    return Vector(str(of), width.literal_value, height.literal_value)


def _load(context, builder, sig, array, k):
    """Return the columns of ``sig.return_type`` from ``array.flat[k]`` on."""
    rows, of = [], sig.return_type
    lanes = context.get_value_type(Vector(of.of, of.width))
    for i in range(of.height):
        at = builder.add(k, ir.Constant(INT64, i * of.width))
        place = place_of(context, builder, sig.args[0], array, at, lanes)
        rows.append(builder.load(place, align=ALIGNMENT))
    return from_registers(builder, rows)


@lowers(
    load_columns,
    lambda array, k, height, width: signature(
        _columns(array.dtype, height, width), array, types.int64, height, width
    ),
)
def _(context, builder, sig, args):
    return _load(context, builder, sig, *args[:2])


@lowers(store_columns, lambda array, columns: signature(types.void, array, columns))
def _(context, builder, sig, args):
    for i, row in enumerate(registers_of(builder, args[1])):
        k = ir.Constant(INT64, i * row.type.count)
        place = place_of(context, builder, sig.args[0], args[0], k, row.type)
        builder.store(row, place, align=ALIGNMENT)
    return context.get_dummy_value()


@lowers(
    fill_columns,
    lambda x, height, width: signature(
        _columns(getattr(x, "dtype", x), height, width), x, height, width
    ),
)
def _(context, builder, sig, args):
    if isinstance(sig.args[0], types.Array):
        return _load(context, builder, sig, args[0], ir.Constant(INT64, 0))
    row = filled(builder, args[0], sig.return_type.width)
    return from_registers(builder, [row] * sig.return_type.height)


@lowers(
    repeat_row,
    lambda vector, height: signature(
        Vector(vector.of, vector.width, height.literal_value), vector, height
    ),
)
def _(context, builder, sig, args):
    return from_registers(builder, [args[0]] * sig.return_type.height)


@lowers(
    one_hot_columns,
    lambda k, height, width: signature(
        _columns("bool", height, width), types.int64, height, width
    ),
)
def _(context, builder, sig, args):
    of = sig.return_type
    sought = filled(builder, builder.trunc(args[0], INT32), of.width)
    rows = []
    for i in range(of.height):
        own = numbers(range(i * of.width, (i + 1) * of.width))
        rows.append(builder.icmp_signed("==", own, sought))
    return from_registers(builder, rows)


@lowers(running_down, lambda columns: signature(columns, columns))
def _(context, builder, sig, args):
    rows = registers_of(builder, args[0])
    for i in range(1, len(rows)):
        rows[i] = builder.fadd(rows[i - 1], rows[i])
    return from_registers(builder, rows)


@lowers(last_row, lambda columns: signature(Vector(columns.of, columns.width), columns))
def _(context, builder, sig, args):
    return registers_of(builder, args[0])[-1]


@lowers(first_down, lambda mask: signature(mask, mask))
def _(context, builder, sig, args):
    rows = registers_of(builder, args[0])
    above = [builder.not_(row) for row in rows[:-1]]
    both = (builder.and_(*two) for two in zip(rows[1:], above, strict=True))
    return from_registers(builder, [rows[0], *both])


@lowers(first_entry, lambda mask: signature(types.int64, mask))
def _(context, builder, sig, args):
    wide = INT64
    entries = ir.Constant(wide, 0)
    for i, row in enumerate(registers_of(builder, args[0])):
        bits = builder.zext(bits_of(builder, row), wide)
        place = ir.Constant(wide, i * row.type.count)
        entries = builder.or_(entries, builder.shl(bits, place))
    return builder.cttz(entries, ir.Constant(ir.IntType(1), 1))
