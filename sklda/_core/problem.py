"""The arrays that every kernel takes, and how wide they are."""

from typing import NamedTuple

import numpy as np

LANES = 16  # float32 numbers in a 512-bit register: tables are padded to multiples
MAX_TOPICS = 65_535  # a token stores its topic in 16 bits
MAX_TOKENS = np.iinfo(np.int32).max  # topic totals are 32-bit integers


class Corpus(NamedTuple):
    """A bag-of-words matrix in CSR order; the tokens of one cell are neighbours."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64; cells of d: doc_ptr[d]:doc_ptr[d + 1]
    word: np.ndarray  # (n_cells,) int32
    token_ptr: np.ndarray  # (n_cells + 1,) int64; differences are the counts


class Weights(NamedTuple):
    """The same with real weights; cells of weight 0 are passed over."""

    doc_ptr: np.ndarray  # (n_docs + 1,) int64
    word: np.ndarray  # (n_cells,) int32
    count: np.ndarray  # (n_cells,) float32


class Counts(NamedTuple):
    """The tables that documents share. They are additive over documents."""

    word_topic: np.ndarray  # (n_words, n_lanes) int32, C order
    topic: np.ndarray  # (n_lanes,) int32


class Priors(NamedTuple):
    """Dirichlet parameters; lanes beyond the last topic hold 0 and attract nothing."""

    doc_topic: np.ndarray  # (n_lanes,) float32, alpha
    topic_word: np.float32  # beta


def padded(n):
    """Return the smallest multiple of `LANES` that is at least `n` (or each n)."""
    return -(-n // LANES) * LANES


def pad_prior(doc_topic_prior):
    """Return alpha as kernels take it: (n_lanes,) float32, 0 in the padding."""
    alpha = np.zeros(padded(doc_topic_prior.size), np.float32)
    alpha[: doc_topic_prior.size] = doc_topic_prior
    return alpha


def add_changes(shared, copies):
    """Add to a table what each copy of it has changed, and make the copies equal to it.

    Between the first step and the last, 32-bit integers may wrap round, and back.
    """
    shared *= 1 - len(copies)
    for one in copies:
        shared += one
    for one in copies:
        one[...] = shared
