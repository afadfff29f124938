"""The program mallet, if it is on the PATH.

It takes no commands between sweeps. So it is started with a very large number of them,
logs each, and is stopped by a signal while it is not its turn. Its state after s sweeps
comes from another run of s sweeps with the same seed.
"""

import gzip
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks import programs
from benchmarks.programs import ALPHA, BETA, Program, last_of, normalised
from benchmarks.programs.others import words_of

SWEPT = re.compile(r"\d+m?s $")  # its line of a sweep: what it took
READY = "total tokens"  # its line before the first
LOGGING = Path(__file__).with_name("mallet.properties")


class Mallet(Program):
    def __init__(self, X, n_topics, seed, *, alpha=ALPHA, beta=BETA, threads=1):
        self.shape, self.n_topics = X.shape, n_topics
        self.alpha, self.beta, self.n_sweeps = alpha, beta, 0
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name)
        self._import(X)
        self.options = {
            "input": self.path / "corpus.mallet",
            "num-topics": n_topics,
            "alpha": alpha * n_topics,
            "beta": beta,
            "random-seed": seed + 1,  # 0 is the clock
            "num-threads": threads,
            "optimize-interval": 0,
            "show-topics-interval": 0,
        }
        endless = {"num-iterations": 1_000_000_000, **self.options}
        self.process = self._run(subprocess.Popen, "train-topics", **endless)
        while READY not in self._line():
            pass
        self._send(signal.SIGSTOP)

    def _run(self, start, command: str, **options):
        """Start a command of the program, or run it to its end; its log is stderr."""
        flags = os.environ.get("JAVA_TOOL_OPTIONS", "")
        flags += f" -Djava.util.logging.config.file={LOGGING}"
        settings = {"MALLET_MEMORY": "4g", **os.environ, "JAVA_TOOL_OPTIONS": flags}
        words = [f"{word}" for k, v in options.items() for word in (f"--{k}", v)]
        pipes = {"stdout": DEVNULL, "stderr": PIPE, "text": True, "env": settings}
        # Its session makes a group of processes that can be stopped as a whole.
        return start(["mallet", command, *words], **pipes, start_new_session=True)

    def _finish(self, command: str, **options) -> None:
        done = self._run(subprocess.run, command, **options)
        if done.returncode != 0:
            raise RuntimeError(f"mallet failed:\n{done.stderr}")

    def _import(self, X) -> None:
        """Let the program read the corpus; words are their numbers."""
        with open(self.path / "corpus.txt", "w") as text:
            for d, words in enumerate(words_of(X)):
                text.write(f"{d} none {' '.join(words)}\n")
        options = {"input": self.path / "corpus.txt", "token-regex": r"\d+"}
        options |= {"output": self.path / "corpus.mallet", "keep-sequence": "TRUE"}
        self._finish("import-file", **options)

    def _line(self) -> str:
        line = self.process.stderr.readline()
        if not line:
            raise RuntimeError("mallet has ended")
        return line.rstrip("\n")

    def _send(self, number: int) -> None:
        os.killpg(self.process.pid, number)

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
        state = self.path / "state.gz"
        options = {"num-iterations": self.n_sweeps, "output-state": state}
        self._finish("train-topics", **self.options, **options)
        with gzip.open(state, "rt") as lines:
            columns = np.loadtxt(lines, np.int64, usecols=(0, 4, 5), unpack=True)
        document, word, topic = columns
        n_docs, n_words = self.shape
        theta = count_pairs(document, topic, n_docs, self.n_topics) + self.alpha
        phi = count_pairs(topic, word, self.n_topics, n_words) + self.beta
        return normalised(last_of(theta, last)), normalised(phi)

    def peak_bytes(self):
        """Return the peak memory of its virtual machine; needs /proc."""
        peaks = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if os.getpgid(int(process.name)) == self.process.pid:
                    peaks.append(programs.peak_bytes(process.name))
            except OSError:
                pass  # it has ended
        return max(peaks)

    def close(self):
        self._send(signal.SIGKILL)
        self.process.communicate()
        self.folder.cleanup()


def count_pairs(row, column, n_rows: int, n_columns: int) -> np.ndarray:
    cells = np.bincount(row * n_columns + column, minlength=n_rows * n_columns)
    return cells.reshape(n_rows, n_columns)
