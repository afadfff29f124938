"""Workers, schedulers and clients: how many, and which of them end in mid-fit.

Each test starts its own cluster; none may run in this process before.
"""

import contextlib
import os
import signal
import subprocess
import sys

import pytest
from distributed import Client

from sklda.dask import _cluster
from tests.dask import corpora
from tests.dask.conftest import SECONDS, after_sweep, started


@corpora.WITH_PRIORS
@pytest.mark.parametrize(("n_workers", "n_threads"), [(1, 1), (1, 3), (3, 1)])
def test_any_number_of_workers(n_workers, n_threads):
    with started(n_workers, threads_per_worker=n_threads):
        for model in (
            corpora.make(n_partitions=None, n_jobs=2, **corpora.PRIORS),
            corpora.make("registers", **corpora.PRIORS),
        ):
            corpora.assert_fits_as_local(model)


@pytest.mark.slow
def test_killed_scheduler(tmp_path):
    file = tmp_path / "scheduler.json"
    model = corpora.make(storage=str(tmp_path / "fit"), store_every=3)
    with contextlib.ExitStack() as stack:

        def start(module, *arguments):
            command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
            command += ["--scheduler-file", str(file), "--no-dashboard"]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        scheduler = start("dask_scheduler", "--port", "0")
        start("dask_worker", "--nthreads", "2")
        client = Client(scheduler_file=str(file), timeout=SECONDS)
        with client, after_sweep(8, scheduler.kill):
            client.wait_for_workers(1, timeout=SECONDS)
            with pytest.raises(RuntimeError, match=r"lost its scheduler.*resume=True"):
                model.fit(corpora.delayed_blocks())
    with started(1):
        corpora.assert_fits_as_local(model, resume=True)


def test_workers_that_leave(monkeypatch):
    monkeypatch.setattr(_cluster, "PATIENCE", 0.5)
    with started(1) as client, after_sweep(5, lambda: client.cluster.scale(0)):
        with pytest.raises(RuntimeError, match="has had no workers"):
            corpora.make().fit(corpora.delayed_blocks())
        with pytest.raises(ValueError, match="must be connected to a cluster with w"):
            corpora.make().fit(corpora.delayed_blocks())


def test_clients_that_are_absent_or_closed():
    with pytest.raises(ValueError, match="No Dask client: start one"):
        corpora.make().fit(corpora.delayed_blocks())
    with started(1) as client:
        model = corpora.make(client=client)
        with (
            after_sweep(5, client.close),
            pytest.raises(RuntimeError, match="was closed"),
        ):
            model.fit(corpora.delayed_blocks())
    with pytest.raises(ValueError, match=r"client must be .* is closed"):
        model.fit(corpora.delayed_blocks())


def kill_worker(client):
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


@pytest.mark.slow
@corpora.WITH_PRIORS
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("partially collapsed", {}),
        ("registers", {"storage": "{}", "store_every": 3}),
        ("lists", {}),
        ("lists", {"n_shards": 1}),
    ],
)
def test_what_a_killed_worker_held_is_recomputed(name, params, processes, tmp_path):
    # From the first sweep on, or from the last stored one.
    if "storage" in params:
        params = params | {"storage": str(tmp_path)}
    model = corpora.make(name, **corpora.PRIORS, **params)
    with after_sweep(8, lambda: kill_worker(processes)):
        model.fit(corpora.delayed_blocks())
    kill_worker(processes)  # results that stay on the workers
    corpora.assert_same_as_local(model, corpora.fit_local(model))
