"""Single-site collapsed Gibbs sampling over lists of the topics that a word has.

The conditional of Griffiths & Steyvers, "Finding scientific topics", PNAS 2004,
equation 5, in the two exact parts of `sklda._core.lists`. Cost: O(topics of the word)
per cell, and O(K) per document and for the few tokens that the second part draws. As
over rows, the weights are computed once per cell, the draw tries the present topic
first, and a token that stays writes nothing.
"""

import numpy as np
from numba import njit

from sklda._core.document import Document, enter_document
from sklda._core.lists import (
    State,
    WordList,
    counts,
    enter_cell,
    from_topics,
    merge,
    prefetch_list,
    replica,
    replicate,
    resample_each,
)
from sklda._core.problem import LANES

__all__ = ["State", "counts", "from_topics", "merge", "replica", "replicate", "sweep"]


def sweep(problem, state, rng):
    """Resample every token once."""
    sweep_tokens(problem.corpus, state, problem.kernel_priors(), rng.kernel)
    return state


@njit(cache=True, nogil=True)
def sweep_tokens(corpus, state, priors, rng):
    """Resample every token once."""
    doc_ptr, word, token_ptr = corpus
    z, topic, start, sizes, list_topic, list_count = state
    n_lanes = topic.size
    ratio = np.zeros(n_lanes + LANES, np.float32)
    weight = np.zeros(n_lanes + LANES, np.float32)
    document = Document(np.zeros(n_lanes, np.int32), topic, ratio)
    for d in range(doc_ptr.size - 1):
        begin, end = doc_ptr[d], doc_ptr[d + 1]
        ratio_sum = enter_document(
            token_ptr[begin], token_ptr[end], z, priors, document
        )
        for c in range(begin, end):
            prefetch_list(word, c, start, list_topic, list_count)
            w = word[c]
            slots = slice(start[w], start[w + 1])
            word_list = WordList(list_topic[slots], list_count[slots], weight)
            first, last = token_ptr[c], token_ptr[c + 1]
            cell = enter_cell(
                np.int64(z[first]), np.int64(sizes[w]), ratio_sum, word_list, ratio
            )
            cell = resample_each(z, first, last, cell, word_list, priors, document, rng)
            sizes[w] = cell.size
            ratio_sum = cell.ratio_sum
