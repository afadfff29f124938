"""The page of a model: its contents, refusals, and that nothing escapes."""

import re
from colorsys import hls_to_rgb
from html.parser import HTMLParser
from importlib.resources import files
from itertools import product

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklda import CollapsedGibbsLDA, MedLDAClassifier
from sklda._fitted.fitted_topics import topic_frequencies
from sklda.inspection import TopicMapDisplay, save_explorer, top_documents, top_words
from tests.helpers.explorer_page import EVIL, N_DOCUMENTS, explored, rows, stored
from tests.helpers.known_topics import KnownTopics

# Most of them have no names of words.
pytestmark = pytest.mark.filterwarnings("ignore:Words are shown as column numbers")


@pytest.fixture
def save(tmp_path):
    """Return a function that saves a page and returns what it stores."""

    def save(estimator, X, feature_names=None, **options):
        path = tmp_path / "page.html"
        options["feature_names"] = feature_names
        assert save_explorer(path, estimator, X, **options) == path
        return stored(path)

    return save


# --- topics, words and documents ---------------------------------------------


def test_words_are_those_of_top_words(save):
    model, X, names, _ = explored()
    words = save(model, X, names)["words"]
    ranking = words["ranking"].reshape(len(model.components_), -1, 30)
    assert words["weights"] == [i / 10 for i in range(11)]
    for i, weight in enumerate(words["weights"]):
        expected = top_words(model, names, 30, "relevance", weight=weight)
        assert [[names[w] for w in topic[i]] for topic in ranking] == expected
    np.testing.assert_array_equal(words["counts"], X.sum(axis=0))
    assert words["names"] == names


def test_parts_of_words_by_hand(save):
    # Shares are 0.9 and 0.1: 6 of 9 tokens are apples or plums of topic 0, ...
    model = KnownTopics([[6.0, 4, 0], [0, 10, 30]], theta=[[1, 0], [0, 1]])
    words = save(model, [[3, 6, 0], [0, 0, 1]], ["apple", "berry", "cherry"])["words"]
    # p(k, berry) is 0.9 * 0.4 and 0.1 * 0.25.
    expected = [{0: 1, 1: 0}, {0: 0.36 / 0.385, 1: 0.025 / 0.385}, {0: 0, 1: 1}]
    for found, part in zip(rows(words), expected, strict=True):
        assert found == pytest.approx(part, abs=0.5 / 255)


def test_small_parts_of_words_are_left_out(save):
    rng = np.random.default_rng(0)
    model = KnownTopics(rng.gamma(0.5, size=(20, 300)), rng.dirichlet(np.ones(20), 5))
    words = save(model, np.ones((5, 300)))["words"]
    ranking = words["ranking"].reshape(20, -1)
    for w, topics in enumerate(rows(words)):
        listed = set(np.flatnonzero((ranking == w).any(axis=1)))
        others = [part for k, part in topics.items() if k not in listed]
        assert listed <= set(topics)
        assert len(others) <= 8
        assert all(part > 0.0099 for part in others)


def test_documents_are_those_of_top_documents(save):
    model, X, _, _ = explored()
    documents = save(model, X)["documents"]
    expected, _ = top_documents(model, X, 10)
    np.testing.assert_array_equal(documents["typical"].reshape(-1, 10), expected)
    np.testing.assert_array_equal(documents["lengths"], X.sum(axis=1))
    for d, topics in enumerate(rows(documents)):
        theta = dict(enumerate(model.theta[d]))
        assert topics == pytest.approx({k: theta[k] for k in topics}, abs=0.5 / 255)
        kept = {k for k, part in theta.items() if part >= 0.01}
        assert set(topics) == kept | {k for k in theta if d in expected[k]}


def test_map_is_that_of_the_display(save, pyplot):
    model, X, names, _ = explored()
    topics = save(model, X, names)["topics"]
    display = TopicMapDisplay.from_estimator(model, names)
    np.testing.assert_allclose(topics["positions"], display.positions, atol=1e-4)
    np.testing.assert_allclose(topics["explained"], display.explained_ratio, atol=1e-3)
    expected = topic_frequencies(model, X)
    np.testing.assert_allclose(topics["shares"], expected, atol=1e-6)


def test_texts_are_cut(save):
    model, X, _, _ = explored()
    texts = [f"{d}\n\n" + "long " * (d % 3) for d in range(N_DOCUMENTS)]
    contents = save(model, X, texts=texts, max_text_length=10)["documents"]
    typical = set(contents["typical"])
    assert 0 < len(typical) < N_DOCUMENTS
    for d, text in enumerate(texts):
        whole = " ".join(text.split())
        length = 10 if d in typical else 2
        cut = whole if len(whole) <= length else whole[: length - 1] + "…"
        assert contents["texts"][d] == cut


def test_pipeline_and_texts(save):
    texts = ["cat dog cat", "dog cat dog", "", "moon star moon"] * 3
    pipeline = make_pipeline(CountVectorizer(), CollapsedGibbsLDA(2, random_state=0))
    vectorizer, lda = pipeline.fit(texts)
    X, words = vectorizer.transform(texts), vectorizer.get_feature_names_out()
    expected = save(lda, X, words, texts=texts)
    np.testing.assert_equal(save(pipeline, texts), expected)
    np.testing.assert_equal(save(pipeline, np.array(texts)), expected)
    own = save(pipeline, texts, words[::-1], texts=texts[::-1])
    assert own["words"]["names"] == words[::-1].tolist()
    assert own["documents"]["texts"] == texts[::-1]
    # This step does not name the words, and counts are no texts.
    without = save(make_pipeline(FunctionTransformer(), lda), X, words)
    np.testing.assert_equal(without, save(lda, X, words))


# --- groups and classes ------------------------------------------------------


def test_shares_in_groups_by_hand(save):
    model = KnownTopics(np.eye(2), theta=[[1, 0], [0.5, 0.5], [0, 1]])
    X = [[3, 1], [2, 0], [0, 5]]
    groups = save(model, X, groups=[2003, 2001, 2003])["groups"]
    assert groups["names"] == ["2001", "2002", "2003"]  # a gap is a bin
    assert groups["places"] == [2001, 2002, 2003]
    np.testing.assert_array_equal(groups["members"], [2, 0, 2])
    np.testing.assert_array_equal(groups["sizes"], [1, 0, 2])
    expected = [[0.5, 0.5], [0, 0], [4 / 9, 5 / 9]]
    np.testing.assert_allclose(groups["shares"].reshape(3, 2), expected, rtol=1e-6)
    groups = save(model, X, groups=["b", "a", "b"])["groups"]
    assert (groups["names"], groups["places"]) == (["a", "b"], None)
    dates = ["2020-01-31", None, "2020-02-01"]
    contents = save(model, X, groups=np.array(dates, "M8[D]"))
    assert contents["groups"]["are_dates"]
    assert contents["documents"]["dates"] == dates
    np.testing.assert_allclose(contents["groups"]["shares"], [1, 0, 0, 1])


LABELS = np.arange(N_DOCUMENTS) % 3


@pytest.mark.parametrize(
    ("y", "names", "other"),
    [(LABELS, ["0", "1", "2"], None), (LABELS > 0, ["True"], "False")],
)
def test_weights_of_classes(save, y, names, other):
    _, X, _, _ = explored()
    model = MedLDAClassifier(2, max_iter=4, random_state=0)
    classes = save(model.fit(X, y), X)["classes"]
    assert (classes["names"], classes["other"]) == (names, other)
    np.testing.assert_allclose(classes["weights"], model.coef_.T, rtol=1e-3)


# --- the file ----------------------------------------------------------------


class Elements(HTMLParser):
    """All elements of a page, and its title."""

    def __init__(self, text):
        super().__init__()
        self.found, self.title = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.found and self.found[-1][0] == "title" and not self.title:
            self.title = data


def test_nothing_leaves_the_data(tmp_path):
    model, X, names, _ = explored()
    plain, evil = tmp_path / "plain.html", tmp_path / "<b>'\"&.html"
    save_explorer(plain, model, X, feature_names=None, title=EVIL[0])
    texts = [EVIL[d % 6] * (1 + d) + "\ud800\0" for d in range(N_DOCUMENTS)]
    model.topic_names_ = EVIL
    options = {"feature_names": names, "texts": texts}
    options["groups"] = [EVIL[d % 6] for d in range(N_DOCUMENTS)]
    save_explorer(evil, model, X, **options, max_text_length=10**6)
    contents, page = stored(evil), Elements(evil.read_text("utf-8"))
    assert contents["words"]["names"] == names
    assert contents["topics"]["names"] == EVIL
    assert contents["groups"]["names"] == sorted(EVIL)
    typical = contents["documents"]["typical"][0]
    assert contents["documents"]["texts"][typical] == " ".join(texts[typical].split())
    text = plain.read_text("utf-8")
    assert page.found == Elements(text).found
    scripts = [attributes for tag, attributes in page.found if tag == "script"]
    assert scripts == [{"id": "data", "type": "application/json"}, {"type": "module"}]
    assert (page.title, Elements(text).title) == ("<b>'\"&", EVIL[0])
    # The page names no other place.
    assert text.count("http") == text.count("http-equiv") + 1
    assert text.count("http://www.w3.org/2000/svg") == 1
    assert "default-src 'none'" in text


@pytest.mark.slow
def test_size_of_a_large_model(tmp_path):
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(100, 0.1), 5_000)
    model = KnownTopics(rng.gamma(0.02, 100, (100, 10_000)) + 0.01, theta)
    X = rng.poisson(0.02, (5_000, 10_000))
    texts = ["a text of 1,000 characters " * 38] * 5_000
    path = tmp_path / "page.html"
    save_explorer(path, model, X, feature_names=None, texts=texts)
    assert path.stat().st_size < 1.5e6


def test_bad_input_leaves_the_file(tmp_path):
    model, X, _, _ = explored()
    path = tmp_path / "page.html"
    path.write_text("before")
    with pytest.raises(ValueError, match=r"missing values.* row 99"):
        save_explorer(path, model, X, feature_names=None, groups=[*range(99), np.nan])
    assert path.read_text() == "before"


# --- colours -----------------------------------------------------------------


def luminance(colour):
    """Return the relative luminance of WCAG 2.2."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    low, high = channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    return np.dot([0.2126, 0.7152, 0.0722], np.where(channels <= 0.04045, low, high))


def test_contrast():
    style = files("sklda.inspection") / "_explorer_assets/explorer.css"
    themes = re.findall(r":root[^{]*\{([^}]*)\}", style.read_text("utf-8"))
    for least, front, grounds in (
        # WCAG 2.2 AA: 4.5 for text (1.4.3), 3 for controls and drawings (1.4.11)
        (4.5, "ink", "page panel hover soft mark"),
        (4.5, "muted", "page panel hover"),
        (4.5, "on-accent", "accent"),
        (3, "accent", "page panel soft all"),
        (3, "border", "page panel"),
    ):
        for theme, ground in product(themes, grounds.split()):
            colours = dict(re.findall(r"--([\w-]+): (#\w{6});", theme))
            pair = sorted([luminance(colours[front]), luminance(colours[ground])])
            assert (pair[1] + 0.05) / (pair[0] + 0.05) >= least, (front, ground)
    for theme, hue in product(themes, range(360)):  # of words and their topics
        ink = luminance(re.search(r"--ink: (#\w{6});", theme)[1])
        paleness = int(re.search(r"--paleness: (\d+)%;", theme)[1]) / 100
        channels = np.rint(255 * np.array(hls_to_rgb(hue / 360, paleness, 0.75)))
        ground = luminance("#" + bytes(channels.astype(int).tolist()).hex())
        pair = sorted([ink, ground])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, hue
