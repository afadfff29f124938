"""Topics without a single token have no words: in tables, displays and measures."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import LatentDirichletAllocation

from sklda import CollapsedGibbsLDA, MedLDAClassifier, seed_word_prior
from sklda.inspection import TopicMapDisplay, TopWordsDisplay, save_explorer, top_words
from sklda.metrics import topic_coherence, topic_diversity, topic_exclusivity
from sklda.model_selection import topic_number_curve
from tests.helpers.explorer_page import rows, stored
from tests.helpers.known_topics import KnownTopics

X = np.random.default_rng(0).poisson(1, (30, 20))
NAMES = [f"w{i:02}" for i in range(20)]
PRIORS = {"doc_topic_prior": 0.01, "topic_word_prior": 0.01}
SEEDS = seed_word_prior(NAMES, {7: ["w03"]}, n_components=60, base=0.01)
SEEDED = PRIORS | {"topic_word_prior": SEEDS}
FIT = {"max_iter": 20, "burn_in": 19, "random_state": 0}


FITS = {
    "Gibbs": lambda: CollapsedGibbsLDA(60, **PRIORS, **FIT).fit(X),
    "classes": lambda: MedLDAClassifier(60, **PRIORS, **FIT).fit(X, np.arange(30) % 3),
    "prior of each word": lambda: CollapsedGibbsLDA(60, **SEEDED, **FIT).fit(X),
}


@pytest.fixture(scope="module")
def model():
    return FITS["Gibbs"]()


def empty_topics_of(fitted):
    """Return the topics whose weights are those of the prior alone."""
    prior = np.asarray(getattr(fitted, "topic_word_prior_", 0.0))
    return np.flatnonzero((fitted.components_ - prior).sum(axis=1) < 1e-9)


@pytest.mark.parametrize("name", FITS)
def test_topics_without_tokens_have_no_words(name):
    fitted = FITS[name]()
    empty = empty_topics_of(fitted)
    assert 0 < empty.size < len(fitted.components_)
    lists = top_words(fitted, NAMES, 5)
    sizes = np.array([len(words) for words in lists])
    np.testing.assert_array_equal(np.flatnonzero(sizes == 0), empty)
    assert set(sizes) == {0, 5}
    with pytest.warns(UserWarning, match=f"^{empty.size} of .* no tokens.*NaN"):
        found = topic_coherence(fitted, X, "npmi", n_words=5)
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(found)), empty)
    filled = np.delete(fitted.components_, empty, axis=0)
    np.testing.assert_array_equal(
        np.delete(found, empty), topic_coherence(filled, X, "npmi", n_words=5)
    )
    with pytest.warns(UserWarning, match="no tokens"):
        coherence = topic_coherence(lists, X, "npmi", 5, feature_names=NAMES)
    np.testing.assert_array_equal(coherence, found)
    with pytest.warns(UserWarning, match=f"^{empty.size} of .*diversity is that of"):
        diversity = topic_diversity(fitted, 5)
    assert diversity == topic_diversity(filled, 5)


def test_weights_without_a_rank_are_empty():
    topics = [[0.5, 0.5, 0.5], [1, 2, 3]]
    with pytest.warns(UserWarning, match=r"1 of 2 topics .*\(topics 0\)"):
        found = topic_coherence(topics, [[1, 1, 0], [0, 1, 1]], n_words=2)
    assert np.isnan(found).tolist() == [True, False]
    with pytest.warns(UserWarning, match="exclusivity is NaN"):
        found = topic_exclusivity(topics, n_words=2)
    assert np.isnan(found).tolist() == [True, False]
    with pytest.warns(UserWarning, match="2 of 2 topics"):
        assert np.isnan(topic_diversity(np.ones((2, 3)), n_words=2))
    assert topic_diversity([[1.0], [1.0]], n_words=1) == 0.5  # a single word


def test_a_topic_with_a_token_in_one_sample_is_not_empty():
    components = np.full((2, 3), 0.1)
    components[0, 1] += 1e-3
    fitted = KnownTopics(components, topic_word_prior_=0.1)
    assert top_words(fitted, ["a", "b", "c"], 1) == [["b"], []]


def test_tables_and_labels_mark_them(model, pyplot):
    empty = empty_topics_of(model)
    labels = TopicMapDisplay.from_estimator(model, NAMES, 2).labels
    marked = [k for k, label in enumerate(labels) if "(no tokens)" in label]
    assert marked == empty.tolist()
    display = TopWordsDisplay.from_estimator(model, NAMES, 3, topics=empty[:1])
    assert display.words == [["(no tokens)", "", ""]]
    assert (display.probabilities == 0).all()


def test_the_explorer_marks_them(model, tmp_path):
    page = save_explorer(tmp_path / "page.html", model, X, feature_names=NAMES)
    contents, empty = stored(page), empty_topics_of(model)
    assert contents["topics"]["empty"] == empty.tolist()
    for topics in rows(contents["words"]) + rows(contents["documents"]):
        assert not set(empty) & {k for k, part in topics.items() if part == 0}


@pytest.mark.filterwarnings("ignore:.*topics have no tokens")
def test_curves_leave_them_out(model):
    measures = ["npmi", "exclusivity", "diversity"]
    lda = CollapsedGibbsLDA(**PRIORS, **FIT)
    options = {"cv": 2, "n_repeats": 1, "measures": measures, "n_words": 5}
    curve = topic_number_curve(
        lda, sparse.csr_array(X), [2, 15], **options, random_state=0
    )
    assert all(np.isfinite(curve.fits[name]).all() for name in measures)


def test_models_of_scikit_learn():
    fitted = LatentDirichletAllocation(3, random_state=0).fit(X)
    assert all(top_words(fitted, NAMES, 5))
    fitted.components_[1] = fitted.topic_word_prior_ + 1e-9
    assert [len(words) for words in top_words(fitted, NAMES, 5)] == [5, 0, 5]
