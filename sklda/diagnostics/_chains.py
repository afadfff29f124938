"""Several chains: their start, their continuation, and the record of each."""

from __future__ import annotations

from copy import copy
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from sklda._chain.run import chain_schedule
from sklda._chain.scalars import HeldOut, Recorder, Stop
from sklda._chain.stored import store_chain
from sklda._core.types import MatrixLike


class Sampled(NamedTuple):
    """A chain: the fitted estimator, the chain to continue, and the recorded draws."""

    estimator: Any
    chain: Any  # None of an estimator that has no chain
    sweeps: np.ndarray  # (n_draws,)
    values: dict[str, np.ndarray]  # (n_draws,) each
    together: np.ndarray  # (n_draws, n_pairs) of bool
    seconds: float

    def followed_by(self, later: Sampled) -> Sampled:
        """Return the chain of `later` with the draws of both."""
        joined = {
            name: np.concatenate([values, later.values[name]])
            for name, values in self.values.items()
        }
        return later._replace(
            sweeps=np.concatenate([self.sweeps, later.sweeps]),
            values=joined,
            together=np.concatenate([self.together, later.together]),
            seconds=self.seconds + later.seconds,
        )


class Experiment(NamedTuple):
    """What all chains have in common."""

    X: Any
    y: Any
    X_test: MatrixLike | None
    pairs: np.ndarray | None  # (n_pairs, 2); None without chains
    held_out: HeldOut | None
    n_jobs: int | None
    fit_options: dict[str, Any]

    @property
    def has_chains(self) -> bool:
        """Whether the estimators run Markov chains."""
        return self.pairs is not None

    def start(self, estimators: list[Any]) -> list[Sampled]:
        """Fit each estimator."""
        return self._side_by_side(_start if self.has_chains else _fit, estimators)

    def go_on(self, sampled: list[Sampled], n_sweeps: int) -> list[Sampled]:
        """Run copies of the chains for more sweeps."""
        later = self._side_by_side(_go_on, sampled, n_sweeps)
        pairs = zip(sampled, later, strict=True)
        return [before.followed_by(after) for before, after in pairs]

    def _side_by_side(self, function, items, *arguments) -> list[Sampled]:
        stop, run = Stop(), delayed(function)
        calls = (run(item, self, stop, *arguments) for item in items)
        try:
            return Parallel(n_jobs=self.n_jobs, prefer="threads")(calls)
        except BaseException:
            stop.is_set = True  # joblib does not end threads
            raise


def _fit(estimator: Any, experiment: Experiment, stop: Stop) -> Sampled:
    began = perf_counter()
    values = {"bound": estimator._fit(experiment.X, experiment.y).evaluate()}
    seconds = perf_counter() - began
    if experiment.X_test is not None:
        values["test_log_probability"] = estimator.score(experiment.X_test)
    arrays = {name: np.array([value]) for name, value in values.items()}
    sweeps, together = np.array([estimator.n_iter_]), np.empty((1, 0), np.bool_)
    return Sampled(estimator, None, sweeps, arrays, together, seconds)


def _start(estimator: Any, experiment: Experiment, stop: Stop) -> Sampled:
    began = perf_counter()
    recorder = Recorder(experiment.pairs, experiment.held_out, stop)
    X, y, options = experiment.X, experiment.y, experiment.fit_options
    chain = estimator._fit_chain(X, y, recorder, **options)
    values = {name: np.array(values) for name, values in recorder.values.items()}
    sweeps, together = np.array(recorder.sweeps), np.array(recorder.together)
    seconds = perf_counter() - began
    return Sampled(estimator, chain, sweeps, values, together, seconds)


def _go_on(
    sampled: Sampled, experiment: Experiment, stop: Stop, n_sweeps: int
) -> Sampled:
    estimator = copy(sampled.estimator)  # an error leaves the original as it was
    burn_in = chain_schedule(estimator._parameters, goes_on=True).burn_in
    max_iter = estimator.n_iter_ + n_sweeps
    estimator.set_params(burn_in=0, max_iter=n_sweeps, warm_start=True)
    store_chain(estimator, sampled.chain)
    later = _start(estimator, experiment, stop)
    estimator.set_params(burn_in=burn_in, max_iter=max_iter, warm_start=False)
    del estimator._stored
    return later
