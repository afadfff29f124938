"""Supervised topics, compared with other classifiers."""

import time
from argparse import Namespace
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from benchmarks import corpora, harness
from sklda import CollapsedGibbsLDA, MedLDAClassifier
from sklda.metrics import topic_coherence

N_WARM = 60  # documents of the fit that compiles
CLASSES = (0, 19)  # alt.atheism, talk.religion.misc
N_TOP_WORDS = 10  # of a topic, whose coherence is measured
N_LABELS = 90  # of Reuters, the largest
MANY_LABELS = {"n_components": 400, "prior_precision": 30.0, "doc_topic_prior": 0.05}


def warm(lda, X, y) -> None:
    """Fit a copy to a few documents and let it transform them: that compiles."""
    few = np.arange(min(N_WARM, X.shape[0]))
    if y.ndim == 1:  # with all classes
        few = np.union1d(few, np.unique(y, return_index=True)[1])
    lda = clone(lda).set_params(max_iter=2, burn_in=None)
    lda.fit(X[few], y[few]).transform(X[few])


def fit_and_score(estimator, train, test) -> dict:
    (X, y), (X_test, y_test) = train, test
    lda = first_step(estimator)
    if hasattr(lda, "burn_in"):
        warm(lda, X, y)
    _, seconds = timed(estimator.fit, X, y)
    predicted, predict_seconds = timed(estimator.predict, X_test)
    row = {"seconds": round(seconds, 3), "predict_seconds": round(predict_seconds, 3)}
    return row | {"test": scores(y_test, predicted)}


def first_step(estimator):
    return estimator[0] if hasattr(estimator, "steps") else estimator


def timed(do, *data) -> tuple:
    """Return what a function returns, and its processor time."""
    with threadpool_limits(1):
        start = time.process_time()
        return do(*data), time.process_time() - start


def scores(y, predicted) -> dict[str, float]:
    """Return the accuracy, or both kinds of F1 if y has columns."""
    found = {"accuracy": accuracy_score(y, predicted)}
    if y.ndim == 2:
        both, f1 = ("micro", "macro"), partial(f1_score, y, predicted, zero_division=0)
        found = {f"{mean} F1": f1(average=mean) for mean in both}
    return {name: round(float(value), 5) for name, value in found.items()}


def run_corpora(options) -> None:
    """Compare classifiers on corpora of several kinds, with default parameters."""
    for corpus in options.corpora:
        train, test = read_labelled(corpus, options)
        topics = getattr(options, f"topics_of_{corpus}", options.topics)
        rows = []
        for method, estimator in classifiers(train[1], topics):
            lda = first_step(estimator)
            row = {"method": method, "n_topics": getattr(lda, "n_components", 0)}
            row |= fit_and_score(estimator, train, test)
            rows.append(row | {"coherence": coherence(lda, train[0])})
            harness.print_rows(rows[-1:])
        report = {"documents": train[0].shape[0], "rows": rows}
        harness.write(options, f"corpora-{corpus}", report, alpha=None, beta=None)


def read_labelled(corpus: str, options) -> list[tuple]:
    """Return counts and labels of training and test documents."""
    if corpus == "reuters":
        return list(corpora.read_reuters(options.reuters_home, N_LABELS)[1:])
    if corpus == "blogs":
        X, rating, _ = corpora.read_blogs(options.covariates_home)
        *X, y, y_test = train_test_split(X, rating, test_size=0.2, random_state=0)
        return list(zip(X, (y, y_test), strict=True))
    home, is_plain = options.newsgroups_home, corpus == "newsgroups"
    place = Namespace(newsgroups_home=home, drop_stop_words=not is_plain)
    found = corpora.read_newsgroups(place)
    if corpus != "pair":
        return found
    return [(X[np.isin(y, CLASSES)], y[np.isin(y, CLASSES)]) for X, y in found]


def classifiers(y, topics: list[int]) -> list[tuple]:
    """Return classifiers with their names: of words, and of topics with and without y.

    With several labels per document, they include topics that suit these.
    """
    logistic, root = LogisticRegression(max_iter=1000), FunctionTransformer(np.sqrt)
    svm = LinearSVC()
    if y.ndim == 2:
        logistic, svm = map(OneVsRestClassifier, (logistic, svm))
    found = [("tf-idf, SVM", make_pipeline(TfidfTransformer(), svm))]
    if y.ndim == 2:
        many = MedLDAClassifier(**MANY_LABELS, random_state=0)
        found.append(("MedLDA, many labels", many))
        found.append(("MedLDA, many labels, SVM", make_pipeline(many, root, svm)))
    for n_topics in topics:
        lda = CollapsedGibbsLDA(n_topics, random_state=0)
        found.append(("MedLDA", MedLDAClassifier(n_topics, random_state=0)))
        found.append(("LDA, logistic", make_pipeline(lda, root, logistic)))
    return found


def coherence(lda, X) -> float | None:
    """Return the mean coherence (NPMI) of topics, or None of words."""
    if not hasattr(lda, "components_"):
        return None
    found = topic_coherence(lda, X, "npmi", min(N_TOP_WORDS, X.shape[1]))
    return float(np.nanmean(found))
