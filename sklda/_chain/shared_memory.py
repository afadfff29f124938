"""Pickles and copies in which arrays go on sharing memory.

The state of a sampler may hold views of its own arrays, and sweeps write to either. A
plain pickle would make each view an array of its own. Modules are stored by name.
"""

import pickle
from collections.abc import Iterable
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import Any

import numpy as np

# From 5 on, NumPy's arrays come back as views of other objects' memory.
_PROTOCOL = 4


def dumps(value: Any) -> bytes:
    """Return the pickle of a value."""
    stored = BytesIO()
    _Pickler(stored, _PROTOCOL).dump(value)
    return stored.getvalue()


def loads(stored: bytes) -> Any:
    """Return the value of a pickle."""
    return pickle.loads(stored)


def copied(value: Any, shared: Iterable[np.ndarray]) -> Any:
    """Return a deep copy of a value, which has the arrays `shared` themselves."""
    stored = BytesIO()
    copier = _Copier(stored, shared)
    copier.dump(value)
    stored.seek(0)
    return _Loader(stored, copier.arrays).load()


class _Pickler(pickle.Pickler):
    def reducer_override(self, value):
        if isinstance(value, ModuleType):
            return import_module, (value.__name__,)
        owner = getattr(value, "base", None)
        if type(value) is not np.ndarray or type(owner) is not np.ndarray:
            return NotImplemented
        if not owner.flags.c_contiguous:
            return NotImplemented
        offset = value.ctypes.data - owner.ctypes.data
        return np.ndarray, (value.shape, value.dtype, owner, offset, value.strides)


class _Copier(_Pickler):
    """Stores only the keys of arrays that own memory: no array is copied twice."""

    def __init__(self, file: BytesIO, shared: Iterable[np.ndarray]) -> None:
        super().__init__(file, _PROTOCOL)
        # Arrays and their copies. To hold an array keeps its id from being used again.
        self.arrays = {id(array): (array, array) for array in shared}

    def persistent_id(self, value):
        key, owns_memory = id(value), type(value) is np.ndarray and value.base is None
        if owns_memory and not value.dtype.hasobject:
            self.arrays.setdefault(key, (value, value.copy("K")))
        return key if key in self.arrays else None


class _Loader(pickle.Unpickler):
    """Returns the copies of the arrays whose keys a `_Copier` stored."""

    def __init__(self, file: BytesIO, arrays: dict) -> None:
        super().__init__(file)
        self.arrays = arrays

    def persistent_load(self, key):  # no attribute: Python 3.13.0 refuses to set one
        return self.arrays[key][1]
