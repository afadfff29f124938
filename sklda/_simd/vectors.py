"""Vectors in registers: several numbers on which one instruction acts.

LLVM does not vectorise loops whose steps depend on each other, such as a running sum,
and cannot keep a small array in registers from token to token. Here a vector is a type
of Numba with the usual operators. The functions below work on arrays of NumPy as their
compiled versions do on vectors. The file has the type of vectors, tools that emit
LLVM's code, the functions, their code, and prefetching of what a sampler needs next.

With a `height`, a value has several vectors: its rows. Each lane is a column.
Entry k of an array stands in row k // width. A sum down the columns takes one addition
per row, and only the last row is summed over its lanes.
"""

import operator
from inspect import signature as parameters_of

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

INT32 = ir.IntType(32)
INT64 = ir.IntType(64)
ALIGNMENT = 4  # bytes: arrays begin anywhere
ELEMENTS = {
    "float32": ir.FloatType(),
    "float64": ir.DoubleType(),
    "int32": INT32,
    "int64": INT64,
    "bool": ir.IntType(1),
}


class Vector(types.Type):
    """The type of vectors."""

    def __init__(self, element: str, width: int, height: int = 1) -> None:
        self.element, self.width, self.height = element, width, height
        super().__init__(f"Vector({element}, {width}, {height})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, dmm, fe_type):
        lanes = ir.VectorType(ELEMENTS[fe_type.element], fe_type.width)
        if fe_type.height > 1:
            lanes = ir.ArrayType(lanes, fe_type.height)
        super().__init__(dmm, fe_type, lanes)


def registers_of(builder, value):
    """Return the registers of a value."""
    if not isinstance(value.type, ir.ArrayType):
        return [value]
    return [builder.extract_value(value, i) for i in range(value.type.count)]


def from_registers(builder, registers):
    """Return the value that has these registers."""
    if len(registers) == 1:
        return registers[0]
    value = undefined(ir.ArrayType(registers[0].type, len(registers)))
    for i, register in enumerate(registers):
        value = builder.insert_value(value, register, i)
    return value


def lowers(function, typed):
    """Let kernels call a function or use an operator; the decorated one emits its code.

    `typed` returns its signature, ``result(*arguments)``, for the types of arguments,
    or None if it takes others.
    Numba's `overload` would compile one more function for each.
    """

    @type_callable(function)
    def _(context):
        def typer(*args):
            try:
                return typed(*args)
            except AttributeError:  # Numba asks again with numbers as literals
                return None

        typer.pysig = parameters_of(function)
        return typer

    return lower_builtin(function, types.VarArg(types.Any))


def lowers_each(function, typed):
    """Let kernels call a function that acts on each register by itself.

    The decorated function emits the code for one register; `lowers` does the rest.
    """

    def decorate(emit):
        def emit_each(context, builder, sig, args):
            registers = zip(*(registers_of(builder, arg) for arg in args), strict=True)
            return from_registers(
                builder, [emit(builder, sig, *row) for row in registers]
            )

        return lowers(function, typed)(emit_each)

    return decorate


def undefined(kind):
    """Return a value of a type, with any content."""
    return ir.Constant(kind, ir.Undefined)


def numbers(values):
    """Return a vector of these integers."""
    values = list(values)
    return ir.Constant(ir.VectorType(INT32, len(values)), values)


def shuffled(builder, lanes, places, more_lanes=None):
    """Return lanes by their places, which go on from `lanes` to `more_lanes`."""
    more_lanes = undefined(lanes.type) if more_lanes is None else more_lanes
    return builder.shuffle_vector(lanes, more_lanes, numbers(places))


def filled(builder, x, width):
    """Return x in all lanes."""
    nothing = undefined(ir.VectorType(x.type, width))
    first = builder.insert_element(nothing, x, ir.Constant(INT32, 0))
    return shuffled(builder, first, [0] * width)


def place_of(context, builder, array_type, array, k, lanes):
    """Return a pointer to entry k of an array, as one to a vector."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [k]), lanes.as_pointer())


def bits_of(builder, mask):
    """Return the lanes of a mask as the bits of an integer."""
    return builder.bitcast(mask, ir.IntType(mask.type.count))


def load(array, k, width, height=None):
    """Return the entries from ``array.flat[k]`` on; the array must be contiguous."""
    shape = width if height is None else (height, width)
    return array.reshape(-1)[k : k + np.prod(shape)].reshape(shape).copy()


def store(array, k, vector):
    """Write a vector to the entries from ``array.flat[k]`` on."""
    array.reshape(-1)[k : k + vector.size] = vector.ravel()


def broadcast(x, width, height=None):
    """Return a vector whose lanes are all x."""
    return np.full(width if height is None else (height, width), x)


def entries(numbers, k, width, height=None):
    """Return the entries from k on; a number that all share fills each lane."""
    if np.ndim(numbers) > 0:
        return load(numbers, k, width, height)
    return broadcast(numbers, width, height)


def to_float(vector):
    """Return numbers as float32."""
    return vector.astype(np.float32)


def to_double(vector):
    """Return numbers as float64."""
    return vector.astype(np.float64)


def one_hot(k, width, height=None):
    """Return a mask of entry k, which is empty if k is out of range."""
    shape = width if height is None else (height, width)
    return (np.arange(np.prod(shape)) == k).reshape(shape)


def choose(mask, chosen, otherwise):
    """Return `chosen` in the lanes of the mask, and `otherwise` elsewhere."""
    return np.where(mask, chosen, otherwise)


def get_lane(vector, lane):
    """Return the number in a lane."""
    return vector[lane]


def total(vector):
    """Return the sum of all lanes: halves are added until one lane is left."""
    while vector.size > 1:
        vector = vector[: vector.size // 2] + vector[vector.size // 2 :]
    return vector[0]


def largest(vector):
    """Return the largest lane. NaN is not allowed."""
    return vector.max()


def running_sums(vector):
    """Return, as vectors, the sums of the lanes before each, with each, and of all.

    Lanes must be 0 or more. Rounding keeps the order: no sum is less than the one
    before it, and both are equal where a lane adds 0. Groups of lanes are joined two by
    two (Sklansky, "Conditional-sum addition logic", 1960): the sum of the first is
    added to all of the second.
    """
    sums = vector.copy()
    step = 1
    while step < sums.size:
        for first in range(step, sums.size, 2 * step):
            sums[first : first + step] += sums[first - 1]
        step *= 2
    before = np.append(vector[:0].dtype.type(0), sums[:-1])
    return before, sums, np.full_like(sums, sums[-1])


def first_lane(mask):
    """Return the first entry of a mask that has any."""
    return int(mask.argmax())


def any_lane(mask):
    """Return whether a mask has an entry."""
    return bool(mask.any())


def running_down(columns):
    """Return the sums down each column, up to and with each entry."""
    return np.add.accumulate(columns, dtype=columns.dtype)


def last_row(columns):
    """Return the last row, a vector."""
    return columns[-1]


def first_down(columns, bound, is_short, chosen):
    """Return the first entry of chosen columns above a bound; the last if none is.

    `is_short` marks the columns whose last entry is in the row before the last.
    """
    above = columns > bound
    above[-2:-1] |= is_short
    above[-1] = True
    return above & ~np.vstack([np.zeros_like(above[:1]), above[:-1]]) & chosen


# --- instructions -----------------------------------------------------------------


def _vector(like, width, height=None):
    """Return the type of vectors of some numbers, or of those in an array."""
    rows = 1 if height is None else height.literal_value
    return Vector(str(getattr(like, "dtype", like)), width.literal_value, rows)


def _same_type(result=None):
    """Type an operator on two vectors of the same type."""

    def typed(a, b):
        if not isinstance(a, Vector) or a != b:
            return None
        return Vector(result or a.element, a.width, a.height)(a, b)

    return typed


def _arithmetic(function, float_instruction, integer_instruction):
    @lowers_each(function, _same_type())
    def _(builder, sig, a, b):
        is_integer = sig.return_type.element.startswith("int")
        name = integer_instruction if is_integer else float_instruction
        return getattr(builder, name)(a, b)


_arithmetic(operator.add, "fadd", "add")
_arithmetic(operator.sub, "fsub", "sub")
_arithmetic(operator.mul, "fmul", "mul")
_arithmetic(operator.truediv, "fdiv", "sdiv")
_arithmetic(operator.or_, "or_", "or_")
_arithmetic(operator.and_, "and_", "and_")
_arithmetic(operator.xor, "xor", "xor")
_arithmetic(operator.rshift, None, "ashr")


@lowers_each(operator.invert, lambda mask: mask(mask))
def _(builder, sig, mask):
    return builder.not_(mask)


@lowers_each(operator.eq, _same_type("bool"))
def _(builder, sig, a, b):
    return builder.icmp_signed("==", a, b)


@lowers_each(operator.gt, _same_type("bool"))
def _(builder, sig, a, b):
    return builder.fcmp_ordered(">", a, b)


def _typed_load(numbers, k, *shape):
    return _vector(numbers, *shape)(numbers, types.int64, *shape)


@lowers(load, _typed_load)
def _load(context, builder, sig, args):
    array, k, *_ = args
    rows, kind = [], sig.return_type
    lanes = context.get_value_type(Vector(kind.element, kind.width))
    for i in range(kind.height):
        at = builder.add(k, ir.Constant(INT64, i * kind.width))
        place = place_of(context, builder, sig.args[0], array, at, lanes)
        rows.append(builder.load(place, align=ALIGNMENT))
    return from_registers(builder, rows)


@lowers(broadcast, lambda x, *shape: _vector(x, *shape)(x, *shape))
def _fill(context, builder, sig, args):
    kind = sig.return_type
    return from_registers(builder, [filled(builder, args[0], kind.width)] * kind.height)


@lowers(entries, _typed_load)
def _(context, builder, sig, args):
    emit = _load if isinstance(sig.args[0], types.Array) else _fill
    return emit(context, builder, sig, args)


@lowers(store, lambda array, k, vector: types.void(array, types.int64, vector))
def _(context, builder, sig, args):
    array, k, vector = args
    for i, row in enumerate(registers_of(builder, vector)):
        at = builder.add(k, ir.Constant(INT64, i * row.type.count))
        place = place_of(context, builder, sig.args[0], array, at, row.type)
        builder.store(row, place, align=ALIGNMENT)
    return context.get_dummy_value()


def _conversion(function, element, float_conversion):
    """Let kernels convert vectors to float32 or float64."""

    def typed(vector):
        return Vector(element, vector.width, vector.height)(vector)

    @lowers_each(function, typed)
    def _(builder, sig, vector):
        if sig.args[0].element == element:
            return vector
        is_integer = sig.args[0].element.startswith("int")
        convert = builder.sitofp if is_integer else float_conversion(builder)
        return convert(vector, ir.VectorType(ELEMENTS[element], vector.type.count))


_conversion(to_float, "float32", lambda builder: builder.fptrunc)
_conversion(to_double, "float64", lambda builder: builder.fpext)


@lowers(
    one_hot,
    lambda k, *shape: _vector("bool", *shape)(types.int64, *shape),
)
def _(context, builder, sig, args):
    kind, rows = sig.return_type, []
    sought = filled(builder, builder.trunc(args[0], INT32), kind.width)
    for i in range(kind.height):
        entry_numbers = range(i * kind.width, (i + 1) * kind.width)
        rows.append(builder.icmp_signed("==", numbers(entry_numbers), sought))
    return from_registers(builder, rows)


@lowers_each(choose, lambda mask, chosen, otherwise: chosen(mask, chosen, chosen))
def _(builder, sig, mask, chosen, otherwise):
    return builder.select(mask, chosen, otherwise)


@lowers(
    get_lane,
    lambda vector, lane: getattr(types, vector.element)(vector, types.int64),
)
def _(context, builder, sig, args):
    return builder.extract_element(*args)


def _reduction(function, combine):
    """Let kernels combine all lanes: halves are combined until one lane is left."""

    @lowers(function, lambda vector: getattr(types, vector.element)(vector))
    def _(context, builder, sig, args):
        (lanes,) = args
        while (width := lanes.type.count) > 1:
            low = shuffled(builder, lanes, range(width // 2))
            high = shuffled(builder, lanes, range(width // 2, width))
            lanes = combine(builder, low, high)
        return builder.extract_element(lanes, ir.Constant(INT32, 0))


_reduction(total, lambda builder, a, b: builder.fadd(a, b))
_reduction(
    largest,
    lambda builder, a, b: builder.select(builder.fcmp_ordered(">", a, b), a, b),
)


@lowers(running_sums, lambda vector: types.UniTuple(vector, 3)(vector))
def _(context, builder, sig, args):
    (sums,) = args
    width = sums.type.count
    half, lanes = width // 2, range(width)
    nothing = ir.Constant(sums.type, [0.0] * width)
    step = 1
    while step < half:
        last = (k // step * step - 1 if k & step else width for k in lanes)
        sums = builder.fadd(sums, shuffled(builder, sums, last, nothing))
        step *= 2
    # Moving numbers to the other half of a register takes long, so it is done once.
    own_half = shuffled(builder, sums, (k | half - 1 for k in lanes))
    other_half = shuffled(builder, own_half, (k ^ half for k in lanes))
    first_half = (k if k & half else width for k in lanes)
    first_half = shuffled(builder, other_half, first_half, nothing)
    up_in_half = (k - 1 if k % half else width for k in lanes)
    before = shuffled(builder, sums, up_in_half, nothing)
    results = [
        builder.fadd(before, first_half),
        builder.fadd(sums, first_half),
        builder.fadd(own_half, other_half),
    ]
    return context.make_tuple(builder, sig.return_type, results)


@lowers(first_lane, lambda mask: types.int64(mask))
def _(context, builder, sig, args):
    kind = sig.args[0]
    wide = ir.IntType(max(64, kind.width * kind.height))
    bits = ir.Constant(wide, 0)
    for i, row in enumerate(registers_of(builder, args[0])):
        row_bits = bits_of(builder, row)
        if row_bits.type.width < wide.width:
            row_bits = builder.zext(row_bits, wide)
        shift = ir.Constant(wide, i * kind.width)
        bits = builder.or_(bits, builder.shl(row_bits, shift))
    found = builder.cttz(bits, ir.Constant(ir.IntType(1), 1))
    return found if wide.width == 64 else builder.trunc(found, INT64)


@lowers(any_lane, lambda mask: types.boolean(mask))
def _(context, builder, sig, args):
    bits = bits_of(builder, args[0])
    return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))


@lowers(running_down, lambda columns: columns(columns))
def _(context, builder, sig, args):
    rows = registers_of(builder, args[0])
    for i in range(1, len(rows)):
        rows[i] = builder.fadd(rows[i - 1], rows[i])
    return from_registers(builder, rows)


@lowers(last_row, lambda columns: Vector(columns.element, columns.width)(columns))
def _(context, builder, sig, args):
    return registers_of(builder, args[0])[-1]


def _typed_first_down(columns, bound, is_short, chosen):
    mask = Vector("bool", columns.width, columns.height)
    return mask(columns, bound, is_short, chosen)


@lowers(first_down, _typed_first_down)
def _(context, builder, sig, args):
    columns, bound, is_short, chosen = args
    rows = registers_of(builder, columns)
    above = [builder.fcmp_ordered(">", row, bound) for row in rows[:-1]]
    above[-1:] = [builder.or_(row, is_short) for row in above[-1:]]
    above.append(ir.Constant(is_short.type, [1] * is_short.type.count))
    not_above = [builder.not_(row) for row in above[:-1]]
    first = [above[0], *map(builder.and_, above[1:], not_above)]
    return from_registers(builder, [builder.and_(row, chosen) for row in first])


def square_root(vector):
    """Return the square roots of numbers from 0 on, correctly rounded."""
    return np.sqrt(vector)


@lowers_each(square_root, lambda vector: vector(vector))
def _(builder, sig, vector):
    kind = ir.FunctionType(vector.type, [vector.type])
    name = f"llvm.sqrt.v{vector.type.count}{vector.type.element.intrinsic_name}"
    root = builder.module.declare_intrinsic(name, fnty=kind)
    return builder.call(root, [vector])


AHEAD = 8  # cells
LINE = 64  # bytes
TO_WRITE, KEEP, DATA = 1, 3, 1  # arguments of llvm.prefetch


def aligned_empty(size, dtype):
    """Return ``np.empty(size, dtype)``, its first entry at the start of a line.

    Otherwise, each 16 numbers that a kernel loads would be in two lines.
    """
    n_bytes = size * np.dtype(dtype).itemsize
    memory = np.empty(n_bytes + LINE, np.uint8)
    first = -memory.ctypes.data % LINE
    return memory[first : first + n_bytes].view(dtype)


def per_line(array):
    """Return how many numbers of an array fit into a cache line."""
    return LINE // array.itemsize


@lowers(per_line, lambda array: types.int64(array))
def _(context, builder, sig, args):
    # Known to the compiler.
    return INT64(LINE * 8 // sig.args[0].dtype.bitwidth)


def prefetch(array, index):
    """Prefetch the cache line of ``array.flat[index]`` of a contiguous array.

    Nothing is read, so any index is harmless.
    """


@lowers(prefetch, lambda array, index: types.void(array, types.int64))
def _(context, builder, sig, args):
    line = place_of(context, builder, sig.args[0], *args, ir.IntType(8))
    form = ir.FunctionType(ir.VoidType(), [line.type, INT32, INT32, INT32])
    fetch = builder.module.declare_intrinsic("llvm.prefetch", [line.type], form)
    builder.call(fetch, [line, INT32(TO_WRITE), INT32(KEEP), INT32(DATA)])
    return context.get_dummy_value()
