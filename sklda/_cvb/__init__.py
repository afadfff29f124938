"""Collapsed variational Bayes (Teh, Newman & Welling, NIPS 2006)."""
