"""A process that runs one program, imports nothing else, and takes commands."""

import os
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from scipy import sparse

from benchmarks.programs import PEERS, Failed
from benchmarks.programs.large import PROGRAMS

KERNELS = "kernels"  # in the folder of a workplace
TINY = 10  # documents to compile on
LOOK_EVERY = 0.02  # seconds
# What the numerical libraries take as their number of threads.
THREADS = ("OMP", "OPENBLAS", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
THREADS += ("RAYON",)  # of programs in Rust


class Worker(ExitStack):
    """The process of one program: what fails there raises `Failed` here."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name
        pool = ProcessPoolExecutor(1, get_context("spawn"), _begin, (name,))
        self.pool = self.enter_context(pool)
        self.enter_context(suppress(Failed))
        self.callback(self.do, "close")

    def do(self, command: str, *arguments, look=None):
        """Call a method of the session; meanwhile call `look()` again and again."""
        try:
            future = self.pool.submit(_do, command, *arguments)
            while look and not future.done():
                look()
                wait([future], LOOK_EVERY)
            return future.result()
        except Exception as error:
            lines = "".join(traceback.format_exception(error))
            raise Failed(f"{self.name} failed:\n{lines}") from error


class Session(ExitStack):
    """The commands of a worker; a task is path of a corpus, topics and threads."""

    def __init__(self, name: str):
        super().__init__()
        self.name, self.peer = name, PEERS[name]
        self.process = os.getpid

    def new(self, path, n_topics: int, threads: int, seed: int, few=None):
        """Return the program at its start, and the seconds until then."""
        X = sparse.csr_array(sparse.load_npz(path))[:few]
        module, name = self.peer.place.split(":")
        make = getattr(import_module(f"benchmarks.programs.{module}"), name)
        start = time.perf_counter()
        program = make(X, n_topics, seed, threads=threads)
        return program, time.perf_counter() - start

    def prepare(self, task) -> dict[str, float]:
        """Import the program and let it compile what it will need: seconds of both."""
        start = time.perf_counter()
        if self.peer.package != "mallet":
            import_module(self.peer.package)
        imported = time.perf_counter()
        program, _ = self.new(*task, 0, TINY)
        with program.threads():
            program.seconds(2)
        program.close()
        seconds = time.perf_counter() - imported
        return {"import": imported - start, "first": seconds}

    def start(self, task, seed=0) -> float:
        """Make the model and return the seconds until its first sweep can begin."""
        program, seconds = self.new(*task, seed)
        self.callback(program.close)
        self.enter_context(program.threads())
        for command in ("seconds", "estimates", "peak_bytes"):
            setattr(self, command, getattr(program, command))
        return seconds

    def load(self, folder, n_topics: int, threads: int, init: str) -> float:
        """Do the same as `start` for a large corpus; `init` is random or planted."""
        start = time.perf_counter()
        program = PROGRAMS[self.name](folder, n_topics, threads, init)
        self.enter_context(program.threads())
        self.steady, self.moved = program.steady, program.moved
        return time.perf_counter() - start

    def convert(self, folder) -> None:
        PROGRAMS[self.name].convert(folder)


def _begin(name: str) -> None:
    global session
    session = Session(name)


def _do(command: str, *arguments):
    return getattr(session, command)(*arguments)


@contextmanager
def workplace():
    """Yield a folder; workers that start in this context find no compiled kernels.

    Numerical libraries have one thread.
    """
    settings = {f"{library}_NUM_THREADS": "1" for library in THREADS}
    with TemporaryDirectory() as folder:
        settings["NUMBA_CACHE_DIR"] = str(Path(folder, KERNELS))
        with patch.dict(os.environ, settings):
            yield Path(folder)
