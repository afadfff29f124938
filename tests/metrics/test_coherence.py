"""Coherence in documents and in texts: against plain versions, against gensim."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.utils._testing import create_memmap_backed_data

from sklda.datasets import make_lda_corpus
from sklda.metrics import _coherence, topic_coherence
from tests.helpers.known_topics import KnownTopics


def gensim_coherence(components, texts, names, n_words, **options):
    """Return gensim's coherence of topics in texts, lists of tokens."""
    models = pytest.importorskip("gensim.models")
    corpora = pytest.importorskip("gensim.corpora")
    dictionary = corpora.Dictionary([*texts, list(names)])
    top = np.argsort(-components, axis=1, kind="stable")[:, :n_words]
    model = models.CoherenceModel(
        topics=[[names[w] for w in topic] for topic in top],
        texts=texts,
        corpus=[dictionary.doc2bow(text) for text in texts],
        dictionary=dictionary,
        topn=n_words,
        processes=1,
        **options,
    )
    return model.get_coherence_per_topic()


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
    zeros = sparse.csr_array(X + 1)
    zeros.data -= 1
    # Of joblib's memory maps, which nobody can write to.
    for form in (0.25 * X, create_memmap_backed_data(doubled), zeros):
        np.testing.assert_array_equal(topic_coherence(topics, form, measure), expected)
    np.testing.assert_array_equal(topic_coherence(9 * topics, X, measure), expected)


@pytest.fixture(scope="module")
def dense_corpus():
    """Return documents in which all words occur, and most pairs co-occur."""
    X, _, topics = make_lda_corpus(80, 25, 5, document_length=15, random_state=1)
    assert X.toarray().any(axis=0).all()
    names = [str(w) for w in range(25)]
    texts = [np.repeat(names, row).tolist() for row in X.toarray()]
    return X, topics, texts, names


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


def test_lists_of_words_need_no_names_in_texts(dense_corpus):
    _, topics, texts, names = dense_corpus
    lists = [[names[w] for w in np.argsort(-row)[:6]] for row in topics]
    options = {"measure": "c_v", "n_words": 6, "texts": texts}
    expected = topic_coherence(topics, feature_names=names, **options)
    found = topic_coherence(lists, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# --- windows of texts ----------------------------------------------------------------

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
    together = [
        [sum({v, w} <= window for window in sets) for v in words] for w in words
    ]
    return np.array(together), len(sets)


def plain_coherence_in_texts(texts, words, measure, window):
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


@pytest.mark.parametrize("window", [1, 2, 10, 110])
@pytest.mark.parametrize("measure", WINDOW_MEASURES)
def test_coherence_in_texts_is_the_plain_one(texts, topics, measure, window):
    options = {"n_words": 5, "texts": texts, "feature_names": NAMES, "window": window}
    found = topic_coherence(topics, measure=measure, **options)
    expected = [
        plain_coherence_in_texts(texts, [NAMES[w] for w in top], measure, window)
        for top in np.argsort(-topics, axis=1)[:, :5]
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    if window == (110 if measure == "c_v" else 10):  # the default
        del options["window"]
        default = topic_coherence(topics, measure=measure, **options)
        np.testing.assert_array_equal(default, found)


def test_words_in_all_windows_and_in_none():
    texts = [["a", "b"], ["b", "a"]]
    options = {"n_words": 3, "texts": texts, "feature_names": ["a", "b", "c", "d"]}
    topics = [[2, 2, 1, 0], [2, 0, 2, 1], [0, 1, 2, 2]]
    words = r"2 of the 4 top words \(50%\): 'c', 'd'\. .*build_analyzer"
    for measure in WINDOW_MEASURES:
        with pytest.warns(UserWarning, match=words):
            found = topic_coherence(topics, measure=measure, **options)
        # One pair is in all windows; no pair of the other topics can be counted.
        np.testing.assert_allclose(found, [0, np.nan, np.nan], atol=1e-11)


def test_words_that_strings_are_never_split_into_are_named():
    # Vowel signs end a word for CountVectorizer; capitals and single letters are lost.
    texts = ["कॅमेरा नवल शहर", "नवल शहर Paris x", "शहर paris x"] * 3
    names = ["कॅमेरा", "नवल", "शहर", "Paris", "x"]
    options = {"measure": "c_npmi", "n_words": 5, "feature_names": names}
    with pytest.warns(UserWarning, match=r"3 of the 5 .*60%.*'कॅमेरा', 'Paris', 'x'"):
        topic_coherence([[5, 4, 3, 2, 1]], texts=texts, **options)
    split = [text.split() for text in texts]
    assert np.isfinite(topic_coherence([[5, 4, 3, 2, 1]], texts=split, **options)).all()


# --- phrases ---------------------------------------------------------------------

PHRASES = ["w0", "w1", "w2", "w0 w1", "w1 w2", "w2 w0 w1", "w1 w1"]


def has(tokens, name):
    """Return whether the words of a name stand side by side among the tokens."""
    parts = name.split(" ")
    places = range(len(tokens) - len(parts) + 1)
    return any(tokens[i : i + len(parts)] == parts for i in places)


@pytest.mark.parametrize("window", [1, 2, 3, 7, 110])
def test_phrases_occur_where_their_tokens_stand_side_by_side(monkeypatch, window):
    rng = np.random.default_rng(0)
    texts = [rng.choice(["w0", "w1", "w2", "x"], n).tolist() for n in range(40)]
    windows = [
        {name for name in PHRASES if has(tokens[start : start + window], name)}
        for tokens in texts
        for start in range(max(len(tokens) - window + 1, 1))
    ]
    topics = [rng.permutation(7), rng.permutation(7)]
    together = [[sum({v, w} <= o for o in windows) for v in PHRASES] for w in PHRASES]
    for block_size in (1, 10**6):
        monkeypatch.setattr(_coherence, "_BLOCK_SIZE", block_size)
        counts, n = _coherence._count(
            _coherence.occurrences_in_windows(texts, PHRASES, window), np.array(topics)
        )
        assert n == len(windows)
        for k, topic in enumerate(topics):
            np.testing.assert_array_equal(
                counts[k], np.array(together)[topic][:, topic]
            )


def test_phrases_are_found_in_strings_and_lists_of_words():
    texts = ["The mayor of New York", "new york, a mayor", "old york", "mayor, new"] * 3
    names = ["new york", "mayor of", "old york", "york mayor"]
    options = {"measure": "c_npmi", "n_words": 2, "feature_names": names}
    topics = [[2, 1, 0, 0]]
    expected = topic_coherence(topics, texts=texts, **options)
    vectorizer = CountVectorizer(ngram_range=(1, 2))
    analyzer = vectorizer.build_analyzer()
    with pytest.raises(ValueError, match=r"'the mayor'.*\(ngram_range="):
        topic_coherence(topics, texts=map(analyzer, texts), **options)
    analyzer = vectorizer.set_params(ngram_range=(1, 1)).build_analyzer()
    found = topic_coherence(topics, texts=map(analyzer, texts), **options)
    np.testing.assert_array_equal(found, expected)


def test_strings_are_split_as_by_count_vectorizer(texts, topics):
    joined = [" ".join(tokens).upper() for tokens in texts]
    split = list(map(CountVectorizer().build_analyzer(), joined))
    assert "x" not in split[-1]  # one letter is no word
    options = {"measure": "c_uci", "n_words": 5, "feature_names": NAMES}
    expected = topic_coherence(topics, texts=split, **options)
    for form in (joined, np.array(joined), iter(joined)):
        found = topic_coherence(topics, texts=form, **options)
        np.testing.assert_array_equal(found, expected)


def test_estimators_are_taken_for_their_components_and_names(texts, topics):
    model = KnownTopics(topics, feature_names_in_=np.array(NAMES, object))
    options = {"measure": "c_v", "n_words": 4, "texts": texts}
    np.testing.assert_array_equal(
        topic_coherence(model, **options),
        topic_coherence(topics, feature_names=NAMES, **options),
    )
    frame = pytest.importorskip("pandas").DataFrame(topics)
    expected = topic_coherence(topics, topics, n_words=4)
    np.testing.assert_array_equal(topic_coherence(model, frame, n_words=4), expected)
    frame.columns = ["fit", *NAMES[1:]]  # a frame is no estimator
    np.testing.assert_array_equal(topic_coherence(frame, topics, n_words=4), expected)
    with pytest.raises(ValueError, match="model and X have different vocabularies"):
        topic_coherence(model, frame, n_words=4)


@pytest.mark.parametrize(("name", "value"), [("texts", [["w0"]]), ("window", 10)])
def test_measures_of_documents_take_no_texts(topics, name, value):
    with pytest.raises(ValueError, match=f"{name} has no effect.*'u_mass'"):
        topic_coherence(topics, np.ones((3, len(NAMES))), **{name: value})


@pytest.mark.parametrize("measure", WINDOW_MEASURES)
def test_coherence_in_texts_is_that_of_gensim(topics, measure):
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
