"""Topics of the tokens before the first sweep: random ones, or drawn given phi.

Given phi, and with theta of a document integrated out, its tokens are drawn one after
the other,

    p(z = k | rest of the document) ~ (n_dk + alpha_k) phi_kw,

in the first pass given earlier tokens, then given all others of the document. Weights
are computed once for the tokens of a cell; a move updates two of them.
"""

import numpy as np

from sklda._data.corpus import Corpus
from sklda._sampling.problem import LANES, Problem
from sklda._sampling.random_streams import random_topics, uniform
from sklda._sampling.variates import first_above
from sklda._simd.arrays import zeros
from sklda._simd.compile import inlined_kernel, kernel
from sklda._tables.rows import pick, weigh_row


def random_first_topics(problem: Problem[Corpus], rng: np.ndarray) -> np.ndarray:
    """Return a random topic for each token, (n_tokens,) uint16.

    If beta is one number, all topics are equally likely. If it is an array, a topic is
    as likely as its prior mean of the word, because seed words must begin in their
    topics: a token rarely leaves a topic that other tokens of its word share.
    """
    corpus = problem.corpus
    n_tokens = int(corpus.token_ptr[-1])
    if not problem.has_word_prior:
        return random_topics(n_tokens, problem.n_topics, rng)
    mean = problem.beta / problem.beta_sum[:, np.newaxis]
    z = np.empty(n_tokens, np.uint16)
    _draw_by_word(corpus, np.cumsum(mean.T, axis=1), rng, z)
    return z


@kernel
def _draw_by_word(corpus, before, rng, z):
    """Draw topics by `before`, running sums of probabilities, (n_words, n_topics)."""
    _, word, token_ptr = corpus
    last = before.shape[1] - 1
    for c in range(word.size):
        sums = before[word[c]]
        for i in range(token_ptr[c], token_ptr[c + 1]):
            r = uniform(rng) * sums[last]
            z[i] = min(first_above(sums, r), last)


@kernel
def draw_topics(corpus, z, phi, alpha, n_passes, rng):
    """Draw the topics of all tokens of some documents, in `n_passes` over each.

    `phi` is (n_words, n_lanes) float32, up to a factor for each word. It is 0 in the
    padding, and above 0 for some topic of each word.
    """
    doc_ptr, word, token_ptr = corpus
    n_lanes = alpha.size
    mass = zeros(n_lanes, np.float32)  # n_dk + alpha_k
    weight = zeros(n_lanes, np.float32)
    lane_sum = zeros(n_lanes + LANES, np.float32)
    for d in range(doc_ptr.size - 1):
        for k in range(n_lanes):
            mass[k] = alpha[k]
        for n_done in range(n_passes):
            for c in range(doc_ptr[d], doc_ptr[d + 1]):
                row = phi[word[c]]
                total = np.float64(weigh_row(mass, row, weight))
                for i in range(token_ptr[c], token_ptr[c + 1]):
                    if n_done > 0:
                        old = np.int64(z[i])
                        mass[old] -= 1
                        total += _change(old, mass, row, weight)
                    new = pick(weight, lane_sum, uniform(rng) * total)
                    z[i] = new
                    mass[new] += 1
                    total += _change(new, mass, row, weight)


@inlined_kernel
def _change(k, mass, row, weight):
    """Update the weight of a topic; return by how much it changes."""
    before = weight[k]
    weight[k] = mass[k] * row[k]
    return np.float64(weight[k] - before)
