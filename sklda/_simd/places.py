"""Entries of arrays at places that are known only when a kernel runs."""

import numpy as np
from llvmlite import ir
from numba import types

from sklda._simd.vector_type import INT32, INT64, Vector, lowers, signature, undefined


def load_at_each(array, places, bits, k, width):
    """Return the entries of an array at the places from ``places.flat[k]`` on.

    A place is the lowest bits of a number.
    """
    return array[places.reshape(-1)[k : k + width] & ((1 << bits) - 1)]


def not_negative(n):
    """Return n; as an index it needs no code for Python's negative indices."""
    return n


def entries_from(numbers, k):
    """Return ``numbers[k:]``, or the one number that all share.

    k is from 0 to the size; no bounds are checked.
    """
    return numbers[k:] if np.ndim(numbers) > 0 else numbers


@lowers(
    load_at_each,
    lambda array, places, bits, k, width: signature(
        Vector(str(array.dtype), width.literal_value),
        *(array, places, types.int64, types.int64, width),
    ),
)
def _(context, builder, sig, args):
    array, places, bits, k, _ = args
    lanes = context.get_value_type(sig.return_type)
    data = context.make_array(sig.args[0])(context, builder, array).data
    first = context.make_array(sig.args[1])(context, builder, places).data
    found, unit = undefined(lanes), ir.Constant(INT64, 1)
    mask = builder.sub(builder.shl(unit, bits), unit)
    # One lane after the other: a gather instruction would wait for the latest stores.
    for lane in range(lanes.count):
        place = builder.gep(first, [builder.add(k, ir.Constant(INT64, lane))])
        number = builder.load(place)
        number = builder.zext(number, INT64) if number.type.width < 64 else number
        at = builder.gep(data, [builder.and_(number, mask)])
        found = builder.insert_element(
            found, builder.load(at), ir.Constant(INT32, lane)
        )
    return found


@lowers(not_negative, lambda n: signature(types.int64, types.int64))
def _(context, builder, sig, args):
    return builder.and_(args[0], ir.Constant(INT64, 2**63 - 1))


@lowers(entries_from, lambda numbers, k: signature(numbers, numbers, types.int64))
def _(context, builder, sig, args):
    array, k = args
    if not isinstance(sig.return_type, types.Array):
        return array
    rest = context.make_array(sig.return_type)(context, builder, array)
    rest.data = builder.gep(rest.data, [k])
    rest.nitems = builder.sub(rest.nitems, k)
    rest.shape = builder.insert_value(rest.shape, rest.nitems, 0)
    if context.enable_nrt:
        context.nrt.incref(builder, sig.return_type, rest._getvalue())
    return rest._getvalue()
