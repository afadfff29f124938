"""
Topics of the scientific Python docstrings
==========================================

This example fits topics to the docstrings of the installed versions of NumPy, SciPy and
scikit-learn. ``CountVectorizer`` counts the words, held-out perplexity compares numbers
of topics, and a plot compares the topics with the subpackages, which the model does not
use.
"""

# %%
# Count the words. Words that occur in nearly every docstring (parameters, returns,
# array) carry no information about its subject, so words that occur in more than a
# fifth of the documents are excluded.
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_docstrings

start = time.perf_counter()
docstrings = load_docstrings()
vectorizer = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=5, max_df=0.2
)
X = vectorizer.fit_transform(docstrings.data)
words = vectorizer.get_feature_names_out()
print(
    f"{X.shape[0]:,} docstrings, {X.shape[1]:,} words, {X.sum():,} tokens, counted in "
    f"{time.perf_counter() - start:.1f} s"
)

# %%
# How many topics? Hold out a fifth of the documents. Each half of the tokens of a
# held-out document is predicted from the other half. Perplexity is the exponential of
# the negative mean log probability of a token: lower is better, and a uniform model has
# a perplexity equal to the number of words. By default, each fit learns its priors from
# the documents. The first fit also compiles the kernels.
train, test = train_test_split(X, test_size=0.2, random_state=0)
numbers = [5, 10, 20, 40, 80, 160]
perplexities = []
print("\ntopics  held-out perplexity  seconds")
for n_components in numbers:
    start = time.perf_counter()
    lda = CollapsedGibbsLDA(n_components, max_iter=100, random_state=0).fit(train)
    perplexities.append(lda.perplexity(test))
    print(
        f"{n_components:>6}  {perplexities[-1]:>19.0f}  "
        f"{time.perf_counter() - start:>7.1f}",
        flush=True,
    )

# %%
# Perplexity keeps falling: this corpus has no best number of topics. Docstrings repeat
# each other, and each additional topic memorises another family of functions. This
# predicts well, but nobody wants to read 160 topics. The page
# :doc:`/user_guide/how_many_topics` explains how to choose a number for prediction or
# for readers.
lines = Counter(
    line
    for text in docstrings.data
    for line in {line.strip() for line in text.splitlines()}
    if len(line) > 30
)
repeated = sum(n for n in lines.values() if n > 1) / lines.total()
print(f"\n{repeated:.0%} of the longer lines are in more than one docstring")

# %%
# Fit 20 topics, few enough to read. ``verbose=1`` prints the progress of the chain. The
# percentages are the proportions of tokens in each topic.
start = time.perf_counter()
lda = CollapsedGibbsLDA(20, evaluate_every=50, random_state=0, verbose=1).fit(X)
print(f"20 topics of all docstrings in {time.perf_counter() - start:.1f} s\n")
frequencies = np.bincount(lda.topic_assignments_, minlength=20) / X.sum()
top_words = [words[np.argsort(-row)] for row in lda.topic_word_]
for k in np.argsort(-frequencies):
    print(f"{frequencies[k]:>4.0%}  {', '.join(top_words[k][:8])}")

# %%
# Compare the topics with the subpackages. Each row is a topic, and each column is a
# subpackage with many docstrings. Darker cells have a larger mean proportion of the
# topic in the docstrings of the subpackage.
labels, sizes = np.unique(docstrings.target, return_counts=True)
labels = labels[np.argsort(-sizes)][:14]
means = np.array([lda.doc_topic_[docstrings.target == i].mean(axis=0) for i in labels])
topics = means.max(axis=0).argsort()[-14:]
topics = topics[means[:, topics].argmax(axis=0).argsort()]

figure, (curve, picture) = plt.subplots(
    2, 1, figsize=(9, 9), height_ratios=[1, 2], layout="constrained"
)
curve.plot(numbers, perplexities, "o-", color="black")
curve.set(
    xscale="log",
    xlabel="topics",
    ylabel="perplexity of held-out words",
    title="No best number of topics",
)
curve.text(
    0.95,
    0.95,
    "Docstrings repeat each other:\neach further topic learns\nanother family of them.",
    transform=curve.transAxes,
    ha="right",
    va="top",
)
curve.set_xticks(numbers, numbers)
curve.minorticks_off()
picture.imshow(means[:, topics].T, cmap="Greys", vmin=0, aspect="auto")
picture.set_xticks(
    range(len(labels)),
    [docstrings.target_names[i] for i in labels],
    rotation=45,
    ha="right",
)
picture.set_yticks(range(len(topics)), [", ".join(top_words[k][:4]) for k in topics])
picture.set_title("Topics find the subpackages")
figure.savefig("quickstart.png", dpi=100)
print("\nFigure written to quickstart.png")
