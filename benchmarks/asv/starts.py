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
    """A first fit, with compiled kernels on disk or without them."""

    params = ((20, 1000), (True, False))
    param_names = ("topics", "compiled")
    number, repeat, rounds, warmup_time = 1, 3, 1, 0
    timeout = 300

    def setup(self, n_topics, compiled):
        self.folder = TemporaryDirectory()
        if compiled:
            self.time_fit(n_topics, compiled)

    def time_fit(self, n_topics, compiled):
        environment = {**os.environ, "NUMBA_CACHE_DIR": self.folder.name}
        command = [sys.executable, "-c", FIRST_FIT.format(n_topics)]
        subprocess.run(command, env=environment, check=True)
