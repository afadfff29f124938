"""Fits: what verbose ones print, that they repeat, and that Ctrl-C undoes them."""

import itertools
import re
from copy import deepcopy
from functools import partial

import joblib
import numpy as np
import pytest

from sklda import CVBLDA, CollapsedGibbsLDA, MedLDAClassifier, MedLDARegressor
from sklda._estimators.base import BaseLDA
from sklda.inspection import pyldavis_data
from tests.helpers.comparison import assert_progress, assert_same_fit
from tests.helpers.processes import interrupted_at, run_python
from tests.helpers.selection import fast_and_slow
from tests.helpers.small_fits import X, fit, make

# What is printed


def test_one_line_per_evaluation(capsys):
    model = make(verbose=1, evaluate_every=3).fit(X)
    out, err = capsys.readouterr()
    assert err == ""
    expected = "CollapsedGibbsLDA", "log joint", [3, 6, 9], 10
    assert_progress(out.splitlines(), *expected, model.log_joint_ / X.sum())
    cvb = CVBLDA(4, max_iter=15, tol=0, verbose=1, evaluate_every=5).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert_progress(lines, "CVBLDA", "bound", [5, 10, 15], 15, cvb.bound_)


@pytest.mark.parametrize(("verbose", "evaluate_every"), [(0, 1), (1, 11)])
def test_silence(capsys, verbose, evaluate_every):
    make(verbose=verbose, evaluate_every=evaluate_every).fit(X)
    assert capsys.readouterr() == ("", "")


def test_lines_are_logged_where_they_are_handled(capsys, caplog):
    for level, n_logged in (("WARNING", 0), ("INFO", 3)):
        with caplog.at_level(level, "sklda"):
            make(verbose=1, evaluate_every=3).fit(X)
        lines = [record.getMessage() for record in caplog.records]
        assert len(lines) == n_logged
        assert len(capsys.readouterr().out.splitlines()) == 3 - n_logged
    assert lines[0].startswith("[CollapsedGibbsLDA] sweep 3/10, ")


@pytest.mark.parametrize("model", [CVBLDA(4, tol=0), CollapsedGibbsLDA(4)])
def test_lines_without_a_trace(capsys, model):
    model.set_params(evaluate_every=0, max_iter=20, verbose=1).fit(X)
    printed = capsys.readouterr().out.splitlines()
    lines = [line for line in printed if "sweep" in line]  # not of compilation
    assert len(lines) == 2
    for line, sweep in zip(lines, (10, 20), strict=True):
        speed = rf"sweep {sweep}/20, \d+\.\d M tokens/s"
        assert re.fullmatch(rf"\[\w+LDA\] {speed}", line), line


# Randomness


def test_seeds():
    assert_same_fit(fit(), fit(random_state=np.random.RandomState(0)))
    for random_state in (np.random.RandomState(0), None):
        model = make(random_state=random_state)
        first, second = (model.fit(X).topic_assignments_ for _ in range(2))
        assert (first != second).any()


def test_global_generator_is_left_alone():
    np.random.seed(3)  # noqa: NPY002
    expected = np.random.random()  # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    fit().transform(X)
    assert np.random.random() == expected  # noqa: NPY002


def predicted_words(model, X):
    data = pyldavis_data(model, X, [f"word {w}" for w in range(30)])
    return data["doc_topic_dists"] @ data["topic_term_dists"]


@pytest.mark.parametrize("cls", [CollapsedGibbsLDA, CVBLDA])
@pytest.mark.parametrize(
    "answer", [BaseLDA.transform, BaseLDA.score, BaseLDA.perplexity, predicted_words]
)
def test_a_refit_meanwhile_does_not_change_the_answer(cls, answer):
    model = cls(4, evaluate_every=0, random_state=0).fit(X)
    expected = answer(model, X)

    class Documents:
        def __array__(self, dtype=None, copy=None):
            model.set_params(n_components=2).fit(X[:9, :20])
            return X.toarray()

    np.testing.assert_array_equal(answer(model, Documents()), expected)
    assert model.components_.shape == (2, 20)


# Ctrl-C


# Where attributes are set.
FIT = {"_fit_chain", "fit", "_end", "fitting"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("model", "methods"),
    fast_and_slow(
        [(CollapsedGibbsLDA, ["fit", "fit"]), (CVBLDA, ["fit", "partial_fit"])],
        [
            (CollapsedGibbsLDA, ["fit"]),
            (CVBLDA, ["partial_fit", "fit"]),
            (MedLDAClassifier, ["fit"]),
            (MedLDAClassifier, ["fit", "fit"]),
            (MedLDARegressor, ["fit", "fit"]),
        ],
    ),
)
def test_no_instant_leaves_parts_of_two_fits(model, methods):
    y = np.arange(40) % 2
    model = model(3, max_iter=1, random_state=0)
    *first, last = methods
    for method in first:
        getattr(model, method)(X[:9, :12], y[:9])
    arguments = (X[:9, :12], y[:9]) if last == "partial_fit" else (X, y)
    done = deepcopy(model)
    getattr(done, last)(*arguments)
    allowed = [joblib.hash(vars(model)), joblib.hash(vars(done))]
    for moment in itertools.count(1):
        again = deepcopy(model)
        call = partial(getattr(again, last), *arguments)
        if not interrupted_at(moment, call, {last, *FIT}):
            break
        assert joblib.hash(vars(again)) in allowed, moment
    assert moment > 100  # the trace has seen a fit


WORST = """
import os, signal, threading, time
import numpy as np
from sklda import CollapsedGibbsLDA

signal.signal(signal.SIGINT, signal.default_int_handler)
model = CollapsedGibbsLDA(
    1000, blocking="BLOCKING", max_block_size=SIZE, evaluate_every=0, random_state=0
)
model.set_params(max_iter=1).fit([[1, 5]])  # load the kernels

sent = []
def send():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.3, send).start()
try:
    model.set_params(max_iter=1000).fit(np.full((3, 1), 200_000))
except KeyboardInterrupt:
    print(time.perf_counter() - sent[0])
"""


@pytest.mark.slow
@pytest.mark.parametrize("blocking", ["nested", "backward"])
@pytest.mark.parametrize("size", [None, 10**6])
def test_ctrl_c_is_heard_within_two_seconds(blocking, size):
    script = WORST.replace("BLOCKING", blocking).replace("SIZE", repr(size))
    assert float(run_python(script)) < 2
