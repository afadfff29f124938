"""Gibbs sampling, collapsed (in blocks, too) and uncollapsed."""
