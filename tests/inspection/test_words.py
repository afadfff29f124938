"""Top words, top documents, and what pyLDAvis takes."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from sklda import CollapsedGibbsLDA
from sklda._fitted.fitted_topics import (
    axis_sums,
    check_counts,
    topic_frequencies,
    topic_proportions,
)
from sklda.datasets import make_lda_corpus
from sklda.inspection import (
    TopicMapDisplay,
    pyldavis_data,
    save_explorer,
    top_documents,
    top_words,
)
from tests.helpers.explorer_page import stored
from tests.helpers.known_topics import KnownTopics, columns_are_shown

pytestmark = columns_are_shown

# Topic 0 has 10 tokens, topic 1 has 30.
COMPONENTS = np.array([[6.0, 3.0, 1.0, 0.0], [14.0, 0.0, 9.0, 7.0]])
NAMES = ["apple", "berry", "cherry", "date"]
THETA = [[0.5, 0.5], [0.9, 0.1], [0.5, 0.5], [0.0, 1.0]]


CORPUS = make_lda_corpus(80, 30, 4, document_length=40, random_state=0)[0]


def plain_scores(components, metric, weight):
    """Follow the definitions word by word."""
    n_topics, n_words = components.shape
    total = components.sum()
    phi = [[c / sum(row) for c in row] for row in components]
    scores = np.empty(components.shape)
    for k in range(n_topics):
        exclusivity = [
            phi[k][w] / sum(phi[j][w] for j in range(n_topics)) for w in range(n_words)
        ]
        for w in range(n_words):
            lift = phi[k][w] / (components[:, w].sum() / total)
            frequent = sum(p <= phi[k][w] for p in phi[k]) / n_words
            exclusive = sum(e <= exclusivity[w] for e in exclusivity) / n_words
            scores[k, w] = {
                "probability": phi[k][w],
                "lift": lift,
                "relevance": weight * np.log(phi[k][w]) + (1 - weight) * np.log(lift),
                "frex": 1 / (weight / exclusive + (1 - weight) / frequent),
            }[metric]
    return scores


@pytest.mark.parametrize(
    ("metric", "weight", "default"),
    [
        ("probability", None, 0.0),
        ("lift", None, 0.0),
        ("relevance", None, 0.6),
        ("frex", None, 0.5),
        ("frex", 0.9, 0.9),
    ],
)
def test_words_are_those_of_the_plain_version(metric, weight, default):
    components = np.random.default_rng(0).gamma(0.3, size=(5, 40)) + 0.01
    found = top_words(KnownTopics(components), None, 40, metric, weight=weight)
    scores = plain_scores(components, metric, default)
    ordered = np.take_along_axis(scores, np.array(found, dtype=int), axis=1)
    np.testing.assert_array_less(np.diff(ordered), 1e-12)
    assert all(sorted(map(int, words)) == list(range(40)) for words in found)


def test_ties_are_broken_by_column():
    components = [[2, 1, 2, 1, 2, 1], [0, 0, 0, 0, 0, 1], [0] * 6]
    model = KnownTopics(np.array(components, dtype=float))
    for metric in ("probability", "relevance", "lift", "frex"):
        words = top_words(model, n_words=4, metric=metric)
        # All words but the last have the same lift.
        assert words[0] == list("0123" if metric == "lift" else "0241")
        assert words[1] == ["5", "0", "1", "2"]
    assert top_words(model, n_words=3)[2] == []  # no word has any weight


@pytest.mark.parametrize(
    "ranking",
    [{"metric": name, "weight": w} for name in ("relevance", "frex") for w in (0, 1)],
)
def test_words_without_weight_come_last(ranking):
    model = KnownTopics([[0.0, 3.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
    words = top_words(model, NAMES, 4, **ranking)
    assert set(words[0][:2]) == {"berry", "date"}
    assert words[0][2:] == ["apple", "cherry"]


def test_default_names():
    words = "column numbers.*Pass.*names"
    with pytest.warns(UserWarning, match=words) as told:
        assert top_words(KnownTopics(COMPONENTS), n_words=2) == [["0", "1"], ["0", "2"]]
    assert told[0].filename == __file__
    named = KnownTopics(COMPONENTS, feature_names_in_=np.array(NAMES, dtype=object))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert top_words(named, n_words=2) == [["apple", "berry"], ["apple", "cherry"]]
        assert top_words(named, ["p", "q", "r", "s"], 1) == [["p"], ["p"]]


def test_wrong_names_say_where_they_come_from():
    with pytest.raises(ValueError, match=r"2 names.* 4 words.*were its rows, fit X\.T"):
        top_words(KnownTopics(COMPONENTS), ["first post", "second post"])
    named = KnownTopics(COMPONENTS, feature_names_in_=np.array(NAMES, dtype=object))
    message = "3 names.* 4 words.* differ: 'apple', 'berry' only in fit and 'fig'"
    with pytest.raises(ValueError, match=message):
        top_words(named, ["cherry", "date", "fig"])


def test_factors_become_topic_proportions():
    # The first document has 2 * 10 tokens in topic 0 and 1 * 30 in topic 1.
    model = KnownTopics(COMPONENTS, [[2, 1], [0, 5], [0, 0]])
    np.testing.assert_allclose(
        topic_proportions(model, None), [[0.4, 0.6], [0, 1], [0.5, 0.5]]
    )


def test_topic_frequencies_exclude_the_prior():
    lda = CollapsedGibbsLDA(4, max_iter=1, random_state=0).fit(CORPUS)
    expected = np.bincount(lda.topic_assignments_, minlength=4) / CORPUS.sum()
    np.testing.assert_allclose(topic_frequencies(lda), expected)


def test_documents_by_hand():
    documents, proportions = top_documents(KnownTopics(COMPONENTS, THETA), None, 3)
    np.testing.assert_array_equal(documents, [[1, 0, 2], [3, 0, 2]])
    np.testing.assert_allclose(proportions, [[0.9, 0.5, 0.5], [1.0, 0.5, 0.5]])


@pytest.mark.parametrize("as_matrix", [np.array, sparse.csr_array])
def test_words_of_documents_by_hand(as_matrix):
    X = as_matrix([[9, 0, 1, 4], [2, 8, 1, 0], [0, 0, 0, 0], [1, 0, 1, 1]])
    model = KnownTopics(COMPONENTS, THETA)
    documents, proportions, words = top_documents(model, X, 4, n_words=3)
    expected = top_documents(model, X, 4)
    np.testing.assert_array_equal(documents, expected[0])
    np.testing.assert_array_equal(proportions, expected[1])
    # Topic 0 has 0.9 of document 1, so 8 berries, 1.85 apples of 2, 0.75 cherries of 1.
    assert words[0][0].tolist() == [1, 0, 2]
    # Both have half of document 0: 5.06 apples of 9, 0.25 cherries of 1, no date.
    assert words[0][1].tolist() == [0, 2]
    assert words[1][1].tolist() == [3, 0, 2]
    # Document 2 is empty, and document 3 has no topic 0.
    assert [found.tolist() for found in words[0][2:]] == [[], []]


def test_pyldavis_data():
    lda = CollapsedGibbsLDA(4, max_iter=30, random_state=0).fit(CORPUS)
    X = sparse.lil_array(CORPUS)
    X[[0, 7]] = 0
    X = sparse.csr_array(X)
    kept = np.delete(np.arange(80), [0, 7])  # documents with tokens
    names = [f"word {w}" for w in range(30)]
    expected = {
        "topic_term_dists": lda.topic_word_,
        "doc_topic_dists": lda.transform(X)[kept],
        "doc_lengths": X.sum(axis=1)[kept],
        "term_frequency": X.sum(axis=0),
    }
    data = pyldavis_data(lda, X, names)
    assert data.pop("vocab") == names
    assert data.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_allclose(data[name], values)


# --- sums near the ends of their types ----------------------------------------

# Each sum of a row or a column is above 65,504, the largest float16.
WIDE = 2048.0 * np.random.default_rng(0).integers(5, 20, (12, 7))
NARROW = WIDE.astype(np.float16)
LDA = CollapsedGibbsLDA(3, max_iter=4, random_state=0).fit(WIDE // 2048)


def test_float32_loses_no_tokens():
    X = np.array([[2**24, 1.0, 1.0]], np.float32)  # of which it holds no next number
    assert axis_sums(check_counts(X), axis=1).tolist() == [2**24 + 2]


SHARES = np.random.default_rng(1).dirichlet(np.ones(3), 12)


@pytest.mark.parametrize("model", [LDA, KnownTopics(LDA.components_, SHARES)])
@pytest.mark.usefixtures("pyplot")
def test_functions_of_documents(model, tmp_path):
    def results(X):
        path = save_explorer(tmp_path / "page.html", model, X, feature_names=None)
        yield from (pyldavis_data(model, X), top_documents(model, X, 3), stored(path))
        yield TopicMapDisplay.from_estimator(model, X=X).frequencies

    for found, expected in zip(results(NARROW), results(WIDE), strict=True):
        np.testing.assert_equal(found, expected)


@pytest.mark.parametrize("metric", ["probability", "relevance", "lift", "frex"])
def test_the_largest_weights(metric):
    weights = np.array([[5.0, 3, 1, 0.5], [0.5, 1, 4, 5]])
    large = KnownTopics(3e307 * weights)
    names = list("abcd")
    expected = top_words(KnownTopics(weights), names, 3, metric)
    assert top_words(large, names, 3, metric) == expected
    display = TopicMapDisplay.from_estimator(large)
    np.testing.assert_allclose(display.frequencies, [9.5 / 20, 10.5 / 20])
