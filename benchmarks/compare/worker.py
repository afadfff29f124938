"""One program in a process of its own, which sweeps when it is told to.

Programs can then take turns and still share nothing: neither memory nor threads nor
settings. The process imports the program and what it needs, and nothing else.
"""

import multiprocessing
import os
import time
import traceback
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.compare.peers import PEERS

TINY = 10  # documents to compile on
# What the numerical libraries take as their number of threads.
THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")


class Session:
    """What a worker does: each method is a command."""

    def __init__(self, name: str):
        self.peer = PEERS[name]
        self.contexts = ExitStack()

    def prepare(self, path: Path, n_topics: int, **options) -> dict[str, float]:
        """Import the program and let it compile what it will need."""
        start = time.perf_counter()
        if self.peer.package != "mallet":
            import_module(self.peer.module)
        imported = time.perf_counter()
        make, X = self.peer.program(), _read(path)[:TINY]
        if self.peer.takes_means:
            options["asked"] = [2]
        program = make(X, n_topics, 0, **options)
        with program.threads():
            program.sweep(2)
        program.close()
        seconds = time.perf_counter() - imported
        return {"import": imported - start, "first": seconds}

    def start(self, path: Path, n_topics: int, seed: int, asked, **options) -> float:
        """Make the model and return the seconds until its first sweep can begin."""
        make, X = self.peer.program(), _read(path)
        if self.peer.takes_means:
            options["asked"] = asked
        start = time.perf_counter()
        self.program = make(X, n_topics, seed, **options)
        seconds = time.perf_counter() - start
        self.contexts.callback(self.program.close)
        self.contexts.enter_context(self.program.threads())
        return seconds

    def sweep(self, n: int) -> float:
        """Sweep n times and return the seconds."""
        return self.program.seconds(n)

    def estimates(self, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Return theta of the last documents, and phi."""
        return self.program.estimates(last)

    def peak(self) -> int:
        """Return the most memory that was held, in bytes."""
        return self.program.peak_bytes()


def _serve(pipe, name: str) -> None:
    """Answer commands until the pipe is closed."""
    session = Session(name)
    with session.contexts:
        while True:
            try:
                command, arguments, options = pipe.recv()
            except EOFError:
                return
            try:
                answer = getattr(session, command)(*arguments, **options)
                pipe.send((True, answer))
            except Exception:
                pipe.send((False, traceback.format_exc()))


class Failed(Exception):
    """A program raised, or its process has ended."""


class Worker:
    """The process of one program, as the one that gives commands sees it."""

    def __init__(self, name: str):
        self.name = name
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        # Not a daemon: joblib gives these one thread. It ends with its pipe.
        self.process = context.Process(target=_serve, args=(other, name))
        self.process.start()
        other.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def do(self, command: str, *arguments, **options):
        """Give a command and return the answer."""
        try:
            self.pipe.send((command, arguments, options))
            good, answer = self.pipe.recv()
        except (EOFError, OSError) as error:
            raise Failed(f"the process of {self.name} has ended") from error
        if not good:
            raise Failed(f"{self.name} failed:\n{answer}")
        return answer

    def close(self) -> None:
        """End the process and wait for that."""
        self.pipe.close()
        self.process.join()


@contextmanager
def workplace(folder):
    """Set what workers that start in this context find in their environment.

    One thread for numerical libraries, and no compiled kernels of earlier runs: these
    can be out of date, and what compiling takes is to be seen. New ones go to `folder`.
    """
    settings = {f"{library}_NUM_THREADS": "1" for library in THREADS}
    settings["NUMBA_CACHE_DIR"] = str(folder)
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def save(X: sparse.csr_array, path: Path) -> Path:
    """Write a corpus where workers find it."""
    sparse.save_npz(path, X, compressed=False)
    return path


def _read(path: Path) -> sparse.csr_array:
    return sparse.csr_array(sparse.load_npz(path))
