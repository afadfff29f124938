"""Tables in whole cache lines, and prefetching of what a sampler will need next."""

import numpy as np
from llvmlite import ir
from numba import types

from sklda._simd.vector_type import INT32, INT64, lowers, place_of, signature

AHEAD = 8  # cells
LINE = 64  # bytes
TO_WRITE, KEEP, DATA = 1, 3, 1  # arguments of llvm.prefetch


def aligned_empty(size, dtype):
    """Return ``np.empty(size, dtype)``, its first entry at the start of a line.

    Otherwise, each 16 numbers that a kernel loads would be in two lines.
    """
    n_bytes = size * np.dtype(dtype).itemsize
    room = np.empty(n_bytes + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + n_bytes].view(dtype)


def per_line(array):
    """Return how many numbers of an array fit into a cache line."""
    return LINE // array.itemsize


@lowers(per_line, lambda array: signature(types.int64, array))
def _(context, builder, sig, args):
    # Known to the compiler.
    return INT64(LINE * 8 // sig.args[0].dtype.bitwidth)


def prefetch(array, index):
    """Prefetch the cache line of ``array.flat[index]`` of a contiguous array.

    Nothing is read, so any index is harmless.
    """


@lowers(prefetch, lambda array, index: signature(types.void, array, types.int64))
def _(context, builder, sig, args):
    line = place_of(context, builder, sig.args[0], *args, ir.IntType(8))
    form = ir.FunctionType(ir.VoidType(), [line.type, INT32, INT32, INT32])
    fetch = builder.module.declare_intrinsic("llvm.prefetch", [line.type], form)
    builder.call(fetch, [line, INT32(TO_WRITE), INT32(KEEP), INT32(DATA)])
    return context.get_dummy_value()
