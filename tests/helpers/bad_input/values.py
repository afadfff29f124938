"""Values that a parameter must refuse, by the kind of parameter.

Each function returns the bad values of one kind, with words of the message.
"""

import math
import re
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from sklda._data.sklearn_private import HasMethods, Interval, StrOptions

WRONG = (ValueError, TypeError)  # as scikit-learn's InvalidParameterError is
NAME = "{name}"  # stands for the name of the parameter


class Bad(NamedTuple):
    """A value, and the error for it: its type, and a regular expression."""

    value: Any
    words: str = NAME
    error: type[Exception] | tuple[type[Exception], ...] = WRONG


class Door(NamedTuple):
    """Something to call: with `sound` it works, and `bad` says what else is tried."""

    call: Callable[..., Any]
    sound: dict[str, Any]
    bad: dict[str, list[Bad]]


def refused(*values: Any, words: str = NAME, error=WRONG) -> list[Bad]:
    """Return bad values with the same message."""
    return [Bad(value, words, error) for value in values]


def rows(*bad: tuple, error=ValueError) -> list[Bad]:
    """Return bad values from pairs of a value and words of the message."""
    return [Bad(value, f"{NAME}.*{words}", error) for value, words in bad]


# --- numbers and choices ---------------------------------------------------------


def as_numpy(value: Any) -> list[Any]:
    """Return a number as each NumPy scalar that holds it exactly."""
    kinds = [np.float32, np.float64]
    if isinstance(value, Integral):
        kinds = [np.int8, np.int64, np.uint64]
    elif math.isfinite(value) and value == int(value):
        kinds += [np.int8, np.uint64]
    limits = {kind: np.iinfo(kind) for kind in kinds if issubclass(kind, np.integer)}
    fits = [
        kind
        for kind in kinds
        if (kind in limits and limits[kind].min <= value <= limits[kind].max)
        or (kind not in limits and float(kind(value)) == value)
    ]
    return [kind(value) for kind in fits]


def outside(interval: Interval) -> Iterable[Any]:
    """Yield the numbers just beyond the bounds of an interval, and farther out."""
    for bound, step in ((interval.left, -1), (interval.right, 1)):
        if bound is None:
            continue
        nearest = bound + step
        if interval.type is Real:
            nearest = math.nextafter(bound, step * math.inf)
        # An open bound is itself the nearest number outside.
        for number in (nearest if bound in interval else bound, bound + step):
            yield from (number, *as_numpy(number))


NOT_NUMBERS = ["3", {3}, [[3]], 3j, object(), True, np.True_, math.nan]
NOT_NUMBERS += [np.float32("nan")]
NOT_INTEGERS = [math.inf, 2.5, 3.0, np.float32(3), np.float64(3)]
NOT_FLOATS = [math.inf, -math.inf, np.float32("inf"), 10**400, -(10**400)]


def numbers(intervals: list[Interval], words: str) -> list[Bad]:
    """Return bad values of a number in one of several intervals."""
    whole = intervals[0].type is Integral
    beyond = [number for interval in intervals for number in outside(interval)]
    beyond = [n for n in beyond if not any(n in interval for interval in intervals)]
    bad = NOT_NUMBERS + (NOT_INTEGERS if whole else NOT_FLOATS) + beyond
    return refused(*bad, words=words)


def at_most(high: int) -> list[Bad]:
    """Return bad numbers of things of which there are `high`."""
    words = f"{NAME}=.* exceeds .*{high}"
    return refused(high + 1, *as_numpy(high + 1), words=words)


def choice(*options: str) -> list[Bad]:
    """Return bad values of one of several strings; the message must list them all."""
    words = NAME + "".join(f"(?=.*{option})" for option in options)
    typos = [f"{option}x" for option in options] + [options[0][:-1], options[0].title()]
    return refused(*typos, "", 5, set(options), [options[0]], object(), words=words)


# scikit-learn's check of seeds does not know the name of the parameter.
SEEDS = refused(
    *("now", -1, 1.5, 2**32, {3}, np.random.default_rng(0)), words="(?i){name}|seed"
)
OF_KIND = {  # bad values of constraints that are not ranges or choices
    None: [],
    "random_state": SEEDS,
    "verbose": refused(-1, 1.5, "yes", {3}, None),
    "boolean": refused(None, 2, "yes", {True}, words=f"'{NAME}' parameter.*bool"),
    str: refused(5, True, {3}, ["a"], object(), words=f"'{NAME}' parameter"),
    dict: refused(5, "yes", True, {3}, [("a", 1)], object()),
}


def derived(constraints: list[Any]) -> list[Bad]:
    """Derive the bad values of a parameter from its constraints."""
    intervals = [c for c in constraints if isinstance(c, Interval)]
    options = [c.options for c in constraints if isinstance(c, StrOptions)]
    bad = []
    if intervals:
        ranges = "".join(rf"(?=.*{re.escape(str(i))})" for i in intervals)
        bad += numbers(intervals, f"'{NAME}' parameter{ranges}")
    if options:
        bad += choice(*sorted(options[0]))
    if bad and None not in constraints:
        bad += refused(None)
    others = [c for c in constraints if not isinstance(c, Interval | StrOptions)]
    for constraint in others:
        if constraint == "array-like":
            bad = [b for b in bad if not isinstance(b.value, list | set)]
        elif not isinstance(constraint, HasMethods):
            bad += OF_KIND.get(constraint, [])
    return bad


# --- arrays ----------------------------------------------------------------------


def counts(n_docs: int, n_words: int, *, whole: bool, fitted: bool) -> list[Bad]:
    """Return what is refused as counts, or as other non-negative weights.

    With `whole` fractions are refused, with `fitted` any other number of words.
    """
    sound = np.arange(n_docs * n_words).reshape(n_docs, n_words) % 9
    bad = [*wrong_matrices(n_words), *not_counted(), *out_of_range(sound)]
    words = "no documents|read only once|must be one matrix of counts here"
    bad.append(Bad((X for X in ()), words))
    if whole:
        words = "whole numbers.*tf-idf.*CountVectorizer.*CVBLDA.*real weights"
        bad += [Bad(form(sound * 0.5), words) for form in FORMS]
    if fitted:
        words = f"features.*expecting {n_words}.*vectorizer.transform"
        bad += [Bad(form(sound[:, 1:]), words) for form in FORMS]
    return bad


FORMS = (np.asarray, sparse.csr_array, sparse.csc_matrix, sparse.coo_array)


def wrong_matrices(n_words: int) -> Iterable[Bad]:
    """Yield what has the wrong shape or dtype."""
    row = list(range(n_words))
    yield from (Bad(X, "2D") for X in (row, np.array(row), [], np.array(3), [None]))
    for X in (3, None, {*row}, dict.fromkeys(row), object(), len):
        kind = type(X).__name__
        yield Bad(X, f"must be a matrix of counts.*of type {kind}: pass an array")
    huge = [[10**400, *row[1:]]]
    yield from (Bad(X, "too large") for X in (huge, np.array(huge, object)))
    yield Bad(np.ones((2, 2, n_words)), "dim 3|3D")
    yield Bad(np.empty((0, n_words)), "0 sample")
    yield Bad(np.empty((2, 0)), "0 feature")
    yield Bad(np.array([row]) + 0j, "Complex")
    yield Bad(np.full((1, n_words), "two " * 999), "could not convert.{,600}$|numeric")
    yield Bad([row, row[1:]], "inhomogeneous|sequence")
    yield Bad(np.ma.masked_less([row], 1), "masked.*filled")
    broken = sparse.csr_array(([1], [n_words], [0, 1]), shape=(1, n_words))
    yield Bad(broken, "not a valid sparse")


def not_counted() -> Iterable[Bad]:
    """Yield texts in the forms in which they come; the message says how to count."""
    texts = ["", "all the words of a document", "and those of another"]
    counter = "matrix of counts.*CountVectorizer"
    for X in (texts, np.array(texts, object)):
        yield Bad(X, f"{counter}.*fit_transform\\(texts\\)")
    yield Bad([text.split() for text in texts], f"{counter}.*analyzer=list")
    yield Bad("a word " * 999, "', which is not a folder|{name} must be one matrix")


def out_of_range(sound: np.ndarray) -> Iterable[Bad]:
    """Yield matrices with one value that is not a count, in each form."""
    negative = "Negative values.*number of times.*CountVectorizer"
    for value, dtype, words in (
        (math.nan, np.float64, "NaN"),
        (-math.inf, np.float32, "infinity"),
        (-1, np.int8, negative),
        (1e300, np.float64, "limit of"),
    ):
        X = sound.astype(dtype)
        X[1, 2] = value
        yield from (Bad(form(X), words) for form in FORMS)


def weights(n_rows: int, n_words: int) -> list[Bad]:
    """Return what is refused as a matrix of finite numbers by `check_matrix`."""
    bad = refused(*(bad.value for bad in wrong_matrices(n_words)))
    for value, words in ((math.nan, "NaN"), (math.inf, "infinity")):
        X = np.ones((n_rows, n_words))
        X[0, 1] = value
        bad += refused(X, words=f"{NAME}.*{words}")
    return bad


def names(n: int, counted: str) -> list[Bad]:
    """Return what is refused as names of n things, in their order."""
    sound = [f"name {i}" for i in range(n)]
    bad = []
    for value in ({*sound}, dict.fromkeys(sound), iter(sound), "x" * n, 5, object()):
        words = f"{NAME} must list .* got an? {type(value).__name__}. Pass"
        bad += refused(value, words=words, error=TypeError)
    bad += refused(np.array([sound, sound]).T, words=f"{NAME}.*2-dimensional")
    return bad + rows((sound[1:], f"has {n - 1} .*{n} {counted}"), ([], "has 0 "))


def indices(n: int) -> list[Bad]:
    """Return what is refused as indices below n."""
    bad = rows(*((value, f"between 0 and {n - 1}") for value in ([n], [-1])))
    wrong = ([], [0.5], [math.nan], [[0]], [[0], [0, 1]], [True], ["a"], "a", 1, {1})
    return bad + rows(*((value, "list of integers") for value in wrong))


def numbers_per_item(n: int, *, low: float, high: float) -> list[Bad]:
    """Return bad values of one number or n; of whole numbers if `low` is one."""
    items = [math.nan, math.inf, -1, "auto", 1j, 2 * high, 10**400]
    items += [high + 1, 2**63, 2.5] if isinstance(low, int) else [0, low / 2]
    bad = refused(True, [], {1}, *items, *([1] * (n - 1) + [item] for item in items))
    wrong_shapes = [1] * (n + 1), [1] * (n - 1), [[1] * n], [1, [1]]
    return bad + refused(*wrong_shapes, words=f"{NAME} must be one .* or an array")
