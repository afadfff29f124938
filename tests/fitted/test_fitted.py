"""Fitted attributes and their meaning: counts, trace, samples kept."""

import numpy as np
import pytest
from sklearn.base import clone

from tests.helpers.comparison import assert_same_fit
from tests.helpers.enumeration import TinyProblem
from tests.helpers.small_fits import X, fit, make
from tests.helpers.ways_to_fit import GIBBS

N_TOKENS = int(X.sum())


def tokens(X):
    """Return document and word of each token, in CSR order."""
    X = X.tocoo()
    order = np.lexsort([X.col, X.row])
    times = X.data[order]
    return np.repeat(X.row[order], times), np.repeat(X.col[order], times)


def recount(model, X):
    """Return n_kw and n_dk of the last sweep, from its assignments alone."""
    doc, word = tokens(X)
    z = model.topic_assignments_
    n_topics = model.n_components
    topic_word = np.zeros((n_topics, X.shape[1]), int)
    doc_topic = np.zeros((X.shape[0], n_topics), int)
    np.add.at(topic_word, (z, word), 1)
    np.add.at(doc_topic, (doc, z), 1)
    return topic_word, doc_topic


def log_joint(model, X):
    """Return log p(w, z | alpha, beta), in plain Python."""
    rows = X.toarray().tolist()
    docs = [[(w, n) for w, n in enumerate(row) if n > 0] for row in rows]
    alpha, beta = model.doc_topic_prior_.tolist(), model.topic_word_prior_
    tiny = TinyProblem(docs, X.shape[1], alpha, beta)
    return tiny.log_joint(model.topic_assignments_.tolist())


@pytest.mark.parametrize("n_topics", [1, 4, 21])
@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize("name", GIBBS)
def test_attributes_are_counts_of_the_last_sweep(name, n_topics, form):
    alpha = np.linspace(0.1, 0.9, n_topics)
    params = {"n_components": n_topics, "doc_topic_prior": alpha, "random_state": 0}
    params |= {"topic_word_prior": 0.3, "max_iter": 10, "burn_in": 9}
    model = clone(GIBBS[name]).set_params(**params).fit(X.asformat(form))
    topic_word, doc_topic = recount(model, X)
    np.testing.assert_allclose(model.components_, topic_word + 0.3)
    theta = (doc_topic + alpha) / (doc_topic + alpha).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.doc_topic_, theta)
    np.testing.assert_allclose(model.log_joint_[-1], log_joint(model, X), rtol=1e-10)
    expected = model.components_ / model.components_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.topic_word_, expected)
    assert model.topic_assignments_.shape == (N_TOKENS,)
    assert model.topic_assignments_.dtype == np.uint16
    assert set(model.topic_assignments_) == set(range(n_topics))


@pytest.mark.parametrize("n_topics", [2, 5])
def test_default_priors_are_one_over_the_number_of_topics(n_topics):
    model = fit(n_components=n_topics)
    assert model.doc_topic_prior_.tolist() == [1 / n_topics] * n_topics
    assert model.topic_word_prior_ == 1 / n_topics
    # One prior for all is an array of it.
    for alpha in (1 / n_topics, [1 / n_topics] * n_topics, np.array(1 / n_topics)):
        priors = {"doc_topic_prior": alpha, "topic_word_prior": 1 / n_topics}
        assert_same_fit(model, fit(n_components=n_topics, **priors))


def test_the_prior_of_the_caller_is_neither_changed_nor_kept():
    alpha = np.full(4, 0.7)
    model = fit(doc_topic_prior=alpha, learn_priors="asymmetric", max_iter=30)
    assert alpha.tolist() == [0.7] * 4
    assert not np.shares_memory(model.doc_topic_prior_, alpha)
    assert not np.shares_memory(fit(doc_topic_prior=alpha).doc_topic_prior_, alpha)


def test_trace_is_the_closed_form_under_learned_priors():
    model = fit(n_components=6, max_iter=60, learn_priors="asymmetric")
    assert model.log_joint_iter_[-1] == 60
    # Sums of 1,200 lgammas in float64: an error would leave far fewer digits.
    np.testing.assert_allclose(model.log_joint_[-1], log_joint(model, X), rtol=1e-10)


@pytest.mark.parametrize("max_iter", [1, 2, 9])
def test_moved_tokens_are_those_whose_topic_a_sweep_changes(max_iter):
    before = fit(max_iter=max_iter).topic_assignments_
    model = fit(max_iter=max_iter + 1)
    assert model.moved_tokens_.shape == (max_iter + 1,)
    share = np.mean(model.topic_assignments_ != before)
    np.testing.assert_allclose(model.moved_tokens_[-1], share, rtol=1e-12)


def test_moved_tokens_of_a_large_corpus_are_an_estimate():
    counts = np.random.default_rng(0).poisson(2, size=(700, 150))  # 210,000 tokens
    before, model = (make(max_iter=n, burn_in=0).fit(counts) for n in (4, 5))
    share = np.mean(model.topic_assignments_ != before.topic_assignments_)
    np.testing.assert_allclose(model.moved_tokens_[-1], share, atol=0.01)


@pytest.mark.parametrize("name", GIBBS)
@pytest.mark.parametrize(
    ("burn_in", "thin", "kept"),
    [
        (4, 3, [7, 10]),
        (9, 1, [10]),
        (None, 1, [6, 7, 8, 9, 10]),
        (0, 5, [5, 10]),
        (0, 99, [10]),
    ],
)
def test_kept_samples(name, burn_in, thin, kept):
    params = {"n_components": 4, "init": "random", "learn_priors": None}
    lda = clone(GIBBS[name]).set_params(random_state=0, **params)
    model = clone(lda).set_params(max_iter=10, burn_in=burn_in, thin=thin).fit(X)
    # The chain does not depend on its length: stop it at each sample in turn.
    samples = [
        clone(lda).set_params(max_iter=sweep, burn_in=sweep - 1).fit(X)
        for sweep in kept
    ]
    for name in ("components_", "doc_topic_"):
        mean = np.mean([getattr(sample, name) for sample in samples], axis=0)
        np.testing.assert_allclose(getattr(model, name), mean, rtol=1e-12)
    assert len({sample.components_.tobytes() for sample in samples}) == len(kept)
    np.testing.assert_array_equal(
        model.topic_assignments_, samples[-1].topic_assignments_
    )
