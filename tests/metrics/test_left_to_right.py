"""The left-to-right estimate: unbiased, by enumeration, and in every form of X."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.special import gammaln
from sklearn.decomposition import LatentDirichletAllocation

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.metrics import left_to_right_log_likelihood
from sklda.metrics.kernels import left_to_right
from tests.helpers.known_topics import KnownTopics

PHI = np.array([[0.7, 0.2, 0.1, 0.0], [0.1, 0.1, 0.2, 0.6], [0.05, 0.6, 0.3, 0.05]])
ALPHA = np.array([0.2, 0.5, 0.1])


def model_of(components=PHI, alpha=ALPHA):
    known = {"doc_topic_prior_": alpha, "n_features_in_": np.shape(components)[1]}
    return KnownTopics(components, **known)


def exact(row, phi=PHI, alpha=ALPHA):
    """Return p(w) of a document as the sum over all its assignments."""
    words = np.repeat(np.arange(row.size), row)
    total = 0.0
    for z in product(range(len(phi)), repeat=words.size):
        n = np.bincount(z, minlength=len(phi))
        log_prior = gammaln(alpha.sum()) - gammaln(alpha.sum() + words.size)
        log_prior += (gammaln(alpha + n) - gammaln(alpha)).sum()
        total += np.exp(log_prior) * phi[list(z), words].prod()
    return total


@pytest.mark.parametrize("n_particles", [1, 2, 10])
@pytest.mark.parametrize("row", [[2, 1, 0, 3], [1, 1, 1, 1], [0, 4, 0, 3]])
def test_mean_of_estimates_is_the_probability(row, n_particles):
    row = np.array(row)
    n_runs = 4000
    X = np.tile(row, (n_runs, 1))
    options = {"n_particles": n_particles, "random_state": 0}
    probabilities = np.exp(left_to_right_log_likelihood(model_of(), X, **options))
    error = probabilities.std() / np.sqrt(n_runs)
    assert error < 0.05 * exact(row)
    assert abs(probabilities.mean() - exact(row)) < 4.5 * error


def test_more_particles_come_closer():
    row = np.array([3, 0, 2, 2])

    def estimates(n_rows, n):
        X, options = np.tile(row, (n_rows, 1)), {"n_particles": n, "random_state": 0}
        return left_to_right_log_likelihood(model_of(), X, **options)

    spread = [estimates(200, n).std() for n in (1, 10, 100)]
    assert spread[0] > 2 * spread[1] > 4 * spread[2]
    (found,) = estimates(1, 20_000)
    np.testing.assert_allclose(found, np.log(exact(row)), atol=0.01)


def test_what_needs_no_particles_is_exact():
    X = [[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]]
    found = left_to_right_log_likelihood(model_of(), X, n_particles=1)
    mean = ALPHA / ALPHA.sum() @ PHI
    np.testing.assert_allclose(found, [0, np.log(mean[0]), np.log(mean[3])])
    single_topic = model_of([[1, 2, 5]], 0.3)
    found = left_to_right_log_likelihood(single_topic, [[2, 0, 1]], n_particles=1)
    np.testing.assert_allclose(found, [np.log(5 / 8 / 8 / 8)])
    impossible = model_of([[1, 0], [2, 0]], 0.5)
    assert left_to_right_log_likelihood(impossible, [[2, 1]]) == [-np.inf]


def test_result_does_not_depend_on_slices_and_forms_of_X(monkeypatch):
    X, _, topics = make_lda_corpus(30, 40, 5, document_length=30, random_state=0)
    model = model_of(topics, 0.1)
    expected = left_to_right_log_likelihood(model, X, random_state=3)
    for form in (X.toarray(), sparse.csc_array(X)):
        found = left_to_right_log_likelihood(model, form, random_state=3)
        np.testing.assert_array_equal(found, expected)
    monkeypatch.setattr("sklda._data.corpus.MOST_STEPS", 1000)
    found = left_to_right_log_likelihood(model, X, random_state=3)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert (left_to_right_log_likelihood(model, X, random_state=4) != expected).any()


def test_a_document_ends_at_a_probability_of_zero(monkeypatch):
    slices, extend = [], left_to_right.extend

    def count(*args):
        slices.append(args[1:3])
        return extend(*args)

    monkeypatch.setattr("sklda._data.corpus.MOST_STEPS", 1)
    monkeypatch.setattr(left_to_right, "extend", count)
    impossible = model_of([[0, 1, 1], [0, 2, 1]], 0.5)
    assert left_to_right_log_likelihood(impossible, [[1, 9, 9]]) == [-np.inf]
    assert len(slices) == 1  # the next would read topics that nobody wrote


def test_words_may_be_rarer_than_floats_tell():
    model = model_of([[1e-310, 1], [4e-310, 1]], 0.5)
    (found,) = left_to_right_log_likelihood(model, [[2, 0]], random_state=0)
    (expected,) = left_to_right_log_likelihood(
        model_of([[1e-10, 1], [4e-10, 1]], 0.5), [[2, 0]], random_state=0
    )
    assert found == pytest.approx(expected - 2 * 300 * np.log(10), rel=1e-9)


@pytest.mark.parametrize("cls", [CollapsedGibbsLDA, LatentDirichletAllocation])
def test_models_beat_even_words(cls):
    X, _, _ = make_lda_corpus(40, 20, 3, random_state=0)
    lda = cls(3, max_iter=5, random_state=0).fit(X)
    found = left_to_right_log_likelihood(lda, X, random_state=0)
    assert found.shape == (40,)
    assert (-found.sum() / X.sum()) < np.log(20)
