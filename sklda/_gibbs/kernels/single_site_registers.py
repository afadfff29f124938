"""Single-site collapsed Gibbs sampling for so few topics that a row is a vector.

The conditional of `single_site_rows`, by a kernel without a branch that depends on a
draw: half of the time of the other one goes into such branches, which no processor can
predict. Counts of the document, ratios and weights stay in registers; the topic is the
first lane whose running sum exceeds a random number. Nothing is tried first, and all
that a token changes is changed, even if it stays.

A draw has to wait for the one before it. So what does not depend on that one is done
meanwhile: the next token is taken out, and each topic gets the ratio that it would have
with one token more. Cost: O(K) per token.
"""

from functools import cache

import numpy as np

from sklda._core.compile import njit
from sklda._core.corpus import kernel_parts
from sklda._core.document import count_document
from sklda._core.prefetch import AHEAD, prefetch
from sklda._core.problem import LANES
from sklda._core.random_streams import uniform_float32
from sklda._core.rows import counts, from_topics, kernel_priors, tables
from sklda._core.sampler import over
from sklda._core.vectors import (
    broadcast,
    choose,
    first_lane,
    first_only,
    last_in_all,
    load,
    one_hot,
    running_sum,
    store,
    to_float,
)

MOST_LANES = 2 * LANES  # with more, the vectors leave the registers

__all__ = [
    "counts",
    "from_topics",
    "kernel_priors",
    "over",
    "sweep",
    "tables",
]


def sweep(problem, state, rng):
    """Resample every token once."""
    priors = kernel_priors(problem)
    sweep_tokens = _new_sweep(problem.n_lanes)
    for part in kernel_parts(problem.corpus, problem.n_lanes):
        sweep_tokens(part, state, priors, rng.kernel)
    return state


@cache
def _new_sweep(width):
    """Return the kernel for tables of `width` lanes."""

    @njit(cache=True, nogil=True, error_model="numpy")
    def sweep_tokens(part, state, priors, rng):
        """Resample every token of a part once."""
        doc_ptr, begin, end, word, token_ptr = part
        z, word_topic, topic = state
        alpha, beta, beta_sum = priors
        last_topic = one_hot(np.count_nonzero(alpha) - 1, width)
        doc_topic = np.zeros(width, np.int32)
        kept = np.zeros(width, np.float32)
        one = broadcast(np.float32(1), width)
        minus_one = broadcast(np.float32(-1), width)
        for d in range(begin.size):
            first, last = token_ptr[begin[d]], token_ptr[end[d]] - 1
            if last < first:
                continue
            start, stop = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
            count_document(start, stop, z, doc_topic)
            # All of this without the token at hand: n_dk + alpha_k and n_k + V beta,
            n_doc = to_float(load(doc_topic, 0, width)) + load(alpha, 0, width)
            n_all = to_float(load(topic, 0, width)) + broadcast(beta_sum, width)
            taken = one_hot(np.int64(z[first]), width)
            n_doc = choose(taken, n_doc - one, n_doc)
            n_all = choose(taken, n_all - one, n_all)
            ratio = n_doc / n_all
            for c in range(begin[d], end[d]):
                ahead = np.int64(word[min(c + AHEAD, word.size - 1)])
                for k in range(0, width, LANES):
                    prefetch(word_topic, ahead * width + k)
                row = word_topic[word[c]]
                # and n_wk + beta.
                n_word = to_float(load(row, 0, width)) + broadcast(beta, width)
                n_word = choose(taken, n_word - one, n_word)
                for i in range(token_ptr[c], token_ptr[c + 1]):
                    ends = running_sum(ratio * n_word)
                    r = last_in_all(ends) * broadcast(uniform_float32(rng), width)
                    # Take the next token out, and foresee one more in each topic. The
                    # two make one there, so the ratio does not change.
                    taken = one_hot(np.int64(z[min(i + 1, last)]), width)
                    change = choose(taken, minus_one, one)
                    changed = (n_doc + change) / (n_all + change)
                    # LLVM would divide later, where it is seen which lanes are used.
                    store(kept, 0, changed)
                    if_not_drawn = choose(taken, changed, ratio)
                    if_drawn = choose(taken, ratio, changed)
                    n_doc = choose(taken, n_doc - one, n_doc)
                    n_all = choose(taken, n_all - one, n_all)
                    n_word = choose(taken, n_word - one, n_word)
                    drawn = first_only((ends > r) | last_topic)
                    new = first_lane(drawn)
                    ratio = choose(drawn, if_drawn, if_not_drawn)
                    n_doc = choose(drawn, n_doc + one, n_doc)
                    n_all = choose(drawn, n_all + one, n_all)
                    n_word = choose(drawn, n_word + one, n_word)
                    old = z[i]
                    z[i] = new
                    row[old] -= 1
                    row[new] += 1
                    topic[old] -= 1
                    topic[new] += 1

    return sweep_tokens
