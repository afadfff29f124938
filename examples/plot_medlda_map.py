"""
Supervised and unsupervised topics of 20 Newsgroups on a map
============================================================

Topics fitted with labels (``MedLDAClassifier``) separate the documents of different
newsgroups better than topics fitted without labels (``CollapsedGibbsLDA``). Both models
have 50 topics and the same words. t-SNE embeds the topic proportions in two dimensions.
"""

# %%
# Fit topics to all training posts. The maps show a random sample of 800 test posts,
# which neither model has seen.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from sklda import CollapsedGibbsLDA, MedLDAClassifier

N_TOPICS, N_SHOWN = 50, 800
try:
    train = fetch_20newsgroups(subset="train", remove=("headers",))
    test = fetch_20newsgroups(subset="test", remove=("headers",))
except OSError as error:
    raise SystemExit(f"This example needs 20 Newsgroups: {error}") from None
vectorizer = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=5, max_df=0.3
)
X = vectorizer.fit_transform(train.data)
shown = np.random.default_rng(0).permutation(len(test.data))[:N_SHOWN]
X_shown = vectorizer.transform([test.data[i] for i in shown])
groups = test.target[shown]
print(f"{X.shape[0]:,} posts, {X.shape[1]:,} words, {X.sum():,} tokens")

# %%
# Both models have the same priors. To measure how well the groups are separated,
# compute the proportion of the ten nearest neighbours of a post, by topic proportions,
# that belong to the same group.
options = {
    "n_components": N_TOPICS,
    "doc_topic_prior": 6.4 / N_TOPICS,
    "topic_word_prior": 0.01,
    "random_state": 0,
}
models = {
    "MedLDA topics": MedLDAClassifier(C=102.4, max_iter=20, **options),
    "unsupervised topics": CollapsedGibbsLDA(max_iter=60, **options),
}
maps, purity = {}, {}
for name, model in models.items():
    start = time.perf_counter()
    model.fit(X, train.target)
    fitted = time.perf_counter()
    # Euclidean distances of the square roots are proportional to Hellinger distances.
    topics = np.sqrt(model.transform(X_shown))
    nearest = NearestNeighbors(n_neighbors=10).fit(topics).kneighbors()[1]
    purity[name] = (groups[nearest] == groups[:, np.newaxis]).mean()
    with threadpool_limits(1):  # on a busy machine, threads wait for each other
        maps[name] = TSNE(max_iter=400, random_state=0).fit_transform(topics)
    seconds = fitted - start, time.perf_counter() - fitted
    print(
        f"{name}: fit in {seconds[0]:.0f} s, map in {seconds[1]:.0f} s; "
        f"{purity[name]:.0%} of the neighbours belong to the same group",
        flush=True,
    )


# %%
# Each point is a post, and each colour is a group. The name of a group is placed at the
# median of its posts, or higher if it would overlap another name.
def separate(labels):
    """Move labels up until they do not overlap those below."""
    placed = []
    for label in sorted(labels, key=lambda label: label.get_position()[1]):
        low, high = label.axes.get_ylim()
        while label.get_window_extent().count_overlaps(placed):
            x, y = label.get_position()
            label.set_position((x, y + (high - low) / 200))
        placed.append(label.get_window_extent())


figure, panels = plt.subplots(2, 1, figsize=(9, 14), layout="constrained")
for axes, (name, points) in zip(panels, maps.items(), strict=True):
    axes.scatter(*points.T, c=groups, cmap="tab20", s=16, linewidths=0)
    axes.set(xticks=[], yticks=[])
    axes.margins(x=0.1)
    axes.set_title(f"{name}: {purity[name]:.0%} of neighbours in the same group")
figure.draw_without_rendering()
for axes, points in zip(panels, maps.values(), strict=True):
    labels = []
    for group, label in enumerate(test.target_names):
        x, y = np.median(points[groups == group], axis=0)
        box = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 1}
        style = {"ha": "center", "va": "center", "fontsize": 10, "bbox": box}
        labels.append(axes.text(x, y, label, **style))
    separate(labels)
figure.savefig("medlda_map.png", dpi=100)
print("Figure written to medlda_map.png")
