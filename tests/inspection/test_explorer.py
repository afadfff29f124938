"""The page of a model: its contents, refusals, and that nothing escapes."""

import datetime
import os
import re
from html.parser import HTMLParser
from importlib.resources import files
from itertools import product

import numpy as np
import pytest
from sklearn.decomposition import NMF

from sklda import MedLDAClassifier, MedLDARegressor
from sklda._fitted.fitted_topics import topic_frequencies
from sklda.inspection import TopicMapDisplay, save_explorer, top_documents, top_words
from sklda.inspection._topic_means import check_groups
from tests.helpers.explorer_page import EVIL, N_DOCUMENTS, explored, rows, stored
from tests.helpers.known_topics import KnownTopics

# Most of them have no names of words.
pytestmark = pytest.mark.filterwarnings("ignore:Words are shown as column numbers")

ASSETS = files("sklda.inspection") / "_explorer_assets"


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
    theta = rng.dirichlet(np.ones(20), 5)
    model = KnownTopics(rng.gamma(0.5, size=(20, 300)), theta)
    words = save(model, np.ones((5, 300)))["words"]
    ranking = words["ranking"].reshape(20, -1)
    for w, topics in enumerate(rows(words)):
        listed = {k for k in topics if w in ranking[k]}
        unlisted = [part for k, part in topics.items() if k not in listed]
        assert listed == {k for k in range(20) if w in ranking[k]}
        assert len(unlisted) <= 8
        assert all(part > 0.0099 for part in unlisted)


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


MAY = datetime.date(2020, 5, 17)
DAYS = np.datetime64("1999-12-31") + np.arange(400).astype("m8[D]")
MANY_DAYS = DAYS[0] + np.arange(9000).astype("m8[D]")
MONDAYS = np.datetime64("1999-12-27") + np.arange(11).astype("m8[W]")
WEEKS = [f"{day} to {day + np.timedelta64(6, 'D')}" for day in MONDAYS]
MONTHS = [f"{year}-{month:02}" for year in range(2000, 2009) for month in range(1, 13)]
MONTHS = ["1999-10", "1999-11", "1999-12", *MONTHS]
QUARTERS = [f"{MONTHS[i]} to {MONTHS[i + 2]}" for i in range(0, 102, 3)]


@pytest.mark.parametrize(
    ("groups", "names", "places"),
    [
        ([4, 7, 3, 4], ["3", "4", "5", "6", "7"], [3, 4, 5, 6, 7]),
        ([1950.0, 2000, 1900], ["1900", "1950", "2000"], [1900, 1950, 2000]),
        (np.array([0.5, -1.0]), ["-1", "0.5"], [-1, 0.5]),
        ([True, False], ["False", "True"], None),
        (DAYS[:2], ["1999-12-31", "2000-01-01"], [10956, 10957]),
        (DAYS[[0, 3]], [str(day) for day in DAYS[:4]], 10956),
        (np.arange(1000), [f"{i} to {i + 19}" for i in range(0, 1000, 20)], 9.5),
        (np.arange(1000) / 7, [f"{i} to {i + 5}" for i in range(0, 145, 5)], 2.5),
        (DAYS[:70], WEEKS, 10955),
        (DAYS, None, 10955),
        (MANY_DAYS[:3000], QUARTERS, 10910.5),
        (MANY_DAYS, [str(y) for y in range(1999, 2025)], 10774),
        (
            [datetime.datetime(1011, 1, 1, 5), MAY],
            [f"{y} to {y + 19}" for y in range(1000, 2040, 20)],
            None,
        ),
    ],
)
def test_order_of_groups(groups, names, places):
    found = check_groups(groups, len(groups))
    assert found.names == (names or found.names)
    assert len(found.members) == len(groups)
    assert found.members.min() == 0
    assert found.members.max() == len(found.names) - 1
    if isinstance(places, list):
        assert list(found.places) == places
    elif places is not None:  # of the first group
        assert found.places[0] == places
        assert (np.diff(found.places) > 0).all()


def test_groups_of_pandas(save):
    pandas = pytest.importorskip("pandas")
    model, X, _, _ = explored()
    column = pandas.Series(pandas.date_range("2020-01-31", periods=len(X)))
    contents = save(model, X, groups=column)
    assert contents["groups"]["are_dates"]
    assert contents["documents"]["dates"] == [f"{day:%Y-%m-%d}" for day in column]
    column = pandas.Series(["x", "y"] * (len(X) // 2), dtype="category")
    contents = save(model, X, groups=column)
    assert contents["groups"]["names"] == ["x", "y"]
    assert contents["documents"]["dates"] is None
    column[3] = None
    with pytest.raises(ValueError, match=r"groups has missing values.* row 3"):
        save(model, X, groups=column)


LABELS = np.arange(N_DOCUMENTS) % 3


def test_weights_of_classes(save):
    _, X, _, _ = explored()
    model = MedLDAClassifier(4, max_iter=4, random_state=0)
    for y, names, other in (
        (LABELS, ["0", "1", "2"], None),
        (LABELS > 0, ["True"], "False"),
    ):
        classes = save(model.fit(X, y), X)["classes"]
        assert (classes["names"], classes["other"]) == (names, other)
        weights = np.transpose(classes["weights"])
        np.testing.assert_allclose(weights, model.coef_, rtol=1e-3)
    model = MedLDARegressor(4, max_iter=4, random_state=0).fit(X, LABELS)
    assert save(model, X)["classes"] is None


def test_weights_of_one_vs_rest(save):
    _, X, _, _ = explored()
    model = MedLDAClassifier(2, multi_class="ovr", max_iter=4, random_state=0)
    weights = save(model.fit(X, LABELS), X)["classes"]["weights"]
    for k, row in enumerate(weights):
        assert [task for task, w in enumerate(row) if w is not None] == [k // 2]
        assert row[k // 2] == pytest.approx(model.coef_[k // 2, k % 2], rel=1e-3)


def test_a_matrix_factorisation_of_weights(save):
    _, X, names, texts = explored()
    X = X * 0.37
    model = NMF(3, tol=0.01, random_state=0).fit(X)
    contents = save(model, X, names, texts=texts)
    expected, _ = top_documents(model, X, 10)
    found = contents["documents"]["typical"].reshape(3, 10)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(contents["words"]["counts"], X.sum(axis=0), rtol=1e-6)
    assert contents["classes"] is None


@pytest.mark.parametrize("n_words", [1, 3])
def test_the_smallest_models(save, n_words):
    model = KnownTopics(np.ones((1, n_words)), theta=[[1.0]])
    contents = save(model, np.ones((1, n_words)), texts=[""], groups=[5])
    assert contents["topics"]["shares"] == [1]
    assert contents["words"]["n_ranked"] == n_words


# --- the file ----------------------------------------------------------------


class Elements(HTMLParser):
    """All elements of a page, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.found, self.scripts, self.title = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        tag = self.found[-1][0] if self.found else None
        if tag == "script":
            self.scripts.append(data.strip())
        elif tag == "title" and not self.title:
            self.title = data


def test_nothing_leaves_the_data(tmp_path):
    model, X, names, _ = explored()
    plain, evil = tmp_path / "plain.html", tmp_path / "<b>'\"&.html"
    save_explorer(plain, model, X, feature_names=None)
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
    assert page.found == Elements(plain.read_text("utf-8")).found
    assert [attributes for tag, attributes in page.found if tag == "script"] == [
        {"id": "data", "type": "application/json"},
        {"type": "module"},
    ]
    assert page.title == "<b>'\"&"


def test_title_is_text(tmp_path):
    model, X, _, _ = explored()
    options = {"feature_names": None, "title": EVIL[0]}
    path = save_explorer(tmp_path / "page.html", model, X, **options)
    assert Elements(path.read_text("utf-8")).title == EVIL[0]


def test_page_names_no_other_place(tmp_path):
    model, X, _, _ = explored()
    path = save_explorer(tmp_path / "page.html", model, X, feature_names=None)
    text = path.read_text("utf-8")
    assert text.count("http") == text.count("http-equiv") + 1
    assert text.count("http://www.w3.org/2000/svg") == 1
    assert "default-src 'none'" in text


@pytest.mark.slow
def test_size_of_a_large_model(tmp_path):
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(100, 0.1), 5_000)
    model = KnownTopics(rng.gamma(0.02, 100, (100, 10_000)) + 0.01, theta)
    X = rng.poisson(0.02, (5_000, 10_000))
    names = [f"word{w:06}" for w in range(10_000)]
    texts = ["a text of 1,000 characters " * 38] * 5_000
    groups = rng.integers(20, size=5_000)
    path = tmp_path / "page.html"
    save_explorer(path, model, X, feature_names=names, texts=texts, groups=groups)
    assert path.stat().st_size < 1.5e6


def test_bad_input_leaves_the_file(tmp_path):
    model, X, _, _ = explored()
    path = tmp_path / "page.html"
    path.write_text("before")
    with pytest.raises(ValueError, match=r"missing values.* row 99"):
        save_explorer(path, model, X, feature_names=None, groups=[*range(99), np.nan])
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["page.html"]


def test_too_many_groups():
    with pytest.raises(ValueError, match=r"201 different values; at most 200"):
        check_groups([f"a{i}" for i in range(201)], 201)


# --- the scripts -------------------------------------------------------------


def colours():
    """Return the colours of each theme by their names."""
    style = (ASSETS / "explorer.css").read_text("utf-8")
    themes = re.findall(r":root[^{]*\{([^}]*)\}", style)
    return [dict(re.findall(r"--([\w-]+): (#\w{6});", theme)) for theme in themes]


def luminance(colour):
    """Return the relative luminance of WCAG 2.2."""
    channels = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    low, high = channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    return np.dot([0.2126, 0.7152, 0.0722], np.where(channels <= 0.04045, low, high))


@pytest.mark.parametrize("theme", colours())
@pytest.mark.parametrize(
    ("least", "fronts", "grounds"),
    [  # WCAG 2.2 AA: 4.5 for text (1.4.3), 3 for controls and drawings (1.4.11)
        (4.5, ["ink"], ["page", "panel", "hover", "soft", "mark"]),
        (4.5, ["muted"], ["page", "panel", "hover"]),
        (4.5, ["on-accent"], ["accent"]),
        (3, ["accent", "border"], ["page", "panel"]),
        (3, ["accent"], ["soft", "all"]),
    ],
)
def test_contrast(theme, least, fronts, grounds):
    for front, ground in product(fronts, grounds):
        pair = sorted([luminance(theme[front]), luminance(theme[ground])])
        assert (pair[1] + 0.05) / (pair[0] + 0.05) >= least, (front, ground)
