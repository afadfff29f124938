"""Checks of arrays, matrices and lists of names.

Errors for an X that is no matrix of counts, with the code that makes it one.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

_MAX_SHOWN = 3  # names in a message


def check_limit(value: int, name: str, limit: int, counted: str) -> None:
    """Raise ValueError if a parameter asks for more things than there are."""
    if value > limit:
        raise ValueError(f"{name}={value} exceeds the number of {counted}, {limit}.")


def array_or_none(value: Any) -> np.ndarray:
    """Return a value as an array, or an array of None for lists of unequal lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        return np.array(None)


def check_numbers(value: Any, name: str, shape: tuple[int | str, ...]) -> np.ndarray:
    """Return numbers as an array; a str in `shape` stands for any length.

    Raises ValueError if they are not finite numbers, or have another shape.
    """
    check_structure(value, name)
    array = array_or_none(value)
    fits = array.ndim == len(shape) and all(
        isinstance(expected, str) or expected == length
        for expected, length in zip(shape, array.shape, strict=True)
    )
    if not fits or array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        sizes = ", ".join(str(length) for length in shape)
        is_array = isinstance(value, np.ndarray) and not fits
        got = f"one of shape {array.shape}" if is_array else repr(value)
        raise ValueError(
            f"{name} must contain finite numbers, in an array of shape ({sizes}); got "
            f"{got}."
        )
    return array


def check_names(
    value: Any, name: str, content: str, way_out: str = "Pass a list."
) -> list[str]:
    """Return names as a list of str; the message says what `content` they must list."""
    return [str(item) for item in check_sequence(value, name, content, way_out)]


def check_sequence(
    value: Any, name: str, content: str, way_out: str = "Pass a list."
) -> list[Any]:
    """Return the items of a list; the message says what `content` it must have.

    Raises TypeError if it is not a sequence or an array of one dimension: a set has no
    order, and a dict need not have the order of the names.
    """
    n_dimensions = getattr(value, "ndim", 1)
    ordered = isinstance(value, Sequence) or hasattr(value, "__array__")
    if not ordered or isinstance(value, str | bytes) or n_dimensions != 1:
        kind = type(value).__name__
        if n_dimensions != 1:
            kind = f"{n_dimensions}-dimensional {kind}"
        article = "an" if kind[0] in "aeiou" else "a"
        raise TypeError(f"{name} must list {content}, got {article} {kind}. {way_out}")
    return list(value)


def native(matrix: Any) -> Any:
    """Return a matrix in the byte order of the machine: SciPy knows no other."""
    dtype = getattr(matrix, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.isnative:
        return matrix
    return matrix.astype(dtype.newbyteorder("="))


def shown(names: Iterable[Any]) -> str:
    """Return the first names or numbers, and how many others there are."""
    first = list(map(repr, names))
    more = len(first) - _MAX_SHOWN
    listed = ", ".join(first[:_MAX_SHOWN])
    return f"{listed} and {more} more" if more > 0 else listed


def differences(a: list[str], b: list[str], name_a: str, name_b: str) -> str:
    """Describe in words which names only one of two lists has."""
    only = {name_a: sorted({*a} - {*b}), name_b: sorted({*b} - {*a})}
    parts = [
        f"{shown(names)} only in {where}" for where, names in only.items() if names
    ]
    return " and ".join(parts) or "the same words in a different order"


def check_same_words(
    first_name: str, first: list[str], name: str, words: list[str]
) -> None:
    """Raise ValueError if the words of two models differ, or their order."""
    if first == words:
        return
    difference = differences(first, words, first_name, name)
    raise ValueError(
        f"{first_name} and {name} have different vocabularies: {difference}. Fit all "
        "models to the same columns."
    )


def check_structure(matrix: Any, name: str) -> Any:
    """Return a matrix that SciPy can use: call this before anything else.

    SciPy accepts sparse matrices with indices outside their shape, and its conversions
    then write outside of arrays; narrow and unsigned indices overflow there. Where it
    can, the returned matrix shares memory with the given one, which is not modified.

    Raises ValueError if entries are masked, which conversions forget, or lie outside
    the shape of the matrix.
    """
    if isinstance(matrix, np.ma.MaskedArray) and np.ma.is_masked(matrix):
        raise ValueError(
            f"{name} has masked entries, but every entry needs a value: pass "
            f"{name}.filled(0) if they are zeros, or remove their rows."
        )
    if not sparse.issparse(matrix):
        return matrix
    try:
        if matrix.dtype.kind not in "biufcO":
            raise TypeError(f"its values are of type {matrix.dtype}, not numbers")
        if matrix.format in ("bsr", "csc", "csr"):
            matrix = copy(matrix)
            _check_compressed(matrix)
        elif matrix.format == "dia":
            matrix = copy(matrix)
            _check_diagonals(matrix)
        elif matrix.ndim == 2:  # others are refused, before they are converted
            _check_indices(matrix)
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is not a valid sparse matrix: {error}.") from error
    return matrix


def _check_compressed(matrix: Any) -> None:
    """Check CSR, CSC or BSR, and cut off what follows the last cell."""
    indices = _as_indices(matrix.indices, "indices")
    pointers = _as_indices(matrix.indptr, "indptr")
    values, axis = matrix.data, "column"
    n_rows, n_columns = (1, *matrix.shape)[-2:]
    if matrix.format == "csc":
        n_rows, n_columns, axis = n_columns, n_rows, "row"
    n_dimensions = 3 if matrix.format == "bsr" else 1
    if values.ndim != n_dimensions or len(values) != len(indices):
        raise ValueError(f"data of shape {values.shape} have {len(indices)} indices")
    height, width = values.shape[1:] or (1, 1)
    if height == 0 or width == 0 or n_rows % height or n_columns % width:
        raise ValueError(f"{matrix.shape} is no multiple of the blocks {height, width}")
    if len(pointers) != n_rows // height + 1:
        raise ValueError(f"indptr has {len(pointers)} entries for {n_rows} rows")
    n_cells, dtype = pointers[-1], np.result_type(indices, pointers)
    # Differences could overflow.
    if pointers[0] != 0 or (pointers[1:] < pointers[:-1]).any():
        raise ValueError("indptr must start with 0 and never decrease")
    if n_cells > len(indices):
        raise ValueError(
            f"indptr ends with {n_cells}, but there are {len(indices)} indices"
        )
    _check_range(indices[:n_cells], n_columns // width, axis)
    matrix.indptr = pointers.astype(dtype, copy=False)
    matrix.indices = indices[:n_cells].astype(dtype, copy=False)
    matrix.data = values[:n_cells]


def _check_diagonals(matrix: Any) -> None:
    matrix.offsets = _as_indices(matrix.offsets, "offsets")
    n_diagonals = np.unique(matrix.offsets).size
    if matrix.data.ndim != 2 or matrix.offsets.shape != (n_diagonals,):
        raise ValueError("two diagonals have the same offset")
    if len(matrix.data) != n_diagonals:
        raise ValueError(f"{len(matrix.data)} diagonals have {n_diagonals} offsets")


def _check_indices(matrix: Any) -> None:
    indices, n_values = _INDICES[matrix.format](matrix)
    for index, size, axis in zip(indices, matrix.shape, ("row", "column"), strict=True):
        if len(index) != n_values:
            raise ValueError(f"{n_values} values have {len(index)} {axis} indices")
        _check_range(_as_indices(index, f"{axis} indices"), size, axis)


def _as_indices(array: Any, name: str) -> np.ndarray:
    """Return indices in 32 or 64 bits with a sign."""
    array = np.asarray(array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be integers in one dimension, got {array.dtype} of shape "
            f"{array.shape}"
        )
    return array if array.dtype in (np.int32, np.int64) else array.astype(np.int64)


def _check_range(indices: np.ndarray, size: int, axis: str) -> None:
    if indices.size > 0 and not (indices.min() >= 0 and indices.max() < size):
        extreme = indices.max() if indices.min() >= 0 else indices.min()
        raise ValueError(f"{axis} index {extreme} is not from 0 to {size - 1}")


def _indices_of_coo(matrix: Any) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    return (matrix.row, matrix.col), len(matrix.data)


def _indices_of_dok(matrix: Any) -> tuple[np.ndarray, int]:
    pairs = np.fromiter(chain.from_iterable(matrix.keys()), np.int64)
    return pairs.reshape(matrix.nnz, 2).T, matrix.nnz


def _indices_of_lil(matrix: Any) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    sizes = [[len(items) for items in rows] for rows in (matrix.rows, matrix.data)]
    if sizes[0] != sizes[1] or len(sizes[0]) != matrix.shape[0]:
        raise ValueError("rows and data must be equally long lists, one for each row")
    row = np.repeat(np.arange(len(sizes[0])), sizes[0])
    return (row, np.fromiter(chain.from_iterable(matrix.rows), np.int64)), len(row)


_INDICES = {"coo": _indices_of_coo, "dok": _indices_of_dok, "lil": _indices_of_lil}


def check_indices(
    values: ArrayLike | None, name: str, size: int, counted: str
) -> np.ndarray:
    """Return indices below `size` as an array, all of them for None; or ValueError."""
    indices = np.arange(size) if values is None else array_or_none(values)
    if indices.ndim != 1 or indices.size == 0 or indices.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a list of integers, got {values!r}.")
    if indices.min() < 0 or indices.max() >= size:
        raise ValueError(
            f"{name} must be between 0 and {size - 1}, because there are {size} "
            f"{counted}; got {values!r}."
        )
    return indices


def label_list(value: Any, name: str, counted: str, size: int) -> list[str]:
    """Return names as a list of str; ValueError if there are not `size` of them."""
    names = check_names(value, name, f"the names of the {counted}")
    if len(names) != size:
        raise ValueError(f"{name} has {len(names)} names for {size} {counted}.")
    return names


def check_result(value: Any, name: str, kind: type, source: str) -> None:
    """Raise TypeError if a value is not the result of the function `source`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be the result of {source}, got {value!r}.")


WAY_OUT = (
    "build X with sklearn.feature_extraction.text.CountVectorizer, which counts words "
    "(as HashingVectorizer does with alternate_sign=False and norm=None)"
)
BLOCKS = (
    "blocks of documents: an iterable of such matrices, or the path of a folder with "
    "files of scipy.sparse.save_npz"
)
_TEXTS, _DATES = ("String", "Utf8", "Categorical", "Enum"), ("Date", "Time", "Dur")
# What types of other libraries have, and how to get a matrix from them.
_CONVERSIONS = {
    "X": "pass its counts, adata.X (adata.to_memory().X if it is backed by a file)",
    "to_memory": "pass X.to_memory(), or blocks of documents: (X[i : i + 10_000] for i "
    "in range(0, X.shape[0], 10_000))",
    "toPandas": "pass X.toPandas()",
    "to_pandas": "pass X.to_pandas()",
    "collect": "pass X.collect()",
    "compute": "pass X.compute(), or fit an estimator of sklda.dask on a cluster",
}


def n_dimensions(X: Any) -> int | None:
    """Return the number of dimensions of an array or a frame; None for all others."""
    shape = getattr(X, "shape", None)
    return len(shape) if isinstance(shape, tuple) else None


def check_is_matrix(block: Any, name: str) -> None:
    """Raise ValueError unless a block of documents has two dimensions."""
    if n_dimensions(block) != 2:
        refuse_no_matrix(block, name)
        raise ValueError(
            f"{name} is of type {type(block).__name__}, no matrix of counts "
            "(documents x words)."
        )


def refuse_no_matrix(X: Any, name: str = "X") -> None:
    """Raise ValueError if X is no matrix of counts; say how to get one.

    scikit-learn checks what arrays contain.
    """
    found = _texts(X) or _table(X) or _object(X)
    if found is not None:
        raise ValueError(
            f"{name} must be a matrix of counts (documents x words), but it {found}."
        )


def _texts(X: Any) -> str | None:
    """Return how to count the words if X contains texts or lists of words."""
    document = X
    is_row = n_dimensions(X) == 1 and not sparse.issparse(X)
    if is_row or isinstance(X, list | tuple):
        texts = (str, list, tuple)
        document = next((d for d in X if not isinstance(d, texts) or d), None)
    item = document[0] if isinstance(document, list | tuple) else None
    if isinstance(document, str):
        return (
            f"contains texts: {WAY_OUT}, as in CountVectorizer().fit_transform(texts); "
            "for new texts, use vectorizer.transform(texts) of the same vectorizer"
        )
    if isinstance(item, str):
        return f"contains lists of words: {WAY_OUT}, with analyzer=list"
    if isinstance(item, tuple):
        return (
            "contains lists of pairs: convert it with gensim.matutils.corpus2csc(X).T"
        )
    if sparse.issparse(document) and document is not X:
        return "contains sparse rows: stack them with scipy.sparse.vstack(X)"
    return None


def _table(X: Any) -> str | None:
    """Return what to count if X is a data frame with texts or dates."""
    if n_dimensions(X) != 2 or not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return None
    texts, dates = [], []
    for j, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        kind = getattr(dtype, "kind", str(dtype))  # polars has no kinds
        if kind in ("m", "M") or kind.startswith(_DATES):
            dates.append(str(name))
        elif kind.startswith(_TEXTS) or (
            kind in ("O", "U")
            and isinstance(next(iter(X.iloc[:, j].dropna()), None), str)
        ):
            texts.append(str(name))
    if not texts and not dates:
        return None
    return (
        f"is a table with other columns: {', '.join(map(repr, texts + dates))}. Count "
        "words of its column of texts alone, as in "
        f"CountVectorizer().fit_transform(X[{(texts or ['text'])[0]!r}]); "
        "sklearn.compose.ColumnTransformer joins the topics with other columns"
    )


def _object(X: Any) -> str | None:
    """Return how to get an array from X if it is no array."""
    items = isinstance(X, list | tuple)
    kind = type(X[0] if items and len(X) > 0 else X)
    for attribute, way in _CONVERSIONS.items():
        if hasattr(kind, attribute) and not hasattr(kind, "__array__"):
            return f"{'has items' if items else 'is'} of type {kind.__name__}: {way}"
    if items and len({np.size(row) for row in X}) > 1:
        return "contains rows of different lengths: each row needs a count of each word"
    is_array = hasattr(X, "__array__") and n_dimensions(X) != 0
    if items or is_array or sparse.issparse(X):
        return None
    kinds = f"an array, a data frame, a SciPy sparse matrix, or {BLOCKS}"
    return f"is of type {kind.__name__}: pass {kinds}"
