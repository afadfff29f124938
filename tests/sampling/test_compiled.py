"""Compiled kernels: indices stay inside arrays, one signature for each kernel."""

import json

import numpy as np
import pytest

from sklda._data.corpus import split_cells
from tests.helpers.corpora import corpus_of, random_corpus, tight_corpus
from tests.helpers.mutants import Edit
from tests.helpers.processes import run_python
from tests.sampling.test_kernels import KNOWN, sweep_often

LANES = 4


def sweep_everywhere(name, edits=()):
    """Sweep corpora of all kinds by kernels that Python runs, with lanes of four.

    Python checks every index and every vector that is loaded or stored; compiled
    kernels are the same code, see `test_kernels`.
    """
    sampler, _ = KNOWN[name].plain(edits, lanes=LANES, compiled_draws=True)
    tight, alone = tight_corpus(LANES), corpus_of(np.diag([2, 3, 4]))
    for n_topics in (1, 3, 4, 5, 10):  # below, at and above a register, and several
        sweep_often(sampler, tight, 5, np.full(n_topics, 1e3), 10, n_sweeps=3)
        corpus = random_corpus(n_topics, 12, 9, mean=2)
        for most, prior in ((1, 1e-4), (3, 0.1), (1000, 10)):
            cells, alpha = split_cells(corpus, most), np.full(n_topics, prior)
            sweep_often(sampler, cells, 9, alpha, prior, n_sweeps=3)
    # Without a block nothing is left.
    sweep_often(sampler, alone, 3, np.full(2, 1e-10), 0.5, n_sweeps=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
def test_no_index_is_out_of_bounds(name):
    sweep_everywhere(name)


TOO_SMALL = {
    "groups": Edit(
        "lists.sweep_groups", "new_document(T, N + LANES)", "new_document(T, N)"
    ),
    "lists": Edit("empty_lists", "padded(*Z)", "padded(*Z) - LANES"),
}


@pytest.mark.parametrize("name", TOO_SMALL)
def test_arrays_that_are_too_small_are_noticed(name):
    with pytest.raises((IndexError, ValueError, AssertionError)):
        sweep_everywhere(name, [TOO_SMALL[name]])


FITS = """
import importlib, json, pkgutil
from itertools import product
import numpy as np
from numba.core.dispatcher import Dispatcher
from sklearn.base import clone
import sklda
from sklda import CVBLDA, CollapsedGibbsLDA
from sklda._gibbs.kernels import single_site_registers
from tests.helpers.forms import FORMS
from tests.helpers.from_python import is_step
from tests.test_repeated_fits import FITS

values = np.random.default_rng(0).poisson(0.5, (20, 9))
values[0, :3] = 3, 5, 9  # blocks of all kinds
kinds = "int64", "bool", "float64", "float32"
kinds = ["read-only array", "array, Fortran order", *("array " + k for k in kinds)]
kinds += ["csr_array int64", "64-bit indices", "csc_array float64"]
kinds = [FORMS[kind](values) for kind in kinds]
defaults = dict(n_components=3, max_iter=21, random_state=0)
integers = defaults | dict(n_components=161, topic_word_prior=1, doc_topic_prior=2)
integers |= dict(C=1, prior_precision=1, epsilon=0, evaluate_every=5)
for (model, y), X, params in product(FITS.values(), kinds, (defaults, integers)):
    params = {k: v for k, v in params.items() if k in model.get_params()}
    model = clone(model).set_params(**params)
    model.fit(X, None if y is None else y[:20])
    model.score(X) if y is None else model.predict(X)
    if isinstance(model, CVBLDA):
        model.partial_fit(X)
CollapsedGibbsLDA(3, init=np.ones((3, 9)), learn_priors=None).fit(values)
for name in ("gaussian", "zero-order"):
    CVBLDA(3, approximation=name, tol=0, evaluate_every=5).fit(values * 0.3)
kernels = {"sweep of registers": single_site_registers._new_sweep(1)}
for info in pkgutil.walk_packages(sklda.__path__, "sklda."):
    module = importlib.import_module(info.name)
    for name, value in vars(module).items():
        is_own = getattr(value, "__module__", None) == info.name
        if isinstance(value, Dispatcher) and is_own and not is_step(value):
            kernels[f"{info.name}.{name}"] = value
found, returned, compiled = {}, {}, 0
for name, kernel in kernels.items():
    found[name] = len(kernel.signatures)
    returned[name] = [str(s.return_type) for s in kernel.nopython_signatures]
    compiled += sum(kernel.stats.cache_misses.values())
print(json.dumps([compiled, found, returned]))
"""
# Of kernels that the fits above do not call.
OTHERS = (
    "dask",
    "_dmr",
    "hierarchical",
    "left_to_right",
    "_draw_by_word",
    "_take_logs",
)


@pytest.mark.slow
def test_one_signature_for_each_kernel():
    pytest.importorskip("distributed")  # modules of the extra have kernels, too
    # Each further one costs seconds to compile. Kernels that come from the cache bring
    # no signatures of those that they call: what compiled anything is run once more.
    strict = ["-W", "error"]
    known = "n_jobs=2 does not make fit faster", "The topic proportions of", "max_iter="
    for words in known:
        strict += ["-W", f"ignore:{words}:UserWarning"]
    compiled, found, returned = json.loads(run_python(FITS, *strict))
    if compiled:
        compiled, found, returned = json.loads(run_python(FITS, *strict))
    assert not compiled
    # Numba wraps arrays for Python by code of Python. Ctrl-C that waits for the end of
    # the kernel would come there, and be a SystemError.
    assert not {name: s for name, s in returned.items() if "array" in str(s)}
    expected = {name for name in found if not any(other in name for other in OTHERS)}
    assert {n: found[n] for n in expected} == dict.fromkeys(expected, 1)
    assert max(found.values()) == 1


@pytest.mark.slow
def test_large_blocks_leave_memory_as_it_is():
    # A tuple of arrays of a list owns nothing: code that counts references to what it
    # is given would free the arrays of the sampler, and Python would crash.
    code = """
    import gc
    import numpy as np
    from tests.sampling.test_kernels import KNOWN, sweep_often
    from tests.helpers.corpora import corpus_of

    corpus = corpus_of(np.random.default_rng(0).integers(0, 7, (30, 12)))
    for name in ("nested", "backward"):
        sampler, alpha = KNOWN[name].compiled(), np.full(40, 0.2)
        for seed in range(5):
            sweep_often(sampler, corpus, 12, alpha, 0.1, seed, n_sweeps=60)
            gc.collect()
    print("sound")
    """
    assert run_python(code, "-W", "error") == "sound"
