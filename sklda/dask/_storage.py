"""Storage of a fit: the last complete sweep, from which a fit can resume.

A sweep has a folder. The file ``state.zip`` beside the folders names the complete one;
it is written last and renamed, so there always is one. A file is a ZIP archive, which
has a checksum, with one pickle: damage is noticed.
"""

from __future__ import annotations

import os
import pickle
import sys
import uuid
from types import SimpleNamespace
from typing import Any, NoReturn
from zipfile import ZipFile

import fsspec
import numpy as np

from sklda._data.types import PathLike
from sklda._data.version import __version__, series

_STATE = "state.zip"
_PREFIX = "sklda-sweep-"  # of folders
_MEMBER = "pickle"  # of a ZIP archive

# A fit that is resumed may change these. All other parameters must be the same.
_FREE = {"client", "storage", "store_every", "n_partitions", "n_jobs", "verbose"}


def describe_fit(name: str, parameters: SimpleNamespace) -> dict[str, str]:
    """Return what decides the samples: the release, the estimator, its parameters."""
    values = {n: v for n, v in vars(parameters).items() if n not in _FREE}
    if not isinstance(parameters.random_state, int):
        values["random_state"] = None  # random numbers are stored with the sweeps
    texts = {n: repr(np.asarray(v, object).tolist()) for n, v in values.items()}
    return {"sklda": series(__version__), "estimator": name, **texts}


class Storage:
    """A folder with the last stored sweep of a fit; nothing is stored without a URL."""

    def __init__(
        self, url: PathLike | None, interval: int, description: dict[str, str]
    ) -> None:
        self.interval, self.description = interval, description
        self.last: str | None = None  # the folder of the last sweep of the fit
        if url is None:
            self._url, self.interval = None, sys.maxsize
            return
        self._url = os.fspath(url).rstrip("/")
        try:
            self._files, self._path = fsspec.core.url_to_fs(self._url)
            self._files.makedirs(self._path, exist_ok=True)
        except (ImportError, OSError, ValueError) as error:
            raise ValueError(
                f"storage={url!r} cannot be used: {error}. It must be a folder that "
                "this process and all workers can write to, given as a path or a URL "
                "that fsspec supports, such as 's3://bucket/folder'."
            ) from error

    def url(self, folder: str | None = None) -> str:
        """Return the URL of a folder, by default that of the last stored sweep."""
        return f"{self._url}/{folder or self.last}"

    def find(self) -> dict[str, Any] | None:
        """Return the state of the complete sweep, or None; ValueError if not ours."""
        if self._url is None:
            raise ValueError("resume=True resumes from storage, which is None.")
        if not self._files.exists(f"{self._path}/{_STATE}"):
            return None
        state = read(f"{self._url}/{_STATE}")
        self.last = state["folder"]
        stored, own = state["description"], self.description
        differences = [
            f"{name}={stored.get(name)} there, {own.get(name)} here"
            for name in sorted(stored.keys() | own.keys())
            if stored.get(name) != own.get(name)
        ]
        if differences:
            self.refuse(f"with other parameters ({'; '.join(differences)})")
        return state

    def refuse(self, difference: str) -> NoReturn:
        """Raise ValueError because the fit that is stored is another one."""
        raise ValueError(
            f"{self.url()} contains a fit {difference}: pass the same parameters and "
            "documents, choose another storage, or start at the first sweep with "
            "fit(X, resume=False)."
        )

    def begin(self, sweep: int) -> str:
        """Return the name of a new folder for a sweep."""
        folder = f"{_PREFIX}{sweep:06d}-{uuid.uuid4().hex[:8]}"
        self._files.makedirs(f"{self._path}/{folder}")
        return folder

    def finish(self, folder: str, state: dict[str, Any]) -> None:
        """Write the state of a sweep, the last file; delete all other sweeps."""
        state = {**state, "description": self.description, "folder": folder}
        write(f"{self._url}/{_STATE}.new", state)
        self._files.mv(f"{self._path}/{_STATE}.new", f"{self._path}/{_STATE}")
        self.last = folder
        for path in self._files.ls(self._path, detail=False):
            name = path.rstrip("/").rpartition("/")[2]
            if name.startswith(_PREFIX) and name != folder:
                self._files.rm(path, recursive=True)


def write(url: str, value: Any) -> None:
    """Write a value to a file; any type of Python will do."""
    try:
        with fsspec.open(url, "wb") as file, ZipFile(file, "w") as archive:
            archive.writestr(_MEMBER, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    except OSError as error:
        raise OSError(
            f"{url} could not be written ({error}). Make room, then resume from the "
            "last stored sweep with fit(X, resume=True), or choose another storage."
        ) from error


def read(url: str) -> Any:
    """Return the value in a file; raise ValueError unless it is what `write` wrote."""
    try:
        with fsspec.open(url, "rb") as file, ZipFile(file) as archive:
            return pickle.loads(archive.read(_MEMBER))
    except Exception as error:  # a damaged file raises nearly any
        folder, _, name = url.rpartition("/")
        raise ValueError(
            f"{folder} cannot be read ({name}: {error!r}): start at the first sweep "
            "with fit(X, resume=False)."
        ) from error


def read_item(url: str, i: int) -> Any:
    """Return one of the values in a file."""
    return read(url)[i]
