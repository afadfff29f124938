"""Errors and warnings that tell a user what to do.

They are about packages that an extra installs, about the user's line of code, and about
work that needs more memory than the system says is free.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from pathlib import Path
from types import ModuleType


def import_extra(name: str, extra: str, caller: str) -> ModuleType:
    """Import a module, or raise an ImportError that says how to install it."""
    root = name.partition(".")[0]
    try:
        import_module(root)
        return import_module(name)
    except ImportError as error:
        package = root.replace("_", "-")
        raise ImportError(
            f'{caller} needs {package}: pip install "sklda[{extra}]"'
        ) from error


def import_pandas() -> ModuleType:
    """Import pandas, or raise an ImportError that says how to install it."""
    return import_extra("pandas", "pandas", "as_frame=True")


# Packages whose frames may stand between a user's line and ours.
_BETWEEN = {"joblib", "sklda", "sklearn"}


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about the line outside of sklda that led here."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _package(frame) in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package(frame) -> str:
    return frame.f_globals.get("__name__", "").split(".")[0]


_MEMORY_INFO = Path("/proc/meminfo")


def free_memory() -> int | None:
    """Return the available memory in bytes, or None on systems other than Linux."""
    try:
        lines = _MEMORY_INFO.read_text("ascii").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
    return int(found[0]) * 1024 if found else None


def check_memory(n_bytes: int, subject: str, way_out: str, *, whole=False) -> None:
    """Raise MemoryError if bytes exceed half, or the `whole`, of the free memory."""
    free = free_memory()
    if free is not None and n_bytes > (free if whole else free // 2):
        raise MemoryError(
            f"{subject} can take up to {n_bytes:,} bytes, more than "
            f"{'' if whole else 'half of '}the {free:,} bytes of free memory: "
            f"{way_out}."
        )
