"""Starts of chains: `init`, and topics of tokens under given topics."""

import itertools

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator

from sklda import CVBLDA
from sklda._engine import start
from sklda._engine.kernels import start as start_kernels
from sklda._sampling.problem import Problem
from sklda._sampling.threads import Threads
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import corpus_of, random_corpus
from tests.helpers.enumeration import RIGHT
from tests.helpers.known_topics import KnownTopics
from tests.helpers.mutants import streams
from tests.helpers.ways_to_fit import GIBBS

K, V = 4, 30
X, _, TOPICS = make_lda_corpus(60, V, K, document_length=30, random_state=0)
each = pytest.mark.parametrize("name", GIBBS)


def fit(name="registers", documents=X, **params):
    params = {"n_components": K, "max_iter": 4, "random_state": 0, **params}
    return clone(GIBBS[name]).set_params(**params).fit(documents)


PHI = np.array([[0.5, 0.2, 0.0], [1.0, 0.1, 0.7]])  # words x topics
ALPHA = np.array([0.3, 1.2, 0.6])
WORDS = [0, 0, 1]  # of the tokens of a document


def probabilities(n_passes):
    """Return the probability of all topics of three tokens after some passes."""
    n_topics, n = ALPHA.size, len(WORDS)
    prob = np.zeros((n_topics + 1,) * n)  # the last: none yet
    prob[(n_topics,) * n] = 1
    for token in [*range(n)] * n_passes:
        new = np.zeros_like(prob)
        for z in itertools.product(range(n_topics + 1), repeat=n):
            others = [k for i, k in enumerate(z) if i != token and k < n_topics]
            weight = ALPHA + np.bincount(others, minlength=n_topics)
            weight = weight * PHI[WORDS[token]]
            for k in range(n_topics):
                to = (*z[:token], k, *z[token + 1 :])
                new[to] += prob[z] * weight[k] / weight.sum()
        prob = new
    return prob[(slice(n_topics),) * n]


def chi_square(n_passes, draw=start_kernels.draw_topics):
    n_docs, n_topics = 20_000, ALPHA.size
    corpus = corpus_of(np.tile([2, 1], (n_docs, 1)))
    phi, alpha = np.zeros((2, 16), np.float32), np.zeros(16, np.float32)
    phi[:, :n_topics], alpha[:n_topics] = PHI, ALPHA
    z = np.zeros(3 * n_docs, np.uint16)
    draw(corpus, z, phi, alpha, n_passes, streams(0).kernel)
    assert z.max() < n_topics
    seen = np.zeros((n_topics,) * 3)
    np.add.at(seen, tuple(z.reshape(n_docs, 3).T), 1)
    expected = n_docs * probabilities(n_passes)
    assert seen[expected == 0].sum() == 0
    is_possible = expected > 0
    return stats.chisquare(seen[is_possible], expected[is_possible]).pvalue


@pytest.mark.parametrize("n_passes", [1, 2, 3])
def test_draws_are_those_of_the_equation(n_passes):
    assert chi_square(n_passes) > RIGHT


def test_other_draws_are_found():
    def one_pass_less(corpus, z, phi, alpha, n_passes, rng):
        start_kernels.draw_topics(corpus, z, phi, alpha, n_passes - 1, rng)

    def other_prior(corpus, z, phi, alpha, n_passes, rng):
        start_kernels.draw_topics(corpus, z, phi, alpha * 1.2, n_passes, rng)

    assert chi_square(2, one_pass_less) < RIGHT
    assert chi_square(2, other_prior) < RIGHT


def test_large_and_small_priors_draw_valid_topics():
    corpus = random_corpus(0, mean=3)
    for alpha, beta in ((1e10, 1e10), (1e-10, 1e-10)):
        problem = Problem(corpus, 9, np.full(K, alpha), beta)
        z = start.first_topics(np.eye(K, 9), problem, streams(0), Threads())
        assert z.max() < K


@each
def test_a_chain_begins_under_given_topics(name):
    tokens = np.repeat(X.tocoo().col, X.tocoo().data)
    blocks = np.kron(np.eye(K), np.ones((1, -(-V // K))))[:, :V]
    lda = fit(name, init=blocks, max_iter=1, topic_word_prior=1e-6)
    # A word of one topic stays there, unless it has only one token.
    agrees = lda.topic_assignments_ == blocks.argmax(0)[tokens]
    assert agrees.mean() > 0.99


def test_models_and_arrays_are_the_same():
    other = LatentDirichletAllocation(K, random_state=0, max_iter=2).fit(X)
    expected = fit(init=other.components_)
    for init in (other, FrozenEstimator(other), other.components_.tolist()):
        lda = fit(init=init)
        assert_same_fit(lda, expected)
    assert_same_fit(fit(init=1e300 * other.components_), expected)
    for model in (CVBLDA(K, random_state=0, tol=0, max_iter=2).fit(X), expected):
        before = model.components_.copy()
        assert_same_fit(fit(init=model), fit(init=before))
        np.testing.assert_array_equal(model.components_, before)


def test_narrow_numbers_are_those_of_wide_ones():
    # Words but the first have one topic each, with weights that float16 cannot divide
    # by that of the first.
    narrow = np.kron(np.eye(K), np.full((1, -(-V // K)), 1e-4))[:, :V]
    narrow = narrow.astype(np.float16)
    narrow[:, 0] = 6e4
    expected = fit(init=narrow.astype(float), max_iter=1)
    assert_same_fit(fit(init=narrow, max_iter=1), expected)


def test_words_of_a_model_in_another_order_are_refused():
    pandas = pytest.importorskip("pandas")
    names = np.array([f"w{w:02}" for w in range(V)], object)
    frame = pandas.DataFrame(X.toarray(), columns=names)
    expected = fit(init=TOPICS)
    same = KnownTopics(TOPICS, feature_names_in_=names)
    for init, documents in ((same, frame), (same, X), (KnownTopics(TOPICS), frame)):
        found = fit(documents=documents, init=init)
        np.testing.assert_array_equal(found.components_, expected.components_)
    for other, words in (
        (names[::-1], "X and init have .* the same words in a different order"),
        (np.append(names, "zz"), "vocabularies: 'zz' only in init. Fit all"),
        (
            np.append(names[4:], "zz"),
            "'w00', 'w01', 'w02' and 1 more only in X and 'zz'",
        ),
    ):
        init = KnownTopics(TOPICS, feature_names_in_=other)
        with pytest.raises(ValueError, match=words):
            fit(documents=frame, init=init)


def test_old_topics_are_kept_and_new_ones_added():
    documents, theta, planted = make_lda_corpus(
        400, V, K + 2, document_length=40, random_state=0
    )
    by_new = np.argsort(theta[:, K:].sum(axis=1))  # the first 200 have least of both
    known, new = documents[by_new[:200]], documents[by_new[200:]]
    old = fit(documents=known, max_iter=200)
    frequencies = np.asarray(documents.sum(axis=0)).ravel() / documents.sum()
    init = np.vstack([old.topic_word_, np.tile(frequencies, (2, 1))])
    beta = np.full((2, V), old.topic_word_prior_)
    params = {"n_components": K + 2, "init": init, "max_iter": 200}
    free = fit(documents=documents, **params)
    prior = np.vstack([old.components_, beta])
    held = fit(documents=new, topic_word_prior=prior, **params)

    def distances(lda, topics):
        affinities = np.sqrt(lda.topic_word_) @ np.sqrt(topics).T
        return np.sqrt(1 - affinities)

    for lda, drift in ((free, 0.1), (held, 0.04)):
        from_old = distances(lda, old.topic_word_)
        assert from_old.argmin(axis=0).tolist() == [*range(K)]
        assert from_old.diagonal().max() < drift
        from_planted = distances(lda, planted)[K:]
        assert set(from_planted.argmin(axis=1)) == {K, K + 1}
        assert from_planted.min(axis=1).max() < 0.15


def test_words_without_a_topic_may_have_any():
    topics = np.eye(K, V)
    assert set(fit(init=topics, max_iter=1).topic_assignments_) == set(range(K))


def test_a_clone_says_why_its_model_is_not_fitted():
    lda = fit(init=fit())
    with pytest.raises(NotFittedError, match=r"Cloning .* init=model\.components_"):
        clone(lda).fit(X)
    frozen = fit(init=FrozenEstimator(fit()))
    assert_same_fit(clone(frozen).fit(X), frozen)
