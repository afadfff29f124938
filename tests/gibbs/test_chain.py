"""The chain beneath the estimators: what happens when, and what is averaged."""

import itertools

import numpy as np
import pytest

from sklda._gibbs.collapsed import chain as _sampling
from sklda._gibbs.uncollapsed_sampler import AugmentedChain
from sklda._gibbs.kernels import single_site_rows as single_site_dense
from sklda._gibbs.kernels import single_site_lists as single_site_sparse
from sklda._gibbs.kernels import uncollapsed
from sklda._core.problem import Corpus
from sklda._gibbs.chain import Chain, Schedule, run

# Three documents, the second without tokens; word 3 never occurs.
CORPUS = Corpus(
    doc_ptr=np.array([0, 3, 3, 5], np.int64),
    word=np.array([0, 1, 4, 1, 2], np.int32),
    token_ptr=np.array([0, 2, 3, 7, 8, 11], np.int64),
)
DOCS = np.repeat([0, 2], [7, 4])
WORDS = np.repeat(CORPUS.word, np.diff(CORPUS.token_ptr))
N_DOCS, N_WORDS = 3, 5


def start(kernel):
    alpha, seed = np.array([0.3, 0.9, 0.5]), np.random.SeedSequence(4)
    if kernel is uncollapsed:
        return AugmentedChain(CORPUS, N_WORDS, alpha, 0.2, seed, n_jobs=2)
    return Chain(kernel, CORPUS, N_WORDS, alpha, 0.2, seed)


@pytest.fixture(params=[single_site_dense, single_site_sparse, uncollapsed])
def chain(request):
    return start(request.param)


def averages(snapshots, alpha, beta):
    """Return the means over assignments of n_kw + beta and of theta."""
    components = np.zeros((alpha.size, N_WORDS))
    theta = np.zeros((N_DOCS, alpha.size))
    for z in snapshots:
        n_kw, n_dk = np.zeros_like(components), np.zeros_like(theta)
        np.add.at(n_kw, (z, WORDS), 1)
        np.add.at(n_dk, (DOCS, z), 1)
        components += (n_kw + beta) / len(snapshots)
        theta += (n_dk + alpha) / (n_dk + alpha).sum(1, keepdims=True) / len(snapshots)
    return components, theta


def record(chain, schedule, stop_at=None):
    """Run the chain; return z after each sweep, and its number of samples then."""
    snapshots, kept = [], []

    def after_sweep(chain):
        snapshots.append(chain.state.z.copy())
        kept.append(chain.n_kept)
        return chain.n_sweeps == stop_at

    run(chain, schedule, after_sweep)
    return snapshots, kept


# --- what happens when -----------------------------------------------------------


def kept_sweeps(max_iter, burn_in, thin):
    """Restate: the last one and every thin-th before it, not into burn-in."""
    kept, sweep = set(), max_iter
    while sweep > burn_in:
        kept.add(sweep)
        sweep -= thin
    return kept


@pytest.mark.parametrize("max_iter", [1, 2, 9, 10, 11, 30])
def test_schedule(max_iter):
    sweeps = range(1, max_iter + 1)
    for burn_in, thin in itertools.product(range(max_iter), (1, 2, 3, 7, 10, 50)):
        schedule = Schedule(max_iter, burn_in, thin, thin, "symmetric")
        kept = {s for s in sweeps if schedule.keeps(s)}
        assert kept == kept_sweeps(max_iter, burn_in, thin)
        assert max_iter in kept
        learned = [s for s in sweeps if schedule.learns(s)]
        assert learned == list(range(10, burn_in + 1, 10))
        assert not kept.intersection(learned)  # all samples have the same priors
        evaluated = [s for s in sweeps if schedule.evaluates(s)]
        assert evaluated == list(range(thin, max_iter + 1, thin))


def test_schedule_that_neither_learns_nor_evaluates():
    schedule = Schedule(100, 50, 10, 0, None)
    assert not any(schedule.learns(s) or schedule.evaluates(s) for s in range(1, 101))


@pytest.mark.parametrize("learn_priors", [None, "symmetric", "asymmetric"])
def test_run_follows_the_schedule(chain, learn_priors):
    priors = []
    schedule = Schedule(33, 25, 4, 5, learn_priors)

    def after_sweep(chain):
        priors.append((chain.doc_topic_prior.tolist(), chain.topic_word_prior))

    run(chain, schedule, after_sweep)
    assert chain.n_sweeps == len(priors) == 33
    assert chain.log_joint_sweeps == [5, 10, 15, 20, 25, 30]
    assert len(chain.log_joint) == 6
    assert chain.n_kept == 2
    changes = [s for s in range(2, 34) if priors[s - 1] != priors[s - 2]]
    assert changes == ([] if learn_priors is None else [10, 20])


# --- what is averaged ------------------------------------------------------------


@pytest.mark.parametrize(("burn_in", "thin"), [(0, 1), (3, 4), (19, 10), (5, 100)])
def test_averages_are_those_of_the_kept_samples(chain, burn_in, thin):
    snapshots, kept = record(chain, Schedule(20, burn_in, thin, 0, None))
    sweeps = sorted(kept_sweeps(20, burn_in, thin))
    assert kept == [sum(s <= sweep for s in sweeps) for sweep in range(1, 21)]
    samples = [snapshots[s - 1] for s in sweeps]
    components, theta = averages(samples, chain.doc_topic_prior, chain.topic_word_prior)
    found = chain.finish()
    np.testing.assert_allclose(found[0], components, rtol=1e-12)
    np.testing.assert_allclose(found[1], theta, rtol=1e-12)


@pytest.mark.parametrize("stop_at", [1, 9, 12, 14, 15, 20])
def test_a_chain_that_is_stopped_keeps_its_last_sample(chain, stop_at):
    # The schedule keeps 12, 16 and 20.
    snapshots, _ = record(chain, Schedule(20, 10, 4, 0, None), stop_at)
    sweeps = sorted({s for s in (12, 16, 20) if s <= stop_at} | {stop_at})
    assert chain.n_sweeps == stop_at
    assert chain.n_kept == len(sweeps)
    samples = [snapshots[s - 1] for s in sweeps]
    components, theta = averages(samples, chain.doc_topic_prior, chain.topic_word_prior)
    found = chain.finish()
    np.testing.assert_allclose(found[0], components, rtol=1e-12)
    np.testing.assert_allclose(found[1], theta, rtol=1e-12)


def test_a_glimpse_is_the_chain_stopped_there(chain):
    glimpses = {}

    def after_sweep(chain):
        glimpses[chain.n_sweeps] = chain.glimpse()

    schedule = Schedule(9, 4, 2, 0, None)
    run(chain, schedule, after_sweep)
    for sweep, glimpse in glimpses.items():
        again = start(chain.kernel)
        record(again, schedule, sweep)
        np.testing.assert_array_equal(glimpse.state.z, again.state.z)
        for seen, expected in zip(glimpse.finish(), again.finish(), strict=True):
            np.testing.assert_array_equal(seen, expected)
    assert chain.n_kept == 3  # looking adds no sample


def test_the_samplers_have_one_interface(chain):
    counts = chain.kernel.read_counts(chain.state)
    expected = np.zeros((N_WORDS, 16), np.int32)
    np.add.at(expected, (WORDS, chain.state.z), 1)
    np.testing.assert_array_equal(counts.word_topic, expected)
    np.testing.assert_array_equal(counts.topic, expected.sum(0))


@pytest.mark.parametrize("rows", [1, 3, 10, 11])
def test_histogram(rows):
    table = np.random.default_rng(0).poisson(2, (10, 4)).astype(np.int32)
    expected = np.bincount(table.ravel())
    np.testing.assert_array_equal(_sampling._histogram(table, rows), expected)
    assert _sampling._histogram(table[:0], rows).tolist() == [0]
