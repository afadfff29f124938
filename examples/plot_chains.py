"""
Have the chains converged?
==========================

A single chain cannot show whether another run would find the same topics. Run several
chains that start apart, and compare quantities that do not depend on the order of the
topics. This example follows four chains from a run that is too short to
one that you can trust. It then shows a corpus on which chains do not agree.
"""

# %%
# The documents of the first corpus are images of 5 x 5 pixels, made from ten bars. Run
# chains that are too short. The verdict explains what is wrong and what to do.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from sklda import CollapsedGibbsLDA
from sklda.datasets import load_state_of_the_union, make_bars
from sklda.diagnostics import sample_chains
from sklda.inspection import ConvergenceDisplay

X, _, _ = make_bars(n_samples=100, random_state=0)
lda = CollapsedGibbsLDA(
    10, doc_topic_prior=1.0, topic_word_prior=1.0, burn_in=5, max_iter=45, thin=1
)
short = sample_chains(lda, X, random_state=0)
print(short.verdict_.replace(". ", ".\n"))

# %%
# Start again with more sweeps, and hold out some images: their log probability is
# another quantity to compare. The table shows R-hat, which is 1 if the chains agree,
# and effective sample sizes, which are smaller than the number of draws because
# consecutive draws of a chain are similar.
X_test, _, _ = make_bars(n_samples=20, random_state=1)
lda.set_params(burn_in=200, max_iter=600, thin=4)
chains = sample_chains(lda, X, X_test=X_test, random_state=0)
print(chains)

# %%
# You can continue these chains. ``more`` adds sweeps with the same burn-in, as if the
# chains had been longer from the beginning.
chains.more(1600)
print(chains)

# %%
# Plot the traces. Cut off the first sweeps, which are far below the level at which the
# chains settle. ArviZ offers more plots for ``chains.to_datatree()``, see
# :doc:`/user_guide/chains`.
_, ax = plt.subplots(figsize=(9, 5), layout="constrained")
display = ConvergenceDisplay.from_chains(chains, ax=ax, linewidth=0.8)
display.ax_.set_ylim(bottom=np.min(chains.scalars_["log_joint"]) * X.sum() * 1.01)
plt.show()

# %%
# Real text is harder. On passages of the State of the Union addresses, chains are at
# different levels after 300 sweeps, and some still rise. More sweeps may not bring them
# together. The column ``spread`` shows how far they are apart in nats per token, and
# thus whether the difference matters.
counts = CountVectorizer(
    stop_words="english", token_pattern=r"[a-z]{3,}", min_df=5, max_df=0.1
).fit_transform(load_state_of_the_union().data)
lda = CollapsedGibbsLDA(
    10, doc_topic_prior=0.1, topic_word_prior=0.01, burn_in=300, max_iter=500, thin=2
)
text = sample_chains(lda, counts, n_jobs=2, random_state=0)
print(text)

# %%
# The traces show the same. Chains 0 and 2 have an annealed start, chains 1 and 3 a
# random one. After burn-in, some chains stay above the others. If you need a single
# chain, use ``best_estimator_``, which has the highest log joint.
_, ax = plt.subplots(figsize=(9, 5), layout="constrained")
display = ConvergenceDisplay.from_chains(text, ax=ax)
display.ax_.set_ylim(bottom=np.min(text.scalars_["log_joint"]) * counts.sum() * 1.01)
plt.show()
