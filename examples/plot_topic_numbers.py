"""
How many topics?
================

This example plots two curves over the number of topics for a small corpus: how well the
topics predict new documents, and whether another seed finds the same topics. The two
need not agree. It then shows which topics are reliable, and how topics split as their
number grows.
"""

# %%
# Count the words of passages of the State of the Union addresses.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.metrics.cluster import contingency_matrix

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_state_of_the_union
from sklda.inspection import top_words
from sklda.metrics import topic_stability
from sklda.model_selection import TopicNumberDisplay, topic_number_curve

stop_words = [*ENGLISH_STOP_WORDS, "does", "let", "shall"]
counter = CountVectorizer(
    token_pattern=r"[^\W\d]{3,}", stop_words=stop_words, min_df=10, max_df=0.1
)
X = counter.fit_transform(load_state_of_the_union().data)
X = X[X.sum(axis=1).nonzero()[0]]
print(f"{X.shape[0]} documents, {X.shape[1]} words")

# %%
# Fit each number of topics to three folds, each with two seeds. The fits are short, so
# the priors of some were still changing, as the warning says.
curve = topic_number_curve(
    CollapsedGibbsLDA(learn_priors=None, max_iter=60),
    X,
    [2, 5, 10, 20, 40, 80],
    cv=3,
    random_state=0,
)

# %%
# The table ends with a verdict from the held-out score and the stability.
print(curve)

# %%
# Bands show standard errors. In the panel for the score, numbers whose band touches the
# dotted line predict as well as the best one. Dashed lines mark the recommendations.
TopicNumberDisplay(curve=curve).plot()
plt.show()

# %%
# Stability is a mean over topics. Some topics come back with each seed even if others
# do not. Report these.
lda = CollapsedGibbsLDA(20, learn_priors=None, max_iter=60)
fits = [clone(lda).set_params(random_state=s).fit(X) for s in range(3)]
stability = topic_stability(fits)
names = counter.get_feature_names_out()
words = top_words(fits[stability.prototype], names, n_words=6)
order = stability.per_topic.argsort()[::-1]
for k in [*order[:4], *order[-4:]]:
    print(f"{stability.per_topic[k]:.2f}", ", ".join(words[k]))

# %%
# A finer model splits the topics of a coarser one. Count the tokens by their topics in
# both. Each column shows which coarse topics the tokens of a finer topic come from.
lda.set_params(random_state=0)
coarse, fine = (clone(lda).set_params(n_components=k).fit(X) for k in (6, 20))
tokens = contingency_matrix(coarse.topic_assignments_, fine.topic_assignments_)
shares = tokens / tokens.sum(axis=0)
order = np.lexsort((-shares.max(axis=0), shares.argmax(axis=0)))
labels = [
    [f"{k}: {', '.join(words)}" for k, words in enumerate(top_words(fit, names, 3))]
    for fit in (coarse, fine)
]
figure, ax = plt.subplots(figsize=(10, 5), layout="constrained")
image = ax.imshow(shares[:, order], cmap="Blues", aspect="auto")
figure.colorbar(image, label="share of the finer topic")
ax.set_yticks(range(6), labels[0])
ax.set_xticks(range(20), [labels[1][j] for j in order], rotation=60, ha="right")
plt.show()
