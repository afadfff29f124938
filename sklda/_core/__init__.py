"""Corpus, problem, sampler protocol, counts and random numbers of all families."""
