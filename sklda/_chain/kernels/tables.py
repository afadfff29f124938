"""Tables of Chinese restaurants: counts that stand for the topics of documents.

C. E. Antoniak, "Mixtures of Dirichlet processes with applications to Bayesian
nonparametric problems", Annals of Statistics 2 (1974).
"""

import numpy as np

from sklda._core.random_streams import hashed_uniform
from sklda._simd.arrays import zeros
from sklda._simd.compile import kernel, lean_kernel
from sklda._simd.places import not_negative
from sklda._tables.document import LANES_PER_TOKEN, clear


@kernel
def add_tables(tokens_before, z, first_token, row, alpha, key, tables):
    """Add the tables of documents to those of their rows, (n_rows, n_topics) int64.

    Of the tokens of a document on topic k, number i = 0, 1, ... opens a table with
    probability alpha_k / (alpha_k + i), for alpha of its row, (n_rows, n_topics). Token
    j of the corpus uses the j-th random number of the key; `first_token` is the number
    of z[0].
    """
    doc_topic = zeros(alpha.shape[1], np.int32)
    for d in range(row.size):
        r, first, last = not_negative(row[d]), tokens_before[d], tokens_before[d + 1]
        for i in range(first, last):
            k = np.int64(z[i])
            n, a = doc_topic[k], alpha[r, k]
            doc_topic[k] = n + 1
            opens = hashed_uniform(key, first_token + i) * (a + n) < a
            tables[r, k] += np.int64(opens)  # a branch would be mispredicted
        _forget(first, last, z, doc_topic)


@lean_kernel
def _forget(first, last, z, doc_topic):
    """Set the counts of a document back to 0."""
    if doc_topic.size <= LANES_PER_TOKEN * (last - first):
        clear(doc_topic)
        return
    for i in range(first, last):
        doc_topic[z[i]] = 0
