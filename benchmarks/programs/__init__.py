"""The programs that are compared, and their common interface.

Only the standard library is imported here, because the memory of programs is measured.
"""

import re
import subprocess
import sys
import time
from contextlib import nullcontext
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import NamedTuple

from benchmarks import DECLARED

ALPHA, BETA = 0.1, 0.01


class Failed(Exception):
    """A program raised, or its process has ended."""


def peak_bytes() -> int:
    """Return the peak memory of this process."""
    try:  # getrusage of Linux would count what the parent held at the start
        status = Path("/proc/self/status").read_text()
    except OSError:
        import resource  # which Windows lacks

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024


def private_bytes(process: int) -> int:
    """Return the memory of a process without mapped files: on Linux only."""
    status = Path(f"/proc/{process}/status").read_text()
    return 1024 * sum(map(int, re.findall(r"Rss(?:Anon|Shmem):\s+(\d+) kB", status)))


class Program:
    """A model of one corpus, at its start once it is made.

    It takes X, the number of topics, a seed and, by name, alpha, beta and threads.
    `sweep(n=1)` passes over the corpus n times, and is timed; `estimates(last=None)`
    returns theta of the last documents, or of all, and phi, as they are now.
    """

    threads = staticmethod(nullcontext)  # the context in which all its threads work
    peak_bytes = staticmethod(peak_bytes)
    clock = staticmethod(time.perf_counter)

    def seconds(self, n: int) -> float:
        start = self.clock()
        self.sweep(n)
        return self.clock() - start

    def close(self) -> None:
        """End processes and folders of its own."""


class Peer(NamedTuple):
    """A program as questions.toml declares it."""

    label: str
    method: str
    place: str
    package: str
    threaded: bool = True
    takes_means: bool = False
    restarts: bool = False

    @property
    def exact(self) -> bool:
        """Whether its estimates are those of one sample of the posterior."""
        return self.method == "exact" and not self.takes_means

    @property
    def version(self) -> str | None:
        """The installed version, or None."""
        if self.package == "mallet" and which("mallet"):
            shown = subprocess.run(
                "mallet", capture_output=True, text=True, check=False
            )
            found = re.search(r"Mallet (\S+) commands", shown.stdout + shown.stderr)
            return found[1] if found else "of unknown version"
        if find_spec(self.package) is None:
            return None
        return version(self.package.replace("sklearn", "scikit-learn"))


PEERS = {name: Peer(**declared) for name, declared in DECLARED["programs"].items()}


def available(names, threads=1) -> dict[str, str]:
    """Return the version of each program that can run; print the others."""
    found = {name: PEERS[name].version for name in names}
    for name in names:
        if found[name] is None:
            print(f"{name} is not installed, or not on the PATH: skipped")
        elif threads > 1 and not PEERS[name].threaded:
            print(f"{name} has one thread only: skipped")
            found[name] = None
    return {name: version for name, version in found.items() if version is not None}


def last_of(rows, last):
    return rows if last is None else rows[-last:]


def normalised(rows):
    return rows / rows.sum(axis=1, keepdims=True)
