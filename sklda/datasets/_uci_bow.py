"""Reader of the bag-of-words format of the UCI Machine Learning Repository."""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from sklda._base.parameters import PATH, validates
from sklda._core.types import PathLike
from sklda.datasets._text_files import (
    MAX_COUNT,
    ByteStream,
    as_bunch,
    format_error,
    open_bytes,
    parse_lines,
    read_vocabulary,
)

_BLOCK_BYTES = 1 << 18

# 18 digits always fit int64. Possessive quantifiers (++, *+, {1,18}+) keep no state to
# backtrack to, so matching a block takes no extra memory.
_HEADER = re.compile(rb"[ \t]*+\d{1,18}+\s*+")
_ROWS = re.compile(
    rb"(?:[ \t]*+\d{1,18}+[ \t]++\d{1,18}+[ \t]++\d{1,18}+[ \t]*+\r?+\n)*+"
)

_MAX_ROW_BYTES = 1024

# Empty documents take memory, too: a small file must not demand a large amount.
_MAX_EMPTY, _MAX_EMPTY_PER_ROW = 10**6, 100

_DESCR = "A corpus in the bag-of-words format of the UCI repository, read from a file."


@validates(docword_path=PATH, vocab_path=[None, *PATH])
def load_uci_bow(docword_path: PathLike, vocab_path: PathLike | None = None) -> Bunch:
    r"""Load a corpus from files in the UCI bag-of-words format.

    The format is a text file, plain or gzip. Its first three lines are the numbers of
    documents D, of words V and of rows. They are followed by one row ``document word
    count`` for each document-word pair that occurs. Ids start at 1.

    Parameters
    ----------
    docword_path : str or path-like
        File with the counts, such as ``docword.kos.txt.gz``.
    vocab_path : str or path-like, default=None
        File with one word per line in the order of the ids, in UTF-8, plain or gzip,
        such as ``vocab.kos.txt``.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        - data : csr_matrix of shape (n_samples, n_features) of int64, the counts in
          canonical format. Empty documents and words that never occur are kept.
        - feature_names : ndarray of shape (n_features,) of object, the words; None
          without `vocab_path`.
        - DESCR : str, description of the corpus with its sizes.

    Raises
    ------
    ValueError
        If a file violates the format; the message names the file and, if possible, the
        line. Counts must be from 1 to 2**31 - 1 and ids in range. The number of rows
        must match the header, and the number of words in `vocab_path` must be V. D may
        be at most a million plus 100 for each row, because empty documents also take
        memory.
    TypeError
        If a path is neither a str nor path-like.
    OSError
        If a file cannot be opened.

    See Also
    --------
    fetch_uci_bow : Download the corpora of the repository.
    load_ldac : Load a corpus in the format of LDA-C.

    Notes
    -----
    Rows may be in any order; counts of the same pair are added up. Memory is about 18
    bytes per row during reading (30 if the documents are not in order) and 13 in the
    result. It depends on the rows in the file, not on its header. One core reads about
    2 million rows per second. A byte order mark is skipped.

    References
    ----------
    .. [1] Newman, D. (2008). Bag of Words. UCI Machine Learning Repository.
       https://doi.org/10.24432/C5ZG6P

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklda.datasets import load_uci_bow
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "docword.txt")
    ...     _ = path.write_text("3\n4\n3\n1 1 2\n1 4 1\n3 2 5\n")
    ...     corpus = load_uci_bow(path)
    >>> corpus.data.toarray()
    array([[2, 0, 0, 1],
           [0, 0, 0, 0],
           [0, 5, 0, 0]])
    """
    X = read_docword(docword_path)
    words = None if vocab_path is None else read_vocabulary(vocab_path, X.shape[1])
    return as_bunch(X, words, _DESCR)


def read_docword(path: PathLike) -> sparse.csr_matrix:
    """Read a docword file as a canonical CSR matrix of int64."""
    # They grow with the rows in the file, because the header may state any number.
    doc, word, count = array("i"), array("i"), array("q")
    with open_bytes(path) as stream:
        n_docs, n_words, n_rows = _read_header(stream, path)
        for rows in _read_rows(stream, path, n_docs, n_words):
            doc.frombytes((rows[:, 0] - 1).astype(np.int32).tobytes())
            word.frombytes((rows[:, 1] - 1).astype(np.int32).tobytes())
            count.frombytes(rows[:, 2].tobytes())
            if len(doc) > n_rows:
                raise format_error(
                    path, n_rows + 4, f"the header states only {n_rows} rows."
                )
    if len(doc) < n_rows:
        raise ValueError(
            f"{os.fspath(path)} ends after {len(doc)} rows but its header states "
            f"{n_rows}: the file is truncated or its header is wrong."
        )
    ids = (np.frombuffer(column, np.int32) for column in (doc, word))
    return _to_csr(*ids, np.frombuffer(count, np.int64), (n_docs, n_words))


def _read_header(stream: ByteStream, path: PathLike) -> list[int]:
    """Return the numbers of documents, words and rows."""
    sizes: list[int] = []
    for number, counted in enumerate(("documents", "words", "rows"), start=1):
        line = stream.readline(_MAX_ROW_BYTES)
        expected = f"the number of {counted}"
        sizes += parse_lines(line, _HEADER, expected, path, number).tolist()
    for number, size in enumerate(sizes[:2], start=1):
        if not 1 <= size < 2**31:
            raise format_error(path, number, f"{size} is not between 1 and 2**31 - 1.")
    if sizes[0] > _MAX_EMPTY + _MAX_EMPTY_PER_ROW * sizes[2]:
        raise format_error(
            path,
            1,
            f"{sizes[0]} documents are too many for {sizes[2]} rows. Correct the "
            "header, or remove empty documents.",
        )
    return sizes


def _read_rows(
    stream: ByteStream, path: PathLike, n_docs: int, n_words: int
) -> Iterator[np.ndarray]:
    """Yield blocks of rows as arrays (n, 3), after checks of format and ranges."""
    line = 4
    upper = np.array([n_docs, n_words, MAX_COUNT])
    while block := stream.read(_BLOCK_BYTES):
        rest = stream.readline(_MAX_ROW_BYTES)
        block += rest
        # A row that is too long gets no newline, and does not match.
        if not block.endswith(b"\n") and len(rest) < _MAX_ROW_BYTES:
            block += b"\n"
        rows = parse_lines(block, _ROWS, "'document word count'", path, line)
        rows = rows.reshape(-1, 3)
        is_bad = ((rows < 1) | (rows > upper)).any(axis=1)
        if is_bad.any():
            first = int(is_bad.argmax())
            raise format_error(
                path,
                line + first,
                f"document, word and count {rows[first].tolist()} are out of range: "
                f"ids run from 1 to {n_docs} and {n_words}, counts to {MAX_COUNT}.",
            )
        yield rows
        line += len(rows)


def _to_csr(
    doc: np.ndarray, word: np.ndarray, count: np.ndarray, shape: tuple[int, int]
) -> sparse.csr_matrix:
    """Return a canonical CSR matrix; duplicates are added up."""
    if (doc[1:] >= doc[:-1]).all():
        # The published files are in this order, which needs no copies of the arrays.
        offset = np.int32 if doc.size < 2**31 else np.int64
        starts = np.searchsorted(doc, np.arange(shape[0] + 1, dtype=np.int32))
        X = sparse.csr_matrix((count, word, starts.astype(offset)), shape=shape)
    else:
        X = sparse.coo_matrix((count, (doc, word)), shape=shape).tocsr()
    X.sum_duplicates()
    return X
