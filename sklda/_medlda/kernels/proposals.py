"""The three proposals of `light`, drawn for all tokens of a block before any moves.

    document   q(k) ~ n_dk + alpha_k: the topic of another token of the document
    word       q(k) ~ n_wk + beta: the topic of another token of the word
    labels     q(k) ~ exp(g(k)), where m_t is estimated from other tokens.

The first two take O(1) time, because the topics are also kept in the order of words.
For the third, the cells of a document are split into blocks of about a `BLOCKS`-th of
its tokens, and q of a block is made from the tokens outside of it, which do not change
meanwhile. A step proposes the topic of some token; which one depends on no topic. So
all steps of a block are drawn first, and the memory that they will read is prefetched.
"""

from typing import NamedTuple

import numpy as np

from sklda._core.entry import differ
from sklda._core.random_streams import next_uint64
from sklda._core.search import first_above
from sklda._medlda.kernels.label_factors import exponents, highest
from sklda._simd.compile import inlined_kernel, preoptimised_kernel
from sklda._simd.prefetch import prefetch
from sklda._simd.vector_math import exp

BLOCKS = 4
LEAST = np.float32(-40)  # of log q(k) below its highest, so that q(k) > 0


class LabelProposal(NamedTuple):
    """The labels' proposal for a block."""

    outside: np.ndarray  # (n_tasks,) m_t of the tokens outside of the block
    running_sum: np.ndarray  # (n_topics,) of q
    guide: np.ndarray  # (n_lanes,) uint32; where a search in `running_sum` begins


class Steps(NamedTuple):
    """The steps of the tokens of a block, and room for those of one token."""

    source: np.ndarray  # (n_tokens, n_steps) int32; where the proposed topic stands
    chance: np.ndarray  # (n_tokens, n_steps) float32, uniform
    candidate: np.ndarray  # (n_steps + 1,) uint32: the present topic, those proposed
    gain: np.ndarray  # (n_steps + 1 or more,) float32, what labels add to log p
    tilt: np.ndarray  # exp(gain)
    odds: np.ndarray  # (n_steps + 1, 3) float32, p(k) / q(k) of each kind of step


@inlined_kernel
def size_of_blocks(d, part):
    """Return the least tokens of a block of document d: about a `BLOCKS`-th of all."""
    doc_ptr, begin, end, _, token_ptr, _ = part
    n_all = token_ptr[doc_ptr[d + 1]] - token_ptr[doc_ptr[d]]
    n = token_ptr[end[d]] - token_ptr[begin[d]]
    n_blocks = max((2 * BLOCKS * n + n_all) // max(2 * n_all, 1), 1)
    return -(-n // n_blocks)


@inlined_kernel
def end_of_block(begin, last, token_ptr, size):
    """Return the end of a block of at least `size` tokens, if `last` permits."""
    enough = token_ptr[begin] + size
    end = begin + 1
    while end < last and token_ptr[end] < enough:
        end += 1
    return end


@preoptimised_kernel
def make_label_proposal(begin, end, d, part, z, topics, factors, document, proposal):
    """Make q(k) ~ exp(g(k)) of the block of cells begin:end of document d.

    m_t of the tokens outside of it is scaled to n - 1 tokens. guide[j] is the first
    topic whose running sum is above a fraction j / n_lanes of the total.
    """
    outside, running_sum, guide = proposal
    curvature, inverse = document.curvature, document.inverse
    doc_ptr, token_ptr = part.doc_ptr, part.token_ptr
    n = token_ptr[doc_ptr[d + 1]] - token_ptr[doc_ptr[d]]
    n_outside = n - (token_ptr[end] - token_ptr[begin])
    for t in range(outside.size):
        outside[t] = document.total[t]
    for i in range(token_ptr[begin], token_ptr[end]):
        for t in range(outside.size):
            outside[t] -= topics.weights[z[i], t]
    for t in range(outside.size):
        outside[t] *= (n - 1) / max(n_outside, 1)
    exponents(factors.weights, factors.slope[d], curvature, outside, inverse)
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


@preoptimised_kernel
def draw_steps(begin, end, d, part, state, priors, topics, proposal, steps, rng):
    """Draw the source of each step's proposal (40 bits), and its chance (24 bits).

    The source is a token of the document, a slot of the word, or ~k for topic k itself.
    """
    doc_ptr, _, _, word, token_ptr, _ = part
    first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
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
                    source = _propose(i, first, last, r, topics.alpha_sum)
                elif step % 3 == 1:
                    if differ(priors.topic_word_sum):
                        beta_before = state.beta_before[w]
                        source = _propose(slot, first_slot, last_slot, r, beta_before)
                    else:
                        source = _propose_by_word(
                            slot, first_slot, last_slot, r, beta, n_topics
                        )
                    prefetch(state.z_by_word, source)
                else:
                    k = _propose_by_labels(r, proposal)
                    prefetch(state.word_topic, w * n_lanes + k)
                    source = ~k
                steps.source[j, step] = source
            slot += 1
            j += 1


@inlined_kernel
def _other_index(present, first, r):
    """Return the r-th index from `first`, skipping `present`."""
    i = first + np.int64(r)
    return i + (i >= present)


@inlined_kernel
def _propose(present, first, last, r, prior_sum):
    """Return another index from `first` to `last`, or ~k in proportion to a prior.

    `prior_sum` holds the running sums of the prior.
    """
    n = last - first - 1
    r *= n + prior_sum[-1]
    if r < n:
        return _other_index(present, first, r)
    return ~min(first_above(prior_sum, r - n), prior_sum.size - 1)


@inlined_kernel
def _propose_by_word(present, first, last, r, beta, n_topics):
    """Return another index, as `_propose` does where each topic's prior is beta."""
    n = last - first - 1
    r *= n + n_topics * beta
    if r < n:
        return _other_index(present, first, r)
    return ~min(np.int64((r - n) / beta), n_topics - 1)


@inlined_kernel
def _propose_by_labels(r, proposal):
    """Return a topic drawn from the labels' proposal."""
    _, running_sum, guide = proposal
    k = np.int64(guide[np.uint32(r * guide.size)])
    r *= running_sum[-1]
    while k < running_sum.size - 1 and running_sum[k] <= r:
        k += 1
    return k


@inlined_kernel
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
