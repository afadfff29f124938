"""Checks of y, and the targets that it becomes."""

import sys
from collections.abc import Iterator, Mapping, MappingView, Set
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array

from sklda._core.checks import check_structure
from sklda._core.problem import MAX_32_BITS, Corpus
from sklda._core.sums import pairwise_sum

# Of C times the largest target: its square times `variates.HIGHEST_XI`, the largest
# exponent in kernels, is far from the limit of float32. Standardised numbers do not
# exceed the square root of the number of documents.
HIGHEST_STEEPNESS = 1e10
_LISTS = list | tuple | set | frozenset | np.ndarray


def zero_one(y):
    """Return y as an array; an indicator matrix of -1 and 1 becomes one of 0 and 1."""
    _refuse_no_list(y)
    y = check_structure(y, "y")
    _refuse_lists_of_labels(y)
    _refuse_missing(y)
    if issparse(y):
        y = y.tocsr()
        values = y.data
    else:
        y = values = np.asarray(y)
        if y.dtype.kind in ("f", "O"):
            assert_all_finite(y, input_name="y")
    if y.ndim != 2 or y.shape[1] == 1:
        return y
    if type_of_target(y, input_name="y") == "multilabel-indicator":
        if np.isin(values, (0, 1)).all():
            return y
        if not issparse(y) and np.isin(y, (-1, 1)).all():
            return (y > 0).astype(np.int64)
    found = np.unique(np.ravel(values).astype(str))
    values = ", ".join(found[:5]) + (", ..." if found.size > 5 else "")
    raise ValueError(
        f"y has {y.shape[1]} columns, so it must be an indicator matrix of 0 and 1: 1 "
        f"if a document has the label of the column. It contains {values}."
    )


def _refuse_no_list(y) -> None:
    """Raise TypeError if y has no entries in the order of the documents."""
    if isinstance(y, Mapping):
        way = " Pass list(y.values()) if its values are in that order."
    elif isinstance(y, Iterator | MappingView):
        way = " Pass list(y)."
    elif isinstance(y, Set | str | bytes) or not _has_entries(y):
        way = ""
    else:
        return
    raise TypeError(
        f"y must be a list or an array with an entry for each document, in the order "
        f"of X, got {type(y).__name__}.{way}"
    )


def _has_entries(y) -> bool:
    """Return whether scikit-learn can count the entries of y."""
    return any(hasattr(y, name) for name in ("__len__", "shape", "__array__"))


def _items(y) -> list:
    """Return what y holds for each document, or nothing if that is plain numbers.

    Neither a matrix nor an array of numbers has lists, texts or None in it.
    """
    if issparse(y) or getattr(y, "ndim", 1) != 1 or not hasattr(y, "__iter__"):
        return []
    if isinstance(y, np.ndarray) and y.dtype.kind in "biuf":
        return []
    return list(y)


def _holds_lists(items) -> bool:
    """Return whether there are lists of labels, and no lists of equally many numbers.

    Lists of one label each are a column.
    """
    if not items or not all(isinstance(item, _LISTS) for item in items):
        return False
    lengths = {len(item) for item in items}
    texts = any(isinstance(label, str) for item in items for label in item)
    are_sets = isinstance(items[0], set | frozenset)
    return are_sets or len(lengths) > 1 or (texts and max(lengths) > 1)


def _refuse_lists_of_labels(y) -> None:
    """Raise ValueError if y holds a list of labels for each document."""
    if _holds_lists(_items(y)):
        raise ValueError(
            "y contains a list of labels for each document. Convert it to an indicator "
            "matrix: sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y)."
        )


def _refuse_missing(y) -> None:
    """Raise ValueError if a document has no label; scikit-learn prints all of y."""
    missing = [i for i, label in enumerate(_items(y)) if label is None]
    if missing:
        raise ValueError(
            f"y has no label for document {missing[0]} (it is None). Remove such "
            f"documents ({len(missing)} of {len(y)})."
        )


def class_targets(
    documents, y, name, class_weight=None
) -> tuple[np.ndarray, np.ndarray, bool]:
    """Return the classes, the targets, and whether y is multi-label.

    Targets are the weights of the classes of the documents, negative for documents that
    do not have the label of a task.
    """
    _check_length(documents, y, name)
    y = zero_one(y)
    if type_of_target(y, input_name="y", raise_unknown=True) != "multilabel-indicator":
        y = column_or_1d(y, warn=True)
    check_classification_targets(y)
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
        weigh = _weigh_labels if multilabel else _weigh_classes
        targets = weigh(targets, y, binarizer.classes_, class_weight)
    return binarizer.classes_, targets, multilabel


def _weigh_classes(targets, y, classes, class_weight) -> np.ndarray:
    """Return targets times the weight of the class of each document."""
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    return targets * weights[np.searchsorted(classes, y), np.newaxis]


def _weigh_labels(targets, y, classes, class_weight) -> np.ndarray:
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
    _refuse_no_numbers(y, name)
    y = column_or_1d(y, warn=True)
    try:
        return check_array(y, dtype=np.float64, ensure_2d=False, input_name="y")
    except OverflowError as error:  # an int that is no float
        raise ValueError(
            "y contains an integer that is too large for float64. Divide y by a number."
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


def _refuse_no_numbers(y, name) -> None:
    """Raise ValueError if y holds labels, or several numbers for each document."""
    items = _items(y)
    if _holds_lists(items) or any(_is_label(item) for item in items):
        raise ValueError(
            f"{name} predicts a number, but y contains labels. Use MedLDAClassifier; "
            "for a list of labels per document, pass it "
            "sklearn.preprocessing.MultiLabelBinarizer().fit_transform(y)."
        )
    shape = y.shape if issparse(y) else np.asarray(y).shape
    n_columns = shape[1] if len(shape) == 2 else 1
    if n_columns != 1:
        raise ValueError(
            f"{name} predicts one number for each document, but y has {n_columns} "
            "columns. sklearn.multioutput.MultiOutputRegressor fits a model for each "
            "column; MedLDAClassifier accepts label indicators."
        )


def _is_label(item) -> bool:
    """Return whether an item of y is a text that is no number."""
    if not isinstance(item, str):
        return False
    try:
        float(item)
    except ValueError:
        return True
    return False


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
        raise ValueError(
            f"{name} requires y to be passed, but the target y is None. To fit topics "
            f"without y, use CollapsedGibbsLDA."
        )
    _refuse_no_list(y)
    check_structure(y, "y")
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
