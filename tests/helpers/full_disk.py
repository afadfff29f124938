"""A disk that is full for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def no_file_beyond(n_bytes: int) -> Iterator[None]:
    """Let the system refuse to write to files of this process after so many bytes."""
    resource = pytest.importorskip("resource", reason="limits of Unix")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
