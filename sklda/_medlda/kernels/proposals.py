"""The three proposals of `light`: drawn for all tokens of a block before any moves.

    document   q(k) ~ n_dk + alpha_k: the topic of another token of the document
    word       q(k) ~ n_wk + beta: the topic of another token of the word
    labels     q(k) ~ exp(g(k)), where m_t is estimated from other tokens.

The first two take O(1) time and are never out of date: the topics are kept a second
time in the order of words. For the third the cells of a document are split into blocks
of about a `BLOCKS`-th of its tokens; q of a block is made from the tokens outside of
it, which do not change as long as it serves. So no proposal knows the topic of the
token itself.

Which token's topic a step proposes depends on no topic either: all steps of a block are
drawn first, and the memory that they will read is prefetched.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.entry import differ
from sklda._core.random_streams import next_uint64
from sklda._medlda.kernels.label_factors import exponents, highest
from sklda._simd.compile import njit
from sklda._simd.prefetch import prefetch
from sklda._simd.vector_math import exp

BLOCKS = 4
LEAST = np.float32(-40)  # log q(k), below its highest: no topic is left out


class Block(NamedTuple):
    """Some cells of a document, and the tokens of the whole document."""

    first_cell: int
    last_cell: int  # one past it, as all that is called last here
    first: int
    last: int


class LabelProposal(NamedTuple):
    """The labels' proposal for a block, ready to be drawn from."""

    outside: np.ndarray  # (n_tasks,) m_t of the tokens outside of the block
    running_sum: np.ndarray  # (n_topics,) of q
    guide: np.ndarray  # (n_lanes,) uint32; where a search in these begins


class Steps(NamedTuple):
    """The steps of the tokens of a block, and what one token needs room for."""

    source: np.ndarray  # (n_tokens, n_steps) int32, of the topic that a step proposes
    chance: np.ndarray  # (n_tokens, n_steps) float32, uniform
    candidate: np.ndarray  # (n_steps + 1,) uint32: the present topic, those proposed
    gain: np.ndarray  # (n_steps + 1 or more,) float32, of log p by the labels
    tilt: np.ndarray  # the same, exponentiated
    odds: np.ndarray  # (n_steps + 1, 3) float32, p(k) / q(k) of each kind of step


@njit(cache=True, nogil=True, _nrt=False)
def end_of_block(begin, last, token_ptr, n):
    """Return the end of the block from `begin`: a `BLOCKS`-th of n tokens, or more."""
    enough = token_ptr[begin] + -(-n // BLOCKS)
    end = begin + 1
    while end < last and token_ptr[end] < enough:
        end += 1
    return end


@njit(cache=True, nogil=True, _nrt=False)
def take_out_block(first, last, z, topics, document, proposal):
    """Set `outside` to m_t without the tokens of a block."""
    weights, outside, total = topics.weights, proposal.outside, document.total
    for t in range(total.size):
        outside[t] = total[t]
    for i in range(first, last):
        for t in range(total.size):
            outside[t] -= weights[z[i], t]


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False)
def make_label_proposal(weights, slope, n, n_outside, document, proposal):
    """Make q(k) ~ exp(g(k)) of a block, with what draws from it take.

    `outside` holds m_t of n_outside tokens; of all n, less one, it would be about
    (n - 1) / n_outside times as much. guide[j] is the first topic whose running sum is
    above a fraction j / n_lanes of the total.
    """
    outside, running_sum, guide = proposal
    curvature, inverse = document.curvature, document.inverse
    for t in range(outside.size):
        outside[t] *= (n - 1) / max(n_outside, 1)
    exponents(weights, slope, curvature, outside, inverse)
    top = highest(inverse[: running_sum.size])
    for k in range(inverse.size):
        inverse[k] = exp(max(inverse[k] - top, LEAST))
    total = 0.0
    for k in range(running_sum.size):
        total += inverse[k]
        running_sum[k] = total
    for k in range(inverse.size):
        inverse[k] = np.float32(1) / inverse[k]
    k = 0
    interval = total / guide.size
    for j in range(guide.size):
        while k < running_sum.size - 1 and running_sum[k] <= j * interval:
            k += 1
        guide[j] = k


@njit(cache=True, nogil=True, _nrt=False)
def draw_steps(block, corpus, state, priors, topics, proposal, steps, rng):
    """Draw the source of each step's proposal and the chance that decides on it.

    The source is a token of the document, or a slot of the word; or ~k for topic k
    itself. Of a random number 40 bits go into the source and 24 into the chance.
    """
    begin, end, first, last = block
    _, word, token_ptr = corpus
    n_topics, n_lanes = topics.alpha_sum.size, state.topic.size
    beta = np.float64(priors.topic_word)
    j = 0
    for c in range(begin, end):
        w = word[c]
        first_slot, last_slot = state.word_ptr[w], state.word_ptr[w + 1]
        slot = state.slot[c]
        for i in range(token_ptr[c], token_ptr[c + 1]):
            prefetch(state.word_topic, w * n_lanes + state.z[i])
            for step in range(steps.source.shape[1]):
                bits = next_uint64(rng)
                r = np.float64(bits >> np.uint64(24)) * 2.0**-40
                low = np.float32(np.int32(bits & np.uint64(2**24 - 1)))
                steps.chance[j, step] = low * np.float32(2.0**-24)
                if step % 3 == 0:
                    source = _propose_by_document(i, first, last, r, topics.alpha_sum)
                elif step % 3 == 1:
                    n_others = last_slot - first_slot - 1
                    if differ(priors.topic_word_sum):
                        source = _propose_by_array(
                            slot, first_slot, n_others, r, state.beta_before[w]
                        )
                    else:
                        source = _propose_by_word(
                            slot, first_slot, n_others, r, beta, n_topics
                        )
                    prefetch(state.z_by_word, source)
                else:
                    k = _propose_by_labels(r, proposal)
                    prefetch(state.word_topic, w * n_lanes + k)
                    source = ~k
                steps.source[j, step] = source
            slot += 1
            j += 1


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _other(own, first, r):
    """Return the r-th index from `first`, not counting `own`."""
    i = first + np.int64(r)
    return i + (i >= own)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _propose_by_document(own, first, last, r, alpha_sum):
    """Return another token of the document or, in proportion to alpha, ~k."""
    n = last - first - 1
    r *= n + alpha_sum[-1]
    if r < n:
        return _other(own, first, r)
    return ~min(np.searchsorted(alpha_sum, r - n, "right"), alpha_sum.size - 1)


@njit(cache=True, nogil=True, error_model="numpy", _nrt=False, forceinline=True)
def _propose_by_word(own, first, n, r, beta, n_topics):
    """Return the slot of one of n other tokens or, each topic with beta, ~k."""
    r *= n + n_topics * beta
    if r < n:
        return _other(own, first, r)
    return ~min(np.int64((r - n) / beta), n_topics - 1)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _propose_by_array(own, first, n, r, beta_before):
    """Return the same in proportion to beta, given its running sums."""
    r *= n + beta_before[-1]
    if r < n:
        return _other(own, first, r)
    return ~min(np.searchsorted(beta_before, r - n, "right"), beta_before.size - 1)


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def _propose_by_labels(r, proposal):
    """Return a topic as the labels propose it."""
    _, running_sum, guide = proposal
    k = np.int64(guide[np.uint32(r * guide.size)])
    r *= running_sum[-1]
    while k < running_sum.size - 1 and running_sum[k] <= r:
        k += 1
    return k


@njit(cache=True, nogil=True, _nrt=False, forceinline=True)
def collect(old, z, z_by_word, source, candidate):
    """Collect the topics proposed to a token; return whether one is another topic."""
    candidate[0] = old
    difference = np.uint32(0)
    for step in range(source.size):
        i = source[step]
        if i < 0:
            k = np.uint32(~i)
        elif step % 3 == 0:
            k = np.uint32(z[np.uint32(i)])
        else:
            k = np.uint32(z_by_word[np.uint32(i)])
        candidate[step + 1] = k
        difference |= k ^ old
    return difference != 0
