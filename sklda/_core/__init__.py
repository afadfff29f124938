"""What every family shares: corpus, problem, protocol, counts, random numbers."""
