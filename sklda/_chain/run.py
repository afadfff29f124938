"""The loop over the sweeps of a chain: its schedule, and what it reports to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sklda._base.fitting import Progress, fit_callbacks
from sklda._base.parameters import make_schedule
from sklda._base.schedule import Schedule
from sklda._core.minka import warn_unless_arrived


def chain_schedule(parameters: SimpleNamespace, *, goes_on: bool = False) -> Schedule:
    """Return the schedule of a fit, its sweeps counted from 1.

    Raises
    ------
    ValueError
        If no sweep is left to keep.
    """
    burn_in, max_iter = parameters.burn_in, parameters.max_iter
    burn_in = max_iter // 2 if burn_in is None else burn_in
    if burn_in >= max_iter:
        raise ValueError(
            f"burn_in={burn_in} leaves no sweep to keep: it must be smaller than "
            f"max_iter={max_iter}. None means half of max_iter."
        )
    every = getattr(parameters, "evaluate_every", 0)
    return make_schedule(parameters, burn_in, parameters.thin, every, goes_on=goes_on)


def run_fit(
    estimator: Any,
    data: dict[str, Any],
    chain: Any,
    schedule: Schedule,
    report_every: int,
    recorder: Any = None,
) -> None:
    """Run the chain of a fit to data; a burn-in ends the samples of earlier fits.

    The chain is a `Chain`, or that of a cluster, which has the same methods. Callbacks
    and the recorder hear of each sweep; a verbose estimator prints a line every
    `report_every` sweeps.
    """
    first = chain.n_sweeps
    if schedule.burn_in > 0:
        chain.forget_samples(first + schedule.burn_in)
    schedule = schedule.after(first)
    until, n_tokens = schedule.max_iter, chain.n_tokens
    progress = Progress(estimator, n_tokens, report_every, until, chain.describe, first)

    def attributes():
        # No fit goes on with a chain that runs, nor with that of an earlier fit.
        return {**estimator._attributes(chain.snapshot()), "_stored": None}

    with fit_callbacks(estimator, data, attributes) as notify:
        for sweep in range(first + 1, until + 1):
            chain.sweep()
            if schedule.learned is not None and schedule.learns(sweep):
                chain.learn_priors(schedule.learned)
            if schedule.evaluates(sweep):
                chain.evaluate()
            if kept := schedule.keeps(sweep):
                chain.keep()
            if recorder is not None:
                recorder.look(chain, kept=kept)
            progress.report(sweep)
            if notify(sweep):
                chain.end()
                break
    if schedule.learned is not None:
        warn_unless_arrived(chain.prior_updates)
