"""The type of vectors for Numba, and the tools that turn functions into LLVM's code."""

from inspect import signature as parameters_of

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


def signature(result, *arguments):
    """Return the signature of a function of these types."""
    return result(*arguments)


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

    `typed` returns its signature for types of arguments, or None if it takes others.
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
