"""Benchmarks of sklda; each runs as `python -m benchmarks.NAME --help`.

compare   speed, perplexity and memory, side by side with other programs
blocking  the experiments of Zhang and Sisson: `bars`, `chains` and `speed`
ecgs      the experiments of Xiao and Stibor, and shards
cvb       the experiments of Teh, Newman and Welling, and variational Bayes of others
"""
