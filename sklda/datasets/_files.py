"""Corpora in files: of the package, of the UCI repository, in its format or LDA-C's.

First the public functions; then the download; last the readers, all of which open files
with `_opened`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import os
import re
import zlib
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from itertools import islice
from numbers import Integral
from pathlib import Path
from typing import Literal

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from sklda._data.notices import import_extra
from sklda._data.sklearn_private import Interval, StrOptions
from sklda._data.types import PathLike
from sklda._sampling.parameters import NATURAL_NUMBER, PATH, validates

_BASE_URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/bag-of-words/"
_TITLES = {
    "kos": "KOS blog entries",
    "nips": "NIPS full papers",
    "enron": "Enron e-mails",
    "nytimes": "New York Times news articles",
    "pubmed": "PubMed abstracts",
}
_UCI_DESCR = """\
{title}
{underline}

A corpus of the data set "Bag of Words" in the UCI Machine Learning Repository, without
labels, stop words, rare words and the order of the words in a document.

Newman, D. (2008). Bag of Words. UCI Machine Learning Repository.
https://doi.org/10.24432/C5ZG6P
"""
_BLOCK_BYTES = 1 << 18
_MAX_INT32 = 2**31 - 1  # of ids and counts: sums of counts then fit 64 bits
# Empty documents take memory, too: a small file must not demand a large amount.
_MAX_EMPTY, _MAX_EMPTY_PER_ROW = 10**6, 100
# 18 digits always fit int64. Possessive quantifiers avoid futile backtracking.
_NUMBER = re.compile(r"\s*+\d{1,18}+\s*+", re.ASCII)
_ROW = re.compile(r"\s*+\d{1,18}+\s++\d{1,18}+\s++\d{1,18}+\s*+", re.ASCII)
_DOCUMENT = re.compile(r"\s*+\d{1,18}+(?:\s++\d{1,18}+:\d{1,18}+)*+\s*+", re.ASCII)


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
    Rows may be in any order; counts of the same pair are added up. Memory is about 30
    bytes per row during reading and 13 in the result. It depends on the rows in the
    file, not on its header. One core reads about 2 million rows per second. A byte
    order mark is skipped.

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
    X = _read_docword(docword_path)
    words = None if vocab_path is None else _read_words(vocab_path, X.shape[1])
    about = "A corpus in the format of the UCI repository, read from a file."
    return _as_bunch(X, words, about)


@validates(
    path=PATH,
    n_features=[None, Interval(Integral, 1, _MAX_INT32, closed="both")],
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
        line. Counts must be from 1 to 2**31 - 1, ids less than V, and M equal to the
        number of pairs on its line. Also if `n_features` is out of range, or differs
        from the number of words in `vocab_path`.
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
    words = None if vocab_path is None else _read_words(vocab_path, n_features)
    X = _read_documents(path, n_features if words is None else words.size)
    return _as_bunch(X, words, "A corpus in the format of LDA-C, read from a file.")


@validates(
    name=[StrOptions({*_TITLES})],
    data_home=[None, *PATH],
    download_if_missing=["boolean"],
    n_retries=NATURAL_NUMBER,
)
def fetch_uci_bow(
    name: Literal["kos", "nips", "enron", "nytimes", "pubmed"],
    *,
    data_home: PathLike | None = None,
    download_if_missing: bool = True,
    n_retries: int = 3,
) -> Bunch:
    """Load a bag-of-words corpus from the UCI repository; download it if necessary.

    Sizes of the corpora; a row is a document-word pair with its count:

    =============  =========  =======  ===========
    `name`         documents    words         rows
    =============  =========  =======  ===========
    ``"kos"``          3,430    6,906      353,160
    ``"nips"``         1,500   12,419      746,316
    ``"enron"``       39,861   28,102    3,710,420
    ``"nytimes"``    300,000  102,660   69,679,427
    ``"pubmed"``   8,200,000  141,043  483,450,157
    =============  =========  =======  ===========

    Parameters
    ----------
    name : {"kos", "nips", "enron", "nytimes", "pubmed"}
        Name of the corpus.
    data_home : str or path-like, default=None
        Folder of the two files ``docword.NAME.txt.gz`` and ``vocab.NAME.txt``; ``~``
        is the home folder of the user. The default is the subfolder ``uci_bow`` of
        scikit-learn's data folder, see :func:`sklearn.datasets.get_data_home`.
    download_if_missing : bool, default=True
        If False, raise OSError instead of downloading a missing file.
    n_retries : int, default=3
        Number of times that a download is repeated after a network error, at least 0.

    Returns
    -------
    corpus : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        - data : csr_matrix of shape (n_samples, n_features) of int64, the counts in
          canonical format. Empty documents and words that never occur are kept.
        - feature_names : ndarray of shape (n_features,) of object, the words.
        - DESCR : str, description of the corpus with its sizes.

    Raises
    ------
    ValueError
        If a parameter other than `data_home` is out of range.
    TypeError
        If `data_home` is neither a str nor path-like.
    ImportError
        If a file is missing and pooch, which downloads it, is not installed.
    OSError
        If a file is missing and cannot be downloaded or written, or is broken: it
        violates the format. Delete a broken file, and the next call downloads it.

    See Also
    --------
    load_uci_bow : Load your own files in this format.

    Notes
    -----
    An interrupted download leaves nothing behind, and several processes may download
    the same corpus. The format of the files is checked on each call. Memory and speed
    are those of :func:`load_uci_bow`: up to 15 GB for ``"pubmed"``.

    References
    ----------
    .. [1] Newman, D. (2008). Bag of Words. UCI Machine Learning Repository.
       https://doi.org/10.24432/C5ZG6P

    Examples
    --------
    >>> from sklda.datasets import fetch_uci_bow
    >>> corpus = fetch_uci_bow("kos")  # doctest: +SKIP
    >>> corpus.data.shape  # doctest: +SKIP
    (3430, 6906)
    """
    if data_home is None:
        # Imported here: sklearn.datasets takes 6 MB of memory that few programs need.
        from sklearn.datasets import get_data_home

        data_home = Path(get_data_home(), "uci_bow")
    folder = Path(os.path.expanduser(data_home))
    paths = [folder / f"docword.{name}.txt.gz", folder / f"vocab.{name}.txt"]
    for path in paths:
        if not path.exists() and not download_if_missing:
            raise FileNotFoundError(
                f"{path} not found, and download_if_missing is False. Allow the "
                "download, or put the file there yourself; its address is "
                f"{_BASE_URL}{path.name}"
            )
        if not path.exists():
            _download(path, n_retries)
    try:
        corpus = load_uci_bow(*paths)
    except ValueError as error:
        raise OSError(
            f"{error} Delete this file, and call fetch_uci_bow with "
            "download_if_missing=True to download it."
        ) from error
    title = _TITLES[name]
    text = _UCI_DESCR.format(title=title, underline="-" * len(title))
    return _as_bunch(corpus.data, corpus.feature_names, text)


def load_state_of_the_union() -> Bunch:
    """Load passages of all State of the Union addresses from 1790 to 2019.

    The corpus has 2,868 English passages with year, president and party: twelve from
    each address. It is part of the package and in the public domain.

    Returns
    -------
    dataset : :class:`~sklearn.utils.Bunch`
        Dictionary-like object with the attributes

        - data : list of str of length 2868, passages of 300 to 1,500 characters, in the
          order of the addresses.
        - year : ndarray of shape (2868,) of int64, the year of the address. 1933
          and 1973 have none, eleven years have two.
        - president : list of str of length 2868, such as ``"Abraham Lincoln"``.
        - target : ndarray of shape (2868,) of int64, the party of the president as an
          index into `target_names`.
        - target_names : list of str, the six parties in alphabetical order;
          ``"Nonpartisan"`` is George Washington.
        - DESCR : str, description of the corpus.

    See Also
    --------
    fetch_uci_bow : Download larger corpora of word counts, without labels.
    sklearn.datasets.fetch_20newsgroups : Download labelled text.

    Notes
    -----
    Cost: less than 0.1 s and about 8 MB of memory.

    Examples
    --------
    >>> from sklda.datasets import load_state_of_the_union
    >>> corpus = load_state_of_the_union()
    >>> print(corpus.year[1966], corpus.president[1966], corpus.data[1966][:46])
    1952 Harry S Truman This demonstration of the way free men govern
    """
    folder = files("sklda.datasets") / "data"
    compressed = (folder / "state_of_the_union.tsv.bz2").read_bytes()
    _, *lines = bz2.decompress(compressed).decode("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    years, presidents, parties, texts = map(list, zip(*rows, strict=True))
    target_names, target = np.unique(parties, return_inverse=True)
    return Bunch(
        data=texts,
        year=np.array(years, dtype=np.int64),
        president=presidents,
        target=target,
        target_names=target_names.tolist(),
        DESCR=(folder / "README.rst").read_text("utf-8"),
    )


def _download(path: Path, n_retries: int) -> None:
    """Download the file of this name to `path`; OSError if all attempts fail."""
    caller = f"To download {path.name}, fetch_uci_bow"
    pooch = import_extra("pooch", "datasets", caller)
    options = {"registry": {path.name: None}, "retry_if_failed": n_retries}
    try:
        pooch.create(path.parent, _BASE_URL, **options).fetch(path.name)
    except OSError as error:  # those of requests are, too
        raise OSError(
            f"{_BASE_URL}{path.name} could not be downloaded to {path.parent} "
            f"({error!r}). Try again later, free some space, or obtain the "
            "file in a different way and pass its folder as data_home."
        ) from error


@contextmanager
def _opened(path: PathLike) -> Iterator[io.TextIOWrapper]:
    """Open a plain or gzip file in UTF-8 behind its byte order mark.

    Raises ValueError with the name of the file if it is damaged, or not in UTF-8.
    """
    with open(path, "rb") as raw:
        is_gzip = raw.peek(2).startswith(b"\x1f\x8b")
        stream = gzip.GzipFile(fileobj=raw) if is_gzip else raw
        try:
            yield io.TextIOWrapper(stream, "utf-8-sig")
        except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"{os.fspath(path)} must be a whole file in UTF-8, plain or gzip: "
                f"convert or replace it ({error})."
            ) from error


def _line_error(path: PathLike, number: int, problem: str) -> ValueError:
    """Return the error for a line of a file that violates the format."""
    return ValueError(f"{os.fspath(path)}, line {number}: {problem}")


def _integers(
    lines: list[str], form: re.Pattern, expected: str, path: PathLike, first: int
) -> np.ndarray:
    """Return the integers of lines, the first of which has this number in the file."""
    for number, line in enumerate(lines, first):
        if not form.fullmatch(line):
            problem = f"expected {expected}, found {line[:60].rstrip()!r}."
            raise _line_error(path, number, problem)
    text = "".join(lines).replace(":", " ")
    return np.fromstring(text, dtype=np.int64, sep=" ")


def _as_numpy(numbers: array) -> np.ndarray:
    return np.frombuffer(numbers, f"i{numbers.itemsize}")


def _read_docword(path: PathLike) -> sparse.csr_matrix:
    """Read a docword file as a canonical CSR matrix of int64."""
    # They grow with the rows in the file, because the header may state any number.
    columns, number = (array("i"), array("i"), array("q")), 4
    with _opened(path) as stream:
        lines = [stream.readline() for _ in range(3)]
        expected = "the number of documents, of words or of rows"
        n_docs, n_words, n_rows = _integers(lines, _NUMBER, expected, path, 1).tolist()
        most = min(_MAX_EMPTY + _MAX_EMPTY_PER_ROW * n_rows, _MAX_INT32)
        for line, n, upper in ((1, n_docs, most), (2, n_words, _MAX_INT32)):
            if not 1 <= n <= upper:
                problem = f"{n} is not between 1 and {upper} (there are {n_rows} rows)."
                raise _line_error(path, line, problem)
        while lines := stream.readlines(_BLOCK_BYTES):
            rows = _integers(lines, _ROW, "'document word count'", path, number)
            rows = rows.reshape(-1, 3)
            is_bad = (rows < 1) | (rows > [n_docs, n_words, _MAX_INT32])
            if is_bad.any():
                first = int(is_bad.any(axis=1).argmax())
                problem = (
                    f"document, word and count {rows[first].tolist()} are out of "
                    f"range: ids run from 1 to {n_docs} and {n_words}, counts to "
                    f"{_MAX_INT32}."
                )
                raise _line_error(path, number + first, problem)
            number += len(rows)
            if number > n_rows + 4:
                problem = f"the header states only {n_rows} rows."
                raise _line_error(path, n_rows + 4, problem)
            for column, values in zip(columns, (rows - [1, 1, 0]).T, strict=True):
                column.frombytes(values.astype(column.typecode).tobytes())
    if number < n_rows + 4:
        raise ValueError(
            f"{os.fspath(path)} ends after {number - 4} rows but its header states "
            f"{n_rows}: the file is truncated or its header is wrong."
        )
    doc, word, count = map(_as_numpy, columns)
    return sparse.coo_matrix((count, (doc, word)), shape=(n_docs, n_words)).tocsr()


def _read_documents(path: PathLike, n_features: int | None) -> sparse.csr_matrix:
    """Read a file in LDA-C format as a canonical CSR matrix of int64."""
    words, counts, starts = array("i"), array("q"), array("q", [0])
    upper = _MAX_INT32 if n_features is None else n_features
    expected = "'M id:count id:count ...' (0 for an empty document)"
    with _opened(path) as stream:
        for number, line in enumerate(stream, 1):
            n_pairs, *_ = values = _integers([line], _DOCUMENT, expected, path, number)
            word, count = values[1::2], values[2::2]
            if n_pairs != word.size:
                problem = f"M is {n_pairs}, but {word.size} pairs id:count follow."
                raise _line_error(path, number, problem)
            is_bad = (word >= upper) | (count < 1) | (count > _MAX_INT32)
            if is_bad.any():
                problem = (
                    f"word id {word[is_bad][0]} or its count {count[is_bad][0]} is out "
                    f"of range: ids run from 0 to {upper - 1}, counts from 1 to "
                    f"{_MAX_INT32}."
                )
                raise _line_error(path, number, problem)
            words.frombytes(word.astype(np.int32).tobytes())
            counts.frombytes(count.tobytes())
            starts.append(len(words))
    if len(starts) == 1:
        raise ValueError(f"{os.fspath(path)} is empty: it contains no document.")
    n_features = 1 + max(words, default=-1) if n_features is None else n_features
    arrays = tuple(map(_as_numpy, (counts, words, starts)))
    X = sparse.csr_matrix(arrays, shape=(len(starts) - 1, n_features))
    X.sum_duplicates()
    return X


def _read_words(path: PathLike, n_features: int | None) -> np.ndarray:
    """Read a file with one word per line, of `n_features` words if that is given."""
    # A small gzip file may hold millions of words more than the corpus has.
    n_lines = None if n_features is None else n_features + 1
    with _opened(path) as stream:
        words = [line.strip() for line in islice(stream, n_lines)]
    if "" in words:
        problem = "expected a word, found a blank line."
        raise _line_error(path, 1 + words.index(""), problem)
    if n_features is not None and len(words) != n_features:
        n_words = len(words) if len(words) < n_features else f"more than {n_features}"
        raise ValueError(
            f"{os.fspath(path)} contains {n_words} words, one per line, but the corpus "
            f"has n_features={n_features}. Pass the vocabulary of this corpus."
        )
    return np.array(words, dtype=object)


def _as_bunch(X: sparse.csr_matrix, words: np.ndarray | None, about: str) -> Bunch:
    """Return a corpus with its description, to which a table of its sizes is added."""
    sizes = {
        "Documents": X.shape[0],
        "Words in the vocabulary": X.shape[1],
        "Document-word pairs": X.nnz,
        "Tokens": int(X.data.sum()),
    }
    rows = [f"{name:<24}{size:>14,}" for name, size in sizes.items()]
    description = "\n".join([about.rstrip(), "", *rows, ""])
    return Bunch(data=X, feature_names=words, DESCR=description)
