"""Fit topics to documents that have ten: a test of the installed package."""

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_bars

X, _, _ = make_bars(600, doc_topic_prior=0.1, random_state=0)
X, held_out = X[:500], X[500:]
single, ten = (
    CollapsedGibbsLDA(n_topics, random_state=0).fit(X).score(held_out)
    for n_topics in (1, 10)
)
print(f"score with one topic {single:.2f}, with ten {ten:.2f}")
assert ten > single + 0.3
