"""Distributions of counts that the bound is made from: estimates against the truth."""

import numpy as np
import pytest

from sklda import CVBLDA
from sklda._cvb.engine import estimated_histograms
from sklda._data.corpus import WeightedCorpus
from sklda._sampling.problem import Problem
from sklda.datasets import make_lda_corpus


def histograms_of_one_word(g):
    """Return those of one document; token i is on topic 0 with probability g[i]."""
    word, count = np.zeros(g.size, np.int32), np.ones(g.size, np.float32)
    gamma = np.zeros((g.size, 16), np.float32)
    gamma[:, 0], gamma[:, 1] = g, 1 - g
    corpus = WeightedCorpus(np.array([0, g.size]), word, count)
    return estimated_histograms(Problem(corpus, 1, np.ones(2), 1.0), gamma)


def poisson_binomial(probabilities):
    p = np.ones(1)
    for g in probabilities:
        p = np.convolve(p, [1 - g, g])
    return p


@pytest.mark.parametrize("n_tokens", [1, 2, 7, 40, 400])
def test_estimates_are_close_to_the_truth(n_tokens):
    # In nats per token; the terms of a bound that are estimated are some of -1 to -9.
    rng = np.random.default_rng(n_tokens)
    for shape in (0.05, 0.3, 1.0):
        g = rng.beta(shape, 4 * shape, n_tokens)
        p = poisson_binomial(g)
        histograms = histograms_of_one_word(g)
        for prior in (0.01, 0.5, 3.0):
            rising = np.concatenate(
                [[0], np.cumsum(np.log(prior + np.arange(n_tokens)))]
            )
            expected = p @ rising + p[::-1] @ rising
            for found in histograms:
                value = found.log_rising(np.full(2, prior))
                assert value == pytest.approx(expected, abs=5e-3 * n_tokens)


def test_estimated_bound_is_close_to_the_exact_one():
    X, _, _ = make_lda_corpus(10, 20, 3, document_length=40, random_state=0)
    params = {"tol": 1e-3, "max_iter": 300, "random_state": 0, "evaluate_every": 1}
    exact = CVBLDA(3, approximation="exact", **params).fit(X)
    for name in ("gaussian", "zero-order"):
        model = CVBLDA(3, approximation=name, **params).fit(X)
        # Nats per token: the optima differ, and the estimate by less than that.
        assert model.bound_[-1] == pytest.approx(exact.bound_[-1], abs=0.02)
