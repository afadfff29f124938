"""
Several threads
===============

A fit can use several processors in two ways: with ``n_shards`` of the collapsed
samplers, which is an approximation, or with ``UncollapsedGibbsLDA``, which is exact. In
both cases the result does not depend on the number of threads.
"""

# %%
# The corpus is the KOS blog entries; a fifth is held out.
import time

import matplotlib.pyplot as plt
import numpy as np
from joblib import cpu_count
from sklearn.model_selection import train_test_split

from sklda import CollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda.datasets import fetch_uci_bow

try:
    X = fetch_uci_bow("kos").data
except OSError as error:
    raise SystemExit(f"This example needs the KOS blog entries: {error}") from None
train, test = train_test_split(X, test_size=0.2, random_state=0)
print(f"{train.shape[0]:,} documents, {train.sum():,} tokens, {cpu_count()} processors")

# %%
# Shards are processed in parallel. They share the counts: no two work on a word at the
# same time. ``n_shards`` affects the result, ``n_jobs`` (the number of threads) does
# not.
N_TOPICS = 50
common = {
    "doc_topic_prior": 0.1,
    "topic_word_prior": 0.01,
    "max_iter": 100,
    "random_state": 0,
}
shard_numbers = [1, 2, 4, 8]


def timed(lda):
    start = time.perf_counter()
    lda.fit(train)
    return lda, time.perf_counter() - start


CollapsedGibbsLDA(N_TOPICS, max_iter=1, n_shards=2).fit(train)  # compiles the kernels
sharded = {
    n: timed(CollapsedGibbsLDA(N_TOPICS, n_shards=n, n_jobs=-1, **common))
    for n in shard_numbers
}
print("shards  seconds  held-out perplexity")
for n, (lda, seconds) in sharded.items():
    print(f"{n:>6}  {seconds:>7.2f}  {lda.perplexity(test):>19.0f}")

# %%
# The same fit on one thread is slower, and its result is bit-identical.
alone, seconds = timed(CollapsedGibbsLDA(N_TOPICS, n_shards=4, n_jobs=1, **common))
same = np.array_equal(alone.components_, sharded[4][0].components_)
print(f"4 shards on one thread: {seconds:.2f} s, same topics: {same}")

# %%
# Data augmentation also samples the topics and the proportions. Given these, all tokens
# are independent. This is exact, but a sweep changes less than a sweep of the collapsed
# sampler.
UncollapsedGibbsLDA(N_TOPICS, max_iter=1).fit(train)
print("threads  seconds  held-out perplexity")
augmented = []
for n_jobs in [1, -1]:
    lda, seconds = timed(UncollapsedGibbsLDA(N_TOPICS, n_jobs=n_jobs, **common))
    augmented.append(lda)
    threads = "1" if n_jobs == 1 else f"{cpu_count()}"
    print(f"{threads:>7}  {seconds:>7.2f}  {lda.perplexity(test):>19.0f}")
same = np.array_equal(augmented[0].components_, augmented[1].components_)
print(f"same topics: {same}")

# %%
# What is the effect of the approximation? Held-out words are predicted as well, and the
# log joint probability increases as fast with several shards as with one: only the
# totals of the topics are out of date, by a fraction of a sweep. Data augmentation is
# slower.
figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
chains = {f"{n} shards": lda for n, (lda, _) in sharded.items()}
chains["uncollapsed"] = augmented[0]
styles = ["-", "--", "-.", ":", (0, (8, 3))]
for (name, lda), style in zip(chains.items(), styles, strict=True):
    label = name.removesuffix("s") if name == "1 shards" else name
    ax.plot(
        lda.log_joint_iter_,
        lda.log_joint_ / train.sum(),
        color="grey" if name == "uncollapsed" else "black",
        linestyle=style,
        label=label,
    )
ax.set(xlabel="sweep", ylabel="log joint per token (nats)")
ax.legend()
plt.show()
