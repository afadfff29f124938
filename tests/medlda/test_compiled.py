"""Supervised kernels: indices stay inside arrays; sums in registers."""

import itertools

import numpy as np
import pytest
from numba import njit

from sklda._medlda.kernels import labels
from sklda._medlda.sampler import EpsilonInsensitive, Hinge
from sklda._sampling.problem import Problem
from tests.helpers.corpora import corpus_of
from tests.helpers.from_python import from_python
from tests.helpers.mutants import Edit, interpreted, streams


@njit
def gain_of_move(new, old, gradient, half):
    return labels.gain_of_move(new, old, gradient, half)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 20, 33])
def test_sums_and_maxima_in_registers(n):
    rng = np.random.default_rng(n)
    new, old, gradient, half = rng.normal(size=(4, n)).astype(np.float32)
    moved = np.float64(new) - old
    expected = (moved * (gradient - half * moved)).sum()
    assert abs(gain_of_move(new, old, gradient, half) - expected) < 1e-5
    for k in range(n):
        new[k] = 9
        assert from_python(labels.highest)(new) == 9
        new[k] = -9
    assert from_python(labels.highest)(new) == -9


def sweep_everywhere(edits=()):
    """Sweep documents of all kinds by kernels that Python runs, with lanes of four.

    As in `tests/sampling/test_compiled.py`: Python checks every index and every vector.
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
                arguments = 0.8, n_weight_steps, n_mh_steps, loss, targets, n_shards
                sampler, draws = loaded.module.MaxMargin(*arguments), streams(1)
                state = sampler.from_topics(problem, z.copy())
                for _ in range(2):
                    sampler.sweep(problem, state, draws)


@pytest.mark.slow
def test_no_index_is_out_of_bounds():
    sweep_everywhere()


TOO_SMALL = {
    "weights of topics": Edit("gibbs_sweep", "zeros(N + LANES, *Z)", "zeros(N, *Z)"),
    "ends of documents": Edit(
        "token_proportions", "np.empty(N + 1, T)", "np.empty(N, T)"
    ),
}


@pytest.mark.parametrize("edit", TOO_SMALL.values(), ids=TOO_SMALL)
def test_arrays_that_are_too_small_are_noticed(edit):
    with pytest.raises((IndexError, ValueError)):
        sweep_everywhere([edit])
