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
from numba.extending import intrinsic, overload

_INT = ir.IntType(32)
_ELEMENTS = {"float32": ir.FloatType(), "int32": _INT, "bool": ir.IntType(1)}


def load(array, k, width):
    """Return the entries from ``array.flat[k]`` on; the array must be contiguous."""
    return array.reshape(-1)[k : k + width].copy()


def store(array, k, vector):
    """Write a vector to the entries from ``array.flat[k]`` on."""
    array.reshape(-1)[k : k + vector.size] = vector


def broadcast(x, width):
    """Return a vector whose lanes are all x."""
    return np.full(width, x)


def to_float(vector):
    """Return integers as float32."""
    return vector.astype(np.float32)


def one_hot(lane, width):
    """Return a mask of one lane; of none if there is no such lane."""
    return np.arange(width) == lane


def choose(mask, chosen, others):
    """Return `chosen` in the lanes of the mask, and `others` elsewhere."""
    return np.where(mask, chosen, others)


def entry(vector, lane):
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


# --- types and operators ----------------------------------------------------------


class _Vector(types.Type):
    def __init__(self, of: str, width: int) -> None:
        self.of, self.width = of, width
        super().__init__(f"Vector({of}, {width})")


@register_default(_Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        lanes = ir.VectorType(_ELEMENTS[fe_type.of], fe_type.width)
        super().__init__(dmm, fe_type, lanes)


def _arithmetic(sign, of_floats, of_integers):
    """Let an operator take two vectors of the same type."""

    @intrinsic
    def compute(context, a, b):
        name = of_floats if a.of == "float32" else of_integers
        return a(a, b), lambda _, builder, __, args: getattr(builder, name)(*args)

    @overload(sign)
    def _(a, b):
        if isinstance(a, _Vector) and a == b:
            return lambda a, b: compute(a, b)
        return None


_arithmetic(operator.add, "fadd", "add")
_arithmetic(operator.sub, "fsub", "sub")
_arithmetic(operator.mul, "fmul", "mul")
_arithmetic(operator.truediv, "fdiv", "sdiv")


@intrinsic
def _above(context, a, b):
    def generate(context, builder, signature, args):
        return builder.fcmp_ordered(">", *args)

    return _Vector("bool", a.width)(a, b), generate


@intrinsic
def _either(context, a, b):
    return a(a, b), lambda _, builder, __, args: builder.or_(*args)


@overload(operator.or_)
def _(a, b):
    if isinstance(a, _Vector) and a == b:
        return lambda a, b: _either(a, b)
    return None


@overload(operator.gt)
def _(a, b):
    if isinstance(a, _Vector) and a == b:
        return lambda a, b: _above(a, b)
    return None


# --- instructions -----------------------------------------------------------------


def _undefined(of):
    return ir.Constant(of, ir.Undefined)


def _numbers(values):
    values = list(values)
    return ir.Constant(ir.VectorType(_INT, len(values)), values)


def _filled(builder, x, width):
    """Return x in all lanes."""
    first = builder.insert_element(
        _undefined(ir.VectorType(x.type, width)), x, ir.Constant(_INT, 0)
    )
    return builder.shuffle_vector(first, _undefined(first.type), _numbers([0] * width))


def _place(context, builder, array_type, array, k, lanes):
    """Return a pointer to entry k of an array, as one to a vector."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [k]), lanes.as_pointer())


@intrinsic(prefer_literal=True)
def _load(context, array, k, width):
    vector = _Vector(str(array.dtype), width.literal_value)

    def generate(context, builder, signature, args):
        lanes = context.get_value_type(vector)
        place = _place(context, builder, signature.args[0], *args[:2], lanes)
        return builder.load(place, align=4)

    return vector(array, types.int64, width), generate


@intrinsic
def _store(context, array, k, vector):
    def generate(context, builder, signature, args):
        lanes = args[2].type
        place = _place(context, builder, signature.args[0], *args[:2], lanes)
        builder.store(args[2], place, align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, vector), generate


@intrinsic(prefer_literal=True)
def _broadcast(context, x, width):
    vector = _Vector(str(x), width.literal_value)

    def generate(context, builder, signature, args):
        return _filled(builder, args[0], vector.width)

    return vector(x, width), generate


@intrinsic
def _to_float(context, vector):
    floats = _Vector("float32", vector.width)

    def generate(context, builder, signature, args):
        return builder.sitofp(args[0], context.get_value_type(floats))

    return floats(vector), generate


@intrinsic(prefer_literal=True)
def _one_hot(context, lane, width):
    mask = _Vector("bool", width.literal_value)

    def generate(context, builder, signature, args):
        sought = _filled(builder, builder.trunc(args[0], _INT), mask.width)
        return builder.icmp_signed("==", _numbers(range(mask.width)), sought)

    return mask(types.int64, width), generate


@intrinsic
def _choose(context, mask, chosen, others):
    def generate(context, builder, signature, args):
        return builder.select(*args)

    return chosen(mask, chosen, chosen), generate


@intrinsic
def _entry(context, vector, lane):
    def generate(context, builder, signature, args):
        return builder.extract_element(*args)

    return getattr(types, vector.of)(vector, types.int64), generate


@intrinsic
def _total(context, vector):
    def generate(context, builder, signature, args):
        (sums,) = args
        while (width := sums.type.count) > 1:  # halves, added lane by lane
            low, high = (
                builder.shuffle_vector(sums, _undefined(sums.type), _numbers(half))
                for half in (range(width // 2), range(width // 2, width))
            )
            sums = builder.fadd(low, high)
        return builder.extract_element(sums, ir.Constant(_INT, 0))

    return types.float32(vector), generate


@intrinsic
def _running_sum(context, vector):
    def generate(context, builder, signature, args):
        (sums,) = args
        lanes = range(vector.width)

        def moved(numbers, step, within):
            # Each lane gets what is `step` lanes before it, 0 from outside its block.
            places = (k - step if k % within >= step else vector.width for k in lanes)
            nothing = ir.Constant(numbers.type, [0.0] * vector.width)
            return builder.shuffle_vector(numbers, nothing, _numbers(places))

        # Within 128 bits numbers move in one cycle, further in three.
        for step in (1, 2):
            sums = builder.fadd(sums, moved(sums, step, 4))
        of_four = builder.shuffle_vector(
            sums, _undefined(sums.type), _numbers(k // 4 * 4 + 3 for k in lanes)
        )
        step = 4
        while step < vector.width:
            before = moved(of_four, step, vector.width)
            sums = builder.fadd(sums, before)
            of_four = builder.fadd(of_four, before)
            step *= 2
        return sums

    return vector(vector), generate


@intrinsic
def _last_in_all(context, vector):
    def generate(context, builder, signature, args):
        lanes = _numbers([vector.width - 1] * vector.width)
        return builder.shuffle_vector(args[0], _undefined(args[0].type), lanes)

    return vector(vector), generate


@intrinsic
def _first_lane(context, mask):
    def generate(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(mask.width))
        lane = builder.cttz(bits, ir.Constant(ir.IntType(1), 1))
        return builder.zext(lane, ir.IntType(64))

    return types.int64(mask), generate


@intrinsic
def _first_only(context, mask):
    def generate(context, builder, signature, args):
        bits = builder.bitcast(args[0], ir.IntType(mask.width))
        lowest = builder.and_(bits, builder.neg(bits))
        return builder.bitcast(lowest, args[0].type)

    return mask(mask), generate


@overload(load, prefer_literal=True)
def _(array, k, width):
    return lambda array, k, width: _load(array, k, width)


@overload(store)
def _(array, k, vector):
    return lambda array, k, vector: _store(array, k, vector)


@overload(broadcast, prefer_literal=True)
def _(x, width):
    return lambda x, width: _broadcast(x, width)


@overload(to_float)
def _(vector):
    return lambda vector: _to_float(vector)


@overload(one_hot, prefer_literal=True)
def _(lane, width):
    return lambda lane, width: _one_hot(lane, width)


@overload(choose)
def _(mask, chosen, others):
    return lambda mask, chosen, others: _choose(mask, chosen, others)


@overload(entry)
def _(vector, lane):
    return lambda vector, lane: _entry(vector, lane)


@overload(total)
def _(vector):
    return lambda vector: _total(vector)


@overload(running_sum)
def _(vector):
    return lambda vector: _running_sum(vector)


@overload(last_in_all)
def _(vector):
    return lambda vector: _last_in_all(vector)


@overload(first_lane)
def _(mask):
    return lambda mask: _first_lane(mask)


@overload(first_only)
def _(mask):
    return lambda mask: _first_only(mask)
