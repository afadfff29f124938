"""
The effect of a treatment on open answers
=========================================

A survey asked people about immigration, and they answered in their own words. A random
half was asked what worries them about it. What do these people write about that the
others do not? ``DMRLDA`` answers with intervals, which this example compares with those
of a published article.
"""

# %%
# The answers come from S. K. Gadarian and B. Albertson, "Anxiety, immigration, and the
# search for information", Political Psychology 35 (2014). In R,
# ``write.csv(stm::gadarian, "gadarian.csv", row.names = FALSE)`` writes the file. Put
# it into scikit-learn's data folder. If the file is missing, the example uses the first
# words of passages of State of the Union addresses since 1901 instead, and asks what
# Republican presidents speak about that Democratic ones do not.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import get_data_home
from sklearn.feature_extraction.text import CountVectorizer

from sklda import DMRLDA
from sklda.datasets import load_state_of_the_union
from sklda.inspection import (
    PredictedProportionsDisplay,
    TopicIntervalsDisplay,
    name_topics,
    predicted_proportions,
    top_words,
)

path = Path(get_data_home(), "gadarian.csv")
if path.is_file():
    table = pd.read_csv(path)
    texts = table.iloc[:, -1].tolist()
    treated, second = table["treatment"].to_numpy(), table["pid_rep"].to_numpy()
    arms, ends = ["control", "treated"], ["Democrat", "Republican"]
    second_name = "party"
    # Three differences of the first topic, and the ends of their intervals of 90 %.
    article = {
        "arms": (0.28, 0.23, 0.33),
        "ends": (0.09, 0.04, 0.14),
        "both": (0.33, 0.28, 0.39),
    }
else:
    addresses = load_state_of_the_union()
    kept = np.flatnonzero(addresses.year > 1900)
    texts = [" ".join(addresses.data[i].split()[:60]) for i in kept]
    treated = (addresses.target[kept] == 4).astype(int)
    second = (addresses.year[kept] - 1901) / (2019 - 1901)
    arms, ends = ["Democratic", "Republican"], ["1901", "2019"]
    second_name = "year"
    article = {}
counter = CountVectorizer(stop_words="english", min_df=3)
X = counter.fit_transform(texts)
words = counter.get_feature_names_out()
print(f"{X.shape[0]} texts, {X.sum():,} tokens; {arms[1]}: {treated.sum()}")

# %%
# As in the article, use three topics and three covariates: the treatment, the party
# from 0 (a strong Democrat) to 1 (a strong Republican), and their product.


def covariates_of(treated, second):
    """Return a data frame with a row for each text."""
    columns = {"treated": treated, second_name: second, "both": treated * second}
    return pd.DataFrame(columns, dtype=float)


covariates = covariates_of(treated, second)
dmr = DMRLDA(3, max_iter=4000, topic_word_prior=0.05, random_state=0)
dmr.fit(X, covariates=covariates)
names = [", ".join(w) for w in top_words(dmr, words, 4)]
name_topics(dmr, names)

# %%
# The effect of the treatment is the difference between two predictions: all texts as if
# treated, and all texts as if untreated.
none, every = np.zeros(len(treated)), np.ones(len(treated))
settings = {
    arms[0]: covariates_of(none, second),
    arms[1]: covariates_of(every, second),
    ends[0]: covariates_of(treated, none),
    ends[1]: covariates_of(treated, every),
    f"{arms[0]}, {ends[0]}": covariates_of([0.0], none[:1]),
    f"{arms[1]}, {ends[1]}": covariates_of([1.0], every[:1]),
}
predicted = predicted_proportions(dmr, settings, confidence_level=0.9)
effect = predicted.contrast(arms[1], arms[0])
order = np.argsort(-effect.difference)
print(f"{effect.first} minus {effect.second}, 90 % intervals")
for k in order:
    interval = f"[{effect.low[k]:+.2f}, {effect.high[k]:+.2f}]"
    print(f"{effect.difference[k]:+.2f}  {interval}", end="  ")
    print(", ".join(top_words(dmr, words, 6)[k]))

# %%
# M. E. Roberts and others, "Structural topic models for open-ended survey responses",
# American Journal of Political Science 58 (2014), report three differences for the
# topic of jobs, taxes, welfare and crime. Their model has a logistic normal prior for
# the proportions, they stem the words, and they select one of several fits. This
# example uses a single chain.
first = int(order[0])
pairs = {
    "arms": (arms[0], arms[1]),
    "ends": (ends[0], ends[1]),
    "both": (f"{arms[0]}, {ends[0]}", f"{arms[1]}, {ends[1]}"),
}
for key, (low, high) in pairs.items():
    contrast = predicted.contrast(high, low)
    numbers = (contrast.difference[first], contrast.low[first], contrast.high[first])
    print(f"{high} minus {low}: {{:+.2f}} [{{:+.2f}}, {{:+.2f}}]".format(*numbers))
    if key in article:
        print("  Roberts et al.: {:+.2f} [{:+.2f}, {:+.2f}]".format(*article[key]))

# %%
# Plot the differences by topic. The diamond marks the difference from the article.
display = TopicIntervalsDisplay.from_contrasts(effect)
if article:
    value, low, high = article["arms"]
    errors = [[value - low], [high - value]]
    look = {
        "fmt": "D",
        "color": "C3",
        "markersize": 4,
        "label": "Roberts et al. (2014)",
    }
    display.ax_.errorbar(value, 0.25, xerr=errors, **look)
    beside = {"loc": "upper left", "bbox_to_anchor": (1, 1), "fontsize": "small"}
    handles, labels = display.ax_.get_legend_handles_labels()
    display.ax_.legend(handles, [label.strip() for label in labels], **beside)
plt.show()

# %%
# Plot the proportion of the first topic against the second covariate for both arms.
# sphinx_gallery_thumbnail_number = 2
grid = np.linspace(0, 1, 30)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for arm, color in enumerate(("C0", "C3")):
    along = covariates_of(np.full(grid.size, float(arm)), grid)
    PredictedProportionsDisplay.from_predictions(
        predicted_proportions(dmr, along, confidence_level=0.9),
        grid,
        topics=[first],
        covariate_name=f"{second_name}: 0 {ends[0]}, 1 {ends[1]}",
        color=color,
        ax=ax,
    )
ax.legend(ax.lines, arms)
ax.set_title(names[first])
plt.show()
