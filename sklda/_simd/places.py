"""Entries of arrays at places that are known only when a kernel runs."""

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature

from sklda._simd.vector_type import INT32, INT64, Vector, lowers, undefined


def load_at_each(array, places, k, width):
    """Return the entries of an array at the places from ``places.flat[k]`` on."""
    return array[places.reshape(-1)[k : k + width]]


def not_negative(n):
    """Return n; as an index it needs no code for Python's negative indices."""
    return n


def entries_from(array, k):
    """Return ``array[k:]`` of a vector, for k in 0 to its size: no bounds are checked.

    Nothing counts this reference: only functions with ``_nrt=False`` may call it.
    """
    return array[k:]


@lowers(
    load_at_each,
    lambda array, places, k, width: signature(
        Vector(str(array.dtype), width.literal_value), array, places, types.int64, width
    ),
)
def _(context, builder, sig, args):
    array, places, k, _ = args
    lanes = context.get_value_type(sig.return_type)
    data = context.make_array(sig.args[0])(context, builder, array).data
    first = context.make_array(sig.args[1])(context, builder, places).data
    # One lane after the other: the instruction for all waits for what was just stored.
    found = undefined(lanes)
    for lane in range(lanes.count):
        place = builder.gep(first, [builder.add(k, ir.Constant(INT64, lane))])
        at = builder.gep(data, [builder.zext(builder.load(place), INT64)])
        found = builder.insert_element(
            found, builder.load(at), ir.Constant(INT32, lane)
        )
    return found


@lowers(not_negative, lambda n: signature(types.int64, types.int64))
def _(context, builder, sig, args):
    return builder.and_(args[0], ir.Constant(INT64, 2**63 - 1))


@lowers(entries_from, lambda array, k: signature(array, array, types.int64))
def _(context, builder, sig, args):
    array, k = args
    rest = context.make_array(sig.return_type)(context, builder, array)
    rest.data = builder.gep(rest.data, [k])
    rest.nitems = builder.sub(rest.nitems, k)
    rest.shape = builder.insert_value(rest.shape, rest.nitems, 0)
    return rest._getvalue()
