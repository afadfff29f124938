"""`learn_priors="hierarchical"`: what a fit leaves, and what it goes on with."""

import numpy as np
import pytest
from sklearn.base import clone

from sklda import CollapsedGibbsLDA
from sklda._engine.chain import Chain
from sklda._engine.hierarchical_prior import GammaPriors
from sklda._gibbs.kernels import single_site_registers
from sklda._sampling.problem import Problem
from sklda._sampling.threads import Threads
from sklda.datasets import make_lda_corpus
from tests.helpers.comparison import assert_same_fit
from tests.helpers.corpora import corpus_of, docs_of, words_of
from tests.helpers.enumeration import mean_and_error
from tests.helpers.hierarchical import known
from tests.helpers.mutants import streams
from tests.helpers.ways_to_fit import GIBBS, SAMPLED, SUPERVISED, given_for

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0].toarray()
X[7] = 0
MODELS = GIBBS | SUPERVISED | {"many topics": CollapsedGibbsLDA()}
each = pytest.mark.parametrize("name", MODELS)


def make(name, **params):
    defaults = {"n_components": 130 if name == "many topics" else 8, "random_state": 0}
    defaults |= SAMPLED | {"max_iter": 30, "burn_in": 10, "thin": 4}
    return clone(MODELS[name]).set_params(**defaults | params)


def fit(name, X=X, **params):
    return go_on(make(name, **params), X)


def go_on(model, X=X, **params):
    return model.set_params(**params).fit(X, **given_for(model, len(X)))


# --- what a fit leaves -----------------------------------------------------------


@pytest.mark.parametrize("name", sorted(MODELS.keys() - set(SUPERVISED)))
def test_means_are_those_of_the_kept_samples(name):
    model = fit(name)
    kept = [fit(name, max_iter=n, burn_in=n - 1) for n in (14, 18, 22, 26, 30)]
    doc, word = docs_of(corpus_of(X)), words_of(corpus_of(X))
    theta, phi, trace = [], [], model.prior_trace_
    for sample in kept:
        alpha, beta = sample.doc_topic_prior_, sample.topic_word_prior_
        n_dk, n_kw = np.zeros((40, alpha.size)), np.zeros((alpha.size, 30))
        np.add.at(n_dk, (doc, sample.topic_assignments_), 1)
        np.add.at(n_kw, (sample.topic_assignments_, word), 1)
        theta.append((n_dk + alpha) / (X.sum(axis=1, keepdims=True) + alpha.sum()))
        phi.append(n_kw + beta)
        # The priors are those that were drawn after the sweep.
        i = sample.n_iter_ - 1
        assert trace["topic_word_prior"][i] == beta
        np.testing.assert_allclose(
            np.maximum(trace["doc_concentration"][i] * sample.topic_weights_, 1e-20),
            alpha,
        )
    np.testing.assert_allclose(model.doc_topic_, np.mean(theta, axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.doc_topic_.sum(axis=1), 1)
    np.testing.assert_allclose(model.components_, np.mean(phi, axis=0), rtol=1e-12)
    for attribute in ("doc_topic_prior_", "topic_weights_", "topic_word_prior_"):
        values = [getattr(sample, attribute) for sample in kept]
        found = getattr(model, attribute)
        np.testing.assert_allclose(found, np.mean(values, axis=0), rtol=1e-12)
    assert isinstance(model.topic_word_prior_, float)


@each
def test_trace_and_numbers_of_topics(name):
    model = fit(name)
    trace = dict(model.prior_trace_)
    columns = (3,) if name == "one vs rest" else ()
    assert all(values.shape == (30, *columns) for values in trace.values())
    sweeps = trace.pop("sweep")
    assert (sweeps.reshape(30, -1).T == np.arange(1, 31)).all()
    names = "doc_concentration weight_concentration topic_word_prior"
    for quantity in names.split():
        values = trace.pop(quantity)
        assert values.dtype == float
        assert (values > 0).all()
        assert (values[1:] != values[:-1]).all()  # drawn after each sweep
    assert trace.keys() == model.n_topics_.keys() == {"n_topics", "n_nonempty"}
    for quantity, values in trace.items():
        assert values.dtype == np.int64
        after = values[10:]  # all sweeps after burn-in, kept (14, 18, ...) or not
        found = model.n_topics_[quantity]
        ends = np.quantile(after, (0.025, 0.975), axis=0)
        expected = [after.mean(axis=0), *ends]
        np.testing.assert_allclose(found, expected)
    assert (trace["n_topics"] <= trace["n_nonempty"]).all()
    n_chains = 3 if columns else 1
    shares = model.topic_weights_.reshape(n_chains, -1)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_number_of_topics_of_the_last_sweep():
    model = fit("many topics")
    sizes = np.sort(np.bincount(model.topic_assignments_, minlength=130))[::-1]
    assert model.prior_trace_["n_nonempty"][-1] == (sizes > 0).sum()
    n = model.prior_trace_["n_topics"][-1]
    assert sizes[:n].sum() >= 0.99 * sizes.sum() > sizes[: n - 1].sum()
    assert n < (sizes > 0).sum()  # or nothing was tested


def test_beta_is_fixed_without_a_prior():
    model = fit("registers", hyperpriors=None, topic_word_prior=0.3)
    assert model.topic_word_prior_ == 0.3
    assert "topic_word_prior" not in model.prior_trace_
    each_word = np.linspace(0.1, 0.5, 30)
    model = fit("registers", hyperpriors=None, topic_word_prior=each_word)
    np.testing.assert_array_equal(model.topic_word_prior_, np.tile(each_word, (8, 1)))


@pytest.mark.parametrize("learn_priors", [None, "symmetric"])
def test_nothing_is_sampled_otherwise(learn_priors):
    model = fit("registers", learn_priors=learn_priors)
    assert model.topic_weights_ is None
    assert model.n_topics_ is None
    same = fit("registers", learn_priors=learn_priors, hyperpriors=None)
    assert_same_fit(same, model)


def test_default_priors_are_those_of_the_docstring():
    explicit = {"doc_concentration": (1, 1), "weight_concentration": (1, 0.1)}
    default = fit("registers", hyperpriors=None)
    assert_same_fit(fit("registers", hyperpriors=explicit), default)


@each
def test_hyperpriors_matter(name):
    priors = {"doc_concentration": known(3.0), "weight_concentration": known(0.5)}
    priors["topic_word_prior"] = known(0.02)
    model = fit(name, hyperpriors=priors, max_iter=60, burn_in=50)
    for quantity, value in zip(priors, (3.0, 0.5, 0.02), strict=True):
        np.testing.assert_allclose(model.prior_trace_[quantity][50:], value, rtol=1e-3)
    np.testing.assert_allclose(model.topic_word_prior_, 0.02, rtol=1e-3)
    total = 9.0 if name == "one vs rest" else 3.0
    np.testing.assert_allclose(model.doc_topic_prior_.sum(), total, rtol=1e-3)


# --- extremes --------------------------------------------------------------------


def assert_sound(model):
    for name in ("components_", "doc_topic_", "doc_topic_prior_", "topic_weights_"):
        values = getattr(model, name)
        assert np.isfinite(values).all(), name
        assert (values >= 0).all(), name
    assert all(np.isfinite(v).all() for v in model.prior_trace_.values())
    assert (model.doc_topic_prior_ > 0).all()
    n_chains = round(model.topic_weights_.sum())
    np.testing.assert_allclose(model.transform(X).sum(axis=1), n_chains)


@pytest.mark.slow
def test_priors_without_tokens_are_drawn_from_their_priors():
    problem = Problem(corpus_of(np.zeros((3, 2), int)), 2, np.ones(2), 0.5)
    chain = Chain(single_site_registers, problem, streams(1))
    chain.sample_priors(GammaPriors((2.0, 4.0), (3.0, 0.5), (1.5, 3.0)), Threads(1))
    chain.sweep()
    chain.keep()
    for _ in range(7999):
        chain.sweep()
    trace = chain.prior.attributes()["prior_trace_"]
    names = ("doc_concentration", "weight_concentration", "topic_word_prior")
    means, errors = mean_and_error(np.transpose([trace[name] for name in names]), 40)
    # Of 3 values, one in 10,000 is off by 4.3 errors.
    assert (abs(means - [0.5, 6.0, 0.5]) < 4.3 * errors).all()
    assert (errors < [0.02, 0.2, 0.02]).all()


@pytest.mark.parametrize("name", sorted(GIBBS))
@pytest.mark.parametrize("gamma", [1e-8, 1e-2, 1e8])
def test_weights_that_underflow_and_equal_ones(name, gamma):
    priors = {"weight_concentration": (100.0, 100.0 / gamma)}
    model = fit(name, n_components=40, hyperpriors=priors)
    assert_sound(model)
    if gamma == 1e8:
        np.testing.assert_allclose(model.topic_weights_, 1 / 40, rtol=0.01)
    else:  # to topics without tokens nothing is left
        assert (model.topic_weights_ < 1e-12).any()


# --- fits that go on -------------------------------------------------------------


@each
def test_what_is_sampled_may_change_between_fits(name):
    model = fit(name, max_iter=20, warm_start=True, learn_priors=None)
    assert model.prior_trace_ is None
    first = model.doc_topic_prior_
    go_on(model, learn_priors="hierarchical", max_iter=10, burn_in=0, thin=1)
    assert model.n_iter_ == 30
    assert (model.doc_topic_prior_ != first).all()
    trace = model.prior_trace_["sweep"].reshape(10, -1)[:, 0]
    assert trace.tolist() == list(range(21, 31))
    assert_sound(model)
    at_last = go_on(model, learn_priors=None, max_iter=10, burn_in=0)
    assert at_last.topic_weights_ is None
    # The last draw remains, not the mean: the priors are those of the chain.
    again = go_on(at_last, max_iter=3, burn_in=0)
    np.testing.assert_array_equal(again.doc_topic_prior_, at_last.doc_topic_prior_)


def test_hyperpriors_in_an_array_go_on():
    priors = {"doc_concentration": np.array([1.0, 2.0])}
    model = fit("registers", max_iter=20, warm_start=True, hyperpriors=priors)
    assert go_on(model, max_iter=10, burn_in=0).n_iter_ == 30


# --- bad input -------------------------------------------------------------------


@pytest.mark.parametrize("name", ["registers", "dynamic", "light", "gibbs"])
def test_arrays_beside_what_is_sampled(name):
    with pytest.raises(ValueError, match=r"doc_topic_prior cannot be an array.*None"):
        fit(name, doc_topic_prior=np.linspace(0.1, 1, 8))
    with pytest.raises(ValueError, match="topic_word_prior cannot be an array"):
        fit(name, topic_word_prior=np.full(30, 0.1))
