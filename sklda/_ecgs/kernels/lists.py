"""Collapsed Gibbs sampling of groups of tokens, over lists of the topics a word has.

Xiao & Stibor, "Efficient collapsed Gibbs sampling for latent Dirichlet allocation",
ACML 2010. The tokens of a cell are split into as many groups as the sweep makes draws
for it. The tokens of a group are taken out together, one topic is drawn from the
conditional of a single token, and all move there. Groups of one token are those of the
single-site sampler.
"""

import numpy as np
from numba import njit

from sklda._core.document import Document, enter_document
from sklda._core.lists import (
    State,
    WordList,
    at_topic,
    counts,
    enter_cell,
    from_topics,
    gather,
    merge,
    prefetch_list,
    replica,
    replicate,
    resample,
    resample_each,
)
from sklda._core.problem import LANES

__all__ = [
    "State",
    "counts",
    "from_topics",
    "merge",
    "replica",
    "replicate",
    "sweep_groups",
]


@njit(cache=True, nogil=True)
def sweep_groups(corpus, state, priors, n_draws, rng):
    """Resample every token once, those of cell c in ``n_draws[c]`` groups."""
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
            if n_draws[c] == last - first:
                cell = resample_each(
                    z, first, last, cell, word_list, priors, document, rng
                )
            else:
                cell = _resample_groups(
                    z, first, last, n_draws[c], cell, word_list, priors, document, rng
                )
            sizes[w] = cell.size
            ratio_sum = cell.ratio_sum


@njit(cache=True, nogil=True, _nrt=False)
def _resample_groups(z, first, last, n_draws, cell, word_list, priors, document, rng):
    """Resample the tokens of a cell in groups of about equal size."""
    for n_groups in range(n_draws, 0, -1):
        n = np.int32((last - first) // n_groups)
        cell = at_topic(np.int64(z[first]), cell, word_list)
        for i in range(first + 1, first + n):
            if z[i] != cell.topic:
                cell = gather(z, i, first + n, cell, word_list, priors, document)
                break
        cell = resample(z, first, n, cell, word_list, priors, document, rng)
        first += n
    return cell
