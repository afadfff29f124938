"""What every family of algorithms shares: the corpus, the problem, counts, random numbers."""
