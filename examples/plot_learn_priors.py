"""
Learning the priors
===================

Alpha says how many topics a document has, and, where it differs between topics, which
of them are common. ``learn_priors`` fits it to the data during burn-in. Here the corpus
is drawn with known values, so that what is learnt can be held against the truth.
"""

# %%
# Ten topics, from common to rare: alpha falls from 0.5 to 0.05.
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
# Four ways to set the priors: alpha and beta as they are by default (1 / K); far off;
# and learnt from there with one value for all topics, or one for each. Beta is learnt
# along with alpha.
far_off = {"doc_topic_prior": 5.0, "topic_word_prior": 1.0}
settings = {
    "default": {},
    "far off": far_off,
    "symmetric": {"learn_priors": "symmetric", **far_off},
    "asymmetric": {"learn_priors": "asymmetric", **far_off},
}
fits = {
    name: CollapsedGibbsLDA(10, random_state=0, **setting).fit(train)
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
# Priors that are far off cost a lot, and learning makes up for it, from there. Between
# priors that are near the truth the words decide, and little is left to gain.
#
# Topic by topic: each learnt topic is matched with the true one whose words are most
# alike. The distance of the words is 0 for equal topics, 1 for those without a common
# word.
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
# The same as a picture. On the line, learnt and true alpha agree; a rare topic that the
# chain has not found is off it.
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
# Priors are learnt every ten sweeps of the burn-in and then frozen, so that all kept
# samples come from one posterior. Where they start does not matter much: from values
# that are far too small they come to nearly the same.
again = CollapsedGibbsLDA(
    10,
    doc_topic_prior=0.001,
    topic_word_prior=0.001,
    learn_priors="asymmetric",
    random_state=1,
).fit(train)
print(f"sum of alpha from below: {again.doc_topic_prior_.sum():.2f}")
print(f"sum of alpha from above: {learnt.doc_topic_prior_.sum():.2f}")
plt.show()
