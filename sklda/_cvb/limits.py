"""How large a fit by collapsed variational Bayes may be."""

import numpy as np

from sklda._core.memory import check_memory
from sklda._core.problem import WeightedCorpus, padded

MAX_EXACT_TOKENS = 1000  # 16 MB and a tenth of a second for each topic and sweep


def check_exact(corpus: WeightedCorpus, n_shards: int) -> None:
    """Raise ValueError if a fit is too large for the exact approximation."""
    n_tokens = int(corpus.count.sum(dtype=np.float64))
    if n_tokens > MAX_EXACT_TOKENS:
        raise ValueError(
            f"approximation='exact' accepts up to {MAX_EXACT_TOKENS:,} tokens, "
            "because its cost grows with the square of their number. X has "
            f"{n_tokens:,}: use approximation='gaussian'."
        )
    if n_shards > 1:
        raise ValueError(
            "approximation='exact' is for small corpora and does not support shards: "
            f"set n_shards=1 instead of n_shards={n_shards}."
        )


def check_cvb_memory(n_cells: int, n_topics: int, *, is_exact: bool) -> None:
    """Raise an error if the fit needs more than half of the free memory."""
    n_bytes = 4 * n_cells * padded(n_topics) + is_exact * 16 * n_cells**2 * n_topics
    contents = (
        f"{n_topics} responsibilities for each of {n_cells:,} document-word pairs"
    )
    check_memory(
        n_bytes,
        f"fit, with {contents},",
        "use partial_fit, which stores no responsibilities",
    )
