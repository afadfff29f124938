"""The curve over numbers of topics: what is measured, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from joblib import Memory
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from sklda._base.parameters import CONSTRAINTS, PATH, POSITIVE_INTEGER, validates
from sklda._base.sklearn_private import Interval
from sklda._core.types import MatrixLike, NameList
from sklda.model_selection._checks import (
    check_design,
    check_documents,
    check_measures,
    check_memory,
    check_template,
)
from sklda.model_selection._fits import measure_all
from sklda.model_selection._recommendation import RULES, fold_means, standard_error

CurveMeasure: TypeAlias = Literal[
    "score", "npmi", "c_v", "exclusivity", "diversity", "stability"
]


@validates(
    cv=["cv_object"],
    n_repeats=POSITIVE_INTEGER,
    n_words=[Interval(Integral, 2, None, closed="left")],
    memory=[None, *PATH, Memory],
    as_frame=["boolean"],
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
    measures: Sequence[CurveMeasure] = (
        "score",
        "npmi",
        "exclusivity",
        "diversity",
        "stability",
    ),
    n_words: int = 10,
    texts: Sequence[str] | Sequence[Sequence[str]] | None = None,
    feature_names: NameList | None = None,
    memory: str | Path | Memory | None = None,
    as_frame: bool = False,
    n_jobs: int | None = None,
    random_state: int | RandomState | None = None,
    verbose: bool = False,
) -> Bunch:
    """Measure models with different numbers of topics, and recommend a number.

    For each number of topics, a model is fitted to the training documents of each fold
    with each of several seeds.

    Parameters
    ----------
    estimator : estimator
        Topic model with the parameter `n_components`, and with `components_` and
        `transform` once it is fitted: also LDA and NMF of scikit-learn. It is cloned.
    X : {array-like, sparse matrix} of shape (n_documents, n_words_of_corpus)
        Word counts, without empty documents.
    param_range : array-like of int
        At least two distinct numbers of topics, from 1 to the number of words that
        occur, and to the number of training documents in a fold. The order has no
        effect.
    cv : int, splitter of scikit-learn, iterable of (train, test) or None, default=5
        At least two folds. An int is the number of folds of a shuffled ``KFold``; None
        is 5.
    n_repeats : int, default=2
        Number of seeds of each fold, at least 1, and at least 2 for "stability".
    measures : list of str, default=("score", "npmi", "exclusivity", "diversity", \
"stability")
        What is measured of each fit:

        - "score": mean log predictive probability of the tokens of the test documents,
          see :func:`sklda.metrics.document_completion_score`.
        - "npmi": mean coherence of the topics in all documents, see
          :func:`sklda.metrics.topic_coherence`.
        - "c_v": mean coherence in windows of `texts`, see there.
        - "exclusivity": mean exclusivity, see :func:`sklda.metrics.topic_exclusivity`.
        - "diversity": see :func:`sklda.metrics.topic_diversity`.
        - "stability": similarity of the topics of the same fold with different seeds,
          ``topic_stability(fits).overall``, see :func:`sklda.metrics.topic_stability`.

        "seconds", the time of the fit, is always measured.
    n_words : int, default=10
        Number of top words of each topic for "npmi", "c_v", "exclusivity" and
        "diversity", from 2 to n_words_of_corpus.
    texts : list of str or of lists of str, default=None
        Texts for "c_v", see :func:`sklda.metrics.topic_coherence`.
    feature_names : array-like of str of shape (n_words_of_corpus,), default=None
        Words in the order of the columns of X, for "c_v".
    memory : str, Path or joblib.Memory, default=None
        Folder where each fit is kept as soon as it is done. The same call again, after
        Ctrl-C or with more numbers or repeats, fits only what is not there. It needs a
        `random_state` that is an int.
    as_frame : bool, default=False
        Whether the result has the table as a DataFrame of pandas, too.
    n_jobs : int, default=None
        Number of fits at the same time, in processes of joblib. It has no effect on
        the result, save on seconds. None is 1, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the folds and of the fits. Pass an int for reproducible results.
    verbose : bool, default=False
        Whether to print a line for each fit.

    Returns
    -------
    Bunch
        A dict with attributes:

        - n_components : ndarray of shape (n_values,), the numbers in ascending order.
        - mean : dict of ndarray of shape (n_values,), the mean of each measure over
          folds and seeds.
        - standard_error : dict of ndarray of shape (n_values,), the standard error of
          that mean over folds.
        - fits : dict of ndarray of shape (n_values, n_folds, n_repeats), each measure
          of each fit; for "stability" the last axis has length 1.
        - recommended : dict with "score" and "stability", as far as they are measured.
          Each has n_components and reason, see Notes.
        - agreed : int or None, the number that all of `recommended` name; None where
          they disagree.
        - frame : DataFrame with one row for each number, if `as_frame` is True.

    Raises
    ------
    ImportError
        If as_frame is True and pandas is not installed.
    TypeError
        If the estimator is no topic model with `n_components`, or needs labels.
    ValueError
        If X has empty documents or negative values, or a parameter is out of its range.

    See Also
    --------
    TopicNumberDisplay : Plot the curve.
    sklda.inspection.TopicFlowDisplay : Plot how topics split from number to number.

    Notes
    -----
    "score" recommends the smallest number whose score is within one standard error of
    the best. Folds differ in how hard they are, in the same way for all numbers, so the
    error is that of the difference to the best, fold by fold.

    "stability" recommends the most stable of the numbers that are more stable than the
    number before, by more than one standard error of the difference, fold by fold: it
    falls from there. If there is none, it is the smallest number, and says little. A
    few general topics can be stable on any documents, and so can many empty ones.

    Where the two disagree, prediction asks for other topics than those that are found
    again, and what the topics are for must decide. The other measures have no rule:
    exclusivity and diversity fall, and coherence may rise or fall, with any number.

    Seconds include the time to compile kernels, where Numba's cache does not hold them.

    Cost: ``n_values * n_folds * n_repeats`` fits; `memory` keeps the topics of each.

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
    >>> curve.recommended["score"]["n_components"]
    5
    """
    template = check_template(estimator)
    used = check_measures(measures, n_repeats, texts, feature_names)
    documents = check_documents(X, n_words, texts, feature_names)
    design = check_design(
        template, documents.X, param_range, cv, n_repeats, random_state
    )
    fits = measure_all(
        template,
        documents,
        design,
        used,
        memory=check_memory(memory, random_state),
        n_jobs=n_jobs,
        report=print_line if verbose else ignore,
    )
    return summarise(design.n_components, fits, as_frame)


def summarise(n_components: list[int], fits: Bunch, as_frame: bool) -> Bunch:
    """Return the means, their errors and what follows from the measures of all fits."""
    means = {name: fold_means(values) for name, values in fits.items()}
    curve = Bunch(
        n_components=np.array(n_components),
        mean=Bunch(**{name: of.mean(axis=1) for name, of in means.items()}),
        standard_error=Bunch(
            **{name: standard_error(of) for name, of in means.items()}
        ),
        fits=fits,
        recommended=Bunch(
            **{n: rule(n_components, fits[n]) for n, rule in RULES.items() if n in fits}
        ),
    )
    numbers = {one.n_components for one in curve.recommended.values()}
    curve.agreed = numbers.pop() if len(numbers) == 1 else None
    if as_frame:
        curve.frame = _frame(curve)
    return curve


def _frame(curve: Bunch) -> Any:
    """Return a table with a row for each number of topics."""
    import pandas

    columns = {}
    for name, mean in curve.mean.items():
        columns[f"mean_{name}"] = mean
        columns[f"se_{name}"] = curve.standard_error[name]
    index = pandas.Index(curve.n_components, name="n_components")
    return pandas.DataFrame(columns, index=index)


def print_line(line: str) -> None:
    """Print progress, at once even into a file."""
    print(line, flush=True)


def ignore(_: str) -> None:
    """Show no progress."""
