"""Corpora in files: read by memory maps, or block by block."""

from pathlib import Path

import numpy as np
from scipy import sparse

ARRAYS = {"data": np.int16, "indices": np.int32, "indptr": np.int64, "z": np.uint16}


class Appended:
    """A .npy file of one axis that grows."""

    def __init__(self, path: Path, dtype):
        self.dtype, self.size = np.dtype(dtype), 0
        self.file = path.open("wb")
        self._write_header()

    def _write_header(self) -> None:
        """Write the header at the beginning: NumPy leaves room for any size."""
        header = {"descr": self.dtype.str, "fortran_order": False}
        self.file.seek(0)
        np.lib.format.write_array_header_1_0(
            self.file, header | {"shape": (self.size,)}
        )

    def append(self, values) -> None:
        np.asarray(values, self.dtype).tofile(self.file)
        self.size += len(values)

    def close(self) -> None:
        self._write_header()
        self.file.close()


def write_mapped(blocks, n_words: int, folder: Path) -> None:
    """Write blocks of documents as the arrays of one CSR matrix, a .npy file each.

    A block is X and z, the topics of its tokens, cell by cell; these are written, too.
    """
    folder.mkdir(parents=True)
    files = {name: Appended(folder / f"{name}.npy", ARRAYS[name]) for name in ARRAYS}
    files["indptr"].append([0])
    n_cells = 0
    for X, z in blocks:
        files["data"].append(X.data)
        files["indices"].append(X.indices)
        files["indptr"].append(n_cells + X.indptr[1:].astype(np.int64))
        files["z"].append(z)
        n_cells += X.nnz
    for file in files.values():
        file.close()
    np.save(folder / "shape.npy", [files["indptr"].size - 1, n_words])


def read_mapped(folder: Path) -> sparse.csr_array:
    """Return the matrix over memory maps; only `indptr` is read.

    SciPy wants both index arrays of one type: for an `indptr` of 64 bits it would copy
    `indices`. So `indptr` has 32 bits here, as long as these suffice.
    """
    data, indices, indptr = (
        np.load(folder / f"{name}.npy", mmap_mode="r")
        for name in ("data", "indices", "indptr")
    )
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    shape = tuple(np.load(folder / "shape.npy").tolist())
    return sparse.csr_array((data, indices, indptr), shape=shape)


def read_topics(folder: Path) -> np.ndarray:
    """Return a copy of the topics."""
    return np.load(folder / "z.npy")
