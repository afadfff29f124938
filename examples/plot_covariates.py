"""
Who writes about what, and when
===============================

Topics often depend on known properties of a document, its covariates. ``DMRLDA``
includes covariates in the model. In this example, the proportions of topics in
political blogs depend on the political side of the blog and on the day, with a curve
for each side.
"""

# %%
# The documents are posts of American political blogs in 2008: ``poliblog5k`` of the R
# package stm, a sample of the CMU 2008 Political Blog Corpus. If scikit-learn's data
# folder does not contain this file, the example uses State of the Union addresses since
# 1901 instead, with the party of the president as the side and the year as the day.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import get_data_home
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import SplineTransformer

from sklda import DMRLDA
from sklda.datasets import load_state_of_the_union
from sklda.inspection import (
    PredictedProportionsDisplay,
    TopicIntervalsDisplay,
    name_topics,
    predicted_proportions,
    top_words,
)

path = Path(get_data_home(), "poliblog5k.npz")
if path.is_file():
    file = np.load(path)
    words = file["words"]
    cells = file["counts"].astype(int), file["indices"], file["indptr"]
    X = csr_matrix(cells, shape=(file["day"].size, words.size))
    sides = ["Conservative", "Liberal"]
    side = (file["rating"] == "Liberal").astype(float)
    x, x_name, n_topics = file["day"].astype(float), "2008", 20
    ticks = {1: "Jan", 61: "Mar", 122: "May", 183: "Jul", 245: "Sep", 306: "Nov"}

    def format_x(value):
        return str(np.datetime64("2007-12-31") + np.timedelta64(int(value), "D"))

else:
    addresses = load_state_of_the_union()
    kept = np.flatnonzero(addresses.year > 1900)
    counter = CountVectorizer(stop_words="english", min_df=5, max_df=0.2)
    X = counter.fit_transform([addresses.data[i] for i in kept])
    words, sides = counter.get_feature_names_out(), ["Republican", "Democratic"]
    side = (addresses.target[kept] == 0).astype(float)
    x = addresses.year[kept].astype(float)
    x_name, n_topics = "year", 12
    ticks = {year: str(year) for year in range(1910, 2020, 20)}

    def format_x(value):
        return f"{value:.0f}"


for name, n in zip(sides, np.bincount(side.astype(int)), strict=True):
    print(f"{name}: {n:,} documents")

# %%
# Covariates are numbers: the side, splines of the day, and their products, which give
# each side its own curve.
splines = SplineTransformer(5, knots="quantile", include_bias=False)
splines.fit(x[:, np.newaxis])


def covariates_of(side, x):
    """Return a row for each document."""
    curve = splines.transform(x[:, np.newaxis])
    return np.column_stack([side, curve, side[:, np.newaxis] * curve])


covariates = covariates_of(side, x)
dmr = DMRLDA(n_topics, max_iter=500, thin=2, topic_word_prior=0.05, random_state=0)
dmr.fit(X, covariates=covariates)
names = [", ".join(w) for w in top_words(dmr, words, 3, metric="relevance")]
name_topics(dmr, names)
print(f"{covariates.shape[1]} covariates, {len(dmr.coef_draws_)} kept samples")

# %%
# Who writes about what? Predict proportions as if one side had written all documents,
# then as if the other side had, and compare. The difference is a share of the tokens.
# The warning says that this chain is short: fit more sweeps for results to report.
settings = {
    name: covariates_of(np.full(x.size, float(i)), x) for i, name in enumerate(sides)
}
contrast = predicted_proportions(dmr, settings).contrast(*reversed(sides))
order = np.argsort(contrast.difference)
print(f"{contrast.first} minus {contrast.second}, 95 % intervals")
for k in [*order[:4], *order[-4:]]:
    interval = f"[{contrast.low[k]:+.3f}, {contrast.high[k]:+.3f}]"
    print(f"{contrast.difference[k]:+.3f}  {interval}  {names[k]}")
TopicIntervalsDisplay.from_contrasts(contrast)
plt.show()

# %%
# And when? Predict the proportions over the year for each side, and plot the four
# topics that change most. sphinx_gallery_thumbnail_number = 2
grid = np.linspace(*np.quantile(x, [0.01, 0.99]), 60)
along = [
    predicted_proportions(dmr, covariates_of(np.full(grid.size, float(i)), grid))
    for i in range(2)
]
change = np.max([np.ptp(predicted.mean, axis=0) for predicted in along], axis=0)
shown = np.argsort(-change)[:4]
figure, axes = plt.subplots(2, 2, figsize=(9.5, 6), sharex=True, layout="constrained")
for ax, k in zip(axes.flat, shown, strict=True):
    for predicted, color in zip(along, ("C3", "C0"), strict=True):
        PredictedProportionsDisplay.from_predictions(
            predicted,
            grid,
            topics=[k],
            covariate_name=x_name if ax in axes[1] else "",
            color=color,
            ax=ax,
        )
    ax.set_title(names[k], fontsize="medium")
    ax.set_xticks(list(ticks), ticks.values())
    ax.get_legend().remove()
axes[0, 1].legend(axes[0, 1].lines, sides)
plt.show()

# %%
# Print the highest point of each curve with its interval.
for k in shown:
    print(names[k])
    for predicted, name in zip(along, sides, strict=True):
        i = predicted.mean[:, k].argmax()
        place = format_x(grid[i])
        print(
            f"  {name:<12}  {predicted.mean[i, k]:.2f} [{predicted.low[i, k]:.2f}, "
            f"{predicted.high[i, k]:.2f}] at {place}"
        )
