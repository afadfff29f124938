"""
Topics of 20 Newsgroups
=======================

From posts to topics one can read: ``CountVectorizer`` counts the words of 20
Newsgroups, ``CollapsedGibbsLDA`` finds 20 topics in them without seeing the names of
the groups, and ``sklda.inspection`` and ``sklda.metrics`` show what has been found.
"""

# %%
# The posts without headers, signatures and quotations, which would give the groups
# away. A word counts if it is in at least ten posts and in at most a tenth of them.
# Some posts are encoded files, of which a third and more is one "word"; they are left
# out.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer

from sklda import CollapsedGibbsLDA
from sklda.inspection import (
    DocumentTopicsDisplay,
    TopicMapDisplay,
    TopWordsDisplay,
    top_documents,
    top_words,
)
from sklda.metrics import topic_coherence, topic_diversity

posts = fetch_20newsgroups(remove=("headers", "footers", "quotes"))
vectorizer = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=10, max_df=0.1
)
X = vectorizer.fit_transform(posts.data)
most, lengths = X.max(axis=1).toarray().ravel(), np.asarray(X.sum(axis=1)).ravel()
kept = (most <= 100) | (most <= lengths / 3)
print(f"{(~kept).sum()} posts left out")
X, groups = X[kept], posts.target[kept]
words = vectorizer.get_feature_names_out()
print(f"{X.shape[0]:,} posts, {X.shape[1]:,} words, {X.sum():,} tokens")

# %%
# Some topics are in many posts and some in few: ``learn_priors="asymmetric"`` fits how
# much of each to expect.
start = time.perf_counter()
lda = CollapsedGibbsLDA(
    20,
    doc_topic_prior=0.1,
    topic_word_prior=0.01,
    learn_priors="asymmetric",
    max_iter=300,
    random_state=0,
).fit(X)
print(f"{lda.n_iter_} sweeps in {time.perf_counter() - start:.1f} s")

# %%
# The words that a topic is about. "relevance" weighs how probable a word is in the
# topic against how much more probable it is there than elsewhere.
TopWordsDisplay.from_estimator(lda, words, n_words=8, metric="relevance")

# %%
# Which of these topics hold together? Coherence looks at how often the top words of a
# topic meet in posts: near 0 for words that meet as if by chance, 1 for those that
# always come together. Diversity is the share of distinct words among all top words.
coherence = topic_coherence(lda.components_, X, measure="npmi")
print(f"diversity of the top words: {topic_diversity(lda.components_):.2f}\n")
print("  npmi  alpha  most relevant words")
for k in np.argsort(-coherence):
    line = ", ".join(top_words(lda, words, 6, metric="relevance")[k])
    print(f"{coherence[k]:>6.2f}  {lda.doc_topic_prior_[k]:>5.2f}  {line}")

# %%
# The names of the groups come in only now. Each row is a group, each column a topic,
# and the darker, the larger the part of the group's posts that the topic takes. Columns
# are in the order of the group that has most of them.
names = posts.target_names
parts = np.array([lda.doc_topic_[groups == i].mean(axis=0) for i in range(20)])
order = np.lexsort((-parts.max(axis=0), parts.argmax(axis=0)))
figure, ax = plt.subplots(figsize=(9, 7.5), layout="constrained")
image = ax.imshow(parts[:, order], cmap="Greys", vmin=0)
labels = top_words(lda, words, 3, metric="relevance")
ax.set_xticks(range(20), [", ".join(labels[k]) for k in order], rotation=90)
ax.set_yticks(range(20), names)
figure.colorbar(image, label="mean proportion of the topic", shrink=0.8)

# %%
# A map of the topics: circles that are close have similar words, and their areas are
# the shares of the topics.
TopicMapDisplay.from_estimator(lda, words, n_words=2)

# %%
# Of the commoner half of the topics, the one of highest coherence: the posts that are
# most about it, and what else is in them.
common = lda.doc_topic_prior_ >= np.median(lda.doc_topic_prior_)
best = int(np.where(common, coherence, -1).argmax())
documents, _ = top_documents(lda, X, n_documents=6)
DocumentTopicsDisplay.from_estimator(
    lda,
    X,
    words,
    documents=documents[best],
    document_names=[names[groups[d]] for d in documents[best]],
    n_topics=6,
)
plt.show()
