"""Threads that share the work of a fit."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from joblib import effective_n_jobs


class Threaded:
    """What has work for threads: `_map` is done by them inside ``with threads()``."""

    def _use_threads(self, n_jobs: int | None, most: int) -> None:
        """Take the threads that `n_jobs` means, and not more than `most`."""
        self.n_threads = min(effective_n_jobs(n_jobs), most)
        self._map: Callable = map

    @contextmanager
    def threads(self):
        """Work with all threads inside this context, and with one outside."""
        if self.n_threads < 2:
            yield
            return
        with ThreadPoolExecutor(self.n_threads) as pool:
            self._map = pool.map
            try:
                yield
            finally:
                self._map = map
