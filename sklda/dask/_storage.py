"""Storage of a fit: files written every few sweeps, from which a fit can go on.

A stored sweep is a folder with one file for each part and each block of words. The file
``sklda.json`` is written first: folders without it are not ours and are left alone. The
file ``done.json`` is written last: folders without it are not complete. It holds
digests of the other files, and of itself. The file ``sklda.lock`` names the fit that
writes there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import socket
import sys
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any, NoReturn, TypeVar

import fsspec
import numpy as np
import psutil
from scipy import sparse

from sklda._core.types import PathLike
from sklda._core.version import __version__, series
from sklda.dask._parts import PackedCounts, PartState

_MARK, _DONE, _LOCK = "sklda.json", "done.json", "sklda.lock"
_SWEEP = re.compile(r"sweep-([0-9]{6}|[1-9][0-9]{6,})")
_ARRAYS = re.compile(r"(part|block)-[0-9]+\.npz")
_CHANGED = "is damaged: its contents are not what the fit wrote"

# A fit that is resumed may change these. All other parameters must be the same.
_FREE = {"client", "storage", "store_every", "n_partitions", "n_jobs", "verbose"}
_running: set[str] = set()  # the locks of this process
_State = TypeVar("_State", PartState, PackedCounts)


def describe_fit(name: str, parameters: SimpleNamespace) -> dict[str, Any]:
    """Return the estimator and the parameters that decide the samples, for JSON."""
    values = {n: v for n, v in vars(parameters).items() if n not in _FREE}
    if not isinstance(parameters.random_state, int):
        values["random_state"] = None  # its entropy is stored with the sweeps
    as_json = {
        name: value.tolist() if hasattr(value, "tolist") else repr(value)
        for name, value in values.items()
    }
    return {"estimator": name, "parameters": as_json}


class Storage:
    """A folder with the state of every few sweeps; nothing is stored without a URL."""

    def __init__(
        self, url: PathLike | None, interval: int, description: dict[str, Any]
    ) -> None:
        url = None if url is None else os.fspath(url)
        self._location, self.interval, self.description = url, interval, description
        if url is None:
            self.interval = sys.maxsize
            return
        try:
            self._files, self._path = fsspec.core.url_to_fs(url)
            self._files.makedirs(self._path, exist_ok=True)
        except (ImportError, OSError, ValueError) as error:
            raise ValueError(
                f"storage={url!r} cannot be used: {error}. It must be a folder that "
                "this process and all workers can write to, given as a path or a URL "
                "that fsspec supports, such as 's3://bucket/folder'."
            ) from error
        self._url = url.rstrip("/")
        self._lock = Lock(self._files, self._path, url)

    def locked(self) -> AbstractContextManager[None]:
        """Keep other fits out of the folder; raise ValueError if one is there."""
        if self._location is None:
            return contextlib.nullcontext()
        return self._lock.held()

    def begin(self, sweep: int) -> str:
        """Return the URL of a new folder for a sweep."""
        self._lock.check()
        folder = self._folder(sweep)
        mark = json.dumps({"sklda": __version__, "sweep": sweep})
        with _room(folder):
            self._files.makedirs(folder, exist_ok=True)
            self._files.pipe_file(f"{folder}/{_MARK}", mark.encode())
        return self.url(sweep)

    def url(self, sweep: int) -> str:
        """Return the URL of the folder of a sweep."""
        return f"{self._url}/sweep-{sweep:06d}"

    def finish(self, sweep: int, content: dict[str, Any]) -> None:
        """Mark the folder of a sweep as complete, and delete all older ones."""
        content = {"sklda": __version__, "sweep": sweep, **self.description, **content}
        content["digest"] = _digest_of(content)
        self._lock.check()
        path = f"{self._folder(sweep)}/{_DONE}"
        with _room(path):
            self._files.pipe_file(path, json.dumps(content).encode())
        for older in self._sweeps():
            if older != sweep:
                self._delete(self._folder(older))

    def find(self, *, resume: bool) -> dict[str, Any] | None:
        """Return what is stored of the last sweep of this fit, or None."""
        if self._location is None and resume:
            raise ValueError("resume=True resumes from storage, which is None.")
        stored = self.last()
        if stored is None:
            return None
        where = f"storage={self._location!r} contains sweep {stored['sweep']} of a fit"
        if not resume:
            raise ValueError(
                f"{where}: resume with fit(X, resume=True), or choose an empty folder."
            )
        if series(stored["sklda"]) != series(__version__):
            raise ValueError(
                f"{where} by sklda {stored['sklda']}, whose samples may differ from "
                f"those of sklda {__version__}: install the version of the fit, or "
                f"choose an empty folder."
            )
        stored_values = {"estimator": stored["estimator"], **stored["parameters"]}
        description = self.description
        values = {"estimator": description["estimator"], **description["parameters"]}
        differences = [
            f"{name}={stored_values.get(name)} there, {values.get(name)} here"
            for name in sorted(stored_values.keys() | values.keys())
            if stored_values.get(name) != values.get(name)
        ]
        if differences:
            raise ValueError(
                f"{where} with different parameters ({'; '.join(differences)}): set "
                "the same parameters, or choose an empty folder."
            )
        return stored

    def check_documents(self, stored: dict[str, Any], numbers: dict[str, Any]) -> None:
        """Raise ValueError if a fit to other documents is stored."""
        start = f"storage={self._location!r} contains a fit to different documents: "
        for name in ("n_documents", "n_tokens", "n_words"):
            if stored[name] != numbers[name]:
                raise ValueError(
                    f"{start}{name} per partition was {stored[name]}, and is "
                    f"{numbers[name]} in X. Pass the same X, or choose an empty folder."
                )
        begin = 0
        for i, n in enumerate(numbers["n_documents"]):
            if stored["documents"][i] != numbers["documents"][i]:
                raise ValueError(
                    f"{start}words or counts of documents {begin} to {begin + n - 1} "
                    f"differ in X. Pass the same X, with its documents and words in "
                    f"the same order, or choose an empty folder."
                )
            begin += n

    def last(self) -> dict[str, Any] | None:
        """Return what `finish` wrote of the last complete sweep, or None."""
        if self._location is None:
            return None
        damaged = []
        for sweep in sorted(self._sweeps(), reverse=True):
            with contextlib.suppress(FileNotFoundError):
                text = self._files.cat_file(f"{self._folder(sweep)}/{_DONE}")
                content = _parsed(text)
                if content is not None:
                    return content
                damaged.append(self.url(sweep))
        if damaged:  # and no older sweep is there
            raise ValueError(_damaged(damaged[0], _DONE, _CHANGED))
        return None

    def _sweeps(self) -> list[int]:
        """Return the sweeps whose folders have our mark."""
        names = self._names(self._path)
        sweeps = [int(match[1]) for match in map(_SWEEP.fullmatch, names) if match]
        return [n for n in sweeps if self._files.exists(f"{self._folder(n)}/{_MARK}")]

    def _delete(self, folder: str) -> None:
        """Delete what a fit wrote to a folder, and the folder if it is empty then."""
        names = self._names(folder)  # no pattern, which the folder's name might match
        arrays = sorted(filter(_ARRAYS.fullmatch, names))
        for name in (*({_DONE} & names), *arrays, _MARK):  # ours until all else is gone
            self._files.rm_file(f"{folder}/{name}")
        with contextlib.suppress(OSError):  # not empty; or a store without folders
            self._files.rmdir(folder)

    def _names(self, folder: str) -> set[str]:
        paths = self._files.ls(folder, detail=False)
        return {path.rstrip("/").rsplit("/", 1)[-1] for path in paths}

    def _folder(self, sweep: int) -> str:
        return f"{self._path}/sweep-{sweep:06d}"


@contextlib.contextmanager
def _room(path: str) -> Iterator[None]:
    """Say what to do if a file cannot be written."""
    try:
        yield
    except OSError as error:
        raise OSError(
            f"{path} could not be written ({error}). Make room, then resume from the "
            "last stored sweep with fit(X, resume=True), or choose another storage."
        ) from error


def _parsed(text: bytes) -> dict[str, Any] | None:
    """Return what `finish` wrote; None if it is damaged."""
    with contextlib.suppress(ValueError):  # no JSON
        content = json.loads(text)
        if isinstance(content, dict):
            if content.pop("digest", None) == _digest_of(content):
                return content
    return None


def _digest_of(content: dict[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _damaged(folder: str, file: str, damage: str) -> str:
    return (
        f"{folder}/{file} {damage}. To resume from an older sweep, or from the first "
        f"if there is none, delete {folder} and call fit(X, resume=True)."
    )


# --- the lock ---------------------------------------------------------------------


class Lock:
    """A file that keeps other fits out of a folder as long as its owner runs.

    A lock does not count if the process of its owner ran on this machine and has ended.
    """

    def __init__(self, files: Any, folder: str, url: str) -> None:
        self._files, self._path, self._url = files, f"{folder}/{_LOCK}", url
        self._identity = {
            "fit": uuid.uuid4().hex,
            "host": socket.gethostname(),
            "pid": os.getpid(),
        }

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock; raise ValueError if another fit does."""
        _running.add(self._identity["fit"])
        try:
            self._take()
            yield
        finally:
            _running.discard(self._identity["fit"])
            with contextlib.suppress(OSError, ValueError):
                if self._owner() == self._identity:
                    self._files.rm_file(self._path)

    def check(self) -> None:
        """Raise ValueError unless the lock is still held."""
        with contextlib.suppress(FileNotFoundError):
            if self._owner() == self._identity:
                return
        raise ValueError(
            f"storage={self._url!r} has been used by another fit, since {self._path} "
            "was deleted or replaced while this fit ran. Choose another folder, or "
            "resume from what is there with fit(X, resume=True)."
        )

    def _take(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            owner = self._owner()
            if owner is None or _is_running(owner):
                self._refuse(owner)
            self._files.rm_file(self._path)
        content = json.dumps(self._identity).encode()
        with _room(self._path):
            try:
                self._files.pipe_file(self._path, content, mode="create")
            except FileExistsError:
                self._refuse(None)
            except OSError:
                with contextlib.suppress(OSError):
                    self._files.rm_file(self._path)
                raise
        self.check()  # not all stores notice that a file is created twice

    def _refuse(self, owner: dict[str, Any] | None) -> NoReturn:
        who = "another fit"
        if owner is not None:
            who += f" (process {owner['pid']} on {owner['host']})"
        raise ValueError(
            f"storage={self._url!r} is in use by {who}: choose another folder, or "
            f"wait until that fit has ended. If it was killed, delete {self._path}."
        )

    def _owner(self) -> dict[str, Any] | None:
        """Return who holds the lock, or None if the file does not say who."""
        with contextlib.suppress(ValueError):
            owner = json.loads(self._files.cat_file(self._path))
            if isinstance(owner, dict) and owner.keys() == self._identity.keys():
                return owner
        return None


def _is_running(owner: dict[str, Any]) -> bool:
    """Return whether a fit runs, as far as this machine knows."""
    if owner["host"] != socket.gethostname():
        return True
    if owner["pid"] == os.getpid():
        return owner["fit"] in _running
    try:
        return psutil.Process(owner["pid"]).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# --- tasks -----------------------------------------------------------------------


def store_state(
    state: PartState | PackedCounts,
    total: sparse.csr_array | None,
    name: str,
    folder: str,
) -> str:
    """Write a part or a block, and the sum of its samples; return a digest."""
    # Without the pieces of a part: the blocks have their counts.
    arrays = {n: a for n, a in state._asdict().items() if isinstance(a, np.ndarray)}
    if total is not None:
        arrays["total_data"], arrays["total_shape"] = total.data, np.array(total.shape)
        arrays["total_indices"], arrays["total_indptr"] = total.indices, total.indptr
    path = f"{folder}/{name}.npz"
    with _room(path), fsspec.open(path, "wb") as file:
        np.savez(file, **arrays)
    return _digest_of_all(arrays)


def load_state(name: str, digest: str, folder: str, kind: type[_State]) -> _State:
    """Read the topics of a part or the counts of a block."""
    arrays = _read(folder, name, digest)
    return kind(**{field: arrays[field] for field in kind._fields if field in arrays})


def load_total(name: str, digest: str, folder: str) -> sparse.csr_array:
    """Read a sum of kept samples."""
    arrays = _read(folder, name, digest)
    cells = (arrays["total_data"], arrays["total_indices"], arrays["total_indptr"])
    return sparse.csr_array(cells, shape=tuple(arrays["total_shape"].tolist()))


def _read(folder, name, expected) -> dict[str, np.ndarray]:
    file_name = f"{name}.npz"
    try:
        with fsspec.open(f"{folder}/{file_name}", "rb") as file, np.load(file) as read:
            arrays = dict(read)
    except Exception as error:  # a damaged file raises nearly any
        damage = f"cannot be read ({error}). All workers must have access to it"
        raise ValueError(_damaged(folder, file_name, damage)) from error
    if _digest_of_all(arrays) != expected:
        raise ValueError(_damaged(folder, file_name, _CHANGED))
    return arrays


def _digest_of_all(arrays) -> str:
    return digest(*(np.ascontiguousarray(arrays[name]) for name in sorted(arrays)))


def digest(*arrays: np.ndarray) -> str:
    """Return a digest of the contents of contiguous arrays."""
    found = hashlib.blake2b(digest_size=16)
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(array.data)
    return found.hexdigest()
