"""Names of other libraries: what is said of them, and that all doors do."""

import copy
import inspect
import pickle
import re
from pathlib import Path

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import sklda
from sklda import (
    CVBLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    UncollapsedGibbsLDA,
)
from sklda._base.other_classes import OTHER_CLASSES
from sklda._base.other_names import OTHER_NAMES, OTHER_VALUES, OTHER_WAYS
from sklda.inspection import DocumentTopicsDisplay, TopWordsDisplay, top_words
from tests.helpers.known_topics import KnownTopics
from tests.helpers.public_names import estimators, parameters, public_callables

PAGE = Path(__file__).resolve().parents[2] / "doc" / "coming_from.rst"
X = np.array([[2, 1, 0], [0, 1, 3]])
every_estimator = pytest.mark.parametrize(
    "cls", estimators().values(), ids=estimators()
)

# --- the constructor and set_params ----------------------------------------------


@pytest.mark.parametrize(
    ("cls", "name", "words"),
    [
        (CollapsedGibbsLDA, "n_topics", "'n_topics' (use n_components)."),
        (CollapsedGibbsLDA, "k", "'k' (use n_components)."),
        (CollapsedGibbsLDA, "alpha", "'alpha' (use doc_topic_prior)."),
        (CollapsedGibbsLDA, "eta", "'eta' (use topic_word_prior)."),
        (CollapsedGibbsLDA, "passes", "'passes' (use max_iter)."),
        (CollapsedGibbsLDA, "seed", "'seed' (use random_state)."),
        (CollapsedGibbsLDA, "workers", "'workers' (use n_shards and n_jobs)."),
        (UncollapsedGibbsLDA, "workers", "'workers' (use n_jobs)."),
        (CVBLDA, "perp_tol", "'perp_tol' (use tol)."),
        (CVBLDA, "chunksize", "'chunksize' (pass minibatches to CVBLDA.partial_fit)."),
        (CVBLDA, "max_iters", "'max_iters' (did you mean max_iter?)."),
        (CVBLDA, "n_topic", "'n_topic' (did you mean n_components?)."),
        (MedLDAClassifier, "c", "'c' (did you mean C?)."),
        # In place of these two there is nothing.
        (CollapsedGibbsLDA, "perp_tol", "'perp_tol'. Its parameters are n_compo"),
        (CollapsedGibbsLDA, "zzz", "'zzz'. Its parameters are n_compo"),
    ],
)
def test_what_is_said_of_a_name(cls, name, words):
    with pytest.raises(TypeError) as constructed:
        cls(**{name: 1})
    with pytest.raises(ValueError, match="no parameter") as changed:
        cls().set_params(**{name: 1})
    for raised in (constructed, changed):
        message = f"{cls.__name__} has no parameter {words}"
        assert str(raised.value).startswith(message)


def test_all_names_are_translated_at_once():
    with pytest.raises(TypeError) as raised:
        CollapsedGibbsLDA(num_topics=20, alpha="auto", max_iter=7, passes=3, zzz=1)
    assert str(raised.value).startswith(
        "CollapsedGibbsLDA has no parameter 'num_topics' (use n_components), 'alpha' "
        "(use doc_topic_prior), 'passes' (use max_iter), 'zzz'. Its parameters are "
    )


def test_names_in_a_search():
    search = GridSearchCV(
        CollapsedGibbsLDA(), {"n_topics": [2]}, cv=2, error_score="raise"
    )
    with pytest.raises(ValueError, match=r"'n_topics' \(use n_components\)"):
        search.fit(X)


@every_estimator
def test_estimators_are_as_without_the_hints(cls):
    assert inspect.signature(cls) == inspect.signature(cls.__init__).replace(
        parameters=parameters(cls)
    )
    assert "n_components" in inspect.signature(cls).parameters
    model = cls(3, max_iter=7)
    for twin in (clone(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.get_params() == model.get_params()
    assert model.set_params(max_iter=9) is model
    assert model.max_iter == 9


def test_subclasses_have_parameters_of_their_own():
    class Mine(CollapsedGibbsLDA):
        def __init__(self, n_topics=5, max_iter=3):
            super().__init__(n_components=n_topics, max_iter=max_iter)
            self.n_topics = n_topics

    class Open(CollapsedGibbsLDA):
        def __init__(self, **others):
            super().__init__(others.pop("n_topics"), **others)

    assert Mine(n_topics=4).n_components == Open(n_topics=4).n_components == 4
    with pytest.raises(TypeError, match=r"Mine has no .*'iterations' \(use max_iter\)"):
        Mine(iterations=4)


# --- values ----------------------------------------------------------------------


@every_estimator
@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"doc_topic_prior": "auto"}, "set learn_priors='asymmetric'"),
        ({"doc_topic_prior": "symmetric"}, "set doc_topic_prior=None"),
        ({"doc_topic_prior": "asymmetric"}, "set doc_topic_prior to an array"),
        ({"topic_word_prior": "auto"}, "set learn_priors='symmetric' or 'asymm"),
        ({"topic_word_prior": "symmetric"}, "set topic_word_prior=None"),
    ],
)
def test_values_of_gensim(cls, params, words):
    with pytest.raises(ValueError, match=words):
        cls(**params).fit(X, [0, 1])


def test_other_values_are_refused_as_ever():
    with pytest.raises(ValueError, match=r"array-like.* Got 'some' instead"):
        CollapsedGibbsLDA(doc_topic_prior="some").fit(X)


# --- functions -------------------------------------------------------------------


def test_names_in_functions(pyplot):
    model = KnownTopics([[6.0, 3, 1], [1, 3, 6.0]])
    with pytest.raises(TypeError, match=r"top_words .*'topn' \(use n_words\)."):
        top_words(model, topn=2)
    with pytest.raises(TypeError, match=r"'feature_name' \(did you mean feature_nam"):
        top_words(model, feature_name=["a", "b", "c"])
    words = r"TopWordsDisplay.from_estimator .*'n_top_words' \(use n_words\)."
    with pytest.raises(TypeError, match=words):
        TopWordsDisplay.from_estimator(model, n_top_words=2)
    theta = [[0.5, 0.5]] * 2
    words = (
        r"DocumentTopicsDisplay.from_estimator has no parameter 'groups'.*estimator, "
        r"X, .* n_topics, ax\. Nor has matplotlib: .*'groups'"
    )
    with pytest.raises(TypeError, match=words):
        DocumentTopicsDisplay.from_estimator(
            KnownTopics(model.components_, theta), X, ["a", "b", "c"], groups=[1, 2]
        )
    with pytest.raises(TypeError, match=r"'metrics' \(did you mean metric\?\)"):
        TopWordsDisplay.from_estimator(model, ["a", "b", "c"], 2, metrics="lift")
    # What is of no parameter here goes to matplotlib.
    names = ["a", "b", "c"]
    shown = TopWordsDisplay.from_estimator(model, names, n_words=2, alpha=0.5)
    assert shown.bars_[0][0].get_alpha() == 0.5


@pytest.mark.parametrize("known", ["n_words", "feature_names", "n_documents"])
def test_every_function_translates_names(known):
    found = [
        door
        for name, door in public_callables()
        if known in {one.name for one in parameters(door)}
    ]
    assert found
    for door in found:
        for other in OTHER_NAMES[known].split():
            with pytest.raises(TypeError, match=rf"'{other}' \(use {known}\)"):
                door(**{other: 1})


# --- classes ---------------------------------------------------------------------


def test_classes_of_other_libraries():
    for name, hint in OTHER_CLASSES.items():
        message = f"sklda has no {name}: use {hint}."
        assert set(re.findall(r"\w*LDA\w*", hint)) <= set(estimators())
        with pytest.raises(AttributeError, match=f"^{re.escape(message)}$"):
            getattr(sklda, name)
        with pytest.raises(ImportError, match=f"^{re.escape(message)}$"):
            exec(f"from sklda import CVBLDA, {name}")
        assert not hasattr(sklda, name)


def test_other_missing_names_are_python_s():
    with pytest.raises(AttributeError, match="'sklda' has no attribute 'LDDA'"):
        sklda.LDDA  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'LDDA' from 'sklda'"):
        exec("from sklda import LDDA")


# --- fits on one thread ----------------------------------------------------------


@pytest.fixture
def nobody_was_told(monkeypatch):
    monkeypatch.setattr("sklda._base.parameters._has_warned_of_threads", False)


@pytest.mark.usefixtures("nobody_was_told")
@pytest.mark.parametrize("cls", [CollapsedGibbsLDA, ECGSLDA, CVBLDA])
def test_threads_without_work_are_told_once(cls):
    model = cls(2, max_iter=3, n_jobs=2)
    words = (
        r"n_jobs=2 does not .* n_shards=1 .* transform and score use 2. Set n_shards=2"
    )
    with pytest.warns(UserWarning, match=words) as caught:
        model.fit(X)
    assert caught[0].filename == __file__
    model.fit(X)
    CollapsedGibbsLDA(2, max_iter=3, n_jobs=-1).fit(X)


@pytest.mark.usefixtures("nobody_was_told")
@pytest.mark.parametrize(
    "model",
    [
        CollapsedGibbsLDA(2, max_iter=3),
        CollapsedGibbsLDA(2, max_iter=3, n_jobs=1),
        CollapsedGibbsLDA(2, max_iter=3, n_jobs=2, n_shards=2),
        CVBLDA(2, max_iter=50, n_jobs=2, n_shards=2),
        UncollapsedGibbsLDA(2, max_iter=3, n_jobs=2),
        MedLDAClassifier(2, max_iter=3, n_jobs=2, multi_class="ovr"),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("error:n_jobs=")
def test_threads_with_work_are_not_told_of(model):
    with joblib.parallel_config("threading", n_jobs=2):  # what n_jobs=None then means
        model.fit(X, [0, 1])


# --- the page --------------------------------------------------------------------


def rows_of_page():
    """Yield the literals in the first and in the second column of each row."""
    for row in PAGE.read_text("utf-8").split("\n   * - ")[1:]:
        cells = re.split(r"\n     -(?: |\n)", row.split("\n\n")[0])
        yield [re.findall(r"``(.+?)``", cell) for cell in cells[:2]]


def names_in(literals):
    """Return the names of parameters in ``--a-name 5``, ``name``, ``f(name=5)``."""
    text = "\n".join(literals)
    options = re.findall(r"^--([a-z-]+)", text, re.MULTILINE)
    plain = re.findall(r"^\w+$|(?<![\w.-])\w+(?= ?=)", text, re.MULTILINE)
    return {option.replace("-", "_") for option in options} | set(plain)


def translated(name, literals):
    """Return the parameters that the tables have for a name, or for its value."""
    found = {known for known, others in OTHER_NAMES.items() if name in others.split()}
    values = re.findall(rf'{name}="(\w+)"', " ".join(literals))
    for hints in (OTHER_VALUES[one] for one in found & set(OTHER_VALUES)):
        if values and values[0] in hints:
            return set(re.findall(r"\w+_prior\w*", hints[values[0]]))
    return found


def test_the_page_and_the_tables_agree():
    known = {one.name for _, door in public_callables() for one in parameters(door)}
    on_page, wrong = set(), []
    for first, second in rows_of_page():
        ours = [literal for literal in second if "(" not in literal]
        foreign, targets = names_in(first), names_in(ours) & known
        on_page |= foreign
        if others := foreign - targets - {"X"}:
            found = set().union(*(translated(name, first) for name in others))
            if targets and not found >= targets - foreign:
                wrong.append((first, second, found))
    assert wrong == []
    in_tables = {name for others in OTHER_NAMES.values() for name in others.split()}
    assert (in_tables | set(OTHER_WAYS)) - on_page == set()


def test_classes_on_the_page_have_a_hint():
    heads = re.findall(r"^   \* - (\w+)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert {"LatentDirichletAllocation", "LdaModel", "LDA"} <= set(heads)
    assert set(heads) <= set(OTHER_CLASSES)
