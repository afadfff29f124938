"""
Several threads
===============

A fit can use several processors in two ways: with ``n_shards`` of the collapsed
samplers, which is an approximation, or with ``UncollapsedGibbsLDA``, which is exact. In
both cases the result does not depend on the number of threads.
"""

# %%
# Load the KOS blog entries and hold out a fifth of them.
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
# Shards are processed in parallel. They share the counts, and no two shards work on the
# same word at the same time. ``n_shards`` affects the result; ``n_jobs`` (the number of
# threads) does not. Fit each number of shards on one thread and on all threads.
N_TOPICS = 50
common = {
    "doc_topic_prior": 0.1,
    "topic_word_prior": 0.01,
    "max_iter": 100,
    "random_state": 0,
}


def timed(lda):
    start = time.perf_counter()
    lda.fit(train)
    return lda, time.perf_counter() - start


CollapsedGibbsLDA(N_TOPICS, max_iter=1, n_shards=2).fit(train)  # compiles the kernels
fits = {"1 shard": {1: timed(CollapsedGibbsLDA(N_TOPICS, **common))}}
for n in (2, 4, 8):
    fits[f"{n} shards"] = {
        n_jobs: timed(CollapsedGibbsLDA(N_TOPICS, n_shards=n, n_jobs=n_jobs, **common))
        for n_jobs in (1, -1)
    }

# %%
# Data augmentation also samples the topics and the proportions. Given these, all tokens
# are independent. This is exact, but each sweep changes less than a sweep of the
# collapsed sampler.
UncollapsedGibbsLDA(N_TOPICS, max_iter=1).fit(train)
fits["uncollapsed"] = {
    n_jobs: timed(UncollapsedGibbsLDA(N_TOPICS, n_jobs=n_jobs, **common))
    for n_jobs in (1, -1)
}

# %%
# A single shard is a serial chain that cannot use a second thread. The last column
# shows whether the topics are bit-identical on one thread and on all threads.
threads = {1: "1 thread", -1: f"{cpu_count()} threads"}
print(f"{'':11}  {threads[1]}  {threads[-1]}  held-out perplexity  same topics")
for name, of_threads in fits.items():
    of_one, seconds = of_threads[1]
    line = f"{name:<11}  {seconds:>6.2f} s  "
    perplexity = f"{of_one.perplexity(test):.0f}"
    if -1 in of_threads:
        of_all, seconds = of_threads[-1]
        same = np.array_equal(of_one.components_, of_all.components_)
        print(f"{line}{seconds:>7.2f} s  {perplexity:>19}  {same!s:>11}")
    else:
        print(f"{line}{'':9}  {perplexity:>19}")

# %%
# The left panel shows the gain from threads. The right panel shows the progress of fits
# on all threads over time. Four shards predict as well as one, and their log joint
# probability increases as fast per sweep, because only the topic totals are out of
# date, by a fraction of a sweep. Data augmentation needs more sweeps.
figure, (bars, curve) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
places = np.arange(len(fits))
for n_jobs, shift, color in ((1, -0.2, "#a3c6df"), (-1, 0.2, "#2f5570")):
    seconds = [of_threads.get(n_jobs, (None, 0))[1] for of_threads in fits.values()]
    bars.bar(places + shift, seconds, 0.4, color=color, label=threads[n_jobs])
bars.set_xticks(places, [name.replace(" ", "\n", 1) for name in fits])
bars.set(ylabel="seconds", title=f"{common['max_iter']} sweeps")
bars.legend()
for name, color in {"1 shard": "black", "4 shards": "C0", "uncollapsed": "C1"}.items():
    lda, seconds = list(fits[name].values())[-1]
    seconds_of_trace = lda.log_joint_iter_ * seconds / lda.n_iter_
    values = lda.log_joint_ / train.sum()
    curve.plot(seconds_of_trace, values, ".-", color=color, label=name)
curve.set(
    xlabel="seconds",
    ylabel="log joint per token (nats)",
    title=f"on {threads[-1]} at most",
)
curve.legend()
plt.show()
