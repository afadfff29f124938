"""
Collapsed variational Bayes, and streams of documents
=====================================================

``CVBLDA`` draws no samples. It updates the topic probabilities of all tokens until they
converge, and then stops. Its ``partial_fit`` learns from documents that arrive in
batches and stores none of them.
"""

# %%
# Load passages of the State of the Union addresses, and hold out a fifth of them.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.utils import gen_batches, shuffle

from sklda import CVBLDA
from sklda.datasets import load_state_of_the_union
from sklda.inspection import ConvergenceDisplay, top_words

vectorizer = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=5, max_df=0.2
)
X = vectorizer.fit_transform(load_state_of_the_union().data)
train, test = train_test_split(X, test_size=0.2, random_state=0)
priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}
print(f"{train.shape[0]:,} documents, {train.sum():,} tokens")

# %%
# The Gaussian approximation uses means and variances of the counts, the zero-order
# approximation (CVB0) only means. ``evaluate_every`` records the bound. Beta falls from
# a large value to its own during the first quarter of ``max_iter``, 25 sweeps: a fit
# takes at least so many.
fits = {}
print("approximation  sweeps  seconds  held-out perplexity")
for approximation in ["gaussian", "zero-order"]:
    lda = CVBLDA(
        20,
        approximation=approximation,
        evaluate_every=5,
        random_state=0,
        **priors,
    )
    CVBLDA(20, approximation=approximation, tol=2).fit(train)  # compiles the kernel
    start = time.perf_counter()
    fits[approximation] = lda.fit(train)
    seconds = time.perf_counter() - start
    print(
        f"{approximation:<13}  {lda.n_iter_:>6}  {seconds:>7.1f}  "
        f"{lda.perplexity(test):>19.0f}"
    )

# %%
# The bound increases more and more slowly. The fit stops when a sweep hardly changes
# the probabilities. Which approximation is better depends on the data. If alpha is far
# below 1 and documents are short, as in this example, the zero-order approximation is
# often better.
ConvergenceDisplay.from_estimator(fits)

# %%
# Now learn from a stream: batches of 64 documents in random order, in two passes. You
# can use the topics after each batch. ``total_samples`` is the number of documents in
# the whole corpus: in the second pass, they do not weigh twice. scikit-learn's online
# variational Bayes learns from the same batches. The same instance of CVBLDA evaluates
# the topics of both, so that their perplexities are comparable.
stream = shuffle(train, random_state=0)
batches = [stream[rows] for rows in gen_batches(stream.shape[0], 64)] * 2
online = {"total_samples": stream.shape[0], "random_state": 0, **priors}
streams = {
    "CVBLDA": CVBLDA(20, **online),
    "scikit-learn": LatentDirichletAllocation(20, **online),
}
evaluator = CVBLDA(20, **online).partial_fit(batches[0])
seen = np.cumsum([batch.shape[0] for batch in batches])
perplexities = {}
for name, lda in streams.items():
    seconds, perplexities[name] = 0.0, []
    for batch in batches:
        start = time.perf_counter()
        lda.partial_fit(batch)
        seconds += time.perf_counter() - start
        evaluator.components_ = lda.components_
        perplexities[name].append(evaluator.perplexity(test))
    print(
        f"{name:<12}  {seconds:>5.1f} s for {seen[-1]:,} documents, "
        f"held-out perplexity {perplexities[name][-1]:.0f}"
    )

# %%
# Plot the held-out perplexity after each batch. The dashed line shows the fit to all
# documents at once; the vertical line marks the end of the first pass.
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for (name, values), style in zip(perplexities.items(), ["-", ":"], strict=True):
    ax.plot(seen, values, style, color="black", label=f"{name}, partial_fit")
ax.axhline(
    fits["zero-order"].perplexity(test),
    color="grey",
    linestyle="--",
    label="CVBLDA, fit (zero-order)",
)
ax.axvline(stream.shape[0], color="lightgrey", linewidth=1)
ax.set(xlabel="documents seen", ylabel="perplexity of held-out words", yscale="log")
ax.legend()

# %%
# Print some of the topics learnt from the stream.
words = vectorizer.get_feature_names_out()
for topic in top_words(streams["CVBLDA"], words, 7)[:6]:
    print(", ".join(topic))
plt.show()
