"""Fits of benchmarks.medlda: what is trained, and how it is timed and scored."""

import time
from functools import partial

import numpy as np
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from sklda import CollapsedGibbsLDA, MedLDAClassifier

ALPHA_SUM, BETA = 6.4, 0.01
UNSUPERVISED_SWEEPS = 100
N_WARM = 60  # documents of the fit that compiles

ACCURACY = {"accuracy": accuracy_score}
F1 = {
    f"{average} F1": partial(f1_score, average=average, zero_division=0)
    for average in ("micro", "macro")
}


def priors(n_topics: int) -> dict[str, float]:
    """Return the priors of the paper."""
    return {"doc_topic_prior": ALPHA_SUM / n_topics, "topic_word_prior": BETA}


def medlda(n_topics: int, seed: int, **settings) -> MedLDAClassifier:
    """Return the estimator of a row, on one thread."""
    return MedLDAClassifier(
        n_topics, **priors(n_topics), n_jobs=1, random_state=seed, **settings
    )


def each_label(classifier, y):
    """Return a classifier of one label as one of each column, if y has columns."""
    return OneVsRestClassifier(classifier) if y.ndim == 2 else classifier


def naive_bayes(y):
    return each_label(MultinomialNB(alpha=0.01), y)


def tfidf_svm(y):
    return make_pipeline(TfidfTransformer(), each_label(LinearSVC(), y))


def tfidf_logistic(y):
    logistic = LogisticRegression(max_iter=1000)
    return make_pipeline(TfidfTransformer(), each_label(logistic, y))


def unsupervised_svm(y, n_topics: int, seed: int):
    """Return a linear SVM of the square roots of unsupervised topic proportions."""
    lda = CollapsedGibbsLDA(
        n_topics,
        **priors(n_topics),
        max_iter=UNSUPERVISED_SWEEPS,
        n_jobs=1,
        random_state=seed,
    )
    roots = FunctionTransformer(np.sqrt)
    return make_pipeline(lda, roots, each_label(LinearSVC(), y))


OF_WORDS = {
    "naive Bayes": naive_bayes,
    "tf-idf, SVM": tfidf_svm,
    "tf-idf, logistic": tfidf_logistic,
}
OF_TOPICS = {"unsupervised, SVM": unsupervised_svm}
BASELINES = (*OF_WORDS, *OF_TOPICS)


def warm(lda, X, y) -> None:
    """Fit a copy to a few documents and let it transform them: that compiles."""
    few = np.arange(min(N_WARM, X.shape[0]))
    if y.ndim == 1:  # with all classes
        few = np.union1d(few, np.unique(y, return_index=True)[1])
    lda = clone(lda).set_params(max_iter=2, burn_in=None)
    lda.fit(X[few], y[few]).transform(X[few])


def run(estimator, train, test, measures) -> dict:
    """Return seconds of fit and of predict, and the scores of both parts."""
    (X, y), (X_test, y_test) = train, test
    with threadpool_limits(1):
        start = time.process_time()
        estimator.fit(X, y)
        fitted = time.process_time()
        predicted = estimator.predict(X_test)
        seconds = fitted - start, time.process_time() - fitted
        of_train = estimator.predict(X)
    return {
        "seconds": round(seconds[0], 3),
        "predict_seconds": round(seconds[1], 3),
        "test": _scores(measures, y_test, predicted),
        "train": _scores(measures, y, of_train),
    }


def _scores(measures, y, predicted) -> dict[str, float]:
    return {
        name: round(float(score(y, predicted)), 5) for name, score in measures.items()
    }


def run_medlda(train, test, measures, n_topics, seed, settings) -> dict:
    """Return the row of one fit of MedLDA."""
    estimator = medlda(n_topics, seed, **settings)
    warm(estimator, *train)
    row = run(estimator, train, test, measures)
    sweeps = settings["max_iter"]
    return {**row, "seconds_per_sweep": round(row["seconds"] / sweeps, 5)}


def run_baseline(name, train, test, measures, n_topics=None, seed=0) -> dict:
    """Return the row of one fit of a baseline, of words or of unsupervised topics."""
    y = train[1]
    if name in OF_WORDS:
        return run(OF_WORDS[name](y), train, test, measures)
    estimator = OF_TOPICS[name](y, n_topics, seed)
    warm(estimator[0], *train)
    return run(estimator, train, test, measures)


def first_documents(documents, size: int) -> tuple:
    """Return the first documents and their classes, and the words that they hold."""
    X, y = documents[0][:size], documents[1][:size]
    return X[:, np.unique(X.indices)], y


def seconds_per_sweep(documents, n_topics, settings, first=1, last=5, seed=0) -> float:
    """Return the seconds of a sweep: what fits of `last` and of `first` differ by."""
    X, y = documents
    estimators = [
        medlda(n_topics, seed, **settings, max_iter=sweeps, burn_in=sweeps - 1)
        for sweeps in (first, last)
    ]
    seconds = []
    with threadpool_limits(1):
        warm(estimators[0], X, y)
        for estimator in estimators:
            start = time.process_time()
            estimator.fit(X, y)
            seconds.append(time.process_time() - start)
    return (seconds[1] - seconds[0]) / (last - first)
