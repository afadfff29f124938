"""The program mallet, where there is one on the PATH, as one of the comparison.

It takes a number of sweeps and says nothing between them but lines on its log. So it
is asked for very many, its log is made to tell of each sweep, and it is stopped by a
signal while it is not its turn. What it spends on the log likelihood that it prints is
not counted. Its state after s sweeps comes from another run of s sweeps with the same
seed.
"""

import gzip
import os
import re
import signal
import subprocess
import time
from itertools import chain
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.compare.peers import (
    ALPHA,
    BETA,
    Program,
    last_of,
    normalised,
    peak_bytes,
)

ENDLESS = 1_000_000_000
SWEPT = re.compile(r"\d+m?s $")  # its line of a sweep: what it took
READY = "total tokens"  # its line before the first
LOGGING = """
handlers=java.util.logging.ConsoleHandler
.level=INFO
cc.mallet.topics.ParallelTopicModel.level=FINE
java.util.logging.ConsoleHandler.level=FINE
java.util.logging.ConsoleHandler.formatter=java.util.logging.SimpleFormatter
java.util.logging.SimpleFormatter.format=%5$s%n
"""


class Mallet(Program):
    """mallet train-topics."""

    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        self.shape, self.n_topics = X.shape, n_topics
        self.alpha, self.beta = alpha, beta
        self.folder = TemporaryDirectory()
        self.options = {
            "input": self._path("corpus.mallet"),
            "num-topics": n_topics,
            "alpha": alpha * n_topics,
            "beta": beta,
            "random-seed": seed + 1,  # 0 is the clock
            "num-threads": threads,
            "optimize-interval": 0,
            "show-topics-interval": 0,
        }
        Path(self._path("logging")).write_text(LOGGING)
        self._import(X)
        self.n_sweeps = 0
        self.process = self._run("train-topics", **self.options | _sweeps(ENDLESS))
        while READY not in self._line():
            pass
        self._send(signal.SIGSTOP)

    def _path(self, name: str) -> str:
        return str(Path(self.folder.name) / name)

    def _run(self, command: str, **options) -> subprocess.Popen:
        """Start a command of the program; its log comes through a pipe."""
        flags = os.environ.get("JAVA_TOOL_OPTIONS", "")
        flags += f" -Djava.util.logging.config.file={self._path('logging')}"
        memory = os.environ.get("MALLET_MEMORY", "4g")
        settings = {"MALLET_MEMORY": memory, "JAVA_TOOL_OPTIONS": flags}
        words = [(f"--{name}", str(value)) for name, value in options.items()]
        return subprocess.Popen(
            [which("mallet"), command, *chain.from_iterable(words)],
            env=os.environ | settings,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,  # a group that can be stopped as a whole
        )

    def _finish(self, process: subprocess.Popen) -> None:
        """Wait for a command that ends by itself."""
        _, log = process.communicate()
        if process.returncode != 0:
            raise RuntimeError(f"mallet failed:\n{log}")

    def _import(self, X) -> None:
        """Let the program read the corpus; words are their numbers."""
        names = np.arange(X.shape[1]).astype(str).astype(object)
        with open(self._path("corpus.txt"), "w") as text:
            for d, row in enumerate(map(slice, X.indptr[:-1], X.indptr[1:])):
                words = np.repeat(names[X.indices[row]], X.data[row])
                text.write(f"{d} none {' '.join(words)}\n")
        options = {"input": self._path("corpus.txt"), "token-regex": r"\d+"}
        options |= {"output": self._path("corpus.mallet"), "keep-sequence": "TRUE"}
        self._finish(self._run("import-file", **options))

    def _line(self) -> str:
        line = self.process.stderr.readline()
        if not line:
            raise RuntimeError("mallet has ended")
        return line.rstrip("\n")

    def _send(self, number: int) -> None:
        os.killpg(self.process.pid, number)

    def sweep(self, n=1):
        self.seconds(n)

    def seconds(self, n):
        before = time.perf_counter()
        self._send(signal.SIGCONT)
        seconds, swept = 0.0, 0
        while swept < n:
            is_sweep = SWEPT.match(self._line())
            now = time.perf_counter()
            if is_sweep:
                seconds += now - before
                swept += 1
            before = now
        self._send(signal.SIGSTOP)
        self.n_sweeps += n
        return seconds

    def estimates(self, last=None):
        state = self._path("state.gz")
        options = self.options | _sweeps(self.n_sweeps) | {"output-state": state}
        self._finish(self._run("train-topics", **options))
        with gzip.open(state, "rt") as lines:
            columns = np.loadtxt(lines, np.int64, usecols=(0, 4, 5), unpack=True)
        document, word, topic = columns
        n_docs, n_words = self.shape
        theta = _table(document, topic, n_docs, self.n_topics) + self.alpha
        phi = _table(topic, word, self.n_topics, n_words) + self.beta
        return normalised(last_of(theta, last)), normalised(phi)

    def peak_bytes(self):
        """Return that of its virtual machine; needs /proc."""
        group = self.process.pid
        members = (int(p.name) for p in Path("/proc").glob("[0-9]*"))
        return max(peak_bytes(pid) for pid in members if _group(pid) == group)

    def close(self):
        self._send(signal.SIGKILL)
        self.process.communicate()
        self.folder.cleanup()


def _sweeps(n: int) -> dict:
    return {"num-iterations": n}


def _table(row, column, n_rows: int, n_columns: int) -> np.ndarray:
    """Count how often a row and a column occur together."""
    cells = np.bincount(row * n_columns + column, minlength=n_rows * n_columns)
    return cells.reshape(n_rows, n_columns)


def _group(pid: int) -> int | None:
    try:
        return os.getpgid(pid)
    except OSError:  # it has ended
        return None
