"""Paths, streams, vocabularies, descriptions and errors that file readers share."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import TypeAlias

import numpy as np
from scipy import sparse

from sklda._core.types import PathLike

ByteStream: TypeAlias = gzip.GzipFile | io.BufferedReader

MAX_COUNT = 2**31 - 1  # all that memory can hold then add up within 64 bits

_GZIP_MAGIC = b"\x1f\x8b"
_MAX_LINE_BYTES = 1 << 24


def format_error(path: PathLike, line: int, problem: str) -> ValueError:
    """Return the error for a line of a file that violates the format."""
    return ValueError(f"{os.fspath(path)}, line {line}: {problem}")


def quote(line: bytes) -> str:
    """Return the contents of a line for an error message, at most 60 bytes of it."""
    return repr(line[:60].decode("utf-8", "replace").rstrip("\r\n"))


@contextmanager
def open_bytes(path: PathLike) -> Iterator[ByteStream]:
    """Open a file for reading; decompress it if its contents (not its name) are gzip.

    A byte order mark at the start is skipped. Damaged compressed data raise ValueError
    when they are read.
    """
    with open(path, "rb") as raw:
        is_gzip = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        stream = gzip.GzipFile(fileobj=raw) if is_gzip else raw
        try:
            if stream.peek(len(BOM_UTF8)).startswith(BOM_UTF8):
                stream.read(len(BOM_UTF8))
            yield stream
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"{os.fspath(path)}: the gzip data are damaged or cut short ({error})."
            ) from error


def read_lines(stream: ByteStream, path: PathLike) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the contents of each line, which must not be too long."""
    for number in count(1):
        line = stream.readline(_MAX_LINE_BYTES)
        if not line:
            return
        if len(line) == _MAX_LINE_BYTES:
            raise format_error(
                path, number, f"the line has {_MAX_LINE_BYTES:,} bytes or more."
            )
        yield number, line


def read_vocabulary(path: PathLike, n_features: int | None = None) -> np.ndarray:
    """Read a file with one word per line, as an object array (n_features,).

    Raises
    ------
    ValueError
        If the number of words is not `n_features`, or a line is blank or not UTF-8.
    """
    words = []
    with open_bytes(path) as stream:
        for number, line in read_lines(stream, path):
            if number - 1 == n_features:  # so much may follow in a small gzip
                raise _other_size(path, f"more than {n_features}", n_features)
            try:
                word = line.decode("utf-8").strip()
            except UnicodeDecodeError as error:
                raise format_error(
                    path, number, f"{quote(line)} is not UTF-8; convert the file first."
                ) from error
            if not word:
                raise format_error(path, number, "expected a word, found a blank line.")
            words.append(word)
    if n_features is not None and len(words) < n_features:
        raise _other_size(path, f"{len(words)}", n_features)
    return np.array(words, dtype=object)


def _other_size(path, found, n_features):
    return ValueError(
        f"{os.fspath(path)} contains {found} words, one per line, but the corpus has "
        f"n_features={n_features}. Pass the vocabulary of this corpus."
    )


def describe(text: str, X: sparse.csr_matrix) -> str:
    """Return a text followed by a table of the sizes of a corpus."""
    sizes = {
        "Documents": X.shape[0],
        "Words in the vocabulary": X.shape[1],
        "Document-word pairs": X.nnz,
        "Tokens": int(X.data.sum()),
    }
    rows = [f"{name:<24}{size:>14,}" for name, size in sizes.items()]
    return "\n".join([text.rstrip(), "", *rows, ""])
