"""Random fits, transforms, interrupts and forks in one process, on Linux.

    python -m tests.soak --minutes 30

fails if the memory at its end is not that after a minute, if an interrupt leaves an
estimator neither as it was nor as after the call, if a child gets another answer, or if
a thread stays behind. `tests/test_threads.py` has threads that share estimators.
"""

import argparse
import gc
import os
import random
import resource
import signal
import time
import warnings
from copy import deepcopy
from pathlib import Path

import joblib
from sklearn.base import clone

from sklda import CVBLDA
from sklda._data.sklearn_private import CALLBACK_ATTRIBUTES
from tests.helpers.processes import wait_for_threads
from tests.helpers.supervised import X
from tests.helpers.warm_up import blocks, max_margin, single_site, variational
from tests.helpers.ways_to_fit import GIBBS, SUPERVISED, given_for

MODELS = [*GIBBS.values(), *SUPERVISED.values(), CVBLDA(tol=0)]
TOLERANCE = 0.05  # of the memory after a minute


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize()


def state(model) -> dict[str, str]:
    """Return digests of parameters and attributes, but for scikit-learn's own.

    Pickles of equal chains differ, so a stored chain is left out.
    """
    names = vars(model).keys() - {*CALLBACK_ATTRIBUTES, "_stored"}
    return {name: joblib.hash(vars(model)[name]) for name in names}


def look(model, given) -> str:
    """Fit and transform; return a digest of all that comes out."""
    fitted = clone(model).fit(X[:60], **given)
    return joblib.hash([fitted.transform(X), state(fitted)])


def strike(*_):
    raise KeyboardInterrupt


def interrupts(model, given):
    """Interrupt several fits in a row."""
    for _ in range(4):
        done = deepcopy(model)
        start = time.perf_counter()
        done.fit(X[:60], **given)
        seconds = random.uniform(0, 1.2) * (time.perf_counter() - start)
        before = state(model)
        signal.signal(signal.SIGALRM, strike)
        try:
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
            model.fit(X[:60], **given)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except KeyboardInterrupt:
            pass
        except AttributeError as error:  # of scikit-learn's callbacks, half set up
            if "_skl_callbacks_to_teardown" not in str(error):
                raise
        assert state(model) in (before, state(done)), model


def forks(model, given):
    expected = look(model, given)
    child = os.fork()
    if child == 0:
        status = 2
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(60)  # a child that hangs
            status = look(model, given) != expected
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="more than one")
    minutes = parser.parse_args().minutes
    warnings.simplefilter("ignore")  # few sweeps
    for compile_part in (single_site, blocks, max_margin, variational):
        compile_part()
    start, first = time.monotonic(), None
    while (elapsed := time.monotonic() - start) < 60 * minutes:
        if first is None and elapsed > 60:
            first = resident()
        model = clone(random.choice(MODELS)).set_params(max_iter=8)
        model.set_params(n_components=random.choice([3, 20]), random_state=0)
        random.choice([interrupts, forks])(model, given_for(model, 60))
        gc.collect()  # what an interrupt has left in cycles
        wait_for_threads(0)
    assert first, "--minutes must be more than 1: memory is compared with that then"
    assert abs(resident() - first) <= TOLERANCE * first


if __name__ == "__main__":
    main()
