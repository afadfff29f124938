"""The conversion of X to the arrays that kernels take, and parts of these arrays."""

from collections.abc import Iterator
from copy import deepcopy
from itertools import pairwise

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

from sklda._core.blocks import ArrayFile, read_in_blocks, same_width
from sklda._core.checks import check_structure, native
from sklda._core.problem import (
    MAX_32_BITS,
    Corpus,
    CorpusT,
    Part,
    Problem,
    WeightedCorpus,
)

_CHUNK = 2**20  # cells
_AT_A_TIME = 2**24  # tokens
MAX_TOKENS = 2**52  # of a corpus; float64 sums of counts stay exact
_MAX_WEIGHT = 1e12  # of a corpus; float32 sums and their products stay well in range
MOST_STEPS = 2**29  # of a kernel between two looks for Ctrl-C: about half a second
_WAY_OUT = (
    "build X with sklearn.feature_extraction.text.CountVectorizer, which counts words "
    "(as HashingVectorizer does with alternate_sign=False and norm=None)"
)


def check_corpus(estimator, X, *, reset: bool) -> Corpus:
    """Validate a bag-of-words matrix and return it as kernel arrays.

    X has shape (n_documents, n_words) and counts of any real dtype, or is read in
    blocks (`sklda._core.blocks`); it is not modified. With `reset` the number and names
    of the words are set, else compared. The corpus takes up to 12 bytes per cell and 8
    per document, in temporary files if X is read in blocks; it shares no memory with X,
    whose arrays are copied before they are checked. Raises ValueError if scikit-learn
    refuses X, or X has negative values, fractions, or documents of more tokens than 32
    bits count; OSError if the temporary files do not fit on the disk.
    """
    blocks = read_in_blocks(X)
    if blocks is None:
        return _to_arrays(_canonical(estimator, X, reset=reset, whole=True))
    with ArrayFile(np.int32) as word, ArrayFile(np.int64) as token_ptr:
        doc_ptr = [np.zeros(1, np.int64)]
        token_ptr.append(doc_ptr[0])
        n_cells = n_tokens = 0
        for i, block in enumerate(same_width(blocks)):
            counts = _canonical(estimator, block, reset=reset and i == 0, whole=True)
            own = _to_arrays(counts)
            doc_ptr.append(n_cells + own.doc_ptr[1:])
            word.append(own.word)
            token_ptr.append(n_tokens + own.token_ptr[1:])
            n_cells, n_tokens = n_cells + own.word.size, n_tokens + own.token_ptr[-1]
        return Corpus(np.concatenate(doc_ptr), word.read(), token_ptr.read())


def check_weights(estimator, X, *, reset: bool, whole: bool) -> WeightedCorpus:
    """Do the same for real weights of words; with `whole`, fractions are refused."""
    weights = _canonical(estimator, X, reset=reset, whole=whole)
    return WeightedCorpus(*_cells(weights), np.array(weights.data, np.float32))


def _canonical(estimator, X, *, reset, whole) -> sparse.csr_array:
    """Return a valid X with sorted cells, duplicates summed, and without zeros."""
    _refuse_uncounted(X, type(estimator).__name__)
    if sparse.issparse(X) and X.format not in ("dok", "lil"):
        X = deepcopy(X)  # other threads may write to the arrays of the caller
    X = check_structure(X, "X")  # neither SciPy nor the kernels check bounds
    X = native(_validated(estimator, native(X), reset))
    if X.dtype == object:  # scikit-learn converts an array, but no list, of objects
        X = check_array(X, dtype=np.float64, input_name="X")
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
    """Return what scikit-learn makes of X; say what to do about missing values."""
    try:
        return validate_data(
            estimator, X, reset=reset, accept_sparse="csr", dtype="numeric"
        )
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise ValueError(
            "Input X contains NaN. A word that does not occur in a document has the "
            "count 0: for a table, use X.fillna(0)."
        ) from error


def _refuse_uncounted(X, name):
    """Refuse texts and lists of words; say how to count the words."""
    _refuse_table(X, name)
    document = X
    row = getattr(X, "ndim", 0) == 1 and not sparse.issparse(X)
    if row or isinstance(X, list | tuple):
        texts = (str, list, tuple)
        document = next((d for d in X if not isinstance(d, texts) or d), None)
    item = document[0] if isinstance(document, list | tuple) else None
    if isinstance(document, str):
        way = f"texts: {_WAY_OUT}, as in CountVectorizer().fit_transform(texts)"
    elif isinstance(item, str):
        way = f"lists of words: {_WAY_OUT}, with analyzer=list"
    elif isinstance(item, tuple):
        way = "lists of pairs: convert it with gensim.matutils.corpus2csc(X).T"
    elif sparse.issparse(document) and document is not X:
        way = "sparse rows: stack them with scipy.sparse.vstack(X)"
    elif isinstance(X, list | tuple) and len({np.size(d) for d in X}) > 1:
        way = "rows of different lengths: each row needs a count for every word"
    else:
        return
    raise ValueError(
        f"{name} takes a matrix of counts (documents x words), but X contains {way}."
    )


def _refuse_table(X, name):
    """Refuse a data frame with texts or dates; say what to count."""
    if not hasattr(X, "iloc") or getattr(X, "ndim", 0) != 2:  # of pandas
        return
    texts, dates = [], []
    for j, dtype in enumerate(X.dtypes):
        kind = getattr(dtype, "kind", "")
        if kind in ("m", "M"):
            dates.append(str(X.columns[j]))
        elif kind in ("O", "U"):
            if isinstance(next(iter(X.iloc[:, j].dropna()), None), str):
                texts.append(str(X.columns[j]))
    if not texts and not dates:
        return
    raise ValueError(
        f"{name} takes a matrix of counts (documents x words), but X is a table with "
        f"other columns: {', '.join(map(repr, texts + dates))}. Count words of its "
        "column of texts alone, as in "
        f"CountVectorizer().fit_transform(X[{(texts or ['text'])[0]!r}]); "
        "sklearn.compose.ColumnTransformer joins the topics with other columns."
    )


def _check_values(values, name, whole):
    """Refuse values that are no counts (or weights); say how to count words."""
    if values.size == 0:
        return
    if values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {name}. X[d, w] is the number of "
            f"times that word w occurs in document d: {_WAY_OUT}."
        )
    if not whole or values.dtype.kind != "f":
        return
    fractions = values[values != np.floor(values)]
    if fractions.size > 0:
        raise ValueError(
            f"{name} assigns a topic to every token, so X must contain whole numbers, "
            f"but it contains fractions such as {fractions[0]}. Weights such as tf-idf "
            f"are not counts: {_WAY_OUT}; or use CVBLDA, which accepts real weights "
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
    np.cumsum(counts.data.astype(np.int64, copy=False), out=token_ptr[1:])
    corpus = Corpus(*_cells(counts), token_ptr)
    _check_lengths(corpus)
    return corpus


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


def split_weights(weights: WeightedCorpus) -> WeightedCorpus:
    """Split cells of whole weights into cells of one token."""
    cell_ptr = starts(weights.count)
    word = np.repeat(weights.word, np.diff(cell_ptr))
    count = np.ones(word.size, np.float32)
    return WeightedCorpus(cell_ptr[weights.doc_ptr], word, count)


def ranges(weight_before, n: int) -> Iterator[tuple[int, int]]:
    """Split items into n ranges of about equal weight; fewer if there are few items.

    ``weight_before[i]`` is the weight of the items before item i; the last entry, that
    of all. Yields first and end of each range; none is empty.
    """
    marks = cutting_marks(weight_before[-1], weight_before.size - 1, n)
    cuts = [0, *np.searchsorted(weight_before, marks).tolist(), weight_before.size - 1]
    return ((first, last) for first, last in pairwise(cuts) if first < last)


def cutting_marks(weight, n_items: int, n: int) -> np.ndarray:
    """Return the weights before the cuts between n ranges; fewer for few items."""
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


def documents_at_a_time(corpus: Corpus) -> Iterator[Corpus]:
    """Yield the documents in pieces of which a statistic takes little memory."""
    before = tokens_before(corpus)
    n = 1 + int(before[-1] - before[0]) // _AT_A_TIME
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
    """Yield the documents in parts that take a kernel a short time."""
    for documents in kernel_ranges(tokens_before(corpus), n_steps):
        yield part_of(corpus, *documents)


def cells_of(corpus: Corpus | Part) -> np.ndarray:
    """Return the numbers of the cells in a part, (n_cells_in_part,) int64."""
    return _numbers(corpus.begin, corpus.end - corpus.begin)


def _numbers(first, sizes):
    """Return ``first[i], first[i] + 1, ...`` for each range i of some size."""
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
    # Some documents at a time: the numbers of their cells take memory, too.
    for documents in ranges(doc_ptr, 1 + int(doc_ptr[-1]) // _CHUNK):
        some = slice(*documents)
        cells = _numbers(first[some], n_cells[some])
        own = slice(*doc_ptr[list(documents)])
        word[own] = corpus.word[cells]
        counts[own] = corpus.token_ptr[cells + 1] - corpus.token_ptr[cells]
    np.cumsum(counts, out=counts)
    return Corpus(doc_ptr, word, token_ptr)


def n_documents_in_common(a: Corpus, b: Corpus) -> int:
    """Return how many documents at the beginning of both are the same."""
    n = min(a.doc_ptr.size, b.doc_ptr.size)
    differs = np.flatnonzero(a.doc_ptr[:n] != b.doc_ptr[:n])
    n_docs = differs[0] - 1 if differs.size > 0 else n - 1
    for first in range(0, a.doc_ptr[n_docs], _CHUNK):
        last = min(first + _CHUNK, a.doc_ptr[n_docs])
        own, ends = slice(first, last), slice(first + 1, last + 1)
        same = (a.word[own] == b.word[own]) & (a.token_ptr[ends] == b.token_ptr[ends])
        if not same.all():
            cell = first + same.argmin()
            return int(np.searchsorted(a.doc_ptr, cell, side="right") - 1)
    return int(n_docs)


def word_cells(problem: Problem[Corpus]) -> np.ndarray:
    """Return the number of cells of each word, (n_words,)."""
    return _sum_over_cells(problem, of_tokens=False).astype(np.int64)


def word_tokens(problem: Problem[Corpus]) -> np.ndarray:
    """Return the number of tokens of each word, (n_words,) float64."""
    return _sum_over_cells(problem, of_tokens=True)


def _sum_over_cells(problem, *, of_tokens):
    _, word, token_ptr = problem.corpus
    sums = np.zeros(problem.n_words)
    for first in range(0, word.size, _CHUNK):  # else X would be copied several times
        cells = slice(first, first + _CHUNK)
        counts = np.diff(token_ptr[first : first + _CHUNK + 1]) if of_tokens else None
        sums += np.bincount(word[cells], counts, problem.n_words)
    return sums


def starts(sizes: np.ndarray) -> np.ndarray:
    """Return where each of neighbouring ranges starts, and where the last one ends."""
    return np.append(0, np.cumsum(sizes, dtype=np.int64))


def tokens_before(corpus: Corpus | Part) -> np.ndarray:
    """Return the number of tokens before each document, and of all: (n_docs + 1,)."""
    return corpus.token_ptr[corpus.doc_ptr]


def document_lengths(corpus: Corpus | Part) -> np.ndarray:
    """Return the number of tokens of each document, (n_docs,)."""
    return np.diff(tokens_before(corpus))
