"""Programs on the files of a large corpus, swept until they are at steady state.

Only what they need themselves is imported, and where it is used.
"""

import time
from contextlib import nullcontext

import numpy as np

from benchmarks.mapped import read_mapped, read_topics
from benchmarks.programs import ALPHA, BETA

TOPICA = "topica.bin"
KEPT = 5  # samples, whose sums are memory of a fit


class Sklda:
    """CollapsedGibbsLDA over the memory map, from random topics or the planted ones."""

    def __init__(self, folder, n_topics, threads, init):
        from benchmarks.programs.ours import gibbs

        z = read_topics(folder) if init == "planted" else None
        self.model = gibbs(read_mapped(folder), n_topics, 0, threads=threads, z=z)
        self.threads = self.model.threads

    @staticmethod
    def convert(folder) -> None:
        """Leave the files as they are."""

    def steady(self, first: int, timed: int, limit: float) -> tuple[list, float]:
        """Return the seconds of the timed sweeps, after the first ones, and the end.

        A sweep that takes more seconds than the limit is the last. The end is that of a
        fit, which keeps samples of further sweeps.
        """
        seconds: list[float] = []
        while len(seconds) < first + timed and max(seconds, default=0) <= limit:
            seconds.append(self.model.seconds(1))
        if max(seconds) <= limit:
            for _ in range(KEPT):
                self.model.sweep()
                self.model.keep()
            self.model.end()
        return seconds[-timed:], time.time()

    def moved(self) -> float:
        """Sweep once more; return the share of the tokens that change their topics."""
        before = self.model.z.copy()
        self.model.sweep()
        return float(np.mean(before != self.model.z))


class Topica:
    """One fit of topica, timed where it reports its progress.

    It reports after as many sweeps as are to be timed, and computes a likelihood each
    time: as much work as a tenth of a sweep. The end is that of the fit, which makes
    the estimates of theta and phi.
    """

    threads = staticmethod(nullcontext)

    def __init__(self, folder, n_topics, threads, init):
        import topica

        self.corpus = topica.Corpus.load(str(folder / TOPICA))
        priors = {"alpha_sum": ALPHA * n_topics, "beta": BETA, "optimize_interval": 0}
        self.model = topica.LDA(n_topics, **priors, seed=0, num_threads=threads)

    @staticmethod
    def convert(folder) -> None:
        """Write the corpus as topica stores it."""
        import topica

        from benchmarks.programs.others import words_of

        X = read_mapped(folder)
        names = [str(w) for w in range(X.shape[1])]
        documents = [words.tolist() for words in words_of(X)]
        corpus = topica.Corpus.from_documents(documents, vocabulary=names)
        corpus.save(str(folder / TOPICA))

    def steady(self, first, timed, limit):
        n_reports = 1 + -(-first // timed)
        marks = [time.time()]

        def look(sweep, last, values):
            marks.append(time.time())
            if len(marks) > n_reports or pace() > limit:
                raise KeyboardInterrupt  # ends the fit, after the estimates

        def pace():
            return (marks[-1] - marks[-2]) / timed

        reports = {"progress": look, "progress_interval": timed}
        samples = {"num_samples": 1, "sample_interval": 0, "keep_theta_draws": False}
        sweeps = (n_reports + 1) * timed
        try:
            self.model.fit(
                self.corpus, iters=sweeps, check_every=0, **reports, **samples
            )
        except KeyboardInterrupt:
            pass
        return [pace()], time.time()

    def moved(self) -> None:
        """Return nothing: topica does not show the topics of its tokens."""


PROGRAMS = {"sklda": Sklda, "topica": Topica}
