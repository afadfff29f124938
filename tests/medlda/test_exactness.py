"""The samplers of MedLDA leave the conditional of the topics as it is.

Tiny corpora, all assignments listed, with the weights and the factors of the labels
held fixed.
"""

import numpy as np
import pytest

from sklda._data.corpus import part_of
from sklda._medlda.kernels import gibbs, light
from sklda._medlda.kernels.labels import LabelFactors
from sklda._tables import rows
from tests.gibbs.test_exactness import BETAS
from tests.helpers import enumeration
from tests.helpers.enumeration import TinyProblem, assert_exact
from tests.helpers.mutants import Edit, interpreted

KERNELS = {"gibbs": gibbs, "light": light}


class Labelled(TinyProblem):
    """A problem with labels: each document has the factor exp(u m - c m^2 / 2).

    m = sum_k eta_k n_k for each task, eta a row of `weights`; `slope` holds u and
    `curvature` c, (n_docs, n_tasks).
    """

    def __init__(self, problem, weights, slope, curvature):
        super().__init__(*problem)
        self.weights = np.array(weights, float)
        self.slope = np.array(slope, float)
        self.curvature = np.array(curvature, float)

    def log_joint(self, z):
        total = super().log_joint(z)
        for d, counts in enumerate(self.tables(z)[0]):
            m = self.weights @ counts
            total += (self.slope[d] * m - self.curvature[d] * m**2 / 2).sum()
        return total

    def factors(self, n_lanes):
        weights = np.zeros((len(self.weights), n_lanes), np.float32)
        weights[:, : self.n_topics] = self.weights
        return LabelFactors(
            weights, self.slope.astype(np.float32), self.curvature.astype(np.float32)
        )


PROBLEMS = {
    "1 topic": Labelled(("aab a", 2, (0.7,), 0.4), [[1.0]], [[1], [-1]], [[1], [2]]),
    "2 topics": Labelled(
        ("aab abb", 3, (0.3, 0.9), 0.4), [[1.5, -0.8]], [[0.7], [-0.9]], [[0.4], [0.8]]
    ),
    "3 topics, 2 tasks": Labelled(
        ("aab - abb", 3, (0.2, 0.6, 1.1), 0.3),
        [[1.0, -0.5, 0.3], [-0.4, 1.2, 0.1]],
        [[0.9, -1.0], [3, 3], [-0.6, 0.8]],
        [[0.5, 0.2], [3, 3], [0.9, 0.6]],
    ),
    # Exponents far out of the range of float32, but for a few assignments.
    "steep": Labelled(
        ("aab abb", 2, (0.5, 0.7, 0.9), 0.4),
        [[8.0, -8.0, 0.1]],
        [[0.5], [0.3]],
        [[4.0], [2.0]],
    ),
    "no labels": Labelled(
        ("aab acc", 3, (0.3, 0.9), 0.4), [[1.0, 2.0]], [[0], [0]], [[0], [0]]
    ),
    "beta of each word and topic": Labelled(
        ("aab - abb", 3, (0.2, 0.6, 1.1), BETAS),
        [[1.0, -0.5, 0.3]],
        [[0.9], [3], [-0.6]],
        [[0.5], [3], [0.9]],
    ),
    "18 topics": Labelled(
        ("aa a", 2, tuple(np.linspace(0.05, 0.9, 18)), 0.3),
        [np.linspace(-2, 2, 18), np.linspace(1, 0, 18)],
        [[0.5, 0.1], [-0.5, 0.3]],
        [[0.3, 0.2], [0.1, 0.4]],
    ),
}


class WithLabels:
    """A kernel with the labels of a problem, as a sampler; steps are those of light."""

    def __init__(self, kernel, tiny, n_steps, rows=rows):
        self.tiny, self.counts = tiny, rows.counts
        if n_steps is None:
            self.kernel_sweep, self.arguments = kernel.gibbs_sweep, ()
            self.from_topics = rows.from_topics
        else:
            self.kernel_sweep = kernel.light_sweep
            self.arguments = n_steps, np.zeros(2, np.int64)
            self.from_topics = kernel.from_topics

    def sweep(self, problem, state, rng):
        factors, priors = self.tiny.factors(problem.n_lanes), problem.kernel_priors()
        part = part_of(problem.corpus, 0, problem.corpus.doc_ptr.size - 1)
        arguments = (part, state, priors, factors, *self.arguments)
        self.kernel_sweep(*arguments, rng.kernel)
        return state


def sampler_of(name, tiny, n_steps=6):
    return WithLabels(KERNELS[name], tiny, n_steps if name == "light" else None)


@pytest.mark.slow
@pytest.mark.parametrize("tiny", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("name", KERNELS)
def test_a_sweep_leaves_the_conditional_as_it_is(name, tiny):
    assert_exact(sampler_of(name, tiny), tiny, 5000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("n_steps", [1, 2, 3, 4])
def test_any_number_of_steps_does(n_steps):
    tiny = PROBLEMS["3 topics, 2 tasks"]
    assert_exact(sampler_of("light", tiny, n_steps), tiny, 5000, seed=2)


# Problems of few assignments, on which planted faults show best; interpreted kernels
# have two lanes, so three topics fill two registers.
SMALL = {
    "cell": Labelled(
        ("aaaa", 1, (0.5, 0.7, 0.9), 0.5), [[1.0, -1.0, 0.4]], [[0.5]], [[0.8]]
    ),
    "words": Labelled(
        ("abb aa", 2, (0.5, 0.8), 0.2),
        [[1.2, -0.5], [0.3, 0.9]],
        [[0.8, -0.5], [-0.7, 0.4]],
        [[0.6, 0.3], [0.9, 0.2]],
    ),
    "one-sided": Labelled(("aaa", 1, (0.5, 0.7), 0.2), [[2.5, 0]], [[2.0]], [[1.0]]),
    "betas": Labelled(
        ("abb aa", 2, (0.5, 0.8), ((0.2, 3.0), (0.3, 0.1))),
        [[0.3, 0.9]],
        [[0.8], [-0.7]],
        [[0.6], [0.9]],
    ),
    "steep": Labelled(("aab", 2, (1.5, 1.7), 0.9), [[5.0, -0.5]], [[12.0]], [[1.0]]),
}


def plain(name, tiny, edits=(), n_steps=3):
    """Return a kernel that Python runs, after edits, as a sampler."""
    loaded = interpreted(f"sklda._medlda.kernels.{name}", edits, lanes=2)
    rows = loaded.modules["sklda._tables.rows"]
    sampler = WithLabels(
        loaded.module, tiny, n_steps if name == "light" else None, rows
    )
    return loaded.sampler(sampler)


# A document that comes to more topics than there are rows starts its rows again.
FEW_ROWS = Edit("kernels.gibbs", "MOST_ROWS = 128", "MOST_ROWS = 2")


def passes(name, problem, edits):
    """Return the verdict on a kernel after edits."""
    tiny, (kernel, _, one_step) = SMALL[problem], name.partition(", ")
    used = [FEW_ROWS] if name == "gibbs" and not edits else edits
    sampler = plain(kernel, tiny, used, n_steps=1 if one_step else 3)
    return enumeration.passes(sampler, tiny, edits, n_draws=2000)
