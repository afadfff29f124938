"""What the readers of corpus files share: streams, vocabularies, complaints."""

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import numpy as np
from scipy import sparse

PathLike = str | os.PathLike[str]

_GZIP_MAGIC = b"\x1f\x8b"


def malformed(path: PathLike, line: int, complaint: str) -> ValueError:
    """Error for a line of a file that does not keep to the format."""
    return ValueError(f"{os.fspath(path)}, line {line}: {complaint}")


def quote(line: bytes) -> str:
    """Contents of a line for an error message, cut to a readable length."""
    return repr(line[:60].decode("utf-8", "replace").rstrip("\r\n"))


@contextmanager
def open_bytes(path: PathLike) -> Iterator[BinaryIO]:
    """Open a file for reading, decompressed if its contents (not its name) are gzip.

    Damaged compressed data raise ValueError wherever they are met while reading.
    """
    with open(path, "rb") as raw:
        is_gzip = raw.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        raw.seek(0)
        try:
            yield gzip.GzipFile(fileobj=raw) if is_gzip else raw
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"{os.fspath(path)}: the gzip data are damaged or cut short ({error})."
            ) from error


def read_vocabulary(path: PathLike, n_features: int | None = None) -> np.ndarray:
    """Words of a file with one word per line, as an object array (n_features,).

    A number of words other than `n_features`, a blank line or a line that is not
    UTF-8 raises ValueError.
    """
    words = []
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                word = line.decode("utf-8").strip()
            except UnicodeDecodeError as error:
                raise malformed(
                    path, number, f"{quote(line)} is not UTF-8; convert the file first."
                ) from error
            if not word:
                raise malformed(path, number, "a word is expected, the line is blank.")
            words.append(word)
    if n_features is not None and len(words) != n_features:
        raise ValueError(
            f"{os.fspath(path)} holds {len(words)} words, one per line, but the corpus "
            f"has n_features={n_features}. Pass the vocabulary of this corpus."
        )
    return np.array(words, dtype=object)


def describe(text: str, X: sparse.csr_matrix) -> str:
    """Description of a corpus: a text and below it a table of its sizes."""
    sizes = {
        "Documents": X.shape[0],
        "Words in the vocabulary": X.shape[1],
        "Cells that are not zero": X.nnz,
        "Tokens": int(X.data.sum()),
    }
    rows = [f"{name:<24}{size:>14,}" for name, size in sizes.items()]
    return "\n".join([text.rstrip(), "", *rows, ""])
