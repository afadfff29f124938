"""The frame around the sweeps of a fit: failures, callbacks, progress."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from sklda._base.estimator import BaseTopicModel
from sklda._base.sklearn_private import CALLBACK_ATTRIBUTES
from sklda._simd.compile import told_of_compiling


@contextmanager
def fitting(estimator: BaseTopicModel) -> Iterator[None]:
    """Restore the attributes if the fit inside fails; say when kernels are compiled.

    The names of the topics go when the fit begins, before there are other topics.

    Set all attributes inside: after the check of X has set the first ones, Ctrl-C may
    come before the others.
    """

    def tell():
        _print(estimator, "compiling kernels, which takes seconds, once per machine")

    before = dict(vars(estimator))
    vars(estimator).pop("topic_names_", None)
    try:
        with told_of_compiling(tell) if estimator.verbose else nullcontext():
            yield
    except BaseException:
        now = vars(estimator)
        callbacks = {name: now[name] for name in CALLBACK_ATTRIBUTES if name in now}
        estimator.__dict__ = before | callbacks
        raise


@contextmanager
def fit_callbacks(
    estimator: BaseTopicModel,
    data: dict[str, Any],
    attributes: Callable[[], dict[str, Any]],
) -> Iterator[Callable[[int], bool]]:
    """Notify scikit-learn's callbacks of begin and end of the fit and of each sweep.

    `data` are X and y, and the "metadata" of a fit that takes more. Yield
    ``notify(sweep)``; call it after each sweep. It returns True if a callback wants the
    fit to stop. ``attributes()`` returns all fitted attributes as if the fit had
    stopped now.
    """
    data = {"estimator": estimator} | data
    end = data | {"reconstruction_attributes": attributes}
    fit_task = estimator._init_callback_context(max_subtasks=estimator.max_iter)
    fit_task.call_on_fit_task_begin(**data)

    def notify(sweep: int) -> bool:
        task = fit_task.subcontext(task_name=f"sweep {sweep}")
        task.call_on_fit_task_begin(**data)
        return task.call_on_fit_task_end(**end)

    yield notify
    fit_task.call_on_fit_task_end(**end)


@dataclass
class Progress:
    """Print a line every few sweeps, if the estimator is verbose."""

    estimator: BaseTopicModel
    n_tokens: float
    interval: int  # sweeps between two lines; 0 means no lines
    until: int  # the last sweep
    describe: Callable[[], str]  # the present sample
    last_sweep: int = 0

    def __post_init__(self) -> None:
        """Start the clock."""
        self.since = time.perf_counter()

    def report(self, sweep: int) -> None:
        """Print the sweep, what describes it, and the speed since the last report."""
        if (
            not self.estimator.verbose
            or self.interval == 0
            or sweep % self.interval != 0
        ):
            return
        seconds = time.perf_counter() - self.since
        speed = self.n_tokens * (sweep - self.last_sweep) / seconds / 1e6
        _print(
            self.estimator,
            f"sweep {sweep}/{self.until}, {self.describe()}, {speed:.1f} M tokens/s",
        )
        self.since, self.last_sweep = time.perf_counter(), sweep


def _print(estimator, line):
    print(f"[{type(estimator).__name__}] {line}", flush=True)
