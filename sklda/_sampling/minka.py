"""Minka's fixed point, which fits the Dirichlet priors to counts.

T. P. Minka, "Estimating a Dirichlet distribution" (2000), equation 55. With n_dk the
tokens of document d on topic k, n_d their sum and A = sum_k alpha_k,

    alpha_k <- alpha_k sum_d [psi(n_dk + alpha_k) - psi(alpha_k)]
                       / sum_d [psi(n_d + A) - psi(A)],

and, for a symmetric beta, with topics in place of documents and n_kw the tokens of word
w on topic k,

    beta <- beta sum_kw [psi(n_kw + beta) - psi(beta)]
                 / sum_k V [psi(n_k + V beta) - psi(V beta)].
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sklda._data.notices import warn_user
from sklda._sampling.linear_algebra import pairwise_sum
from sklda._simd.compile import inlined_kernel, kernel, lean_kernel
from sklda._simd.vector_math import log1p_double

LOWEST, HIGHEST = 1e-4, 1e3  # bounds for corpora too small to determine a prior
_BLOCKS, _FEWEST_BLOCKS = 8, 4
_SMALL_CHANGE = 0.1  # of the logarithm
_CLEAR = 4  # standard errors
_MAX_STEPS = 50
_TOLERANCE = 1e-4  # relative
_NEAR = 8  # tokens from one count to the next that are added one by one
_LARGE = 10.0  # from where on the asymptotic series of psi has all digits
# B_2k / 2k for k = 6, ..., 1, of psi(x) = log(x) - 1 / 2x - sum_k (B_2k / 2k) x^-2k.
_PSI_SERIES = (-691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)


class LearnedPriors(NamedTuple):
    """Which priors are learned, and whether topics share one alpha."""

    alpha: Literal["symmetric", "asymmetric"] | None
    beta: bool


class PriorUpdate(NamedTuple):
    """Priors after an update."""

    sweep: int
    alpha: np.ndarray  # (n_topics,)
    beta: float  # the mean, if words have values of their own


def prior_trace(updates: Sequence[PriorUpdate]) -> dict[str, np.ndarray]:
    """Return the sum of alpha, and beta, after each update."""
    return {
        "sweep": np.array([update.sweep for update in updates], np.int64),
        "doc_concentration": np.array([update.alpha.sum() for update in updates]),
        "topic_word_prior": np.array([update.beta for update in updates]),
    }


def describe_drift(values: Sequence[float]) -> str:
    """Return in words how a learned prior was still changing; "" if it had arrived."""
    if not (change := drift(values)):
        return ""
    return (
        f"changed by {np.expm1(change):+.0%} over the last quarter of its updates, to "
        f"{values[-1]:.3g}"
    )


def drift(values: Sequence[float]) -> float:
    """Return by how much the logarithm of a learned prior was still changing.

    This is the change from the third quarter of its updates to the last one; 0 if it is
    small, may be chance, or there are fewer than eight updates.
    """
    last = np.log(values[len(values) // 2 :])
    half, n_blocks = last.size // 2, min(_BLOCKS, last.size)
    if n_blocks < _FEWEST_BLOCKS:
        return 0.0
    change = float(last[-half:].mean() - last[:half].mean())
    # Successive updates are correlated, the means of blocks of them less.
    means = [block.mean() for block in np.array_split(last, n_blocks)]
    error = np.sqrt((np.diff(means) ** 2).mean() * 2 / n_blocks)
    return change if abs(change) > max(_SMALL_CHANGE, _CLEAR * error) else 0.0


def warn_unless_arrived(updates: Sequence[PriorUpdate]) -> None:
    """Raise a ConvergenceWarning if learned priors were still changing."""
    trace = prior_trace(updates)
    alpha = describe_drift(trace["doc_concentration"])
    beta = describe_drift(trace["topic_word_prior"])
    if alpha or beta:
        change = f"the sum of alpha {alpha}" if alpha else f"beta {beta}"
        warn_user(
            f"The priors were learned, but had not arrived at the end of the burn-in: "
            f"{change}. Fit with several times the burn_in and max_iter, or set the "
            "priors and learn_priors=None.",
            ConvergenceWarning,
        )


def _gain(counts, prior):
    """Return psi(n + prior) - psi(prior), the same bits on every processor."""
    each, gain = np.arange(counts.size), np.zeros(counts.size)
    counts, once = counts.astype(np.float64), np.ones(counts.size)
    _add_gains(each, counts, once, np.full(counts.size, float(prior)), gain)
    return gain


@kernel
def _add_gains(topics, counts, times, alpha, gain):
    """Add the gain of each topic and count, which occur so many times, to `gain`."""
    last, known, before = -1, 0.0, 0.0  # the gain of `known` tokens is `before`
    for i in range(topics.size):
        k, n = topics[i], np.float64(counts[i])
        steps = n - known
        if k != last or steps < 0 or steps > _NEAR or steps != np.floor(steps):
            last, known, before = k, n, _gain_of(n, alpha[k])
        while known < n:  # psi(x + 1) = psi(x) + 1 / x
            before += 1 / (alpha[k] + known)
            known += 1
        gain[k] += times[i] * before


@lean_kernel
def _gain_of(n, x):
    """Return psi(n + x) - psi(x)."""
    sum_ = 0.0
    # psi(x) = psi(x + 1) - 1 / x. Terms of both are subtracted by hand: rounding would
    # leave nothing of a tiny n.
    while x < _LARGE:
        sum_ += n / (x * (x + n))
        x += 1
    inverse, inverse_sum = 1 / x, 1 / (x + n)
    between = n * inverse * inverse_sum
    sum_ += log1p_double(n / x) + 0.5 * between
    tail = _tail(inverse * inverse, inverse_sum, between * (inverse + inverse_sum))
    return sum_ + tail


@inlined_kernel
def _tail(t, root_s, difference):
    """Return the series of psi in t = x^-2 minus that in s = root_s^2 = t - difference.

    Horner's scheme for p(t) - p(s), with p(t) beside it: nothing cancels.
    """
    p, result = 0.0, 0.0
    for factor in _PSI_SERIES:
        result = (p + factor) * difference + root_s * root_s * result
        p = (p + factor) * t
    return result


def doc_topic_fixed_point(alpha, histogram, lengths, *, symmetric):
    """Return an alpha that explains a histogram of counts better, (n_topics,).

    `histogram` has three parallel arrays: topics, counts above 0, and the (expected)
    number of documents with this count on this topic. `lengths` has the different
    lengths of documents and the number of documents of each. The result is from
    `LOWEST` to `HIGHEST`, with one value for all topics if `symmetric`; it is `alpha`
    if there are no tokens.
    """
    # One type for each, so that the kernel is compiled once.
    topics = np.ascontiguousarray(histogram[0], np.int64)
    counts, times = np.array(histogram[1:], np.float64)
    lengths, n_docs = (values[lengths[0] > 0] for values in lengths)
    if lengths.size == 0 or counts.size == 0:
        return alpha
    if symmetric:
        alpha = np.full(alpha.size, alpha.mean())
    for _ in range(_MAX_STEPS):
        gain = np.zeros(alpha.size)
        _add_gains(topics, counts, times, alpha, gain)
        if symmetric:
            gain = np.full(alpha.size, gain.mean())
        step = gain / pairwise_sum(n_docs * _gain(lengths, alpha.sum()))
        better = np.clip(alpha * step, LOWEST, HIGHEST)
        if (np.abs(better - alpha) <= _TOLERANCE * alpha).all():
            return better
        alpha = better
    return alpha


def topic_word_fixed_point(beta, histogram, topic_totals, n_words):
    """Return a symmetric beta that explains the words of the topics better.

    `histogram` has the counts n_kw and how many words and topics (are expected to) have
    each, `topic_totals` the tokens per topic, (n_topics,). The result is from
    `LOWEST` to `HIGHEST`, and `beta` if there are no tokens.
    """
    counts, times = (values[histogram[0] > 0] for values in histogram)
    if counts.size == 0:
        return beta
    for _ in range(_MAX_STEPS):
        gain = pairwise_sum(times * _gain(counts, beta))
        most = n_words * pairwise_sum(_gain(topic_totals, n_words * beta))
        better = float(np.clip(beta * gain / most, LOWEST, HIGHEST))
        if abs(better - beta) <= _TOLERANCE * beta:
            return better
        beta = better
    return beta
