"""
Choosing the number of topics with GridSearchCV
===============================================

On a corpus generated from twenty topics, the score of sklda rises steeply up to twenty
topics and is nearly constant beyond that. The default score of scikit-learn's
``LatentDirichletAllocation`` selects the smallest number of topics in the grid. This
example shows why.
"""

# %%
# Draw 600 documents from 20 topics, with alpha = 0.1.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.model_selection import GridSearchCV, train_test_split

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus

X, _, _ = make_lda_corpus(
    600, 2000, 20, document_length=60, doc_topic_prior=0.1, random_state=0
)
train, test = train_test_split(X, test_size=0.25, random_state=0)
numbers = [2, 5, 10, 20, 40]

# %%
# Start with sklda: search over the number of topics and alpha, using the mean log
# probability of held-out tokens. More topics than the true number hardly change the
# score, so choose the number at which the score stops increasing.
alphas = [0.01, 0.1, 1.0]
search = GridSearchCV(
    CollapsedGibbsLDA(topic_word_prior=0.05, max_iter=100, random_state=0),
    {"n_components": numbers, "doc_topic_prior": alphas},
    cv=3,
).fit(train)
print(f"sklda selects {search.best_params_}")
scores = search.cv_results_["mean_test_score"].reshape(len(alphas), len(numbers))

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
image = ax.imshow(scores, cmap="Greys", aspect="auto")
for i, j in np.ndindex(scores.shape):
    dark = image.norm(scores[i, j]) > 0.5
    ax.text(j, i, f"{scores[i, j]:.2f}", ha="center", va="center", color="wk"[not dark])
ax.set_xticks(range(len(numbers)), numbers)
ax.set_yticks(range(len(alphas)), alphas)
ax.set(
    xlabel="n_components",
    ylabel="doc_topic_prior",
    title="Mean log probability of a held-out token (nats)",
)

# %%
# With scikit-learn, search only over the number of topics.
variational = GridSearchCV(
    LatentDirichletAllocation(
        doc_topic_prior=0.1, topic_word_prior=0.05, random_state=0
    ),
    {"n_components": numbers},
    cv=3,
).fit(train)
print(f"scikit-learn selects {variational.best_params_}")

# %%
# Is this due to the topics of variational Bayes, or to the score? You can compute the
# score of sklda for any topics: assign the topics of scikit-learn to ``components_`` of
# an sklda estimator that was fitted for one sweep.
print("topics  own score of the test set  score of sklda")
fits = {}
for n_components in numbers:
    theirs = clone(variational.estimator).set_params(n_components=n_components)
    fits[n_components] = theirs.fit(train)
    lda = CollapsedGibbsLDA(n_components, doc_topic_prior=0.1, max_iter=1).fit(train)
    lda.components_ = theirs.components_
    print(f"{n_components:>6}  {theirs.score(test):>25.0f}  {lda.score(test):>14.3f}")

# %%
# The score causes it. scikit-learn's score is a variational bound summed over the test
# documents *plus* a term for the topics themselves. The magnitude of that term grows
# with the number of topics and does not depend on the number of documents, so it
# dominates for a small test set. ``perplexity`` is computed from this sum divided by
# the number of tokens. It therefore decreases with the number of test documents,
# although the documents do not become easier to predict:
mine = CollapsedGibbsLDA(
    20, doc_topic_prior=0.1, topic_word_prior=0.05, random_state=0
).fit(train)
print("test documents  perplexity of scikit-learn  perplexity of sklda")
for n in [10, 20, 50, 150]:
    print(
        f"{n:>14}  {fits[20].perplexity(test[:n]):>26.4g}  "
        f"{mine.perplexity(test[:n]):>19.4g}"
    )

# %%
# Plot the scores of both searches, each on its own scale. The dashed line marks the
# true number of topics.
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
left.plot(numbers, scores[alphas.index(0.1)], "o-", color="black")
left.set(title="sklda: nats per held-out token", ylabel="mean score of the folds")
right.plot(numbers, variational.cv_results_["mean_test_score"], "o-", color="black")
right.set(title="scikit-learn: bound of the fold, in nats")
for ax in (left, right):
    ax.axvline(20, color="grey", linestyle="--")
    ax.set_xscale("log")
    ax.set_xticks(numbers, numbers)
    ax.minorticks_off()
    ax.set_xlabel("n_components")
plt.show()
