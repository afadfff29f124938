"""Gibbs sampling, collapsed (in blocks, too), partially collapsed and uncollapsed."""
