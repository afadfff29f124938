"""What a report of a defect should contain: versions, processor, settings of Numba."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from joblib import cpu_count
from threadpoolctl import threadpool_info

_PACKAGES = (
    "sklda",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "llvmlite",
    "joblib",
    "threadpoolctl",
    "pip",
    # of the extras
    "matplotlib",
    "pandas",
    "dask",
    "distributed",
    "pooch",
    "arviz-base",
    "arviz-stats",
    "rich",
    "skops",
)

# From the widest registers to the narrowest; the names are those of LLVM.
_VECTOR_FEATURES = ("avx512f", "avx2", "avx", "sse2", "sve", "neon")


def show_versions() -> None:
    """Print the versions that a bug report should contain.

    The output lists the versions of Python, sklda and the packages that sklda uses, the
    processor and its vector instructions, Numba's environment variables, and the thread
    pools for linear algebra. Nothing is sent anywhere.

    Examples
    --------
    >>> import sklda
    >>> sklda.show_versions()
    System:
              python: 3...
    """
    for title, entries in {
        "System": _system(),
        "Packages": {name: _version(name) for name in _PACKAGES},
        "Kernels": _kernels(),
        "Thread pools": _thread_pools(),
    }.items():
        print(f"{title}:")
        for name, value in entries.items():
            print(f"{name:>20}: {value}")
        print()


def _system() -> dict[str, str]:
    return {
        "python": sys.version.replace("\n", " "),
        "executable": sys.executable,
        "platform": platform.platform(),
        "processors": f"{cpu_count()} usable, {os.cpu_count()} in the machine",
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _kernels() -> dict[str, str]:
    """Return the processor that Numba compiles for, and its environment variables."""
    from llvmlite import binding  # as Numba asks for the processor

    features = binding.get_host_cpu_features()
    here = [name for name in _VECTOR_FEATURES if features.get(name)]
    settings = {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith("NUMBA_")
    }
    return {
        "processor": binding.get_host_cpu_name(),
        "vectors": ", ".join(here) or "none known",
        **(settings or {"NUMBA_*": "not set"}),
    }


def _thread_pools() -> dict[str, str]:
    pools = {
        str(number): f"{pool['internal_api']} {pool['version']}, "
        f"{pool['num_threads']} threads, {Path(pool['filepath']).name}"
        for number, pool in enumerate(threadpool_info())
    }
    return pools or {"loaded": "none"}
