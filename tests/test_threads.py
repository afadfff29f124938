"""Threads of a user that share estimators and a matrix get what one thread gets."""

import pytest

from tests.helpers.processes import run_python

NOT_CONVERGED = "-W", "ignore:After max_iter=:UserWarning"
# In a process of its own, where kernels are called for the first time, by two threads
# each. A result is compared with that of the same work by a single thread afterwards.
BEGIN = """
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
from sklearn.base import clone

from sklda import CollapsedGibbsLDA, CVBLDA, ECGSLDA, MedLDAClassifier
from sklda.datasets import make_bars

N_THREADS = 8
X, _, _ = make_bars(40, random_state=0)
X.indices, X.data = X.indices[::-1].copy(), X.data[::-1].copy()
X.indptr = (X.nnz - X.indptr[::-1]).astype(X.indptr.dtype)
X.has_sorted_indices = False
before = X.copy()
labels = np.arange(X.shape[0]) % 3


def at_once(work):
    barrier = Barrier(N_THREADS)

    def begin(i):
        barrier.wait()
        return work(i)

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(begin, range(N_THREADS)))


def assert_same(found, expected):
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(a, b, err_msg=f"thread {i}")
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, name), getattr(before, name))
"""
FIRST_CALLS = """
CLASSES = CollapsedGibbsLDA, ECGSLDA, CVBLDA, MedLDAClassifier


def work(i):
    model = CLASSES[i % 4](5, max_iter=4, random_state=i).fit(X, labels)
    return model.transform(X)


assert_same(at_once(work), [work(i) for i in range(N_THREADS)])
"""
ONE_ESTIMATOR = """
shared = {model}(5, max_iter=20, random_state=0).fit(X, labels)
TASKS = [
    lambda: shared.fit(X, labels).components_,
    lambda: shared.transform(X),
    lambda: shared.score(X, labels),
    lambda: shared.topic_word_,
    lambda: shared.components_,
    lambda: clone(shared).fit(X, labels).components_,
    lambda: pickle.loads(pickle.dumps(shared)).components_,
    lambda: shared.doc_topic_,
]


def work(i):
    return [TASKS[(i + turn) % len(TASKS)]() for turn in range(2 * len(TASKS))]


expected = [task() for task in TASKS]
for i, results in enumerate(at_once(work)):
    assert_same(results, [expected[(i + turn) % 8] for turn in range(16)])
"""


@pytest.mark.slow
def test_first_calls_at_the_same_moment():
    run_python(BEGIN + FIRST_CALLS, *NOT_CONVERGED)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["CollapsedGibbsLDA", "CVBLDA", "MedLDAClassifier"])
def test_threads_share_an_estimator(model):
    run_python(BEGIN + ONE_ESTIMATOR.format(model=model), *NOT_CONVERGED)
