"""What reads fitted topics: top words, draws, intervals, distances, plots."""
