"""Gibbs sampling: collapsed, also in blocks; partially collapsed; uncollapsed."""
