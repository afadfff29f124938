"""
Two centuries of State of the Union addresses
=============================================

What did the presidents of the United States talk about, and when? This example fits
topics to passages of their annual messages from 1790 to 2019, which are part of sklda.
It counts words, compares numbers of topics, prints the topics, and draws how they came
and went.
"""

# %%
# Count the words. Words that occur in more than a tenth of the passages (congress,
# government, people) say nothing about their subject, so ``max_df`` excludes them.
# Three frequent words are missing in scikit-learn's list of stop words.
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.model_selection import train_test_split

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_state_of_the_union
from sklda.inspection import top_words

addresses = load_state_of_the_union()
stop_words = [*ENGLISH_STOP_WORDS, "does", "let", "shall"]
counter = CountVectorizer(
    token_pattern=r"[^\W\d_]{3,}", stop_words=stop_words, min_df=5, max_df=0.1
)
X = counter.fit_transform(addresses.data)
words = counter.get_feature_names_out()
print(f"{X.shape[0]:,} passages, {X.shape[1]:,} words, {X.sum():,} tokens")

# %%
# How many topics? Hold out a fifth of the passages. One half of the tokens of a
# held-out passage is predicted from the other half, and the other way round. Perplexity
# is the exponential of the negative mean log probability of a token: lower is better.
# The first fit also compiles the kernels.
train, test = train_test_split(X, test_size=0.2, random_state=0)
print("\ntopics  held-out perplexity  seconds")
for n_components in (5, 10, 20, 40, 80):
    start = time.perf_counter()
    lda = CollapsedGibbsLDA(n_components, max_iter=200, random_state=0).fit(train)
    print(
        f"{n_components:>6}  {lda.perplexity(test):>19.0f}  "
        f"{time.perf_counter() - start:>7.1f}",
        flush=True,
    )

# %%
# Fit 20 topics to all passages. 40 would predict a little better, but 20 are easier to
# read. The percentages are the proportions of all tokens; relevance prefers words that
# are typical of a topic to words that are frequent everywhere.
start = time.perf_counter()
lda = CollapsedGibbsLDA(20, random_state=0).fit(X)
print(f"\n20 topics of all passages in {time.perf_counter() - start:.1f} s\n")
frequencies = np.bincount(lda.topic_assignments_, minlength=20) / X.sum()
topics = top_words(lda, words, n_words=8, metric="relevance")
for k in np.argsort(-frequencies):
    print(f"{frequencies[k]:>4.0%}  {', '.join(topics[k])}")

# %%
# When was each topic discussed? Average the topic proportions of the passages of each
# decade. The model does not know the dates, yet topics rise and fall: tribes and
# treaties, tariffs and gold, the Cold War, health care and jobs. Each hill is the mean
# proportion of a topic, relative to its highest decade.
# :doc:`/user_guide/groups_and_time` adds intervals to such curves.
decade = addresses.year // 10 * 10
decades = np.unique(decade)
means = np.array([lda.doc_topic_[decade == year].mean(axis=0) for year in decades])
hills = means / means.max(axis=0)
order = hills.argmax(axis=0).argsort(kind="stable")
figure, axes = plt.subplots(figsize=(7.5, 6.5), layout="constrained")
for row, k in enumerate(order):
    look = {"color": plt.colormaps["viridis"](row / len(order)), "zorder": row}
    axes.fill_between(decades, -row, 1.7 * hills[:, k] - row, **look)
    axes.plot(decades, 1.7 * hills[:, k] - row, color="white", zorder=row)
axes.set_yticks(-np.arange(len(order)), [", ".join(topics[k][:4]) for k in order])
axes.set_xticks(range(1800, 2001, 50))
axes.margins(x=0, y=0.01)
axes.tick_params(left=False)
axes.spines[["top", "right", "left"]].set_visible(False)
axes.set_title("What presidents talked about, and when")
figure.savefig("quickstart.png", dpi=100)
print("\nFigure written to quickstart.png")
