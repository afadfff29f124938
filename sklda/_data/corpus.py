"""From X to the arrays that kernels take, and parts of these arrays.

First the named tuples of the arrays. Then blocks of documents: what X is read in
blocks, and the temporary files that hold its cells. Then `check_corpus` and
`check_weights`, which every estimator calls. Last, what selects and splits documents
and cells of a corpus.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from copy import copy, deepcopy
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils.validation import validate_data

from sklda._data.checks import (
    BLOCKS,
    COUNT_WORDS,
    RAW_COUNTS,
    check_counted,
    check_matrix,
    check_structure,
    n_dimensions,
)

MAX_32_BITS = np.iinfo(np.int32).max  # tokens of a document, or of a corpus whose
# tables hold 32-bit integers


class Corpus(NamedTuple):
    """A bag-of-words matrix in CSR order; the tokens of one cell are neighbours."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64; cells of d: doc_ptr[d]:doc_ptr[d + 1]
    word: np.ndarray  # (n_cells,) int32
    token_ptr: np.ndarray  # (n_cells + 1,) int64; differences are the counts

    @property
    def begin(self) -> np.ndarray:
        """Return the first cell of each document, (n_docs,)."""
        return self.doc_ptr[:-1]

    @property
    def end(self) -> np.ndarray:
        """Return the cell after the last of each document, (n_docs,)."""
        return self.doc_ptr[1:]


class Part(NamedTuple):
    """Cells of some documents that a sweep resamples; counts include all cells."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64; cells of d: doc_ptr[d]:doc_ptr[d + 1]
    begin: np.ndarray  # (n_docs,) int64; cells of d in the part: begin[d]:end[d]
    end: np.ndarray  # (n_docs,) int64
    word: np.ndarray  # (n_cells,) int32
    token_ptr: np.ndarray  # (n_cells + 1,) int64
    first: int = 0  # number of the first document


class WeightedCorpus(NamedTuple):
    """A corpus of real weights; kernels skip cells of weight 0."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64
    word: np.ndarray  # (n_cells,) int32
    count: np.ndarray  # (n_cells,) float32


CorpusT = TypeVar("CorpusT", Corpus, Part, WeightedCorpus)

LARGE = 2**27  # cells of a matrix that is read in blocks
BLOCK_CELLS = 2**22  # of each block of a large matrix, about


def read_in_blocks(X: Any) -> Iterator[tuple[str, Any]] | None:
    """Return the blocks of documents of X with their names; None if X is one matrix.

    X is a folder with files of `scipy.sparse.save_npz`, whose names end in .npz, an
    iterable of matrices, or a large CSR matrix, which may be memory-mapped.
    """
    if isinstance(X, str | bytes | os.PathLike):
        return _files(os.fsdecode(X))
    if sparse.issparse(X):
        is_large = X.format == "csr" and len(X.indices) >= LARGE
        return _rows(X) if is_large and X.ndim == 2 else None
    if isinstance(X, list | tuple):
        has_blocks = len(X) > 0 and n_dimensions(X[0]) == 2
    else:
        is_array = hasattr(X, "shape") or hasattr(X, "__array__")
        is_unordered = isinstance(X, Set | Mapping)
        has_blocks = isinstance(X, Iterable) and not is_array and not is_unordered
    return ((f"{i}", block) for i, block in enumerate(X)) if has_blocks else None


def check_repeatable(X: Any, reader: str, name: str = "X") -> None:
    """Raise ValueError if what is read several times can be read only once."""
    if isinstance(X, Iterator):
        raise ValueError(
            f"{name} is a {type(X).__name__}, whose blocks can be read only once, but "
            f"{reader} reads them several times: pass a list of blocks, or a folder of "
            "files of scipy.sparse.save_npz."
        )


def _files(folder):
    if not os.path.isdir(folder):
        raise ValueError(
            f"X is {folder[:200]!r}, which is not a folder. X must be a matrix of "
            "counts (documents x words), such as CountVectorizer creates from texts, "
            f"or {BLOCKS}."
        )
    for path in sorted(Path(folder).glob("[!.]*.npz")):
        try:
            yield f"{path.name!r}", sparse.load_npz(path)
        except Exception as error:  # other kinds of archives raise various errors
            raise ValueError(
                f"The folder X contains {path.name!r}, which scipy.sparse.load_npz "
                f"cannot read ({error}). Move it out of the folder."
            ) from error


def _rows(X):
    X = copy(X)
    X.indptr = np.array(X.indptr)  # other threads may write to that of the caller
    X = check_structure(X, "X")
    cuts = np.arange(BLOCK_CELLS, X.indptr[-1], BLOCK_CELLS)
    cuts = np.unique([0, *np.searchsorted(X.indptr, cuts), X.shape[0]]).tolist()
    for first, last in pairwise(cuts):
        begins = X.indptr[first : last + 1]
        cells = slice(begins[0], begins[-1])
        block = X.data[cells], X.indices[cells], begins - begins[0]
        yield (
            f"{first}:{last}",
            sparse.csr_array(block, shape=(last - first, X.shape[1])),
        )


class ArrayFile:
    """An array that grows in an unnamed temporary file."""

    def __init__(self, dtype: type) -> None:
        self._dtype = np.dtype(dtype)

    def __enter__(self) -> Self:
        with _disk_errors():
            # Without a buffer, whose failures would show later, or never.
            self._file = tempfile.TemporaryFile(buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, numbers: np.ndarray) -> None:
        """Write more numbers; say what to do if the disk is full."""
        rest = np.ascontiguousarray(numbers, self._dtype).view(np.uint8)
        with _disk_errors():
            while rest.size > 0:  # a nearly full disk writes only a part
                rest = rest[self._file.write(rest) :]

    def read(self) -> np.ndarray:
        """Return all numbers as an array that the system reads from the file."""
        if self._file.tell() == 0:  # an empty file cannot be mapped
            return np.zeros(0, self._dtype)
        # Not numpy.memmap: joblib would look for the name of its file.
        return np.frombuffer(mmap.mmap(self._file.fileno(), 0), self._dtype)


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Say what to do if the temporary files do not fit on the disk."""
    try:
        yield
    except OSError as error:
        folder = repr(tempfile.tempdir) if tempfile.tempdir else "any folder"
        raise OSError(
            "The temporary files for X (12 bytes per document-word pair) do not fit in "
            f"{folder} ({error}). Set the environment variable TMPDIR to a folder on "
            "a larger disk, and start Python again."
        ) from error


CHUNK_CELLS = 2**20  # handled at a time, to save memory
MAX_TOKENS = 2**52  # of a corpus; float64 sums of counts stay exact
_ARRAYS = ("data", "indices", "indptr", "offsets", "coords", "row", "col")  # of SciPy
_MAX_WEIGHT = 1e12  # of a corpus; float32 sums and their products stay well in range
MOST_STEPS = 2**29  # of a kernel between two looks for Ctrl-C: about half a second


def check_corpus(estimator, X, *, reset: bool) -> Corpus:
    """Validate a bag-of-words matrix and return it as kernel arrays.

    X has shape (n_documents, n_words) and counts of any real dtype, or is read in
    blocks (`read_in_blocks`); it is not modified. `reset` sets the number and names
    of the words; otherwise they are compared. The corpus takes up to 12 bytes per cell
    and 8 per document, in temporary files if X is read in blocks; it shares no memory
    with X, whose arrays are copied before they are checked.

    Raise ValueError if scikit-learn refuses X, or X has negative values, fractions, or
    documents of more tokens than 32 bits count; OSError if the temporary files do not
    fit on the disk.
    """
    if (blocks := read_in_blocks(X)) is not None:
        parts = map(_to_arrays, _checked(estimator, blocks, reset, whole=True))
        return _joined(Corpus, parts)
    return _to_arrays(_canonical(estimator, X, reset=reset, whole=True))


def check_weights(estimator, X, *, reset: bool, whole: bool) -> WeightedCorpus:
    """Validate a matrix of word weights and return it as kernel arrays.

    X and `reset` are those of `check_corpus`. Fractions are refused only if `whole`.
    """
    if (blocks := read_in_blocks(X)) is not None:
        parts = map(_to_weights, _checked(estimator, blocks, reset, whole))
        return _joined(WeightedCorpus, parts)
    return _to_weights(_canonical(estimator, X, reset=reset, whole=whole))


def _checked(estimator, blocks, reset, whole) -> Iterator[sparse.csr_array]:
    """Yield the blocks that have documents in canonical form; errors name the block."""
    n_documents = 0
    for name, block in blocks:
        try:
            if n_dimensions(block) == 2 and block.shape[0] == 0:
                continue
            first = reset and n_documents == 0
            counts = _canonical(estimator, block, reset=first, whole=whole)
        except (TypeError, ValueError) as error:
            raise ValueError(f"Block {name} of X: {error}") from error
        n_documents += counts.shape[0]
        yield counts
    if n_documents == 0:
        raise ValueError(
            "X contains no documents. A generator can be read only once: pass a new "
            "one, a list of blocks, or a folder."
        )


def _joined(kind: type[CorpusT], parts: Iterator[CorpusT]) -> CorpusT:
    """Return the documents of all parts as a corpus, its cells in temporary files."""
    dtype = np.int64 if kind is Corpus else np.float32
    with ArrayFile(np.int32) as word, ArrayFile(dtype) as count:
        doc_ptr, n_tokens = [np.zeros(1, np.int64)], 0
        for part in parts:
            cell_values = part[2]
            if kind is Corpus:  # token_ptr, which begins with 0
                cell_values = n_tokens + cell_values[len(doc_ptr) > 1 :]
                n_tokens += part[2][-1]
            doc_ptr.append(doc_ptr[-1][-1] + part.doc_ptr[1:])
            word.append(part.word)
            count.append(cell_values)
        return kind(np.concatenate(doc_ptr), word.read(), count.read())


def _canonical(estimator, X, *, reset, whole) -> sparse.csr_array:
    """Return a valid X with sorted cells, duplicates summed, and without zeros."""
    check_counted(X)
    if sparse.issparse(X) and X.format not in ("dok", "lil"):
        # Other threads may write to the arrays of the caller. A deep copy of X itself
        # would hold all cells of an AnnData of which X is a view.
        X = copy(X)
        own = {name: deepcopy(vars(X)[name]) for name in _ARRAYS if name in vars(X)}
        vars(X).update(own)
    validate = partial(validate_data, estimator, reset=reset)
    X = check_matrix(X, "X", validate, accept_sparse="csr", dtype="numeric")
    if X.dtype == np.float16:  # scipy.sparse does not know it
        X = X.astype(np.float64)
    counts = sparse.csr_array(X)
    _check_values(counts.data, type(estimator).__name__, whole)
    _check_total(counts.data, whole)
    _check_words(counts)
    if not counts.has_canonical_format or (counts.data == 0).any():
        # The sum of duplicates may not fit into the type of the caller.
        wide = np.float64 if counts.dtype.kind == "f" else np.int64
        counts.data = counts.data.astype(wide, copy=False)
        counts.sum_duplicates()
        counts.eliminate_zeros()
    return counts


def _check_values(values, name, whole):
    """Refuse values that cannot be counts (or weights); say how to count words."""
    if values.size == 0:
        return
    if values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {name}. X[d, w] is the number of "
            f"times that word w occurs in document d: {COUNT_WORDS}. {RAW_COUNTS}."
        )
    if not whole or values.dtype.kind != "f":
        return
    fractions = values[values != np.floor(values)]
    if fractions.size > 0:
        raise ValueError(
            f"{name} assigns a topic to every token, so X must contain whole numbers, "
            f"but it contains fractions such as {fractions[0]}. Weights such as tf-idf "
            f"are not counts: {COUNT_WORDS}; or use CVBLDA, which accepts real weights "
            f"unless approximation='exact'. {RAW_COUNTS}."
        )


def _check_total(values, whole):
    """Refuse too large a total, before any cast."""
    n_tokens = values.sum(dtype=np.float64)  # cannot overflow
    if n_tokens > _MAX_WEIGHT and not whole:
        raise ValueError(
            f"The weights in X sum to {n_tokens:.4g}, above the limit of "
            f"{_MAX_WEIGHT:.0e}: divide them by a constant."
        )
    if n_tokens > MAX_TOKENS and whole:
        raise ValueError(
            f"X has {n_tokens:.4g} tokens, above the limit of {MAX_TOKENS:.0e}."
        )


def _check_lengths(corpus):
    """Refuse documents of more tokens than 32 bits can count."""
    lengths = document_lengths(corpus)
    if lengths.max(initial=0) > MAX_32_BITS:
        raise ValueError(
            f"Document {lengths.argmax()} of X has {lengths.max():,} tokens, above the "
            f"limit of {MAX_32_BITS:,}: split it into several documents."
        )


def _check_words(counts):
    if counts.shape[1] > MAX_32_BITS:
        raise ValueError(
            f"X has {counts.shape[1]:,} words, above the limit of {MAX_32_BITS:,}. Use "
            "a smaller vocabulary (CountVectorizer(max_features=...))."
        )


def _cells(counts):
    """Return the first cell of each document, and the word of each cell."""
    # Not a memory map.
    word = np.require(counts.indices, np.int32, ["A", "C", "W", "E"])
    return np.array(counts.indptr, np.int64), word


def _to_arrays(counts) -> Corpus:
    """Turn a canonical CSR matrix of whole numbers into a Corpus."""
    token_ptr = np.zeros(counts.nnz + 1, np.int64)
    token_ptr[1:] = counts.data
    np.cumsum(token_ptr, out=token_ptr)  # in place, since it is large
    corpus = Corpus(*_cells(counts), token_ptr)
    _check_lengths(corpus)
    return corpus


def _to_weights(matrix) -> WeightedCorpus:
    """Turn a canonical CSR matrix into a WeightedCorpus."""
    return WeightedCorpus(*_cells(matrix), np.array(matrix.data, np.float32))


def split_cells(corpus: Corpus, most: int | np.ndarray) -> Corpus:
    """Split cells of more than `most` tokens, one number or one for each cell.

    The pieces are neighbours, and the tokens stay in their order.
    """
    most = np.minimum(most, MAX_32_BITS)  # all that follows fits into 64 bits
    n_pieces = -(-np.diff(corpus.token_ptr) // most)
    piece_ptr = starts(n_pieces)
    # The first token of piece i of a cell is i * most tokens after that of the cell.
    first_token = corpus.token_ptr[:-1] - most * piece_ptr[:-1]
    step = np.repeat(np.broadcast_to(most, n_pieces.shape), n_pieces)
    token_ptr = np.repeat(first_token, n_pieces) + step * np.arange(piece_ptr[-1])
    return Corpus(
        doc_ptr=piece_ptr[corpus.doc_ptr],
        word=np.repeat(corpus.word, n_pieces),
        token_ptr=np.append(token_ptr, corpus.token_ptr[-1]),
    )


def split_weights(corpus: WeightedCorpus) -> WeightedCorpus:
    """Split cells of whole weights into cells of one token."""
    cell_ptr = starts(corpus.count)
    word = np.repeat(corpus.word, np.diff(cell_ptr))
    count = np.ones(word.size, np.float32)
    return WeightedCorpus(cell_ptr[corpus.doc_ptr], word, count)


def ranges(weight_before, n: int) -> Iterator[tuple[int, int]]:
    """Split items into n ranges of about equal weight; fewer if there are few items.

    ``weight_before[i]`` is the weight of the items before item i; the last entry, that
    of all. Yields first and end of each range; none is empty.
    """
    marks = cutting_marks(weight_before[-1], weight_before.size - 1, n)
    cuts = [0, *np.searchsorted(weight_before, marks).tolist(), weight_before.size - 1]
    return ((first, last) for first, last in pairwise(cuts) if first < last)


def cutting_marks(weight, n_items: int, n: int) -> np.ndarray:
    """Return the summed weights at which to cut items into n ranges, or fewer."""
    return np.linspace(0, weight, min(n, n_items + 1) + 1)[1:-1]


def kernel_ranges(weight_before, n_steps: int) -> Iterator[tuple[int, int]]:
    """Split documents into ranges of up to `MOST_STEPS` steps, `n_steps` per weight.

    Ctrl-C waits until a kernel returns, so each call should be short.
    """
    weight_before = weight_before - weight_before[0]
    return ranges(weight_before, 1 + int(weight_before[-1]) * n_steps // MOST_STEPS)


def some_documents(corpus: CorpusT, first: int, last: int) -> CorpusT:
    """Return the documents from `first` to before `last`; cells keep their numbers."""
    return corpus._replace(doc_ptr=corpus.doc_ptr[first : last + 1])


def part_of(corpus: Corpus | Part, first: int, last: int) -> Part:
    """Return the documents from `first` to before `last` as a part."""
    return Part(
        doc_ptr=corpus.doc_ptr[first : last + 1],
        begin=corpus.begin[first:last],
        end=corpus.end[first:last],
        word=corpus.word,
        token_ptr=corpus.token_ptr,
        first=first + getattr(corpus, "first", 0),
    )


def kernel_parts(corpus: Corpus | Part, n_steps: int) -> Iterator[Part]:
    """Yield parts of the documents, each of which takes a kernel a short time."""
    for documents in kernel_ranges(tokens_before(corpus), n_steps):
        yield part_of(corpus, *documents)


def cells_of(corpus: Corpus | Part) -> np.ndarray:
    """Return the numbers of the cells in a part, (n_cells_in_part,) int64."""
    return numbers_of_ranges(corpus.begin, corpus.end - corpus.begin)


def numbers_of_ranges(first, sizes):
    """Return the numbers of all ranges: ``sizes[i]`` numbers from ``first[i]`` on."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(first - before, sizes) + np.arange(sizes.sum())


def take_cells(corpus: Corpus | Part) -> Corpus:
    """Return copies of the cells in a part as a corpus; its tokens get new numbers."""
    first, n_cells = corpus.begin, corpus.end - corpus.begin
    doc_ptr = starts(n_cells)
    word = np.empty(doc_ptr[-1], np.int32)
    token_ptr = np.zeros(doc_ptr[-1] + 1, np.int64)
    counts = token_ptr[1:]
    # In chunks, because the numbers of their cells also take memory.
    for documents in ranges(doc_ptr, 1 + int(doc_ptr[-1]) // CHUNK_CELLS):
        chunk = slice(*documents)
        cells = numbers_of_ranges(first[chunk], n_cells[chunk])
        taken = slice(*doc_ptr[list(documents)])
        word[taken] = corpus.word[cells]
        counts[taken] = corpus.token_ptr[cells + 1] - corpus.token_ptr[cells]
    np.cumsum(counts, out=counts)
    return Corpus(doc_ptr, word, token_ptr)


def n_documents_in_common(a: Corpus, b: Corpus) -> int:
    """Return how many first documents two corpora have in common."""
    n_cells = min(a.word.size, b.word.size)
    differ = a.word[:n_cells] != b.word[:n_cells]
    differ |= a.token_ptr[1 : n_cells + 1] != b.token_ptr[1 : n_cells + 1]
    first = np.append(differ, True).argmax()  # cell that differs
    n_docs = min(a.doc_ptr.size, b.doc_ptr.size)
    ends = a.doc_ptr[1:n_docs]
    is_same = (ends == b.doc_ptr[1:n_docs]) & (ends <= first)
    return int(np.append(is_same, False).argmin())


def starts(sizes: np.ndarray) -> np.ndarray:
    """Return where each of several adjoining ranges starts, and where the last ends."""
    return np.append(0, np.cumsum(sizes, dtype=np.int64))


def tokens_before(corpus: Corpus | Part) -> np.ndarray:
    """Return the number of tokens before each document, and of all: (n_docs + 1,)."""
    return corpus.token_ptr[corpus.doc_ptr]


def document_lengths(corpus: Corpus | Part) -> np.ndarray:
    """Return the number of tokens of each document, (n_docs,)."""
    return np.diff(tokens_before(corpus))
