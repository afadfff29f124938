"""Arrays that kernels make."""

import numpy as np
from numba import types
from numba.extending import overload

from sklda._simd.compile import IS_KNOWN
from sklda._simd.vector_type import lowers, signature

if IS_KNOWN:
    from sklda._simd.compilers import cgutils, empty_array


def zeros(shape, dtype):
    """Return ``np.zeros(shape, dtype)``, which takes a tenth of a second to compile."""
    return np.zeros(shape, dtype)


def _typed(shape, dtype):
    n_dims = shape.count if isinstance(shape, types.BaseTuple) else 1
    return signature(types.Array(dtype.dtype, n_dims, "C"), shape, dtype)


def _emit_zeros(context, builder, sig, args):
    is_tuple = isinstance(sig.args[0], types.BaseTuple)
    kinds = sig.args[0] if is_tuple else [sig.args[0]]
    sizes = cgutils.unpack_tuple(builder, args[0]) if is_tuple else [args[0]]
    sizes = [
        context.cast(builder, size, kind, types.intp)
        for size, kind in zip(sizes, kinds, strict=True)
    ]
    array = empty_array(context, builder, sig.return_type, sizes)
    n_bytes = builder.mul(array.itemsize, array.nitems)
    cgutils.memset(builder, array.data, n_bytes, 0)
    return array._getvalue()


if IS_KNOWN:
    lowers(zeros, _typed)(_emit_zeros)
else:
    overload(zeros)(lambda shape, dtype: lambda shape, dtype: np.zeros(shape, dtype))
