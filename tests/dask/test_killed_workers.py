"""Processes of workers that are killed: fits begin again, or say what is lost."""

import os
import signal

import pytest

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

import dask
import numpy as np

from sklda.dask import _cluster, _estimators, _samplers
from tests.dask import corpora
from tests.dask.conftest import started

pytestmark = [pytest.mark.slow, corpora.WITH_PRIORS]


@pytest.fixture
def processes():
    """Return the client of two processes, none of which another test has killed."""
    with started(2, processes=True) as client:
        yield client


def kill_worker(client):
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


@pytest.mark.parametrize(
    ("name", "params", "tokens_of_task"),
    [
        ("partially collapsed", {}, 0),
        ("rows", {"storage": "{}", "store_every": 3}, 0),
        ("rows", {}, 2**24),
        ("lists", {}, 0),
        ("lists", {"n_shards": 1}, 0),
    ],
)
def test_killed_worker(
    name, params, tokens_of_task, processes, after_sweep, monkeypatch, tmp_path
):
    # What it held is recomputed, from the first sweep on, or from the last stored one.
    monkeypatch.setattr(_samplers, "TOKENS_OF_TASK", tokens_of_task)
    times = []

    def kill_once():
        if not times:
            kill_worker(processes)
        times.append(1)

    undo = after_sweep(8, kill_once)
    if "storage" in params:
        params = params | {"storage": str(tmp_path)}
    model = corpora.make(name, **corpora.PRIORS, **params)
    model.fit(corpora.delayed_blocks())
    undo()
    in_phases = name != "partially collapsed" and "n_shards" not in params
    assert len(times) == 1 + in_phases  # the fit has begun again
    corpora.assert_same_as_local(model, corpora.fit_local(model))


def test_workers_that_die_too_often(processes, after_sweep, monkeypatch):
    monkeypatch.setattr(_estimators, "MOST_LOSSES", 0)
    after_sweep(2, lambda: kill_worker(processes))
    with pytest.raises(_cluster.PartLostError, match=r"is lost.*resume=True"):
        corpora.make("lists").fit(corpora.delayed_blocks())


def test_worker_that_dies_after_the_fit(processes):
    model = corpora.make("lists").fit(corpora.delayed_blocks())
    # Nobody answers at the address of the dead: how long others try to reach it.
    timeout = "distributed.comm.timeouts.connect"
    with dask.config.set({timeout: "2s"}):
        processes.run(dask.config.set, {timeout: "2s"})
        kill_worker(processes)
        message, found = "call fit again", None
        try:
            found = model.topic_assignments_.compute()
        except _cluster.PartLostError as error:
            message = str(error)
    assert "call fit again" in message
    if (
        found is not None
    ):  # statistics had copied the part of the dead to another worker
        expected = corpora.fit_local(model).topic_assignments_
        np.testing.assert_array_equal(found, expected)
