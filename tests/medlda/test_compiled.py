"""Supervised kernels as compiled: indices stay inside arrays, one signature each."""

import json

import pytest

from tests.helpers.interpreter import run_python


@pytest.mark.slow
def test_no_index_is_out_of_bounds(tmp_path):
    # With little optimisation it is sooner compiled, and checks the same.
    code = """
    import numpy as np
    from sklda import MedLDAClassifier, MedLDARegressor

    rng = np.random.default_rng(0)
    X, y = rng.poisson(0.5, (60, 40)), rng.integers(3, size=60)
    X[[0, 30, 59]] = 0
    X[5, 3] = 500
    for n_topics in (1, 2, 16, 150):
        params = dict(n_components=n_topics, max_iter=3, random_state=0)
        for sampler, steps in (("light", 2), ("gibbs", None)):
            params |= dict(sampler=sampler, C=3, n_weight_steps=steps)
            MedLDAClassifier(**params).fit(X, y)
            MedLDARegressor(**params).fit(X, y)
    print("ok")
    """
    environment = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path)
    assert run_python(code, "-W", "error", **environment) == "ok"


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
    for module in ("label_factors", "gibbs", "light", "proposals", "weights"):
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
    called = ["gibbs.sweep", "light.sweep"]
    names = ("fill_proportions", "resample_one_by_one", "add_precision")
    called += [f"weights.{name}" for name in names]
    assert [found[name] for name in called] == [1] * len(called)
