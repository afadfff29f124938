"""Checks of y, and the targets that it becomes."""

import sys
from numbers import Real
from textwrap import shorten

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array

from sklda._core.checks import check_structure
from sklda._core.problem import MAX_32_BITS, Corpus
from sklda._core.sums import pairwise_sum

# Of C times the largest target: its square times `variates.HIGHEST_XI`, the largest
# exponent in kernels, is far from the limit of float32. Standardised numbers do not
# exceed the square root of the number of documents.
HIGHEST_STEEPNESS = 1e10


def check_labels(y):
    """Return labels of documents, or an indicator matrix of 0 and 1, also for -1 and 1.

    Raises
    ------
    ValueError
        If y is neither.
    """
    y = check_structure(y, "y")
    try:
        y = y.tocsr() if issparse(y) else np.asarray(y)
        assert_all_finite(y, input_name="y")
        kind = type_of_target(y)
        problem = f"Unknown label type: {kind}."
    except (TypeError, ValueError) as error:  # which may print all of y
        kind, problem = "", shorten(str(error), 200)
    if kind == "multilabel-indicator":
        if np.isin(y.data if issparse(y) else y, (0, 1)).all():
            return y
        if not issparse(y) and np.isin(y, (-1, 1)).all():
            return (y > 0).astype(np.int64)
        problem = f"its {y.shape[1]} columns have other values."
    elif kind in ("binary", "multiclass", "continuous"):
        return y
    raise ValueError(
        "y must have a label for each document, or be an indicator matrix of 0 and 1. "
        "For lists of labels, pass "
        "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y). Problem: "
        f"{problem}"
    )


def class_targets(
    documents, y, name, class_weight=None
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the classes, the targets, and whether y is multi-label.

    Targets are the weights of the classes of the documents, negative for documents that
    do not have the label of a task.
    """
    _check_length(documents, y, name)
    y = check_labels(y)
    check_classification_targets(y)
    if type_of_target(y) != "multilabel-indicator":
        y = column_or_1d(y, warn=True)
    binarizer = LabelBinarizer()
    targets = 2.0 * binarizer.fit_transform(y) - 1
    multilabel = binarizer.y_type_ == "multilabel-indicator"
    if len(binarizer.classes_) < 2 and not multilabel:
        raise ValueError(
            f"y contains only one class, {binarizer.classes_[0]}. {name} needs "
            "documents of at least 2 classes."
        )
    if class_weight is not None:
        _check_class_weight(class_weight)
        if multilabel:
            targets = _weigh_labels(targets, binarizer.classes_, class_weight)
        else:
            targets *= compute_sample_weight(class_weight, y)[:, np.newaxis]
    return binarizer.classes_, targets, multilabel


def _weigh_labels(targets, classes, class_weight) -> np.ndarray:
    """Return targets with weights for each column of an indicator matrix alone."""
    n_docs, n_with = len(targets), (targets > 0).sum(axis=0)
    if class_weight == "balanced":  # columns with one value keep their targets
        both = np.minimum(n_with, n_docs - n_with) > 0
        weights = np.where(both, n_docs / (2 * np.maximum(n_with, 1)), 1)
        others = np.where(both, n_docs / (2 * np.maximum(n_docs - n_with, 1)), 1)
    else:
        unknown = set(class_weight) - set(classes.tolist())
        if unknown:
            raise ValueError(
                f"class_weight has weights for {sorted(map(str, unknown))}, but the "
                f"labels are the columns of y, 0 to {len(classes) - 1}."
            )
        weights = np.array([class_weight.get(k, 1.0) for k in classes.tolist()], float)
        others = np.ones(len(classes))
    return np.where(targets > 0, weights, -others)


def _check_class_weight(class_weight) -> None:
    """Raise ValueError unless a dict has finite weights above 0."""
    weights = [] if class_weight == "balanced" else class_weight.values()
    for weight in weights:
        if not isinstance(weight, Real) or not 0 < weight <= sys.float_info.max:
            raise ValueError(
                f"class_weight must contain finite weights above 0, got {weight!r}. "
                "Remove documents that should not count."
            )


def number_targets(documents, y, name) -> np.ndarray:
    """Return y as finite floats, (n_documents,)."""
    _check_length(documents, y, name)
    y = check_structure(y, "y")
    try:
        y = column_or_1d(y, warn=True)
        return check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(
            "y must have a finite number for each document. For labels, use "
            "MedLDAClassifier; for several columns, "
            f"sklearn.multioutput.MultiOutputRegressor. Problem: {error}"
        ) from error


def standardised(y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Return y in standard deviations from its mean; the mean, the standard deviation.

    A constant becomes 0 and has the standard deviation 0. No finite y overflows, and
    units that are powers of two change no bit.
    """
    exponent = np.frexp(abs(y).max())[1]
    scaled = np.ldexp(y, -exponent)
    first = scaled[0]
    deviations = scaled - first  # exact where y is nearly constant
    mean = pairwise_sum(deviations) / deviations.size
    deviations -= mean
    scale = np.sqrt(pairwise_sum(deviations**2) / deviations.size)
    targets = deviations / (scale or 1.0)
    return targets, *(float(np.ldexp(x, exponent)) for x in (first + mean, scale))


def check_size(corpus: Corpus) -> None:
    """Raise ValueError if kernels, which number tokens in 32 bits, cannot take X."""
    n_tokens = corpus.token_ptr[-1]
    if n_tokens > MAX_32_BITS:
        raise ValueError(
            f"X has {n_tokens:,} tokens, above the limit of {MAX_32_BITS:,} for "
            "supervised models: fit on a sample of the documents."
        )


def _check_length(documents, y, name) -> None:
    """Raise ValueError unless there is a y for each document."""
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    check_consistent_length(documents, y)


def check_class_steepness(C: float, targets: np.ndarray) -> None:
    """Raise ValueError if C times a weight of a class is too large."""
    largest = abs(targets).max(initial=0)
    if C * largest > HIGHEST_STEEPNESS:
        raise ValueError(
            f"C times the largest weight of a class must be at most "
            f"{HIGHEST_STEEPNESS:.0e}, got C={C:g} times {largest:.3g}. Use a smaller "
            f"C or smaller values of class_weight."
        )
