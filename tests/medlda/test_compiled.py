"""Supervised kernels as compiled: indices stay inside arrays, one signature each."""

import itertools
import json

import numpy as np
import pytest
from numba import njit

from sklda._core.problem import Problem
from sklda._medlda.kernels import label_factors
from sklda._medlda.losses import EpsilonInsensitive, Hinge
from tests.helpers.corpora import corpus_of
from tests.helpers.interpreter import run_python
from tests.helpers.mutants import Edit, interpreted, streams


@njit
def gain_of_move(new, old, gradient, half):
    return label_factors.gain_of_move(new, old, gradient, half)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 20, 33])
def test_sums_and_maxima_in_registers(n):
    rng = np.random.default_rng(n)
    new, old, gradient, half = rng.normal(size=(4, n)).astype(np.float32)
    moved = np.float64(new) - old
    expected = (moved * (gradient - half * moved)).sum()
    assert abs(gain_of_move(new, old, gradient, half) - expected) < 1e-5
    for k in range(n):
        new[k] = 9
        assert label_factors.highest(new) == 9
        new[k] = -9
    assert label_factors.highest(new) == -9


def sweep_everywhere(edits=()):
    """Sweep documents of all kinds by kernels that Python runs, with lanes of four.

    As in `tests/core/test_compiled.py`: Python checks every index and every vector.
    """
    loaded = interpreted("sklda._medlda.sampler", edits, lanes=4, compiled_draws=True)
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.5, (20, 12))
    counts[[0, 10, 19]] = 0
    counts[5, 3] = 200
    corpus, targets = corpus_of(counts), rng.choice([-1.0, 1.0], (20, 3))
    for n_topics in (1, 3, 4, 5, 10):  # below, at and above a register, and several
        problem = Problem(corpus, 12, np.full(n_topics, 0.3), 0.1)
        z = rng.integers(n_topics, size=counts.sum()).astype(np.uint16)
        for n_mh_steps, n_weight_steps in itertools.product((None, 2), (None, 2)):
            for loss, n_shards in ((Hinge(1.5), 1), (EpsilonInsensitive(1.5, 0.1), 3)):
                ways = 0.8, n_weight_steps, n_mh_steps, loss, targets, n_shards
                sampler, draws = loaded.module.MaxMargin(*ways), streams(1)
                state = sampler.from_topics(problem, z.copy())
                for _ in range(2):
                    state = sampler.sweep(problem, state, draws)


@pytest.mark.slow
def test_no_index_is_out_of_bounds():
    sweep_everywhere()


TOO_SMALL = {
    "weights of topics": Edit(
        "gibbs_sweep", "np.zeros(N + LANES, *Z)", "np.zeros(N, *Z)"
    ),
    "ends of documents": Edit(
        "token_proportions", "np.empty(N + 1, T)", "np.empty(N, T)"
    ),
}


@pytest.mark.parametrize("edit", TOO_SMALL.values(), ids=TOO_SMALL)
def test_arrays_that_are_too_small_are_noticed(edit):
    with pytest.raises((IndexError, ValueError, AssertionError)):
        sweep_everywhere([edit])


@pytest.mark.slow
def test_one_signature_for_each_kernel():
    code = """
    import importlib, json
    import numpy as np
    from numba.core.dispatcher import Dispatcher
    from scipy import sparse
    from sklda import MedLDAClassifier, MedLDARegressor

    dense = np.random.default_rng(0).poisson(0.5, (20, 9))
    y = np.arange(20) % 3
    csr = sparse.csr_array(dense)
    long = csr.copy()
    long.indices, long.indptr = (a.astype(np.int64) for a in (csr.indices, csr.indptr))
    for X in (dense, dense.astype(np.float32), np.asfortranarray(dense), csr, long):
        for sampler, steps in (("light", 2), ("gibbs", None)):
            params = dict(n_components=3, sampler=sampler, n_weight_steps=steps)
            params |= dict(max_iter=21, random_state=0)
            MedLDAClassifier(**params).fit(X, y).predict(X)
            MedLDAClassifier(**params, multi_class="ovr", n_jobs=2).fit(X, y)
            params |= dict(learn_priors="asymmetric", C=1, prior_precision=1)
            MedLDAClassifier(**params).fit(X, y > 0)
            MedLDAClassifier(**params).fit(X, np.eye(3, dtype=int)[y])
            MedLDARegressor(**params, epsilon=0).fit(X, y.astype(np.float32))
    found = {}
    names = "label_factors gibbs light proposals variates weights"
    for module in names.split():
        kernels = vars(importlib.import_module(f"sklda._medlda.kernels.{module}"))
        for name, value in kernels.items():
            if isinstance(value, Dispatcher):
                found[f"{module}.{name}"] = len(value.signatures)
                if sum(value.stats.cache_hits.values()):  # so Python has called it
                    kinds = {s.return_type for s in value.nopython_signatures}
                    assert not [kind for kind in kinds if "array" in str(kind)], name
    print(json.dumps(found))
    """
    found = json.loads(run_python(code, "-W", "error"))
    # One is inlined, and compiled apart for no token and for one. A kernel from the
    # cache brings no signatures of those that it calls.
    assert {name for name, n in found.items() if n > 1} <= {"gibbs.ratio_without"}
    called = ["gibbs.gibbs_sweep", "light.light_sweep"]
    names = ("fill_proportions", "resample_one_by_one", "add_factors")
    called += [f"weights.{name}" for name in names]
    assert [found[name] for name in called] == [1] * len(called)
