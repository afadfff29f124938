"""The client of a fit, and the messages that its parts send each other.

A task is named ``sklda-what-it-does-token``. Each fit has its own token, because Dask
treats two tasks of one name as one task. `Cluster` submits tasks, waits until they are
done or cannot be, and releases them on failure.

Dask's scheduler needs about ten milliseconds from one task to the next, as long as a
phase of a small corpus. So a task sweeps over a part for many phases, and the parts
fetch what they need from each other (`exchange`). The client chooses the worker that
keeps the messages of a part, whether or not the task of the part runs there.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from typing import Any, NamedTuple

from dask import delayed
from dask.delayed import Delayed
from distributed import (
    CancelledError,
    Client,
    Future,
    Worker,
    get_client,
    get_worker,
    wait,
)
from distributed.core import clean_exception
from distributed.protocol.pickle import dumps
from distributed.utils import sync

MOST_TASKS = 4_000  # of a sweep: a scheduler handles a few thousand a second
_POLL = 1.0  # seconds between two checks of the workers
PATIENCE = 60.0  # seconds without workers
_RESTART = 10.0  # seconds in which a worker that died may come back
_WAY_OUT = (
    "Start it again with a client of a running cluster; if the fit had a `storage`, "
    "fit(X, resume=True) resumes from the last stored sweep."
)


class PartLostError(RuntimeError):
    """A worker is gone, and with it the messages between the parts of a fit."""


def lost(subject: str) -> str:
    """Return an error message that says what is gone, and how to go on."""
    return (
        f"{subject} is gone, and its part of the fit is lost: call fit again; if it "
        "had a `storage`, fit(X, resume=True) resumes from the last stored sweep."
    )


class Cluster:
    """A client, as a fit uses it."""

    def __init__(self, client: Client | None) -> None:
        self.client = find_client(client)
        self.token = uuid.uuid4().hex[:8]
        self.needed: set[str] = set()  # workers without which no task can go on
        self._futures: weakref.WeakSet[Future] = weakref.WeakSet()

    @property
    def n_threads(self) -> int:
        """Threads of all workers now, at least 1."""
        return sum(self.client.nthreads().values()) or 1

    def task(self, function: Callable, name: str, *arguments: Any) -> Delayed:
        """Return the call of a function as a task."""
        key = f"sklda-{name}-{self.token}"
        return delayed(function, pure=False)(*arguments, dask_key_name=key)

    def submit(self, tasks: list[Delayed], **where: Any) -> list[Future]:
        """Send tasks, in one message, and keep their results on the workers."""
        if not tasks:
            return []
        self._check()
        futures = self.client.compute(tasks, optimize_graph=False, sync=False, **where)
        self._futures.update(futures)
        return futures

    def submit_to(self, places: list[str], tasks: list[Delayed]) -> list[Future]:
        """Send each task to the worker at its place, or elsewhere if that is gone.

        Without places, a scheduler may choose one worker for all tasks.
        """
        futures = []
        for place, task in zip(places, tasks, strict=True):
            where = {"workers": place, "allow_other_workers": True}
            futures += self.submit([task], **where, priority=1)  # before statistics
        return futures

    def places(self, n: int) -> list[str]:
        """Return the addresses of workers for n tasks that run at the same time."""
        self._wait_for_workers()
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
            workers = self.client.nthreads() if is_late else dict.fromkeys(self.needed)
            if gone := self.needed - workers.keys():
                raise PartLostError(lost(f"The worker at {min(gone)}"))
            if not is_late or workers:
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > PATIENCE:
                raise RuntimeError(_no_workers())

    def renewed(self) -> Cluster:
        """Return a new cluster for this client, if possible with as many workers."""
        with contextlib.suppress(TimeoutError):
            self.client.wait_for_workers(len(self.needed), timeout=_RESTART)
        self._wait_for_workers()
        return Cluster(self.client)

    def _wait_for_workers(self) -> None:
        """Wait until there is a worker; raise RuntimeError if none comes."""
        try:
            self.client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError as error:
            raise RuntimeError(_no_workers()) from error

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
        """Release all tasks on failure or Ctrl-C; end the messages between them.

        The scheduler then forgets tasks that have not begun. Cancelling them would also
        end the connection of the client in Dask 2026.8.
        """
        try:
            yield
        except BaseException:
            for future in list(self._futures):
                future.release()
            raise
        finally:
            with contextlib.suppress(OSError, RuntimeError, ValueError):
                if self.client.status == "running":
                    self.client.run(end, self.token, on_error="ignore")


def _no_workers():
    seconds = f"{PATIENCE:.0f} seconds"
    return f"The cluster has had no workers for {seconds}. {_WAY_OUT}"


def find_client(client: Client | None) -> Client:
    """Return the client, or the present one of this process, or raise ValueError."""
    try:
        client = client or get_client()
    except ValueError as error:
        raise ValueError(
            "No Dask client: start one with client = distributed.Client(), or pass "
            "client=."
        ) from error
    if client.asynchronous or client.status != "running" or not client.nthreads():
        raise ValueError(
            "client must be connected to a cluster with workers, and created with "
            f"asynchronous=False; {client!r} is {client.status}. Start workers as in "
            "cluster.scale(2) and client.wait_for_workers(1)."
        )
    return client


class Group(NamedTuple):
    """The parts of a fit, which sweep at the same time."""

    fit: str
    places: list[str]  # the address of the worker with the messages of each part


class _Box:
    """The last messages of a part; everything runs in the event loop of a worker."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.messages: defaultdict = defaultdict(loop.create_future)  # by phase
        self.last = 0

    def put(self, phase: int, message: Any) -> None:
        """Enter a message, unless a task that Dask repeats has entered it before."""
        if not self.messages[phase].done():
            self.messages[phase].set_result(message)
        self.last = max(self.last, phase)
        # A part enters a message when it has all messages of the phase before. Their
        # senders had all messages of the phase before that, which are not needed again.
        self.messages.pop(phase - 2, None)


_boxes: dict[tuple[str, int], _Box] = {}
_ended: set[str] = set()  # fits


def end(fit: str) -> None:
    """Forget the messages of a fit; its tasks that wait for a message fail."""
    _ended.add(fit)
    for key in [key for key in _boxes if key[0] == fit]:
        for message in _boxes.pop(key).messages.values():
            if not message.done():
                message.set_result(None)


async def _put(fit: str, part: int, phase: int, message: Any) -> bool | None:
    if fit in _ended:
        return None
    _boxes.setdefault((fit, part), _Box()).put(phase, message)
    return True


async def _get(fit: str, part: int, phase: int, field: slice) -> Any:
    """Return fields of a message as soon as it is there; None if it never comes."""
    if fit in _ended:
        return None
    box = _boxes.setdefault((fit, part), _Box())
    if phase < box.last - 1:  # a task is repeated, but not those of all parts
        return None
    message = await asyncio.shield(box.messages[phase])
    return message and message[field]


async def _call(worker: Worker, place: str, function: Any, *arguments: Any) -> Any:
    """Return what a function returns on another worker, or raise its error.

    None means that a part is lost.
    """
    if place == worker.address:
        result = await function(*arguments)
    else:
        try:
            answer = await worker.rpc(place).run(
                function=dumps(function), args=dumps(arguments)
            )
        except (TimeoutError, OSError) as error:
            raise PartLostError(lost(f"The worker at {place}")) from error
        if answer["status"] == "error":
            _, error, traceback = clean_exception(**answer)
            raise error.with_traceback(traceback)
        result = answer["result"]
    if result is None:
        raise PartLostError(lost("A worker"))
    return result


async def _exchange(
    worker: Worker, group: Group, part: int, phase: int, message: tuple
) -> list[Any]:
    fit, places = group
    await _call(worker, places[part], _put, fit, part, phase, message)
    other_parts = [(part + i) % len(places) for i in range(1, len(places))]
    fields = [slice(None), *[slice(1, None)] * len(other_parts)]
    requests = (
        _call(worker, places[other], _get, fit, other, phase, field)
        for other, field in zip(other_parts, fields, strict=False)
    )
    return await asyncio.gather(*requests)


def exchange(group: Group, part: int, phase: int, message: tuple) -> list[Any]:
    """Give a message to all parts of a group; return fields of their messages.

    These are all fields of the next part's message, and all but the first of others.
    """
    if len(group.places) == 1:
        return []
    worker = get_worker()
    parts = sync(worker.loop, _exchange, worker, group, part, phase, message)
    return [field for fields in parts for field in fields]
