"""Single-site collapsed Gibbs sampling over lists of the topics that a word has.

The conditional of Griffiths & Steyvers, "Finding scientific topics", PNAS 2004,
equation 5, in the two exact parts of `sklda._core.lists`. Cost: O(topics of the word)
per cell, O(K) per document that is not short, and O(K) for the few tokens that the
second part draws. As over rows, the weights are computed once per cell, the draw tries
the present topic first, and a token that stays writes nothing.
"""

import numpy as np

from sklda._core.compile import njit
from sklda._core.corpus import kernel_ranges, some_documents, tokens_before
from sklda._core.document import new_document, next_document, update_ratios
from sklda._core.entry import priors_of
from sklda._core.list_replicas import merge, replica, replicate
from sklda._core.lists import (
    counts,
    enter_cell,
    from_topics,
    kernel_priors,
    resample_each,
)
from sklda._core.problem import LANES

__all__ = [
    "counts",
    "from_topics",
    "kernel_priors",
    "merge",
    "replica",
    "replicate",
    "sweep",
]


def sweep(problem, state, rng):
    """Resample every token once."""
    corpus, priors = problem.corpus, kernel_priors(problem)
    for documents in kernel_ranges(tokens_before(corpus), problem.n_lanes):
        sweep_tokens(some_documents(corpus, *documents), state, priors, rng.kernel)
    return state


@njit(cache=True, nogil=True)
def sweep_tokens(corpus, state, priors, rng):
    """Resample every token once."""
    n_lanes = state.topic.size
    document = new_document(state.topic, n_lanes + LANES)
    weight = np.zeros(n_lanes + LANES, np.float32)
    ratio_sum = update_ratios(priors, document)
    for d in range(corpus.doc_ptr.size - 1):
        ratio_sum = next_document(d, corpus, state.z, ratio_sum, priors, document)
        ratio_sum = _sweep_document(
            d, corpus, state, ratio_sum, priors, document, weight, rng
        )


@njit(cache=True, nogil=True, _nrt=False)
def _sweep_document(d, corpus, state, ratio_sum, priors, document, weight, rng):
    doc_ptr, word, token_ptr = corpus
    for c in range(doc_ptr[d], doc_ptr[d + 1]):
        word_list, cell = enter_cell(
            c, word, token_ptr, state, ratio_sum, weight, document
        )
        first, last = token_ptr[c], token_ptr[c + 1]
        own = priors_of(word[c], priors)
        cell = resample_each(state.z, first, last, cell, word_list, own, document, rng)
        state.size[word[c]] = cell.size
        ratio_sum = cell.ratio_sum
    return ratio_sum
