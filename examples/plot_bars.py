"""
Recovering the bars
===================

In this corpus, you can judge the topics by eye. The words are the 25 pixels of a small
image, each topic is a row or a column of pixels, and each document has 100 tokens drawn
from a mixture of these ten bars. The corpus and the plot of a chain that finds the bars
follow Griffiths and Steyvers, "Finding scientific topics" (2004).
"""

# %%
# Draw the corpus and plot ten documents. Darker pixels have more tokens. No document
# consists of a single bar.
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_bars

X, doc_topic, topic_word = make_bars(random_state=0)
print(f"{X.shape[0]:,} documents, {X.shape[1]} words, {X.sum():,} tokens")


def show(panel, pixels):
    panel.imshow(pixels.reshape(5, 5), cmap="Greys", vmin=0)
    panel.set(xticks=[], yticks=[])


figure, panels = plt.subplots(1, 10, figsize=(10, 1.3), layout="constrained")
for panel, document in zip(panels, X[:10].toarray(), strict=True):
    show(panel, document)
figure.suptitle("Ten documents")

# %%
# Fits with the same seed and different numbers of sweeps n are prefixes of the same
# chain, so they show how its topics evolve. ``burn_in = n - 1`` keeps only the last
# sample. Both priors are 1, as in the paper; alpha is also 1 in the corpus. The start
# is random, because the length of an annealed start depends on the number of sweeps.
sweeps = [1, 2, 5, 10, 20, 50, 100, 200]
fits = [
    CollapsedGibbsLDA(
        10,
        doc_topic_prior=1.0,
        topic_word_prior=1.0,
        max_iter=n,
        burn_in=n - 1,
        init="random",
        random_state=0,
    ).fit(X)
    for n in sweeps
]

# %%
# The order of the topics is arbitrary. To plot them in the order of the true bars,
# match each topic with one bar such that the sum of the distances is smallest. The
# distance is the total variation distance: 0 for equal distributions, 1 for
# distributions without a common word.
distances = cdist(topic_word, fits[-1].topic_word_, "cityblock") / 2
_, order = linear_sum_assignment(distances)
print("sweeps  mean distance to the bars")
for n, fit in zip(sweeps, fits, strict=True):
    distance = abs(topic_word - fit.topic_word_[order]).sum(axis=1) / 2
    print(f"{n:>6}  {distance.mean():>25.3f}")

# %%
# Each row shows the topics after a number of sweeps; the last row shows the true bars.
# Topics are mixtures of several bars at first and become single bars one by one.
# sphinx_gallery_thumbnail_number = 2
figure, grid = plt.subplots(len(sweeps) + 1, 10, figsize=(8, 7.2), layout="constrained")
for row, n, fit in zip(grid, sweeps, fits, strict=False):
    row[0].set_ylabel(f"{n}", rotation=0, ha="right", va="center")
    for panel, topic in zip(row, fit.topic_word_[order], strict=True):
        show(panel, topic)
grid[-1, 0].set_ylabel("true", rotation=0, ha="right", va="center")
for panel, topic in zip(grid[-1], topic_word, strict=True):
    show(panel, topic)
figure.supylabel("sweeps")

# %%
# The chain also recovers the topic proportions of the documents. The width of the cloud
# shows their uncertainty with only 100 tokens per document.
estimated = fits[-1].doc_topic_[:, order]
correlation = np.corrcoef(doc_topic.ravel(), estimated.ravel())[0, 1]
print(f"Correlation of true and estimated proportions: {correlation:.2f}")
figure, ax = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
ax.plot([0, 1], [0, 1], color="grey", linewidth=1)
ax.plot(
    doc_topic.ravel(), estimated.ravel(), ".", color="black", markersize=1.5, alpha=0.3
)
ax.set(
    xlabel="true proportion",
    ylabel="estimated proportion",
    title="Topic proportions of all documents",
    aspect="equal",
)
plt.show()
