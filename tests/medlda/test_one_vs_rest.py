"""One-vs-rest: a binary fit for each class, by joblib."""

from itertools import permutations

import joblib
import numpy as np
import pytest

from sklda._engine.chain import Chain
from sklda.diagnostics import sample_chains
from tests.helpers.comparison import assert_same_fit
from tests.helpers.supervised import INDICATORS, MAIN, TRAIN, X, fit, make

BACKENDS = ["threading", pytest.param("loky", marks=pytest.mark.slow)]


def fit_each(**params):
    return fit(multi_class="ovr", max_iter=4, **params)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("warm_start", [False, True])
def test_any_backend_gives_the_same_bits(backend, warm_start):
    model, y = fit_each(warm_start=warm_start), MAIN[TRAIN]
    with joblib.parallel_config(backend, n_jobs=2):
        other = fit_each(warm_start=warm_start)
        assert_same_fit(other, model)
        assert_same_fit(other.fit(X[TRAIN], y), model.fit(X[TRAIN], y))


def test_classes_draw_from_streams_of_their_own():
    seeds = [np.random.RandomState(3) for _ in range(2)]
    first, second = (
        fit_each(random_state=seed, n_jobs=n)
        for seed, n in zip(seeds, (1, 2), strict=True)
    )
    assert_same_fit(first, second)
    assert seeds[0].randint(1000) == seeds[1].randint(1000)
    doubled = np.repeat(INDICATORS[TRAIN, :1], 2, axis=1)
    twins = fit(doubled, multi_class="ovr", max_iter=4)
    assert (twins.coef_[0] != twins.coef_[1]).all()


def test_callbacks_and_chains_are_refused():
    model, words = make(multi_class="ovr", max_iter=4, thin=1), "OneVsRestClassifier"
    pytest.importorskip("arviz_stats")
    with pytest.raises(ValueError, match=words):
        sample_chains(model, X[TRAIN], MAIN[TRAIN])
    sample_chains(model, X[TRAIN], MAIN[TRAIN] == 0)  # has one chain
    callback = pytest.importorskip("sklearn.callback")
    with pytest.raises(ValueError, match=words):
        model.set_callbacks(callback.ProgressBar()).fit(X[TRAIN], MAIN[TRAIN])


@pytest.mark.parametrize(
    ("before", "later"), permutations([MAIN % 2, MAIN % 3, MAIN, INDICATORS], 2)
)
def test_no_chain_goes_on_with_other_labels(before, later):
    model = make(multi_class="ovr", max_iter=2, warm_start=True)
    model.fit(X[TRAIN], before[TRAIN])
    with pytest.raises(ValueError, match="y must be the same"):
        model.fit(X[TRAIN], later[TRAIN])


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_leaves_the_model_as_it_was(error, n_jobs, monkeypatch):
    model, twin = (fit_each(n_jobs=n_jobs, warm_start=True) for _ in range(2))
    before, sweep = dict(vars(model)), Chain.sweep

    def failing(self):
        sweep(self)
        if self.n_sweeps == 6 and self.response.tasks.targets[0] > 0:
            raise error

    with monkeypatch.context() as patch:
        patch.setattr(Chain, "sweep", failing)
        with pytest.raises(error):
            model.fit(X[TRAIN], MAIN[TRAIN])
    assert vars(model) == before
    again = (each.fit(X[TRAIN], MAIN[TRAIN]) for each in (model, twin))
    assert_same_fit(*again)
