"""The samplers of MedLDA leave the conditional of the topics as it is.

Tiny corpora, all assignments listed, with the weights and what the labels ask for held
fixed. The thresholds are those of test_exactness: a right kernel fails a test for one
seed in a thousand, and the mutants, one planted fault each, fail at p < 1e-6.
"""

import numpy as np
import pytest

from sklda._medlda.kernels import gibbs as medlda_gibbs
from sklda._medlda.kernels import light as medlda_light
from sklda._core.problem import LANES
from sklda._core.rows import State
from sklda._medlda.kernels.labels import Labels
from tests.helpers.enumeration import (
    Problem,
    chi_square_pvalue,
    interpreted,
    sweep_exact_draws,
)

KERNELS = {"gibbs": medlda_gibbs, "light": medlda_light}
RIGHT, WRONG = 1e-3, 1e-6


class Labelled(Problem):
    """A problem with labels: each document has the factor exp(u m - c m^2 / 2).

    m = sum_k eta_k n_k for each task, eta a row of `weights`; `slope` holds u and
    `curvature` c, (n_docs, n_tasks).
    """

    def __init__(self, docs, n_words, alpha, beta, weights, slope, curvature):
        super().__init__(docs, n_words, alpha, beta)
        self.weights = np.array(weights, float)
        self.slope = np.array(slope, float)
        self.curvature = np.array(curvature, float)

    def log_joint(self, z):
        total = super().log_joint(z)
        for d, counts in enumerate(self.tables(z)[0]):
            m = self.weights @ counts
            total += (self.slope[d] * m - self.curvature[d] * m**2 / 2).sum()
        return total

    def labels(self, lanes):
        n_lanes = -(-self.n_topics // lanes) * lanes
        weights = np.zeros((len(self.weights), n_lanes), np.float32)
        weights[:, : self.n_topics] = self.weights
        return Labels(
            weights, self.slope.astype(np.float32), self.curvature.astype(np.float32)
        )


PROBLEMS = {
    "1 topic": Labelled(
        (((0, 2), (1, 1)), ((0, 1),)), 2, (0.7,), 0.4, [[1.0]], [[1], [-1]], [[1], [2]]
    ),
    "2 topics": Labelled(
        (((0, 2), (1, 1)), ((0, 1), (1, 2))),
        3,
        (0.3, 0.9),
        0.4,
        [[1.5, -0.8]],
        [[0.7], [-0.9]],
        [[0.4], [0.8]],
    ),
    "3 topics, 2 tasks": Labelled(
        (((0, 2), (1, 1)), (), ((0, 1), (1, 2))),
        3,
        (0.2, 0.6, 1.1),
        0.3,
        [[1.0, -0.5, 0.3], [-0.4, 1.2, 0.1]],
        [[0.9, -1.0], [3, 3], [-0.6, 0.8]],
        [[0.5, 0.2], [3, 3], [0.9, 0.6]],
    ),
    # Exponents far out of the range of float32, but for a few assignments.
    "steep": Labelled(
        (((0, 2), (1, 1)), ((0, 1), (1, 2))),
        2,
        (0.5, 0.7, 0.9),
        0.4,
        [[8.0, -8.0, 0.1]],
        [[0.5], [0.3]],
        [[4.0], [2.0]],
    ),
    "no labels": Labelled(
        (((0, 2), (1, 1)), ((0, 1), (2, 2))),
        3,
        (0.3, 0.9),
        0.4,
        [[1.0, 2.0]],
        [[0], [0]],
        [[0], [0]],
    ),
    "18 topics": Labelled(
        (((0, 2),), ((0, 1),)),
        2,
        tuple(np.linspace(0.05, 0.9, 18)),
        0.3,
        [np.linspace(-2, 2, 18), np.linspace(1, 0, 18)],
        [[0.5, 0.1], [-0.5, 0.3]],
        [[0.3, 0.2], [0.1, 0.4]],
    ),
}


def supervised(kernel, problem, *arguments, lanes=LANES):
    """Return the kernel as one that is swept like those without labels."""
    labels = problem.labels(lanes)

    class Kernel:
        LANES = lanes
        stream = staticmethod(getattr(kernel, "stream", None))

        @staticmethod
        def sweep(corpus, state, priors, rng):
            if hasattr(kernel, "with_order"):
                state = kernel.with_order(corpus, state)
            kernel.sweep(corpus, state, priors, labels, *arguments, rng)
            if hasattr(kernel, "with_order"):
                again = kernel.with_order(corpus, State(*state[:3]))
                np.testing.assert_array_equal(state.by_word, again.by_word)

    Kernel.State = State
    if Kernel.stream is None:
        del Kernel.stream
    return Kernel


def arguments(name, n_steps=6):
    return (n_steps,) if name == "light" else ()


@pytest.mark.slow
@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)
@pytest.mark.parametrize("name", KERNELS)
def test_a_sweep_leaves_the_conditional_as_it_is(name, problem):
    kernel = supervised(KERNELS[name], problem, *arguments(name))
    seen, sound = sweep_exact_draws(kernel, problem, 5000, seed=1)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("n_steps", [1, 2, 3, 4])
def test_any_number_of_steps_does(n_steps):
    problem = PROBLEMS["3 topics, 2 tasks"]
    kernel = supervised(medlda_light, problem, n_steps)
    seen, _ = sweep_exact_draws(kernel, problem, 5000, seed=2)
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


# --- mutants ---------------------------------------------------------------------

# Problems of few assignments, on which planted faults show best; interpreted kernels
# have two lanes, so three topics fill two registers.
SMALL = {
    "cell": Labelled(
        (((0, 4),),), 1, (0.5, 0.7, 0.9), 0.5, [[1.0, -1.0, 0.4]], [[0.5]], [[0.8]]
    ),
    "words": Labelled(
        (((0, 1), (1, 2)), ((0, 2),)),
        2,
        (0.5, 0.8),
        0.2,
        [[1.2, -0.5], [0.3, 0.9]],
        [[0.8, -0.5], [-0.7, 0.4]],
        [[0.6, 0.3], [0.9, 0.2]],
    ),
    "one-sided": Labelled(
        (((0, 3),),), 1, (0.5, 0.7), 0.2, [[2.5, 0]], [[2.0]], [[1.0]]
    ),
    "steep": Labelled(
        (((0, 2), (1, 1)),), 2, (1.5, 1.7), 0.9, [[5.0, -0.5]], [[12.0]], [[1.0]]
    ),
}

# Fault: kernel, problem, draws, steps if not 3; and the edit as (old text, new text,
# occurrences).
MUTANTS = {
    "g keeps the tokens that move away": (
        ("gibbs", "cell", 4000),
        ("_add(np.float32(1), lost_old, exponent)", "pass", 1),
    ),
    "g forgets the tokens that come": (
        ("gibbs", "cell", 4000),
        ("_add(np.float32(-1), lost[place], exponent)", "pass", 1),
    ),
    "the token stays in g": (
        ("gibbs", "cell", 4000),
        ("value = tilted[k] * factor[k] *", "value = tilted[k] *", 1),
    ),
    "the token stays in g of its present topic": (
        ("gibbs", "cell", 4000),
        ("exp(exponent[old] - top) * factor_old[old]", "exp(exponent[old] - top)", 1),
    ),
    "the tilt is not renewed after a move": (
        ("gibbs", "cell", 4000),
        (
            "        top = _tilt(ratio, exponent, tilted)\n    return top",
            "    return top",
            1,
        ),
    ),
    "the token stays in g where that is steep": (
        ("gibbs", "steep", 4000),
        ("tilt = exp(exponent[k] + lost[k] - top)", "tilt = exp(exponent[k] - top)", 1),
    ),
    "a row of one topic serves another": (
        ("gibbs", "cell", 4000),
        ("        return place\n", "        return 0\n", 1),
    ),
    "the square of eta is missing": (
        ("gibbs", "words", 4000),
        ("row[k] * (linear - half * row[k])", "row[k] * linear", 1),
    ),
    "the slope is missing": (
        ("gibbs", "words", 4000),
        (
            "slope[t] - curvature[t] * total[t]",
            "-curvature[t] * np.float32(total[t])",
            1,
        ),
    ),
    "no exponential term": (
        ("light", "words", 4000),
        ("tilt[s] = exp(gain[s] - top)", "tilt[s] = 1", 1),
    ),
    "the document's proposal is taken for flat": (
        ("light", "cell", 8000, 1),
        ("odds[0] = n_word * tilted", "odds[0] = n_word * n_doc * tilted", 1),
    ),
    "the word's proposal is taken for flat": (
        ("light", "cell", 2000),
        ("odds[1] = n_doc * tilted", "odds[1] = n_word * n_doc * tilted", 1),
    ),
    "the labels' proposal is taken for flat": (
        ("light", "words", 4000),
        ("n_word * n_doc * tilted * inverse", "n_word * n_doc * tilted", 1),
    ),
    "a step forgets where it comes from": (
        ("light", "cell", 1000),
        ("chance[s - 1] * odds[now, kind]", "chance[s - 1]", 1),
    ),
    "n_k is not renewed": (
        ("light", "cell", 1000),
        ("of_topic[k] = np.float32(1) / (tokens + word_mass)", "pass", 1),
    ),
    "the token stays in n_dk": (
        ("light", "words", 4000),
        ("work.of_doc[old] - np.float32(1)", "work.of_doc[old]", 1),
    ),
    "the token stays in n_wk": (
        ("light", "words", 4000),
        ("np.float32(row[old] - 1)", "np.float32(row[old])", 1),
    ),
    "the token proposes its own topic": (
        ("light", "cell", 8000, 1),
        ("return i + (i >= own)", "return i", 1),
    ),
    "a search begins too late": (
        ("light", "cell", 4000),
        ("summed[k] <= j * part", "summed[k] <= (j + 1) * part", 1),
    ),
    "the pull of the labels is not renewed": (
        ("light", "cell", 4000),
        ("work.pull[t] -= curvature[t] * moved", "pass", 1),
    ),
    "a move is measured to first order": (
        ("light", "cell", 4000),
        ("(pull[t] - half[t] * change)", "pull[t]", 1),
    ),
    "the labels' proposal knows the token": (
        ("light", "one-sided", 4000),
        ("_look_outside(token_ptr[cell], token_ptr[end],", "_look_outside(0, 0,", 1),
    ),
}


def interpreted_sweep(name, problem, edits=(), n_steps=3):
    kernel = interpreted(f"medlda_{name}", edits, lanes=2)
    return supervised(kernel, problem, *arguments(name, n_steps), lanes=2)


@pytest.mark.slow
@pytest.mark.parametrize("problem", SMALL.values(), ids=SMALL)
@pytest.mark.parametrize("name", KERNELS)
def test_interpreted_kernels_pass(name, problem):
    # A document that comes to more topics than there are rows starts its rows again.
    edits = [("MOST_ROWS = 128", "MOST_ROWS = 2", 1)] if name == "gibbs" else []
    kernel = interpreted_sweep(name, problem, edits)
    seen, sound = sweep_exact_draws(kernel, problem, 2000, seed=4)
    assert sound
    assert chi_square_pvalue(seen, problem.posterior) > RIGHT


@pytest.mark.slow
@pytest.mark.parametrize("fault", MUTANTS)
def test_mutants_fail(fault):
    (name, problem, n_draws, *n_steps), edit = MUTANTS[fault]
    problem = SMALL[problem]
    mutant = interpreted_sweep(name, problem, [edit], *n_steps)
    try:
        seen, _ = sweep_exact_draws(mutant, problem, n_draws, seed=5)
    except AssertionError:
        return  # the order of words is not what the topics are
    assert chi_square_pvalue(seen, problem.posterior) < WRONG
