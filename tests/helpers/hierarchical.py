"""Tiny corpora whose priors are drawn with the topics, and their exact posterior.

    a0 ~ Gamma,  gamma ~ Gamma,  w ~ Dirichlet(gamma / K),  theta_d ~ Dirichlet(a0 w).

For each assignment the numbers of tables are summed out, w is integrated out in closed
form, and a0, gamma and beta on grids of their logarithms. The formulas share no line
with the library.
"""

import itertools
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.special import betainc, gammaln, logsumexp

from sklda._data.corpus import document_lengths
from sklda._engine.hierarchical_prior import (
    GammaPriors,
    HierarchicalPrior,
    TopicWeights,
)
from sklda._engine.kernels.hierarchical import add_tables
from sklda._sampling.threads import Threads
from tests.helpers.enumeration import TinyProblem, chi_square_pvalue
from tests.helpers.from_python import from_python
from tests.helpers.mutants import interpreted, streams

N_BINS = 20
LEAST = np.exp(-708.0)  # smaller weights, beside the largest, are 0


def known(value):
    """Return a gamma prior that leaves a concentration at a value, to 1e-4 of it."""
    return 1e8, 1e8 / value


@cache
def stirling(n):
    """Return the unsigned Stirling numbers of the first kind |s(n, 0..n)|."""
    if n == 0:
        return np.ones(1)
    before = stirling(n - 1)
    return np.append(0, before) + (n - 1) * np.append(before, 0)


class Grid:
    """A concentration x with a gamma prior, on a grid of log x."""

    def __init__(self, shape, rate):
        if shape > 1e4:
            around, width = np.log(shape / rate), 8 / np.sqrt(shape)
            self.log = around + np.linspace(-width, width, 2001)
        else:
            self.log = np.linspace(-22, np.log((shape + 60) / rate), 4001)
        self.x = np.exp(self.log)
        self.step = self.log[1] - self.log[0]
        # Of log x: the factor x is the Jacobian.
        self.log_prior = shape * self.log - rate * self.x
        self.log_prior += shape * np.log(rate) - gammaln(shape)

    def law(self, log_likelihood):
        """Return the posterior of x."""
        log_density = log_likelihood + self.log_prior
        most = log_density.max()
        below = cumulative_trapezoid(np.exp(log_density - most), initial=0) * self.step
        return Law(self, below / below[-1], np.log(below[-1]) + most)


class Law(NamedTuple):
    """The distribution of a concentration, and the logarithm of its weight."""

    grid: Grid
    below: np.ndarray
    log_weight: float

    def cdf(self, x):
        # As np.interp does, but for one x and at even steps, which is much faster.
        at = (np.log(x) - self.grid.log[0]) / self.grid.step
        if not 0 <= at < self.below.size - 1:
            return np.nan if np.isnan(at) else float(at > 0)
        i = int(at)
        return self.below[i] + (at - i) * (self.below[i + 1] - self.below[i])

    def draw(self, rng):
        return float(np.exp(np.interp(rng.random(), self.below, self.grid.log)))

    def mean(self, values):
        """Return the mean of a function of x, given on the grid."""
        middle = (values[1:] + values[:-1]) / 2
        return float(np.diff(self.below) @ middle)


class Sample(NamedTuple):
    """The priors that are drawn, as `HierarchicalPrior` and `Problem` hold them."""

    current: TopicWeights
    beta: float


class HierarchicalProblem(TinyProblem):
    """A corpus and the gamma priors of a0, gamma and, unless it is fixed, beta."""

    def __init__(self, docs, n_words, n_topics, beta, priors=None):
        super().__init__(docs, n_words, (1.0,) * n_topics, beta)
        self.priors = GammaPriors(**(priors or {}))
        self.lengths = [sum(count for _, count in doc) for doc in self.docs]
        self.a0, self.gamma = (Grid(*pair) for pair in self.priors[:2])
        beta_prior = self.priors.topic_word_prior
        self.grid_of_beta = beta_prior and Grid(*beta_prior)
        self._known = {}  # laws by what they depend on

    def _once(self, function, *key):
        where = function.__name__, *key
        if where not in self._known:
            self._known[where] = function(*key)
        return self._known[where]

    # --- the laws ----------------------------------------------------------------

    def _law_of_a0(self, n_tables):
        x = self.a0.x
        total = n_tables * self.a0.log
        for n in self.lengths:
            total = total + gammaln(x) - gammaln(x + n)
        return self.a0.law(total)

    def _log_weights(self, gamma, tables):
        """Return log p(tables | gamma) with w integrated out, up to the ways.

        There is one gamma, or one number of tables for each topic.
        """
        share = gamma / self.n_topics
        total = gammaln(gamma) - gammaln(gamma + sum(tables))
        for m in tables:
            total = total + gammaln(share + m) - gammaln(share)
        return total

    def _law_of_gamma(self, tables):
        return self.gamma.law(self._log_weights(self.gamma.x, tables))

    def _ways(self, n_dk):
        """Return all numbers of tables m_k, (n, K), and the logs of their ways."""
        topic_ways = []
        for counts in zip(*n_dk, strict=True):
            ways = np.ones(1)
            for n in counts:
                ways = np.convolve(ways, stirling(n))
            topic_ways.append(ways)
        possible = [np.flatnonzero(ways).tolist() for ways in topic_ways]
        m = np.array(list(itertools.product(*possible)))
        each = [ways[m[:, k]] for k, ways in enumerate(topic_ways)]
        return m, np.log(each).sum(axis=0)

    def _tables(self, n_dk):
        """Return m, the laws of a0 and gamma given each, and the log weights."""
        m, log_ways = self._once(self._ways, n_dk)
        a0_laws = [self._once(self._law_of_a0, n) for n in m.sum(axis=1).tolist()]
        ordered = map(tuple, np.sort(m, axis=1).tolist())
        gamma_laws = [self._once(self._law_of_gamma, counts) for counts in ordered]
        weights = log_ways + [law.log_weight for law in a0_laws]
        return (
            m,
            a0_laws,
            gamma_laws,
            weights + [law.log_weight for law in gamma_laws],
        )

    def _law_of_beta(self, n_kw):
        x, total = self.grid_of_beta.x, 0.0
        for row in n_kw:
            total = total + gammaln(self.n_words * x)
            total = total - gammaln(sum(row) + self.n_words * x)
            for n in row:
                total = total + gammaln(n + x) - gammaln(x)
        return self.grid_of_beta.law(total)

    def _beta_given(self, z):
        return self._once(self._law_of_beta, self._of(z)[1])

    def _of(self, z):
        """Return what the laws depend on: n_dk, and n_kw but for its order."""
        return self._once(self._counted, tuple(z))

    def _counted(self, z):
        n_dk, n_kw, _ = self.tables(z)
        return tuple(map(tuple, n_dk)), tuple(sorted(map(tuple, n_kw)))

    # --- the posterior -----------------------------------------------------------

    def log_word_likelihood(self, z):
        if self.grid_of_beta is None:
            return super().log_word_likelihood(z)
        return self._beta_given(z).log_weight

    def _log_topics(self, n_dk):
        return float(logsumexp(self._once(self._tables, n_dk)[-1]))

    def log_joint(self, z):
        """Return log p(w, z), the priors and all else integrated out."""
        log_topics = self._once(self._log_topics, self._of(z)[0])
        return log_topics + self.log_word_likelihood(z)

    def _probabilities(self, function):
        """Return the posterior probability of each value of a function of z."""
        found = {}
        for z, p in zip(self.assignments.tolist(), self.posterior, strict=True):
            value = function(z)
            found[value] = found.get(value, 0.0) + p
        return found.items()

    def expected(self):
        """Return means of log a0, log gamma, the sum of squares of w, and log beta."""
        total = np.zeros(4)
        for n_dk, p in self._probabilities(lambda z: self._of(z)[0]):
            m, a0_laws, gamma_laws, log_weights = self._once(self._tables, n_dk)
            q = p * _normalised(log_weights)
            for i, weight in enumerate(q):
                total[0] += weight * a0_laws[i].mean(self.a0.log)
                total[1] += weight * gamma_laws[i].mean(self.gamma.log)
                total[2] += weight * gamma_laws[i].mean(self._sum_of_squares(m[i]))
        if self.grid_of_beta is None:
            total[3] = np.log(self.beta)
        else:
            for n_kw, p in self._probabilities(lambda z: self._of(z)[1]):
                law = self._once(self._law_of_beta, n_kw)
                total[3] += p * law.mean(self.grid_of_beta.log)
        return total

    def _sum_of_squares(self, tables):
        """Return the mean of the sum of squares of w for each gamma of the grid."""
        gamma = self.gamma.x[:, np.newaxis]
        shape, total = gamma / self.n_topics + tables, gamma + sum(tables)
        return (shape * (shape + 1) / (total * (total + 1))).sum(axis=1)

    def draw(self, z, rng):
        """Draw a0, gamma, w and beta given z."""
        m, a0_laws, gamma_laws, log_weights = self._once(self._tables, self._of(z)[0])
        i = rng.choice(len(m), p=_normalised(log_weights))
        gamma, a0 = gamma_laws[i].draw(rng), a0_laws[i].draw(rng)
        shape = gamma / self.n_topics + m[i]
        logs = np.log(rng.gamma(shape + 1)) + np.log(rng.random(shape.size)) / shape
        weights = _normalised(logs)
        beta = self.beta
        if self.grid_of_beta is not None:
            beta = self._beta_given(z).draw(rng)
        return Sample(TopicWeights(weights, a0, gamma), beta)

    def uniforms(self, z, sample, rng):
        """Return distribution functions given z, each given those before it.

        If the sample is one of the posterior, they are independent and uniform. The
        place of a weight that is too small for float64 is drawn.
        """
        (weights, a0, gamma), beta = sample
        n_dk = self._of(z)[0]
        m, a0_laws, gamma_laws, log_weights = self._once(self._tables, n_dk)
        log_tables = self._once(self._ways, n_dk)[1] + self._log_weights(gamma, m.T)
        after_gamma = log_tables + [law.log_weight for law in a0_laws]
        found = {
            "gamma": _mixed(log_weights, [law.cdf(gamma) for law in gamma_laws]),
            "a0": _mixed(after_gamma, [law.cdf(a0) for law in a0_laws]),
        }
        if self.n_topics > 1:
            n_tables = m.sum(axis=1)
            shape = gamma / self.n_topics + m[:, 0]
            shapes = shape, gamma + n_tables - shape
            log_tables = log_tables + n_tables * np.log(a0)
            found["w"] = _mixed(log_tables, _below(weights, shapes, rng))
        if self.grid_of_beta is not None:
            found["beta"] = self._beta_given(z).cdf(beta)
        return found


def _below(weights, shapes, rng):
    """Return distribution functions at the first weight, which are beta."""
    first, others = weights[0], weights[1:].sum()
    if first + others != pytest.approx(1, rel=1e-12):
        return np.full(shapes[0].size, np.nan)
    if others < first:
        return 1 - _beta_below(others, shapes[::-1], rng)
    return _beta_below(first, shapes, rng)


def _beta_below(x, shapes, rng):
    return betainc(*shapes, x) if x > 0 else rng.random() * betainc(*shapes, LEAST)


def _normalised(log_weights):
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def _mixed(log_weights, values):
    return float(_normalised(log_weights) @ values)


# --- draws -----------------------------------------------------------------------


def prior_of(tiny, seed, cls=HierarchicalPrior):
    """Return the priors of a chain, its random numbers and where it begins."""
    problem, rng = tiny.problem(), streams(seed)
    lengths = np.unique(document_lengths(problem.corpus), return_counts=True)
    prior = cls(problem, lengths, rng)
    prior.priors, prior.threads = tiny.priors, Threads(1)
    return prior, problem, rng


def p_values_after(
    sampler, tiny, n_draws, seed, until=0.0, cls=HierarchicalPrior, n_rounds=2
):
    """Return p-values of z and the priors after some rounds from exact draws.

    A round draws the priors, and then the topics by one sweep; the priors are drawn
    once more in the end. Draws end early as in `enumeration.sweep_exact_draws`.
    """
    noise = np.random.default_rng(seed)
    prior, problem, rng = prior_of(tiny, seed, cls)
    exact = noise.choice(tiny.posterior.size, n_draws, p=tiny.posterior)
    seen = np.zeros(tiny.posterior.size + 1, np.int64)
    uniforms: dict[str, list[float]] = {}
    parts = (1, 2, 3, 6, 9, 12, 18, 24, 36, 48, 72) if until > 0 else ()
    looks = {n_draws * part // 96 for part in parts}
    for i, number in enumerate(exact.tolist()):
        if i in looks and min(_p_values(tiny, seen, uniforms).values()) < until:
            break
        z = tiny.assignments[number].copy()
        sample = tiny.draw(z.tolist(), noise)
        prior.current = sample.current
        problem = problem._replace(
            doc_topic_prior=sample.current.alpha, topic_word_prior=sample.beta
        )
        state = sampler.from_topics(problem, z)
        for last in (*[False] * n_rounds, True):
            problem = resample(prior, problem, sampler, state)
            if not last:
                sampler.sweep(problem, state, rng)
        seen[tiny.number_of(state.z)] += 1
        sample = Sample(prior.current, problem.topic_word_prior)
        for name, u in tiny.uniforms(state.z.tolist(), sample, noise).items():
            uniforms.setdefault(name, []).append(u)
        prior.trace.clear()
    return _p_values(tiny, seen, uniforms)


def resample(prior, problem, sampler, state):
    """Draw the priors given the topics of a state."""
    counts = sampler.counts(problem, state)
    chain = SimpleNamespace(problem=problem, state=state, counts=counts, n_sweeps=1)
    return prior.resample(chain)


def _p_values(tiny, seen, uniforms):
    found = {"z": chi_square_pvalue(seen, tiny.posterior)}
    for name, values in uniforms.items():
        # Those that are no number, or outside but for rounding, are impossible.
        outside = (~(abs(np.array(values) - 0.5) < 0.5 + 1e-9)).sum()
        values = np.clip(np.nan_to_num(values), 0, 1)
        counts, _ = np.histogram(values, N_BINS, (0, 1))
        equal = np.full(N_BINS, 1 / N_BINS)
        found[name] = chi_square_pvalue(np.append(counts, outside), equal)
    return found


def mutant(edits) -> Any:
    """Return the class of priors as Python runs it, after edits."""
    loaded = interpreted("sklda._engine.hierarchical_prior", edits, compiled_draws=True)
    kernels = loaded.modules["sklda._engine.kernels.hierarchical"]
    math = loaded.modules["sklda._simd.vector_math"]
    for name in ("log_rising", "exp_double", "log_double"):  # no fault is planted there
        assert getattr(kernels, name) is getattr(math, name)
        setattr(kernels, name, _compiled(name))
    # The loop over tokens is slow in Python: it is run only if it may have the fault.
    if edits and all(edit.function != "add_tables" for edit in edits):
        loaded.modules["sklda._engine.hierarchical_prior"].add_tables = add_tables
    return loaded.module.HierarchicalPrior


@cache
def _compiled(name):
    from sklda._simd import vector_math

    return from_python(getattr(vector_math, name))
