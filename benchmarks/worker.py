"""One program in a process of its own, which obeys commands.

Programs can then take turns and still share nothing: neither memory nor threads nor
settings. The process imports the program and what it needs, and nothing else.
"""

import os
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from scipy import sparse

from benchmarks.programs import PEERS, Failed

KERNELS = "kernels"  # in the folder of a workplace
TINY = 10  # documents to compile on
# What the numerical libraries take as their number of threads.
THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")


class Task(NamedTuple):
    """A corpus where workers find it, and what all programs are given."""

    path: Path
    n_topics: int
    threads: int = 1

    def new(self, peer, X, seed, checkpoints):
        """Return a program at its start."""
        return peer.new(X, self.n_topics, seed, checkpoints, threads=self.threads)


class Worker:
    """The process of one program: what fails there raises `Failed` here."""

    def __init__(self, name: str):
        self.name = name
        context = get_context("spawn")
        self.pool = ProcessPoolExecutor(1, context, _begin, (PEERS[name],))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        with suppress(Failed):
            self.do("close")
        self.pool.shutdown()

    def do(self, command: str, *arguments):
        """Call a method of the session, or of its program."""
        try:
            return self.pool.submit(_do, command, *arguments).result()
        except Exception as error:
            lines = "".join(traceback.format_exception(error))
            raise Failed(f"{self.name} failed:\n{lines}") from error


class Session(ExitStack):
    """What a worker does before its program can sweep."""

    def __init__(self, peer):
        super().__init__()
        self.peer = peer

    def prepare(self, task: Task) -> dict[str, float]:
        """Import the program and let it compile what it will need: seconds of both."""
        start = time.perf_counter()
        if self.peer.package != "mallet":
            import_module(self.peer.package)
        imported = time.perf_counter()
        program = task.new(self.peer, load(task.path)[:TINY], 0, [2])
        with program.threads():
            program.sweep(2)
        program.close()
        seconds = time.perf_counter() - imported
        return {"import": imported - start, "first": seconds}

    def start(self, task: Task, seed=0, checkpoints=()) -> float:
        """Make the model and return the seconds until its first sweep can begin."""
        X = load(task.path)
        start = time.perf_counter()
        self.program = task.new(self.peer, X, seed, checkpoints)
        seconds = time.perf_counter() - start
        self.callback(self.program.close)
        self.enter_context(self.program.threads())
        return seconds


def _begin(peer) -> None:
    global session
    session = Session(peer)


def _do(command: str, *arguments):
    owner = session if hasattr(session, command) else session.program
    return getattr(owner, command)(*arguments)


@contextmanager
def workplace():
    """Yield a folder, and set the environment of workers that start in this context.

    One thread for numerical libraries, and no compiled kernels of earlier runs: these
    can be out of date, and what compiling takes is measured.
    """
    before = dict(os.environ)
    with TemporaryDirectory() as folder:
        os.environ.update({f"{library}_NUM_THREADS": "1" for library in THREADS})
        os.environ["NUMBA_CACHE_DIR"] = str(Path(folder, KERNELS))
        try:
            yield Path(folder)
        finally:
            os.environ.clear()
            os.environ.update(before)


def save(X: sparse.csr_array, path: Path) -> Path:
    """Write a corpus where workers find it."""
    sparse.save_npz(path, X, compressed=False)
    return path


def load(path: Path) -> sparse.csr_array:
    return sparse.csr_array(sparse.load_npz(path))
