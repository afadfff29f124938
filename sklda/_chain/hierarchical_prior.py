"""The priors that a chain samples after each sweep: trace, kept samples, means."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

import numpy as np

from sklda._chain.hierarchical import (
    GammaPriors,
    TopicWeights,
    draw_noise,
    draw_topic_word_prior,
    draw_weights,
)
from sklda._chain.kernels.hierarchical import HIGHEST, LOWEST
from sklda._chain.tables import count_tables
from sklda._core.checks import check_numbers
from sklda._core.corpus import tokens_before
from sklda._core.doc_topic_counts import (
    Histogram,
    length_histogram,
    word_topic_histogram,
)
from sklda._core.minka import LearnedPriors, PriorUpdate, prior_trace
from sklda._core.problem import Counts, Problem
from sklda._core.random_streams import RandomStreams
from sklda._core.sampled_parameters import SampledPrior, copy_of
from sklda._core.sampler import SamplerState
from sklda._core.threads import Threads

MOST_TOKENS = 0.99  # of the tokens are on the topics that count as used
_AT_A_TIME = 10_000  # documents
_ENDS = 0.025, 0.975  # of the interval of the number of topics
_NUMBERS = ("n_topics", "n_nonempty")


class TraceEntry(NamedTuple):
    """The priors after a sweep, and the number of topics."""

    sweep: int
    doc_concentration: float  # a0
    weight_concentration: float  # gamma
    n_topics: int  # that hold all but 1 % of the tokens
    n_nonempty: int
    topic_word_prior: float  # beta; nan if it is fixed


class KeptPriors(NamedTuple):
    """The priors of a kept sample."""

    sweep: int
    weights: np.ndarray  # (n_topics,), w
    alpha: np.ndarray  # (n_topics,)
    beta: Any


class HierarchicalPrior(SampledPrior):
    """The priors that a chain samples: their present sample, trace and kept samples."""

    priors: GammaPriors

    def __init__(
        self, problem: Problem, lengths: Histogram, rng: RandomStreams
    ) -> None:
        alpha = problem.doc_topic_prior
        a0 = float(np.clip(alpha.sum(), LOWEST, HIGHEST))
        self.current = TopicWeights(alpha / alpha.sum(), a0, weight_concentration=1.0)
        self.lengths = lengths  # of the documents
        self.rng = rng
        self.threads = Threads(1)
        self.trace: list[TraceEntry] = []
        self.kept: list[KeptPriors] = []
        self.burn_in = 0  # the last sweep of the trace that does not count

    @property
    def samples_words(self) -> bool:
        """Whether beta is sampled, too."""
        return self.priors.topic_word_prior is not None

    def resample(
        self,
        problem: Problem,
        state: SamplerState,
        counts: Callable[[], Counts],
        sweep: int,
    ) -> Problem:
        """Draw the priors given the topics; return the problem with them."""
        before, alpha = tokens_before(problem.corpus), problem.doc_topic_prior

        def count_topics(key):
            tables = count_tables(before, state.z, alpha, key, threads=self.threads)
            return tables, state.topic[: problem.n_topics]

        def count_words():
            return word_topic_histogram(counts().word_topic)

        return self.draw(problem, count_topics, count_words, sweep)

    def draw(
        self,
        problem: Problem,
        count_topics: Callable[[np.uint64], tuple[np.ndarray, np.ndarray]],
        count_words: Callable[[], Histogram],
        sweep: int,
    ) -> Problem:
        """Draw the priors given what is counted; return the problem with them.

        That is tables, drawn with a key, and tokens of each topic; and, if beta is
        sampled, how often each word-topic count occurs.
        """
        noise, priors = draw_noise(self.rng), self.priors
        beta = problem.topic_word_prior
        tables, totals = count_topics(noise.key)
        self.current = draw_weights(
            tables, self.lengths, self.current, priors, noise.stream
        )
        if priors.topic_word_prior is not None:
            beta = draw_topic_word_prior(
                beta,
                priors.topic_word_prior,
                count_words(),
                totals,
                problem.n_words,
                noise.stream,
            )
        _, a0, gamma = self.current
        sampled_beta = beta if self.samples_words else np.nan
        entry = TraceEntry(sweep, a0, gamma, *topics_in_use(totals), sampled_beta)
        self.trace.append(entry)
        alpha = self.current.alpha
        return problem._replace(doc_topic_prior=alpha, topic_word_prior=beta)

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample to the kept ones."""
        alpha, beta = problem.doc_topic_prior, problem.topic_word_prior
        self.kept.append(KeptPriors(sweep, self.current.weights, alpha, beta))

    def forget(self, burn_in: int) -> None:
        """Keep no sample so far; sweeps up to `burn_in` do not count."""
        self.kept.clear()
        self.burn_in = burn_in

    def mean(self, problem: Problem) -> Problem:
        """Return the problem with the means of the priors over the kept samples."""
        alpha = np.mean([sample.alpha for sample in self.kept], axis=0)
        if self.priors.topic_word_prior is None:
            return problem._replace(doc_topic_prior=alpha)
        beta = float(np.mean([sample.beta for sample in self.kept]))
        return problem._replace(doc_topic_prior=alpha, topic_word_prior=beta)

    def kept_values(self) -> np.ndarray:
        """Return alpha of the kept samples, (n_kept, n_topics)."""
        return np.array([sample.alpha for sample in self.kept])

    def log_density(self) -> float:
        """Return 0: the log joint is that given the priors."""
        return 0.0

    def attributes(self) -> dict[str, Any]:
        """Return the fitted attributes of the kept samples."""
        entries = np.array(self.trace, np.float64)  # none while a chain is annealed
        columns = entries.reshape(-1, len(TraceEntry._fields)).T
        trace = dict(zip(TraceEntry._fields, columns, strict=True))
        if not self.samples_words:
            del trace["topic_word_prior"]
        for name in ("sweep", *_NUMBERS):
            trace[name] = trace[name].astype(np.int64)
        # A callback may look, or end the fit, before the burn-in is over.
        after = trace["sweep"] > min(self.burn_in, self.kept[0].sweep - 1)
        return {
            "topic_weights_": np.mean([k.weights for k in self.kept], axis=0),
            "n_topics_": {name: _interval(trace[name][after]) for name in _NUMBERS},
            "prior_trace_": trace,
        }

    def for_more_documents(self, problem: Problem) -> Self:
        """Return the present sample for more documents; no other is kept."""
        other = copy_of(self)
        other.lengths = length_histogram(problem.corpus)
        other.trace, other.kept, other.burn_in = [], [], 0
        return other

    def scalars(self) -> dict[str, float]:
        """Return what is diagnosed of the present sample."""
        names = ["doc_concentration", "weight_concentration", "n_topics"]
        names += ["topic_word_prior"] * self.samples_words
        return {name: getattr(self.trace[-1], name) for name in names}


def add_priors(theta: np.ndarray, alphas: np.ndarray, lengths: np.ndarray) -> None:
    """Add the mean of alpha / (length + sum of alpha) to theta, in place.

    `alphas` has alpha of each kept sample, (n_kept, n_topics).
    """
    different, which = np.unique(lengths, return_inverse=True)
    mean = np.zeros((different.size, theta.shape[1]))
    for alpha in alphas:
        mean += alpha / (different + alpha.sum())[:, np.newaxis]
    mean /= len(alphas)
    for first in range(0, len(theta), _AT_A_TIME):
        chunk = slice(first, first + _AT_A_TIME)
        theta[chunk] += mean[which[chunk]]


def topics_in_use(totals: np.ndarray) -> tuple[int, int]:
    """Return the number of topics that hold all but 1 % of the tokens, and any."""
    running = np.sort(totals)[::-1].cumsum()
    n_used = int(np.searchsorted(running, MOST_TOKENS * running[-1])) + 1
    n_nonempty = int(np.count_nonzero(totals))
    return min(n_used, n_nonempty), n_nonempty


def check_hyperpriors(parameters: SimpleNamespace) -> GammaPriors | None:
    """Return the gamma priors of what a fit samples; None if the priors are fixed.

    Raises
    ------
    ValueError
        If they have unknown names or are no positive shape and rate, or if what is to
        be sampled is given as an array.
    """
    pairs = dict(parameters.hyperpriors or {})
    unknown = sorted(map(repr, set(pairs) - set(GammaPriors._fields)))
    if unknown:
        raise ValueError(
            f"hyperpriors has the unknown name {unknown[0]}. Valid names are "
            f"{', '.join(map(repr, GammaPriors._fields))}."
        )
    priors = GammaPriors(**{n: _check_gamma(n, pair) for n, pair in pairs.items()})
    if parameters.learn_priors != "hierarchical":
        return None
    if np.ndim(parameters.doc_topic_prior) > 0:
        raise ValueError(
            "learn_priors='hierarchical' samples the weights of the topics, so "
            "doc_topic_prior cannot be an array: the first sweep would replace it. "
            "Pass one number, at which the chain starts, or None; or keep the array "
            "and set learn_priors=None."
        )
    if priors.topic_word_prior and np.ndim(parameters.topic_word_prior) > 0:
        raise ValueError(
            "hyperpriors has a prior for topic_word_prior, but the parameter "
            "topic_word_prior is an array. Only a single number can be sampled, so "
            "remove one of the two."
        )
    return priors


def _check_gamma(name, pair) -> tuple[float, float]:
    where = f"hyperpriors[{name!r}]"
    shape, rate = check_numbers(pair, where, (2,)).astype(np.float64).tolist()
    if not (LOWEST <= shape <= HIGHEST and LOWEST <= rate <= HIGHEST):
        raise ValueError(
            f"{where} must be a shape and a rate from {LOWEST:g} to {HIGHEST:g}, got "
            f"({shape:g}, {rate:g})."
        )
    return shape, rate


def _interval(numbers: np.ndarray) -> np.ndarray:
    """Return the mean and the ends of an interval, (3,); NaN without any sweep.

    Sweeps are no independent draws, so the ends are quantiles of the trace as it is.
    """
    if numbers.size == 0:
        return np.full(3, np.nan)
    return np.array([numbers.mean(), *np.quantile(numbers, _ENDS)])


def prior_attributes(
    prior: SampledPrior | None,
    learned: LearnedPriors | None,
    updates: Sequence[PriorUpdate],
) -> dict[str, Any]:
    """Return the fitted attributes of priors that a chain samples or learns."""
    if prior is not None:
        return prior.attributes()
    trace = None if learned is None else prior_trace(updates)
    return {"topic_weights_": None, "n_topics_": None, "prior_trace_": trace}
