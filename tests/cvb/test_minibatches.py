"""CVBLDA.partial_fit: minibatches, and the weight of earlier documents.

`tests/test_properties.py` has the steps of any minibatches.
"""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation

from sklda import CVBLDA, lda_from_components
from sklda._cvb.kernels.stochastic import add_expected_counts
from sklda._data.corpus import check_weights
from sklda._fitted.fold_in import make_topics
from sklda.datasets import make_lda_corpus
from sklda.metrics import document_completion_score
from tests.cvb.test_cvb import X, make
from tests.helpers.comparison import assert_same_fit, fitted

MANY, _, TOPICS = make_lda_corpus(
    1800,
    400,
    8,
    document_length=60,
    doc_topic_prior=0.1,
    topic_word_prior=0.05,
    random_state=0,
)
TRAIN, TEST = MANY[:1500], MANY[1500:]


def unigram(train, test):
    """Return the score of a model that knows the frequencies of words, not topics."""
    frequency, counts = (np.asarray(part.sum(axis=0)).ravel() for part in (train, test))
    frequency = frequency + 0.1
    return counts @ np.log(frequency / frequency.sum()) / counts.sum()


def streamed(cls, train, size):
    model = cls(8, total_samples=train.shape[0], random_state=0)
    for first in range(0, train.shape[0], size):
        model.partial_fit(train[first : first + size])
    return model


@pytest.mark.parametrize("size", [1, 20, 500, 1500])
def test_any_division_into_calls_predicts_as_well_as_scikit_learn(size):
    model = streamed(CVBLDA, TRAIN, size)
    best = streamed(LatentDirichletAllocation, TRAIN, max(size, 128))
    score = document_completion_score(model, TEST)
    assert score > document_completion_score(best, TEST)
    assert score > unigram(TRAIN, TEST) + 0.7


@pytest.mark.parametrize("known", [{}, {"total_samples": 1510}])
def test_topics_of_a_fit_weigh_as_its_documents(known):
    model = CVBLDA(8, random_state=0, **known).fit(TRAIN)
    assert model.n_samples_seen_ == 1500
    score, total = document_completion_score(model, TEST), model.components_.sum()
    model.partial_fit(TEST[:10])
    assert model.n_samples_seen_ == 1510
    assert document_completion_score(model, TEST[10:]) > score - 0.1
    assert model.components_.sum() == pytest.approx(total * 1510 / 1500, rel=1e-3)


@pytest.mark.parametrize("n_tokens", [1, 60 * 500 / 8])
@pytest.mark.parametrize("total_samples", [500, None])
def test_given_topics_are_not_forgotten(total_samples, n_tokens):
    model = lda_from_components(n_tokens * TOPICS, doc_topic_prior=0.1)
    score = document_completion_score(model, TEST)
    model.set_params(total_samples=total_samples).partial_fit(TRAIN[:1])
    assert document_completion_score(model, TEST) > score - 0.01
    unknown = n_tokens == 1 and total_samples is None
    assert model.n_samples_seen_ == (10_001 if unknown else 501)
    for _ in range(20):  # but they learn
        model.partial_fit(TRAIN[:1])
    assert (model.topic_word_ - TOPICS).max() > 1e-4


@pytest.mark.parametrize("least", [1e-20, 1e-30, 1e-300])
@pytest.mark.parametrize("scale", [1, 1e300])
def test_an_improbable_word_leaves_topics_finite(least, scale):
    topics = scale * np.array([[0.6, 0.4, 4 * least], [0.3, 0.7, least]])
    for rate in (1, 1e-40):
        model = lda_from_components(topics, doc_topic_prior=1e-10)
        model.partial_fit(rate * np.array([[5, 3, 1], [2, 2, 0]]))
        assert np.isfinite(model.components_).all()
        np.testing.assert_allclose(model.transform(np.eye(3)).sum(axis=1), 1)


@pytest.mark.parametrize("offset", [0, 10])
def test_an_empty_minibatch_moves_nothing(offset):
    model = make(learning_offset=offset).partial_fit(np.zeros((3, 30)))
    start = model.components_
    assert len(np.unique(start, axis=0)) == len(start)  # equal topics remain equal
    np.testing.assert_array_equal(
        model.partial_fit(np.zeros((2, 30))).components_, start
    )
    for _ in range(40):
        model.partial_fit(X)
    assert model.score(X) > max(make(max_iter=60).fit(X).score(X) - 0.15, unigram(X, X))


@pytest.fixture(scope="module")
def short_texts():
    """Return texts of ten words, test texts, and the score of word frequencies."""
    X, _, _ = make_lda_corpus(
        21_000,
        2_000,
        20,
        document_length=10,
        doc_topic_prior=0.1,
        topic_word_prior=0.02,
        random_state=1,
    )
    train, test = X[:20_000], X[20_000:]
    return train, test, unigram(train, test)


@pytest.mark.parametrize(
    "params", [{}, {"batch_size": 256}, {"learning_decay": 0.7}], ids=str
)
def test_short_texts(short_texts, params):
    train, test, words_alone = short_texts
    model = CVBLDA(20, random_state=0, **params).partial_fit(train)
    score = document_completion_score(model, test)
    # Topics that follow the noise of a minibatch predict worse than word frequencies.
    assert score > words_alone + 0.55


def test_short_texts_go_on_from_fit(short_texts):
    train, test, _ = short_texts
    model = CVBLDA(20, approximation="zero-order", random_state=0)
    all_texts = document_completion_score(clone(model).fit(train), test)
    score = document_completion_score(model.fit(train[:4_000]), test)
    model.partial_fit(train[4_000:])
    further = document_completion_score(model, test)
    assert further > score + 0.05
    assert further == pytest.approx(all_texts, abs=0.03)


def plain_counts(X, phi, alpha, n_passes):
    """Return the expected counts of words in topics, (n_words, n_topics)."""
    expected = np.zeros(phi.shape)
    for counts in X:
        gamma = np.zeros(phi.shape)
        for _ in range(n_passes):
            for w in np.flatnonzero(counts):
                others = counts @ gamma - min(counts[w], 1) * gamma[w]
                gamma[w] = (alpha + others) * phi[w]
                gamma[w] /= gamma[w].sum()
        expected += counts[:, np.newaxis] * gamma
    return expected


@pytest.mark.parametrize("n_passes", [1, 4])
@pytest.mark.parametrize("n_topics", [1, 5, 21])
def test_expected_counts_leave_out_the_token_that_they_weigh(n_topics, n_passes):
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.7, (30, 12)) * rng.choice([1, 0.3, 2.5], (30, 12))
    alpha = rng.uniform(0.05, 0.5, n_topics)
    phi = rng.uniform(0.1, 1, (12, n_topics))
    topics = make_topics(phi, alpha)
    expected = np.zeros_like(topics.word_topic)
    add_expected_counts(
        check_weights(CVBLDA(), counts, reset=True, whole=False),
        topics.word_topic,
        topics.doc_topic_prior,
        n_passes,
        expected,
    )
    right = plain_counts(counts, phi, alpha, n_passes)
    np.testing.assert_allclose(expected[:, :n_topics], right, rtol=1e-4, atol=1e-4)
    assert not expected[:, n_topics:].any()


def test_steps_that_forget_everything():
    # Each minibatch replaces the one before, so the scale of the table falls to 0.
    model = make(batch_size=1, learning_offset=0, learning_decay=1e-9 + 0.5)
    for _ in range(2):
        model.partial_fit(X[[0] * 5_000])
    assert (model.components_ - 0.25).sum() == pytest.approx(10_000 * X[0].sum())


def test_partial_fit_goes_on_from_fit_and_fit_starts_anew():
    model = make(total_samples=80, learning_offset=100).fit(X)
    score, before = model.score(X), fitted(model)
    with pytest.raises(ValueError, match=r"n_components=7, but.* continues 4 topics"):
        model.set_params(n_components=7).partial_fit(X)
    assert fitted(model) == before
    model.set_params(n_components=4).partial_fit(X)
    assert model.score(X) == pytest.approx(score, abs=0.05)
    assert model.n_samples_seen_ == 160
    for name in ("doc_topic_", "bound_", "bound_iter_", "n_iter_"):
        assert not hasattr(model, name)
    model.fit(X)
    assert model.n_samples_seen_ == 80
    assert_same_fit(model, make().fit(X))
