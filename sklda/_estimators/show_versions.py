"""What a bug report should contain: versions, processor, settings of Numba."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

import sklearn
from joblib import cpu_count

# scikit-learn, and packages that its own report does not contain.
_PACKAGES = (
    "sklda scikit-learn numba llvmlite dask distributed pooch arviz-base arviz-stats "
    "formulaic rich skops"
).split()

# From the widest registers to the narrowest; the names are those of LLVM.
_VECTOR_FEATURES = ("avx512f", "avx2", "avx", "sse2", "sve", "neon")


def show_versions() -> None:
    """Print the versions that a bug report should contain.

    The output lists the versions of sklda and the packages that it uses, the processor
    and its vector instructions, Numba's environment variables, and all that
    :func:`sklearn.show_versions` prints: Python, the system and the thread pools.
    Nothing is sent anywhere.

    Examples
    --------
    >>> import sklda
    >>> sklda.show_versions()
    Packages:
                   sklda: 0...
    """
    versions = {name: _version(name) for name in _PACKAGES}
    for title, entries in ("Packages", versions), ("Kernels", _kernels()):
        print(f"{title}:")
        for name, value in entries.items():
            print(f"{name:>20}: {value}")
        print()
    sklearn.show_versions()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _kernels() -> dict[str, str]:
    """Return the processor that Numba compiles for, and its environment variables."""
    from llvmlite import binding  # which Numba asks about the processor

    features = binding.get_host_cpu_features()
    present = [name for name in _VECTOR_FEATURES if features.get(name)]
    names = sorted(name for name in os.environ if name.startswith("NUMBA_"))
    return {
        "processor": binding.get_host_cpu_name(),
        "processors": f"{cpu_count()} usable, {os.cpu_count()} in the machine",
        "vectors": ", ".join(present) or "none known",
        **({name: os.environ[name] for name in names} or {"NUMBA_*": "not set"}),
    }
