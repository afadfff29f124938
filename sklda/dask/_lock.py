"""The lock of a storage folder: a file that names the fit which writes there."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import uuid
from collections.abc import Iterator
from typing import Any, NoReturn

import psutil

LOCK = "sklda.lock"

_running: set[str] = set()  # the locks of this process


class Lock:
    """A file that keeps other fits out of a folder as long as its owner runs.

    A lock does not count if the process of its owner ran on this machine and has ended.
    """

    def __init__(self, files: Any, folder: str, url: str) -> None:
        self._files, self._path, self._url = files, f"{folder}/{LOCK}", url
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
        try:
            self._files.pipe_file(self._path, content, mode="create")
        except FileExistsError:
            self._refuse(None)
        except OSError as error:
            with contextlib.suppress(OSError):
                self._files.rm_file(self._path)
            raise not_written(self._path, error) from error
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


def not_written(path: str, error: OSError) -> OSError:
    """Return the error that says what to do if a file cannot be written."""
    return OSError(
        f"{path} could not be written ({error}). Make room, then resume from the last "
        "stored sweep with fit(X, resume=True), or choose another storage."
    )
