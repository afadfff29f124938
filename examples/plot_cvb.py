"""
Collapsed variational Bayes, and streams of documents
=====================================================

``CVBLDA`` draws no samples: it moves the topic probabilities of all tokens until they
stand still, and says when they do. Its ``partial_fit`` learns from documents that
arrive in portions, and keeps none of them.
"""

# %%
# The docstrings of NumPy, SciPy and scikit-learn; a fifth is held out.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split
from sklearn.utils import gen_batches, shuffle

from sklda import CVBLDA
from sklda.datasets import load_docstrings
from sklda.inspection import ConvergenceDisplay, top_words

vectorizer = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=5, max_df=0.2
)
X = vectorizer.fit_transform(load_docstrings().data)
train, test = train_test_split(X, test_size=0.2, random_state=0)
priors = {"doc_topic_prior": 0.1, "topic_word_prior": 0.01}
print(f"{train.shape[0]:,} documents, {train.sum():,} tokens")

# %%
# The Gaussian approximation takes means and variances of the counts, the zero-order one
# (CVB0) the means alone. ``evaluate_every`` records the bound.
fits = {}
print("approximation  sweeps  seconds  held-out perplexity")
for approximation in ["gaussian", "zero-order"]:
    lda = CVBLDA(
        20,
        approximation=approximation,
        evaluate_every=5,
        max_iter=300,
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
# The bound rises and settles, and the fit ends when the probabilities of a sweep hardly
# differ from those of the sweep before. Which approximation is better depends on the
# data: where alpha is far below 1 and documents are short, as here, it is often the
# simpler one.
ConvergenceDisplay.from_estimator(fits)

# %%
# A stream: portions of 64 documents, in an order without structure, twice over. After
# each, the topics can be used. ``total_samples`` says how many documents there are in
# the whole, so how much one portion stands for. scikit-learn's online variational Bayes
# gets the same portions.
stream = shuffle(train, random_state=0)
portions = [stream[part] for part in gen_batches(stream.shape[0], 64)] * 2
online = {"total_samples": stream.shape[0], "random_state": 0, **priors}
streams = {
    "CVBLDA": CVBLDA(20, **online),
    "scikit-learn": LatentDirichletAllocation(20, **online),
}
judge = CVBLDA(20, **online).partial_fit(portions[0])
seen = np.cumsum([portion.shape[0] for portion in portions])
perplexities = {}
for name, lda in streams.items():
    taken, perplexities[name] = 0.0, []
    for portion in portions:
        start = time.perf_counter()
        lda.partial_fit(portion)
        taken += time.perf_counter() - start
        judge.components_ = lda.components_  # one score for both
        perplexities[name].append(judge.perplexity(test))
    print(
        f"{name:<12}  {taken:>5.1f} s for {seen[-1]:,} documents, "
        f"held-out perplexity {perplexities[name][-1]:.0f}"
    )

# %%
# Perplexity of the held-out words after each portion, and where the fit to all
# documents at once ends up. The vertical line is the end of the first pass.
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
# Some of the topics of the stream.
words = vectorizer.get_feature_names_out()
for topic in top_words(streams["CVBLDA"], words, 7)[:6]:
    print(", ".join(topic))
plt.show()
