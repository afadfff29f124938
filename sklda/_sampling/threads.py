"""Threads that share the work of a fit or a transform.

`threading.Thread` and the pools of the library take locks in Python code, which Ctrl-C
can leave locked for ever (``tests/sampling/test_threads.py`` has figures). So threads
are started by `_thread` and meet in queues only, which are written in C.
"""

import _thread
import contextlib
from collections.abc import Callable
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Self

from joblib.parallel import SequentialBackend, ThreadingBackend, get_active_backend


class Threads:
    """A pool of threads: inside ``with`` they run `map`; outside, the caller does.

    The caller is one of the n threads, because waking it after each `map` would take
    longer. Ctrl-C during its work is raised like an error of another thread. A dispatch
    takes 0.01 ms.
    """

    _tasks: SimpleQueue | None = None

    def __init__(self, n_jobs: int | None = None) -> None:
        self.n = _count_threads(n_jobs)  # at most: threads are started as needed
        self._locks: list[Any] = []  # each held by a thread until it ends

    def map(self, function: Callable, *arguments) -> list:
        """Return ``[function(*a) for a in zip(*arguments)]``, done by all threads."""
        calls = list(zip(*arguments, strict=True))
        if self._tasks is None or len(calls) == 1:
            return [function(*call) for call in calls]
        while len(self._locks) < min(self.n, len(calls)) - 1:  # the caller works, too
            self._locks.append(_thread.allocate_lock())
            _thread.start_new_thread(_work, (self._tasks, self._locks[-1]))
        results: SimpleQueue = SimpleQueue()
        for i, call in enumerate(calls):
            self._tasks.put(partial(_do, results, i, function, call))
        found = {}
        for _ in calls:
            with contextlib.suppress(Empty):  # other threads took the rest
                while results.empty():
                    self._tasks.get_nowait()()
            i, value, error = results.get()
            if error is not None:
                raise error
            found[i] = value
        return [found[i] for i in range(len(calls))]

    def __enter__(self) -> Self:
        if self.n > 1:
            self._tasks = SimpleQueue()
        return self

    def __exit__(self, *_) -> None:
        if self._tasks is None:
            return
        while not self._tasks.empty():  # after a failure
            with contextlib.suppress(Empty):  # a thread was faster
                self._tasks.get_nowait()
        self._tasks.put(None)
        for lock in self._locks:
            lock.acquire()
        self._tasks, self._locks = None, []

    def __del__(self) -> None:
        # Ctrl-C may also have come at the first instruction of __exit__.
        if self._tasks is not None:
            self._tasks.put(None)


def _count_threads(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` asks for, as scikit-learn understands it.

    joblib's backends limit processes, for example to none in a worker of
    `multiprocessing.Pool`. They limit threads only if calls are nested deeply.
    """
    backend, context_n_jobs = get_active_backend()
    if isinstance(backend, SequentialBackend):
        return 1
    return ThreadingBackend().effective_n_jobs(
        context_n_jobs if n_jobs is None else n_jobs
    )


def _work(tasks: SimpleQueue, lock) -> None:
    """Run the tasks of a queue up to None, which stays there for other threads."""
    if lock.acquire(blocking=False):  # else the pool was closed before the start
        for task in iter(tasks.get, None):
            task()
        tasks.put(None)
        lock.release()


def _do(results: SimpleQueue, i: int, function: Callable, arguments: tuple) -> None:
    """Call a function, and put its result or its error into the queue."""
    try:
        results.put((i, function(*arguments), None))
    except BaseException as error:
        results.put((i, None, error))
