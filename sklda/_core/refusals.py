"""Errors for an X that is no matrix of counts, with the code that makes it one."""

from typing import Any

import numpy as np
from scipy import sparse

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
