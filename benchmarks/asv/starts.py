"""Seconds of what comes before the first sweep, each in a new interpreter."""

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

FIRST_FIT = """
from sklda import CollapsedGibbsLDA
CollapsedGibbsLDA({}, max_iter=20, random_state=0).fit([[2, 1], [0, 3]])
"""


def timeraw_import():
    return "import sklda"


def timeraw_import_of_others():  # which sklda imports
    return "import numba, sklearn.decomposition, joblib"


class FirstFit:
    """A first fit without compiled kernels on disk, and with them."""

    params = ((20, 1000),)
    param_names = ("topics",)
    number, repeat, rounds, warmup_time = 1, 3, 1, 0
    timeout = 300
    folder = TemporaryDirectory()

    def setup(self, n_topics):
        self.time_cached(n_topics)

    def time_cached(self, n_topics, cache=None):
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache or self.folder.name}
        command = [sys.executable, "-c", FIRST_FIT.format(n_topics)]
        subprocess.run(command, env=environment, check=True)

    def time_cold(self, n_topics):
        with TemporaryDirectory() as cache:
            self.time_cached(n_topics, cache)
