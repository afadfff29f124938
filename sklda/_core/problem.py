"""The problem that a sampler starts from: a corpus and its priors."""

from copy import deepcopy
from numbers import Real
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np
from numba.extending import register_jitable

from sklda._core.word_prior import Excess, WordPrior, word_prior

LANES = 16  # float32 numbers in a 512-bit register: tables are padded to multiples
MAX_TOPICS = 65_535  # a token stores its topic in 16 bits
MAX_32_BITS = np.iinfo(np.int32).max  # tokens of a document, or of a corpus whose
# tables hold 32-bit integers
_IN_TABLES = np.float32(0)  # beta that kernels take if the count tables contain it
_NO_ROWS = np.zeros(0, np.int32)


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


class Counts(NamedTuple):
    """The count tables that all documents share. They are additive over documents."""

    # (n_words, n_lanes) int32 or int64, C order; or what makes its rows from lists
    word_topic: np.ndarray | Any
    topic: np.ndarray  # (n_lanes,) of that type


class Priors(NamedTuple):
    """Dirichlet parameters as kernels take them; `sklda._core.entry` reads them.

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


CorpusT = TypeVar("CorpusT", Corpus, Part, WeightedCorpus)


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

    def with_copied_priors(self) -> Self:
        """Return the problem with copies of the priors."""
        return self._replace(
            doc_topic_prior=self.doc_topic_prior.copy(),
            topic_word_prior=word_prior(deepcopy(self.beta)),
        )

    def kernel_priors(self, array_beta: np.float32 | np.ndarray = _IN_TABLES) -> Priors:
        """Return the priors as kernels take them.

        An array of beta becomes `array_beta`. The default is for kernels whose count
        tables contain beta (`sklda._core.word_prior`).
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


@register_jitable
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
