"""Workers, schedulers and clients: how many, and which of them end in mid-fit.

Each test starts its own cluster; none may run in this process before.
"""

import os
import signal
import subprocess
import sys

import pytest

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

from distributed import Client

from sklda.dask import _cluster
from tests.dask import corpora
from tests.dask.conftest import SECONDS, started


@corpora.WITH_PRIORS
@pytest.mark.parametrize(("n_workers", "n_threads"), [(1, 1), (1, 3), (3, 1)])
def test_any_number_of_workers(n_workers, n_threads):
    with started(n_workers, threads_per_worker=n_threads):
        for model in (
            corpora.make(n_partitions=None, n_jobs=2, **corpora.PRIORS),
            corpora.make("rows", **corpora.PRIORS),
        ):
            model.fit(corpora.delayed_blocks())
            corpora.assert_same_as_local(model, corpora.fit_local(model))


def start(module, *arguments):
    command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_killed_scheduler(after_sweep, tmp_path):
    file = tmp_path / "scheduler.json"
    common = ("--scheduler-file", str(file), "--no-dashboard")
    running = [start("dask_scheduler", "--port", "0", *common)]
    try:
        running.append(start("dask_worker", "--nthreads", "2", *common))
        model = corpora.make(storage=str(tmp_path / "fit"), store_every=3)
        undo = after_sweep(8, running[0].kill)
        with Client(scheduler_file=str(file), timeout=SECONDS) as client:
            client.wait_for_workers(1, timeout=SECONDS)
            with pytest.raises(RuntimeError, match=r"lost its scheduler.*resume=True"):
                model.fit(corpora.delayed_blocks())
    finally:
        for process in running:
            process.kill()
            process.wait()
    undo()
    with started(1):
        model.fit(corpora.delayed_blocks(), resume=True)
        corpora.assert_same_as_local(model, corpora.fit_local(model))


def test_workers_that_leave(after_sweep, monkeypatch):
    monkeypatch.setattr(_cluster, "PATIENCE", 0.5)
    with started(1) as client:
        model = corpora.make()
        after_sweep(5, lambda: client.cluster.scale(0))
        with pytest.raises(RuntimeError, match="has had no workers"):
            model.fit(corpora.delayed_blocks())
        with pytest.raises(ValueError, match="must be connected to a cluster with w"):
            model.fit(corpora.delayed_blocks())


def test_bad_clients():
    with pytest.raises(ValueError, match="No Dask client: start one"):
        corpora.make().fit(corpora.delayed_blocks())
    with started(1) as client:
        pass
    with pytest.raises(ValueError, match=r"client must be .* is closed"):
        corpora.make(client=client).fit(corpora.delayed_blocks())


def test_client_that_closes_in_mid_fit(after_sweep):
    with started(1) as client:
        after_sweep(5, client.close)
        with pytest.raises(RuntimeError, match="was closed"):
            corpora.make(client=client).fit(corpora.delayed_blocks())


# --- processes that are killed: what they held is recomputed ------------------------


def kill_worker(client):
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


@pytest.mark.slow
@corpora.WITH_PRIORS
@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("partially collapsed", {}),
        ("rows", {"storage": "{}", "store_every": 3}),
        ("lists", {}),
        ("lists", {"n_shards": 1}),
    ],
)
def test_killed_worker(name, params, processes, after_sweep, tmp_path):
    # Dask recomputes from the first sweep on, or from the last stored one.
    undo = after_sweep(8, lambda: kill_worker(processes))
    if "storage" in params:
        params = params | {"storage": str(tmp_path)}
    model = corpora.make(name, **corpora.PRIORS, **params)
    model.fit(corpora.delayed_blocks())
    undo()
    kill_worker(processes)  # its part of the results is recomputed, too
    corpora.assert_same_as_local(model, corpora.fit_local(model))
