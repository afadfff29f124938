"""
Seed words: topics for three themes
===================================

Without guidance, LDA finds the topics that best explain the words. These may not be the
themes that you want to study. This example fits 20 topics to the posts of 20 Newsgroups
twice: without guidance, and with a few seed words for each of three themes (baseball,
hockey and medicine).
"""

# %%
# Load the posts as in :doc:`plot_newsgroups_topics`: without headers, signatures,
# quotations and encoded files. Keep words that occur in at least ten posts and in at
# most 10 % of all posts.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import fetch_20newsgroups
from sklearn.feature_extraction.text import CountVectorizer

from sklda import CollapsedGibbsLDA, seed_word_prior
from sklda.inspection import TopWordsDisplay

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
X, groups = X[kept], posts.target[kept]
words = vectorizer.get_feature_names_out()

# %%
# The seeds are words that a reader expects in a theme; ``inning*`` matches all words
# that begin with "inning".
seeds = {
    "baseball": ["baseball", "pitch*", "hitter*", "inning*", "braves", "mets"],
    "hockey": ["hockey", "nhl", "goalie*", "puck", "leafs"],
    "medicine": ["disease*", "doctor*", "medical", "patient*", "symptoms"],
}
params = {"doc_topic_prior": 0.1, "max_iter": 300, "random_state": 0}

# %%
# With guidance, topics 0, 1 and 2 represent the themes. The prior of each seed is 50,
# as if the word had 50 additional tokens in its topic; ``base`` is the prior of all
# other words. The chain starts with topics drawn from the prior.
prior = seed_word_prior(
    words, dict(enumerate(seeds.values())), n_components=20, weight=50, base=0.01
)
guided = CollapsedGibbsLDA(20, topic_word_prior=prior, **params).fit(X)
after = [0, 1, 2]

# %%
# Without guidance, find the topic with most tokens of the seeds for each theme.
without = CollapsedGibbsLDA(20, topic_word_prior=0.01, **params).fit(X)
before = (without.components_ @ (prior[after] == 50).T).argmax(axis=0)
print("topics of the themes:", dict(zip(seeds, before.tolist(), strict=True)))

# %%
# Plot the top words of the three guided topics. Most of these words are not seeds.
TopWordsDisplay.from_estimator(guided, words, n_words=12, topics=after)

# %%
# Compare the topics with four groups of posts, which were not used in the fits. Plot
# the mean proportions of the three topics in each group, without and with seeds.
names = ["rec.sport.baseball", "rec.sport.hockey", "sci.med", "talk.politics.mideast"]
rows = [groups == posts.target_names.index(name) for name in names]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for ax, lda, topics, title in (
    (axes[0], without, before, "without seeds"),
    (axes[1], guided, after, "with seeds"),
):
    means = np.array([lda.doc_topic_[row].mean(axis=0)[topics] for row in rows])
    ax.imshow(means, cmap="Greys", vmin=0, vmax=0.7, aspect="auto")
    for (i, j), mean in np.ndenumerate(means):
        color = "white" if mean > 0.35 else "black"
        ax.text(j, i, f"{mean:.2f}", ha="center", va="center", color=color)
    labels = [f"{theme}\ntopic {k}" for theme, k in zip(seeds, topics, strict=True)]
    ax.set_xticks(range(3), labels)
    ax.set_yticks(range(4), names)
    ax.set_title(title)
plt.show()
