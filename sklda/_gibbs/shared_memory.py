"""Pickles in which arrays go on sharing memory; modules are stored by name.

The state of a sampler may hold views of its own arrays, and sweeps write to either. A
plain pickle would make each view an array of its own.
"""

import pickle
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
