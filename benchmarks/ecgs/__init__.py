"""The experiments of Xiao and Stibor on dynamic sampling, and shards."""

import numpy as np

from benchmarks import figures
from benchmarks.internals import Sklda, completion_score
from sklda import ECGSLDA

ALPHA_SUM, BETA = 50, 0.02
STYLES = figures.styles("ecgs")
PRIORS = {"alpha": "50 / K", "beta": BETA}  # in reports


def new_chain(X, n_topics, seed=0, estimator=ECGSLDA, **parameters) -> Sklda:
    priors = {"alpha": ALPHA_SUM / n_topics, "beta": BETA}
    return Sklda(estimator, X, n_topics, seed, **priors, **parameters)


def perplexity(chain: Sklda, test) -> float:
    """Return the perplexity of unseen documents under phi of the last sweep."""
    phi = chain.estimates()[1]
    return float(np.exp(-completion_score(test, phi, ALPHA_SUM / len(phi))))
