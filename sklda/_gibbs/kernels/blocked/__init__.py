"""Blocked collapsed Gibbs sampling (Zhang & Sisson, arXiv 1608.00945)."""
