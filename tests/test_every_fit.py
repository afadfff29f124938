"""Every estimator x every function that takes a fitted one, its draws or its chains.

All that comes back is read: texts, tables, pictures and public attributes.
"""

import inspect
import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from functools import cache
from typing import Any, NamedTuple

import joblib
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


def regressor(**params):
    return Case(sklda.MedLDARegressor(3, **SWEEPS, **params), SHARES)


pytestmark = pytest.mark.filterwarnings(
    "ignore:.* draws are too few",  # fits are short
    "ignore:.* topics have no tokens",
    "ignore:The topic proportions of",  # and topics are alike
    "ignore:Alpha was learned, but had not arrived",
)

CASES = {
    "collapsed": gibbs(),
    "blocks": gibbs(blocking="nested"),
    "no trace, no draws": gibbs(evaluate_every=0, keep_draws=0),
    "one topic": gibbs(n_components=1),
    "many topics": gibbs(n_components=17),
    "learned": gibbs(learn_priors="asymmetric"),
    "sampled": gibbs(**SAMPLED),
    "beta of words": gibbs(**OF_WORDS),
    "warm start": gibbs(warm_start=True),
    "partially collapsed": gibbs(sklda.PartiallyCollapsedGibbsLDA, **SAMPLED),
    "uncollapsed": gibbs(sklda.UncollapsedGibbsLDA, **SAMPLED),
    "dynamic": gibbs(sklda.ECGSLDA, **SAMPLED),
    "covariates": gibbs(sklda.DMRLDA)._replace(more={"covariates": COVARIATES}),
    "one covariate, beta of words": gibbs(sklda.DMRLDA, **OF_WORDS)._replace(
        more={"covariates": SHARES}
    ),
    "no covariates, beta of words": gibbs(sklda.DMRLDA, **OF_WORDS),
    "classes": classifier(),
    "two classes": classifier(LABELS == "one", sampler="gibbs"),
    "labels": classifier((THETA > 0.3).astype(int), **OF_WORDS),
    "one-vs-rest": classifier(multi_class="ovr", **SAMPLED),
    "one-vs-rest, beta of words": classifier(multi_class="ovr", **OF_WORDS),
    "numbers": regressor(**SAMPLED),
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
# Fits that callbacks, and chains side by side, can follow.
FOLLOWED = [name for name in OWN if "one-vs-rest" not in name]
each_followed = pytest.mark.parametrize("name", FOLLOWED)
each_that_ends = pytest.mark.parametrize(
    "name", [name for name in FOLLOWED if name != "minibatches"]
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

Call = Callable[[Any, dict[str, Any]], Any]  # of a model, and what more it takes


def taking_model(function: Callable, *arguments: Any, **options: Any) -> Call:
    return lambda model, _: function(model, *arguments, **options)


def taking_models(function: Callable, **options: Any) -> Call:
    return lambda model, _: function([model, model], **options)


def taking_draws(function: Callable, *arguments: Any, **options: Any) -> Call:
    return lambda model, _: function(
        getattr(model, "draws_", None), *arguments, **options
    )


def taking_predictions(function: Callable) -> Call:
    def call(model, more):
        covariates = more.get("covariates", SHARES)[:3]
        return function(inspection.predicted_proportions(model, covariates))

    return call


def taking_clone(function: Callable, **options: Any) -> Call:
    options |= {"cv": 2, "n_words": 3, "random_state": 0}
    return lambda model, _: function(clone(model), X, [1, 2], **options)


def intervals_of_effects(draws):
    effects = inspection.estimate_effect(draws, COVARIATES, random_state=0)
    return inspection.TopicIntervalsDisplay.from_effects(effects)


def intervals_of_contrasts(predicted):
    contrasts = predicted.contrast(0, 1)
    return inspection.TopicIntervalsDisplay.from_contrasts(contrasts)


def plotted(predicted):
    return inspection.PredictedProportionsDisplay.from_predictions(predicted, range(3))


CHEAP = {"measures": ["score"], "n_repeats": 1}
FUNCTIONS: dict[str, Call] = {
    "top_words": taking_model(inspection.top_words, n_words=3),
    "top_documents": taking_model(inspection.top_documents, X, 3),
    "name_topics": lambda model, _: inspection.name_topics(deepcopy(model), {0: "a"}),
    "pyldavis_data": taking_model(inspection.pyldavis_data, X),
    "TopWordsDisplay.from_estimator": taking_model(
        inspection.TopWordsDisplay.from_estimator, n_words=3
    ),
    "TopicMapDisplay.from_estimator": taking_model(
        inspection.TopicMapDisplay.from_estimator, X=X
    ),
    "DocumentTopicsDisplay.from_estimator": taking_model(
        inspection.DocumentTopicsDisplay.from_estimator, X, documents=[0, 3]
    ),
    "ConvergenceDisplay.from_estimator": taking_model(
        inspection.ConvergenceDisplay.from_estimator
    ),
    "estimate_effect": taking_draws(
        inspection.estimate_effect, COVARIATES, random_state=0
    ),
    "topic_means": taking_draws(inspection.topic_means, LABELS, random_state=0),
    "TopicMeansDisplay.from_draws": taking_draws(
        inspection.TopicMeansDisplay.from_draws, LABELS, random_state=0
    ),
    "TopicIntervalsDisplay.from_draws": taking_draws(
        inspection.TopicIntervalsDisplay.from_draws, documents=[0, 3]
    ),
    "TopicIntervalsDisplay.from_effects": taking_draws(intervals_of_effects),
    "predicted_proportions": taking_predictions(lambda predicted: predicted),
    "TopicIntervalsDisplay.from_contrasts": taking_predictions(intervals_of_contrasts),
    "PredictedProportionsDisplay.from_predictions": taking_predictions(plotted),
    "align_topics": lambda model, _: metrics.align_topics(model, [model]),
    "topic_stability": taking_models(metrics.topic_stability),
    "consensus_topics": taking_models(metrics.consensus_topics),
    "topic_coherence": taking_model(metrics.topic_coherence, X, n_words=3),
    "topic_diversity": taking_model(metrics.topic_diversity, 3),
    "topic_exclusivity": taking_model(metrics.topic_exclusivity, n_words=3),
    "document_completion_score": taking_model(metrics.document_completion_score, X),
    "vocabulary_score": taking_model(metrics.vocabulary_score, X, range(N_WORDS), X),
    "left_to_right_log_likelihood": taking_model(
        metrics.left_to_right_log_likelihood, X, n_particles=2, random_state=0
    ),
    "topic_number_curve": taking_clone(model_selection.topic_number_curve),
}
# With tests of their own, below.
APART = {"save_explorer", "sample_chains", "ConvergenceDisplay.from_chains"}
# What a function refuses, and in which words: names of cases and of functions.
DRAWLESS = {n for n in CASES if CASES[n].model.get_params().get("keep_draws", 0) == 0}
LABELLED = {name for name in CASES if CASES[name].y is not None}
TRACELESS = {"no trace, no draws", "minibatches", "exact", "scikit-learn", "NMF"}
ONE_VS_REST = {name for name in CASES if "one-vs-rest" in name}
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
    ({"no covariates, beta of words"}, OF_PREDICTED, "but fit had"),
    (DRAWLESS, OF_DRAWS | {"TopicIntervalsDisplay.from_draws"}, "keep_draws, got None"),
    ({"one topic"}, OF_DRAWS, "only one topic"),
    (TRACELESS | LABELLED, OF_TRACES, "records no trace|fitted without a trace"),
    (ONE_VS_REST, OF_SCORES, "3 models, one for each class"),
    ({"NMF"}, {"left_to_right_log_likelihood"}, "NMF has no doc_topic_prior_"),
    (LABELLED, OF_CURVES, "must be fitted without labels"),
]


def test_no_estimator_and_no_function_is_missing():
    assert {type(CASES[name].model) for name in OWN} == set(estimators().values())
    found = {
        name.split(".", 2)[2]
        for module in (diagnostics, inspection, metrics, model_selection)
        for name, member in public_callables([module])
        if ".from_" in name or (inspect.isfunction(member) and name.count(".") == 2)
    }
    assert found == FUNCTIONS.keys() | APART


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
        return read(FUNCTIONS[function](model, CASES[name].more))
    with pytest.raises((TypeError, ValueError), match=words[0]):
        FUNCTIONS[function](model, CASES[name].more)


@each
@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions(function, name, fit, pyplot):
    check(function, name, fit(name))


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


def by_joblib(model, folder):
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


def by_skops(model, folder):
    io = pytest.importorskip("skops.io")
    io.dump(model, folder / "model.skops")
    unknown = io.get_untrusted_types(file=folder / "model.skops")
    # A user has to trust each type that is listed here.
    trusted = {
        f"{cls.__module__}.{cls.__name__}" for cls in (type(model), PosteriorDraws)
    }
    assert trusted - {f"{PosteriorDraws.__module__}.PosteriorDraws"} <= {*unknown}
    assert {*unknown} <= trusted
    return io.load(folder / "model.skops", trusted=unknown)


@each_own
def test_methods_and_copies(name, fit, tmp_path):
    model, (_, y, more) = fit(name), CASES[name]
    expected = methods(model, y, more)
    ways = [by_pickle, by_joblib, lambda model, _: deepcopy(model), by_skops]
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


@each_that_ends
@pytest.mark.parametrize(
    "function", [n for n in FUNCTIONS if n[0].islower() and n != "topic_number_curve"]
)
def test_functions_of_what_a_callback_is_given(function, name, looks):
    check(function, name, looks(name).models[-3])


# --- chains --------------------------------------------------------------------------


@pytest.fixture
def few_pairs(monkeypatch):
    pytest.importorskip("arviz_stats")
    monkeypatch.setattr(_chains, "N_PAIRS", 20)


@each_followed
def test_chains(name, few_pairs, pyplot, tmp_path):
    model, y, more = CASES[name]
    options = {"X_test": X, "n_chains": 2, "random_state": 0, **more}
    chains = diagnostics.sample_chains(model, X, y, **options)
    io = pytest.importorskip("skops.io")
    with pytest.raises(TypeError, match="Store the list estimators_ with it"):
        io.dump(chains, tmp_path / "chains.skops")
    if name in CHAINS:
        assert chains.verdict_.startswith("Too few draws: 6 per chain")
        chains.more(14)
    read(chains)
    assert chains.to_datatree()["posterior"].sizes["chain"] == 2
    assert len(inspection.ConvergenceDisplay.from_chains(chains).lines_) == 2
