"""Callbacks of scikit-learn 1.9 and later."""

import numpy as np
import pytest

from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA
from tests.helpers.callbacks import Recorder
from tests.helpers.comparison import assert_same_fit
from tests.helpers.small_fits import X
from tests.helpers.small_fits import make as make_plain

callback = pytest.importorskip("sklearn.callback")


def make(**params):
    return make_plain(**{"max_iter": 9, **params})


def test_order_of_events():
    recorder = Recorder()
    make(max_iter=3).set_callbacks(recorder).fit(X)
    sweeps = [f"{what} sweep {n}" for n in (1, 2, 3) for what in ("begin", "end")]
    assert recorder.events == ["setup", "begin fit", *sweeps, "end fit", "teardown"]


def test_a_model_at_every_sweep():
    recorder = Recorder()
    model = make(burn_in=2, thin=3, evaluate_every=2).set_callbacks(recorder).fit(X)
    *swept, last = recorder.models
    assert [m.n_iter_ for m in swept] == list(range(1, 10))
    for n, m in enumerate(swept, start=1):
        np.testing.assert_allclose(m.transform(X).sum(axis=1), 1)
        np.testing.assert_allclose(m.components_.sum(), X.sum() + 30)
        # A snapshot does not change with the chain.
        alone = make(max_iter=n, burn_in=n - 1, evaluate_every=2).fit(X)
        for name in ("topic_assignments_", "log_joint_", "log_joint_iter_"):
            np.testing.assert_array_equal(getattr(m, name), getattr(alone, name))
    assert_same_fit(swept[-1], model)
    assert_same_fit(last, model)
    assert not any(m is model for m in recorder.models)


def test_number_of_topics_within_burn_in():
    recorder = Recorder()
    make(learn_priors="hierarchical", burn_in=5).set_callbacks(recorder).fit(X)
    for n, model in enumerate(recorder.models[:7], start=1):
        expected = model.prior_trace_["n_topics"][5 if n > 5 else n - 1 :]
        assert model.n_topics_["n_topics"][0] == expected.mean()


@pytest.mark.parametrize("cls", [CollapsedGibbsLDA, ECGSLDA])
def test_looks_at_shards_and_stops(cls):
    params = {"n_components": 4, "n_shards": 3, "n_jobs": 2, "random_state": 0}
    params |= {"init": "random", "learn_priors": None}
    recorder = Recorder(at=5)
    model = cls(max_iter=9, **params).set_callbacks(recorder).fit(X)
    assert model.n_iter_ == 5
    for n, look in enumerate(recorder.models[:5], start=1):
        alone = cls(max_iter=n, burn_in=n - 1, evaluate_every=0, **params).fit(X)
        np.testing.assert_array_equal(look.components_, alone.components_)
        if cls is ECGSLDA:
            np.testing.assert_array_equal(look.sampling_rate_, alone.sampling_rate_)
    assert_same_fit(recorder.models[4], model)


def stopped_at(sweep, **params):
    recorder = Recorder(at=sweep)
    return make(**params).set_callbacks(recorder).fit(X), recorder


@pytest.mark.parametrize("sweep", [1, 3, 9])
def test_a_callback_that_stops(sweep):
    model, recorder = stopped_at(sweep, burn_in=8, evaluate_every=1)
    assert model.n_iter_ == sweep
    assert model.log_joint_iter_.tolist() == list(range(1, sweep + 1))
    assert recorder.events[-3:] == [f"end sweep {sweep}", "end fit", "teardown"]
    # A fit that is stopped in burn-in keeps its last sweep.
    assert_same_fit(
        model, make(max_iter=sweep, burn_in=sweep - 1, evaluate_every=1).fit(X)
    )
    assert np.isfinite(model.score(X))


def test_a_look_is_what_a_stop_would_give():
    for sweep in range(1, 10):
        model, recorder = stopped_at(sweep, burn_in=2, thin=3)
        assert_same_fit(recorder.models[sweep - 1], model)


def test_scoring_monitor():
    monitor = callback.ScoringMonitor(scoring={"score": CollapsedGibbsLDA.score})
    model = make(burn_in=4).set_callbacks(monitor).fit(X, np.zeros(40))
    log = monitor.get_logs(include_lineage=False)
    log = {row["task_name"]: row["score"] for row in log.data}
    assert list(log)[1:] == [f"sweep {n}" for n in range(1, 10)]
    assert log["fit"] == log["sweep 9"] == model.score(X)
    for n in (1, 4):
        assert log[f"sweep {n}"] == make(max_iter=n, burn_in=n - 1).fit(X).score(X)
    # scikit-learn 1.9 scores nothing where y is None; the fit goes on all the same.
    assert_same_fit(make(burn_in=4).set_callbacks(monitor).fit(X), model)


def test_a_callback_of_variational_fits_sees_and_stops():
    recorder = Recorder(at=4)
    plain = {"init": "random", "random_state": 0}
    model = CVBLDA(4, max_iter=15, tol=1e-9, **plain).set_callbacks(recorder)
    assert model.fit(X).n_iter_ == 4
    assert [look.n_iter_ for look in recorder.models] == [1, 2, 3, 4, 4]
    expected = CVBLDA(4, max_iter=4, tol=0, **plain).fit(X)
    np.testing.assert_array_equal(model.components_, expected.components_)


def test_a_model_in_a_second_fit_has_nothing_of_the_first():
    recorder = Recorder()
    cvb = CVBLDA(3, max_iter=3, tol=0).partial_fit(X).set_callbacks(recorder).fit(X)
    seen = {look.n_samples_seen_ for look in [*recorder.models, cvb]}
    assert seen == {X.shape[0]}
    warm = make(max_iter=3, warm_start=True).fit(X).set_callbacks(recorder).fit(X)
    look = recorder.models[-1].set_callbacks()
    assert look.n_iter_ == warm.n_iter_ == 6
    with pytest.warns(UserWarning, match="kept no chain.*starts again"):
        assert look.fit(X).n_iter_ == 3
