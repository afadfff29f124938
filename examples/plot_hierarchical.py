"""
Let the data choose the number of topics
========================================

With ``learn_priors="hierarchical"``, sklda samples the number of topics together with
the topics, up to a bound. On a corpus with a known number of topics, the answer is
clear. On real documents, it depends on the bound.
"""

# %%
# Draw a corpus from twelve topics, from common to rare. Fit it with different bounds
# and seeds. Beta, the topic-word prior, is also sampled. The start is random: after an
# annealed start, topics that describe the same words need more sweeps to merge.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_state_of_the_union, make_lda_corpus
from sklda.inspection import top_words

alpha = np.geomspace(0.2, 0.05, 12)
X, _, _ = make_lda_corpus(
    1500,
    1000,
    12,
    document_length=40,
    doc_topic_prior=alpha,
    topic_word_prior=0.05,
    random_state=0,
)


def fit(X, bound, seed, max_iter=600):
    """Fit at most `bound` topics and print a line about the fit."""
    lda = CollapsedGibbsLDA(
        bound,
        learn_priors="hierarchical",
        topic_word_prior=0.01,
        hyperpriors={"topic_word_prior": (1, 1)},
        burn_in=2 * max_iter // 3,
        max_iter=max_iter,
        random_state=seed,
    ).fit(X)
    mean, low, high = lda.n_topics_["n_topics"]
    print(
        f"{bound:>5} {seed:>5}  {mean:>6.1f} ({low:.0f} to {high:.0f})  "
        f"{lda.n_topics_['n_nonempty'][0]:>8.1f}  {lda.topic_word_prior_:.3f}"
    )
    return lda


head = "bound  seed  topics (95 % interval)  not empty  beta"
print(head)
cases = [(24, 0), (24, 1), (60, 0), (60, 1)]
clear = {case: fit(X, *case) for case in cases}

# %%
# The fits find twelve topics or one more, regardless of the bound. The count ignores
# the smallest topics, which together hold less than 1 % of the tokens, because such
# posteriors always keep a few of them. A topic can stay split for a long time, longer
# if documents are long. Run several seeds.
#
# The largest weights are close to the true values of alpha, divided by their sum.
lda = clear[24, 0]
print("true weights: ", np.round(alpha / alpha.sum(), 2))
print("found weights:", np.sort(lda.topic_weights_)[:-15:-1].round(2))

# %%
# Now fit real documents: passages of the State of the Union addresses.
stop_words = [*ENGLISH_STOP_WORDS, "does", "let", "shall"]
counter = CountVectorizer(
    token_pattern=r"[^\W\d]{3,}", stop_words=stop_words, min_df=10, max_df=0.1
)
real = counter.fit_transform(load_state_of_the_union().data)
print(f"{real.shape[0]} documents, {real.shape[1]} words")
print(head)
unclear = {
    case: fit(real, *case, max_iter=300) for case in ((24, 0), (60, 0), (120, 0))
}

# %%
# Every fit uses nearly all topics that the bound allows, and beta falls: topics become
# finer.
#
# Plot the number of topics after each sweep. In the left panel, all fits settle at
# about twelve; in the right panel, they stay near their bounds. Dotted lines show the
# second seed.
figure, panels = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
looks = {24: "C0", 60: "C1", 120: "C2"}
for axes, fits, title in zip(
    panels, (clear, unclear), ("twelve planted topics", "addresses"), strict=True
):
    for (bound, seed), lda in fits.items():
        label = f"at most {bound}" if seed == 0 else None
        style = {"color": looks[bound], "ls": "-:"[seed], "label": label}
        axes.plot(lda.prior_trace_["n_topics"], **style)
    axes.set(title=title, xlabel="sweep", ylabel="topics", ylim=(0, 170))
    axes.legend()
panels[0].axhline(12, color="0.5", lw=0.8)
plt.show()

# %%
# The number of topics in real documents thus depends on the number of documents and on
# how fine the topics are. It is not a property of the language. The topics and their
# weights are still useful. Print some topics in decreasing order of weight.
lda = unclear[60, 0]
words = top_words(lda, counter.get_feature_names_out(), n_words=6)
for k in np.argsort(lda.topic_weights_)[::-1][[0, 1, 2, 20, 40]]:
    print(f"{lda.topic_weights_[k]:.3f}", ", ".join(words[k]))
