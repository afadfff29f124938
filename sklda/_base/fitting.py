"""The frame around the sweeps of a fit: failures, callbacks, progress."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sklda._base.estimator import BaseTopicModel
from sklda._base.sklearn_private import CALLBACK_ATTRIBUTES

REPORT_EVERY = 10  # sweeps, where a verbose fit has no trace


@contextmanager
def fitting(estimator: BaseTopicModel) -> Iterator[None]:
    """Restore the attributes if the fit inside fails.

    The names of the topics go when the fit begins, before there are other topics.

    Set all attributes inside: after the check of X has set the first ones, Ctrl-C may
    come before the others.
    """
    before = dict(vars(estimator))
    vars(estimator).pop("topic_names_", None)
    try:
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
    interval: int  # sweeps between two lines; 0 means 10, without what describes them
    until: int  # the last sweep
    describe: Callable[[], str]  # the present sample
    last_sweep: int = 0

    def __post_init__(self) -> None:
        """Start the clock."""
        self.start = self.since = time.perf_counter()

    def report(self, sweep: int) -> None:
        """Print the sweep, what describes it, the speed, and the time that is left."""
        if not self.estimator.verbose or sweep % (self.interval or REPORT_EVERY) != 0:
            return
        now = time.perf_counter()
        rate = (sweep - self.last_sweep) / (now - self.since)  # since the last line
        left = f"{duration((self.until - sweep) / rate)} left"
        if sweep == self.until:
            left = f"{duration(now - self.start)} in all"
        sample = [self.describe()] if self.interval > 0 else []
        speed = f"{self.n_tokens * rate / 1e6:.1f} M tokens/s"
        parts = [f"sweep {sweep}/{self.until}", *sample, speed, left]
        print(f"[{type(self.estimator).__name__}] {', '.join(parts)}", flush=True)
        self.since, self.last_sweep = time.perf_counter(), sweep


def duration(seconds: float) -> str:
    """Return a time in words, such as "40 s", "7 min" or "2 h 5 min"."""
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
