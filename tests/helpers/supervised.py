"""Documents with labels, and quick fits to them."""

from sklda import MedLDAClassifier
from sklda.datasets import make_lda_corpus

# Four well-separated topics, and documents of one main topic.
X, THETA, _ = make_lda_corpus(240, 60, 4, document_length=40, random_state=0)
X = X.toarray()
MAIN = THETA.argmax(axis=1)
INDICATORS = (THETA > 0.3).astype(int)
TRAIN, TEST = slice(0, 160), slice(160, None)


def make(cls=MedLDAClassifier, **params):
    defaults = {"n_components": 6, "C": 10, "prior_precision": 1}
    return cls(**{**defaults, "max_iter": 20, "random_state": 0, **params})


def fit(y=MAIN[:160], X=X[TRAIN], cls=MedLDAClassifier, **params):
    return make(cls, **params).fit(X, y)
