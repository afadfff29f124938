"""
Topics of 20 Newsgroups
=======================

This example fits topics to real text and inspects them. ``CountVectorizer`` counts the
words of the posts in 20 Newsgroups, ``CollapsedGibbsLDA`` fits 20 topics without the
labels, and ``sklda.inspection`` and ``sklda.metrics`` show and evaluate the result.
"""

# %%
# Load the posts without headers, signatures and quotations, which would reveal the
# groups. Keep words that occur in at least ten posts and in at most 10 % of all posts.
# Exclude posts that are encoded files: in these, a single "word" occurs more than 100
# times and makes up more than a third of the tokens.
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
    save_explorer,
    top_documents,
    top_words,
)
from sklda.metrics import topic_coherence, topic_diversity

try:
    posts = fetch_20newsgroups(remove=("headers", "footers", "quotes"))
except OSError as error:
    raise SystemExit(f"This example needs 20 Newsgroups: {error}") from None
vectorizer = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=10, max_df=0.1
)
X = vectorizer.fit_transform(posts.data)
most, lengths = X.max(axis=1).toarray().ravel(), np.asarray(X.sum(axis=1)).ravel()
kept = (most <= 100) | (most <= lengths / 3)
print(f"{(~kept).sum()} posts excluded")
X, groups = X[kept], posts.target[kept]
texts = [text for text, keep in zip(posts.data, kept, strict=True) if keep]
words = vectorizer.get_feature_names_out()
print(f"{X.shape[0]:,} posts, {X.shape[1]:,} words, {X.sum():,} tokens")

# %%
# Some topics occur in many posts and some in few. By default, the fit learns a separate
# alpha for each topic.
start = time.perf_counter()
lda = CollapsedGibbsLDA(20, max_iter=300, random_state=0).fit(X)
print(f"{lda.n_iter_} sweeps in {time.perf_counter() - start:.1f} s")

# %%
# Plot the top words of each topic. "relevance" combines the probability of a word in
# the topic with the ratio of that probability to the probability of the word in the
# corpus.
TopWordsDisplay.from_estimator(lda, words, n_words=8, metric="relevance")

# %%
# Which topics are coherent? Coherence measures how often the top words of a topic occur
# in the same posts: it is 0 for words that occur independently, and 1 for words that
# occur only together. Diversity is the proportion of distinct words among all top
# words.
coherence = topic_coherence(lda, X, measure="npmi")
print(f"diversity of the top words: {topic_diversity(lda):.2f}\n")
print("  npmi  alpha  most relevant words")
for k in np.argsort(-coherence):
    line = ", ".join(top_words(lda, words, 6, metric="relevance")[k])
    print(f"{coherence[k]:>6.2f}  {lda.doc_topic_prior_[k]:>5.2f}  {line}")

# %%
# Compare the topics with the groups, which were not used in the fit. Each row is a
# group and each column is a topic. Darker cells have a larger mean proportion of the
# topic in the posts of the group. Columns are sorted by the group with the largest
# proportion.
names = posts.target_names
means = np.array([lda.doc_topic_[groups == i].mean(axis=0) for i in range(20)])
order = np.lexsort((-means.max(axis=0), means.argmax(axis=0)))
figure, ax = plt.subplots(figsize=(9, 7.5), layout="constrained")
image = ax.imshow(means[:, order], cmap="Greys", vmin=0)
labels = top_words(lda, words, 3, metric="relevance")
ax.set_xticks(range(20), [", ".join(labels[k]) for k in order], rotation=90)
ax.set_yticks(range(20), names)
figure.colorbar(image, label="mean proportion of the topic", shrink=0.8)

# %%
# Plot a map of the topics. Topics with similar words are close to each other, and the
# area of a circle is proportional to the frequency of the topic.
TopicMapDisplay.from_estimator(lda, words, n_words=2)

# %%
# Among the more common half of the topics, select the most coherent one. Plot the posts
# with its largest proportions, and their other topics.
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

# %%
# To explore all of this in the browser, save a single HTML file with the topics, the
# posts and the share of each topic in each group. The file works offline.
path = save_explorer(
    "newsgroups.html",
    lda,
    X,
    feature_names=words,
    texts=texts,
    groups=[names[i] for i in groups],
)
print(f"{path} written, {path.stat().st_size / 1e6:.1f} MB")
