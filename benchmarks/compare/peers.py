"""Who is compared, and what a program is to the process that runs it.

Nothing is imported here but the standard library: the memory of a program is to hold
what the program needs, and no other.
"""

import re
import subprocess
import time
from collections.abc import Iterable
from contextlib import nullcontext
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import NamedTuple

ALPHA, BETA = 0.1, 0.01


class Program:
    """A model of one corpus. Made, it is at its start; `sweep` is what is timed.

    It takes X, the number of topics, a seed and, by name, alpha, beta and threads.
    """

    def threads(self):
        """Return the context in which all its threads work."""
        return nullcontext()

    def sweep(self, n: int = 1) -> None:
        """Pass over the corpus n times."""
        raise NotImplementedError

    def observe(self) -> None:
        """Keep what estimates will need of the present sample."""

    def seconds(self, n: int) -> float:
        """Sweep n times and return what that took."""
        start = time.perf_counter()
        self.sweep(n)
        return time.perf_counter() - start

    def estimates(self, last: int | None = None) -> tuple:
        """Return theta of the last documents (None is all) and phi, as they are now."""
        raise NotImplementedError

    def peak_bytes(self) -> int:
        """Return the most memory that the process has held at a time."""
        return peak_bytes()

    def close(self) -> None:
        """End what would outlive the process."""


class Peer(NamedTuple):
    """How a program is called, where it is, and what it can do."""

    label: str
    place: str  # module and class
    package: str  # that pip installs, or the program on the PATH
    exact: bool  # samples the posterior; its estimates are those of one sample
    threaded: bool = True
    takes_means: bool = False  # over samples: needs to know when it will be asked

    @property
    def module(self) -> str:
        """What is imported of it."""
        return "sklearn" if self.package == "scikit-learn" else self.package

    def program(self) -> type[Program]:
        """Return the class that runs it."""
        module, _, name = self.place.partition(":")
        return getattr(import_module(f"benchmarks.compare.{module}"), name)

    @property
    def version(self) -> str | None:
        """The version that is installed, None if there is none."""
        if self.package == "mallet":
            return _mallet_version()
        if find_spec(self.module) is None:
            return None
        if self.package == "sklda":  # perhaps a checkout that is not installed
            return import_module("sklda").__version__
        return version(self.package)


PEERS = {
    "sklda": Peer("sklda", "ours:Gibbs", "sklda", exact=True),
    "sklda-mean": Peer(
        "sklda, mean over kept samples",
        "ours:KeptMean",
        "sklda",
        exact=False,
        takes_means=True,
    ),
    "sklda-ecgs": Peer("sklda, ECGSLDA", "ours:Grouped", "sklda", exact=False),
    "sklda-cvb0": Peer("sklda, CVBLDA", "ours:ZeroOrder", "sklda", exact=False),
    "tomotopy": Peer("tomotopy", "others:Tomotopy", "tomotopy", exact=True),
    "mallet": Peer("MALLET", "mallet:Mallet", "mallet", exact=True),
    "lda": Peer("lda", "others:Lda", "lda", exact=True, threaded=False),
    "gensim": Peer("gensim", "others:Gensim", "gensim", exact=False, threaded=False),
    "sklearn-batch": Peer(
        "scikit-learn, batch", "variational:BatchVB", "scikit-learn", exact=False
    ),
    "sklearn-online": Peer(
        "scikit-learn, online", "variational:OnlineVB", "scikit-learn", exact=False
    ),
}


def available(names: Iterable[str], threads: int = 1) -> dict[str, str]:
    """Return the version of each program that can run, and tell of the others."""
    versions = {}
    for name in names:
        found = PEERS[name].version
        if found is None:
            where = "on the PATH" if name == "mallet" else "installed"
            print(f"{name} is not {where}: skipped")
        elif threads > 1 and not PEERS[name].threaded:
            print(f"{name} has one thread only: skipped")
        else:
            versions[name] = found
    return versions


def last_of(rows, last):
    """Return the last rows, all if `last` is None."""
    return rows if last is None else rows[-last:]


def normalised(rows):
    """Return rows that sum to 1."""
    return rows / rows.sum(axis=1, keepdims=True)


def threads_of(n: int) -> str:
    """Say how many threads there are."""
    return "one thread" if n == 1 else f"{n} threads"


def _mallet_version() -> str | None:
    """Return what the program calls itself."""
    program = which("mallet")
    if program is None:
        return None
    shown = subprocess.run([program], capture_output=True, text=True, check=False)
    found = re.search(r"Mallet (\S+) commands", shown.stdout + shown.stderr)
    return found[1] if found else "of unknown version"


def peak_bytes(process: int | str = "self") -> int:
    """Return the most memory that a process has held at a time.

    Linux says it in /proc; its getrusage would count what the parent held when this
    process was made.
    """
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        import resource
        import sys

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024
