"""The client of a fit: it submits tasks and waits until they are done or cannot be.

A task is named ``sklda-what-it-does-token``. Each fit has its own token, because Dask
treats two tasks of one name as one task.
"""

from __future__ import annotations

import contextlib
import time
import uuid
import weakref
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any

from dask import annotate, delayed
from dask.delayed import Delayed
from distributed import CancelledError, Client, Future, get_client, wait

MOST_TASKS = 4_000  # of a sweep: a scheduler handles a few thousand a second
_POLL = 1.0  # seconds between two checks of the workers
PATIENCE = 60.0  # seconds without workers
_WAY_OUT = (
    "Start it again with a client of a running cluster; if the fit had a `storage`, "
    "fit(X, resume=True) resumes from the last stored sweep."
)


class Cluster:
    """The client of a fit, or the present one of this process."""

    def __init__(self, client: Client | None) -> None:
        try:
            self.client = client = client or get_client()
        except ValueError as error:
            raise ValueError(
                "No Dask client: start one with client = distributed.Client(), or pass "
                "client=."
            ) from error
        if client.asynchronous or client.status != "running" or not client.nthreads():
            raise ValueError(
                "client must be connected to a cluster with workers, and created with "
                f"asynchronous=False; {client!r} is {client.status}. Start workers as "
                "in cluster.scale(2) and client.wait_for_workers(1)."
            )
        self.token = uuid.uuid4().hex[:8]
        self._futures: weakref.WeakSet[Future] = weakref.WeakSet()

    @property
    def n_threads(self) -> int:
        """Threads of all workers now, at least 1."""
        return sum(self.client.nthreads().values()) or 1

    def task(
        self, function: Callable, name: str, *arguments: Any, place: str | None = None
    ) -> Delayed:
        """Return the call of a function as a task.

        It runs on the worker at `place`, if given, or elsewhere if that is gone.
        """
        key = f"sklda-{name}-{self.token}"
        where = {"workers": [place], "allow_other_workers": True} if place else {}
        with annotate(**where):
            return delayed(function, pure=False)(*arguments, dask_key_name=key)

    def submit(self, tasks: list[Delayed]) -> list[Future]:
        """Send tasks, in one message, and keep their results on the workers."""
        self._check()
        futures = self.client.compute(tasks, optimize_graph=False, sync=False)
        self._futures.update(futures)
        return futures

    def places(self, n: int) -> list[str]:
        """Return the addresses of workers for n tasks that run at the same time."""
        self.client.wait_for_workers(1, timeout=PATIENCE)
        workers = self.client.nthreads().items()
        threads = sorted((i, worker) for worker, most in workers for i in range(most))
        return sorted(worker for _, worker in islice(cycle(threads), n))

    def wait(self, futures: list[Future]) -> None:
        """Wait until the tasks are done.

        Raise the error of a task, or an error if the workers are gone.
        """
        last_seen = time.monotonic()  # a worker
        while any(future.status != "finished" for future in futures):
            is_late = False
            try:
                wait(futures, timeout=_POLL)
            except TimeoutError:
                is_late = True
            except CancelledError:  # the scheduler is gone
                pass
            for future in futures:
                if future.status == "error":
                    future.result()  # raises
            # A lost result is recomputed, if there are workers.
            self._check(cancelled=any(f.status == "cancelled" for f in futures))
            if not is_late or self.client.nthreads():
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > PATIENCE:
                raise RuntimeError(
                    f"The cluster has had no workers for {PATIENCE:.0f} seconds. "
                    f"{_WAY_OUT}"
                )

    def gather(self, values: list[Any]) -> list[Any]:
        """Return values, and for futures their small results, when they are there."""
        self.wait([value for value in values if isinstance(value, Future)])
        return self.client.gather(values)

    def results(self, tasks: list[Delayed]) -> list[Any]:
        """Send tasks and return their results, which are small."""
        return self.gather(self.submit(tasks))

    def _check(self, *, cancelled: bool = False) -> None:
        """Raise RuntimeError if the scheduler is gone, or has cancelled tasks."""
        if self.client.status != "running" or cancelled:
            raise RuntimeError(
                "The client has lost its scheduler or was closed (its status is "
                f"{self.client.status!r}), so the fit cannot continue. {_WAY_OUT}"
            )

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Release all tasks on failure or Ctrl-C.

        The scheduler then forgets tasks that have not begun. Cancelling them would also
        end the connection of the client in Dask 2026.8.
        """
        try:
            yield
        except BaseException:
            for future in list(self._futures):
                future.release()
            raise
