"""Arrays in kernels: made, read at places that are known only then, or one number.

`entry`, `priors_of` and `beta_sum` take either one number that all items (words or
topics) share, or an array with a number for each item. Kernels are compiled for the
former, and again for an array if there is one, so the case that is absent costs no
time.

Functions that return a part of an array do not count references, so only functions
with ``_nrt=False`` may call them. The exception is `beta_sum`: only functions that
count references may call it.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import overload

from sklda._simd.compile import INLINED, IS_KNOWN
from sklda._simd.vectors import INT32, INT64, Vector, lowers, undefined

if IS_KNOWN:
    from sklda._simd.compilers import cgutils, empty_array


def zeros(shape, dtype):
    """Return ``np.zeros(shape, dtype)``, which takes a tenth of a second to compile."""
    return np.zeros(shape, dtype)


def _typed(shape, dtype):
    n_dims = shape.count if isinstance(shape, types.BaseTuple) else 1
    return types.Array(dtype.dtype, n_dims, "C")(shape, dtype)


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


def load_at_each(array, places, bits, k, width):
    """Return the entries of an array at the places from ``places.flat[k]`` on.

    A place is the lowest bits of a number.
    """
    return array[places.reshape(-1)[k : k + width] & ((1 << bits) - 1)]


def not_negative(n):
    """Return n; as an index it needs no code for Python's negative indices."""
    return n


def entries_from(numbers, k):
    """Return ``numbers[k:]``, or the one number that all share.

    k is from 0 to the size; no bounds are checked.
    """
    return numbers[k:] if np.ndim(numbers) > 0 else numbers


@lowers(
    load_at_each,
    lambda array, places, bits, k, width: Vector(str(array.dtype), width.literal_value)(
        *(array, places, types.int64, types.int64, width),
    ),
)
def _(context, builder, sig, args):
    array, places, bits, k, _ = args
    lanes = context.get_value_type(sig.return_type)
    data = context.make_array(sig.args[0])(context, builder, array).data
    first = context.make_array(sig.args[1])(context, builder, places).data
    found, unit = undefined(lanes), ir.Constant(INT64, 1)
    mask = builder.sub(builder.shl(unit, bits), unit)
    # One lane after the other: a gather instruction would wait for the latest stores.
    for lane in range(lanes.count):
        place = builder.gep(first, [builder.add(k, ir.Constant(INT64, lane))])
        number = builder.load(place)
        number = builder.zext(number, INT64) if number.type.width < 64 else number
        at = builder.gep(data, [builder.and_(number, mask)])
        found = builder.insert_element(
            found, builder.load(at), ir.Constant(INT32, lane)
        )
    return found


@lowers(not_negative, lambda n: types.int64(types.int64))
def _(context, builder, sig, args):
    return builder.and_(args[0], ir.Constant(INT64, 2**63 - 1))


@lowers(entries_from, lambda numbers, k: numbers(numbers, types.int64))
def _(context, builder, sig, args):
    array, k = args
    if not isinstance(sig.return_type, types.Array):
        return array
    rest = context.make_array(sig.return_type)(context, builder, array)
    rest.data = builder.gep(rest.data, [k])
    rest.nitems = builder.sub(rest.nitems, k)
    rest.shape = builder.insert_value(rest.shape, rest.nitems, 0)
    if context.enable_nrt:
        context.nrt.incref(builder, sig.return_type, rest._getvalue())
    return rest._getvalue()


_INLINED = {"nogil": True, **INLINED}


def entry(numbers, i):
    """Return the i-th of some numbers (or rows), or the one that all share."""
    return numbers[i] if np.ndim(numbers) > 0 else numbers


@overload(entry, jit_options=_INLINED)
def _(numbers, i):
    def read_shared(numbers, i):
        return numbers

    def read_item(numbers, i):
        return numbers[i]

    return read_item if isinstance(numbers, types.Array) else read_shared


def is_per_item(numbers):
    """Return whether each item has a number of its own."""
    return np.ndim(numbers) > 0


@overload(is_per_item, jit_options=_INLINED)
def _(numbers):
    known = isinstance(numbers, types.Array)
    return lambda numbers: known


def priors_of(w, priors):
    """Return the priors with beta of word w."""
    return priors._replace(topic_word=entry(priors.topic_word, w))


@overload(priors_of, jit_options=_INLINED)
def _(w, priors):
    cls = priors.instance_class

    def read_shared(w, priors):
        return priors

    def read_item(w, priors):
        return cls(priors.doc_topic, priors.topic_word[w], priors.topic_word_sum)

    return read_item if isinstance(priors.types[1], types.Array) else read_shared


def beta_sum(n_words, priors):
    """Return the sum of beta over the words: one float64, or (n_lanes,) float32."""
    if is_per_item(priors.topic_word_sum):
        return priors.topic_word_sum
    return np.float64(n_words) * priors.topic_word


@overload(beta_sum, jit_options={"nogil": True})  # it returns an array
def _(n_words, priors):
    def read_shared(n_words, priors):
        return np.float64(n_words) * priors.topic_word

    def read_item(n_words, priors):
        return priors.topic_word_sum

    return read_item if isinstance(priors.types[2], types.Array) else read_shared
