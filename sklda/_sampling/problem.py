"""The problem that a sampler starts from: a corpus and its priors.

Beta may be an array, a number for each word in each topic. Let b_w be the least beta of
word w over the topics, and beta_kw = b_w + e_kw. When a chain begins, the excess e_kw
is added to n_wk as pseudo-tokens that no sweep takes out. So a kernel needs b_w alone.
Lists hold e_kw beside n_wk. Rows hold n_wk + beta_kw in float64, and their b_w is 0.
Adding and removing tokens rounds such a sum only when it passes a power of 2, so errors
do not add up.
"""

from functools import cached_property
from numbers import Real
from typing import Any, Generic, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from sklda._data.corpus import CHUNK_CELLS, MAX_32_BITS, Corpus, CorpusT, Part


class Excess(NamedTuple):
    """The excess of each word where it is not 0."""

    word_ptr: np.ndarray  # (n_words + 1,) int64; entries of w: word_ptr[w]:...[w + 1]
    topic: np.ndarray  # (n_entries,) int32
    value: np.ndarray  # (n_entries,) float64


class WordPrior:
    """Beta of each word in each topic, with sums that are computed once."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values  # (n_topics, n_words) float64

    @cached_property
    def least(self) -> np.ndarray:
        """The least beta of each word, (n_words,)."""
        return self.values.min(axis=0)

    @cached_property
    def total(self) -> np.ndarray:
        """The sum of beta over the words, (n_topics,)."""
        return self.values.sum(axis=1)

    @cached_property
    def excess(self) -> Excess:
        """What beta has beyond the least of its word."""
        table = sparse.csr_array((self.values - self.least).T)
        arrays = table.indptr.astype(np.int64), table.indices.astype(np.int32)
        return Excess(*arrays, table.data)


def word_prior(beta: float | np.ndarray) -> float | WordPrior:
    """Return beta as a problem takes it: one number, or (n_topics, n_words)."""
    return beta if np.ndim(beta) == 0 else WordPrior(beta)


def words_at(prior: WordPrior, topics: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return for each topic the word at which the sum of its beta exceeds a share.

    For uniform shares, this draws words in proportion to beta.
    """
    words = np.empty(topics.size, np.int64)
    for i, k in enumerate(topics):
        before = np.cumsum(prior.values[k])
        words[i] = np.searchsorted(before, share[i] * before[-1], "right")
    return np.minimum(words, prior.values.shape[1] - 1)


LANES = 16  # float32 numbers in a 512-bit register: tables are padded to multiples
MAX_TOPICS = 65_535  # a token stores its topic in 16 bits
_IN_TABLES = np.float32(0)  # beta that kernels take if the count tables contain it
_NO_ROWS = np.zeros(0, np.int32)


class Counts(NamedTuple):
    """The count tables that all documents share. They are additive over documents."""

    # (n_words, n_lanes) int32 or int64, C order; or what makes its rows from lists
    word_topic: np.ndarray | Any
    topic: np.ndarray  # (n_lanes,) of that type


class Priors(NamedTuple):
    """Dirichlet parameters as kernels take them; `sklda._simd.arrays` reads them.

    Alpha is 0 in the padding, so no token goes there. If documents differ in alpha,
    kernels copy that of the present document from `Alphas`.
    """

    doc_topic: np.ndarray  # (n_lanes,) float32, alpha
    topic_word: np.float32 | np.ndarray  # beta
    topic_word_sum: np.float32 | np.ndarray  # V beta; or (n_lanes,), 1 in the padding


class Alphas(NamedTuple):
    """Alpha of each document as kernels take it; empty if all documents share it."""

    rows: np.ndarray  # (n_rows, n_lanes) float32
    row: np.ndarray  # (n_docs,) int32, of each document; empty where all share alpha


class Problem(NamedTuple, Generic[CorpusT]):
    """The documents and the priors."""

    corpus: CorpusT
    n_words: int
    doc_topic_prior: np.ndarray  # (n_topics,) or (n_rows, n_topics) float64, alpha
    topic_word_prior: float | WordPrior  # beta
    prior_row: np.ndarray | None = None  # (n_docs,) int32, row of alpha if it has rows

    @property
    def n_topics(self) -> int:
        """Return K."""
        return self.doc_topic_prior.shape[-1]

    @property
    def n_lanes(self) -> int:
        """Return K rounded up to whole registers, the width of tables."""
        return padded(self.n_topics)

    @property
    def has_word_prior(self) -> bool:
        """Return whether beta is an array."""
        return not isinstance(self.topic_word_prior, Real)

    @property
    def beta(self) -> float | np.ndarray:
        """Return beta: one number, or (n_topics, n_words)."""
        prior = self.topic_word_prior
        return prior.values if self.has_word_prior else prior

    @property
    def beta_sum(self) -> float | np.ndarray:
        """Return the sum of beta over the words: one number, or (n_topics,)."""
        prior = self.topic_word_prior
        return prior.total if self.has_word_prior else self.n_words * prior

    @property
    def excess(self) -> Excess:
        """Return beta minus the least beta of the word; empty if beta is a number."""
        if self.has_word_prior:
            return self.topic_word_prior.excess
        nothing = np.zeros(0, np.int32)
        return Excess(np.zeros(self.n_words + 1, np.int64), nothing, nothing)

    def alpha_of(self, first: int, last: int) -> np.ndarray:
        """Return alpha of each document from `first` to before `last`."""
        if self.prior_row is None:
            return np.tile(self.doc_topic_prior, (last - first, 1))
        return self.doc_topic_prior[self.prior_row[first:last]]

    @property
    def alpha_sum(self) -> float | np.ndarray:
        """Return the sum of alpha over the topics: one number, or (n_docs,)."""
        sums = self.doc_topic_prior.sum(axis=-1)
        return sums if self.prior_row is None else sums[self.prior_row]

    def kernel_priors(self, array_beta: np.float32 | np.ndarray = _IN_TABLES) -> Priors:
        """Return the priors as kernels take them.

        An array of beta becomes `array_beta`. The default is for kernels whose count
        tables contain beta (`sklda._sampling.problem`).
        """
        shared = self.prior_row is None
        alpha = pad_prior(self.doc_topic_prior if shared else self.doc_topic_prior[0])
        if self.has_word_prior:
            total = np.ones(self.n_lanes, np.float32)
            total[: self.n_topics] = self.beta_sum
            return Priors(alpha, array_beta, total)
        beta = np.float32(self.topic_word_prior)
        return Priors(alpha, beta, np.float32(self.n_words) * beta)

    def kernel_alphas(self) -> Alphas:
        """Return alpha of the documents as kernels take it."""
        if self.prior_row is None:
            return Alphas(np.zeros((0, self.n_lanes), np.float32), _NO_ROWS)
        return Alphas(pad_prior(self.doc_topic_prior), self.prior_row)


ProblemOfCells: TypeAlias = Problem[Corpus] | Problem[Part]


def padded(n):
    """Return the smallest multiple of `LANES` that is at least `n` (or each n)."""
    return -(-n // LANES) * LANES


def pad_prior(doc_topic_prior: np.ndarray) -> np.ndarray:
    """Return alpha as kernels take it: (..., n_lanes) float32, 0 in the padding."""
    *shape, n_topics = doc_topic_prior.shape
    alpha = np.zeros((*shape, padded(n_topics)), np.float32)
    alpha[..., :n_topics] = doc_topic_prior
    return alpha


def count_type(n_tokens: int) -> type:
    """Return the type of counts of up to `n_tokens`, np.int32 or np.int64."""
    return np.int32 if n_tokens <= MAX_32_BITS else np.int64


def add_changes(shared, replicas) -> None:
    """Add the changes of each replica to shared totals, and update the replicas.

    Sums on the way may overflow 32-bit integers, but the result is right.
    """
    shared *= 1 - len(replicas)
    for replica in replicas:
        shared += replica
    for replica in replicas:
        replica[...] = shared


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
    for first in range(0, word.size, CHUNK_CELLS):
        last = first + CHUNK_CELLS
        counts = np.diff(token_ptr[first : last + 1]) if is_weighted else None
        sums += np.bincount(word[first:last], counts, problem.n_words)
    return sums
