"""Kept draws: counts, proportions, and intervals that cover what they should."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.stats import chi2

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from tests.helpers.draws import draws_of

ALPHA = np.array([0.2, 1.5, 0.7])
COUNTS = np.array(
    [[[4, 0, 1], [0, 0, 0], [0, 9, 300]], [[2, 3, 0], [0, 0, 0], [0, 8, 301]]]
)


@pytest.fixture
def draws():
    return draws_of(COUNTS, ALPHA)


def test_counts_and_expected_proportions(draws):
    assert (draws.n_draws, draws.n_documents) == (2, 3)
    assert (draws.n_topics, draws.n_words) == (3, 1)
    assert "2 draws of 3 documents" in repr(draws)
    for i, counts in enumerate(COUNTS):
        np.testing.assert_array_equal(draws.doc_topic_counts(i).toarray(), counts)
        words = draws.topic_word_counts(i).toarray()
        np.testing.assert_array_equal(words[:, 0], counts.sum(axis=0))
        theta = (counts + ALPHA) / (counts + ALPHA).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(draws.doc_topic(i), theta)


def test_counts_beyond_32_bits():
    draws = draws_of([[[3_000_000_000, 1, 0]]], ALPHA)
    for counts in (draws.doc_topic_counts(0), draws.topic_word_counts(0).T):
        assert counts.toarray().tolist() == [[3_000_000_000, 1, 0]]


def test_samples_have_the_moments_of_the_dirichlet_distribution(draws):
    rng = np.random.RandomState(0)
    samples = np.array([draws.sample_doc_topic(1, rng) for _ in range(4000)])
    np.testing.assert_allclose(samples.sum(axis=2), 1)
    mean, total = draws.doc_topic(1), (COUNTS[1] + ALPHA).sum(axis=1, keepdims=True)
    variance = mean * (1 - mean) / (total + 1)
    error = np.sqrt(variance / 4000)
    assert (np.abs(samples.mean(axis=0) - mean) < 4.5 * error).all()
    np.testing.assert_allclose(samples.var(axis=0), variance, rtol=0.2, atol=1e-7)
    sample, same = (draws.sample_doc_topic(1, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(sample, same)


def test_samples_under_the_smallest_priors():
    draws = draws_of(np.zeros((1, 2000, 4), int), np.full(4, 1e-10))
    theta = draws.sample_doc_topic(0, random_state=0)
    assert np.isin(theta, [0, 1]).all()
    assert (theta.sum(axis=1) == 1).all()
    n = theta.sum(axis=0)
    assert ((n - 500) ** 2 / 500).sum() < chi2.isf(1e-5, 3)


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_are_quantiles_of_samples_of_all_draws(draws, level):
    n = 20_000
    many = draws_of(np.repeat(COUNTS, n, axis=1), ALPHA)
    samples = [many.sample_doc_topic(i, i).reshape(3, n, 3) for i in range(2)]
    samples = np.concatenate(samples, axis=1).swapaxes(0, 1)
    low, high = draws.doc_topic_interval(level)
    for end, below in ((low, (1 - level) / 2), (high, (1 + level) / 2)):
        rate = (samples < end).mean(axis=0)
        np.testing.assert_allclose(rate, below, atol=4.5 * np.sqrt(0.25 / n))


def test_intervals_of_some_documents_in_parts(monkeypatch):
    counts = np.tile(np.random.default_rng(0).poisson(1.0, (23, 3)), (5, 1, 1))
    counts[1:, 4] = counts[1:, 4, ::-1]
    draws = draws_of(counts, ALPHA)
    ends = np.array(draws.doc_topic_interval())
    rows = [7, 4, 4, 22]
    monkeypatch.setattr("sklda._fitted.posterior_draws._MOST_NUMBERS", 31)
    np.testing.assert_array_equal(
        draws.doc_topic_interval(documents=rows), ends[:, rows]
    )
    np.testing.assert_array_equal(draws.doc_topic_interval(), ends)


SAMPLED = {"hyperpriors": {"topic_word_prior": (1.0, 1.0)}}


@pytest.mark.parametrize(
    "priors", [{"learn_priors": None}, {"learn_priors": "hierarchical", **SAMPLED}]
)
def test_intervals_of_words_are_quantiles_of_samples(priors):
    X = make_lda_corpus(20, 6, 3, document_length=20, random_state=0)[0]
    params = {"thin": 50, "keep_draws": 2, "random_state": 0, **priors}
    draws = CollapsedGibbsLDA(3, **params).fit(X).draws_
    beta = np.unique(draws.topic_word_prior)
    assert beta.size == 2 if len(priors) > 1 else beta.tolist() == [1 / 3]
    words = [[0, 5], [1, 1], [2, 3]]
    low, high = draws.topic_word_interval(words, 0.8)
    rng, n = np.random.default_rng(0), 20_000
    beta = np.broadcast_to(draws.topic_word_prior, 2)
    for k in range(3):
        counts = [draws.topic_word_counts(i).toarray()[k] + beta[i] for i in range(2)]
        phi = np.concatenate([rng.dirichlet(shape, n) for shape in counts])
        for end, below in ((low, 0.1), (high, 0.9)):
            rate = (phi[:, words[k]] < end[k]).mean(axis=0)
            np.testing.assert_allclose(rate, below, atol=4.5 * np.sqrt(0.25 / n))


def match(components, topic_word):
    """Return the topic of the fit that stands for each true topic."""
    phi = components / components.sum(axis=1, keepdims=True)
    rows, columns = linear_sum_assignment(-np.sqrt(topic_word) @ np.sqrt(phi).T)
    return columns[np.argsort(rows)]


def fit_of(X, topic_word_prior, seed):
    priors = {"doc_topic_prior": 0.5, "topic_word_prior": topic_word_prior}
    schedule = {"max_iter": 300, "burn_in": 100, "thin": 8, "evaluate_every": 0}
    lda = CollapsedGibbsLDA(3, **priors, **schedule, keep_draws=25, random_state=seed)
    return lda.fit(X)


def assert_misses(rates, expected, largest_error):
    """Assert that a share of the truth lies beyond an end; rates are one per fit."""
    error = np.std(rates, ddof=1) / np.sqrt(len(rates))
    assert abs(np.mean(rates) - expected) < 4 * error
    assert error < largest_error


@pytest.mark.slow
def test_intervals_cover_the_true_proportions():
    level, below, above, naive = 0.8, [], [], []
    priors = {"doc_topic_prior": 0.5, "topic_word_prior": 0.1}
    for seed in range(40):
        X, theta, phi = make_lda_corpus(
            40, 30, 3, document_length=20, **priors, random_state=seed
        )
        lda = fit_of(X, 0.1, seed)
        topics = match(lda.components_, phi)
        low, high = (end[:, topics] for end in lda.draws_.doc_topic_interval(level))
        below.append((theta < low).mean())
        above.append((theta > high).mean())
        means = [lda.draws_.doc_topic(i)[:, topics] for i in range(25)]
        ends = np.quantile(means, [0.1, 0.9], axis=0)
        naive.append(((ends[0] <= theta) & (theta <= ends[1])).mean())
    assert_misses(below, 0.1, 0.01)
    assert_misses(above, 0.1, 0.01)
    assert np.mean(naive) < level - 0.1  # theta varies around its expectations


@pytest.mark.slow
def test_intervals_cover_the_true_probabilities_of_words():
    # With so small a prior, half of the probabilities are below 1e-8, and a tenth below
    # 1e-30. Ends that stop at 1e-12 lie above .13 of them instead of .025.
    prior, below, above = 0.03, [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        # NumPy's Dirichlet returns 0 for 1 % of them.
        logs = np.log(rng.standard_gamma(prior + 1, (3, 30)))
        phi = np.exp(logs - rng.standard_exponential((3, 30)) / prior)
        phi /= phi.sum(axis=1, keepdims=True)
        X = rng.multinomial(20, rng.dirichlet([0.5] * 3, 40) @ phi)
        lda = fit_of(X, prior, seed)
        words = np.tile(np.arange(30), (3, 1))
        ends = lda.draws_.topic_word_interval(words, 0.95)
        low, high = (end[match(lda.components_, phi)] for end in ends)
        below.append((phi < low).mean())
        above.append((phi > high).mean())
    assert_misses(below, 0.025, 0.005)
    assert_misses(above, 0.025, 0.005)
