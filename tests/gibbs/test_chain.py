"""The chain beneath the estimators: what happens when, and what is averaged."""

import numpy as np
import pytest

from sklda._base.schedule import Schedule
from sklda._core.problem import Corpus, Problem
from sklda._gibbs import chain as chain_module
from sklda._gibbs.chain import Chain
from sklda._gibbs.run import run
from tests.base.test_schedule import kept_sweeps
from tests.helpers.mutants import streams
from tests.helpers.samplers import SAMPLERS

# Three documents, the second without tokens; word 3 never occurs.
CORPUS = Corpus(
    doc_ptr=np.array([0, 3, 3, 5], np.int64),
    word=np.array([0, 1, 4, 1, 2], np.int32),
    token_ptr=np.array([0, 2, 3, 7, 8, 11], np.int64),
)
DOCS = np.repeat([0, 2], [7, 4])
WORDS = np.repeat(CORPUS.word, np.diff(CORPUS.token_ptr))
N_DOCS, N_WORDS = 3, 5


def start(name):
    problem = Problem(CORPUS, N_WORDS, np.array([0.3, 0.9, 0.5]), 0.2)
    return Chain(SAMPLERS[name].compiled(), problem, streams(4))


@pytest.fixture(params=["rows", "lists", "partially collapsed", "uncollapsed"])
def name(request):
    return request.param


@pytest.fixture
def chain(name):
    return start(name)


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


def assert_averages(chain, samples):
    problem = chain.problem
    expected = averages(samples, problem.doc_topic_prior, problem.topic_word_prior)
    for found, means in zip(chain.finish(), expected, strict=True):
        np.testing.assert_allclose(found, means, rtol=1e-12)


def record(chain, schedule, stop_at=None):
    """Run the chain; return z after each sweep, and its number of samples then."""
    snapshots, kept = [], []
    for sweep in run(chain, schedule):
        snapshots.append(chain.z.copy())
        kept.append(chain.averages.n_kept)
        if sweep == stop_at:
            chain.keep()
            break
    return snapshots, kept


# --- what happens when -----------------------------------------------------------


@pytest.mark.parametrize("learn_priors", [None, "symmetric", "asymmetric"])
def test_run_follows_the_schedule(chain, learn_priors):
    priors = []
    schedule = Schedule(33, 25, 4, 5, learn_priors)

    for sweep in run(chain, schedule):
        assert sweep == chain.n_sweeps
        problem = chain.problem
        priors.append((problem.doc_topic_prior.tolist(), problem.topic_word_prior))
    assert chain.n_sweeps == len(priors) == 33
    assert chain.log_joint_sweeps == [5, 10, 15, 20, 25, 30]
    assert len(chain.log_joint) == 6
    assert chain.averages.n_kept == 2
    changes = [s for s in range(2, 34) if priors[s - 1] != priors[s - 2]]
    assert changes == ([] if learn_priors is None else [10, 20])


# --- what is averaged ------------------------------------------------------------


@pytest.mark.parametrize(("burn_in", "thin"), [(0, 1), (3, 4), (19, 10), (5, 100)])
def test_averages_are_those_of_the_kept_samples(chain, burn_in, thin):
    snapshots, kept = record(chain, Schedule(20, burn_in, thin, 0, None))
    sweeps = sorted(kept_sweeps(20, burn_in, thin))
    assert kept == [sum(s <= sweep for s in sweeps) for sweep in range(1, 21)]
    samples = [snapshots[s - 1] for s in sweeps]
    assert_averages(chain, samples)


@pytest.mark.parametrize("stop_at", [1, 9, 12, 14, 15, 20])
def test_a_chain_that_is_stopped_keeps_its_last_sample(chain, stop_at):
    # The schedule keeps 12, 16 and 20.
    snapshots, _ = record(chain, Schedule(20, 10, 4, 0, None), stop_at)
    sweeps = sorted({s for s in (12, 16, 20) if s <= stop_at} | {stop_at})
    assert chain.n_sweeps == stop_at
    assert chain.averages.n_kept == len(sweeps)
    samples = [snapshots[s - 1] for s in sweeps]
    assert_averages(chain, samples)


def test_a_snapshot_is_the_chain_stopped_there(name, chain):
    schedule = Schedule(9, 4, 2, 0, None)
    snapshots = {sweep: chain.snapshot() for sweep in run(chain, schedule)}
    for sweep, snapshot in snapshots.items():
        again = start(name)
        record(again, schedule, sweep)
        np.testing.assert_array_equal(snapshot.z, again.z)
        for seen, expected in zip(snapshot.finish(), again.finish(), strict=True):
            np.testing.assert_array_equal(seen, expected)
    assert chain.averages.n_kept == 3  # a snapshot adds no sample to the chain


@pytest.mark.parametrize("rows", [1, 3, 10, 11])
def test_histogram(rows):
    table = np.random.default_rng(0).poisson(2, (10, 4)).astype(np.int32)
    expected = np.bincount(table.ravel())
    np.testing.assert_array_equal(chain_module._histogram(table, rows), expected)
    assert chain_module._histogram(table[:0], rows).tolist() == [0]
