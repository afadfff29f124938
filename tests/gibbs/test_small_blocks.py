"""Blocks of up to four tokens, drawn by cumulants: against rational arithmetic."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from sklda._gibbs.kernels import blocked as kernels
from sklda._sampling.random_streams import random_topics as first_topics
from tests.helpers.blocks import random_topics, weights
from tests.helpers.corpora import corpus_of, words_of
from tests.helpers.enumeration import faults
from tests.helpers.from_python import from_python
from tests.helpers.mutants import PlainStreams, streams
from tests.helpers.samplers import blocked

normaliser = from_python(kernels.normaliser)


def brute_force(a, b, s, n):
    """Return H_n and p(first token on k) by listing every way to place n tokens."""
    q = [weights(*topic, n) for topic in zip(a, b, s, strict=True)]
    total, means = Fraction(0), [Fraction(0)] * len(q)
    for placed in itertools.combinations_with_replacement(range(len(q)), n):
        weight = math.prod(q[k][placed.count(k)] for k in set(placed))
        total += weight
        for k in placed:
            means[k] += weight
    return total * math.factorial(n), [mean / total / n for mean in means]


def cumulants_of(a, b, s):
    """Return the cumulants of each topic."""
    i, cumulants = np.arange(4)[:, np.newaxis], from_python(kernels.cumulants)
    p = (a + i) * (b + i) / (s + i)
    return np.array([cumulants(*topic) for topic in p.T.tolist()])


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("n_topics", [1, 2, 3, 7, 20])
def test_sums_of_cumulants(n_topics, n):
    for seed in range(4 if n_topics < 20 else 1):
        topics = random_topics(seed, n_topics)
        expected, means = brute_force(*topics, n)
        cumulants = cumulants_of(*topics)
        total, factors = normaliser(n, tuple(cumulants.sum(0)))
        assert total == pytest.approx(float(expected), rel=1e-10)
        np.testing.assert_allclose(
            cumulants @ factors / total, [float(m) for m in means], rtol=1e-8, atol=1e-9
        )


@pytest.mark.parametrize("topic", [(3.0, 2.0, 40.0), (1e4, 1e-5, 2e-5), (0.1, 5, 5)])
def test_cumulants_of_a_topic(topic):
    # m_n = sum_c binomial(n - 1, c - 1) kappa_c m_(n - c) gives them one by one.
    m = [q * math.factorial(i) for i, q in enumerate(weights(*topic, 4))]
    kappa = [Fraction(0)]
    for n in range(1, 5):
        before = [math.comb(n - 1, c - 1) * kappa[c] * m[n - c] for c in range(1, n)]
        kappa.append(m[n] - sum(before))
    found = cumulants_of(*(np.array([x]) for x in topic))[0]
    # Less what cancels: a term of kappa_4 is p_0 ** 4.
    rtol = 1e-6 if topic[0] > 1e3 else 1e-10
    np.testing.assert_allclose(found, [float(x) for x in kappa[1:]], rtol=rtol)


def all_kept(most, edits=(), n_topics=9, n_sweeps=8):
    """Return whether the counts and sums after each block are as if made anew.

    A fault in them changes few draws, and little: enumeration would take too long.
    """
    sampler, modules = blocked(True, most).plain(edits, lanes=2)
    plain, seen = modules["sklda._gibbs.kernels.blocked"], []
    resample = plain.resample_small

    def resample_and_look(block, n, sums, words, document, rng, depth):
        others = document.doc_topic - np.bincount(block, minlength=document.topic.size)
        sums = resample(block, n, sums, words, document, rng, depth)
        used = slice(words.size[0] + words.size[0] % 2)  # whole registers
        kept = (
            document.base.copy(),
            document.kappa[:, used].copy(),
            document.ratio.copy(),
        )
        document.doc_topic[:] = others + np.bincount(
            block, minlength=document.topic.size
        )
        for k in range(document.topic.size):
            plain.set_ratios(k, document, depth)
        plain.set_base(words.beta, document, depth)
        anew = plain.weigh_topics(words, document, depth)
        seen.append(
            np.allclose(sums[:depth], anew[:depth])
            and np.allclose(kept[0], document.base)
            and np.allclose(kept[1], document.kappa[:, used])
            and np.allclose(kept[2], document.ratio)
        )
        return sums

    plain.resample_small = resample_and_look
    # Words of many tokens, and words of four, all in one document.
    counts = np.hstack([np.random.default_rng(0).integers(0, 7, (6, 3)), 4 * np.eye(6)])
    corpus, alpha = corpus_of(counts.astype(np.int64)), np.linspace(1, 4, n_topics)
    problem = modules["sklda._sampling.problem"].Problem(corpus, 9, alpha, 1.0)
    z = first_topics(corpus.token_ptr[-1], n_topics, streams(1).kernel)
    state, rng = sampler.from_topics(problem, z), PlainStreams(2)
    for _ in range(n_sweeps):
        try:
            sampler.sweep(problem, state, rng)
        except IndexError:  # an interpreted kernel does not bear a wrong index
            return False
        if faults(state, words_of(corpus), n_topics):
            return False
    return len(seen) > 0 and all(seen)


@pytest.mark.parametrize("n_topics", [1, 2, 5, 20])
@pytest.mark.parametrize("most", [2, 3, 4])
def test_sums_are_kept(most, n_topics):
    assert all_kept(most, n_topics=n_topics)


def passes(name, problem, edits):
    """Return whether all is kept, after edits, with blocks of so many tokens."""
    return all_kept(int(problem), edits)
