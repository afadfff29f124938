"""Streams, lines, vocabularies, errors and results of the readers of corpus files."""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from typing import TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from sklda._core.types import PathLike

ByteStream: TypeAlias = gzip.GzipFile | io.BufferedReader

MAX_COUNT = 2**31 - 1  # so that sums of counts fit 64 bits

_GZIP_MAGIC = b"\x1f\x8b"
_MAX_LINE_BYTES = 1 << 24


def format_error(path: PathLike, line: int, problem: object) -> ValueError:
    """Return the error for a line of a file that violates the format."""
    return ValueError(f"{os.fspath(path)}, line {line}: {problem}")


def quote(line: bytes) -> str:
    """Return the contents of a line for an error message, at most 60 bytes of it."""
    return repr(line[:60].decode("utf-8", "replace").rstrip("\r\n"))


@contextmanager
def open_bytes(path: PathLike) -> Iterator[ByteStream]:
    """Open a plain or gzip file behind its byte order mark; ValueError if damaged."""
    with open(path, "rb") as raw:
        is_gzip = raw.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC)
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


def parse_lines(
    text: bytes,
    lines: re.Pattern[bytes],
    expected: str,
    path: PathLike,
    number: int,
    hint: str = "",
) -> np.ndarray:
    """Return the integers of lines, the first of which has this number in the file.

    ValueError if `lines` does not match all of the text: it quotes the first line that
    does not.
    """
    match = lines.match(text)
    if match is None or match.end() < len(text):
        end = 0 if match is None else match.end()
        start = text.rfind(b"\n", 0, end) + 1
        bad = text[start:].partition(b"\n")[0]
        number += text.count(b"\n", 0, start)
        problem = f"expected {expected}, found {quote(bad)}.{hint}"
        raise format_error(path, number, problem)
    return np.fromstring(text.replace(b":", b" "), dtype=np.int64, sep=" ")


def read_vocabulary(path: PathLike, n_features: int | None = None) -> np.ndarray:
    """Read a file with one word per line, of `n_features` words if that is given."""
    words: list[str] = []
    # A small gzip file may hold millions of words more than the corpus has.
    n_lines = None if n_features is None else n_features + 1
    with open_bytes(path) as stream:
        for number, line in islice(read_lines(stream, path), n_lines):
            try:
                words.append(line.decode("utf-8").strip())
            except UnicodeDecodeError as error:
                raise format_error(
                    path, number, f"{quote(line)} is not UTF-8; convert the file first."
                ) from error
            if not words[-1]:
                raise format_error(path, number, "expected a word, found a blank line.")
    if n_features is not None and len(words) != n_features:
        n_words = len(words) if len(words) < n_features else f"more than {n_features}"
        raise ValueError(
            f"{os.fspath(path)} contains {n_words} words, one per line, but the corpus "
            f"has n_features={n_features}. Pass the vocabulary of this corpus."
        )
    return np.array(words, dtype=object)


def as_bunch(X: sparse.csr_matrix, words: np.ndarray | None, about: str) -> Bunch:
    """Return a corpus with its description, to which a table of its sizes is added."""
    sizes = {
        "Documents": X.shape[0],
        "Words in the vocabulary": X.shape[1],
        "Document-word pairs": X.nnz,
        "Tokens": int(X.data.sum()),
    }
    rows = [f"{name:<24}{size:>14,}" for name, size in sizes.items()]
    description = "\n".join([about.rstrip(), "", *rows, ""])
    return Bunch(data=X, feature_names=words, DESCR=description)
