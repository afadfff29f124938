"""Where the tokens are before the first sweep."""

import numpy as np
from numba import njit

from sklda._core.random_streams import uniform


def scatter(corpus, priors, rng):
    """Return a topic for each token, all topics as likely.

    Topics drawn given the tokens before them would be sharper from the first sweep on,
    but they settle too early: the chain needs more sweeps to predict as well.
    """
    z = np.empty(corpus.token_ptr[-1], np.uint16)
    draw(z, np.count_nonzero(priors.doc_topic), rng)
    return z


@njit(cache=True, nogil=True)
def draw(z, n_topics, rng):
    """Draw each of z from the topics."""
    for i in range(z.size):
        z[i] = np.int64(uniform(rng) * n_topics)
