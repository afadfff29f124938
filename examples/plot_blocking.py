"""
Blocked against single-site sampling
====================================

``blocking`` draws the topics of all tokens of one word in one document jointly. The
posterior is the same; a sweep changes more, and takes longer. Does it pay? The corpus
is a part of the NIPS papers, which repeat their words a lot, so there is something to
draw jointly.
"""

# %%
# 200 papers to fit, 100 to predict.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from sklda import CollapsedGibbsLDA
from sklda.datasets import fetch_uci_bow
from sklda.inspection import ConvergenceDisplay

papers = fetch_uci_bow("nips").data
train, test = train_test_split(papers, train_size=200, test_size=100, random_state=0)
print(
    f"{train.shape[0]} papers, {train.sum():,} tokens, "
    f"{train.sum() / train.nnz:.1f} per document-word pair"
)

# %%
# Single-site sampling against nested simulation, with blocks of at most four tokens
# (the default) and with whole cells, three chains each. A fit of two sweeps goes first:
# it compiles the kernels, which is not to be timed.
samplers = {
    "single-site": {"blocking": None},
    "blocks of 4": {"blocking": "nested"},
    "whole cells": {"blocking": "nested", "max_block_size": None},
}
common = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "evaluate_every": 2}
fits, seconds = {}, {}
for name, parameters in samplers.items():
    lda = CollapsedGibbsLDA(20, max_iter=100, **common, **parameters)
    clone(lda).set_params(max_iter=2).fit(train)
    start = time.perf_counter()
    fits[name] = [clone(lda).set_params(random_state=i).fit(train) for i in range(3)]
    seconds[name] = (time.perf_counter() - start) / 3

# %%
# The better the fit, the higher the log joint probability of words and topics. Sweep
# for sweep, whole cells get furthest. Second for second it is the other way round: a
# single-site sweep is so much cheaper that its chain is ahead for as long as it runs.
print("sampler      seconds per sweep  log joint per token  held-out perplexity")
for name, chains in fits.items():
    log_joint = np.median([lda.log_joint_[-1] for lda in chains]) / train.sum()
    perplexity = np.median([lda.perplexity(test) for lda in chains])
    print(
        f"{name:<11}  {seconds[name] / 100:>17.3f}  {log_joint:>19.3f}  "
        f"{perplexity:>19.0f}"
    )

# %%
# The same, medians of three chains, against sweeps and against seconds. So blocks are
# for chains that get stuck, not for speed.
median = {
    name: np.median([lda.log_joint_ for lda in chains], axis=0)
    for name, chains in fits.items()
}
names = list(samplers)
figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 7), layout="constrained")
display = ConvergenceDisplay(
    sweeps=[fits[name][0].log_joint_iter_ for name in names],
    values=[median[name] for name in names],
    names=names,
    quantity="log joint (nats)",
).plot(upper)
display.sweeps = [fits[name][0].log_joint_iter_ * seconds[name] / 100 for name in names]
display.plot(lower)
lower.set(xlabel="seconds", xscale="log")
# The first sweeps are far below: what matters is where the chains settle.
lowest = min(values[5] for values in median.values())
for ax in (upper, lower):
    ax.set_ylim(bottom=lowest)
plt.show()
