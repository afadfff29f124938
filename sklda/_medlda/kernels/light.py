"""Metropolis-Hastings sampling of topics that have to explain labels too.

X. Zheng, "Linear time samplers for supervised topic models using compositional
proposals" (2016). The conditional of a token, taken out of all counts,

    p(z = k | rest) ~ (n_dk + alpha_k) * (n_wk + beta) / (n_k + V beta) * exp(g(k)),

g as in `sklda._medlda.kernels.labels`, is a product, and each of three proposals is one
factor of it:

    document   q(k) ~ n_dk + alpha_k: the topic of another token of the document
    word       q(k) ~ n_wk + beta: the topic of another token of the word
    labels     q(k) ~ exp(g(k)), where m_t is estimated from other tokens.

No proposal depends on the topic of the token itself, so with the full acceptance ratio
(equations 19 to 21) each step leaves the conditional unchanged. The first two take O(1)
time, because the topics are also kept in the order of words. For the third, the cells
of a document are split into blocks of about a `BLOCKS`-th of its tokens, and q of a
block is made from the tokens outside of it, which do not change meanwhile. A step
proposes the topic of some token; which one depends on no topic. So all steps of a block
are drawn first, and the memory that they will read is prefetched. Cost: O(K tasks) per
block, O(tasks) per step.
"""

from typing import NamedTuple

import numpy as np

from sklda._medlda.kernels.labels import exponents, gain_of_move, highest, sum_weights
from sklda._sampling.problem import word_tokens
from sklda._sampling.random_streams import next_uint64
from sklda._sampling.variates import first_above
from sklda._simd.arrays import entry, is_per_item, zeros
from sklda._simd.compile import (
    inlined_kernel,
    kernel,
    nested_kernel,
    preoptimised_kernel,
)
from sklda._simd.vector_math import exp
from sklda._simd.vectors import prefetch
from sklda._tables import rows
from sklda._tables.document import count_document

BLOCKS = 4
LEAST = np.float32(-40)  # of log q(k) below its highest, so that q(k) > 0


class LightCounts(NamedTuple):
    """The topics of the tokens, in two orders, and a row of counts for each word."""

    z: np.ndarray  # (n_tokens,) uint16
    word_topic: np.ndarray  # (n_words, n_lanes) int32, or float64: n_wk + beta_kw
    topic: np.ndarray  # (n_lanes,) int32
    word_ptr: np.ndarray  # (n_words + 1,) int64; tokens of word w in `z_by_word`
    slot: np.ndarray  # (n_cells,) int64; first of the tokens of a cell there
    z_by_word: np.ndarray  # (n_tokens,) uint16; z in the order of words
    beta_before: np.ndarray  # (n_words, n_topics) running sums of beta, if an array


class TopicFactors(NamedTuple):
    """Factors of the topics that all documents share."""

    weights: np.ndarray  # (n_topics, n_tasks) float32, eta
    alpha_sum: np.ndarray  # (n_topics,) running sums of alpha
    inverse_total: np.ndarray  # (n_lanes,) float32, 1 / (n_k + V beta)


class LabelledDocument(NamedTuple):
    """Factors of the topics and of the labels in the current document."""

    factor: np.ndarray  # (n_lanes,) float32, n_dk + alpha_k
    total: np.ndarray  # (n_tasks,) m_t
    curvature: np.ndarray  # (n_tasks,) float32, b_t / N^2
    gradient: np.ndarray  # (n_tasks,) float32, a_t / N - (b_t / N^2) m_t
    half: np.ndarray  # (n_tasks,) float32, (b_t / N^2) / 2
    inverse: np.ndarray  # (n_lanes,) float32, 1 / q(k) of the labels, for the block


class LabelProposal(NamedTuple):
    """The labels' proposal for a block."""

    outside: np.ndarray  # (n_tasks,) m_t of the tokens outside of the block
    running_sum: np.ndarray  # (n_topics,) of q
    guide: np.ndarray  # (n_lanes,) uint32; where a search in `running_sum` begins


class Steps(NamedTuple):
    """The steps of the tokens of a block, and arrays for those of one token."""

    source: np.ndarray  # (n_tokens, n_steps) int32; where the proposed topic stands
    chance: np.ndarray  # (n_tokens, n_steps) float32, uniform
    candidate: np.ndarray  # (n_steps + 1,) uint32: the present topic, those proposed
    gain: np.ndarray  # (n_steps + 1 or more,) float32, what labels add to log p
    tilt: np.ndarray  # exp(gain)
    odds: np.ndarray  # (n_steps + 1, 3) float32, p(k) / q(k) of each kind of step


def from_topics(problem, z):
    """Return the counts of tokens that have the topics z."""
    word_ptr = np.zeros(problem.n_words + 1, np.int64)
    word_ptr[1:] = np.cumsum(word_tokens(problem))
    slot = np.empty(problem.corpus.word.size, np.int64)
    z_by_word = np.empty_like(z)
    _sort_by_word(problem.corpus, z, word_ptr[:-1].copy(), slot, z_by_word)
    beta_before = np.zeros((0, problem.n_topics))
    if problem.has_word_prior:
        beta_before = np.cumsum(problem.beta.T, axis=1)
    counts = rows.from_topics(problem, z)
    return LightCounts(*counts, word_ptr, slot, z_by_word, beta_before)


@kernel
def _sort_by_word(corpus, z, next_slot, slot, z_by_word):
    """Fill in `slot` and `z_by_word`; `next_slot` is the first slot of each word."""
    _, word, token_ptr = corpus
    for c in range(word.size):
        slot[c] = next_slot[word[c]]
        for i in range(token_ptr[c], token_ptr[c + 1]):
            z_by_word[next_slot[word[c]]] = z[i]
            next_slot[word[c]] += 1


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
                    if is_per_item(priors.topic_word_sum):
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
    """Collect the topics proposed to a token; return whether any differs from `old`."""
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


@kernel
def light_sweep(part, state, priors, factors, n_steps, n_moves, rng):
    """Take `n_steps` steps per token; add proposed and accepted moves to `n_moves`."""
    doc_ptr, _, _, _, token_ptr, _ = part
    weights, slope, curvature = factors
    topics = _topic_factors(state, priors, weights)
    document, proposal, steps = _allocate(part, state.topic.size, topics, n_steps)
    doc_topic = zeros(state.topic.size, np.int32)
    n_proposed = n_accepted = 0
    for d in range(doc_ptr.size - 1):
        cell, last_cell = part.begin[d], part.end[d]
        if cell == last_cell:
            continue
        first, last = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
        count_document(first, last, state.z, doc_topic)
        _enter_document(doc_topic, priors, topics, slope[d], curvature[d], document)
        size = size_of_blocks(d, part)
        while cell < last_cell:
            end = end_of_block(cell, last_cell, token_ptr, size)
            make_label_proposal(
                cell, end, d, part, state.z, topics, factors, document, proposal
            )
            draw_steps(cell, end, d, part, state, priors, topics, proposal, steps, rng)
            for c in range(cell, end):
                j = token_ptr[c] - token_ptr[cell]
                proposed, accepted = _resample_cell(
                    c, j, part, state, priors, topics, document, steps
                )
                n_proposed += proposed
                n_accepted += accepted
            cell = end
    n_moves[0] += n_proposed
    n_moves[1] += n_accepted


@nested_kernel
def _topic_factors(state, priors, weights):
    alpha = priors.doc_topic
    n_topics, n_tasks = alpha.size, weights.shape[0]
    while n_topics > 0 and alpha[n_topics - 1] == 0:  # the padding
        n_topics -= 1
    topics = TopicFactors(
        weights=zeros((n_topics, n_tasks), np.float32),
        alpha_sum=zeros(n_topics, np.float64),
        inverse_total=zeros(alpha.size, np.float32),
    )
    sum_ = 0.0
    for k in range(n_topics):
        for t in range(n_tasks):
            topics.weights[k, t] = weights[t, k]
        sum_ += alpha[k]
        topics.alpha_sum[k] = sum_
    for k in range(alpha.size):
        total = np.float32(state.topic[k]) + entry(priors.topic_word_sum, k)
        topics.inverse_total[k] = np.float32(1) / total
    return topics


@nested_kernel
def _allocate(part, n_lanes, topics, n_steps):
    """Return arrays for documents, for the labels' proposals and for steps."""
    token_ptr = part.token_ptr
    n_topics, n_tasks = topics.weights.shape
    longest = 0
    for d in range(part.begin.size):
        cell, last_cell = part.begin[d], part.end[d]
        size = size_of_blocks(d, part)
        while cell < last_cell:
            end = end_of_block(cell, last_cell, token_ptr, size)
            longest = max(longest, token_ptr[end] - token_ptr[cell])
            cell = end
    # Whole registers, because a loop over the few steps alone would not vectorise.
    n_wide = -(-(n_steps + 1) // 8) * 8
    document = LabelledDocument(
        factor=zeros(n_lanes, np.float32),
        total=zeros(n_tasks, np.float64),
        curvature=zeros(n_tasks, np.float32),
        gradient=zeros(n_tasks, np.float32),
        half=zeros(n_tasks, np.float32),
        inverse=zeros(n_lanes, np.float32),
    )
    proposal = LabelProposal(
        outside=zeros(n_tasks, np.float64),
        running_sum=zeros(n_topics, np.float64),
        guide=zeros(n_lanes, np.uint32),
    )
    steps = Steps(
        source=zeros((longest, n_steps), np.int32),
        chance=zeros((longest, n_steps), np.float32),
        candidate=zeros(n_steps + 1, np.uint32),
        gain=zeros(n_wide, np.float32),
        tilt=zeros(n_wide, np.float32),
        odds=zeros((n_steps + 1, 3), np.float32),
    )
    return document, proposal, steps


@preoptimised_kernel
def _enter_document(doc_topic, priors, topics, slope, curvature, document):
    """Set the factors of a document."""
    alpha = priors.doc_topic
    for k in range(alpha.size):
        document.factor[k] = np.float32(doc_topic[k]) + alpha[k]
    sum_weights(topics.weights, doc_topic, document.total)
    for t in range(slope.size):
        document.curvature[t] = curvature[t]
        document.gradient[t] = slope[t] - curvature[t] * document.total[t]
        document.half[t] = np.float32(0.5) * curvature[t]


@preoptimised_kernel
def _resample_cell(c, j, part, state, priors, topics, document, steps):
    """Take the steps of the tokens of a cell, from the j-th token of the block on.

    Return how many other topics were proposed and accepted.
    """
    z, z_by_word = state.z, state.z_by_word
    weights, curvature = topics.weights, document.curvature
    row = state.word_topic[part.word[c]]
    slot = state.slot[c]
    n_proposed = n_accepted = 0
    for i in range(part.token_ptr[c], part.token_ptr[c + 1]):
        old = np.uint32(z[i])
        if collect(old, z, z_by_word, steps.source[j], steps.candidate):
            new, proposed, accepted = _choose(
                steps.chance[j], row, state.topic, priors, topics, document, steps
            )
            n_proposed += proposed
            n_accepted += accepted
            if new != old:
                z[i] = new
                z_by_word[slot] = new
                for k, change in ((old, -1), (new, 1)):
                    row[k] += change
                    state.topic[k] += change
                    document.factor[k] += np.float32(change)
                    beta_sum = entry(priors.topic_word_sum, k)
                    total = np.float32(state.topic[k]) + beta_sum
                    topics.inverse_total[k] = np.float32(1) / total
                for t in range(curvature.size):
                    moved = weights[new, t] - weights[old, t]
                    document.total[t] += moved
                    document.gradient[t] -= curvature[t] * moved
        slot += 1
        j += 1
    return n_proposed, n_accepted


@preoptimised_kernel
def _choose(chance, row, topic, priors, topics, document, steps):
    """Take the steps to the candidates one after the other; return the last topic.

    A step of one kind accepts with the ratio of p / q at the new and the old topic.
    Return also how many other topics were proposed and accepted.
    """
    beta, beta_sum = priors.topic_word, priors.topic_word_sum
    _, _, candidate, gain, tilt, odds = steps
    weights, inverse = topics.weights, document.inverse
    old = candidate[0]
    top = np.float32(0)
    for s in range(1, candidate.size):
        gain[s] = gain_of_move(
            weights[candidate[s]], weights[old], document.gradient, document.half
        )
        top = max(top, gain[s])
    _exponentiate(gain, top, tilt)
    # The token itself is taken out of the counts of its topic.
    n_word = np.float32(row[old] - 1) + beta
    n_doc = document.factor[old] - np.float32(1)
    n_topic = np.float32(topic[old] - 1) + entry(beta_sum, old)
    _weigh(n_word, n_doc, tilt[0] / n_topic, inverse[old], odds[0])
    now = kind = n_proposed = n_accepted = 0
    for s in range(1, candidate.size):
        k = candidate[s]
        n_word = np.float32(row[k]) + beta
        tilted = tilt[s] * topics.inverse_total[k]
        _weigh(n_word, document.factor[k], tilted, inverse[k], odds[s])
        new = s if k != old else 0
        accepted = chance[s - 1] * odds[now, kind] < odds[new, kind]
        is_other = k != candidate[now]
        n_proposed += is_other
        n_accepted += is_other & accepted
        now = new if accepted else now
        kind = kind + 1 if kind < 2 else 0
    return candidate[now], n_proposed, n_accepted


@inlined_kernel
def _exponentiate(gain, top, tilt):
    for s in range(gain.size):
        tilt[s] = exp(gain[s] - top)


@inlined_kernel
def _weigh(n_word, n_doc, tilted, inverse, odds):
    """Set `odds` to p / q for the kinds of steps: document, word, labels."""
    odds[0] = n_word * tilted
    odds[1] = n_doc * tilted
    odds[2] = n_word * n_doc * tilted * inverse
