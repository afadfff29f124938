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
from sklda._kernels.draws import next_uint64
from sklda._kernels.labels import exp, exponents, highest, total_weights
from sklda._kernels.memory import prefetch

BLOCKS = 4
PAD = 32
# Of log q(k), below its highest: no topic is left out.
LEAST = np.float32(-40)


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


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _search(summed, first, r):
    """Return the first k from `first` with r < summed[k], or the last."""
    k = first
    while k < summed.size - 1 and summed[k] <= r:
        k += 1
    return k


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _other(own, first, last, r, prior_sums):
    """Return another index from first to last, or ~k for topic k of the prior.

    r is uniform from 0 to 1.
    """
    n = last - first - 1
    r *= n + prior_sums[-1]
    if r >= n:
        return ~_search(prior_sums, 0, r - n)
    i = first + np.int64(r)
    return i + (i >= own)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def _label_proposal(
    weights, slope, curvature, outside, n, n_out, density, summed, guide
):
    """Prepare draws with q(k) ~ exp(g(k)), and set `density` to 1 / q(k), about.

    `outside` holds m_t of n_out tokens; of all n, less one, it would be about
    (n - 1) / n_out times as much. guide[j] is the first topic whose running sum is
    above j of guide.size parts of the whole: there a search begins.
    """
    for t in range(outside.size):
        outside[t] *= (n - 1) / max(n_out, 1)
    exponents(weights, slope, curvature, outside, density)
    top = highest(density[: summed.size])
    for k in range(density.size):
        density[k] = exp(max(density[k] - top, LEAST))
    total = 0.0
    for k in range(summed.size):
        total += density[k]
        summed[k] = total
    for k in range(density.size):
        density[k] = np.float32(1) / density[k]
    k = 0
    part = total / guide.size
    for j in range(guide.size):
        while summed[k] <= j * part and k < summed.size - 1:
            k += 1
        guide[j] = k


@njit(cache=True, nogil=True, _nrt=False)
def _draw_steps(
    begin, end, corpus, first, last, state, alpha_sums, beta_sums, label_sums, guide,
    asked, chance, rng,
):
    """Draw what each step of the tokens of a block will ask, and its chance.

    Nothing here depends on topics, so that all steps can be drawn before the first.
    """
    _, word, token_ptr = corpus
    n_lanes = state.word_topic.shape[1]
    j = 0
    for c in range(begin, end):
        w = word[c]
        word_first, word_last = state.word_ptr[w], state.word_ptr[w + 1]
        at = state.place[c]
        for i in range(token_ptr[c], token_ptr[c + 1]):
            prefetch(state.word_topic, w * n_lanes + state.z[i])
            for step in range(asked.shape[1]):
                bits = next_uint64(rng)
                r = np.float64(bits >> np.uint64(24)) * 2.0**-40
                low = np.int32(bits & np.uint64(2**24 - 1))
                chance[j, step] = np.float32(low) * np.float32(2.0**-24)
                if step % 3 == 0:
                    k = _other(i, first, last, r, alpha_sums)
                elif step % 3 == 1:
                    k = _other(at, word_first, word_last, r, beta_sums)
                    prefetch(state.by_word, k)
                else:
                    start = guide[np.uint32(r * guide.size)]
                    k = ~_search(label_sums, np.int64(start), r * label_sums[-1])
                    prefetch(state.word_topic, w * n_lanes + ~k)
                asked[j, step] = k
            at += 1
            j += 1


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _answer(asked, z, by_word, old, candidate):
    """Set `candidate` to the topics that steps propose, after the present one.

    Return whether one is another.
    """
    candidate[0] = old
    differ = np.uint32(0)
    for step in range(asked.size):
        i = asked[step]
        if i < 0:
            k = np.uint32(~i)
        elif step % 3 == 0:
            k = np.uint32(z[np.uint32(i)])
        else:
            k = np.uint32(by_word[np.uint32(i)])
        candidate[step + 1] = k
        differ |= k ^ old
    return differ != 0


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def _choose(
    candidate, chance, row, beta, of_doc, of_topic, word_mass, topic, by_topic, pull,
    half, density, gain, odds,
):  # fmt: skip
    """Take the steps to the candidates one after the other; return the last topic.

    odds[s, j] is p(k) / q(k) of topic k = candidate[s] where step j proposes, and a
    step accepts with the ratio of the new and the old ones: their equations 19 to 21.
    """
    old = candidate[0]
    top = np.float32(0)
    for s in range(1, candidate.size):
        gain[s] = _gain(by_topic[candidate[s]], by_topic[old], pull, half)
        top = max(top, gain[s])
    _exponentials(gain, top)
    word_part = np.float32(row[old] - 1) + beta
    doc_part = of_doc[old] - np.float32(1)
    tilt = gain[0] / (np.float32(topic[old] - 1) + word_mass)
    odds[0, 0] = word_part * tilt
    odds[0, 1] = doc_part * tilt
    odds[0, 2] = doc_part * word_part * tilt * density[old]
    now = 0
    kind = 0
    for s in range(1, candidate.size):
        k = candidate[s]
        word_part = np.float32(row[k]) + beta
        doc_part = of_doc[k]
        tilt = gain[s] * of_topic[k]
        odds[s, 0] = word_part * tilt
        odds[s, 1] = doc_part * tilt
        odds[s, 2] = doc_part * word_part * tilt * density[k]
        new = s if k != old else 0
        now = new if chance[s - 1] * odds[now, kind] < odds[new, kind] else now
        kind = kind + 1 if kind < 2 else 0
    return candidate[now]


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _exponentials(gain, top):
    """Replace each by exp(gain - top), the first of which was 0."""
    gain[0] = 0
    for s in range(gain.size):
        gain[s] = exp(gain[s] - top)


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(corpus, state, priors, labels, n_steps, rng):
    """Take `n_steps` steps for every token, of each kind in turn."""
    doc_ptr, word, token_ptr = corpus
    z, word_topic, topic, _, place, by_word = state
    alpha, beta = priors
    weights, slope, curvature = labels
    n_topics = np.count_nonzero(alpha)
    by_topic = np.zeros((n_topics, padded_tasks(weights.shape[0])), np.float32)
    by_topic[:, : weights.shape[0]] = weights[:, :n_topics].T
    alpha_sums = np.cumsum(alpha[:n_topics].astype(np.float64))
    beta_sums = np.cumsum(np.full(n_topics, np.float64(beta)))
    word_mass = np.float32(word_topic.shape[0]) * beta
    of_topic = np.float32(1) / (topic.astype(np.float32) + word_mass)
    doc_topic = np.zeros(alpha.size, np.int32)
    of_doc = np.zeros(alpha.size, np.float32)
    total = np.zeros(weights.shape[0])
    outside = np.zeros(weights.shape[0])
    pull = np.zeros(by_topic.shape[1], np.float32)
    half = np.zeros(by_topic.shape[1], np.float32)
    density = np.zeros(alpha.size, np.float32)
    summed = np.zeros(n_topics)
    guide = np.zeros(alpha.size, np.uint32)
    longest = longest_block(doc_ptr, token_ptr)
    asked = np.empty((longest, n_steps), np.int32)
    chance = np.empty((longest, n_steps), np.float32)
    candidate = np.empty(n_steps + 1, np.uint32)
    gain = np.zeros(-(-(n_steps + 1) // 8) * 8, np.float32)
    odds = np.empty((n_steps + 1, 3), np.float32)
    for d in range(doc_ptr.size - 1):
        first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
        count_document(first, last, z, doc_topic)
        for k in range(alpha.size):
            of_doc[k] = np.float32(doc_topic[k]) + alpha[k]
        total_weights(weights, doc_topic, total)
        for t in range(total.size):
            pull[t] = slope[d, t] - curvature[d, t] * total[t]
            half[t] = np.float32(0.5) * curvature[d, t]
        end = doc_ptr[d]
        while end < doc_ptr[d + 1]:
            begin, end = end, end_of_block(end, doc_ptr[d + 1], token_ptr, last - first)
            inside = token_ptr[end] - token_ptr[begin]
            _outside(token_ptr[begin], token_ptr[end], z, total, by_topic, outside)
            _label_proposal(
                weights, slope[d], curvature[d], outside, last - first,
                last - first - inside, density, summed, guide,
            )  # fmt: skip
            _draw_steps(
                begin, end, corpus, first, last, state, alpha_sums, beta_sums,
                summed, guide, asked, chance, rng,
            )  # fmt: skip
            j = 0
            for c in range(begin, end):
                row = word_topic[word[c]]
                at = place[c]
                for i in range(token_ptr[c], token_ptr[c + 1]):
                    old = np.uint32(z[i])
                    new = old
                    if _answer(asked[j], z, by_word, old, candidate):
                        new = _choose(
                            candidate, chance[j], row, beta, of_doc, of_topic,
                            word_mass, topic, by_topic, pull, half, density, gain, odds,
                        )  # fmt: skip
                    if new != old:
                        z[i] = new
                        by_word[at] = new
                        for k, change in ((old, -1), (new, 1)):
                            row[k] += change
                            topic[k] += change
                            of_doc[k] += np.float32(change)
                            of_topic[k] = np.float32(1) / (
                                np.float32(topic[k]) + word_mass
                            )
                        for t in range(total.size):
                            moved = by_topic[new, t] - by_topic[old, t]
                            total[t] += moved
                            pull[t] -= curvature[d, t] * moved
                    at += 1
                    j += 1


@njit(cache=True, nogil=True, _nrt=False)
def end_of_block(begin, last, token_ptr, n):
    """Return the cell after those from `begin` that hold a share of n tokens."""
    enough = token_ptr[begin] + -(-n // BLOCKS)
    end = begin + 1
    while end < last and token_ptr[end] < enough:
        end += 1
    return end


@njit(cache=True, nogil=True, _nrt=False)
def longest_block(doc_ptr, token_ptr):
    """Return the tokens of the longest block."""
    longest = 0
    for d in range(doc_ptr.size - 1):
        n = token_ptr[doc_ptr[d + 1]] - token_ptr[doc_ptr[d]]
        end = doc_ptr[d]
        while end < doc_ptr[d + 1]:
            begin, end = end, end_of_block(end, doc_ptr[d + 1], token_ptr, n)
            longest = max(longest, token_ptr[end] - token_ptr[begin])
    return longest


@njit(cache=True, nogil=True, _nrt=False)
def padded_tasks(n_tasks):
    """Return the tasks that fill registers."""
    return -(-n_tasks // PAD) * PAD


@njit(cache=True, nogil=True, _nrt=False)
def _outside(first, last, z, total, by_topic, outside):
    """Set `outside` to m_t without the tokens of a block."""
    for t in range(total.size):
        outside[t] = total[t]
    for i in range(first, last):
        for t in range(total.size):
            outside[t] -= by_topic[z[i], t]
