"""What a fit writes to storage every few sweeps, and from where it goes on.

A stored sweep is a folder with one file for each partition and each block of words. The
file ``done.json`` is written last: a folder without it is not complete.
"""

from __future__ import annotations

import json
from typing import Any

import fsspec
import numpy as np
from scipy import sparse

from sklda._core.version import __version__
from sklda.dask._counts import Packed
from sklda.dask._parts import Part

_DONE = "done.json"


class Storage:
    """A folder at any path that fsspec knows."""

    def __init__(self, url: str) -> None:
        try:
            self._files, self._path = fsspec.core.url_to_fs(url)
            self._files.makedirs(self._path, exist_ok=True)
        except (ImportError, OSError, ValueError) as error:
            raise ValueError(
                f"storage={url!r} cannot be used: {error}. It must be a folder that "
                f"this process and all workers can write to, at a path or a URL that "
                f"fsspec knows, such as 's3://bucket/folder'."
            ) from error
        self._url = url.rstrip("/")

    def begin(self, sweep: int) -> str:
        """Return the URL of a new folder for a sweep."""
        self._files.makedirs(f"{self._path}/{_name(sweep)}", exist_ok=True)
        return self.url(sweep)

    def url(self, sweep: int) -> str:
        """Return the URL of the folder of a sweep."""
        return f"{self._url}/{_name(sweep)}"

    def finish(self, sweep: int, content: dict[str, Any]) -> None:
        """Say that the folder of a sweep is complete, and delete all older ones."""
        content = {"sklda": __version__, "sweep": sweep, **content}
        path = f"{self._path}/{_name(sweep)}/{_DONE}"
        with self._files.open(path, "w") as file:
            json.dump(content, file)
        for other in self._sweeps():
            if other != sweep:
                self._files.rm(f"{self._path}/{_name(other)}", recursive=True)

    def last(self) -> dict[str, Any] | None:
        """Return what `finish` wrote of the last complete sweep; None if there is none.

        The folders of sweeps that are not complete are left alone.
        """
        for sweep in sorted(self._sweeps(), reverse=True):
            try:
                with self._files.open(f"{self._path}/{_name(sweep)}/{_DONE}") as file:
                    return json.load(file)
            except (FileNotFoundError, json.JSONDecodeError):
                continue
        return None

    def _sweeps(self) -> list[int]:
        names = (
            path.rstrip("/").rsplit("/", 1)[-1]
            for path in self._files.ls(self._path, detail=False)
        )
        return [int(n[6:]) for n in names if n.startswith("sweep-") and n[6:].isdigit()]


def _name(sweep: int) -> str:
    return f"sweep-{sweep:06d}"


# --- tasks -----------------------------------------------------------------------


def store_part(part: Part, total: sparse.csr_array | None, folder: str, i: int) -> None:
    """Write the topics of a partition, and the sum of its kept samples."""
    arrays = {"z": part.z, "stream": part.stream}
    _write(f"{folder}/part-{i}.npz", arrays, total)


def load_part(folder: str, i: int) -> Part:
    """Read the topics of a partition. Its counts are in the blocks."""
    arrays = _read(f"{folder}/part-{i}.npz")
    return Part(arrays["z"], arrays["stream"], [])


def store_block(
    block: Packed, total: sparse.csr_array | None, folder: str, i: int
) -> None:
    """Write the counts of a block of words, and the sum of its kept samples."""
    _write(f"{folder}/block-{i}.npz", block._asdict(), total)


def load_block(folder: str, i: int) -> Packed:
    """Read the counts of a block of words."""
    arrays = _read(f"{folder}/block-{i}.npz")
    return Packed(*(arrays[name] for name in Packed._fields))


def load_total(folder: str, name: str) -> sparse.csr_array:
    """Read a sum of kept samples; the name is that of the file."""
    arrays = _read(f"{folder}/{name}.npz")
    cells = (arrays["total_data"], arrays["total_indices"], arrays["total_indptr"])
    return sparse.csr_array(cells, shape=tuple(arrays["total_shape"].tolist()))


def _write(path, arrays, total) -> None:
    if total is not None:
        arrays["total_data"], arrays["total_shape"] = total.data, total.shape
        arrays["total_indices"], arrays["total_indptr"] = total.indices, total.indptr
    with fsspec.open(path, "wb") as file:
        np.savez(file, **arrays)


def _read(path) -> dict[str, np.ndarray]:
    with fsspec.open(path, "rb") as file, np.load(file) as arrays:
        return dict(arrays)
