"""
Samplers at equal time
======================

Sweeps of different algorithms are not comparable: some are cheap but change little,
others are expensive but change more. What matters is how well the topics predict after
a given time. This example gives several unsupervised estimators of sklda and
scikit-learn's variational Bayes the same time on passages of the State of the Union
addresses.
"""

# %%
# Hold out a fifth of the passages.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from sklda import CVBLDA, ECGSLDA, CollapsedGibbsLDA, UncollapsedGibbsLDA
from sklda.datasets import load_state_of_the_union

X = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=5, max_df=0.2
).fit_transform(load_state_of_the_union().data)
train, test = train_test_split(X, test_size=0.2, random_state=0)
print(f"{train.shape[0]:,} documents, {train.sum():,} tokens")

# %%
# Run separate fits of 1, 2, 4, 8, ... sweeps until one takes more than ``LIMIT``
# seconds, with one thread: an annealed start takes a part of the sweeps of its fit.
# CVBLDA would stop at convergence; ``tol=0`` prevents that.
LIMIT = 3.0
N_TOPICS = 40
priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01, "random_state": 0}
samplers = {
    "CollapsedGibbsLDA": CollapsedGibbsLDA(N_TOPICS, evaluate_every=0, **priors),
    "CollapsedGibbsLDA, blocks": CollapsedGibbsLDA(
        N_TOPICS, blocking="nested", evaluate_every=0, **priors
    ),
    "UncollapsedGibbsLDA": UncollapsedGibbsLDA(N_TOPICS, evaluate_every=0, **priors),
    "ECGSLDA": ECGSLDA(N_TOPICS, evaluate_every=0, **priors),
    "CVBLDA, Gaussian": CVBLDA(N_TOPICS, tol=0, **priors),
    "CVBLDA, zero-order": CVBLDA(N_TOPICS, approximation="zero-order", tol=0, **priors),
    "scikit-learn": LatentDirichletAllocation(N_TOPICS, **priors),
}


# %%
# Evaluate all topics with the same function, the perplexity of sklda: assign them to
# ``components_`` of an sklda estimator that was fitted for one sweep.
evaluator = CollapsedGibbsLDA(N_TOPICS, max_iter=1, **priors).fit(train)


def perplexity(fitted):
    evaluator.components_ = fitted.components_
    return evaluator.perplexity(test)


curves = {}
for name, estimator in samplers.items():
    clone(estimator).set_params(max_iter=8).fit(train[:50])  # compiles the kernels
    curve, n_sweeps, seconds = [], 1, 0.0
    while seconds < LIMIT:
        fitted = clone(estimator).set_params(max_iter=n_sweeps)
        start = time.perf_counter()
        fitted.fit(train)
        seconds = time.perf_counter() - start
        curve.append((seconds, perplexity(fitted), n_sweeps))
        n_sweeps *= 2
    curves[name] = np.array(curve).T

# %%
# Print the longest fit within the time limit, or the shortest fit if all exceeded it.
print(f"{'':26}sweeps  seconds  held-out perplexity")
for name, (seconds, perplexities, sweeps) in curves.items():
    last = max(np.searchsorted(seconds, LIMIT) - 1, 0)
    print(
        f"{name:<26}{sweeps[last]:>6.0f}  {seconds[last]:>7.1f}  "
        f"{perplexities[last]:>19.0f}"
    )

# %%
# Lower curves, and curves further to the left, are better. On these short documents,
# CVBLDA with the zero-order approximation is the fastest, and single-site sampling is
# the fastest of the samplers. After a few seconds, all estimators of sklda but data
# augmentation predict similarly well. The order can differ for long documents,
# other priors or more topics.
figure, ax = plt.subplots(figsize=(9, 6), layout="constrained")
styles = ["o-", "s-", "^-", "v-", "o--", "s--", "x:"]
colors = "black", "tab:blue", "tab:orange", "tab:green", "tab:red", "tab:pink", "grey"
for (name, (seconds, perplexities, _)), style, color in zip(
    curves.items(), styles, colors, strict=True
):
    ax.plot(seconds, perplexities, style, color=color, label=name, markersize=5)
ax.set(
    xscale="log",
    xlabel="seconds of the fit",
    ylabel="perplexity of held-out words",
    title=f"{N_TOPICS} topics, one thread",
)
ax.legend()
plt.show()
