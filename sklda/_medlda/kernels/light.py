"""Metropolis-Hastings sampling of topics that have to explain labels too.

X. Zheng, "Linear time samplers for supervised topic models using compositional
proposals" (2016). The conditional of a token, taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) * (n_wk + beta) / (n_k + V beta) * exp(g(k)),

g as in `labels`, is a product, and each of three proposals is one factor of it:

    document   q(k) ~ n_dk + alpha_k: the topic of another token of the document
    word       q(k) ~ n_wk + beta: the topic of another token of the word
    labels     q(k) ~ exp(g(k)), where m_t is estimated from other tokens.

The first two take O(1) time and are never out of date: the topics are kept a second
time in the order of words. For the third the cells of a document are cut into blocks
of about a `BLOCKS`-th of its tokens; q of a block is made from the tokens outside of
it, which do not change as long as it serves. So no proposal knows the topic of the
token itself, and with the acceptance ratio in full (equations 19 to 21 there) each step
leaves the conditional as it is.

Which token a step asks depends on no topic either: all steps of a block are drawn
first, and what they will read is asked for early. The topics proposed to a token are
weighed together. Cost: O(K tasks) per block, O(tasks) per step.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from sklda._core import rows as dense
from sklda._core.document import count_document
from sklda._core.prefetch import prefetch
from sklda._core.random_streams import next_uint64
from sklda._medlda.kernels.labels import (
    exp,
    exponents,
    gain_of_move,
    highest,
    total_weights,
)

BLOCKS = 4
LEAST = np.float32(-40)  # log q(k), below its highest: no topic is left out


class State(NamedTuple):
    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32
    topic: np.ndarray  # (n_lanes,) int32
    word_ptr: np.ndarray  # (n_words + 1,) int64; tokens of word w in `by_word`
    place: np.ndarray  # (n_cells,) int64; where the tokens of a cell stand there
    by_word: np.ndarray  # (n_tokens,) uint16; z in the order of words


class Work(NamedTuple):
    """What is kept of a document, of a block and of a token."""

    of_doc: np.ndarray  # (n_lanes,) float32, n_dk + alpha_k
    total: np.ndarray  # (n_tasks,) m_t
    pull: np.ndarray  # (n_tasks,) float32, a_t / N - (b_t / N^2) m_t
    half: np.ndarray  # (n_tasks,) float32, (b_t / N^2) / 2
    outside: np.ndarray  # (n_tasks,) m_t of tokens outside of the block
    inverse: np.ndarray  # (n_lanes,) float32, 1 / q(k) of the labels' proposal
    summed: np.ndarray  # (n_topics,) running sums of q
    guide: np.ndarray  # (n_lanes,) uint32; where a search in these begins
    asked: np.ndarray  # (n_tokens, n_steps) int32, of the longest block
    chance: np.ndarray  # (n_tokens, n_steps) float32, uniform
    candidate: np.ndarray  # (n_steps + 1,) uint32: the present topic, those proposed
    gain: np.ndarray  # (n_steps + 1 or more,) float32, of log p by the labels
    tilt: np.ndarray  # the same, exponentiated
    odds: np.ndarray  # (n_steps + 1, 3) float32, p(k) / q(k) of each kind of step


def init(corpus, n_words, priors, rng):
    """Give each token a topic, and find the order of words."""
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


@njit(cache=True, nogil=True, error_model="numpy")
def sweep(corpus, state, priors, labels, n_steps, rng):
    """Take `n_steps` steps for every token, of each kind in turn."""
    doc_ptr, _, token_ptr = corpus
    alpha, beta = priors
    weights, slope, curvature = labels
    n_topics = np.count_nonzero(alpha)
    by_topic = np.ascontiguousarray(weights[:, :n_topics].T)
    alpha_sums = np.cumsum(alpha[:n_topics].astype(np.float64))
    word_mass = np.float32(state.word_topic.shape[0]) * beta
    of_topic = np.float32(1) / (state.topic.astype(np.float32) + word_mass)
    doc_topic = np.zeros(alpha.size, np.int32)
    work = _room(weights.shape[0], n_topics, alpha.size, n_steps, corpus)
    for d in range(doc_ptr.size - 1):
        cell, last_cell = doc_ptr[d], doc_ptr[d + 1]
        first, last = token_ptr[cell], token_ptr[last_cell]
        count_document(first, last, state.z, doc_topic)
        _enter(doc_topic, alpha, weights, slope[d], curvature[d], work)
        while cell < last_cell:
            end = _end_of_block(cell, last_cell, token_ptr, last - first)
            n_out = last - first - (token_ptr[end] - token_ptr[cell])
            _look_outside(token_ptr[cell], token_ptr[end], state.z, by_topic, work)
            _propose_by_labels(
                weights, slope[d], curvature[d], last - first, n_out, work
            )
            _draw_steps(
                cell, end, corpus, first, last, state, alpha_sums, beta, work, rng
            )
            j = 0
            for c in range(cell, end):
                j = _redraw_cell(
                    c, j, corpus, curvature[d], state, beta, word_mass, of_topic,
                    by_topic, work,
                )  # fmt: skip
            cell = end


@njit(cache=True, nogil=True)
def _room(n_tasks, n_topics, n_lanes, n_steps, corpus):
    doc_ptr, _, token_ptr = corpus
    longest = 0
    for d in range(doc_ptr.size - 1):
        cell, last_cell = doc_ptr[d], doc_ptr[d + 1]
        n = token_ptr[last_cell] - token_ptr[cell]
        while cell < last_cell:
            end = _end_of_block(cell, last_cell, token_ptr, n)
            longest = max(longest, token_ptr[end] - token_ptr[cell])
            cell = end
    # Whole registers of numbers: a loop over the steps alone is too short for any.
    n_wide = -(-(n_steps + 1) // 8) * 8
    return Work(
        of_doc=np.zeros(n_lanes, np.float32),
        total=np.zeros(n_tasks),
        pull=np.zeros(n_tasks, np.float32),
        half=np.zeros(n_tasks, np.float32),
        outside=np.zeros(n_tasks),
        inverse=np.zeros(n_lanes, np.float32),
        summed=np.zeros(n_topics),
        guide=np.zeros(n_lanes, np.uint32),
        asked=np.zeros((longest, n_steps), np.int32),
        chance=np.zeros((longest, n_steps), np.float32),
        candidate=np.zeros(n_steps + 1, np.uint32),
        gain=np.zeros(n_wide, np.float32),
        tilt=np.zeros(n_wide, np.float32),
        odds=np.zeros((n_steps + 1, 3), np.float32),
    )


@njit(cache=True, nogil=True, _nrt=False)
def _end_of_block(begin, last, token_ptr, n):
    """Return the cell after those from `begin` that hold their part of n tokens."""
    enough = token_ptr[begin] + -(-n // BLOCKS)
    end = begin + 1
    while end < last and token_ptr[end] < enough:
        end += 1
    return end


@njit(cache=True, nogil=True, _nrt=False)
def _enter(doc_topic, alpha, weights, slope, curvature, work):
    """Set what is kept of a document."""
    for k in range(alpha.size):
        work.of_doc[k] = np.float32(doc_topic[k]) + alpha[k]
    total_weights(weights, doc_topic, work.total)
    for t in range(slope.size):
        work.pull[t] = slope[t] - curvature[t] * work.total[t]
        work.half[t] = np.float32(0.5) * curvature[t]


@njit(cache=True, nogil=True, _nrt=False)
def _look_outside(first, last, z, by_topic, work):
    """Set `outside` to m_t without the tokens of a block."""
    outside, total = work.outside, work.total
    for t in range(total.size):
        outside[t] = total[t]
    for i in range(first, last):
        for t in range(total.size):
            outside[t] -= by_topic[z[i], t]


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def _propose_by_labels(weights, slope, curvature, n, n_out, work):
    """Make q(k) ~ exp(g(k)) of a block, with what draws from it take.

    `outside` holds m_t of n_out tokens; of all n, less one, it would be about
    (n - 1) / n_out times as much. guide[j] is the first topic whose running sum is
    above j parts of the whole, out of as many as there are lanes.
    """
    outside, inverse, summed, guide = (
        work.outside, work.inverse, work.summed, work.guide
    )  # fmt: skip
    for t in range(outside.size):
        outside[t] *= (n - 1) / max(n_out, 1)
    exponents(weights, slope, curvature, outside, inverse)
    top = highest(inverse[: summed.size])
    for k in range(inverse.size):
        inverse[k] = exp(max(inverse[k] - top, LEAST))
    whole = 0.0
    for k in range(summed.size):
        whole += inverse[k]
        summed[k] = whole
    for k in range(inverse.size):
        inverse[k] = np.float32(1) / inverse[k]
    k = 0
    part = whole / guide.size
    for j in range(guide.size):
        while k < summed.size - 1 and summed[k] <= j * part:
            k += 1
        guide[j] = k


@njit(cache=True, nogil=True, _nrt=False)
def _draw_steps(begin, end, corpus, first, last, state, alpha_sums, beta, work, rng):
    """Draw what each step of the tokens of a block will ask, and its chance.

    That is a token of the document, or one of the word; or ~k for topic k itself. Of a
    random number 40 bits go into the one and 24 into the other.
    """
    _, word, token_ptr = corpus
    n_lanes, beta = work.of_doc.size, np.float64(beta)
    j = 0
    for c in range(begin, end):
        w = word[c]
        word_first, word_last = state.word_ptr[w], state.word_ptr[w + 1]
        at = state.place[c]
        for i in range(token_ptr[c], token_ptr[c + 1]):
            prefetch(state.word_topic, w * n_lanes + state.z[i])
            for step in range(work.asked.shape[1]):
                bits = next_uint64(rng)
                r = np.float64(bits >> np.uint64(24)) * 2.0**-40
                low = np.float32(np.int32(bits & np.uint64(2**24 - 1)))
                work.chance[j, step] = low * np.float32(2.0**-24)
                if step % 3 == 0:
                    asked = _ask_document(i, first, last, r, alpha_sums)
                elif step % 3 == 1:
                    asked = _ask_word(at, word_first, word_last, r, beta, work)
                    prefetch(state.by_word, asked)
                else:
                    k = _ask_labels(r, work)
                    prefetch(state.word_topic, w * n_lanes + k)
                    asked = ~k
                work.asked[j, step] = asked
            at += 1
            j += 1


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _other(own, first, r):
    """Return the r-th index from `first`, not counting `own`."""
    i = first + np.int64(r)
    return i + (i >= own)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _ask_document(own, first, last, r, alpha_sums):
    """Return another token of the document or, in proportion to alpha, ~k."""
    n = last - first - 1
    r *= n + alpha_sums[-1]
    if r < n:
        return _other(own, first, r)
    return ~min(np.searchsorted(alpha_sums, r - n, "right"), alpha_sums.size - 1)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def _ask_word(own, first, last, r, beta, work):
    """Return another token of the word or, each topic with beta, ~k."""
    n, n_topics = last - first - 1, work.summed.size
    r *= n + n_topics * beta
    if r < n:
        return _other(own, first, r)
    return ~min(np.int64((r - n) / beta), n_topics - 1)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _ask_labels(r, work):
    """Return a topic as the labels propose it."""
    summed, guide = work.summed, work.guide
    k = np.int64(guide[np.uint32(r * guide.size)])
    r *= summed[-1]
    while k < summed.size - 1 and summed[k] <= r:
        k += 1
    return k


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _redraw_cell(
    c, j, corpus, curvature, state, beta, word_mass, of_topic, by_topic, work
):
    """Take the steps of the tokens of a cell, the j-th of the block and those after it.

    Return the number of the token after them.
    """
    z, by_word = state.z, state.by_word
    row = state.word_topic[corpus.word[c]]
    at = state.place[c]
    for i in range(corpus.token_ptr[c], corpus.token_ptr[c + 1]):
        old = np.uint32(z[i])
        if _listen(old, z, by_word, work.asked[j], work.candidate):
            new = _choose(
                work.chance[j], row, state.topic, beta, word_mass, of_topic, by_topic,
                work,
            )  # fmt: skip
            if new != old:
                z[i] = new
                by_word[at] = new
                for k, change in ((old, -1), (new, 1)):
                    row[k] += change
                    state.topic[k] += change
                    work.of_doc[k] += np.float32(change)
                    tokens = np.float32(state.topic[k])
                    of_topic[k] = np.float32(1) / (tokens + word_mass)
                for t in range(curvature.size):
                    moved = by_topic[new, t] - by_topic[old, t]
                    work.total[t] += moved
                    work.pull[t] -= curvature[t] * moved
        at += 1
        j += 1
    return j


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _listen(old, z, by_word, asked, candidate):
    """Collect the topics that the steps of a token propose; tell if one is another."""
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
def _choose(chance, row, topic, beta, word_mass, of_topic, by_topic, work):
    """Take the steps to the candidates one after the other; return the last topic.

    A step of one kind accepts with the ratio of p / q at the new and the old topic.
    """
    candidate, gain, tilt, odds = work.candidate, work.gain, work.tilt, work.odds
    old = candidate[0]
    top = np.float32(0)
    for s in range(1, candidate.size):
        gain[s] = gain_of_move(
            by_topic[candidate[s]], by_topic[old], work.pull, work.half
        )
        top = max(top, gain[s])
    _exponentiate(gain, top, tilt)
    # The token itself is taken out of the counts of its topic.
    n_word = np.float32(row[old] - 1) + beta
    n_doc = work.of_doc[old] - np.float32(1)
    n_topic = np.float32(topic[old] - 1) + word_mass
    _weigh(n_word, n_doc, tilt[0] / n_topic, work.inverse[old], odds[0])
    now = kind = 0
    for s in range(1, candidate.size):
        k = candidate[s]
        n_word = np.float32(row[k]) + beta
        tilted = tilt[s] * of_topic[k]
        _weigh(n_word, work.of_doc[k], tilted, work.inverse[k], odds[s])
        new = s if k != old else 0
        now = new if chance[s - 1] * odds[now, kind] < odds[new, kind] else now
        kind = kind + 1 if kind < 2 else 0
    return candidate[now]


@njit(cache=True, nogil=True, fastmath=True, _nrt=False, forceinline=True)
def _exponentiate(gain, top, tilt):
    for s in range(gain.size):
        tilt[s] = exp(gain[s] - top)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _weigh(n_word, n_doc, tilted, inverse, odds):
    """Set `odds` to p / q for the kinds of steps: document, word, labels."""
    odds[0] = n_word * tilted
    odds[1] = n_doc * tilted
    odds[2] = n_word * n_doc * tilted * inverse
