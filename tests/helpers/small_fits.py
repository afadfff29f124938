"""A small corpus, and quick fits of CollapsedGibbsLDA to it, of plain chains."""

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]


def make(**params):
    plain = {"init": "random", "learn_priors": None, "thin": 10, "max_iter": 10}
    return CollapsedGibbsLDA(
        **{"n_components": 4, "random_state": 0, **plain, **params}
    )


def fit(X=X, **params):
    return make(**params).fit(X)
