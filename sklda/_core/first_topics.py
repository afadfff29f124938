"""Random topics of the tokens before the first sweep."""

import numpy as np

from sklda._core.problem import Corpus, Problem
from sklda._core.random_streams import random_topics, uniform
from sklda._core.search import first_above
from sklda._simd.compile import kernel


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
