"""Imports of packages that only an extra installs."""

from __future__ import annotations

from importlib import import_module
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
