"""A single-site chain that keeps the word-topic counts in the faster way."""

import numpy as np

from sklda._gibbs.kernels import single_site_rows as dense
from sklda._gibbs.kernels import single_site_lists as sparse
from sklda._core.problem import padded
from sklda._gibbs.chain import Chain

# A listed topic costs as much as so many lanes of a row: where its ratio stands has to
# be looked up. Measured on NIPS, with 100 to 1,000 topics.
LANES_PER_LISTED = 10
FEW_TOPICS = 100  # below, a row is short enough whatever the lists are
MOST_MEMORY = 4  # of rows, in that of lists


class AdaptiveChain(Chain):
    """Rows of counts while words have many topics, lists once they have few.

    Words lose topics while a chain sharpens, most of all in its first sweeps. Only
    counts decide, so that the samples do not depend on the time that anything took.
    """

    def __init__(self, corpus, n_words, doc_topic_prior, *start):
        n_topics = doc_topic_prior.size
        tokens = np.bincount(corpus.word, np.diff(corpus.token_ptr), n_words)
        # Expected of topics at random, as they are at the start.
        n_listed = n_topics * -np.expm1(-tokens / n_topics)
        bytes_of_rows = 4 * n_words * padded(n_topics)
        bytes_of_lists = 8 * np.minimum(tokens, n_topics).sum()
        slim = bytes_of_rows <= MOST_MEMORY * bytes_of_lists
        rows = slim and _rows_are_faster(n_listed, corpus, n_topics)
        kernel = dense if rows or n_topics < FEW_TOPICS else sparse
        super().__init__(kernel, corpus, n_words, doc_topic_prior, *start)

    def sweep(self) -> None:
        """Redraw every token once; change the kernel if that pays from now on."""
        super().sweep()
        if self.kernel is sparse or self.n_topics < FEW_TOPICS:
            return
        if self.n_sweeps < 10 or self.n_sweeps % 10 == 0:
            n_listed = np.count_nonzero(self.state.word_topic, axis=1)
            if not _rows_are_faster(n_listed, self.corpus, self.n_topics):
                self.change_kernel(sparse)


def _rows_are_faster(n_listed, corpus, n_topics) -> bool:
    """Compare the kernels where each word has so many topics; a sweep goes by cells."""
    mean = n_listed[corpus.word].mean() if corpus.word.size > 0 else 0
    return LANES_PER_LISTED * mean >= padded(n_topics)
