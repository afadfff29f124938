"""Priors that are sampled with the topics: the hierarchical Dirichlet process.

Y. W. Teh, M. I. Jordan, M. J. Beal, D. M. Blei, "Hierarchical Dirichlet processes",
JASA 101 (2006), with at most K topics (H. Ishwaran, M. Zarepour, "Exact and approximate
sum representations for the Dirichlet process", 2002):

    a0 ~ Gamma,  gamma ~ Gamma,  w ~ Dirichlet(gamma / K),  theta_d ~ Dirichlet(a0 w).

As K grows, this becomes their process. Given w, every sampler is what it is with the
fixed prior alpha = a0 w. After each sweep the priors are drawn, in three steps:

1. the tables m_k, given w, a0 and the topics of the tokens (Antoniak, 1974),
2. gamma given the tables, w integrated out, and a0 given the tables,
3. w ~ Dirichlet(gamma / K + m_1, ..., gamma / K + m_K).

Beta is drawn, too, where it has a prior.
"""

from typing import NamedTuple

import numpy as np

from sklda._chain.kernels.hierarchical import draw_concentration, draw_dirichlet
from sklda._core.doc_topic_counts import Histogram
from sklda._core.random_streams import RandomStreams, draw_key

# The least entry of alpha: a topic with less is as good as excluded, until w is drawn
# again, and the kernels' float32 would be slow below 1e-38.
LEAST_ALPHA = 1e-20
_CHILD = 2**32 - 2  # the child of the random streams that is for the priors
_DRAWS = 3  # of 64 bits, in each sweep


class GammaPriors(NamedTuple):
    """Shape and rate of the gamma priors of what is sampled."""

    doc_concentration: tuple[float, float] = (1.0, 1.0)  # of a0
    weight_concentration: tuple[float, float] = (1.0, 0.1)  # of gamma
    topic_word_prior: tuple[float, float] | None = None  # of beta; None: it is fixed


class TopicWeights(NamedTuple):
    """A sample of the prior of the topics of documents."""

    weights: np.ndarray  # (n_topics,), w
    doc_concentration: float  # a0
    weight_concentration: float  # gamma

    @property
    def alpha(self) -> np.ndarray:
        """Return alpha = a0 w, (n_topics,)."""
        return np.maximum(self.doc_concentration * self.weights, LEAST_ALPHA)


class Noise(NamedTuple):
    """The random numbers of one sweep."""

    key: np.uint64  # of the tables
    stream: np.ndarray  # of all other draws


def draw_noise(rng: RandomStreams) -> Noise:
    """Return the random numbers of the next sweep."""
    bits = [np.uint64(draw_key(rng.child(_CHILD).kernel)) for _ in range(_DRAWS)]
    return Noise(bits[0], np.array([bits[1], bits[2] | np.uint64(1)]))


def draw_weights(
    tables: np.ndarray,
    lengths: Histogram,
    current: TopicWeights,
    priors: GammaPriors,
    stream: np.ndarray,
) -> TopicWeights:
    """Draw gamma, then a0 and w, given the tables and the lengths of the documents."""
    n_topics, n_tables = tables.size, int(tables.sum())
    sizes, n_sizes = np.unique(tables[tables > 0], return_counts=True)
    gamma = _draw_concentration(
        current.weight_concentration,
        priors.weight_concentration,
        [(-1.0, 1.0, n_tables), (n_sizes, 1 / n_topics, sizes)],
        stream,
    )
    shape, rate = priors.doc_concentration
    a0 = _draw_concentration(
        current.doc_concentration,
        (shape + n_tables, rate),
        [(-lengths[1], 1.0, lengths[0])],
        stream,
    )
    weights = np.empty(n_topics)
    draw_dirichlet(gamma / n_topics + tables, stream, weights)
    return TopicWeights(weights, a0, gamma)


def draw_topic_word_prior(
    beta: float,
    prior: tuple[float, float],
    pairs: Histogram,
    totals: np.ndarray,
    n_words: int,
    stream: np.ndarray,
) -> float:
    """Draw beta given how often each word-topic count occurs, and the tokens per topic.

    Beta remains in the range that users may choose.
    """
    counts, n_pairs = pairs
    terms = [(n_pairs, 1.0, counts), (-1.0, float(n_words), totals)]
    return _draw_concentration(beta, prior, terms, stream)


def _draw_concentration(value, prior, terms, stream):
    """Draw a concentration from its gamma prior times rising factorials."""
    terms = [np.broadcast_arrays(*map(np.atleast_1d, term)) for term in terms]
    joined = (np.concatenate(column) for column in zip(*terms, strict=True))
    arrays = tuple(np.asarray(column, np.float64) for column in joined)
    shape, rate = prior
    return draw_concentration(value, float(shape), float(rate), arrays, stream)
