"""One-vs-rest models: separate topics for each class, side by side in one estimator."""

import numpy as np
import pytest

from sklda import MedLDAClassifier, inspection
from sklda.datasets import make_lda_corpus
from tests.helpers.known_topics import columns_are_shown

pytestmark = columns_are_shown

N_CLASSES, N_TOPICS = 3, 4  # topics of each class

X, THETA, _ = make_lda_corpus(60, 12, 3, document_length=20, random_state=0)
X = X.toarray()
X[7] = 0
Y = THETA.argmax(axis=1)


@pytest.fixture(scope="module")
def model():
    """Return a model in which each class has another beta."""
    priors = {"doc_topic_prior": [0.1, 0.2, 0.3, 0.4], "learn_priors": "asymmetric"}
    params = {"multi_class": "ovr", "max_iter": 30, "random_state": 0}
    return MedLDAClassifier(N_TOPICS, **priors, **params).fit(X, Y)


def phi_of(model):
    return model.components_ / model.components_.sum(axis=1, keepdims=True)


def test_documents_are_those_of_transform(model):
    documents, proportions = inspection.top_documents(model, X, 5)
    theta = model.transform(X)
    expected = np.argsort(-theta, axis=0, kind="stable")[:5].T
    np.testing.assert_array_equal(documents, expected)
    expected = np.take_along_axis(theta.T, documents, axis=1)
    np.testing.assert_allclose(proportions, expected)


def test_words_of_documents_compare_topics_of_one_class(model):
    documents, _, words = inspection.top_documents(model, X, 2, n_words=3)
    theta, phi, topic = model.transform(X), phi_of(model), N_TOPICS + 1
    of_class = slice(N_TOPICS, 2 * N_TOPICS)
    for d, found in zip(documents[topic], words[topic], strict=True):
        parts = theta[d, topic] * phi[topic] / (theta[d, of_class] @ phi[of_class])
        expected = np.argsort(-X[d] * parts, kind="stable")[:3]
        np.testing.assert_array_equal(found, expected)


def test_bars_of_documents_are_as_long_as_there_are_classes(pyplot, model):
    chosen = [3, 14, 15]
    display = inspection.DocumentTopicsDisplay.from_estimator(
        model, X, documents=chosen, n_topics=5
    )
    theta = model.transform(X)[chosen]
    expected = np.sort(np.argsort(-theta.sum(axis=0), kind="stable")[:5])
    np.testing.assert_array_equal(display.topics, expected)
    np.testing.assert_allclose(display.proportions, theta[:, expected])
    ends = [bar.get_x() + bar.get_width() for bar in display.bars_[-1]]
    np.testing.assert_allclose(ends, N_CLASSES)
    assert display.ax_.get_xlim() == (0, N_CLASSES)


def test_topic_map(pyplot, model):
    display = inspection.TopicMapDisplay.from_estimator(model)
    tokens = model.components_.copy()
    for label in range(N_CLASSES):
        topics_of_label = slice(label * N_TOPICS, (label + 1) * N_TOPICS)
        tokens[topics_of_label] -= model.topic_word_prior_[label]
    expected = tokens.sum(axis=1) / (N_CLASSES * X.sum())
    np.testing.assert_allclose(display.frequencies, expected)
    by_class = display.frequencies.reshape(N_CLASSES, N_TOPICS)
    np.testing.assert_allclose(by_class.sum(axis=1), 1 / N_CLASSES)
    display = inspection.TopicMapDisplay.from_estimator(model, X=X)
    expected = X.sum(axis=1) @ model.transform(X) / (N_CLASSES * X.sum())
    np.testing.assert_allclose(display.frequencies, expected)


def test_pyldavis_data(model):
    data = inspection.pyldavis_data(model, X)
    kept = np.delete(np.arange(60), 7)
    np.testing.assert_allclose(data["topic_term_dists"], phi_of(model))
    expected = model.transform(X)[kept] / N_CLASSES
    np.testing.assert_allclose(data["doc_topic_dists"], expected)
    np.testing.assert_allclose(data["doc_topic_dists"].sum(axis=1), 1)
