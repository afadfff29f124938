"""Checks that a fit takes neither too long nor too much memory."""

import numpy as np

from sklda._core.memory import free_memory
from sklda._core.problem import WeightedCorpus, padded

_MAX_EXACT_TOKENS = 1000  # 16 MB and a tenth of a second for each topic and sweep


def check_memory(n_cells: int, n_topics: int, *, exact: bool) -> None:
    """Raise MemoryError if a fit needs more than half of the free memory."""
    needed = 4 * n_cells * padded(n_topics)
    if exact:
        needed += 16 * n_cells**2 * n_topics
    free = free_memory()
    if free is not None and needed > free / 2:
        raise MemoryError(
            f"fit stores {n_topics} responsibilities for each of {n_cells:,} "
            f"document-word pairs: {needed / 2**30:.3g} GiB, more than half of the "
            f"{free / 2**30:.3g} GiB that are free. partial_fit takes the documents in "
            f"minibatches and stores none."
        )


def check_exact(corpus: WeightedCorpus, n_shards: int) -> None:
    """Raise ValueError if a corpus is too large for the exact approximation."""
    n_tokens = int(corpus.count.sum(dtype=np.float64))
    if n_tokens > _MAX_EXACT_TOKENS:
        raise ValueError(
            f"approximation='exact' takes up to {_MAX_EXACT_TOKENS:,} tokens, because "
            f"its cost grows with their square. X holds {n_tokens:,}: use "
            f"approximation='gaussian'."
        )
    if n_shards > 1:
        raise ValueError(
            f"approximation='exact' is for small corpora and is not sharded: set "
            f"n_shards=1 instead of n_shards={n_shards}."
        )
