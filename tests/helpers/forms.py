"""One matrix in every form that estimators take; its values come as an array."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils._testing import create_memmap_backed_data


class Form(NamedTuple):
    """A function of an array, which is cast to a dtype before."""

    make: Callable[[np.ndarray], Any]
    dtype: Any = None

    def __call__(self, values: np.ndarray) -> Any:
        return self.make(values if self.dtype is None else values.astype(self.dtype))

    def holds(self, values: np.ndarray) -> bool:
        """Return whether the dtype has all values exactly."""
        with np.errstate(all="ignore"):
            return self.dtype is None or (values.astype(self.dtype) == values).all()


def duplicates(values):
    """Split each count in two cells, far from each other, of the same document."""
    half = values // 2
    X = sparse.hstack([sparse.csr_array(half), sparse.csr_array(values - half)], "csr")
    indices = X.indices % values.shape[1]
    return sparse.csr_array((X.data, indices, X.indptr), values.shape)


def unsorted(values):
    """Store the words of each document from last to first."""
    X = sparse.csr_matrix(values[:, ::-1])
    last = values.shape[1] - 1
    return sparse.csr_matrix((X.data, last - X.indices, X.indptr), X.shape)


def explicit_zeros(values):
    """Store every cell of the matrix."""
    X = sparse.csr_array(np.ones_like(values))
    return sparse.csr_array((values.ravel(), X.indices, X.indptr), X.shape)


def in_64_bits(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def frame(values):
    return pytest.importorskip("pandas").DataFrame(values)


def sparse_frame(values):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(values))


def wrong_flag(values):
    """Claim that an unsorted matrix with duplicates is canonical."""
    X = duplicates(values)
    X.has_canonical_format = True
    return X


def spare_room(values):
    """Put values behind the last cell, as matrices do that have lost some."""
    X = sparse.csr_matrix(values)
    X.data = np.append(X.data, [7, -9])
    X.indices = np.append(X.indices, np.int32([3, 99]))
    return X


def misaligned(values):
    """Place every array one byte beyond where its type wants to be."""

    def shift(array):
        return np.frombuffer(bytearray(b"x" + array.tobytes()), array.dtype, -1, 1)

    X = sparse.csr_array(values)
    arrays = (shift(X.data), shift(X.indices), shift(X.indptr))
    return sparse.csr_array(arrays, shape=X.shape)


def swapped(values, kind):
    """Store values, and indices where that is possible, in the other byte order."""
    X = sparse.csr_matrix(values).asformat(kind, copy=True)
    for name in ("data", "indices", "indptr"):
        if hasattr(X, name):
            array = getattr(X, name)
            setattr(X, name, array.astype(array.dtype.newbyteorder()))
    return X


CONTAINERS = [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.csc_array]
CONTAINERS += [sparse.coo_matrix, sparse.coo_array, sparse.lil_matrix]
FORMS = {
    **{
        f"{cls.__name__} {dtype}": Form(cls, dtype)
        for cls in CONTAINERS
        for dtype in ("int64", "int8", "uint16", "float64")
    },
    **{cls.__name__: Form(cls) for cls in (sparse.dok_array, sparse.bsr_array)},
    "dia_array": Form(sparse.dia_array),
    **{
        f"array {dtype}": Form(np.asarray, dtype)
        for dtype in "int8 uint8 int16 int32 uint32 int64 uint64".split()
        + "bool float16 float32 float64 longdouble object >i4".split()
    },
    "array, Fortran order": Form(np.asfortranarray),
    "array, every other column": Form(lambda v: np.repeat(v, 2, axis=1)[:, ::2]),
    "array, backwards": Form(lambda v: v[::-1].copy()[::-1]),
    **{
        f"{kind}, other byte order": Form(lambda v, kind=kind: swapped(v, kind))
        for kind in ("csr", "csc", "bsr", "coo", "dia")
    },
    "list of lists": Form(np.ndarray.tolist),
    "tuple of arrays": Form(tuple),
    "list of arrays of objects": Form(list, object),
    "csr, big float": Form(sparse.csr_matrix, np.longdouble),
    "csr, bool": Form(sparse.csr_matrix, "bool"),
    "duplicates": Form(duplicates),
    "duplicates, float": Form(duplicates, np.float32),
    "duplicates, csc": Form(lambda v: duplicates(v).tocsc()),
    "duplicates, coordinates": Form(lambda v: duplicates(v).tocoo()),
    "unsorted": Form(unsorted),
    "explicit zeros": Form(explicit_zeros),
    "wrong flag": Form(wrong_flag),
    "spare room": Form(spare_room),
    "misaligned": Form(misaligned),
    "64-bit indices": Form(lambda v: in_64_bits(sparse.csr_matrix(v))),
    "64-bit indices, duplicates": Form(lambda v: in_64_bits(duplicates(v))),
    **{
        f"frame of {dtype}": Form(frame, dtype)
        for dtype in ("int64", "uint8", "float32", "bool", ">i8")
    },
    "frame of nullable numbers": Form(lambda v: frame(v).convert_dtypes()),
    "frame with names": Form(lambda v: frame(v).rename(columns="w{}".format)),
    "frame of sparse": Form(sparse_frame),
    "read-only array": Form(create_memmap_backed_data),
    **{
        f"read-only {make.__name__}": Form(
            lambda v, make=make: create_memmap_backed_data(make(v))
        )
        for make in (sparse.csr_matrix, duplicates, unsorted)
    },
}
