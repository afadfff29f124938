"""Schedules, and what happens after each sweep."""

import itertools

import pytest

from sklda._sampling.schedule import Schedule


@pytest.mark.parametrize("max_iter", [1, 2, 9, 10, 11, 30])
def test_schedule(max_iter):
    sweeps = range(1, max_iter + 1)
    intervals = (1, 2, 3, 7, 10, 50)
    for burn_in, thin, every in itertools.product(range(max_iter), intervals, (1, 10)):
        schedule = Schedule(
            max_iter, burn_in, thin, thin, "symmetric", learning_interval=every
        )
        kept = {s for s in sweeps if schedule.keeps(s)}
        assert kept == set(range(max_iter, burn_in, -thin))
        learned = [s for s in sweeps if schedule.learns(s)]
        assert learned == list(range(every, burn_in + 1, every))
        assert not kept.intersection(learned)  # all samples have the same priors
        evaluated = [s for s in sweeps if schedule.evaluates(s)]
        assert evaluated == list(range(thin, max_iter + 1, thin))


def test_schedule_that_neither_learns_nor_evaluates():
    schedule = Schedule(100, 50, 10, 0, None)
    assert not any(schedule.learns(s) or schedule.evaluates(s) for s in range(1, 101))
