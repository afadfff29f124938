"""
Learning the priors
===================

Alpha determines how many topics a document has and, if it differs between topics, which
topics are common. ``learn_priors`` fits alpha to the data during burn-in. The corpus in
this example has known priors, so we can compare the learnt values with the true ones.
"""

# %%
# Draw a corpus from ten topics, from common to rare: alpha decreases from 0.5 to 0.05.
import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.model_selection import train_test_split

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus

true_alpha = np.geomspace(0.5, 0.05, 10)
X, _, topic_word = make_lda_corpus(
    3000,
    800,
    10,
    document_length=80,
    doc_topic_prior=true_alpha,
    topic_word_prior=0.05,
    random_state=0,
)
train, test = train_test_split(X, test_size=0.25, random_state=0)

# %%
# Compare five settings of the priors: 1 / K; the default, which learns them from there;
# values that are far too large; and these values as the starting point for learning,
# with one alpha for all topics or one for each topic. Beta is learnt together with
# alpha. Use 600 sweeps instead of the default of 200: learning begins only when the
# annealed start has ended, and needs many steps from values that are far off.
too_large = {"doc_topic_prior": 5.0, "topic_word_prior": 1.0}
settings = {
    "1 / K": {"learn_priors": None},
    "default": {},
    "too large": too_large,
    "symmetric": {"learn_priors": "symmetric", **too_large},
    "asymmetric": {"learn_priors": "asymmetric", **too_large},
}
fits = {
    name: CollapsedGibbsLDA(10, max_iter=600, random_state=0, **setting).fit(train)
    for name, setting in settings.items()
}
print("priors      sum of alpha    beta  held-out perplexity")
for name, lda in fits.items():
    print(
        f"{name:<10}  {lda.doc_topic_prior_.sum():>12.2f}  "
        f"{lda.topic_word_prior_:>6.3f}  {lda.perplexity(test):>19.1f}"
    )
print(f"{'truth':<10}  {true_alpha.sum():>12.2f}  {0.05:>6.3f}")

# %%
# Priors that are far too large increase the perplexity considerably. Learning corrects
# them. Priors close to the true ones differ little in perplexity, because the data
# dominate: what remains depends on the topics that a chain finds, and thus on the seed.
#
# To compare alpha topic by topic, match each learnt topic with a true one such that the
# sum of the distances between their words is smallest. The distance is 0 for equal
# topics and 1 for topics without a common word.
learnt = fits["asymmetric"]
distances = cdist(topic_word, learnt.topic_word_, "cityblock") / 2
_, order = linear_sum_assignment(distances)
print("true alpha  learnt alpha  distance of the words")
for k, found in enumerate(order):
    print(
        f"{true_alpha[k]:>10.3f}  {learnt.doc_topic_prior_[found]:>12.3f}  "
        f"{distances[k, found]:>21.2f}"
    )

# %%
# Plot the learnt alpha against the true alpha. On the line, both are equal. A rare
# topic that the chain has not found is far from the line, and so is a common topic that
# it has split in two.
figure, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.plot(true_alpha[[-1, 0]], true_alpha[[-1, 0]], color="grey", linewidth=1)
ax.plot(
    true_alpha,
    learnt.doc_topic_prior_[order],
    "o",
    color="black",
    label="asymmetric",
)
ax.axhline(
    fits["symmetric"].doc_topic_prior_[0],
    color="black",
    linestyle="--",
    linewidth=1,
    label="symmetric",
)
ax.set(
    xscale="log",
    yscale="log",
    xlabel="true alpha of the topic",
    ylabel="learnt alpha",
    title="Common and rare topics",
    aspect="equal",
)
ticks = [0.05, 0.1, 0.2, 0.5]
ax.set_xticks(ticks, ticks)
ax.set_yticks(ticks, ticks)
ax.minorticks_off()
ax.legend()

# %%
# Priors are updated in each sweep of the burn-in and then frozen, so that all kept
# samples come from one posterior. The initial values have little effect: learning from
# values that are far too small gives nearly the same result.
again = CollapsedGibbsLDA(
    10,
    doc_topic_prior=0.001,
    topic_word_prior=0.001,
    learn_priors="asymmetric",
    max_iter=600,
    random_state=1,
).fit(train)
print(f"sum of alpha, from too small values: {again.doc_topic_prior_.sum():.2f}")
print(f"sum of alpha, from too large values: {learnt.doc_topic_prior_.sum():.2f}")
plt.show()
