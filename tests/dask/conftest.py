"""Clusters of threads, which start at once, and of processes, which take seconds."""

import logging
from contextlib import contextmanager

import pytest

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

import dask
from distributed import Client, LocalCluster

from sklda.dask import _chain
from tests.dask.corpora import delayed_blocks

SECONDS = 300  # after which whatever waits for the cluster fails


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


@contextmanager
def after_sweep(number, happens):
    """Let something happen in mid-fit."""
    sweep = _chain.ClusterChain.sweep

    def changed(chain):
        sweep(chain)
        if chain.n_sweeps == number:
            happens()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_chain.ClusterChain, "sweep", changed)
        yield


def fit_interrupted(model, number, **ways):
    """Fit a model until Ctrl-C after a sweep."""

    def interrupt():
        raise KeyboardInterrupt

    with after_sweep(number, interrupt), pytest.raises(KeyboardInterrupt):
        model.fit(delayed_blocks(), **ways)
    assert not hasattr(model, "components_")
