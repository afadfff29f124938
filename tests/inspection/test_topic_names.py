"""Names of topics: given, shown everywhere, kept and dropped."""

import pickle
from copy import copy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation

from sklda import CVBLDA, CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus
from sklda.inspection import (
    DocumentTopicsDisplay,
    TopicMapDisplay,
    TopWordsDisplay,
    estimate_effect,
    name_topics,
    top_documents,
    top_words,
    topic_means,
)
from tests.helpers.known_topics import KnownTopics

X, _, _ = make_lda_corpus(40, 30, 3, document_length=30, random_state=0)
WORDS = [f"w{w}" for w in range(30)]
SIDES = np.array(["left", "right"])[np.arange(40) % 2]
NAMED = ["topic 0", "oil prices", "topic 2"]


@pytest.fixture(scope="module")
def fitted():
    return CollapsedGibbsLDA(3, max_iter=60, keep_draws=10, random_state=0).fit(X)


@pytest.fixture
def lda(fitted):
    return name_topics(copy(fitted), {1: "oil prices"})


# --- names in place of numbers ---------------------------------------------------


def test_topics_are_chosen_by_name_or_number(pyplot, lda):
    display = TopWordsDisplay.from_estimator(lda, WORDS, topics=["oil prices", 0])
    assert display.topic_names == ["oil prices", "topic 0"]
    chosen = np.array(["topic 2", "oil prices"])
    assert topic_means(lda.draws_, SIDES, topics=chosen).topics.tolist() == [2, 1]
    effects = estimate_effect(lda.draws_, SIDES, topics=("oil prices",))
    assert effects.topic_names.tolist() == ["oil prices"]


def test_unknown_names_are_refused(lda):
    with pytest.raises(ValueError, match=r"no topic is named 'oil': .*'oil prices'"):
        topic_means(lda.draws_, SIDES, topics=[0, "oil"])


def test_columns_of_frames_are_names(lda):
    pytest.importorskip("pandas")
    name_topics(lda, {2: "topic 0 again"})
    named = [*NAMED[:2], "topic 0 again"]
    assert lda.get_feature_names_out().tolist() == named
    assert lda.get_feature_names_out().dtype == object
    framed = copy(lda).set_output(transform="pandas")
    assert framed.transform(X[:2]).columns.tolist() == named
    np.testing.assert_array_equal(top_documents(framed, X), top_documents(lda, X))
    lda.topic_names_ = named[:2]
    with pytest.raises(ValueError, match="topic_names_ has 2 entries for 3 topics"):
        lda.get_feature_names_out()


# --- what gives names ------------------------------------------------------------


def test_names_by_number_leave_the_others_and_a_list_does_not(lda):
    assert lda.topic_names_.tolist() == NAMED
    assert lda.draws_.topic_names.tolist() == NAMED
    assert name_topics(lda, {np.int64(2): " wheat\n and  corn "}) is lda
    assert lda.topic_names_.tolist() == ["topic 0", "oil prices", "wheat and corn"]
    name_topics(lda, {1: None})
    assert lda.topic_names_.tolist() == ["topic 0", "topic 1", "wheat and corn"]
    name_topics(lda, np.array(["a", None, "c"], dtype=object))
    assert lda.topic_names_.tolist() == ["a", "topic 1", "c"]


def test_function_gets_top_words_and_documents(lda):
    calls = []

    def function(words, documents):
        calls.append((words, documents.tolist()))
        return words[0]

    options = {"feature_names": WORDS, "n_words": 4, "n_documents": 3}
    name_topics(lda, function, **options)
    order = np.argsort(-lda.doc_topic_.T, axis=1, kind="stable")[:, :3].tolist()
    words = top_words(lda, WORDS, 4)
    assert calls == list(zip(words, order, strict=True))
    assert lda.topic_names_.tolist() == [top[0] for top in words]


def test_function_that_repeats_itself_gets_numbers():
    answers = iter(["tax", "tax ", None])
    model = KnownTopics(np.eye(4), np.eye(4))  # of a class without doc_topic_
    model.components_[3] = 0  # has no tokens, and is not asked for
    options = {"feature_names": WORDS[:4], "n_words": 1, "n_documents": 1}
    name_topics(model, lambda *_: next(answers), X=X, **options)
    assert model.topic_names_.tolist() == ["tax (0)", "tax (1)", "topic 2", "topic 3"]
    with pytest.raises(TypeError, match="KnownTopics has no doc_topic_: pass docum"):
        name_topics(model, str, **options)


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        ({0: "oil  prices"}, ValueError, r"topics \[0, 1\] would all be 'oil prices'"),
        ({0: "topic 2"}, ValueError, r"topics \[0, 2\] would all be 'topic 2'"),
        (["a", "b", "a"], ValueError, r"topics \[0, 2\] would all be 'a'"),
        (lambda words, documents: 5, TypeError, r"name of topic 0 must be a str"),
    ],
)
@pytest.mark.filterwarnings("ignore:Words are shown as column numbers")
def test_refused_names_change_nothing(lda, names, error, words):
    with pytest.raises(error, match=words):
        name_topics(lda, names)
    assert lda.topic_names_.tolist() == lda.draws_.topic_names.tolist() == NAMED


# --- how long they last ----------------------------------------------------------


def test_names_are_pickled_but_not_cloned(lda):
    again = pickle.loads(pickle.dumps(lda))
    assert again.topic_names_.tolist() == NAMED
    assert again.draws_.topic_names.tolist() == NAMED
    assert not hasattr(clone(lda), "topic_names_")


@pytest.mark.parametrize("model", [CollapsedGibbsLDA(3, max_iter=4), CVBLDA(3)])
def test_next_fit_drops_names_but_not_one_that_fails(model):
    name_topics(model.set_params(random_state=0).fit(X), {1: "oil prices"})
    with pytest.raises(ValueError, match="Negative"):
        model.fit(-X)
    assert model.topic_names_.tolist() == NAMED
    assert not hasattr(model.fit(X), "topic_names_")


def test_models_of_scikit_learn():
    model = LatentDirichletAllocation(3, max_iter=2, random_state=0).fit(X)
    name_topics(model, lambda words, _: words[0], X=X, feature_names=WORDS)
    tops = [words[0] for words in top_words(model, WORDS)]
    for named in (model, pickle.loads(pickle.dumps(model))):
        assert top_words(named, WORDS, as_frame=True).index.tolist() == tops
    # Another fit cannot drop them, but nothing shows them then.
    model.set_params(n_components=2, random_state=1).fit(X)
    assert top_words(model, WORDS, as_frame=True).index.tolist() == [0, 1]
    # Names that are set by hand have another check.
    del model._named_topics
    model.topic_names_ = ["a"]
    with pytest.raises(ValueError, match="topic_names_ has 1 entries for 2 topics"):
        top_words(model, WORDS, as_frame=True)


# --- where they are shown --------------------------------------------------------


@pytest.mark.parametrize("function", [estimate_effect, topic_means])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_tables_show_names_or_numbers(lda, function):
    result = function(lda.draws_, SIDES, random_state=0)
    assert result.topic_names.tolist() == NAMED
    topics, _ = zip(*result.summary(), strict=True)
    assert topics[::2] == (0, "oil prices", 2)
    assert result.summary(as_frame=True).loc["oil prices"].shape[0] == 2
    assert "oil prices" in repr(result)


def test_names_replace_words_in_tables_and_labels(pyplot, lda):
    frame = top_words(lda, WORDS, 4, as_frame=True)
    assert frame.index.tolist() == [0, "oil prices", 2]
    words = top_words(lda, WORDS, 3)
    legend = DocumentTopicsDisplay.from_estimator(lda, X, WORDS).topic_names
    expected = [f"{k}: {', '.join(words[k])}" for k in range(3)]
    assert legend == [expected[0], "1: oil prices", expected[2]]
    labels = TopicMapDisplay.from_estimator(lda, WORDS, 2).labels
    assert labels[1] == "1: oil prices"
