"""Reader of corpora in the format of Blei's LDA-C."""

from __future__ import annotations

import os
import re
from array import array
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from sklda._base.parameters import PATH, validates
from sklda._base.sklearn_private import Interval
from sklda._core.types import PathLike
from sklda.datasets._text_files import (
    MAX_COUNT,
    as_bunch,
    format_error,
    open_bytes,
    parse_lines,
    read_lines,
    read_vocabulary,
)

# 18 digits always fit int64. Possessive quantifiers avoid futile backtracking.
_DOCUMENT = re.compile(rb"[ \t]*+\d{1,18}+(?:[ \t]++\d{1,18}+:\d{1,18}+)*+\s*+")
_EXPECTED = "'M id:count id:count ...'"

_MAX_WORDS = 2**31 - 1  # more would need wider ids in scipy.sparse


@validates(
    path=PATH,
    n_features=[None, Interval(Integral, 1, _MAX_WORDS, closed="both")],
    vocab_path=[None, *PATH],
)
def load_ldac(
    path: PathLike, *, n_features: int | None = None, vocab_path: PathLike | None = None
) -> Bunch:
    r"""Load a corpus from a file in LDA-C format.

    The format is a text file, plain or gzip, with a line ``M id:count id:count ...``
    per document: the number of its distinct words, then the id and the count of each.
    Ids start at 0. An empty document is the line ``0``.

    Parameters
    ----------
    path : str or path-like
        File with the documents.
    n_features : int, default=None
        Number of words in the vocabulary V, from 1 to 2**31 - 1. By default, it is the
        number of words in `vocab_path` or, without that, the largest id plus one. In
        the latter case, two files with the same vocabulary may yield different widths.
    vocab_path : str or path-like, default=None
        File with one word per line in the order of the ids, in UTF-8, plain or gzip.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        - data : csr_matrix of shape (n_samples, n_features) of int64, the counts in
          canonical format.
        - feature_names : ndarray of shape (n_features,) of object, the words; None
          without `vocab_path`.
        - DESCR : str, description of the corpus with its sizes.

    Raises
    ------
    ValueError
        If a file violates the format; the message names the file and, if possible, the
        line. Counts must be from 1 to 2**31 - 1, ids less than V, M equal to the number
        of pairs on its line, and lines shorter than 16 MiB. Also if `n_features` is out
        of range, or differs from the number of words in `vocab_path`.
    TypeError
        If a path is neither a str nor path-like.
    OSError
        If a file cannot be opened.

    See Also
    --------
    load_uci_bow : Load a corpus in the format of the UCI repository.
    sklearn.datasets.load_svmlight_file : Load a similar format with labels.

    Notes
    -----
    Counts of a word that occurs several times in a line are added up. Memory is about
    13 bytes per pair and 12 per document. One core reads a few million pairs per
    second. A byte order mark is skipped.

    References
    ----------
    .. [1] Blei, D. M., Ng, A. Y., Jordan, M. I. (2003). Latent Dirichlet
       Allocation. Journal of Machine Learning Research 3, 993-1022.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklda.datasets import load_ldac
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "corpus.ldac")
    ...     _ = path.write_text("2 0:2 3:1\n0\n1 1:5\n")
    ...     corpus = load_ldac(path)
    >>> corpus.data.toarray()
    array([[2, 0, 0, 1],
           [0, 0, 0, 0],
           [0, 5, 0, 0]])
    """
    words = None if vocab_path is None else read_vocabulary(vocab_path, n_features)
    X = _read_documents(path, n_features if words is None else words.size)
    return as_bunch(X, words, "A corpus in the format of LDA-C, read from a file.")


def _read_documents(path: PathLike, n_features: int | None) -> sparse.csr_matrix:
    """Read the counts of a file as a canonical CSR matrix of int64."""
    words, counts, starts = array("i"), array("q"), array("q", [0])
    with open_bytes(path) as stream:
        for number, line in read_lines(stream, path):
            hint = "" if line.strip() else " Write an empty document as 0."
            values = parse_lines(line, _DOCUMENT, _EXPECTED, path, number, hint)
            problem = _problem(values, n_features)
            if problem:
                raise format_error(path, number, problem)
            words.frombytes(values[1::2].astype(np.int32).tobytes())
            counts.frombytes(values[2::2].tobytes())
            starts.append(len(words))
    n_samples = len(starts) - 1
    if n_samples == 0:
        raise ValueError(f"{os.fspath(path)} is empty: it contains no document.")
    word, count = np.frombuffer(words, np.int32), np.frombuffer(counts, np.int64)
    if n_features is None:
        n_features = int(word.max(initial=-1)) + 1
    arrays = (count, word, np.frombuffer(starts, np.int64))
    X = sparse.csr_matrix(arrays, shape=(n_samples, n_features))
    X.sum_duplicates()
    return X


def _problem(values: np.ndarray, n_features: int | None) -> str | None:
    """Return what is wrong with the numbers of a document, if anything is."""
    n_pairs, word, count = values[0], values[1::2], values[2::2]
    # scipy.sparse would fail later, with a less clear message, on ids beyond int32.
    upper = _MAX_WORDS if n_features is None else n_features
    if n_pairs != word.size:
        return f"M is {n_pairs}, but {word.size} pairs follow."
    if (count < 1).any():
        return f"word {word[count.argmin()]} has count 0; omit it."
    if (count > MAX_COUNT).any():
        highest = f"word {word[count.argmax()]} has count {count.max()}"
        return f"{highest}; at most {MAX_COUNT} is valid."
    if (word >= upper).any():
        return (
            f"word id {word.max()} is out of range: ids run from 0 to {upper - 1}. "
            "If the ids start at 1, subtract 1 from each."
        )
    return None
