"""Efficient collapsed Gibbs sampling (Xiao & Stibor, ACML 2010)."""
