"""Single-site collapsed Gibbs sampling for so few topics that registers hold a row.

The conditional is that of `single_site_lists`. A kernel that tries the present topic
first spends half of its time on branches that depend on a draw, because no processor
can predict them. This kernel has no such branches. Counts of the document, ratios and
weights stay in registers; the topic is the first lane whose running sum exceeds a
random number.

Each draw waits for the one before it. Meanwhile, the kernel does all work that does not
depend on the earlier draw: it computes the ratio of each topic after the change that
the topic can undergo. The topic of the next token loses this token, and any other can
gain the present one. Cost: O(K) per token.
"""

from functools import cache

import numpy as np

from sklda._data.corpus import kernel_parts
from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import uniform_float32
from sklda._sampling.sampler import info, over
from sklda._simd.arrays import not_negative, zeros
from sklda._simd.compile import inlined_kernel, kernel
from sklda._simd.vectors import (
    broadcast,
    choose,
    entries,
    first_down,
    first_lane,
    last_row,
    load,
    one_hot,
    running_down,
    running_sums,
    store,
    to_float,
)
from sklda._tables.document import count_document, enter_prior, prefetch_documents
from sklda._tables.rows import counts, from_topics, kernel_priors, prefetch_row, tables

WIDTH = LANES // 2  # 256 bits: wider registers are rare
MOST_TOPICS = 7 * WIDTH  # with more, lists are faster for short documents

__all__ = ["counts", "from_topics", "info", "over", "sweep", "tables"]


def sweep(problem, state, rng):
    """Resample every token once."""
    priors, alphas = kernel_priors(problem), problem.kernel_alphas()
    height = -(-problem.n_topics // WIDTH)
    # The columns whose last topic stands one row above the last.
    lanes = np.arange(WIDTH) + (height - 1) * WIDTH
    is_short = (lanes >= problem.n_topics).astype(np.int32)
    # If rounding leaves no other topic, the last topic of a column is drawn.
    last_lane = min(problem.n_topics, WIDTH) - 1
    sweep_tokens = _new_sweep(height)
    for part in kernel_parts(problem.corpus, problem.n_lanes):
        sweep_tokens(part, state, priors, alphas, rng.kernel, is_short, last_lane)


@cache
def _new_sweep(height):
    """Return the kernel for as many topics as `height` registers hold."""

    @kernel
    def sweep_tokens(part, state, priors, alphas, rng, short, last_lane):
        """Resample every token of a part once."""
        doc_ptr, begin, end, word, token_ptr, first_doc = part
        z, word_topic, topic = state
        alpha, beta, beta_sum = priors
        is_last = one_hot(last_lane, WIDTH)
        doc_topic = zeros(topic.size, np.int32)
        kept = zeros(height * WIDTH, np.float32)
        ones = broadcast(np.float32(1), WIDTH, height)
        minus_ones = broadcast(np.float32(-1), WIDTH, height)
        is_short = load(short, 0, WIDTH) == broadcast(np.int32(1), WIDTH)
        nothing = broadcast(np.float32(0), WIDTH, height)
        for d in range(begin.size):
            first, last = token_ptr[begin[d]], token_ptr[end[d]] - 1
            if last < first:
                continue
            prefetch_documents(d, part, z)
            enter_prior(first_doc + d, alphas, alpha)
            start, stop = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
            count_document(start, stop, z, doc_topic)
            # Without the present token: n_dk + alpha_k and n_k + V beta.
            n_doc = to_float(load(doc_topic, 0, WIDTH, height))
            n_doc = n_doc + load(alpha, 0, WIDTH, height)
            n_all = to_float(load(topic, 0, WIDTH, height))
            n_all = n_all + entries(beta_sum, 0, WIDTH, height)
            taken = one_hot(np.int64(z[first]), WIDTH, height)
            n_doc = choose(taken, n_doc - ones, n_doc)
            n_all = choose(taken, n_all - ones, n_all)
            ratio = n_doc / n_all
            for c in range(begin[d], end[d]):
                prefetch_row(word, c, word_topic)
                row = word_topic[word[c]]
                # Without the present token: n_wk + beta.
                n_word = to_float(load(row, 0, WIDTH, height))
                n_word = n_word + broadcast(beta, WIDTH, height)
                n_word = choose(taken, n_word - ones, n_word)
                for i in range(not_negative(token_ptr[c]), token_ptr[c + 1]):
                    down = running_down(ratio * n_word)
                    before, ends, whole = running_sums(last_row(down))
                    r = whole * broadcast(uniform_float32(rng), WIDTH)
                    # Without knowing the draw: the ratio of each topic if it changes,
                    # by -1 for the topic of the next token, and by 1 for any other.
                    following = not_negative(min(i + 1, last))
                    taken = one_hot(np.int64(z[following]), WIDTH, height)
                    change = choose(taken, minus_ones, ones)
                    changed = (n_doc + change) / (n_all + change)
                    # A store, or LLVM would divide later, once it knows the lanes.
                    store(kept, 0, changed)
                    # The first lane whose sum exceeds r, then the first of its column.
                    lane = ((ends > r) | is_last) & ~(before > r)
                    drawn = first_down(down, r - before, is_short, lane)
                    new = first_lane(drawn)
                    # A topic that loses a token and gains one does not change.
                    moved = drawn ^ taken
                    ratio = choose(moved, changed, ratio)
                    change = choose(moved, change, nothing)
                    n_doc = n_doc + change
                    n_all = n_all + change
                    n_word = n_word + change
                    _move_token(i, new, z, row, topic)

    return sweep_tokens


@inlined_kernel
def _move_token(i, new, z, row, topic):
    """Count token i in its new topic, no longer in its old one."""
    old = z[i]
    z[i] = new
    row[old] -= 1
    row[new] += 1
    topic[old] -= 1
    topic[new] += 1
