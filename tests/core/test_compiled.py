"""What Numba compiles: indices stay inside arrays, one signature for each kernel."""

import json

import pytest

from tests.core.test_kernels import NAMES
from tests.helpers.interpreter import run_python


@pytest.mark.slow
def test_no_index_is_out_of_bounds(tmp_path):
    # Numba checks only what it compiles with NUMBA_BOUNDSCHECK, so into a new cache;
    # with little optimisation that is sooner done, and checks the same.
    code = """
    import numba
    import numpy as np
    from tests.helpers.enumeration import faults
    from sklda._gibbs.uncollapsed_sampler import AugmentedChain
    from sklda._core.corpus import cut_cells
    from sklda._ecgs.kernels import lists as grouped_sparse
    from sklda._gibbs.chain import Chain
    from sklda._ecgs.sampler import GroupedChain
    from tests.core.test_kernels import (
        KERNELS, itertools, random_corpus, sweep_often, tight_corpus, words_of
    )

    try:
        numba.njit(lambda a: a[a.size])(np.zeros(3))
    except IndexError:
        print("indices are checked")
    for seed, (n_topics, n_words, alpha, beta) in enumerate(
        [(1, 1, 0.1, 0.1), (2, 90, 1e-4, 1e-4), (100, 90, 0.5, 0.01), (16, 9, 10, 1e-8)]
    ):
        corpus = random_corpus(seed, 60, n_words, mean=2)
        for kernel, most in itertools.product(KERNELS, (1, 3, 1000)):
            sweep_often(
                kernel, cut_cells(corpus, most), n_words, n_topics, alpha, beta
            )
        alpha, seed = np.full(n_topics, alpha), np.random.SeedSequence(seed)
        start = (corpus, n_words, alpha, beta, seed)
        chains = [AugmentedChain(*start, 2)]
        chains += [Chain(kernel, *start, 3) for kernel in KERNELS]
        chains += [GroupedChain(grouped_sparse, 1, *start, n) for n in (1, 3)]
        for chain, _ in itertools.product(chains, range(20)):
            chain.sweep()
            assert not faults(chain.state, words_of(corpus), n_topics)
    for kernel, n_topics in itertools.product(KERNELS, (15, 16, 17, 40)):
        sweep_often(kernel, tight_corpus(), 9, n_topics, 1e3, 10)
    """
    environment = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "1"}
    environment["NUMBA_CACHE_DIR"] = str(tmp_path)
    output = run_python(code, "-W", "error", **environment)
    assert output == "indices are checked"


@pytest.mark.slow
def test_one_signature_for_each_kernel():
    # Each further one costs seconds to compile. Kernels that come from the cache bring
    # no signatures of those that they call: what compiled anything is run once more.
    code = """
    import importlib, json, pkgutil
    import numpy as np
    from numba.core.dispatcher import Dispatcher
    from scipy import sparse
    import sklda._kernels as kernels
    from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA, UncollapsedGibbsLDA

    dense = np.random.default_rng(0).poisson(0.5, (20, 9))
    csr = sparse.csr_array(dense)
    long = csr.copy()
    long.indices, long.indptr = (a.astype(np.int64) for a in (csr.indices, csr.indptr))
    frozen = dense.astype(np.int32)
    frozen.flags.writeable = False
    fortran = np.asfortranarray(dense)
    kinds = [dense, frozen, fortran, dense > 0, dense * 1.0, csr, long, csr.tocsc()]
    for X in [*kinds, dense.astype(np.float32), csr.astype(np.float32), dense[::2]]:
        for n_topics in (3, 161):
            params = dict(n_components=n_topics, max_iter=21, random_state=0)
            CollapsedGibbsLDA(**params).fit(X).score(X)
            UncollapsedGibbsLDA(**params).fit(X)
            params |= dict(topic_word_prior=1, doc_topic_prior=np.full(n_topics, 2))
            params |= dict(learn_priors="asymmetric", n_jobs=2)
            CollapsedGibbsLDA(**params).fit(X).transform(X)
            UncollapsedGibbsLDA(**params).fit(X)
            CollapsedGibbsLDA(blocking="nested", **params).fit(X)
            other = dict(blocking="backward", max_block_size=None)
            CollapsedGibbsLDA(**params, **other).fit(X)
            for n_shards in (1, 3):
                params |= dict(n_shards=n_shards)
                for other in ({}, {"blocking": "nested"}, {"blocking": "backward"}):
                    CollapsedGibbsLDA(**params, **other).fit(X)
                for strategy in ("standard", "shortcut", "dynamic"):
                    ECGSLDA(strategy=strategy, **params).fit(X)
    for X in [*kinds, dense * 0.3, dense.astype(np.float32), csr * 0.3]:
        for name in ("gaussian", "zero-order"):
            params = dict(approximation=name, tol=0, max_iter=11, evaluate_every=5)
            CVBLDA(3, **params).fit(X).partial_fit(X).score(X)
            params |= dict(learn_priors="symmetric", n_shards=2)
            CVBLDA(3, doc_topic_prior=1, **params).fit(X)
    for X in kinds:
        CVBLDA(2, approximation="exact", tol=0, max_iter=2, evaluate_every=1).fit(X)
    found, compiled = {}, 0
    for info in pkgutil.iter_modules(kernels.__path__):
        module = importlib.import_module(f"sklda._kernels.{info.name}")
        for name, value in vars(module).items():
            if isinstance(value, Dispatcher):
                found[f"{info.name}.{name}"] = [str(s) for s in value.signatures]
                compiled += sum(value.stats.cache_misses.values())
    print(json.dumps([compiled, found]))
    """
    compiled, found = json.loads(run_python(code, "-W", "error"))
    if compiled:
        compiled, found = json.loads(run_python(code, "-W", "error"))
    assert not compiled
    # The redraw of a group is compiled apart for groups of one token: with a constant 1
    # it is as fast as in the single-site sampler.
    assert not [name for name, s in found.items() if len(s) > 2]
    twice = [name for name, s in found.items() if len(s) == 2]
    assert {name.split(".")[1] for name in twice} <= {"redraw"}
    swept = (*NAMES[:2], *NAMES[4:], "blocks")
    called = [f"{name}.sweep" for name in swept] + ["start.draw", "lists.merge"]
    called += ["dynamic.draw", "dynamic._add"]
    called += [f"uncollapsed.{name}" for name in ("scale", "draw_topics", "count")]
    called += ["fold_in.fold_in", "fold_in.log_predictive"]
    called += ["tally.add_doc_topic", "tally.doc_topic_cells"]
    assert [len(found[name]) for name in called] == [1] * len(called)
