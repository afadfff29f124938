"""Every estimator x every function that takes a fitted one, its draws or its chains.

All that comes back is read: texts, tables, pictures and public attributes.
"""

import inspect
import pickle
from copy import copy, deepcopy
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import NMF, LatentDirichletAllocation

import sklda
from sklda import diagnostics, inspection, metrics, model_selection
from sklda._data.sklearn_private import CALLBACK_ATTRIBUTES
from sklda.datasets import make_lda_corpus
from sklda.diagnostics import _chains
from sklda.inspection import PosteriorDraws
from tests.helpers.callbacks import Recorder
from tests.helpers.comparison import assert_same_fit, fitted
from tests.helpers.public_names import estimators, public_callables

pandas = pytest.importorskip("pandas")

N_DOCS, N_WORDS = 24, 12
COUNTS, THETA, _ = make_lda_corpus(
    N_DOCS, N_WORDS, 3, document_length=20, random_state=0
)
X = pandas.DataFrame(COUNTS.toarray(), columns=[f"w{w}" for w in range(N_WORDS)])
LABELS = np.array(["one", "two", "three"])[THETA.argmax(axis=1)]
SHARES = THETA[:, 0]
COVARIATES = pandas.DataFrame({"share": SHARES, "even": np.arange(N_DOCS) % 2})

BURN_IN, MAX_ITER = 10, 16
SWEEPS = {"max_iter": MAX_ITER, "burn_in": BURN_IN, "thin": 1, "random_state": 0}
DRAWS = SWEEPS | {"keep_draws": 3}
SAMPLED = {"learn_priors": "hierarchical", "hyperpriors": {"topic_word_prior": (1, 1)}}
OF_WORDS = {"topic_word_prior": np.linspace(0.1, 1, N_WORDS)}
FIXED = {"max_iter": 8, "tol": 0, "random_state": 0}


class Case(NamedTuple):
    """An estimator, its labels, and what more its methods take."""

    model: Any
    y: Any = None
    more: dict[str, Any] = {}  # noqa: RUF012


def gibbs(cls=sklda.CollapsedGibbsLDA, n_components=3, **params):
    return Case(cls(n_components, **DRAWS | params))


def classifier(y=LABELS, **params):
    return Case(sklda.MedLDAClassifier(3, **SWEEPS, **params), y)


pytestmark = pytest.mark.filterwarnings(
    "ignore:.* draws are too few",  # fits are short
    "ignore:.* topics have no tokens",
    "ignore:The topic proportions of",  # and topics are alike
    "ignore:Alpha was learned, but had not arrived",
)

CASES = {
    "collapsed": gibbs(learn_priors="asymmetric"),
    "no trace, no draws": gibbs(evaluate_every=0, keep_draws=0),
    "one topic": gibbs(n_components=1),
    "many topics": gibbs(n_components=17, blocking="nested"),
    "beta of words": gibbs(**OF_WORDS),
    "warm start": gibbs(warm_start=True),
    "partially collapsed": gibbs(sklda.PartiallyCollapsedGibbsLDA, **SAMPLED),
    "uncollapsed": gibbs(sklda.UncollapsedGibbsLDA, **SAMPLED),
    "dynamic": gibbs(sklda.ECGSLDA, **SAMPLED),
    "covariates": gibbs(sklda.DMRLDA)._replace(more={"covariates": COVARIATES}),
    "one covariate, beta of words": gibbs(sklda.DMRLDA, **OF_WORDS)._replace(
        more={"covariates": SHARES}
    ),
    "no covariates": gibbs(sklda.DMRLDA),
    "classes": classifier(),
    "two classes": classifier(LABELS == "one", sampler="gibbs"),
    "labels": classifier((THETA > 0.3).astype(int), **OF_WORDS),
    "classes, sampled priors": classifier(**SAMPLED),
    "numbers": Case(sklda.MedLDARegressor(3, **SWEEPS, **SAMPLED), SHARES),
    "variational": Case(sklda.CVBLDA(3, evaluate_every=4, **FIXED)),
    "minibatches": Case(sklda.CVBLDA(3, **FIXED)),
    "exact": Case(sklda.CVBLDA(3, approximation="exact", **FIXED)),
    "scikit-learn": Case(LatentDirichletAllocation(3, max_iter=3, random_state=0)),
    "NMF": Case(NMF(3, max_iter=500, tol=0.01, random_state=0)),
}
OWN = [name for name, case in CASES.items() if "sklda" in type(case.model).__module__]
CHAINS = [name for name in OWN if "burn_in" in CASES[name].model.get_params()]
each = pytest.mark.parametrize("name", CASES)
each_own = pytest.mark.parametrize("name", OWN)
each_that_ends = pytest.mark.parametrize(
    "name", [name for name in OWN if name != "minibatches"]
)


@pytest.fixture(scope="session")
def fit():
    """Return a function that fits each case once."""

    @cache
    def fitted(name):
        model, y, more = CASES[name]
        if name == "minibatches":
            return clone(model).partial_fit(X)
        return clone(model).fit(X, y, **more)

    return fitted


@pytest.fixture(scope="session")
def looks():
    """Return a function that returns what a callback is given in the fit of a case."""
    pytest.importorskip("sklearn.callback")

    @cache
    def looked(name):
        (model, y, more), seen = CASES[name], Recorder()
        clone(model).set_callbacks(seen).fit(X, y, **more)
        return seen

    return looked


# --- functions of a fitted estimator -------------------------------------------------

FOUND = {
    name.split(".", 2)[2]: member
    for module in (diagnostics, inspection, metrics, model_selection)
    for name, member in public_callables([module])
    if ".from_" in name or (inspect.isfunction(member) and name.count(".") == 2)
}
# With tests of their own, below.
APART = {"save_explorer", "sample_chains", "ConvergenceDisplay.from_chains"}
FUNCTIONS = sorted(FOUND.keys() - APART)
# What is passed to the parameters of these names.
ARGUMENTS = {
    "X": X,
    "X_train": X,
    "columns": range(N_WORDS),
    "covariates": COVARIATES,
    "cv": 2,
    "distance": "top-words",
    "documents": [0, 3],
    "groups": LABELS,
    "measures": ["score"],
    "n_particles": 2,
    "n_repeats": 1,
    "n_words": 3,
    "names": {0: "a"},
    "param_range": [1, 2],
    "random_state": 0,
    "values": range(3),
}


def call(function, model):
    """Call a function of a fitted model, of its draws, or of what was made of them."""
    taken, *others = inspect.signature(FOUND[function]).parameters
    arguments = ARGUMENTS | {"others": [model]}
    if function == "predicted_proportions":
        one = np.shape(getattr(model, "coef_", 0))[1:] == (1,)
        arguments["covariates"] = (SHARES if one else COVARIATES)[:3]
    if taken == "draws":
        model = getattr(model, "draws_", None)
    elif taken == "models":
        model = [model, model]
    elif taken == "effects":
        model = call("estimate_effect", model)
    elif taken in ("predicted", "contrasts"):
        model = call("predicted_proportions", model)
        model = model if taken == "predicted" else model.contrast(0, 1)
    options = {name: arguments[name] for name in others if name in arguments}
    return FOUND[function](model, **options)


# What a function refuses, and in which words: names of cases and of functions.
DRAWLESS = {n for n in CASES if CASES[n].model.get_params().get("keep_draws", 0) == 0}
LABELLED = {name for name in CASES if CASES[name].y is not None}
TRACELESS = {"no trace, no draws", "minibatches", "exact", "scikit-learn", "NMF"}
NO_COVARIATES = {name for name in CASES if "covariate" not in name}
OF_DRAWS = {"estimate_effect", "topic_means", "TopicMeansDisplay.from_draws"}
OF_DRAWS |= {"TopicIntervalsDisplay.from_effects"}
OF_PREDICTED = {"predicted_proportions", "TopicIntervalsDisplay.from_contrasts"}
OF_PREDICTED |= {"PredictedProportionsDisplay.from_predictions"}
OF_TRACES = {"ConvergenceDisplay.from_estimator"}
OF_CURVES = {"topic_number_curve"}
OF_SCORES = {name for name in FUNCTIONS if "score" in name or "likelihood" in name}
REFUSED = [
    (NO_COVARIATES, OF_PREDICTED, "model must be a fitted DMRLDA"),
    ({"no covariates"}, OF_PREDICTED, "but fit had"),
    (DRAWLESS, OF_DRAWS | {"TopicIntervalsDisplay.from_draws"}, "keep_draws, got None"),
    ({"one topic"}, OF_DRAWS, "only one topic"),
    (TRACELESS | LABELLED, OF_TRACES, "records no trace|fitted without a trace"),
    ({"NMF"}, {"left_to_right_log_likelihood"}, "NMF has no doc_topic_prior_"),
    (LABELLED, OF_CURVES, "must be fitted without labels"),
]


def test_no_estimator_is_missing():
    assert {type(CASES[name].model) for name in OWN} == set(estimators().values())


def read(value, depth=0):
    """Call str and repr of a value, its tables, and all public attributes."""
    assert repr(value)
    assert str(value) or isinstance(value, str)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            read(item, depth)
    if depth > 2 or "sklda" not in type(value).__module__:
        return
    for name in dir(value):
        # fit_transform and such are missing where scikit-learn wants them to be.
        if not name.startswith("_") and not isinstance(value, BaseEstimator):
            read(getattr(value, name), depth + 1)
    if hasattr(value, "summary"):
        assert value.summary()
        assert value.summary(as_frame=True).size > 0
        assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def check(function, name, model):
    words = [w for cases, names, w in REFUSED if name in cases and function in names]
    if not words:
        return read(call(function, model))
    with pytest.raises((TypeError, ValueError), match=words[0]):
        call(function, model)


@each
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions(function, name, fit, pyplot):
    check(function, name, deepcopy(fit(name)))


@each
def test_explorer(name, fit, tmp_path):
    options = {"groups": LABELS, "texts": ["text"] * N_DOCS, "feature_names": None}
    path = inspection.save_explorer(tmp_path / "page.html", fit(name), X, **options)
    assert "w11" in path.read_text("utf-8")


# --- methods, copies, and what a callback is given -----------------------------------


def methods(model, y, more):
    """Call all methods of a fitted estimator; return what they return."""
    found = {
        "transform": model.transform(X, **more),
        "score": model.score(X, y, **more),
    }
    for name in ("perplexity", "predict", "decision_function"):
        if hasattr(model, name):
            arguments = more if name == "perplexity" else {}
            found[name] = getattr(model, name)(X, **arguments)
    columns = model.get_feature_names_out().tolist()
    frame = copy(model).set_output(transform="pandas").transform(X, **more)
    assert frame.columns.tolist() == columns
    np.testing.assert_array_equal(frame, found["transform"])
    read(model)
    np.testing.assert_allclose(model.topic_word_.sum(axis=1), 1)
    assert not hasattr(clone(model), "components_")
    return found


def by_pickle(model, folder):
    return pickle.loads(pickle.dumps(model))


def by_skops(model, folder):
    io = pytest.importorskip("skops.io")
    io.dump(model, folder / "model.skops")
    unknown = io.get_untrusted_types(file=folder / "model.skops")
    # A user has to trust each type that is listed here.
    own = {f"{cls.__module__}.{cls.__name__}" for cls in (type(model), PosteriorDraws)}
    assert {*unknown} <= own
    return io.load(folder / "model.skops", trusted=unknown)


@each_own
def test_methods_and_copies(name, fit, tmp_path):
    model, (_, y, more) = fit(name), CASES[name]
    expected = methods(model, y, more)
    ways = [by_pickle, by_skops]
    if name == "warm start":
        with pytest.raises(TypeError, match=r"Set warm_start=False .* or use pickle"):
            ways.pop()(model, tmp_path)
    for way in ways:
        found = way(model, tmp_path)
        assert vars(found).keys() == vars(model).keys()
        np.testing.assert_equal(found.get_params(), model.get_params())
        assert_same_fit(found, model)
        np.testing.assert_equal(methods(found, y, more), expected)
    n_topics = len(model.components_)
    sklda.CollapsedGibbsLDA(n_topics, init=model, max_iter=1, thin=1).fit(X)


OF_FIT = {
    "bound_",
    "bound_iter_",
    "doc_topic_",
    "n_iter_",
    "prior_trace_",
}  # not of partial_fit


@each_own
def test_attributes_are_those_of_the_docstring(name, fit):
    docscrape = pytest.importorskip("numpydoc.docscrape")
    model = fit(name)
    entries = docscrape.NumpyDocString(inspect.getdoc(type(model)))["Attributes"]
    absent = OF_FIT if name == "minibatches" else set()
    found = {name for name in dir(model) if name.endswith("_") and name[0] != "_"}
    assert found == {entry.name for entry in entries} - absent


def kinds(model):
    """Return name, type, dtype and dimensions of all that a fit has set."""
    but = {*CALLBACK_ATTRIBUTES, *model.get_params(), "_stored", "_skl_callbacks"}
    but |= {"_topic_sums", "_document_sums"}  # of which two others are made
    return {
        name: (type(value), getattr(value, "dtype", None), np.ndim(value))
        for name, value in (vars(model) | fitted(model)).items()
        if name not in but
    }


@each_that_ends
@pytest.mark.parametrize("sweep", [1, -1])
def test_what_a_callback_is_given(sweep, name, looks, fit):
    model, (_, y, more) = looks(name).models[sweep - (sweep > 0)], CASES[name]
    assert kinds(model) == kinds(fit(name))
    methods(model, y, more)
    assert looks(name).metadata[0] == (more or None)
    several_draws = ("estimate_effect", "topic_means") if sweep == -1 else ()
    for function in ("top_words", "topic_coherence", *several_draws):
        check(function, name, model)


# --- chains --------------------------------------------------------------------------


@pytest.mark.parametrize("name", CHAINS)
def test_chains(name, monkeypatch, pyplot, tmp_path):
    pytest.importorskip("arviz_stats")
    monkeypatch.setattr(_chains, "N_PAIRS", 20)
    model, y, more = CASES[name]
    options = {"X_test": X, "n_chains": 2, "random_state": 0, **more}
    chains = diagnostics.sample_chains(model, X, y, **options)
    io = pytest.importorskip("skops.io")
    with pytest.raises(TypeError):  # pickle stores them
        io.dump(chains, tmp_path / "chains.skops")
    assert chains.verdict_.startswith("Too few draws: 6 per chain")
    chains.more(14)
    read(chains)
    assert chains.to_datatree()["posterior"].sizes["chain"] == 2
    assert len(inspection.ConvergenceDisplay.from_chains(chains).lines_) == 2
