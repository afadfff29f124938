"""Single-site collapsed Gibbs sampling for so few topics that registers hold a row.

The conditional is that of `single_site_lists`. A kernel that tries the present topic
first spends half of its time on branches that depend on a draw, because no processor
can predict them. This kernel has no such branches. Counts of the document, ratios and
weights stay in registers; the topic is the first lane whose running sum exceeds a
random number.

Each draw waits for the one before it. Meanwhile, the kernel does all work that does not
depend on the earlier draw: it takes the next token out, and computes the ratio of each
topic with one more token. Cost: O(K) per token.
"""

from functools import cache

import numpy as np

from sklda._data.corpus import kernel_parts
from sklda._sampling.problem import LANES
from sklda._sampling.random_streams import uniform_float32
from sklda._sampling.sampler import info, over
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel
from sklda._simd.vectors import (
    broadcast,
    choose,
    entries,
    first_down,
    first_lane,
    last_in_all,
    last_row,
    load,
    moved_up,
    one_hot,
    repeat_row,
    running_down,
    running_sum,
    store,
    to_float,
)
from sklda._tables.document import count_document, enter_prior, prefetch_documents
from sklda._tables.rows import counts, from_topics, kernel_priors, prefetch_row, tables

WIDTH = LANES // 2  # 256 bits: wider registers are rare
MOST_TOPICS = 5 * WIDTH  # with more, too many vectors leave the registers

__all__ = ["counts", "from_topics", "info", "over", "sweep", "tables"]


def sweep(problem, state, rng):
    """Resample every token once."""
    priors, alphas = kernel_priors(problem), problem.kernel_alphas()
    height = -(-problem.n_topics // WIDTH)
    lanes = np.arange(height * WIDTH)
    past_last = (lanes + WIDTH - problem.n_topics).astype(np.float32)
    # If rounding leaves no other topic, the last topic of a column is drawn.
    last_lane = min(problem.n_topics, WIDTH) - 1
    sweep_tokens = _new_sweep(height)
    for part in kernel_parts(problem.corpus, problem.n_lanes):
        sweep_tokens(part, state, priors, alphas, rng.kernel, past_last, last_lane)


@cache
def _new_sweep(height):
    """Return the kernel for as many topics as `height` registers hold."""

    @kernel
    def sweep_tokens(part, state, priors, alphas, rng, past_last, last_lane):
        """Resample every token of a part once."""
        doc_ptr, begin, end, word, token_ptr, first_doc = part
        z, word_topic, topic = state
        alpha, beta, beta_sum = priors
        is_last = one_hot(last_lane, WIDTH)
        doc_topic = zeros(topic.size, np.int32)
        kept = zeros(height * WIDTH, np.float32)
        ones = broadcast(np.float32(1), WIDTH, height)
        minus_ones = broadcast(np.float32(-1), WIDTH, height)
        ends_column = load(past_last, 0, WIDTH, height) > minus_ones
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
                for i in range(token_ptr[c], token_ptr[c + 1]):
                    down = running_down(ratio * n_word)
                    ends = running_sum(last_row(down))
                    r = last_in_all(ends) * broadcast(uniform_float32(rng), WIDTH)
                    # Take the next token out, and prepare one more token for each
                    # topic. If a topic loses and gains one, its ratio does not change.
                    taken = one_hot(np.int64(z[min(i + 1, last)]), WIDTH, height)
                    change = choose(taken, minus_ones, ones)
                    changed = (n_doc + change) / (n_all + change)
                    # A store, or LLVM would divide later, once it knows the lanes.
                    store(kept, 0, changed)
                    if_not_drawn = choose(taken, changed, ratio)
                    if_drawn = choose(taken, ratio, changed)
                    n_doc = choose(taken, n_doc - ones, n_doc)
                    n_all = choose(taken, n_all - ones, n_all)
                    n_word = choose(taken, n_word - ones, n_word)
                    # The first lane whose sum exceeds r, then the first of its column.
                    before = moved_up(ends)
                    lane = ((ends > r) | is_last) & ~(before > r)
                    rest = repeat_row(r - before, height)
                    drawn = first_down((down > rest) | ends_column)
                    drawn = drawn & repeat_row(lane, height)
                    new = first_lane(drawn)
                    ratio = choose(drawn, if_drawn, if_not_drawn)
                    n_doc = choose(drawn, n_doc + ones, n_doc)
                    n_all = choose(drawn, n_all + ones, n_all)
                    n_word = choose(drawn, n_word + ones, n_word)
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
