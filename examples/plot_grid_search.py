"""
How many topics? GridSearchCV, and which score to trust
=======================================================

On a corpus drawn with twenty topics, the score of sklda rises steeply up to twenty and
is nearly flat beyond, while the default score of scikit-learn's
``LatentDirichletAllocation`` asks for the fewest topics there are. The reason is what
the two scores add up.
"""

# %%
# Six hundred documents, 20 topics; alpha is 0.1.
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
# First sklda: numbers of topics, and values of alpha, by the mean log probability of
# held-out tokens. Topics beyond the true number do little harm to it, and little good:
# take the number from where the score stops rising.
alphas = [0.01, 0.1, 1.0]
search = GridSearchCV(
    CollapsedGibbsLDA(topic_word_prior=0.05, max_iter=100, random_state=0),
    {"n_components": numbers, "doc_topic_prior": alphas},
    cv=3,
).fit(train)
print(f"sklda takes {search.best_params_}")
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
# Then scikit-learn, over the numbers of topics alone.
variational = GridSearchCV(
    LatentDirichletAllocation(
        doc_topic_prior=0.1, topic_word_prior=0.05, random_state=0
    ),
    {"n_components": numbers},
    cv=3,
).fit(train)
print(f"scikit-learn takes {variational.best_params_}")

# %%
# Are the topics of variational Bayes so bad, or is it the score? Held-out tokens can be
# predicted with any topics: here those of scikit-learn are put into an estimator of
# sklda, fitted to one sweep, and scored by it.
print("topics  own score of the test set  score of sklda")
fits = {}
for n_components in numbers:
    theirs = clone(variational.estimator).set_params(n_components=n_components)
    fits[n_components] = theirs.fit(train)
    judge = CollapsedGibbsLDA(n_components, doc_topic_prior=0.1, max_iter=1).fit(train)
    judge.components_ = theirs.components_
    print(f"{n_components:>6}  {theirs.score(test):>25.0f}  {judge.score(test):>14.3f}")

# %%
# It is the score. scikit-learn's is a variational bound summed over what it is given,
# *plus* a term for the topics themselves, which grows with their number and does not
# care how many documents are scored. On a small test set that term is most of the sum.
# Divided by the tokens it makes ``perplexity``, which therefore falls with the number
# of test documents, though no document becomes easier to predict:
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
# The scores of both searches, each on its own scale; the dashed line is the truth.
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
