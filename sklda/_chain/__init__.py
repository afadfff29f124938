"""The engine: one Markov chain, its fit, its start, and what it keeps."""
