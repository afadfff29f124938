"""Seconds of what comes before the first sweep, each in a new interpreter."""

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

FIRST_FIT = """
from sklda import CollapsedGibbsLDA
CollapsedGibbsLDA({n_topics}, max_iter=20, random_state=0).fit([[2, 1], [0, 3]])
"""


def timeraw_import():
    """Import sklda, and with it scikit-learn and Numba."""
    return "import sklda"


def timeraw_import_of_others():
    """Import what sklda imports: the part of the seconds above that is not its own."""
    return "import numba, sklearn.decomposition, joblib"


class FirstFit:
    """A first fit without compiled kernels on disk, and with them."""

    params = ((20, 1000),)
    param_names = ("topics",)
    number, repeat, rounds, warmup_time = 1, 3, 1, 0
    timeout = 300

    def setup(self, n_topics):
        self.folder = TemporaryDirectory()
        self.full = os.path.join(self.folder.name, "full")
        self.run(n_topics, self.full)
        self.n_runs = 0

    def teardown(self, n_topics):
        self.folder.cleanup()

    def run(self, n_topics, cache):
        code = FIRST_FIT.format(n_topics=n_topics)
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        subprocess.run([sys.executable, "-c", code], env=environment, check=True)

    def time_cold(self, n_topics):
        self.n_runs += 1
        self.run(n_topics, os.path.join(self.folder.name, str(self.n_runs)))

    def time_cached(self, n_topics):
        self.run(n_topics, self.full)
