"""Topics and sampled priors have their exact posterior: tiny corpora, all listed.

As in `test_exactness`, with the weights of the topics, both concentrations and beta
drawn, too; what they are given the topics is held against their distributions given
the topics.
"""

import numpy as np
import pytest

from sklda._engine.chain import Chain
from sklda._medlda.sampler import Hinge, MaxMargin
from sklda._sampling.threads import Threads
from tests.helpers import samplers
from tests.helpers.enumeration import (
    RIGHT,
    WRONG,
    copied,
    marginals,
    mean_and_error,
    verdict,
)
from tests.helpers.hierarchical import (
    HierarchicalProblem,
    known,
    mutant,
    p_values_after,
)
from tests.helpers.mutants import streams

SAMPLERS = {name: known.compiled() for name, known in samplers.SAMPLERS.items()}
FIXED = {"doc_concentration": known(1.3), "weight_concentration": known(2.0)}
BETA = {"topic_word_prior": (2.0, 3.0)}
PROBLEMS = {
    "drawn": HierarchicalProblem("aab - abb", 3, 3, 0.3),
    "fixed": HierarchicalProblem("aab - abb", 3, 3, 0.3, FIXED),
    "beta": HierarchicalProblem("aab - abb", 3, 3, 0.3, BETA),
    "1 topic": HierarchicalProblem("aaab a", 3, 1, 0.4, BETA),
    "2 topics": HierarchicalProblem("aaab aac", 4, 2, 0.4),
    "17 topics": HierarchicalProblem("bb", 2, 17, 0.5),
    "5 topics": HierarchicalProblem("aa ab", 2, 5, 0.2, BETA),
    # Of many weights nothing is left in float64.
    "tiny weights": HierarchicalProblem(
        "aab - ab", 3, 3, 0.3, {"weight_concentration": (0.3, 3.0)}
    ),
    "steep priors": HierarchicalProblem(
        "aab a",
        3,
        3,
        0.3,
        {"doc_concentration": (40.0, 2.0), "weight_concentration": (0.2, 1e-3)},
    ),
}
# Groups of tokens are exact where no cell has two.
CELLS_OF_ONE = HierarchicalProblem("abc - acd", 4, 3, 0.3, BETA)
NINE = {
    "tokens": HierarchicalProblem("aaab - aabbc", 4, 3, 0.3),
    "fixed": HierarchicalProblem("aaab - aabbc", 4, 3, 0.3, FIXED),
    "beta": HierarchicalProblem("aaab - aabbc", 4, 3, 0.3, BETA),
}
ONE_BY_ONE = HierarchicalProblem("abcd - abce", 5, 3, 0.3, BETA)
each = pytest.mark.parametrize("name", SAMPLERS)


def is_group(name):
    return name.startswith(("shortcut", "dynamic"))


class Around:
    """A sampler that keeps something of its first problem: some priors, or `counts`."""

    def __init__(self, sampler, kept):
        self.sampler, self.kept = sampler, kept
        self.info = sampler.info

    def from_topics(self, problem, z):
        state = self.sampler.from_topics(problem, z)
        self.first = problem
        self.first_counts = copied(self.sampler.counts(problem, state))
        return state

    def sweep(self, problem, state, rng):
        priors = {n: getattr(self.first, n) for n in self.kept & {*problem._fields}}
        self.sampler.sweep(problem._replace(**priors), state, rng)

    def counts(self, problem, state):
        if "counts" in self.kept:
            return self.first_counts
        return self.sampler.counts(problem, state)


# --- the closed form -------------------------------------------------------------


def test_closed_form_is_a_mean_over_weights():
    # p(w, z) is the mean of p(w, z | alpha = a0 w) over draws of the weights.
    rng, tiny = np.random.default_rng(0), PROBLEMS["fixed"]
    alphas = 1.3 * rng.dirichlet(np.full(3, 2 / 3), 20_000)
    for z in tiny.assignments[5::90].tolist():
        n_dk = np.array(tiny.tables(z)[0])
        likelihood = np.ones(len(alphas))
        for row in n_dk:
            urns = [np.arange(n) for n in row]
            for k, urn in enumerate(urns):
                likelihood *= (alphas[:, k, np.newaxis] + urn).prod(axis=1)
            likelihood /= (1.3 + np.arange(row.sum())).prod()
        log_mean = np.log(likelihood.mean())
        error = likelihood.std() / likelihood.mean() / np.sqrt(len(alphas))
        expected = tiny.log_joint(z) - tiny.log_word_likelihood(z)
        # 9 values: 4 standard errors are one false alarm in 1,700.
        assert abs(log_mean - expected) < 4 * error + 1e-4
        assert error < 0.02


# --- one round from exact draws --------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("tiny", PROBLEMS.values(), ids=PROBLEMS)
def test_a_round_leaves_the_posterior_as_it_is(tiny):
    # At most five p-values: one false alarm in 20,000 seeds. The mutants below need at
    # most 2000 of the 5000 draws, and most need 200.
    assert_exact(SAMPLERS["registers"], tiny, 5000, seed=1)


@pytest.mark.slow
@each
def test_a_round_of_each_sampler_does(name):
    # The priors are tested above. What a sampler hands them is wrong as a whole, if at
    # all: 1500 draws find tables that are out of date, at p = 1e-11.
    tiny = CELLS_OF_ONE if is_group(name) else PROBLEMS["beta"]
    assert_exact(SAMPLERS[name], tiny, 1500, seed=2)


@pytest.mark.slow
def test_tables_that_are_out_of_date_are_found():
    sampler = Around(SAMPLERS["registers"], {"counts"})
    found = p_values_after(sampler, PROBLEMS["beta"], 1500, seed=2)
    assert found["beta"] < WRONG, found


def assert_exact(sampler, tiny, n_draws, seed):
    found = p_values_after(sampler, tiny, n_draws, seed)
    assert min(found.values()) > RIGHT, found


# --- long chains -----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("tiny", NINE.values(), ids=NINE)
def test_a_long_chain_has_the_marginals_of_the_posterior(tiny):
    chain = Chain(SAMPLERS["registers"], tiny.problem(), streams(3))
    assert largest_error(chain, tiny, batch=300) < MOST


@pytest.mark.slow
@each
def test_a_chain_of_each_sampler_has_them(name):
    tiny = ONE_BY_ONE if is_group(name) else NINE["beta"]
    chain = Chain(SAMPLERS[name], tiny.problem(), streams(4))
    assert largest_error(chain, tiny) < MOST


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["doc_topic_prior", "topic_word_prior", "counts"])
def test_a_sampler_that_keeps_what_it_began_with_is_found(kept):
    tiny = NINE["beta"]
    chain = Chain(Around(SAMPLERS["registers"], {kept}), tiny.problem(), streams(4))
    assert largest_error(chain, tiny) > MOST


def n_nonempty(tiny, z):
    """Return whether 1, 2, ... topics have tokens, for each row of z."""
    numbers = np.array([len(set(row)) for row in z.tolist()])
    return numbers[:, np.newaxis] == np.arange(1, tiny.n_topics + 1)


# As in `enumeration.assert_marginals`: one false alarm in 30,000 values.
MOST = 4.5


def largest_error(chain, tiny, n_batches=60, batch=100):
    """Return the largest error of marginals of a long chain, in standard errors."""
    chain.sample_priors(tiny.priors, Threads(1))
    z = np.empty((n_batches * batch, chain.z.size), np.uint16)
    priors = np.empty((len(z), 4))
    for i in range(len(z)):
        chain.sweep()
        z[i], (weights, a0, gamma) = chain.z, chain.prior.current
        beta = chain.problem.topic_word_prior
        priors[i] = np.log(a0), np.log(gamma), weights @ weights, np.log(beta)
    statistics = marginals(tiny, z), n_nonempty(tiny, z), priors
    exact = marginals(tiny, tiny.assignments), n_nonempty(tiny, tiny.assignments)
    expected = tiny.posterior @ np.column_stack(exact), tiny.expected()
    values = np.column_stack(statistics)
    means, errors = mean_and_error(values, n_batches)
    assert np.median(errors) < 0.02  # or nothing was tested
    differences = abs(means - np.concatenate(expected))
    return (differences / (errors + 1e-6)).max()  # beta may be fixed


class Supervised(HierarchicalProblem):
    """A problem of two topics with labels, whose weights are integrated out."""

    C, precision = 0.8, 0.5
    y = np.array([1.0, -1.0, 1.0])

    def log_joint(self, z):
        return super().log_joint(z) + self._once(self._log_labels, self._of(z)[0])

    def _log_labels(self, n_dk):
        eta = np.linspace(-14, 14, 601)
        zbar = np.array(n_dk) / np.maximum(np.sum(n_dk, axis=1), 1)[:, np.newaxis]
        scores = eta * zbar[:, 0, np.newaxis, np.newaxis]
        scores = scores + eta[:, np.newaxis] * zbar[:, 1, np.newaxis, np.newaxis]
        loss = np.maximum(0, 1 - self.y[:, np.newaxis, np.newaxis] * scores)
        normal = -self.precision * eta**2 / 2
        total = normal + normal[:, np.newaxis] - 2 * self.C * loss.sum(axis=0)
        return float(np.log(np.exp(total).sum()))


@pytest.mark.slow
@pytest.mark.parametrize("n_mh_steps", [None, 2], ids=["gibbs", "light"])
def test_supervised_topics_have_them(n_mh_steps):
    tiny = Supervised("aab - abb", 3, 2, 0.3, BETA)
    plain = HierarchicalProblem("aab - abb", 3, 2, 0.3, BETA)
    assert abs(tiny.posterior - plain.posterior).max() > 0.01  # labels matter
    targets = tiny.y[:, np.newaxis]
    sampler = MaxMargin(tiny.precision, None, n_mh_steps, Hinge(tiny.C), targets)
    chain = Chain(sampler, tiny.problem(), streams(5))
    assert largest_error(chain, tiny) < MOST


# --- priors with faults ----------------------------------------------------------

SMALL = {
    "drawn": PROBLEMS["drawn"],
    "beta": PROBLEMS["beta"],
    "one document": HierarchicalProblem("aaaa -", 2, 2, 0.5),
    "tiny weights": PROBLEMS["tiny weights"],
    "fixed": PROBLEMS["fixed"],
    "many topics": HierarchicalProblem("abc abc", 3, 3, 0.05),
    "wide": HierarchicalProblem(
        "aab abb", 3, 2, 0.3, {"weight_concentration": (0.5, 0.01)}
    ),
}


def passes(name, problem, edits):
    """Return the verdict on priors that Python draws after edits."""
    # At most 60 p-values are looked at: a right sampler fails once in 17,000 seeds.
    n_draws, until = (20_000, WRONG) if edits else (1500, 0.0)
    with np.errstate(all="ignore"):
        found = p_values_after(
            SAMPLERS["registers"], SMALL[problem], n_draws, 7, until, mutant(edits)
        )
    return verdict(min(found.values()))
