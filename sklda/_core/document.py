"""What Gibbs samplers keep of the document they are in."""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def clear(doc_topic):
    """Set all counts to 0; a loop compiles in a fraction of a slice's time."""
    for k in range(doc_topic.size):
        doc_topic[k] = 0


@njit(inline="always")
def count_document(first, last, z, doc_topic):
    """Set `doc_topic` to n_dk of a document, from the topics of its own tokens."""
    clear(doc_topic)
    for i in range(first, last):
        doc_topic[z[i]] += 1


@njit(inline="always")
def topic_ratio(doc_topic, topic, alpha, word_mass):
    """Return (n_dk + alpha_k) / (n_k + V beta), the factor that all words share."""
    return (np.float32(doc_topic) + alpha) / (np.float32(topic) + word_mass)


@njit(cache=True, nogil=True, fastmath=True)
def topic_ratios(doc_topic, topic, alpha, word_mass, ratio):
    """Fill `ratio` with the `topic_ratio` of every lane and return their sum."""
    total = 0.0  # wide: a sampler goes on adding to it and taking from it
    for k in range(doc_topic.size):
        value = topic_ratio(doc_topic[k], topic[k], alpha[k], word_mass)
        ratio[k] = value
        total += value
    return total
