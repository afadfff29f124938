"""The conversion of X to the arrays that kernels take, and parts of these arrays."""

from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from sklda._core.blocks import ArrayFile, read_in_blocks
from sklda._core.checks import check_structure, native
from sklda._core.problem import (
    MAX_32_BITS,
    Corpus,
    CorpusT,
    Part,
    Problem,
    WeightedCorpus,
)
from sklda._core.refusals import WAY_OUT, check_is_matrix, refuse_no_matrix

_CHUNK_CELLS, _CHUNK_TOKENS = 2**20, 2**24  # handled at a time, to save memory
MAX_TOKENS = 2**52  # of a corpus; float64 sums of counts stay exact
_MAX_WEIGHT = 1e12  # of a corpus; float32 sums and their products stay well in range
MOST_STEPS = 2**29  # of a kernel between two looks for Ctrl-C: about half a second
_WAYS_OUT = {  # advice to add to errors of scikit-learn
    "contains NaN": "A word that does not occur in a document has the count 0: for a "
    "table, use X.fillna(0).",
    "features as input": "The columns must be the same words in the same order: count "
    "them with the vectorizer of fit, as in vectorizer.transform(texts).",
}


def check_corpus(estimator, X, *, reset: bool) -> Corpus:
    """Validate a bag-of-words matrix and return it as kernel arrays.

    X has shape (n_documents, n_words) and counts of any real dtype, or is read in
    blocks (`sklda._core.blocks`); it is not modified. `reset` sets the number and names
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
            check_is_matrix(block, "it")
            if block.shape[0] == 0:
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
    refuse_no_matrix(X)
    if sparse.issparse(X) and X.format not in ("dok", "lil"):
        X = deepcopy(X)  # other threads may write to the arrays of the caller
    X = check_structure(X, "X")  # neither SciPy nor the kernels check bounds
    X = native(_validated(estimator, native(X), reset))
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


def _validated(estimator, X, reset):
    """Return what scikit-learn makes of X; say what to do about what it refuses."""
    try:
        X = validate_data(
            estimator, X, reset=reset, accept_sparse="csr", dtype="numeric"
        )
        if X.dtype == object:  # scikit-learn converts an array, but no list, of objects
            X = check_array(X, dtype=np.float64, input_name="X")
        return X
    except OverflowError as error:
        raise ValueError(f"X contains a number out of range: {error}.") from error
    except ValueError as error:
        first = str(error).partition("\n")[0]
        for words, way_out in _WAYS_OUT.items():
            if words in first:
                raise ValueError(f"{first} {way_out}") from error
        raise


def _check_values(values, name, whole):
    """Refuse values that are no counts (or weights); say how to count words."""
    if values.size == 0:
        return
    if values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {name}. X[d, w] is the number of "
            f"times that word w occurs in document d: {WAY_OUT}."
        )
    if not whole or values.dtype.kind != "f":
        return
    fractions = values[values != np.floor(values)]
    if fractions.size > 0:
        raise ValueError(
            f"{name} assigns a topic to every token, so X must contain whole numbers, "
            f"but it contains fractions such as {fractions[0]}. Weights such as tf-idf "
            f"are not counts: {WAY_OUT}; or use CVBLDA, which accepts real weights "
            "unless approximation='exact'."
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
    if counts.shape[1] > np.iinfo(np.int32).max:
        raise ValueError(
            f"X has {counts.shape[1]:,} words, above the limit of "
            f"{np.iinfo(np.int32).max:,}. Use a smaller vocabulary "
            f"(CountVectorizer(max_features=...))."
        )


def _cells(counts):
    """Return the first cell of each document, and the word of each cell."""
    word = np.require(counts.indices, np.int32, ["A", "C", "W", "E"])  # no memory map
    return np.array(counts.indptr, np.int64), word


def _to_arrays(counts) -> Corpus:
    """Turn a canonical CSR matrix of whole numbers into a Corpus."""
    token_ptr = np.zeros(counts.nnz + 1, np.int64)
    token_ptr[1:] = counts.data
    np.cumsum(token_ptr, out=token_ptr)  # in place: no other array of its size
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

    Ctrl-C waits until a kernel returns, so no call should take long.
    """
    weight_before = weight_before - weight_before[0]
    return ranges(weight_before, 1 + int(weight_before[-1]) * n_steps // MOST_STEPS)


def some_documents(corpus: CorpusT, first: int, last: int) -> CorpusT:
    """Return the documents from `first` to before `last`; cells keep their numbers."""
    return corpus._replace(doc_ptr=corpus.doc_ptr[first : last + 1])


def document_chunks(corpus: Corpus) -> Iterator[Corpus]:
    """Yield the documents in chunks, so that a statistic takes little memory."""
    before = tokens_before(corpus)
    n = 1 + int(before[-1] - before[0]) // _CHUNK_TOKENS
    if n == 1:
        yield corpus  # also if it has no documents
        return
    for documents in ranges(before - before[0], n):
        yield some_documents(corpus, *documents)


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
    return _take(corpus, corpus.begin, corpus.end - corpus.begin)


def take_documents(corpus: Corpus, documents: np.ndarray) -> Corpus:
    """Return copies of some documents, in the order of their numbers, as a corpus."""
    return _take(corpus, corpus.begin[documents], np.diff(corpus.doc_ptr)[documents])


def _take(corpus, first, n_cells):
    doc_ptr = starts(n_cells)
    word = np.empty(doc_ptr[-1], np.int32)
    token_ptr = np.zeros(doc_ptr[-1] + 1, np.int64)
    counts = token_ptr[1:]
    # In chunks, because the numbers of their cells also take memory.
    for documents in ranges(doc_ptr, 1 + int(doc_ptr[-1]) // _CHUNK_CELLS):
        chunk = slice(*documents)
        cells = numbers_of_ranges(first[chunk], n_cells[chunk])
        taken = slice(*doc_ptr[list(documents)])
        word[taken] = corpus.word[cells]
        counts[taken] = corpus.token_ptr[cells + 1] - corpus.token_ptr[cells]
    np.cumsum(counts, out=counts)
    return Corpus(doc_ptr, word, token_ptr)


def n_documents_in_common(a: Corpus, b: Corpus) -> int:
    """Return how many first documents two corpora have in common."""
    n = min(a.doc_ptr.size, b.doc_ptr.size)
    differs = np.flatnonzero(a.doc_ptr[:n] != b.doc_ptr[:n])
    n_docs = differs[0] - 1 if differs.size > 0 else n - 1
    for first in range(0, a.doc_ptr[n_docs], _CHUNK_CELLS):
        last = min(first + _CHUNK_CELLS, a.doc_ptr[n_docs])
        cells, ends = slice(first, last), slice(first + 1, last + 1)
        is_same = (a.word[cells] == b.word[cells]) & (
            a.token_ptr[ends] == b.token_ptr[ends]
        )
        if not is_same.all():
            cell = first + is_same.argmin()
            return int(np.searchsorted(a.doc_ptr, cell, side="right") - 1)
    return int(n_docs)


def word_cells(problem: Problem[Corpus]) -> np.ndarray:
    """Return the number of cells of each word, (n_words,)."""
    return _sum_over_cells(problem, is_weighted=False).astype(np.int64)


def word_tokens(problem: Problem[Corpus]) -> np.ndarray:
    """Return the number of tokens of each word, (n_words,) float64."""
    return _sum_over_cells(problem, is_weighted=True)


def _sum_over_cells(problem, *, is_weighted):
    _, word, token_ptr = problem.corpus
    sums = np.zeros(problem.n_words)
    # In chunks, which need no more copies of X.
    for first in range(0, word.size, _CHUNK_CELLS):
        last = first + _CHUNK_CELLS
        counts = np.diff(token_ptr[first : last + 1]) if is_weighted else None
        sums += np.bincount(word[first:last], counts, problem.n_words)
    return sums


def starts(sizes: np.ndarray) -> np.ndarray:
    """Return where each of several adjoining ranges starts, and where the last ends."""
    return np.append(0, np.cumsum(sizes, dtype=np.int64))


def tokens_before(corpus: Corpus | Part) -> np.ndarray:
    """Return the number of tokens before each document, and of all: (n_docs + 1,)."""
    return corpus.token_ptr[corpus.doc_ptr]


def document_lengths(corpus: Corpus | Part) -> np.ndarray:
    """Return the number of tokens of each document, (n_docs,)."""
    return np.diff(tokens_before(corpus))
