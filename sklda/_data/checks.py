"""Checks of X, of other arrays and matrices, and of lists of names.

`check_counted` refuses an X of texts, or that is not an array. `check_matrix` checks a
matrix: `check_structure` the arrays of a sparse one, scikit-learn what it contains. The
other functions check parameters, each one kind of them.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from operator import mod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils import check_array

_MAX_SHOWN = 3  # names in a message
COUNT_WORDS = (
    "build X with sklearn.feature_extraction.text.CountVectorizer, which counts words "
    "(as HashingVectorizer does with alternate_sign=False and norm=None)"
)
BLOCKS = (
    "blocks of documents: an iterable of such matrices, or the path of a folder with "
    "files of scipy.sparse.save_npz"
)
RAW_COUNTS = (
    'For single cells, pass raw counts, such as adata.layers["counts"]; read a backed '
    "AnnData by adata.to_memory() first"
)
_WAYS_OUT = {  # advice to add to errors of scikit-learn about X
    "contains NaN": "A word that does not occur in a document has the count 0: for a "
    "table, use X.fillna(0).",
    "features as input": "The columns must be the same words in the same order: count "
    "them with the vectorizer of fit, as in vectorizer.transform(texts).",
    "string": f"X must be a matrix of counts: {COUNT_WORDS}. Of a table, pass the "
    "columns of counts alone, or count the column of texts alone.",
    "DateTime64": "X must be a matrix of counts: leave out columns of dates.",
    "inhomogeneous": "Each row needs a count of each word.",
}


def n_dimensions(X: Any) -> int | None:
    """Return the number of dimensions of an array or a frame; None for all others."""
    shape = getattr(X, "shape", None)
    return len(shape) if isinstance(shape, tuple) else None


def column_names(X: Any) -> list[str]:
    """Return the names of the columns of a frame if they are strings; else none."""
    names = list(getattr(X, "columns", ()))
    return names if all(isinstance(name, str) for name in names) else []


def check_counted(X: Any, name: str = "X") -> None:
    """Raise ValueError if X contains words that are not counted, or is not an array.

    `check_matrix` checks what arrays contain.
    """
    is_list = isinstance(X, list | tuple)
    is_column = n_dimensions(X) == 1 and not sparse.issparse(X)
    documents = X if is_list or is_column else []
    texts = (str, list, tuple)
    document = next((d for d in documents if not isinstance(d, texts) or d), X)
    if isinstance(document, str):
        problem = (
            f"contains texts: {COUNT_WORDS}, as in "
            "CountVectorizer().fit_transform(texts); for new texts, use "
            "vectorizer.transform(texts) of the same vectorizer"
        )
    elif isinstance(document, list | tuple) and isinstance([*document, 0][0], str):
        problem = f"contains lists of words: {COUNT_WORDS}, with analyzer=list"
    elif is_list or hasattr(X, "__array__") or sparse.issparse(X):
        return
    else:
        kinds = f"an array, a data frame, a SciPy sparse matrix, or {BLOCKS}"
        problem = f"is of type {type(X).__name__}: pass {kinds}"
        if type(X).__module__.startswith("anndata"):
            problem += f". {RAW_COUNTS}"
    raise ValueError(
        f"{name} must be a matrix of counts (documents x words), but it {problem}."
    )


def check_matrix(
    value: Any, name: str, validate: Callable[..., Any] | None = None, **options: Any
) -> Any:
    """Return what scikit-learn makes of a matrix of numbers, or raise an error.

    `validate` takes the place of `check_array`; `options` are those of either.
    """
    value = _native(check_structure(value, name))
    try:
        if validate is None:
            matrix = check_array(value, input_name=name, **options)
        else:
            matrix = validate(value, **options)
        if matrix.dtype == object:  # scikit-learn does not convert a list of arrays
            matrix = check_array(matrix, dtype=np.float64, input_name=name)
    except (OverflowError, TypeError, ValueError) as error:
        message = str(error)
        for words, way_out in _WAYS_OUT.items() if validate is not None else ():
            if words in message:
                first_line = message.partition("\n")[0]
                message = f"{first_line.removesuffix('.'):.200}. {way_out}"
        if name not in message:
            message = f"{name} must be a matrix of numbers: {message}"
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(message) from error
    return _native(matrix)


def _native(array: Any) -> Any:
    """Return an array in the byte order of the machine, the only one for SciPy."""
    dtype = getattr(array, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.isnative:
        return array
    return array.astype(dtype.newbyteorder("="))


def check_structure(matrix: Any, name: str) -> Any:
    """Return a matrix that SciPy can use, a sparse one as CSR: call this first.

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
        return _checked_csr(matrix)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"{name} is not a valid sparse matrix: {error}.") from error


def _checked_csr(matrix: Any) -> Any:
    """Return a sparse matrix as CSR; SciPy's constructors check COO, DIA and DOK."""
    if matrix.dtype.kind not in "biufcO" or matrix.ndim != 2:
        raise ValueError(
            f"it must contain numbers in 2 dimensions, got {matrix.dtype} in "
            f"{matrix.ndim}"
        )
    if matrix.format == "coo":
        index = _signed(matrix.row), _signed(matrix.col)
        matrix = sparse.coo_array((_native(matrix.data), index), shape=matrix.shape)
    elif matrix.format == "dia":
        diagonals = _native(matrix.data), _signed(matrix.offsets)
        matrix = sparse.dia_array(diagonals, shape=matrix.shape)
    elif matrix.format == "lil":
        sizes = [[len(row) for row in rows] for rows in (matrix.rows, matrix.data)]
        if sizes[0] != sizes[1] or len(sizes[0]) != matrix.shape[0]:
            raise ValueError("rows and data must have one list for each row, as long")
    if matrix.format in ("bsr", "csc", "csr"):
        matrix = copy(matrix)
        matrix.indices, matrix.indptr = _signed(matrix.indices), _signed(matrix.indptr)
        # SciPy computes differences, which can overflow, and none without cells.
        if (matrix.indptr[1:] < matrix.indptr[:-1]).any():
            raise ValueError("indptr must never decrease")
        if matrix.format == "bsr" and any(map(mod, matrix.shape, matrix.blocksize)):
            raise ValueError(f"{matrix.shape} is not a multiple of {matrix.blocksize}")
    else:
        matrix = matrix.tocsr()
    matrix.check_format(full_check=True)
    return matrix.tocsr()


def _signed(index: np.ndarray) -> np.ndarray:
    """Return indices in 32 or 64 bits with a sign; those that overflow are negative."""
    if index.dtype.kind not in "iu":
        raise TypeError(f"its indices must be integers, not {index.dtype}")
    return index if index.dtype in (np.int32, np.int64) else index.astype(np.int64)


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
        raise ValueError(f"{name} has {len(names)} entries for {size} {counted}.")
    return names


def check_result(value: Any, name: str, kind: type, source: str) -> None:
    """Raise TypeError if a value is not the result of the function `source`."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be the result of {source}, got {value!r}.")
