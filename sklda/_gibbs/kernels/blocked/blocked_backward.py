"""Blocked collapsed Gibbs sampling by backward simulation.

Zhang & Sisson, "Blocking collapsed Gibbs sampler for latent Dirichlet allocation
models", arXiv 1608.00945. `blocks` has the sweep, `backward` the simulation.
"""

from sklda._gibbs.kernels.blocked import blocks
from sklda._core.lists import (
    State,
    copies,
    copy,
    init,
    merge,
    read_counts,
)

__all__ = ["State", "copies", "copy", "init", "merge", "read_counts", "sweep"]


def sweep(corpus, state, priors, rng):
    """Redraw every block once."""
    blocks.sweep(corpus, state, priors, rng, False)
