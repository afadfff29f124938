"""Programs on the files of a large corpus, swept until they are at steady state.

Only what they need themselves is imported, and where it is used.
"""

import time
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.programs import others

ARRAYS = {"data": np.int16, "indices": np.int32, "indptr": np.int64, "z": np.uint16}
SHAPE, TOPICA = "shape.npy", "topica.bin"
KEPT = 5  # samples, whose sums are memory of a fit


def read_mapped(folder: Path) -> sparse.csr_array:
    """Return the matrix over memory maps; only `indptr` is read.

    SciPy wants both index arrays of one type: for an `indptr` of 64 bits it would copy
    `indices`. So `indptr` has 32 bits here, as long as these suffice.
    """
    data, indices = (
        np.memmap(folder / name, ARRAYS[name], "r") for name in ("data", "indices")
    )
    indptr = read_array(folder, "indptr")
    if indptr[-1] <= np.iinfo(np.int32).max:
        indptr = indptr.astype(np.int32)
    shape = tuple(np.load(folder / SHAPE).tolist())
    return sparse.csr_array((data, indices, indptr), shape=shape)


def read_array(folder: Path, name: str) -> np.ndarray:
    return np.fromfile(folder / name, ARRAYS[name])


class Sklda:
    """CollapsedGibbsLDA over the memory map, from random topics or the planted ones."""

    def __init__(self, folder, n_topics, threads, init):
        from benchmarks.programs.ours import gibbs

        z = read_array(folder, "z") if init == "planted" else None
        self.model = gibbs(read_mapped(folder), n_topics, 0, threads=threads, z=z)
        self.threads = self.model.threads

    @staticmethod
    def convert(folder) -> None:
        """Leave the files as they are."""

    def steady(self, first: int, timed: int, limit: float) -> tuple[list, float]:
        """Return the seconds of the timed sweeps, after the first ones, and the end.

        If the first takes more seconds than the limit, it is the last. The end is that
        of a fit, which keeps samples of further sweeps.
        """
        seconds = [self.model.seconds(1)]
        if seconds[0] <= limit:
            self.model.seconds(max(0, first - 1))
            seconds = [self.model.seconds(1) for _ in range(timed)]
            for _ in range(KEPT):
                self.model.sweep()
                self.model.keep()
            self.model.end()
        return seconds, time.time()

    def moved(self) -> float:
        """Sweep once more; return the share of the tokens that change their topics."""
        before = self.model.z.copy()
        self.model.sweep()
        return float(np.mean(before != self.model.z))


class Topica(others.Topica):
    """topica's LDA of a corpus as topica stores it."""

    def __init__(self, folder, n_topics, threads, init):
        self.path = str(folder / TOPICA)
        super().__init__(read_mapped(folder), n_topics, 0, threads=threads)

    def load(self, X, threads):
        import topica

        self.corpus = topica.Corpus.load(self.path)
        self.new = partial(topica.LDA, num_threads=threads)

    @staticmethod
    def convert(folder) -> None:
        """Write the corpus as topica stores it."""
        others.topica_corpus(read_mapped(folder)).save(str(folder / TOPICA))

    def steady(self, first, timed, limit):
        seconds = self.seconds(1)
        if seconds <= limit:
            self.seconds(max(0, first - 1))
            seconds = self.seconds(timed) / timed
        return [seconds], time.time()

    def moved(self) -> None:
        """Return nothing: topica does not show the topics of its tokens."""


PROGRAMS = {"sklda": Sklda, "topica": Topica}
