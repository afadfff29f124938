"""What a sampler is made from: a corpus and its priors, as the arrays kernels take."""

from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numba.extending import register_jitable

LANES = 16  # float32 numbers in a 512-bit register: tables are padded to multiples
MAX_TOPICS = 65_535  # a token stores its topic in 16 bits
MAX_TOKENS = np.iinfo(np.int32).max  # topic totals are 32-bit integers


class Corpus(NamedTuple):
    """A bag-of-words matrix in CSR order; the tokens of one cell are neighbours."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64; cells of d: doc_ptr[d]:doc_ptr[d + 1]
    word: np.ndarray  # (n_cells,) int32
    token_ptr: np.ndarray  # (n_cells + 1,) int64; differences are the counts


class WeightedCorpus(NamedTuple):
    """The same with real weights; kernels skip cells of weight 0."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64
    word: np.ndarray  # (n_cells,) int32
    count: np.ndarray  # (n_cells,) float32


class Counts(NamedTuple):
    """The tables that documents share. They are additive over documents."""

    word_topic: np.ndarray  # (n_words, n_lanes) int32, C order
    topic: np.ndarray  # (n_lanes,) int32


class Priors(NamedTuple):
    """Dirichlet parameters for kernels; the padding holds 0 and attracts no token."""

    doc_topic: np.ndarray  # (n_lanes,) float32, alpha
    topic_word: np.float32  # beta
    topic_word_sum: np.float32  # V beta


CorpusT = TypeVar("CorpusT", Corpus, WeightedCorpus)


class Problem(NamedTuple, Generic[CorpusT]):
    """The documents and the priors: all that an algorithm starts from."""

    corpus: CorpusT
    n_words: int
    doc_topic_prior: np.ndarray  # (n_topics,) float64, alpha
    topic_word_prior: float  # beta

    @property
    def n_topics(self) -> int:
        """Return K."""
        return self.doc_topic_prior.size

    @property
    def n_lanes(self) -> int:
        """Return K rounded up to whole registers, the width of tables."""
        return padded(self.n_topics)

    def kernel_priors(self) -> Priors:
        """Return the priors as kernels take them."""
        beta = np.float32(self.topic_word_prior)
        return Priors(
            pad_prior(self.doc_topic_prior), beta, np.float32(self.n_words) * beta
        )


@register_jitable
def padded(n):
    """Return the smallest multiple of `LANES` that is at least `n` (or each n)."""
    return -(-n // LANES) * LANES


def pad_prior(doc_topic_prior: np.ndarray) -> np.ndarray:
    """Return alpha as kernels take it: (n_lanes,) float32, 0 in the padding."""
    alpha = np.zeros(padded(doc_topic_prior.size), np.float32)
    alpha[: doc_topic_prior.size] = doc_topic_prior
    return alpha


def add_changes(shared, replicas) -> None:
    """Add what each replica of a table has changed, and make the replicas equal to it.

    Between the first step and the last, 32-bit integers may wrap around, and back.
    """
    shared *= 1 - len(replicas)
    for replica in replicas:
        shared += replica
    for replica in replicas:
        replica[...] = shared
