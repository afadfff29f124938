"""
Text classification with supervised topics
==========================================

``MedLDAClassifier`` finds topics that distinguish classes. In this example it is the
last step of a ``Pipeline`` after ``CountVectorizer``. ``GridSearchCV`` selects the
number of topics and the cost of errors for five groups of 20 Newsgroups. The weights
show which topics indicate which group. The example downloads the posts once to
scikit-learn's data folder (``SCIKIT_LEARN_DATA``).
"""

# %%
# Load the posts without headers, signatures and quotations, which would reveal the
# group.
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
chosen = {"categories": groups, "remove": ("headers", "footers", "quotes")}
try:
    train = fetch_20newsgroups(subset="train", **chosen)
    test = fetch_20newsgroups(subset="test", **chosen)
except OSError as error:
    raise SystemExit(f"This example needs 20 Newsgroups: {error}") from None
print(f"{len(train.data):,} posts to learn from, {len(test.data):,} to classify")

# %%
# Define the pipeline and the grid. Each fit starts from text, so that the vocabulary of
# a fold does not depend on its test posts. The first fit also compiles the kernels.
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
numbers, costs = [5, 10, 20], [30, 100]
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
# For each group, print the topics with the largest weights. ``coef_`` has one row of
# weights per group.
vectorizer, model = search.best_estimator_.named_steps.values()
words = vectorizer.get_feature_names_out()
titles = [", ".join(words[np.argsort(-topic)[:5]]) for topic in model.components_]
for i, group in enumerate(train.target_names):
    print(f"\n{group}")
    for k in np.argsort(-model.coef_[i])[:3]:
        print(f"  {model.coef_[i, k]:>6.2f}  {titles[k]}")

# %%
# Plot the accuracy across folds (above), where each fold is a point, and the weights of
# the topics that differ most between groups (below). Red topics indicate a group; blue
# topics indicate the other groups.
folds = [search.cv_results_[f"split{i}_test_score"] for i in range(3)]
accuracy = np.array(folds).reshape(3, len(costs), len(numbers))
strongest = np.argsort(-np.ptp(model.coef_, axis=0))[:15]
strongest = strongest[np.argsort(model.coef_[:, strongest].argmax(axis=0))]
weights = model.coef_[:, strongest].T

figure, (curve, picture) = plt.subplots(
    2, 1, figsize=(9, 9), height_ratios=[1, 2], layout="constrained"
)
styles = zip(costs, ["o-", "s--"], ["#1f5f8b", "#b5541c"], strict=True)
for i, (cost, style, color) in enumerate(styles):
    mean = accuracy[:, i].mean(axis=0)
    curve.plot(numbers, mean, style, color=color, label=f"C = {cost}")
    curve.plot(numbers, accuracy[:, i].T, style[0], color=color, alpha=0.4, ms=4)
curve.set_xticks(numbers, numbers)
curve.set(xlabel="topics", ylabel="accuracy", title="Accuracy across folds")
curve.legend()
limit = abs(weights).max()
image = picture.imshow(weights, cmap="RdBu_r", vmin=-limit, vmax=limit, aspect="auto")
picture.set_xticks(
    range(len(train.target_names)), train.target_names, rotation=30, ha="right"
)
picture.set_yticks(range(strongest.size), [titles[k] for k in strongest])
picture.set_title("Weights of the topics for each group")
figure.colorbar(image, ax=picture, label="weight")
figure.savefig("medlda_pipeline.png", dpi=100)
print("\nFigure written to medlda_pipeline.png")
