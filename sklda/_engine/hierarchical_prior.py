"""Priors that are sampled with the topics: the hierarchical Dirichlet process.

Y. W. Teh, M. I. Jordan, M. J. Beal, D. M. Blei, "Hierarchical Dirichlet processes",
JASA 101 (2006), with at most K topics (H. Ishwaran, M. Zarepour, "Exact and approximate
sum representations for the Dirichlet process", 2002):

    a0 ~ Gamma,  gamma ~ Gamma,  w ~ Dirichlet(gamma / K),  theta_d ~ Dirichlet(a0 w).

As K grows, this becomes their process. Given w, every sampler is what it is with the
fixed prior alpha = a0 w. After each sweep the priors are drawn, in three steps:

1. the restaurant tables m_k, given w, a0 and the topics of the tokens (Antoniak, 1974),
2. gamma given the tables, w integrated out, and a0 given the tables,
3. w ~ Dirichlet(gamma / K + m_1, ..., gamma / K + m_K).

Beta is drawn, too, where it has a prior.
"""

from collections.abc import Callable, Sequence
from copy import copy
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

import numpy as np

from sklda._data.checks import check_numbers
from sklda._data.corpus import kernel_ranges, ranges, tokens_before
from sklda._engine.kernels.hierarchical import (
    HIGHEST,
    LOWEST,
    add_tables,
    draw_concentration,
    draw_dirichlet,
)
from sklda._sampling.doc_topic_counts import (
    Histogram,
    length_histogram,
    word_topic_histogram,
)
from sklda._sampling.minka import LearnedPriors, PriorUpdate, prior_trace
from sklda._sampling.problem import Problem
from sklda._sampling.random_streams import PRIORS, RandomStreams, draw_key
from sklda._sampling.sampler import SampledPrior
from sklda._sampling.threads import Threads

_CALLER = Threads(1)  # alone


def count_tables(
    before: np.ndarray,
    z: np.ndarray,
    alpha: np.ndarray,
    key: np.uint64,
    *,
    row: np.ndarray | None = None,
    first_token: int = 0,
    threads: Threads = _CALLER,
) -> np.ndarray:
    """Draw the tables of each topic, int64, in the shape of alpha; cost O(tokens).

    Alpha is (n_topics,), or (n_rows, n_topics) with the row of each document. `before`
    is `tokens_before` of the documents. Neither ranges nor threads change the sums.
    """
    rows = alpha.reshape(-1, alpha.shape[-1])
    row = np.zeros(before.size - 1, np.int32) if row is None else row

    def count(first, last):
        tables, offsets = np.zeros(rows.shape, np.int64), before[first : last + 1]
        for begin, end in kernel_ranges(offsets, 1):
            chunk = offsets[begin : end + 1]
            chunk_row = row[first + begin : first + end]
            add_tables(chunk, z, first_token, chunk_row, rows, key, tables)
        return tables

    slices = list(ranges(before - before[0], threads.n)) or [(0, 0)]
    tables = sum(threads.map(count, *zip(*slices, strict=True)))
    return tables.reshape(alpha.shape)


# The least entry of alpha: a topic with less is as good as excluded, until w is drawn
# again, and the kernels' float32 would be slow below 1e-38.
LEAST_ALPHA = 1e-20
_DRAWS = 3  # of 64 bits, in each sweep


class GammaPriors(NamedTuple):
    """Shape and rate of the gamma priors of what is sampled."""

    doc_concentration: tuple[float, float] = (1.0, 1.0)  # of a0
    weight_concentration: tuple[float, float] = (1.0, 0.1)  # of gamma
    topic_word_prior: tuple[float, float] | None = None  # of beta; None: it is fixed


class TopicWeights(NamedTuple):
    """A sample of the prior of the topics of documents."""

    weights: np.ndarray  # (n_topics,), w
    doc_concentration: float  # a0
    weight_concentration: float  # gamma

    @property
    def alpha(self) -> np.ndarray:
        """Return alpha = a0 w, (n_topics,)."""
        return np.maximum(self.doc_concentration * self.weights, LEAST_ALPHA)


def draw_noise(rng: RandomStreams) -> tuple[np.uint64, np.ndarray]:
    """Return the key of the tables of the next sweep, and the stream of other draws."""
    bits = [np.uint64(draw_key(rng.child(PRIORS).kernel)) for _ in range(_DRAWS)]
    return bits[0], np.array([bits[1], bits[2] | np.uint64(1)])


def draw_weights(
    tables: np.ndarray,
    lengths: Histogram,
    current: TopicWeights,
    priors: GammaPriors,
    stream: np.ndarray,
) -> TopicWeights:
    """Draw gamma, then a0 and w, given the tables and the lengths of the documents."""
    n_topics, n_tables = tables.size, int(tables.sum())
    sizes, n_sizes = np.unique(tables[tables > 0], return_counts=True)
    gamma = _draw_concentration(
        current.weight_concentration,
        priors.weight_concentration,
        [(-1.0, 1.0, n_tables), (n_sizes, 1 / n_topics, sizes)],
        stream,
    )
    shape, rate = priors.doc_concentration
    a0 = _draw_concentration(
        current.doc_concentration,
        (shape + n_tables, rate),
        [(-lengths[1], 1.0, lengths[0])],
        stream,
    )
    weights = np.empty(n_topics)
    draw_dirichlet(gamma / n_topics + tables, stream, weights)
    return TopicWeights(weights, a0, gamma)


def draw_topic_word_prior(
    beta: float,
    prior: tuple[float, float],
    histogram: Histogram,
    totals: np.ndarray,
    n_words: int,
    stream: np.ndarray,
) -> float:
    """Draw beta given how often each word-topic count occurs, and the tokens per topic.

    Beta remains in the range that users may choose.
    """
    counts, times = histogram
    terms = [(times, 1.0, counts), (-1.0, float(n_words), totals)]
    return _draw_concentration(beta, prior, terms, stream)


def _draw_concentration(value, prior, terms, stream):
    """Draw a concentration from its gamma prior times rising factorials."""
    terms = [np.broadcast_arrays(*map(np.atleast_1d, term)) for term in terms]
    joined = (np.concatenate(column) for column in zip(*terms, strict=True))
    arrays = tuple(np.asarray(column, np.float64) for column in joined)
    shape, rate = prior
    return draw_concentration(value, float(shape), float(rate), arrays, stream)


MOST_TOKENS = 0.99  # of the tokens are on the topics that count as used
_AT_A_TIME = 10_000  # documents
_ENDS = 0.025, 0.975  # of the interval of the number of topics
# The topics that hold all but 1 % of the tokens, and those that hold any.
_NUMBERS = ("n_topics", "n_nonempty")


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
        self.trace: list[dict[str, Any]] = []  # of each sweep
        self.kept: list[KeptPriors] = []
        self.burn_in = 0  # the last sweep of the trace that does not count

    def resample(self, chain: Any) -> Problem:
        """Draw the priors given the topics; return the problem with them."""
        problem, state = chain.problem, chain.state
        before, alpha = tokens_before(problem.corpus), problem.doc_topic_prior

        def count_topics(key):
            tables = count_tables(before, state.z, alpha, key, threads=self.threads)
            return tables, state.topic[: problem.n_topics]

        def count_words():
            return word_topic_histogram(chain.counts.word_topic)

        return self.draw(problem, count_topics, count_words, chain.n_sweeps)

    def draw(
        self,
        problem: Problem,
        count_topics: Callable[[np.uint64], tuple[np.ndarray, np.ndarray]],
        count_words: Callable[[], Histogram],
        sweep: int,
    ) -> Problem:
        """Draw the priors given what is counted; return the problem with them.

        ``count_topics(key)`` draws the restaurant tables of each topic, and returns
        them with its tokens. ``count_words()``, which is called if beta is sampled,
        returns how often each word-topic count occurs.
        """
        (key, stream), priors = draw_noise(self.rng), self.priors
        tables, totals = count_topics(key)
        self.current = draw_weights(tables, self.lengths, self.current, priors, stream)
        _, a0, gamma = self.current
        entry = {"sweep": sweep, "doc_concentration": a0, "weight_concentration": gamma}
        entry |= zip(_NUMBERS, topics_in_use(totals), strict=True)
        beta = problem.topic_word_prior
        if priors.topic_word_prior is not None:
            prior, n_words = priors.topic_word_prior, problem.n_words
            beta = draw_topic_word_prior(
                beta, prior, count_words(), totals, n_words, stream
            )
            entry["topic_word_prior"] = beta
        self.trace.append(entry)
        alpha = self.current.alpha
        return problem._replace(doc_topic_prior=alpha, topic_word_prior=beta)

    def keep(self, problem: Problem, sweep: int) -> None:
        """Add the present sample to the kept ones."""
        alpha, beta = problem.doc_topic_prior, problem.topic_word_prior
        self.kept.append(KeptPriors(sweep, self.current.weights, alpha, beta))

    def forget(self, burn_in: int) -> None:
        """Drop all kept samples; sweeps up to `burn_in` do not count."""
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
        names = self.trace[-1]
        trace = {
            name: np.array([entry[name] for entry in self.trace]) for name in names
        }
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
        """Return the present sample, without kept ones, for more documents."""
        other = copy(self)
        other.lengths = length_histogram(problem.corpus)
        other.trace, other.kept, other.burn_in = [], [], 0
        return other

    def scalars(self) -> dict[str, float]:
        """Return what is diagnosed of the present sample."""
        others = ("sweep", "n_nonempty")
        return {name: x for name, x in self.trace[-1].items() if name not in others}


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
        If they have unknown names, or are not a positive shape and rate, or if what is
        to be sampled is given as an array.
    """
    given = dict(parameters.hyperpriors or {})
    unknown = sorted(map(repr, set(given) - set(GammaPriors._fields)))
    if unknown:
        raise ValueError(
            f"hyperpriors has the unknown name {unknown[0]}. Valid names are "
            f"{', '.join(map(repr, GammaPriors._fields))}."
        )
    priors = GammaPriors(**{n: _check_gamma(n, prior) for n, prior in given.items()})
    if parameters.learn_priors != "hierarchical":
        return None
    sampled = {"doc_topic_prior": True, "topic_word_prior": priors.topic_word_prior}
    for name in filter(sampled.get, sampled):
        if np.ndim(getattr(parameters, name)) > 0:
            raise ValueError(
                f"learn_priors='hierarchical' samples the prior, so {name} cannot be "
                "an array: the first sweep would replace it. Pass one number, at which "
                "the chain starts, or None; or keep the array and set "
                "learn_priors=None or, for topic_word_prior, leave it out of "
                "hyperpriors."
            )
    return priors


def _check_gamma(name, prior) -> tuple[float, float]:
    where = f"hyperpriors[{name!r}]"
    shape, rate = check_numbers(prior, where, (2,)).astype(np.float64).tolist()
    if not (LOWEST <= shape <= HIGHEST and LOWEST <= rate <= HIGHEST):
        raise ValueError(
            f"{where} must be a shape and a rate from {LOWEST:g} to {HIGHEST:g}, got "
            f"({shape:g}, {rate:g})."
        )
    return shape, rate


def _interval(numbers: np.ndarray) -> np.ndarray:
    """Return the mean and the ends of an interval, (3,); NaN without any sweep.

    Sweeps are not independent draws, so the ends are quantiles of the trace as it is.
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
