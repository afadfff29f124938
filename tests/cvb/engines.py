"""Engines of collapsed variational Bayes as tests start and compare them."""

import numpy as np

from sklda._cvb.engine import (
    Approximation,
    Engine,
    estimated_histograms,
    exact_histograms,
)
from sklda._cvb.kernels import exact, gaussian, zero_order
from sklda._data.corpus import WeightedCorpus
from sklda._sampling.problem import Problem, word_prior
from sklda._sampling.random_streams import RandomStreams
from sklda._sampling.threads import Threads

KERNELS = {"zero-order": zero_order, "gaussian": gaussian, "exact": exact}


def make_engine(name, corpus, n_words, alpha, beta, *, seed=0, kernel=None, n_shards=1):
    """Return an engine whose first sweep is one of the kernel.

    The kernel may be another one than the approximation's own.
    """
    histograms = exact_histograms if name == "exact" else estimated_histograms
    return Engine(
        Approximation(kernel or KERNELS[name], 0, histograms),
        Problem(corpus, n_words, np.asarray(alpha, float), word_prior(beta)),
        RandomStreams(np.random.SeedSequence(seed)),
        n_shards,
        Threads(),
    )


def random_corpus(seed, n_docs=15, n_words=12, *, whole=True):
    """Return documents of about 13 tokens, one of them empty; or of real weights."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.8, (n_docs, n_words)) * rng.choice([1, 1, 5], n_words)
    if not whole:
        counts = counts * rng.uniform(0.01, 1.5, counts.shape)
    counts[seed % n_docs] = 0
    docs, words = counts.nonzero()
    doc_ptr = np.searchsorted(docs, np.arange(n_docs + 1)).astype(np.int64)
    count = counts[docs, words].astype(np.float32)
    return WeightedCorpus(doc_ptr, words.astype(np.int32), count)


def responsibilities(engine):
    """Return those of topics, without the padding, in double precision."""
    return engine.responsibilities[:, : engine.problem.n_topics].astype(np.float64)


def assert_moments_are_sums(engine, **tolerance):
    """Compare the moments that sweeps have updated with sums over all cells."""
    for table, sums in zip(engine.moments, engine._count(), strict=True):
        np.testing.assert_allclose(table.word_topic, sums.word_topic, **tolerance)
        np.testing.assert_allclose(table.topic, sums.topic, **tolerance)
