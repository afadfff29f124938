"""
Recovering the bars
===================

Topics that can be judged by eye: the words are the 25 pixels of a small image, each
topic is a row or a column of them, and each document is 100 pixels drawn from a mixture
of these ten bars. The corpus and the picture of a chain that finds the bars are those
of Griffiths and Steyvers, "Finding scientific topics" (2004).
"""

# %%
# Ten documents. The darker a pixel, the more tokens the document has of it; no document
# shows a bar alone.
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
# A chain of n sweeps is the beginning of the longer one with the same seed, so that the
# topics can be looked at on the way: ``burn_in = n - 1`` keeps the last sample only.
# Both priors are 1, the values the corpus was drawn with and those of the paper.
sweeps = [1, 2, 5, 10, 20, 50, 100, 200]
fits = [
    CollapsedGibbsLDA(
        10,
        doc_topic_prior=1.0,
        topic_word_prior=1.0,
        max_iter=n,
        burn_in=n - 1,
        random_state=0,
    ).fit(X)
    for n in sweeps
]

# %%
# The numbers of topics have no meaning. To draw them in the order of the true bars,
# each found topic is matched with the bar it is nearest to, one to one. The distance is
# the total variation: 0 for equal distributions, 1 for those without a common word.
distances = cdist(topic_word, fits[-1].topic_word_, "cityblock") / 2
_, order = linear_sum_assignment(distances)
print("sweeps  mean distance to the bars")
for n, fit in zip(sweeps, fits, strict=True):
    distance = abs(topic_word - fit.topic_word_[order]).sum(axis=1) / 2
    print(f"{n:>6}  {distance.mean():>25.3f}")

# %%
# One row for each number of sweeps, one column for each topic, and the true bars below.
# Early topics are smears of several bars; then one after the other becomes clean.
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
# The proportions of topics are recovered as well, here of all documents. A document of
# 100 tokens leaves them uncertain, which is the width of the cloud.
found = fits[-1].doc_topic_[:, order]
correlation = np.corrcoef(doc_topic.ravel(), found.ravel())[0, 1]
print(f"Correlation of true and found proportions: {correlation:.2f}")
figure, ax = plt.subplots(figsize=(4.5, 4.5), layout="constrained")
ax.plot([0, 1], [0, 1], color="grey", linewidth=1)
ax.plot(doc_topic.ravel(), found.ravel(), ".", color="black", markersize=1.5, alpha=0.3)
ax.set(
    xlabel="true proportion",
    ylabel="found proportion",
    title="Topics of all documents",
    aspect="equal",
)
plt.show()
