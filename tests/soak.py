"""Random fits, transforms, interrupts and forks in one process, on Linux.

    python -m tests.soak --minutes 30

fails if the memory at its end is not that after a minute, if an interrupt leaves an
estimator neither as it was nor as after the call, if a child gets another answer, or if
a thread stays behind. `tests/test_threads.py` has threads that share estimators.
"""

import argparse
import faulthandler
import gc
import os
import random
import resource
import signal
import time
import traceback
import warnings
from collections import Counter
from copy import deepcopy
from functools import partial
from pathlib import Path

import joblib
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from sklda._data.sklearn_private import CALLBACK_ATTRIBUTES
from tests.helpers.processes import wait_for_threads
from tests.helpers.strategies import CLASSES, among, cases
from tests.helpers.warm_up import blocks, max_margin, single_site, variational

# Bytes of address space: a stricter limit than one of the memory in use, because Numba
# and threads reserve more than they touch (1.6 GiB here, 0.3 of them resident).
LIMIT = 2 * 2**30
TOLERANCE = 0.05  # of the memory after a minute
HANGS = 120  # seconds after which a round is taken to hang
N_CASES = 500


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


def interrupted(call, seconds: float) -> bool:
    """Call, raise KeyboardInterrupt after some seconds; return whether it came out."""
    armed = True

    def strike(*_):
        if armed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, strike)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
            call()
        finally:
            armed = False
    except KeyboardInterrupt:
        return True
    except AttributeError as error:
        # scikit-learn's own, if it comes between two lines of its callbacks.
        if "_skl_callbacks_to_teardown" not in str(error):
            raise
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False


# --- what happens in a round -----------------------------------------------------


def look(model, X, y) -> str:
    """Fit, transform and score; return a digest of all that comes out."""
    fitted = clone(model).fit(X, y)
    return joblib.hash([fitted.transform(X), fitted.score(X, y), state(fitted)])


def fits(model, X, y):
    assert look(model, X, y) == look(model, X, y)


def interrupts(model, X, y):
    """Interrupt several calls in a row."""
    for method in random.choices(["fit", "transform", "partial_fit"], k=4):
        if not hasattr(model, "components_" if method == "transform" else method):
            method = "fit"
        arguments = [X] if method == "transform" else [X, y]
        done = deepcopy(model)
        start = time.perf_counter()
        getattr(done, method)(*arguments)
        seconds = random.uniform(0, 1.2) * (time.perf_counter() - start)
        before = state(model)
        call = partial(getattr(model, method), *arguments)
        COUNTS["interrupted"] += interrupted(call, seconds)
        now, after = state(model), state(done)
        torn = {name for name, _ in (now.items() ^ before.items())}
        torn &= {name for name, _ in (now.items() ^ after.items())}
        assert now in (before, after), (method, model, torn)


def forks(model, X, y):
    expected = look(model, X, y)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(HANGS // 2)
        try:
            os._exit(look(model, X, y) != expected)
        except BaseException:
            traceback.print_exc()
            os._exit(2)
    _, status = os.waitpid(child, 0)
    assert status == 0, status


ACTIONS = [fits, interrupts, interrupts, forks]
COUNTS: Counter = Counter()


# --- for as long as it takes -----------------------------------------------------


@settings(
    max_examples=N_CASES,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def draw_cases(found, data):
    """Add cases to a list. All come before the start: Hypothesis takes memory, too."""
    found.append(data.draw(cases(data.draw(among(CLASSES)))))


def run(found, minutes):
    """Act on random cases; return the memory after a minute and at the end."""
    start, first = time.monotonic(), None
    while (elapsed := time.monotonic() - start) < 60 * minutes:
        if first is None and elapsed > 60:
            first = resident()
        action, (model, _, X, y) = random.choice(ACTIONS), random.choice(found)
        faulthandler.dump_traceback_later(HANGS, exit=True)
        action(clone(model), X, y)
        faulthandler.cancel_dump_traceback_later()
        COUNTS[action.__name__] += 1
        gc.collect()  # what an interrupt has left in cycles
        wait_for_threads(0)
    return first, resident()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="more than one")
    minutes = parser.parse_args().minutes
    if minutes <= 1:
        parser.error("--minutes must be more than 1: memory is compared with that then")
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    warnings.simplefilter("ignore")  # few sweeps, no tokens, no names
    for compile_part in (single_site, variational, blocks, max_margin):
        compile_part()
    found: list = []
    draw_cases(found)
    gc.callbacks.clear()  # those of Hypothesis are interrupted, too
    first, last = run(found, minutes)
    print(f"{dict(COUNTS)}; MiB: {first / 2**20:.1f}, at the end {last / 2**20:.1f}")
    assert abs(last - first) <= TOLERANCE * first


if __name__ == "__main__":
    main()
