"""
Topics as features: classification of 20 Newsgroups
===================================================

This example classifies posts into twenty groups by their words and by their topics.
With many labelled posts, words are hard to beat. With few labelled posts, topics are
better, because they are learnt from all posts, with or without labels.
"""

# %%
# Load the posts without headers, signatures and quotations. The topic model uses word
# counts; the baselines use tf-idf.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import ComplementNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from sklda import CollapsedGibbsLDA

remove = ("headers", "footers", "quotes")
try:
    train = fetch_20newsgroups(subset="train", remove=remove)
    test = fetch_20newsgroups(subset="test", remove=remove)
except OSError as error:
    raise SystemExit(f"This example needs 20 Newsgroups: {error}") from None
vectorizer = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{2,}", min_df=5, max_df=0.1
)
X, X_test = vectorizer.fit_transform(train.data), vectorizer.transform(test.data)
y, y_test = train.target, test.target
print(
    f"{X.shape[0]:,} posts to learn from, {X_test.shape[0]:,} to predict, "
    f"{X.shape[1]:,} words"
)

# %%
# Fit topics to all training posts, without their labels. The square roots of the topic
# proportions suit a linear classifier better than the proportions themselves, because
# they give more weight to small proportions.
start = time.perf_counter()
lda = CollapsedGibbsLDA(
    100, doc_topic_prior=0.1, topic_word_prior=0.01, random_state=0
).fit(X)
lda.set_params(n_jobs=-1)  # threads of transform; one chain runs on one thread
Z, Z_test = np.sqrt(lda.transform(X)), np.sqrt(lda.transform(X_test))
print(f"Topics of all posts in {time.perf_counter() - start:.0f} s")
tfidf = TfidfTransformer(sublinear_tf=True).fit(X)
W, W_test = tfidf.transform(X), tfidf.transform(X_test)
print(f"{Z.shape[1]} features per post instead of {W.shape[1]:,}")

# %%
# Train classifiers with all labels.
features = {
    "topics, LinearSVC": (Z, Z_test, LinearSVC(C=1.0)),
    "tf-idf, LinearSVC": (W, W_test, LinearSVC(C=0.1)),
    "tf-idf, naive Bayes": (W, W_test, ComplementNB()),
}
print("accuracy  seconds of the classifier")
for name, (known, new, classifier) in features.items():
    start = time.perf_counter()
    accuracy = classifier.fit(known, y).score(new, y_test)
    print(f"{accuracy:>8.3f}  {time.perf_counter() - start:>7.2f}  {name}")

# %%
# Train classifiers with few labels: only a stratified sample of the training posts
# keeps its labels. Accuracies are means over five samples. The topics are those from
# above, fitted to all posts.
sizes = [40, 100, 200, 500, 1000, 4000]
accuracies = {name: [] for name in features}
for size in sizes:
    splits = StratifiedShuffleSplit(5, train_size=size, random_state=0).split(X, y)
    samples = [sample for sample, _ in splits]
    for name, (known, new, classifier) in features.items():
        scores = [
            classifier.fit(known[sample], y[sample]).score(new, y_test)
            for sample in samples
        ]
        accuracies[name].append(np.mean(scores))
print("labelled posts  " + "  ".join(features))
for i, size in enumerate(sizes):
    row = "  ".join(f"{accuracies[name][i]:>{len(name)}.3f}" for name in features)
    print(f"{size:>14}  {row}")

# %%
# Topics are better with few labelled posts; words are better with many.
figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
for (name, values), style in zip(accuracies.items(), ["o-", "s--", "^:"], strict=True):
    ax.plot(sizes, values, style, color="black", label=name)
ax.set(
    xscale="log",
    xlabel="labelled posts",
    ylabel="accuracy on the test posts",
    title="20 Newsgroups without headers, signatures and quotations",
)
ax.set_xticks(sizes, [f"{size:,}" for size in sizes])
ax.minorticks_off()
ax.legend()

# %%
# In practice, put all steps into one pipeline, so that you can search its parameters.
pipeline = make_pipeline(
    CountVectorizer(stop_words="english", min_df=5, max_df=0.1),
    CollapsedGibbsLDA(20, max_iter=50, random_state=0),
    LinearSVC(),
)
print(pipeline.fit(train.data[:2000], y[:2000]).score(test.data[:500], y_test[:500]))
plt.show()
