"""A small corpus, and quick fits of CollapsedGibbsLDA to it."""

from sklda import CollapsedGibbsLDA
from sklda.datasets import make_lda_corpus

X = make_lda_corpus(40, 30, 4, document_length=30, random_state=0)[0]


def make(**params):
    params = {"n_components": 4, "max_iter": 10, "random_state": 0, **params}
    return CollapsedGibbsLDA(**params)


def fit(X=X, **params):
    return make(**params).fit(X)
