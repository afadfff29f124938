"""Several chains: the same for any number of jobs, and going on without a new start."""

import _thread
import pickle
from itertools import count
from threading import Event

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from sklda import (
    CVBLDA,
    DMRLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    MedLDARegressor,
    PartiallyCollapsedGibbsLDA,
    UncollapsedGibbsLDA,
)
from sklda._engine.chain import Chain, log_doc_likelihood, log_word_likelihood
from sklda.datasets import make_lda_corpus
from sklda.diagnostics import _chains, sample_chains
from sklda.diagnostics._chains import Stop
from tests.helpers.callbacks import Recorder
from tests.helpers.comparison import assert_same_fit
from tests.helpers.processes import wait_for_threads

pytest.importorskip("arviz_stats")

X, THETA, _ = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)
X_TEST = make_lda_corpus(5, 30, 4, document_length=30, random_state=1)[0]
LABELS = np.arange(40) % 3
PARAMS = {"max_iter": 12, "burn_in": 4, "thin": 2}
DRAWS = PARAMS | {"keep_draws": 3}
MODELS = {
    "collapsed": (CollapsedGibbsLDA(4, **DRAWS), None),
    "shards": (CollapsedGibbsLDA(4, n_shards=2, n_jobs=2, **DRAWS), None),
    "blocks": (CollapsedGibbsLDA(4, blocking="nested", **DRAWS), None),
    "many topics": (CollapsedGibbsLDA(120, **DRAWS), None),
    "partially collapsed": (PartiallyCollapsedGibbsLDA(4, n_jobs=2, **DRAWS), None),
    "uncollapsed": (UncollapsedGibbsLDA(4, n_jobs=2, **DRAWS), None),
    "ecgs": (ECGSLDA(4, n_shards=2, **DRAWS), None),
    "covariates": (DMRLDA(4, **DRAWS), None),
    "classifier": (MedLDAClassifier(4, **PARAMS), LABELS),
    "regressor": (MedLDARegressor(4, sampler="gibbs", **PARAMS), THETA[:, 0]),
}
DATA = {"covariates": {"covariates": THETA[:, 1]}}
models = pytest.mark.parametrize("name", MODELS)


def sample(name, n_chains=3, **options):
    model, y = MODELS[name]
    options = {"X_test": X_TEST, "random_state": 0, **DATA.get(name, {}), **options}
    return sample_chains(model, X, y, n_chains=n_chains, **options)


def assert_same(a, b, but=()):
    assert a.scalars_.keys() == b.scalars_.keys()
    for name, draws in a.scalars_.items():
        np.testing.assert_array_equal(draws, b.scalars_[name], err_msg=name)
    np.testing.assert_array_equal(a.pairs_, b.pairs_)
    np.testing.assert_array_equal(a.sweeps_, b.sweeps_)
    for model, twin in zip(a.estimators_, b.estimators_, strict=True):
        assert_same_fit(model, twin, but)


@models
def test_the_result_does_not_depend_on_the_number_of_jobs(name):
    expected = sample(name)
    assert len({model.random_state for model in expected.estimators_}) == 3
    assert_same(sample(name, n_jobs=2), expected)
    assert_same(sample(name, n_jobs=-1), expected)


@models
def test_chains_are_fits_of_their_own(name):
    chains = sample(name, n_jobs=2)
    assert not hasattr(MODELS[name][0], "components_")
    for model in chains.estimators_:
        again = clone(model).fit(X, MODELS[name][1], **DATA.get(name, {}))
        assert_same_fit(again, model)
    # They may have topics of the same sizes, but not all scalars in common.
    last = np.array([draws[:, -1] for draws in chains.scalars_.values()])
    assert np.unique(last, axis=1).shape[1] > 1


@pytest.mark.parametrize("name", ["collapsed", "covariates", "classifier"])
def test_chains_start_apart(name):
    inits = [model.init for model in sample(name).estimators_]
    assert inits == ["annealed", "random", "annealed"]


def test_another_start_is_kept():
    init = np.ones((4, 30))
    model = CollapsedGibbsLDA(4, init=init, **PARAMS)
    chains = sample_chains(model, X, n_chains=2, random_state=0)
    for fitted in chains.estimators_:
        np.testing.assert_array_equal(fitted.init, init)


@models
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_more_sweeps_are_those_of_longer_chains(name, n_jobs):
    model, y = MODELS[name]
    chains = sample(name, n_jobs=n_jobs)
    assert chains.sweeps_.tolist() == [6, 8, 10, 12]
    assert chains.more(4).more(6) is chains
    longer, data = clone(model).set_params(max_iter=22), DATA.get(name, {})
    options = {"X_test": X_TEST, "n_chains": 3, "random_state": 0, **data}
    but = ("draws_",)  # of each fit, evenly spaced
    assert_same(chains, sample_chains(longer, X, y, **options), but)
    for model in chains.estimators_:
        assert (model.max_iter, model.burn_in, model.n_iter_) == (22, 4, 22)
        assert_same_fit(clone(model).fit(X, y, **data), model, but)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shards", "many topics"])
def test_processes_come_to_the_same(name):
    expected = sample(name, n_chains=2)
    with joblib.parallel_config("loky", n_jobs=2):
        chains = sample(name, n_chains=2)
        assert_same(chains, expected)
        again = pickle.loads(pickle.dumps(chains))
        assert_same(again.more(4), expected.more(4))


@pytest.mark.parametrize("name", ["collapsed", "partially collapsed", "ecgs"])
def test_the_caller_may_change_x_between_the_sweeps(name):
    model, _ = MODELS[name]
    options = {"n_chains": 2, "random_state": 0}
    expected = sample_chains(model, X, X_test=X_TEST, **options).more(8)
    training, test = (
        sparse.csr_array(documents, dtype=np.int32, copy=True)
        for documents in (X, X_TEST)
    )
    chains = sample_chains(model, training, X_test=test, **options)
    for documents in (training, test):
        documents.indices[:] = 3
        documents.data[:] = 7
        documents.indptr[1:-1] = 0
    assert_same(chains.more(8), expected)
    frame = pytest.importorskip("pandas").DataFrame(X.toarray())
    frame = frame.rename(columns=str).rename(columns={"0": "format"})
    sample_chains(model, frame, **options)  # is in no format of SciPy


def test_the_seed():
    model = CollapsedGibbsLDA(4, random_state=7, **PARAMS)
    seeded = sample_chains(model, X, n_chains=2)
    assert_same(sample_chains(model, X, n_chains=2, random_state=7), seeded)
    reseeded = sample_chains(model, X, n_chains=2, random_state=8)
    assert not np.array_equal(reseeded.pairs_, seeded.pairs_)
    # The default burn-in stays where it was.
    chains = sample_chains(CollapsedGibbsLDA(4, max_iter=12, thin=2), X, random_state=0)
    assert chains.more(8).estimators_[0].burn_in == 6


def test_the_best_has_the_highest_log_joint():
    chains = sample("collapsed", n_chains=6)
    means = chains.scalars_["log_joint"][:, 2:].mean(axis=1)
    assert chains.best_index_ == means.argmax()
    assert chains.best_estimator_ is chains.estimators_[means.argmax()]


def test_the_log_joint_of_medlda():
    model = MedLDARegressor(4, C=3, prior_precision=2.0, max_iter=3, burn_in=2)
    chains = sample_chains(model, X, THETA[:, 0], n_chains=2, random_state=0)
    log_joint = chains.scalars_["log_joint"]
    for sampled, values in zip(chains._records, log_joint, strict=True):
        problem = sampled.chain.problem
        words = log_doc_likelihood(problem, sampled.chain.z)
        words += log_word_likelihood(problem, sampled.chain.counts)
        loss = 2 * 3 * 40 * sampled.estimator.loss_[-1]
        prior = (sampled.chain.state.weights**2).sum()
        total = values[-1] * sampled.chain.n_tokens
        assert total == pytest.approx(words - loss - prior)


# --- failures and Ctrl-C ---------------------------------------------------------


class NotedStop(Stop):
    """Tells the other chains to stop, and whoever waits for that."""

    def __init__(self):
        self.event = Event()

    is_set = property(
        lambda self: self.event.is_set(), lambda self, _: self.event.set()
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_leaves_the_chains_as_they_were(error, n_jobs, monkeypatch):
    chains, expected = sample("shards", n_jobs=n_jobs), sample("shards")
    before, n_threads = dict(vars(chains)), _thread._count()
    sweep, numbers, later, stop = Chain.sweep, count(1), [], NotedStop()

    def interrupted(self):
        sweep(self)
        number = next(numbers)  # for each thread another one
        if number == 7:
            raise error
        if number > 7:
            later.append(stop.event.wait(timeout=300))  # however slow the machine is

    with monkeypatch.context() as patch:
        patch.setattr(_chains, "Stop", lambda: stop)
        patch.setattr(Chain, "sweep", interrupted)
        with pytest.raises(error):
            chains.more(1000)
    wait_for_threads(n_threads)  # the other chains stop as well
    # Two threads end what they are at.
    assert all(later)
    assert len(later) <= (2 if n_jobs == 2 else 0)
    assert all(vars(chains)[key] is before[key] for key in before)
    assert_same(chains, expected)
    assert_same(chains.more(4), expected.more(4))


def test_what_cannot_be_sampled():
    model = CollapsedGibbsLDA(4, **PARAMS)
    with pytest.raises(TypeError, match="CollapsedGibbsLDA takes no covariates"):
        sample_chains(model, X, covariates=THETA[:, 1])
    chains = sample("collapsed")
    with pytest.raises(ValueError, match=r"multiple of thin=2.*got 5.*next one is 6"):
        chains.more(5)
    for other in (CVBLDA(4), CollapsedGibbsLDA):
        with pytest.raises(TypeError, match=r"sampler of sklda.*Fit CVBLDA"):
            sample_chains(other, X)


# --- callbacks -------------------------------------------------------------------


class StopsOne(Recorder):
    """Stops the first chain that comes to a sweep."""

    def __init__(self, at):
        super().__init__(at, self.stop)

    def stop(self):
        self.at = None
        return True


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_callbacks_see_all_chains(n_jobs):
    pytest.importorskip("sklearn.callback")
    callback = StopsOne(9)
    model = CollapsedGibbsLDA(4, **PARAMS).set_callbacks(callback)
    chains = sample_chains(model, X, n_chains=3, n_jobs=n_jobs, random_state=0)
    n_sweeps = sum(event.startswith("end sweep") for event in callback.events)
    assert n_sweeps == 9 + 12 + 12
    assert sorted(model.n_iter_ for model in chains.estimators_) == [9, 12, 12]
    assert chains.sweeps_.tolist() == [6, 8]  # those of all
    assert chains.pairs_.shape[:2] == (3, 2)
    stops_early = CollapsedGibbsLDA(4, **PARAMS).set_callbacks(StopsOne(3))
    with pytest.raises(ValueError, match="stopped a chain before its first draw"):
        sample_chains(stops_early, X, n_jobs=n_jobs, random_state=0)
