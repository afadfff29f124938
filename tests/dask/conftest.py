"""Clusters of threads, which start at once, and of processes, which take seconds."""

import logging
from contextlib import contextmanager
from functools import partial

import pytest

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

import dask
from distributed import Client, LocalCluster

from sklda.dask import _chain
from tests.dask.corpora import delayed_blocks

SECONDS = 300  # after which whatever waits for the cluster fails


class Killed(Exception):
    """The fit ends here."""


def kill():
    raise Killed


@contextmanager
def started(n_workers, *, threads_per_worker=1, processes=False):
    """Start a cluster on this machine; yield a client."""
    timeouts = {
        "distributed.comm.timeouts.connect": f"{SECONDS}s",
        "distributed.comm.timeouts.tcp": f"{SECONDS}s",
        "distributed.admin.low-level-log-length": 0,
    }
    with (
        dask.config.set(timeouts),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=threads_per_worker,
            processes=processes,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, timeout=SECONDS) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    """Return a client of two workers with one thread each, in this process."""
    with started(2) as client:
        yield client


@pytest.fixture
def processes():
    """Return a client of two processes with one thread each."""
    with started(2, processes=True) as client:
        yield client


def let_happen(monkeypatch, number, happens):
    """Let something happen after a sweep; return a function that ends this."""
    sweep = _chain.ClusterChain.sweep

    def changed(chain):
        sweep(chain)
        if chain.n_sweeps == number:
            happens()

    monkeypatch.setattr(_chain.ClusterChain, "sweep", changed)
    return lambda: monkeypatch.setattr(_chain.ClusterChain, "sweep", sweep)


@pytest.fixture
def after_sweep(monkeypatch):
    """Return a function that lets something happen in mid-fit."""
    return partial(let_happen, monkeypatch)


@pytest.fixture
def fit_killed(after_sweep):
    """Return a function that fits a model until it is killed after a sweep."""

    def fit(model, number, **ways):
        undo = after_sweep(number, kill)
        with pytest.raises(Killed):
            model.fit(delayed_blocks(), **ways)
        undo()
        assert not hasattr(model, "components_")
        return model

    return fit
