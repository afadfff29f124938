"""Curve over numbers of topics: the fits to folds with several seeds, measured.

From top to bottom: the measures of a fit, the loop over all fits, the public function,
and the checks of its arguments.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import product
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from joblib import Memory
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.model_selection import KFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, check_random_state, get_tags
from sklearn.utils.parallel import Parallel, delayed

from sklda._data.checks import check_limit, check_numbers
from sklda._data.sklearn_private import Interval
from sklda._data.types import MatrixLike, NameList
from sklda._fitted.fitted_topics import axis_sums, check_counts, word_names
from sklda._sampling.parameters import CONSTRAINTS, PATH, POSITIVE_INTEGER, validates
from sklda.metrics._alignment import topic_stability
from sklda.metrics._coherence import (
    check_texts,
    topic_coherence,
    topic_diversity,
    topic_exclusivity,
)
from sklda.metrics._held_out import document_completion_score
from sklda.model_selection._result import TopicNumberCurve, fold_means, standard_error

# Each takes a fitted model, the data of the curve and the test documents.
MEASURES = {
    "score": lambda fit, data, test: document_completion_score(fit, data.X[test]),
    "npmi": lambda fit, data, _: topic_coherence(fit, data.X, "npmi", data.n_words),
    "c_v": lambda fit, data, _: topic_coherence(
        fit,
        measure="c_v",
        n_words=data.n_words,
        texts=data.texts,
        feature_names=data.feature_names,
    ),
    "exclusivity": lambda fit, data, _: topic_exclusivity(fit, n_words=data.n_words),
    "diversity": lambda fit, data, _: topic_diversity(fit, data.n_words),
}


class CurveData(NamedTuple):
    """The documents of a curve, and the other data of its measures."""

    X: Any
    n_words: int  # top words
    texts: Any
    feature_names: Any

    def __repr__(self) -> str:
        """Return a short text: joblib.Memory writes it beside each fit."""
        return f"CurveData({self.X!r})"


def fit_and_measure(
    estimator: Any, data: CurveData, fold: tuple, measures: list[str]
) -> tuple[dict[str, float], np.ndarray | None]:
    """Return the measures of one fit, with its seconds; and its topics if needed."""
    train, test = fold
    start = time.perf_counter()
    model = clone(estimator).fit(data.X[train])
    values = {"seconds": time.perf_counter() - start}
    for name in measures:
        if name in MEASURES:
            topic_values = np.ravel(MEASURES[name](model, data, test))
            # NaN for topics without words
            known = topic_values[~np.isnan(topic_values)]
            values[name] = float(known.mean()) if known.size > 0 else np.nan
    return values, model.components_ if "stability" in measures else None


def measure_all(
    estimator, data, design, measures, *, memory: Memory, n_jobs, verbose
) -> Bunch:
    """Return each measure of all fits, (n_values, n_folds, n_seeds or 1).

    `design` has the numbers of topics, the training and test documents of the folds,
    and the seeds as parameters of the estimator.
    """
    work = delayed(memory.cache(fit_and_measure))
    shape = tuple(map(len, design))
    if verbose:
        print(f"{np.prod(shape)} fits", flush=True)  # joblib reports each
    results = Parallel(n_jobs=n_jobs, return_as="generator", verbose=11 * verbose)(
        work(clone(estimator).set_params(n_components=n, **seed), data, fold, measures)
        for n, fold, seed in product(*design)
    )
    fits = Bunch(**{name: np.empty(shape) for name in ["seconds", *measures]})
    if "stability" in measures:
        fits.stability = np.empty((*shape[:2], 1))
    topics = []  # of a fold
    for place, (values, components) in zip(np.ndindex(shape), results, strict=True):
        for name, value in values.items():
            fits[name][place] = value
        topics.append(components)
        if "stability" in measures and len(topics) == shape[2]:
            fits.stability[place[:2]] = topic_stability(topics).overall
            topics.clear()
    return fits


CurveMeasure: TypeAlias = Literal[
    "score", "npmi", "c_v", "exclusivity", "diversity", "stability"
]
_DEFAULT: tuple[CurveMeasure, ...]
_DEFAULT = ("score", "npmi", "exclusivity", "diversity", "stability")


@validates(
    cv=["cv_object"],
    n_repeats=POSITIVE_INTEGER,
    measures=[list, tuple, np.ndarray],
    n_words=[Interval(Integral, 2, None, closed="left")],
    memory=[None, *PATH, Memory],
    n_jobs=CONSTRAINTS["n_jobs"],
    random_state=["random_state"],
    verbose=["boolean"],
)
def topic_number_curve(
    estimator: Any,
    X: MatrixLike,
    param_range: ArrayLike,
    *,
    cv: Any = 5,
    n_repeats: int = 2,
    measures: Sequence[CurveMeasure] = _DEFAULT,
    n_words: int = 10,
    texts: Sequence[str] | Sequence[Sequence[str]] | None = None,
    feature_names: NameList | None = None,
    memory: str | Path | Memory | None = None,
    n_jobs: int | None = None,
    random_state: int | RandomState | None = None,
    verbose: bool = False,
) -> TopicNumberCurve:
    """Measure models with different numbers of topics and recommend a number.

    For each number of topics, a model is fitted to each fold with each of several
    seeds.

    Parameters
    ----------
    estimator : estimator
        Topic model with the parameter `n_components`, and with `components_` and
        `transform` once fitted, including scikit-learn's LDA and NMF. It is cloned.
    X : {array-like, sparse matrix} of shape (n_documents, n_words_of_corpus)
        Word counts. Empty documents are left out of the folds, and counted in the
        result.
    param_range : array-like of int
        At least two distinct numbers of topics in any order, from 1 to the number of
        words that occur and to the number of training documents in a fold.
    cv : int, splitter of scikit-learn, iterable of (train, test) or None, default=5
        At least two folds of the rows of X. An int is the number of folds of a shuffled
        ``KFold`` of the documents that are not empty; None means 5.
    n_repeats : int, default=2
        Number of seeds per fold, at least 1, and at least 2 for "stability".
    measures : list of str, default=("score", "npmi", "exclusivity", "diversity", \
"stability")
        Measures to compute for each fit, in addition to its time in "seconds":

        - "score": mean log predictive probability of the tokens of the test documents,
          see :func:`sklda.metrics.document_completion_score`.
        - "npmi": mean coherence of the topics in all documents, see
          :func:`sklda.metrics.topic_coherence`.
        - "c_v": mean coherence in windows of `texts`, see the same function.
        - "exclusivity": mean exclusivity, see :func:`sklda.metrics.topic_exclusivity`.
        - "diversity": see :func:`sklda.metrics.topic_diversity`.
        - "stability": similarity of the topics of the same fold with different seeds,
          ``topic_stability(fits).overall``, see :func:`sklda.metrics.topic_stability`.

    n_words : int, default=10
        Number of top words of each topic for "npmi", "c_v", "exclusivity" and
        "diversity", from 2 to n_words_of_corpus.
    texts : list of str or of lists of str, default=None
        Texts for "c_v", see :func:`sklda.metrics.topic_coherence`.
    feature_names : array-like of str of shape (n_words_of_corpus,), default=None
        Words in the order of the columns of X, for "c_v".
    memory : str, Path or joblib.Memory, default=None
        Folder that stores each fit. If you repeat the call, after Ctrl-C or with more
        numbers or repeats, only missing fits run. `random_state` must be an int.
    n_jobs : int, default=None
        Number of fits that run at the same time, in joblib processes. None means 1, -1
        all cores. Only the seconds in the result depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed for the folds and the fits. Pass an int for reproducible results.
    verbose : bool, default=False
        Whether to print the number of fits, and a line for each with the time since
        the start.

    Returns
    -------
    TopicNumberCurve
        Means and standard errors of the measures, and a verdict, see Notes. It prints
        as a table.

    Raises
    ------
    TypeError
        If the estimator is not a topic model with `n_components`, or needs labels.
    ValueError
        If X has negative values, or a parameter is out of range.

    See Also
    --------
    TopicNumberDisplay : Plot the curve.

    Notes
    -----
    "score" recommends the smallest number whose score is within one standard error of
    the best. "stability" recommends the most stable number among those that are more
    stable than the next smaller number by more than one standard error. If there is
    none, it recommends the smallest number, which says little. It ignores 1, because a
    single topic is always stable. Standard errors are those of differences within
    folds. The verdict names the numbers that are as good as the recommended ones, for
    both measures if that is possible. It asks for more topics if the largest number is
    recommended for prediction, and for fewer if the smallest is, unless this is 1 or
    all scores are the same. A measure that is not finite for all numbers recommends
    none; the verdict says for which numbers.

    The user guide explains which rule to follow if the two disagree. Seconds include
    compilation unless Numba's cache contains the kernels.

    Cost: ``n_values * n_folds * n_repeats`` fits; `memory` stores the topics of each.

    Examples
    --------
    >>> from sklda import CollapsedGibbsLDA
    >>> from sklda.datasets import make_lda_corpus
    >>> from sklda.model_selection import topic_number_curve
    >>> X, _, _ = make_lda_corpus(
    ...     300, 200, 5, document_length=80, doc_topic_prior=0.1, random_state=0
    ... )
    >>> lda = CollapsedGibbsLDA(max_iter=40)
    >>> curve = topic_number_curve(lda, X, [2, 5, 12], cv=3, random_state=0)
    >>> curve.mean.score.round(1)
    array([-4.7, -4.3, -4.3])
    >>> print(curve.verdict)
    5 topics: ...
    >>> lda = lda.set_params(n_components=curve.choice).fit(X)
    """
    template = _check_estimator(estimator)
    used = _check_measures(measures, n_repeats, texts, feature_names)
    data = _check_data(X, n_words, texts, feature_names)
    random = check_random_state(random_state)
    numbers = _check_range(param_range)
    folds = _split(cv, data.X, numbers[-1], random.randint(2**31 - 1))
    design = numbers, folds, _seeds(template, n_repeats, random)
    folder = memory.location if isinstance(memory, Memory) else memory
    if folder is not None and not isinstance(random_state, Integral):
        raise ValueError(
            f"memory finds fits by their seeds: random_state must be an int, got "
            f"{random_state!r}."
        )
    store = memory if isinstance(memory, Memory) else Memory(memory, verbose=0)
    fits = measure_all(
        template, data, design, used, memory=store, n_jobs=n_jobs, verbose=verbose
    )
    by_fold = {name: fold_means(values) for name, values in fits.items()}
    return TopicNumberCurve(
        n_components=np.array(numbers),
        mean=Bunch(**{name: of.mean(axis=1) for name, of in by_fold.items()}),
        standard_error=Bunch(**{k: standard_error(of) for k, of in by_fold.items()}),
        fits=fits,
        n_empty=int((axis_sums(data.X, axis=1) == 0).sum()),
    )


def _check_estimator(estimator: Any) -> Any:
    """Return a clone of the estimator; raise TypeError unless it can be fitted here."""
    if isinstance(estimator, Pipeline):
        raise TypeError(
            "estimator is a Pipeline, whose vectorizer would give each fold a "
            "different vocabulary. Pass its last step, and counts as X: `X = "
            "pipeline[:-1].fit_transform(texts)`."
        )
    template, kind = clone(estimator), type(estimator).__name__
    if "n_components" not in template.get_params():
        raise TypeError(
            f"estimator must be a topic model with the parameter n_components, got "
            f"{kind}: {estimator!r}."
        )
    if get_tags(template).target_tags.required:
        raise TypeError(
            f"estimator must be fitted without labels, but {kind} needs y: use "
            "GridSearchCV, which scores the prediction of labels."
        )
    return template


def _check_measures(
    measures: Any, n_repeats: int, texts: Any, feature_names: Any
) -> list[str]:
    """Return the names of the measures, each once."""
    known, names = [*MEASURES, "stability"], list(measures)
    if not names or any(name not in known for name in names):
        raise ValueError(
            f"measures must contain at least one of {', '.join(known)}, and no others; "
            f"got {measures!r}."
        )
    if n_repeats == 1 and "stability" in names:
        raise ValueError(
            "n_repeats=1 leaves no other fit to compare topics with: set n_repeats to "
            '2 or more, or remove "stability" from measures.'
        )
    for name, value in (("texts", texts), ("feature_names", feature_names)):
        if "c_v" in names and value is None:
            raise ValueError(f'{name} must be given for "c_v" in measures.')
        if "c_v" not in names and value is not None:
            raise ValueError(f'{name} has no effect without "c_v" in measures.')
    return list(dict.fromkeys(names))


def _check_data(X: Any, n_words: int, texts: Any, feature_names: Any) -> CurveData:
    """Return what the measures of a fit need."""
    counts = check_counts(X)
    check_limit(n_words, "n_words", counts.shape[1], "words")
    if feature_names is not None:
        feature_names = word_names(None, feature_names, counts.shape[1])
    if texts is not None:
        texts = list(check_texts(texts))  # each fit reads them
    return CurveData(counts, n_words, texts, feature_names)


def _check_range(param_range: Any) -> list[int]:
    """Return distinct numbers of topics in ascending order."""
    array = check_numbers(param_range, "param_range", ("n_values",))
    numbers: list[int] = np.unique(array).tolist()
    if array.dtype.kind == "f" or len(numbers) < 2 or numbers[0] < 1:
        raise ValueError(
            "param_range must contain at least two distinct numbers of topics, "
            f"integers from 1, got {param_range!r}."
        )
    return numbers


def _split(
    cv: Any, X: Any, n_topics: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return training and test documents of each fold, enough for all topics."""
    cv, has_words = 5 if cv is None else cv, axis_sums(X, axis=1) > 0
    if isinstance(cv, Integral):
        kept = np.flatnonzero(has_words)
        check_limit(int(cv), "cv", kept.size, "documents that are not empty")
        shuffled = KFold(int(cv), shuffle=True, random_state=seed)
        cv = [(kept[train], kept[test]) for train, test in shuffled.split(kept)]
    rows = np.arange(X.shape[0])
    folds = [
        (rows[train][has_words[train]], rows[test][has_words[test]])
        for train, test in check_cv(cv).split(X)
    ]
    if len(folds) < 2:
        raise ValueError(
            f"cv must yield at least 2 folds, for standard errors; got {len(folds)}."
        )
    if any(part.size == 0 for fold in folds for part in fold):
        raise ValueError(
            "All documents of a fold of cv are empty: pass an int, which divides the "
            "others, or shuffle the folds."
        )
    for largest, counted in (
        (np.unique(X.nonzero()[1]).size, "distinct words in X"),
        (min(len(train) for train, _ in folds), "training documents in a fold"),
    ):
        if n_topics > largest:
            raise ValueError(
                f"param_range asks for {n_topics} topics, more than the "
                f"{largest} {counted}: remove larger numbers."
            )
    return folds


def _seeds(estimator: Any, n_repeats: int, random: RandomState) -> list[dict[str, int]]:
    """Return the seeds of the fits to a fold, as parameters."""
    if "random_state" in estimator.get_params():
        seeds = random.randint(2**31 - 1, size=n_repeats).tolist()
        return [{"random_state": seed} for seed in seeds]
    if n_repeats > 1:
        raise ValueError(
            f"n_repeats={n_repeats} would repeat identical fits, because "
            f"{type(estimator).__name__} has no random_state: set n_repeats=1, and "
            f'remove "stability" from measures.'
        )
    return [{}]
