"""
Topics as features: classification of 20 Newsgroups
===================================================

The twenty groups, told apart from words and from topics. With many labelled posts,
words are hard to beat; with few, topics help, because they are learnt from all posts,
labelled or not.
"""

# %%
# Posts without headers, signatures and quotations. The words of the topic model are
# counted; those of the baselines are weighted by tf-idf.
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
train = fetch_20newsgroups(subset="train", remove=remove)
test = fetch_20newsgroups(subset="test", remove=remove)
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
# Topics of all training posts; their labels are not used. The square root of the
# proportions suits a linear classifier better than the proportions themselves: it
# brings out topics of which there is only a little.
start = time.perf_counter()
lda = CollapsedGibbsLDA(
    100, doc_topic_prior=0.1, topic_word_prior=0.01, n_jobs=-1, random_state=0
).fit(X)
Z, Z_test = np.sqrt(lda.transform(X)), np.sqrt(lda.transform(X_test))
print(f"Topics and proportions of all posts in {time.perf_counter() - start:.0f} s")
tfidf = TfidfTransformer(sublinear_tf=True).fit(X)
W, W_test = tfidf.transform(X), tfidf.transform(X_test)
print(f"{Z.shape[1]} features of a post in place of {W.shape[1]:,}")

# %%
# All labels.
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
# Few labels: a stratified part of the training posts keeps its label, five times drawn
# anew. The topics are those of above, from all posts.
sizes = [40, 100, 200, 500, 1000, 4000]
accuracies = {name: [] for name in features}
for size in sizes:
    splits = StratifiedShuffleSplit(5, train_size=size, random_state=0).split(X, y)
    parts = [part for part, _ in splits]
    for name, (known, new, classifier) in features.items():
        found = [
            classifier.fit(known[part], y[part]).score(new, y_test) for part in parts
        ]
        accuracies[name].append(np.mean(found))
print("labelled posts  " + "  ".join(features))
for i, size in enumerate(sizes):
    row = "  ".join(f"{accuracies[name][i]:>{len(name)}.3f}" for name in features)
    print(f"{size:>14}  {row}")

# %%
# Where topics lead, and where words catch up.
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
# In one pipeline, as it would be used, and searched for its parameters.
pipeline = make_pipeline(
    CountVectorizer(stop_words="english", min_df=5, max_df=0.1),
    CollapsedGibbsLDA(20, max_iter=50, random_state=0),
    LinearSVC(),
)
print(pipeline.fit(train.data[:2000], y[:2000]).score(test.data[:500], y_test[:500]))
plt.show()
