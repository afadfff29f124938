"""Coherence in documents: against a plain version, against gensim."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

from sklda.datasets import make_lda_corpus
from sklda.metrics import topic_coherence
from tests.helpers.gensim_coherence import gensim_coherence


def plain_coherence(components, X, measure, n_words, smoothing):
    """Follow the definitions word by word, with sets of documents."""
    n_documents = len(X)
    documents = [
        {d for d in range(n_documents) if X[d][w] > 0} for w in range(len(X[0]))
    ]
    means = []
    for weights in components:
        ranked = sorted(range(len(weights)), key=lambda w: (-weights[w], w))
        values = []
        for earlier, later in combinations(ranked[:n_words], 2):
            w, v = documents[earlier], documents[later]
            if measure == "u_mass":
                holders = len(w) or n_documents
                values.append(np.log((len(v & w) + smoothing) / holders))
            elif len(v & w) in {0, n_documents}:
                values.append(0 if len(v & w) else -1)
            else:
                joint = len(v & w) / n_documents
                independent = len(v) * len(w) / n_documents**2
                values.append(np.log(joint / independent) / -np.log(joint))
        means.append(sum(values) / len(values))
    return means


@pytest.fixture(scope="module")
def corpus():
    """Return short documents, so that words miss each other, and random topics."""
    X, _, topics = make_lda_corpus(60, 40, 7, document_length=12, random_state=0)
    counts = X.toarray()
    counts[:, [3, 17]] = 0  # words in no document
    counts[:, 5] = 1  # words in all
    counts[:, 6] = 2
    topics[0, [3, 17, 5, 6]] = 1.0
    return counts, topics


@pytest.mark.parametrize("n_words", [2, 5, 40])
@pytest.mark.parametrize(
    ("measure", "smoothing"), [("u_mass", 1.0), ("u_mass", 0.01), ("npmi", 1.0)]
)
def test_coherence_is_that_of_the_plain_version(corpus, measure, n_words, smoothing):
    X, topics = corpus
    found = topic_coherence(topics, X, measure, n_words, smoothing=smoothing)
    expected = plain_coherence(topics, X, measure, n_words, smoothing)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("measure", ["u_mass", "npmi"])
def test_one_document_gives_finite_numbers(measure):
    for X in ([[1, 2, 3]], [[0, 0, 0]], [[1, 0, 1]]):
        assert np.isfinite(topic_coherence(np.eye(3), X, measure, n_words=3)).all()


@pytest.mark.parametrize("measure", ["u_mass", "npmi"])
def test_coherence_does_not_depend_on_the_form_of_X(corpus, measure):
    X, topics = corpus
    expected = topic_coherence(topics, X, measure)
    once = sparse.csr_array(X)
    doubled = sparse.csr_array(
        (np.repeat(once.data, 2), np.repeat(once.indices, 2), 2 * once.indptr),
        shape=X.shape,
    )
    assert not doubled.has_canonical_format
    zeros = sparse.csr_array(X + 1)
    zeros.data -= 1
    before = zeros.data.copy()
    for form in (0.25 * X, doubled, zeros, sparse.coo_array(X), X.astype(">i2")):
        np.testing.assert_array_equal(topic_coherence(topics, form, measure), expected)
    np.testing.assert_array_equal(zeros.data, before)
    np.testing.assert_array_equal(topic_coherence(9 * topics, X, measure), expected)


@pytest.fixture(scope="module")
def dense_corpus():
    """Return documents in which all words occur, and most pairs co-occur."""
    X, _, topics = make_lda_corpus(80, 25, 5, document_length=15, random_state=1)
    assert X.toarray().any(axis=0).all()
    names = [str(w) for w in range(25)]
    texts = [np.repeat(names, row).tolist() for row in X.toarray()]
    return X, topics, texts, names


def test_u_mass_is_that_of_gensim(dense_corpus):
    X, topics, texts, names = dense_corpus
    expected = gensim_coherence(topics, texts, names, 10, coherence="u_mass")
    # It adds 1e-12 to the probability that both are there.
    found = topic_coherence(topics, X, n_words=10, smoothing=1e-12 * X.shape[0])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# --- lists of words, such as those of other programs -------------------------------


@pytest.mark.parametrize("measure", ["u_mass", "npmi"])
def test_lists_of_words_are_topics(dense_corpus, measure):
    X, topics, _, names = dense_corpus
    lists = [[names[w] for w in np.argsort(-row)[:6]] for row in topics]
    expected = topic_coherence(topics, X, measure, n_words=4)
    options = {"n_words": 4, "feature_names": names}
    for topics in (lists, tuple(map(tuple, lists)), np.array(lists)):
        found = topic_coherence(topics, X, measure, **options)
        np.testing.assert_array_equal(found, expected)
    shorter = [words[: 4 + k] for k, words in enumerate(lists)]  # three of them
    found = topic_coherence(shorter, X, measure, **options)
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match=r"feature_names must be given.*X has columns"):
        topic_coherence(lists, X, measure, n_words=4)
    with pytest.raises(ValueError, match=r"feature_names must contain all.* no 'moon'"):
        topic_coherence([["1", "moon"]], X, measure, n_words=2, feature_names=names)
    with pytest.raises(ValueError, match=r"n_words=10 exceeds .* of topic 0, 6"):
        topic_coherence(lists, X, measure, feature_names=names)
    with pytest.raises(ValueError, match=r"lists the word 'a' of topic 1 several"):
        topic_coherence([["b", "a"], ["a", "b", "a"]], X, n_words=2)


@pytest.mark.parametrize("measure", ["c_v", "c_uci", "c_npmi"])
def test_lists_of_words_need_no_names_in_texts(dense_corpus, measure):
    _, topics, texts, names = dense_corpus
    lists = [[names[w] for w in np.argsort(-row)[:6]] for row in topics]
    options = {"measure": measure, "n_words": 6, "texts": texts}
    expected = topic_coherence(topics, feature_names=names, **options)
    for named in ({}, {"feature_names": names}):
        found = topic_coherence(lists, **options, **named)
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_columns_of_other_words_are_refused():
    with pytest.raises(ValueError, match="X has 2: both must have the same words"):
        topic_coherence(np.eye(4), np.ones((3, 2)), n_words=2)
