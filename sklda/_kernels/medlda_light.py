"""Metropolis-Hastings sampling of topics that have to explain labels too.

X. Zheng, Y. Yu & E. Xing, "Linear time samplers for supervised topic models using
compositional proposals" (2016). The conditional of a token, taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) * (n_wk + beta) / (n_k + V beta) * exp(g(k)),

g as in `labels`, is a product, and each of three proposals is one factor of it:

    document   q(k) ~ n_dk + alpha_k: the topic of another token of the document
    word       q(k) ~ n_wk + beta: the topic of another token of the word
    labels     q(k) ~ exp(g(k)), where m_t is estimated from other tokens.

The first two take O(1) time and are never out of date: the topics are kept a second
time in the order of words. For the third the tokens of a document are cut into
`BLOCKS`; q of a block is made from the tokens outside of it, which do not change as
long as it serves. So no proposal knows the topic of the token itself, and with the
acceptance ratio in full (their equations 19 to 21) each step leaves the conditional as
it is. Cost: O(K tasks) per document, O(tasks) per step.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sklda._kernels import dense
from sklda._kernels.document import count_document
from sklda._kernels.draws import uniform
from sklda._kernels.labels import exp, exponents, highest, total_weights

BLOCKS = 4


class State(NamedTuple):
    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32
    topic: np.ndarray  # (n_lanes,) int32
    word_ptr: np.ndarray  # (n_words + 1,) int64; tokens of word w in `by_word`
    place: np.ndarray  # (n_cells,) int64; where the tokens of a cell stand there
    by_word: np.ndarray  # (n_tokens,) uint16; z in the order of words


def init(corpus, n_words, priors, rng):
    """Seat every token, and find the order of words."""
    state = dense.init(corpus, n_words, priors, rng)
    return with_order(corpus, state)


def with_order(corpus, state):
    """Return the state of dense tables with the topics in the order of words."""
    n_words, n_tokens = state.word_topic.shape[0], np.diff(corpus.token_ptr)
    order = np.argsort(corpus.word, kind="stable")
    place = np.empty(order.size, np.int64)
    place[order] = np.cumsum(n_tokens[order]) - n_tokens[order]
    of_words = np.bincount(corpus.word, n_tokens, n_words).astype(np.int64)
    word_ptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(of_words)])
    by_word = np.empty_like(state.z)
    start = np.repeat(place - corpus.token_ptr[:-1], n_tokens)
    by_word[start + np.arange(state.z.size)] = state.z
    return State(*state, word_ptr, place, by_word)


read_counts = dense.read_counts


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _gain(new, old, pull, half):
    """Return the change of the document's log factor when a token moves.

    That is sum_t (u_t D - (b_t / N^2) D^2 / 2) with D = eta_new,t - eta_old,t and
    u_t = a_t / N - (b_t / N^2) m_t, m_t of all tokens as they are.
    """
    total = np.float32(0)
    for t in range(pull.size):
        change = new[t] - old[t]
        total += change * (pull[t] - half[t] * change)
    return total


@njit(cache=True, nogil=True, _nrt=False)
def _propose_by_labels(weights, slope, curvature, outside, n, n_out, density, summed):
    """Set `density` to exp(g) of each topic, and `summed` to its running sums.

    `outside` holds m_t of n_out tokens; of all n, less one, it would be about
    (n - 1) / n_out times as much.
    """
    n_topics = summed.size
    for t in range(outside.size):
        outside[t] *= (n - 1) / max(n_out, 1)
    exponents(weights, slope, curvature, outside, density)
    top = highest(density[:n_topics])
    total = 0.0
    for k in range(n_topics):
        density[k] = exp(density[k] - top)
        total += density[k]
        summed[k] = total


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _search(summed, r):
    """Return the first k with r < summed[k], or the last."""
    first, n = 0, summed.size - 1
    while n > 0:
        half = n // 2
        if summed[first + half] <= r:
            first += half + 1
            n -= half + 1
        else:
            n = half
    return first


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _other(z, first, n, own, prior_sums, rng):
    """Return the topic of another of n tokens, or a topic in proportion to the prior.

    The tokens are those from z[first], and z[first + own] is not asked.
    """
    r = uniform(rng) * (n - 1 + prior_sums[-1])
    if r >= n - 1:
        return _search(prior_sums, r - (n - 1))
    i = np.int64(r)
    return np.int64(z[first + i + (1 if i >= own else 0)])


@njit(cache=True, nogil=True)
def sweep(corpus, state, priors, labels, n_steps, rng):
    """Take `n_steps` steps for every token, of each kind in turn."""
    doc_ptr, word, token_ptr = corpus
    z, word_topic, topic, word_ptr, place, by_word = state
    alpha, beta = priors
    weights, slope, curvature = labels
    n_topics = np.count_nonzero(alpha)
    by_topic = np.zeros((n_topics, padded_tasks(weights.shape[0])), np.float32)
    by_topic[:, : weights.shape[0]] = weights[:, :n_topics].T
    alpha_sums = np.cumsum(alpha[:n_topics].astype(np.float64))
    beta_sums = np.cumsum(np.full(n_topics, np.float64(beta)))
    word_mass = np.float64(word_topic.shape[0]) * beta
    doc_topic = np.zeros(alpha.size, np.int32)
    total = np.zeros(weights.shape[0])
    outside = np.zeros(weights.shape[0])
    pull = np.zeros(by_topic.shape[1], np.float32)
    half = np.zeros(by_topic.shape[1], np.float32)
    density = np.zeros(alpha.size, np.float32)
    summed = np.zeros(n_topics)
    for d in range(doc_ptr.size - 1):
        first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
        count_document(first, last, z, doc_topic)
        total_weights(weights, doc_topic, total)
        for t in range(total.size):
            pull[t] = slope[d, t] - curvature[d, t] * total[t]
            half[t] = np.float32(0.5) * curvature[d, t]
        end = first
        for c in range(doc_ptr[d], doc_ptr[d + 1]):
            w = word[c]
            row = word_topic[w]
            for i in range(token_ptr[c], token_ptr[c + 1]):
                if i == end:
                    end = min(last, i + -(-(last - first) // BLOCKS))
                    _outside(i, end, z, total, by_topic, outside)
                    _propose_by_labels(
                        weights, slope[d], curvature[d], outside, last - first,
                        last - first - end + i, density, summed,
                    )  # fmt: skip
                at = place[c] + i - token_ptr[c]
                old = np.int64(z[i])
                new = _step_often(
                    n_steps, i, first, last, z, at, word_ptr[w], word_ptr[w + 1],
                    by_word, old, row, beta, word_mass, doc_topic, topic, alpha,
                    alpha_sums, beta_sums, by_topic, pull, half, density, summed, rng,
                )  # fmt: skip
                if new == old:
                    continue
                z[i] = new
                by_word[at] = new
                for k, change in ((old, -1), (new, 1)):
                    row[k] += change
                    topic[k] += change
                    doc_topic[k] += change
                for t in range(total.size):
                    moved = by_topic[new, t] - by_topic[old, t]
                    total[t] += moved
                    pull[t] -= curvature[d, t] * moved


@njit(cache=True, nogil=True, _nrt=False)
def padded_tasks(n_tasks):
    """Return the tasks that fill registers."""
    return -(-n_tasks // 8) * 8


@njit(cache=True, nogil=True, _nrt=False)
def _outside(first, last, z, total, by_topic, outside):
    """Set `outside` to m_t without the tokens of a block."""
    for t in range(total.size):
        outside[t] = total[t]
    for i in range(first, last):
        for t in range(total.size):
            outside[t] -= by_topic[z[i], t]


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _step_often(
    n_steps, i, first, last, z, at, word_first, word_last, by_word, old, row, beta,
    word_mass, doc_topic, topic, alpha, alpha_sums, beta_sums, by_topic, pull, half,
    density, summed, rng,
):  # fmt: skip
    """Take the steps of one token; return its topic after them."""
    now = old
    of_doc = np.float64(doc_topic[old] - 1 + alpha[old])
    of_word = np.float64(row[old] - 1 + beta)
    of_topic = np.float64(topic[old] - 1 + word_mass)
    gain = np.float32(0)
    for step in range(n_steps):
        kind = step % 3
        if kind == 0:
            new = _other(z, first, last - first, i - first, alpha_sums, rng)
        elif kind == 1:
            new = _other(
                by_word, word_first, word_last - word_first, at - word_first,
                beta_sums, rng,
            )  # fmt: skip
        else:
            new = _search(summed, uniform(rng) * summed[-1])
        if new == now:
            continue
        itself = 1 if new == old else 0
        new_doc = np.float64(doc_topic[new] - itself + alpha[new])
        new_word = np.float64(row[new] - itself + beta)
        new_topic = np.float64(topic[new] - itself + word_mass)
        new_gain = _gain(by_topic[new], by_topic[old], pull, half)
        # p(new) q(now) / (p(now) q(new)): the proposal's own factor cancels.
        up, down = of_topic, new_topic
        if kind != 0:
            up, down = up * new_doc, down * of_doc
        if kind != 1:
            up, down = up * new_word, down * of_word
        if kind == 2:
            up, down = up * density[now], down * density[new]
        odds = np.float64(exp(min(new_gain - gain, np.float32(87))))
        if uniform(rng) * down < up * odds:
            now, gain = new, new_gain
            of_doc, of_word, of_topic = new_doc, new_word, new_topic
    return now
