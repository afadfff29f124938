"""Vectors in registers: several numbers on which one instruction acts.

LLVM vectorises plain loops, but not one whose steps depend on each other, as those of a
running sum do, and it cannot keep a small array in registers from token to token. Here
a vector is a type of Numba with the usual operators, and each function below is what
the compiled one does, on arrays of NumPy.
"""

import operator

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing import signature

from sklda._simd.vector_type import (
    ALIGNMENT,
    ELEMENTS,
    INT32,
    INT64,
    Vector,
    bits_of,
    filled,
    lowers,
    lowers_each,
    numbers,
    place_of,
    shuffled,
    undefined,
)


def load(array, k, width):
    """Return the entries from ``array.flat[k]`` on; the array must be contiguous."""
    return array.reshape(-1)[k : k + width].copy()


def store(array, k, vector):
    """Write a vector to the entries from ``array.flat[k]`` on."""
    array.reshape(-1)[k : k + vector.size] = vector


def broadcast(x, width):
    """Return a vector whose lanes are all x."""
    return np.full(width, x)


def entries(numbers, k, width):
    """Return the entries from k on; or the number that all share, in each lane."""
    return load(numbers, k, width) if np.ndim(numbers) > 0 else np.full(width, numbers)


def load_at(array, places):
    """Return the entries of an array at several places."""
    return array[places]


def to_float(vector):
    """Return numbers as float32."""
    return vector.astype(np.float32)


def to_double(vector):
    """Return numbers as float64."""
    return vector.astype(np.float64)


def one_hot(lane, width):
    """Return a mask of one lane; of none if there is no such lane."""
    return np.arange(width) == lane


def choose(mask, chosen, others):
    """Return `chosen` in the lanes of the mask, and `others` elsewhere."""
    return np.where(mask, chosen, others)


def get_lane(vector, lane):
    """Return what stands in a lane."""
    return vector[lane]


def total(vector):
    """Return the sum of all lanes: of halves, added lane by lane."""
    while vector.size > 1:
        vector = vector[: vector.size // 2] + vector[vector.size // 2 :]
    return vector[0]


def running_sum(vector):
    """Return the sum of all lanes up to and with each, of lanes that are not negative.

    Rounding keeps the order: no sum is less than the one before it, and both are equal
    where a lane adds 0. Blocks of lanes are joined two by two (Sklansky, "Conditional-
    sum addition logic", 1960): all of the second block get the sum of the first.
    """
    sums = vector.copy()
    step = 1
    while step < sums.size:
        for first in range(step, sums.size, 2 * step):
            sums[first : first + step] += sums[first - 1]
        step *= 2
    return sums


def moved_up(vector):
    """Return a vector in which each lane holds what the one before it did; 0 first."""
    return np.append(vector[:0].dtype.type(0), vector[:-1])


def last_in_all(vector):
    """Return a vector whose lanes all hold what the last one of this one holds."""
    return np.full_like(vector, vector[-1])


def first_lane(mask):
    """Return the first lane of a mask that has any."""
    return int(mask.argmax())


def any_lane(mask):
    """Return whether a mask has a lane."""
    return bool(mask.any())


# --- instructions -----------------------------------------------------------------


def _of_same(result=None):
    """Type an operator on two vectors of the same type."""

    def typed(a, b):
        if not isinstance(a, Vector) or a != b:
            return None
        return signature(Vector(result or a.of, a.width, a.height), a, b)

    return typed


def _arithmetic(function, of_floats, of_integers):
    @lowers_each(function, _of_same())
    def _(builder, sig, a, b):
        is_float = sig.return_type.of != "int32"
        return getattr(builder, of_floats if is_float else of_integers)(a, b)


_arithmetic(operator.add, "fadd", "add")
_arithmetic(operator.sub, "fsub", "sub")
_arithmetic(operator.mul, "fmul", "mul")
_arithmetic(operator.truediv, "fdiv", "sdiv")


@lowers_each(operator.or_, _of_same())
def _(builder, sig, a, b):
    return builder.or_(a, b)


@lowers_each(operator.and_, _of_same())
def _(builder, sig, a, b):
    return builder.and_(a, b)


@lowers_each(operator.invert, lambda mask: signature(mask, mask))
def _(builder, sig, mask):
    return builder.not_(mask)


@lowers_each(operator.eq, _of_same("bool"))
def _(builder, sig, a, b):
    return builder.icmp_signed("==", a, b)


@lowers_each(operator.gt, _of_same("bool"))
def _(builder, sig, a, b):
    return builder.fcmp_ordered(">", a, b)


@lowers(
    load,
    lambda array, k, width: signature(
        Vector(str(array.dtype), width.literal_value), array, types.int64, width
    ),
)
def _(context, builder, sig, args):
    lanes = context.get_value_type(sig.return_type)
    place = place_of(context, builder, sig.args[0], *args[:2], lanes)
    return builder.load(place, align=ALIGNMENT)


@lowers(
    store, lambda array, k, vector: signature(types.void, array, types.int64, vector)
)
def _(context, builder, sig, args):
    place = place_of(context, builder, sig.args[0], *args[:2], args[2].type)
    builder.store(args[2], place, align=ALIGNMENT)
    return context.get_dummy_value()


@lowers(
    broadcast,
    lambda x, width: signature(Vector(str(x), width.literal_value), x, width),
)
def _(context, builder, sig, args):
    return filled(builder, args[0], sig.return_type.width)


@lowers(
    entries,
    lambda numbers, k, width: signature(
        Vector(str(getattr(numbers, "dtype", numbers)), width.literal_value),
        *(numbers, types.int64, width),
    ),
)
def _(context, builder, sig, args):
    if not isinstance(sig.args[0], types.Array):
        return filled(builder, args[0], sig.return_type.width)
    lanes = context.get_value_type(sig.return_type)
    place = place_of(context, builder, sig.args[0], *args[:2], lanes)
    return builder.load(place, align=ALIGNMENT)


@lowers(
    load_at,
    lambda array, places: signature(
        Vector(str(array.dtype), places.width), array, places
    ),
)
def _(context, builder, sig, args):
    array, places = args
    lanes = context.get_value_type(sig.return_type)
    data = context.make_array(sig.args[0])(context, builder, array).data
    # One lane after the other: the instruction for all waits for what was just stored.
    found = undefined(lanes)
    for lane in range(places.type.count):
        at = ir.Constant(INT32, lane)
        place = builder.gep(data, [builder.extract_element(places, at)])
        found = builder.insert_element(found, builder.load(place), at)
    return found


@lowers_each(
    to_float,
    lambda vector: signature(Vector("float32", vector.width, vector.height), vector),
)
def _(builder, sig, vector):
    of = sig.args[0].of
    if of == "float32":
        return vector
    convert = builder.fptrunc if of == "float64" else builder.sitofp
    return convert(vector, ir.VectorType(ELEMENTS["float32"], vector.type.count))


@lowers_each(
    to_double, lambda vector: signature(Vector("float64", vector.width), vector)
)
def _(builder, sig, vector):
    of = sig.args[0].of
    if of == "float64":
        return vector
    convert = builder.fpext if of == "float32" else builder.sitofp
    return convert(vector, ir.VectorType(ELEMENTS["float64"], vector.type.count))


@lowers(
    one_hot,
    lambda lane, width: signature(
        Vector("bool", width.literal_value), types.int64, width
    ),
)
def _(context, builder, sig, args):
    width = sig.return_type.width
    sought = filled(builder, builder.trunc(args[0], INT32), width)
    return builder.icmp_signed("==", numbers(range(width)), sought)


@lowers_each(
    choose, lambda mask, chosen, others: signature(chosen, mask, chosen, chosen)
)
def _(builder, sig, mask, chosen, others):
    return builder.select(mask, chosen, others)


@lowers(
    get_lane,
    lambda vector, lane: signature(getattr(types, vector.of), vector, types.int64),
)
def _(context, builder, sig, args):
    return builder.extract_element(*args)


@lowers(last_in_all, lambda vector: signature(vector, vector))
def _(context, builder, sig, args):
    width = sig.return_type.width
    return shuffled(builder, args[0], [width - 1] * width)


@lowers(total, lambda vector: signature(getattr(types, vector.of), vector))
def _(context, builder, sig, args):
    (sums,) = args
    while (width := sums.type.count) > 1:  # halves, added lane by lane
        low = shuffled(builder, sums, range(width // 2))
        sums = builder.fadd(low, shuffled(builder, sums, range(width // 2, width)))
    return builder.extract_element(sums, ir.Constant(INT32, 0))


@lowers(running_sum, lambda vector: signature(vector, vector))
def _(context, builder, sig, args):
    (sums,) = args
    width = sums.type.count
    nothing = ir.Constant(sums.type, [0.0] * width)
    step = 1
    while step < width:
        last = (k // step * step - 1 if k & step else width for k in range(width))
        sums = builder.fadd(sums, shuffled(builder, sums, last, nothing))
        step *= 2
    return sums


@lowers(moved_up, lambda vector: signature(vector, vector))
def _(context, builder, sig, args):
    width = args[0].type.count
    nothing = ir.Constant(args[0].type, [0.0] * width)
    return shuffled(builder, args[0], [width, *range(width - 1)], nothing)


@lowers(first_lane, lambda mask: signature(types.int64, mask))
def _(context, builder, sig, args):
    lane = builder.cttz(bits_of(builder, args[0]), ir.Constant(ir.IntType(1), 1))
    to_int64 = builder.zext if lane.type.width < 64 else builder.trunc
    return to_int64(lane, INT64)


@lowers(any_lane, lambda mask: signature(types.boolean, mask))
def _(context, builder, sig, args):
    bits = bits_of(builder, args[0])
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))
