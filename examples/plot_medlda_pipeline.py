"""
From raw text to classes, through topics
========================================

``MedLDAClassifier`` finds topics that tell classes apart. Here it stands at the end of
a ``Pipeline`` behind ``CountVectorizer``; ``GridSearchCV`` chooses the number of topics
and the cost of errors from raw posts of 20 Newsgroups, five of its groups; and the
weights say what each topic speaks for. The posts are fetched once, to the folder that
``SCIKIT_LEARN_DATA`` names.
"""

# %%
# Raw posts, without headers, signatures and quotes, which would give the group away.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline

from sklda import MedLDAClassifier

groups = [
    "alt.atheism",
    "comp.graphics",
    "sci.med",
    "sci.space",
    "talk.religion.misc",
]
train, test = (
    fetch_20newsgroups(
        subset=subset, categories=groups, remove=("headers", "footers", "quotes")
    )
    for subset in ("train", "test")
)
print(f"{len(train.data):,} posts to learn from, {len(test.data):,} to classify")

# %%
# The pipeline, and the grid. Each fit starts from text, so that no fold sees words of
# another. The first fit compiles the kernels, once for all.
pipeline = Pipeline(
    [
        (
            "words",
            CountVectorizer(
                stop_words="english", token_pattern=r"[a-z]{3,}", min_df=3, max_df=0.3
            ),
        ),
        (
            "topics",
            MedLDAClassifier(
                prior_precision=1000, doc_topic_prior=0.1, max_iter=30, random_state=0
            ),
        ),
    ]
)
numbers, costs = [5, 10, 20, 40], [30, 100]
search = GridSearchCV(
    pipeline,
    {"topics__n_components": numbers, "topics__C": costs},
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
)
start = time.perf_counter()
search.fit(train.data, train.target)
print(
    f"{len(numbers) * len(costs) * 3 + 1} fits in {time.perf_counter() - start:.0f} s; "
    f"best: {search.best_params_}, accuracy {search.best_score_:.3f} across folds"
)
print(f"accuracy on the test posts: {search.score(test.data, test.target):.3f}")

# %%
# What the topics are about, and what they speak for: a row of weights for each group.
vectorizer, model = search.best_estimator_.named_steps.values()
words = vectorizer.get_feature_names_out()
titles = [", ".join(words[np.argsort(-topic)[:5]]) for topic in model.components_]
for i, group in enumerate(train.target_names):
    print(f"\n{group}")
    for k in np.argsort(-model.coef_[i])[:3]:
        print(f"  {model.coef_[i, k]:>6.2f}  {titles[k]}")

# %%
# On the left the accuracy across folds; on the right the weights of the topics that
# matter most, red for and blue against a group.
accuracy = search.cv_results_["mean_test_score"].reshape(len(costs), len(numbers))
strongest = np.argsort(-np.ptp(model.coef_, axis=0))[:15]
strongest = strongest[np.argsort(model.coef_[:, strongest].argmax(axis=0))]
weights = model.coef_[:, strongest].T

figure, (grid, picture) = plt.subplots(
    1, 2, figsize=(13, 5.5), width_ratios=[1, 1.4], layout="constrained"
)
image = grid.imshow(accuracy, cmap="Greys")
for (i, j), value in np.ndenumerate(accuracy):
    dark = value > (accuracy.min() + accuracy.max()) / 2
    color = "white" if dark else "black"
    grid.text(j, i, f"{value:.3f}", ha="center", va="center", color=color)
grid.set_xticks(range(len(numbers)), numbers)
grid.set_yticks(range(len(costs)), costs)
grid.set(xlabel="topics", ylabel="C", title="Accuracy across folds")
limit = abs(weights).max()
image = picture.imshow(weights, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
picture.set_xticks(
    range(len(train.target_names)), train.target_names, rotation=30, ha="right"
)
picture.set_yticks(range(strongest.size), [titles[k] for k in strongest])
picture.set_title("What a topic speaks for")
figure.colorbar(image, ax=picture, label="weight")
figure.savefig("medlda_pipeline.png", dpi=100)
print("\nFigure written to medlda_pipeline.png")
