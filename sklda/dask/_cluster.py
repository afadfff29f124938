"""The client of a fit: tasks with names, waiting that ends, and what a failure leaves.

A task is named ``sklda-what-it-does-token``; the token is that of the fit, because Dask
takes two tasks of one name for the same.
"""

from __future__ import annotations

import contextlib
import time
import uuid
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from dask import delayed
from dask.delayed import Delayed
from distributed import CancelledError, Client, Future, get_client, wait

MOST_TASKS = 4_000  # of a sweep: a scheduler handles a few thousand a second
_POLL = 1.0  # seconds between two looks at the workers
PATIENCE = 60.0  # seconds without workers


class Cluster:
    """A client, as a fit uses it."""

    def __init__(self, client: Client | None) -> None:
        self.client = find_client(client)
        self._token = uuid.uuid4().hex[:8]
        self._futures: weakref.WeakSet[Future] = weakref.WeakSet()

    def task(self, function: Callable, name: str, *arguments: Any) -> Delayed:
        """Return the call of a function as a task."""
        key = f"sklda-{name}-{self._token}"
        return delayed(function, pure=False)(*arguments, dask_key_name=key)

    def submit(self, tasks: list[Delayed]) -> list[Future]:
        """Send tasks, in one message, and keep their results on the workers."""
        if not tasks:
            return []
        self._check()
        futures = self.client.compute(tasks, optimize_graph=False, sync=False)
        self._futures.update(futures)
        return futures

    def spread(self, tasks: list[Delayed]) -> list[Future]:
        """Send tasks, each to the next worker if it can be; others follow their data.

        Else a scheduler may find one worker good enough for all of them.
        """
        self._check()
        workers = sorted(self.client.nthreads()) or [None]
        futures = []
        for i, task in enumerate(tasks):
            worker = workers[i % len(workers)]
            futures.append(
                self.client.compute(
                    task,
                    optimize_graph=False,
                    sync=False,
                    workers=worker,
                    allow_other_workers=True,
                )
            )
        self._futures.update(futures)
        return futures

    def wait(self, futures: list[Future]) -> None:
        """Wait until the tasks are done.

        Raises
        ------
        Exception
            What a task raised.
        RuntimeError
            If the client has lost the scheduler, or there are no workers any more.
        """
        alone_since = None
        while any(future.status != "finished" for future in futures):
            late = False
            try:
                wait(futures, timeout=_POLL)
            except TimeoutError:
                late = True
            except CancelledError:  # the scheduler is gone
                pass
            for future in futures:
                if future.status == "error":
                    future.result()  # raises
            # One that is lost is computed anew, if there are workers.
            self._check(cancelled=any(f.status == "cancelled" for f in futures))
            alone_since = self._alone(alone_since) if late else None

    def gather(self, futures: list[Future]) -> list[Any]:
        """Wait for small results and return them."""
        self.wait(futures)
        return self.client.gather(futures)

    def n_threads(self) -> int:
        """Return the number of threads of all workers."""
        return sum(self.client.nthreads().values())

    def _check(self, *, cancelled: bool = False) -> None:
        """Raise RuntimeError if the scheduler, or what was asked for, is gone."""
        if self.client.status != "running" or cancelled:
            raise RuntimeError(
                f"The client has lost its scheduler or was closed (its status is "
                f"{self.client.status!r}), so the fit cannot go on. {_WAY_OUT}"
            )

    def _alone(self, since: float | None) -> float | None:
        """Return since when there are no workers; raise RuntimeError if for long."""
        if self.client.nthreads():
            return None
        since = time.monotonic() if since is None else since
        if time.monotonic() - since > PATIENCE:
            raise RuntimeError(
                f"The cluster has had no workers for {PATIENCE:.0f} seconds. {_WAY_OUT}"
            )
        return since

    @contextlib.contextmanager
    def released_on_failure(self) -> Iterator[None]:
        """Release all tasks of the fit if what is inside fails, or Ctrl-C comes.

        The scheduler then forgets what has not begun. To cancel tasks would do the same
        and, in Dask 2026.8, end the connection of the client.
        """
        try:
            yield
        except BaseException:
            for future in list(self._futures):
                future.release()
            raise


_WAY_OUT = (
    "Start it again with a client of a running cluster; if the fit had a `storage`, "
    "fit(X, resume=True) goes on from the last stored sweep."
)


def find_client(client: Client | None) -> Client:
    """Return the client, or the present one of this process.

    Raises
    ------
    TypeError
        If `client` is no client.
    ValueError
        If there is none; or it is closed, asynchronous or has no workers.
    """
    if client is None:
        try:
            client = get_client()
        except ValueError as error:
            raise ValueError(
                "No Dask client: start one, client = distributed.Client(), or pass "
                "client=."
            ) from error
    if not isinstance(client, Client):
        raise TypeError(f"client must be a distributed.Client or None, got {client!r}.")
    if client.asynchronous:
        raise ValueError(
            "client is asynchronous; pass one made with asynchronous=False."
        )
    if client.status != "running":
        raise ValueError(
            f"client is {client.status}: pass a client that is connected to a cluster."
        )
    if not client.nthreads():
        raise ValueError(
            "The cluster of the client has no workers: start some, as in "
            "cluster.scale(2) and client.wait_for_workers(1)."
        )
    return client
