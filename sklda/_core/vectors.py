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
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

_INT = ir.IntType(32)
ALIGNMENT = 4  # bytes: arrays begin anywhere
ELEMENTS = {
    "float32": ir.FloatType(),
    "float64": ir.DoubleType(),
    "int32": _INT,
    "bool": ir.IntType(1),
}


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
    """Return numbers of float32 as float64."""
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


# --- types ------------------------------------------------------------------------


class Vector(types.Type):
    """The type of vectors, of which `columns` puts several one below the other."""

    def __init__(self, of: str, width: int, height: int = 1) -> None:
        self.of, self.width, self.height = of, width, height
        super().__init__(f"Vector({of}, {width}, {height})")


@register_default(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        lanes = ir.VectorType(ELEMENTS[fe_type.of], fe_type.width)
        if fe_type.height > 1:
            lanes = ir.ArrayType(lanes, fe_type.height)
        super().__init__(dmm, fe_type, lanes)


def split(builder, value):
    """Return the registers of a value."""
    if not isinstance(value.type, ir.ArrayType):
        return [value]
    return [builder.extract_value(value, i) for i in range(value.type.count)]


def join(builder, registers):
    """Return the value that has these registers."""
    if len(registers) == 1:
        return registers[0]
    value = _undefined(ir.ArrayType(registers[0].type, len(registers)))
    for i, register in enumerate(registers):
        value = builder.insert_value(value, register, i)
    return value


def lowers(function, typed):
    """Let kernels call a function, or use an operator.

    `typed` returns its signature for types of arguments, or None if it takes others.
    The decorated function emits its instructions. A function that is overloaded by
    another would do as well, but Numba would compile one more for each.
    """

    class Template(AbstractTemplate):
        key = function
        prefer_literal = True

        def generic(self, args, kws):
            return typed(*args)

    if hasattr(operator, function.__name__):
        infer_global(function)(Template)
    else:
        infer_global(function, types.Function(Template))
    return lower_builtin(function, types.VarArg(types.Any))


def _lowers_each(function, typed):
    """Do the same for a function that acts on each register by itself."""

    def decorate(emit):
        def emit_each(context, builder, sig, args):
            registers = zip(*(split(builder, arg) for arg in args), strict=True)
            return join(builder, [emit(builder, sig, *each) for each in registers])

        return lowers(function, typed)(emit_each)

    return decorate


def _of_same(result=None):
    """Type an operator on two vectors of the same type."""

    def typed(a, b):
        if not isinstance(a, Vector) or a != b:
            return None
        return signature(Vector(result or a.of, a.width, a.height), a, b)

    return typed


# --- instructions -----------------------------------------------------------------


def _undefined(of):
    return ir.Constant(of, ir.Undefined)


def numbers(values):
    values = list(values)
    return ir.Constant(ir.VectorType(_INT, len(values)), values)


def _shuffled(builder, lanes, places, others=None):
    """Return lanes by their places; those of `others` come after."""
    others = _undefined(lanes.type) if others is None else others
    return builder.shuffle_vector(lanes, others, numbers(places))


def filled(builder, x, width):
    """Return x in all lanes."""
    nothing = _undefined(ir.VectorType(x.type, width))
    first = builder.insert_element(nothing, x, ir.Constant(_INT, 0))
    return _shuffled(builder, first, [0] * width)


def place_of(context, builder, array_type, array, k, lanes):
    """Return a pointer to entry k of an array, as one to a vector."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [k]), lanes.as_pointer())


def _arithmetic(function, of_floats, of_integers):
    @_lowers_each(function, _of_same())
    def _(builder, sig, a, b):
        is_float = sig.return_type.of != "int32"
        return getattr(builder, of_floats if is_float else of_integers)(a, b)


_arithmetic(operator.add, "fadd", "add")
_arithmetic(operator.sub, "fsub", "sub")
_arithmetic(operator.mul, "fmul", "mul")
_arithmetic(operator.truediv, "fdiv", "sdiv")


@_lowers_each(operator.or_, _of_same())
def _(builder, sig, a, b):
    return builder.or_(a, b)


@_lowers_each(operator.and_, _of_same())
def _(builder, sig, a, b):
    return builder.and_(a, b)


@_lowers_each(operator.invert, lambda mask: signature(mask, mask))
def _(builder, sig, mask):
    return builder.not_(mask)


@_lowers_each(operator.eq, _of_same("bool"))
def _(builder, sig, a, b):
    return builder.icmp_signed("==", a, b)


@_lowers_each(operator.gt, _of_same("bool"))
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
    found = _undefined(lanes)
    for lane in range(places.type.count):
        at = ir.Constant(_INT, lane)
        place = builder.gep(data, [builder.extract_element(places, at)])
        found = builder.insert_element(found, builder.load(place), at)
    return found


@_lowers_each(
    to_float,
    lambda vector: signature(Vector("float32", vector.width, vector.height), vector),
)
def _(builder, sig, vector):
    of = sig.args[0].of
    if of == "float32":
        return vector
    convert = builder.fptrunc if of == "float64" else builder.sitofp
    return convert(vector, ir.VectorType(ELEMENTS["float32"], vector.type.count))


@_lowers_each(
    to_double, lambda vector: signature(Vector("float64", vector.width), vector)
)
def _(builder, sig, vector):
    return builder.fpext(vector, ir.VectorType(ELEMENTS["float64"], vector.type.count))


@lowers(
    one_hot,
    lambda lane, width: signature(
        Vector("bool", width.literal_value), types.int64, width
    ),
)
def _(context, builder, sig, args):
    width = sig.return_type.width
    sought = filled(builder, builder.trunc(args[0], _INT), width)
    return builder.icmp_signed("==", numbers(range(width)), sought)


@_lowers_each(
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
    return _shuffled(builder, args[0], [width - 1] * width)


@lowers(total, lambda vector: signature(getattr(types, vector.of), vector))
def _(context, builder, sig, args):
    (sums,) = args
    while (width := sums.type.count) > 1:  # halves, added lane by lane
        low = _shuffled(builder, sums, range(width // 2))
        sums = builder.fadd(low, _shuffled(builder, sums, range(width // 2, width)))
    return builder.extract_element(sums, ir.Constant(_INT, 0))


@lowers(running_sum, lambda vector: signature(vector, vector))
def _(context, builder, sig, args):
    (sums,) = args
    width = sums.type.count
    nothing = ir.Constant(sums.type, [0.0] * width)
    step = 1
    while step < width:
        last = (k // step * step - 1 if k & step else width for k in range(width))
        sums = builder.fadd(sums, _shuffled(builder, sums, last, nothing))
        step *= 2
    return sums


@lowers(moved_up, lambda vector: signature(vector, vector))
def _(context, builder, sig, args):
    width = args[0].type.count
    nothing = ir.Constant(args[0].type, [0.0] * width)
    return _shuffled(builder, args[0], [width, *range(width - 1)], nothing)


def bits_of(builder, mask):
    return builder.bitcast(mask, ir.IntType(mask.type.count))


@lowers(first_lane, lambda mask: signature(types.int64, mask))
def _(context, builder, sig, args):
    lane = builder.cttz(bits_of(builder, args[0]), ir.Constant(ir.IntType(1), 1))
    to_int64 = builder.zext if lane.type.width < 64 else builder.trunc
    return to_int64(lane, ir.IntType(64))


@lowers(any_lane, lambda mask: signature(types.boolean, mask))
def _(context, builder, sig, args):
    bits = bits_of(builder, args[0])
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))
