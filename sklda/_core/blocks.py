"""Matrices that are read in blocks of documents, and corpora that are kept in files."""

from __future__ import annotations

import mmap
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from copy import copy
from itertools import pairwise
from pathlib import Path
from typing import Any, Self
from zipfile import is_zipfile

import numpy as np
from scipy import sparse

from sklda._core.checks import check_structure, shown
from sklda._core.refusals import BLOCKS, n_dimensions

LARGE = 2**27  # cells: a matrix with as many is read in blocks
BLOCK_CELLS = 2**22  # about as many in each block of a large matrix
_SYSTEM_FILES = {"thumbs.db", "desktop.ini", "__macosx", "lost+found"}
_LONG = 200  # characters of a path in a message


def read_in_blocks(X: Any) -> Iterator[tuple[str, Any]] | None:
    """Return the blocks of documents of X with their names; None if X is one matrix.

    X is a folder of files of `scipy.sparse.save_npz`, an iterable of matrices, or a
    large CSR matrix, which may be memory-mapped.
    """
    if isinstance(X, str | bytes | os.PathLike):
        return _files(os.fsdecode(X))
    if sparse.issparse(X):
        is_large = X.format == "csr" and len(X.indices) >= LARGE
        return _rows(X) if is_large and X.ndim == 2 else None
    if isinstance(X, list | tuple):
        return _items(X) if len(X) > 0 and n_dimensions(X[0]) == 2 else None
    is_array = hasattr(X, "shape") or hasattr(X, "__array__")
    is_ordered = isinstance(X, Iterable) and not isinstance(X, Set | Mapping)
    return _items(X) if is_ordered and not is_array else None


def check_repeatable(X: Any, reader: str, name: str = "X") -> None:
    """Raise ValueError if what is read several times can be read only once."""
    if isinstance(X, Iterator):
        raise ValueError(
            f"{name} is a {type(X).__name__}, whose blocks can be read only once, but "
            f"{reader} reads them several times: pass a list of blocks, or a folder of "
            "files of scipy.sparse.save_npz."
        )


def _files(folder):
    if not os.path.isdir(folder):
        quoted = repr(folder if len(folder) <= _LONG else f"{folder[:_LONG]}...")
        raise ValueError(
            f"X is {quoted}, which is not a folder. X must be a matrix of counts "
            "(documents x words), such as CountVectorizer creates from texts, or "
            f"{BLOCKS}."
        )
    files = [
        path for path in sorted(Path(folder).iterdir()) if not _is_system_file(path)
    ]
    foreign = [path.name for path in files if not is_zipfile(path)]
    if foreign:
        raise ValueError(
            f"The folder X contains {shown(foreign)}, which scipy.sparse.load_npz "
            "cannot read. Move all other files out of the folder."
        )
    for path in files:
        try:
            yield f"{path.name!r}", sparse.load_npz(path)
        except Exception as error:  # other kinds of archives raise various errors
            raise ValueError(
                f"The folder X contains {path.name!r}, which scipy.sparse.load_npz "
                f"cannot read ({error}). Move all other files out of the folder."
            ) from error


def _is_system_file(path):
    return path.name.startswith(".") or path.name.lower() in _SYSTEM_FILES


def _rows(X):
    X = copy(X)
    X.indptr = np.array(X.indptr)  # other threads may write to that of the caller
    X = check_structure(X, "X")
    cuts = np.arange(BLOCK_CELLS, X.indptr[-1], BLOCK_CELLS)
    cuts = np.unique([0, *np.searchsorted(X.indptr, cuts), X.shape[0]]).tolist()
    for first, last in pairwise(cuts):
        begins = X.indptr[first : last + 1]
        cells = slice(begins[0], begins[-1])
        block = X.data[cells], X.indices[cells], begins - begins[0]
        yield (
            f"{first}:{last}",
            sparse.csr_array(block, shape=(last - first, X.shape[1])),
        )


def _items(X):
    return ((f"{i}", block) for i, block in enumerate(X))


class ArrayFile:
    """An array that grows in a temporary file, which has no name."""

    def __init__(self, dtype: type) -> None:
        self._dtype, self._n_bytes = np.dtype(dtype), 0

    def __enter__(self) -> Self:
        with _room():
            # Without a buffer, whose failures would show later, or never.
            self._file = tempfile.TemporaryFile(buffering=0)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def append(self, numbers: np.ndarray) -> None:
        """Write more numbers; say what to do if the disk is full."""
        rest = np.ascontiguousarray(numbers, self._dtype).view(np.uint8)
        self._n_bytes += rest.size
        with _room():
            while rest.size > 0:  # a nearly full disk writes only a part
                rest = rest[self._file.write(rest) :]

    def read(self) -> np.ndarray:
        """Return all numbers as an array that the system reads from the file."""
        size = os.fstat(self._file.fileno()).st_size
        with _room():
            if size != self._n_bytes:
                raise OSError(f"{size} bytes of {self._n_bytes} were written")
        if size == 0:  # cannot be mapped
            return np.zeros(0, self._dtype)
        # Not numpy.memmap: joblib would look for the name of its file.
        return np.frombuffer(mmap.mmap(self._file.fileno(), 0), self._dtype)


@contextmanager
def _room() -> Iterator[None]:
    """Say what to do if there is no room for the temporary files."""
    try:
        yield
    except OSError as error:
        folder = repr(tempfile.tempdir) if tempfile.tempdir else "any folder"
        raise OSError(
            "The temporary files for X (12 bytes per document-word pair) do not fit in "
            f"{folder} ({error}). Set the environment variable TMPDIR to a folder on "
            "a larger disk, and start Python again."
        ) from error
