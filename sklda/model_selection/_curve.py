"""Curve over numbers of topics: their measures, and the recommended numbers."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from joblib import Memory
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import Bunch, get_tags

from sklda._base.parameters import CONSTRAINTS, PATH, POSITIVE_INTEGER, validates
from sklda._base.sklearn_private import Interval
from sklda._core.types import MatrixLike, NameList
from sklda.model_selection._fits import MEASURES, CurveData, Design, measure_all
from sklda.model_selection._result import (
    TopicNumberCurve,
    fold_means,
    standard_error,
)

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
        Word counts.
    param_range : array-like of int
        At least two distinct numbers of topics in any order, from 1 to the number of
        words that occur and to the number of training documents in a fold.
    cv : int, splitter of scikit-learn, iterable of (train, test) or None, default=5
        At least two folds. An int is the number of folds of a shuffled ``KFold``; None
        means 5.
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
        Whether to print a line for each fit, with the time that remains. Models with
        more topics take longer, so the first estimates are lower bounds.

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
    data = CurveData.of(X, n_words, texts, feature_names)
    design = Design.of(template, data.X, param_range, cv, n_repeats, random_state)
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
        n_components=np.array(design.n_components),
        mean=Bunch(**{name: of.mean(axis=1) for name, of in by_fold.items()}),
        standard_error=Bunch(**{k: standard_error(of) for k, of in by_fold.items()}),
        fits=fits,
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
