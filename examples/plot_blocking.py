"""
Blocked against single-site sampling
====================================

With ``blocking``, the topics of all tokens of a document-word pair are drawn jointly.
The posterior is the same, but a sweep changes more topics and takes longer. This
example measures the effect on a subset of the NIPS papers, in which words often repeat.
"""

# %%
# Use 100 papers for training and 100 for testing.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from sklda import CollapsedGibbsLDA
from sklda.datasets import fetch_uci_bow
from sklda.inspection import ConvergenceDisplay

try:
    papers = fetch_uci_bow("nips").data
except OSError as error:
    raise SystemExit(f"This example needs the NIPS papers: {error}") from None
train, test = train_test_split(papers, train_size=100, test_size=100, random_state=0)
print(
    f"{train.shape[0]} papers, {train.sum():,} tokens, "
    f"{train.sum() / train.nnz:.1f} per document-word pair"
)

# %%
# Compare single-site sampling with blocks of at most two tokens (the default), blocks
# of at most four tokens, and whole document-word pairs ("cells"). These chains start at
# random topics, to show how far a sampler moves by itself. The last one is single-site
# sampling with the annealed start, the default. Run three chains of each. A fit of two
# sweeps compiles the kernels first, so that the times exclude compilation.
samplers = {
    "single-site": {"blocking": None},
    "blocks of 2": {"blocking": "nested"},
    "blocks of 4": {"blocking": "nested", "max_block_size": 4},
    "whole cells": {"blocking": "nested", "max_block_size": None},
    "annealed": {"init": "annealed"},
}
common = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "evaluate_every": 2}
fits, seconds = {}, {}
for name, parameters in samplers.items():
    chosen = {"init": "random", **parameters}
    lda = CollapsedGibbsLDA(20, max_iter=100, **common, **chosen)
    clone(lda).set_params(max_iter=2).fit(train)
    start = time.perf_counter()
    fits[name] = [clone(lda).set_params(random_state=i).fit(train) for i in range(3)]
    seconds[name] = (time.perf_counter() - start) / 3

# %%
# The log joint probability of words and topics increases as the chain approaches the
# posterior. From a random start and after the same number of sweeps, whole cells reach
# the highest value; blocks of two or four tokens differ little from single-site
# sampling. After the same time, single-site sampling reaches the highest value, because
# its sweeps are the cheapest. An annealed start brings it nearly as far as whole cells
# in as many sweeps, at no cost.
print("sampler      seconds per sweep  log joint per token  held-out perplexity")
for name, chains in fits.items():
    log_joint = np.median([lda.log_joint_[-1] for lda in chains]) / train.sum()
    perplexity = np.median([lda.perplexity(test) for lda in chains])
    print(
        f"{name:<11}  {seconds[name] / 100:>17.3f}  {log_joint:>19.3f}  "
        f"{perplexity:>19.0f}"
    )

# %%
# Plot the medians of the three chains against sweeps and against seconds. Blocks
# save sweeps, but no time. An annealed start saves both.
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
# Cut off the first sweeps, which are far below the level at which the chains settle.
lowest = min(values[5] for values in median.values())
for ax in (upper, lower):
    ax.set_ylim(bottom=lowest)
plt.show()
