"""Coherence in windows of texts: against a plain version, against gensim."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from sklda.metrics import _windows, topic_coherence
from tests.helpers.gensim_coherence import gensim_coherence
from tests.helpers.known_topics import KnownTopics

WINDOW_MEASURES = ["c_v", "c_uci", "c_npmi"]
NAMES = [f"w{i}" for i in range(12)]


@pytest.fixture(scope="module")
def texts():
    """Return texts of different lengths, one empty, one without any word looked for."""
    rng = np.random.default_rng(0)
    words = np.array([*NAMES, "x", "y", "z"])
    lengths = [0, 1, 4, 5, 6, *rng.integers(1, 60, 40)]
    lists = [rng.choice(words, n, p=rng.dirichlet(np.ones(15))) for n in lengths]
    return [tokens.tolist() for tokens in lists] + [["x"] * 9]


@pytest.fixture(scope="module")
def topics():
    return np.random.default_rng(1).random((4, len(NAMES)))


def plain_counts(texts, words, window):
    """Count windows one by one: in how many are both words, and how many are there."""
    sets = [
        set(tokens[start : start + window])
        for tokens in texts
        for start in range(max(len(tokens) - window + 1, 1))
    ]
    together = [[sum({v, w} <= one for one in sets) for v in words] for w in words]
    return np.array(together), len(sets)


def plain_coherence(texts, words, measure, window):
    """Follow the definitions word by word."""
    together, n = plain_counts(texts, words, window)

    def pmi(v, w, *, normalised):
        if together[v, v] == 0 or together[w, w] == 0:
            return 0
        joint = together[v, w] / n + 1e-12
        value = np.log(joint / (together[v, v] / n * together[w, w] / n))
        return value / -np.log(joint) if normalised else value

    places = range(len(words))
    if measure != "c_v":
        normalised = measure == "c_npmi"
        pairs = combinations(places, 2)
        return np.mean([pmi(v, w, normalised=normalised) for v, w in pairs])
    vectors = np.array([[pmi(v, w, normalised=True) for v in places] for w in places])
    total = vectors.sum(axis=0)
    norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(total)
    return np.mean(vectors @ total / norms)


@pytest.mark.parametrize("window", [1, 2, 5, 110])
@pytest.mark.parametrize("measure", WINDOW_MEASURES)
def test_coherence_is_that_of_the_plain_version(texts, topics, measure, window):
    options = {"n_words": 5, "texts": texts, "feature_names": NAMES, "window": window}
    found = topic_coherence(topics, measure=measure, **options)
    expected = [
        plain_coherence(texts, [NAMES[w] for w in top], measure, window)
        for top in np.argsort(-topics, axis=1)[:, :5]
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("block_size", [1, 50])
def test_blocks_of_texts_change_nothing(texts, topics, monkeypatch, block_size):
    options = {"measure": "c_v", "n_words": 5, "feature_names": NAMES, "window": 7}
    expected = topic_coherence(topics, texts=texts, **options)
    monkeypatch.setattr(_windows, "_BLOCK_SIZE", block_size)
    found = topic_coherence(topics, texts=iter(texts), **options)
    np.testing.assert_array_equal(found, expected)


def test_words_in_all_windows_and_in_none():
    texts = [["a", "b"], ["b", "a"]]
    options = {"n_words": 2, "texts": texts, "feature_names": ["a", "b", "c", "d"]}
    topics = [[2, 2, 0, 0], [2, 0, 2, 0], [0, 0, 1, 1]]
    for measure in WINDOW_MEASURES:
        found = topic_coherence(topics, measure=measure, **options)
        np.testing.assert_allclose(found, 0, atol=1e-11)


def test_default_windows(texts, topics):
    options = {"n_words": 5, "texts": texts, "feature_names": NAMES}
    for measure, window in (("c_v", 110), ("c_uci", 10), ("c_npmi", 10)):
        np.testing.assert_array_equal(
            topic_coherence(topics, measure=measure, **options),
            topic_coherence(topics, measure=measure, window=window, **options),
        )


def test_strings_are_split_as_by_count_vectorizer(texts, topics):
    joined = [" ".join(tokens).upper() for tokens in texts]
    split = list(map(CountVectorizer().build_analyzer(), joined))
    assert "x" not in split[-1]  # one letter is no word
    options = {"measure": "c_uci", "n_words": 5, "feature_names": NAMES}
    expected = topic_coherence(topics, texts=split, **options)
    for form in (joined, tuple(joined), np.array(joined), np.array(joined, object)):
        found = topic_coherence(topics, texts=form, **options)
        np.testing.assert_array_equal(found, expected)
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(joined, range(9, 55))
    found = topic_coherence(topics, texts=series, **options)
    np.testing.assert_array_equal(found, expected)


def test_estimators_are_taken_for_their_components_and_names(texts, topics):
    model = KnownTopics(topics, feature_names_in_=np.array(NAMES, object))
    options = {"measure": "c_v", "n_words": 4, "texts": texts}
    np.testing.assert_array_equal(
        topic_coherence(model, **options),
        topic_coherence(topics, feature_names=NAMES, **options),
    )
    X = CountVectorizer(analyzer=list, vocabulary=NAMES).transform(texts)
    np.testing.assert_array_equal(topic_coherence(model, X), topic_coherence(topics, X))
    with pytest.raises(ValueError, match=r"feature_names must be given.*vectorizer"):
        topic_coherence(KnownTopics(topics), **options)


def test_measures_of_documents_take_no_texts(texts, topics):
    X = np.ones((3, len(NAMES)))
    for arguments, words in (
        ({"X": X, "texts": texts, "measure": "npmi"}, "texts has no effect.*'npmi'"),
        ({"X": X, "window": 10}, "window has no effect for measure='u_mass'"),
    ):
        with pytest.raises(ValueError, match=words):
            topic_coherence(topics, **arguments)


@pytest.mark.parametrize("measure", WINDOW_MEASURES)
def test_coherence_is_that_of_gensim(topics, measure):
    # Without repeated words: gensim takes a word for absent from a window once one of
    # its occurrences has left.
    rng = np.random.default_rng(0)
    texts = [rng.permutation(NAMES)[:n].tolist() for n in rng.integers(2, 13, 80)]
    found = topic_coherence(
        topics, measure=measure, n_words=6, texts=texts, feature_names=NAMES, window=4
    )
    expected = gensim_coherence(
        topics, texts, NAMES, 6, coherence=measure, window_size=4
    )
    np.testing.assert_allclose(found, expected, atol=1e-6, rtol=0)
