"""
How many topics?
================

This example plots two curves over the number of topics for a small corpus: how well the
topics predict new documents, and whether another seed finds the same topics. The two
need not agree. It then shows which topics are reliable, and how topics split as their
number grows.
"""

# %%
# Count the words of the docstrings of some installed packages.
import matplotlib.pyplot as plt
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_docstrings
from sklda.inspection import TopicFlowDisplay, top_words
from sklda.metrics import topic_stability
from sklda.model_selection import TopicNumberDisplay, topic_number_curve

docstrings = load_docstrings()
counter = CountVectorizer(stop_words="english", min_df=10, max_df=0.2)
X = counter.fit_transform(docstrings.data)
X = X[X.sum(axis=1).nonzero()[0]]
print(f"{X.shape[0]} documents, {X.shape[1]} words")

# %%
# Fit each number of topics to three folds, each with two seeds.
curve = topic_number_curve(
    CollapsedGibbsLDA(max_iter=60),
    X,
    [2, 5, 10, 20, 40, 80],
    cv=3,
    random_state=0,
)

# %%
# The held-out score and the stability each recommend a number and give a reason.
print(curve)

# %%
# Bands show standard errors. In the panel for the score, numbers whose band touches the
# dotted line predict as well as the best one. Dashed lines mark the recommendations.
TopicNumberDisplay(curve=curve).plot()
plt.show()

# %%
# Stability is a mean over topics. Some topics come back with each seed even if others
# do not. Report these.
fits = [CollapsedGibbsLDA(20, max_iter=60, random_state=s).fit(X) for s in range(3)]
stability = topic_stability(fits)
names = counter.get_feature_names_out()
words = top_words(fits[stability.prototype], names, n_words=6)
order = stability.per_topic.argsort()[::-1]
for k in [*order[:4], *order[-4:]]:
    print(f"{stability.per_topic[k]:.2f}", ", ".join(words[k]))

# %%
# A finer model splits the topics of a coarser one. The width of a flow is the
# proportion of the tokens that move between two topics.
lda = CollapsedGibbsLDA(max_iter=60, random_state=0)
by_number = [clone(lda).set_params(n_components=k).fit(X) for k in (4, 8, 16, 32)]
TopicFlowDisplay.from_estimators(by_number, names, n_words=2)
plt.show()
