"""The pool of threads: results in order, errors, and Ctrl-C at any instant."""

import _thread
import multiprocessing

import pytest
from joblib import cpu_count, parallel_config
from joblib.parallel import SequentialBackend

from sklda._sampling.threads import Threads
from tests.helpers.processes import run_python, wait_for_threads


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 2, 40])
def test_results_come_in_order(n_jobs, n):
    with Threads(n_jobs) as threads:
        for _ in range(3):
            assert threads.map(pow, range(n), [2] * n) == [i**2 for i in range(n)]
    assert threads.map(abs, range(n)) == list(range(n))


def test_as_many_threads_as_are_needed(monkeypatch):
    before, started, start = _thread._count(), [], _thread.start_new_thread

    def counted(*arguments):
        started.append(arguments)
        return start(*arguments)

    monkeypatch.setattr(_thread, "start_new_thread", counted)
    with Threads(5) as threads:
        for n, n_started in [(1, 0), (2, 1), (3, 2), (9, 4), (2, 4)]:
            threads.map(abs, range(n))
            assert len(started) == n_started
    wait_for_threads(before)


@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, SystemExit])
def test_an_error_comes_out_and_the_rest_is_left(n_jobs, error):
    before, done = _thread._count(), []

    def work(i):
        if i == 2:
            raise error
        done.append(i)

    with pytest.raises(error), Threads(n_jobs) as threads:
        threads.map(work, range(10_000))
    assert len(done) < 10_000
    wait_for_threads(before)


def test_a_worker_of_a_pool_may_start_threads(monkeypatch):
    # It is a daemon, which may not start processes, so joblib's loky warns.
    process = multiprocessing.current_process()
    monkeypatch.setitem(process._config, "daemon", True)
    assert Threads(2).n == 2
    assert Threads(-1).n == cpu_count()
    with parallel_config("loky", n_jobs=3):
        assert [Threads(n).n for n in (None, 2)] == [3, 2]


def test_number_of_threads():
    assert [Threads(n).n for n in (None, 1, 3)] == [1, 1, 3]
    assert Threads(-2).n == max(cpu_count() - 1, 1)
    with parallel_config(n_jobs=2):
        assert [Threads(n).n for n in (None, 5)] == [2, 5]
    with parallel_config(SequentialBackend(nesting_level=2), n_jobs=2):  # nested deeply
        assert [Threads(n).n for n in (None, 5, -1)] == [1, 1, 1]


def test_an_interrupt_at_any_instruction_blocks_nobody():
    # Where it did, this process would wait for ever, or a thread would be left.
    #
    # This is why the pool is not one of `concurrent.futures`. There, of 2,000 signals
    # at random moments of fits with four threads, two became a RuntimeError ("cannot
    # release un-acquired lock"), and of 9,000 at random moments of `map`, two left
    # threads for ever. Of 2,000 signals to fits with this pool, none did either.
    code = """
    import faulthandler, itertools
    from sklda._sampling.threads import Threads
    from tests.helpers.processes import interrupted_at, wait_for_threads

    def share():
        with Threads(2) as threads:
            threads.map(abs, [1, 2, 3])

    for moment in itertools.count(1):
        faulthandler.dump_traceback_later(20, exit=True)
        came = interrupted_at(moment, share)
        wait_for_threads(0)
        if not came:
            break
    print("the last of", moment)
    """
    output = run_python(code).split()
    assert output[:-1] == ["the", "last", "of"]
    assert int(output[-1]) > 100  # the trace has seen the pool
