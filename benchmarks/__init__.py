"""Benchmarks of sklda; each runs as `python -m benchmarks.NAME --help`.

speed     tokens per second, side by side with tomotopy
quality   held-out perplexity, side by side with tomotopy
blocking  the experiments of Zhang and Sisson: `bars`, `chains` and `speed`
ecgs      the experiments of Xiao and Stibor, and shards
cvb       the experiments of Teh, Newman and Welling, and variational Bayes of others
"""
