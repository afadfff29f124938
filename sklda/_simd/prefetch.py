"""Prefetching of memory: a sampler knows the next rows of a table, a processor not."""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

AHEAD = 2  # cells
LINE = 64  # bytes
TO_WRITE, KEEP, DATA = 1, 3, 1  # arguments of llvm.prefetch

byte, flag = ir.IntType(8), ir.IntType(32)


def per_line(array):
    """Return how many numbers of an array fit into a cache line."""
    return LINE // array.itemsize


@overload(per_line)
def _per_line(array):
    n = LINE * 8 // array.dtype.bitwidth  # known to the compiler
    return lambda array: n


def prefetch(array, index):
    """Prefetch the cache line of ``array.flat[index]`` of a contiguous array.

    Nothing is read, so any index is harmless.
    """


@overload(prefetch)
def _prefetch(array, index):
    return lambda array, index: _prefetch_line(array, index)


@intrinsic
def _prefetch_line(typing_context, array, index):
    def generate(context, builder, signature, arguments):
        of_array = context.make_array(signature.args[0])
        data = of_array(context, builder, arguments[0]).data
        line = builder.bitcast(builder.gep(data, arguments[1:]), byte.as_pointer())
        form = ir.FunctionType(ir.VoidType(), [line.type, flag, flag, flag])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [line.type], form)
        builder.call(fetch, [line, flag(TO_WRITE), flag(KEEP), flag(DATA)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
