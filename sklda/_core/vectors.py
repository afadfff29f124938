"""Vectors in registers: several numbers on which one instruction acts.

LLVM vectorises plain loops, but not one whose steps depend on each other, as those of a
running sum do, and it cannot keep a small array in registers from token to token. Here
a vector is a type of Numba with the usual operators, and each function below is what
the compiled one does, on arrays of NumPy.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import config
from numba.core import types
from numba.core.codegen import get_host_cpu_features
from numba.core.datamodel import models, register_default
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

_INT = ir.IntType(32)
_ALIGNMENT = 4  # bytes: arrays begin anywhere
_ELEMENTS = {
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
    """Return a vector whose lanes are all x; or, of an array, the first entries."""
    return np.full(width, x if np.ndim(x) == 0 else x[:width])


def load_at(array, places):
    """Return the entries of an array at several places."""
    return array[places]


def to_float(vector):
    """Return numbers as float32."""
    return vector.astype(np.float32)


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
    """Return the sum of all lanes."""
    return vector.sum()


def running_sum(vector):
    """Return the sum of all lanes up to and with each."""
    return np.cumsum(vector, dtype=vector.dtype)


def last_in_all(vector):
    """Return a vector whose lanes all hold what the last one of this one holds."""
    return np.full_like(vector, vector[-1])


def first_lane(mask):
    """Return the first lane of a mask that has any."""
    return int(mask.argmax())


def first_only(mask):
    """Return the mask of its first lane alone."""
    return one_hot(mask.argmax(), mask.size)


def any_lane(mask):
    """Return whether a mask has a lane."""
    return bool(mask.any())


def are_wide():
    """Return whether kernels have registers of 512 bits, and masks for their lanes."""
    features = config.CPU_FEATURES  # set if kernels are compiled for another processor
    return "+avx512f" in (get_host_cpu_features() if features is None else features)


# --- types ------------------------------------------------------------------------


class _Vector(types.Type):
    def __init__(self, of: str, width: int) -> None:
        self.of, self.width = of, width
        super().__init__(f"Vector({of}, {width})")


@register_default(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        lanes = ir.VectorType(_ELEMENTS[fe_type.of], fe_type.width)
        super().__init__(dmm, fe_type, lanes)


def _lowers(function, typed):
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


def _of_same(result=None):
    """Type an operator on two vectors of the same type."""

    def typed(a, b):
        if not isinstance(a, _Vector) or a != b:
            return None
        return signature(_Vector(result, a.width) if result else a, a, b)

    return typed


# --- instructions -----------------------------------------------------------------


def _undefined(of):
    return ir.Constant(of, ir.Undefined)


def _numbers(values):
    values = list(values)
    return ir.Constant(ir.VectorType(_INT, len(values)), values)


def _shuffled(builder, lanes, places, others=None):
    """Return lanes by their places; those of `others` come after."""
    others = _undefined(lanes.type) if others is None else others
    return builder.shuffle_vector(lanes, others, _numbers(places))


def _filled(builder, x, width):
    """Return x in all lanes."""
    nothing = _undefined(ir.VectorType(x.type, width))
    first = builder.insert_element(nothing, x, ir.Constant(_INT, 0))
    return _shuffled(builder, first, [0] * width)


def _place(context, builder, array_type, array, k, lanes):
    """Return a pointer to entry k of an array, as one to a vector."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [k]), lanes.as_pointer())


def _arithmetic(function, of_floats, of_integers):
    @_lowers(function, _of_same())
    def _(context, builder, sig, args):
        is_float = sig.return_type.of != "int32"
        return getattr(builder, of_floats if is_float else of_integers)(*args)


_arithmetic(operator.add, "fadd", "add")
_arithmetic(operator.sub, "fsub", "sub")
_arithmetic(operator.mul, "fmul", "mul")
_arithmetic(operator.truediv, "fdiv", "sdiv")


@_lowers(operator.or_, _of_same())
def _(context, builder, sig, args):
    return builder.or_(*args)


@_lowers(operator.eq, _of_same("bool"))
def _(context, builder, sig, args):
    return builder.icmp_signed("==", *args)


@_lowers(operator.gt, _of_same("bool"))
def _(context, builder, sig, args):
    return builder.fcmp_ordered(">", *args)


@_lowers(
    load,
    lambda array, k, width: signature(
        _Vector(str(array.dtype), width.literal_value), array, types.int64, width
    ),
)
def _(context, builder, sig, args):
    lanes = context.get_value_type(sig.return_type)
    place = _place(context, builder, sig.args[0], *args[:2], lanes)
    return builder.load(place, align=_ALIGNMENT)


@_lowers(
    store, lambda array, k, vector: signature(types.void, array, types.int64, vector)
)
def _(context, builder, sig, args):
    place = _place(context, builder, sig.args[0], *args[:2], args[2].type)
    builder.store(args[2], place, align=_ALIGNMENT)
    return context.get_dummy_value()


@_lowers(
    broadcast,
    lambda x, width: signature(
        _Vector(str(getattr(x, "dtype", x)), width.literal_value), x, width
    ),
)
def _(context, builder, sig, args):
    of, x = sig.args[0], args[0]
    if not isinstance(of, types.Array):
        return _filled(builder, x, sig.return_type.width)
    lanes = context.get_value_type(sig.return_type)
    start = ir.Constant(ir.IntType(64), 0)
    return builder.load(_place(context, builder, of, x, start, lanes), align=_ALIGNMENT)


@_lowers(
    load_at,
    lambda array, places: signature(
        _Vector(str(array.dtype), places.width), array, places
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


@_lowers(to_float, lambda vector: signature(_Vector("float32", vector.width), vector))
def _(context, builder, sig, args):
    is_float = sig.args[0].of == "float64"
    convert = builder.fptrunc if is_float else builder.sitofp
    return convert(args[0], context.get_value_type(sig.return_type))


@_lowers(
    one_hot,
    lambda lane, width: signature(
        _Vector("bool", width.literal_value), types.int64, width
    ),
)
def _(context, builder, sig, args):
    width = sig.return_type.width
    sought = _filled(builder, builder.trunc(args[0], _INT), width)
    return builder.icmp_signed("==", _numbers(range(width)), sought)


@_lowers(choose, lambda mask, chosen, others: signature(chosen, mask, chosen, chosen))
def _(context, builder, sig, args):
    return builder.select(*args)


@_lowers(
    get_lane,
    lambda vector, lane: signature(getattr(types, vector.of), vector, types.int64),
)
def _(context, builder, sig, args):
    return builder.extract_element(*args)


@_lowers(last_in_all, lambda vector: signature(vector, vector))
def _(context, builder, sig, args):
    width = sig.return_type.width
    return _shuffled(builder, args[0], [width - 1] * width)


@_lowers(total, lambda vector: signature(types.float32, vector))
def _(context, builder, sig, args):
    (sums,) = args
    while (width := sums.type.count) > 1:  # halves, added lane by lane
        low = _shuffled(builder, sums, range(width // 2))
        sums = builder.fadd(low, _shuffled(builder, sums, range(width // 2, width)))
    return builder.extract_element(sums, ir.Constant(_INT, 0))


@_lowers(running_sum, lambda vector: signature(vector, vector))
def _(context, builder, sig, args):
    (sums,) = args
    width = sums.type.count
    nothing = ir.Constant(sums.type, [0.0] * width)

    def moved(lanes, step, within):
        # Each lane gets what is `step` lanes before it, 0 from outside its block.
        places = (k - step if k % within >= step else width for k in range(width))
        return _shuffled(builder, lanes, places, nothing)

    # Within 128 bits numbers move in one cycle, further in three.
    for step in (1, 2):
        sums = builder.fadd(sums, moved(sums, step, 4))
    of_four = _shuffled(builder, sums, (k // 4 * 4 + 3 for k in range(width)))
    step = 4
    while step < width:
        before = moved(of_four, step, width)
        sums = builder.fadd(sums, before)
        of_four = builder.fadd(of_four, before)
        step *= 2
    return sums


def _bits(builder, mask):
    return builder.bitcast(mask, ir.IntType(mask.type.count))


@_lowers(first_lane, lambda mask: signature(types.int64, mask))
def _(context, builder, sig, args):
    lane = builder.cttz(_bits(builder, args[0]), ir.Constant(ir.IntType(1), 1))
    to_int64 = builder.zext if lane.type.width < 64 else builder.trunc
    return to_int64(lane, ir.IntType(64))


@_lowers(any_lane, lambda mask: signature(types.boolean, mask))
def _(context, builder, sig, args):
    bits = _bits(builder, args[0])
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))


@_lowers(first_only, lambda mask: signature(mask, mask))
def _(context, builder, sig, args):
    bits = _bits(builder, args[0])
    lowest = builder.and_(bits, builder.neg(bits))
    return builder.bitcast(lowest, args[0].type)
