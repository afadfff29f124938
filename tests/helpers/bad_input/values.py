"""Values that a parameter must refuse or take, by the kind of parameter.

Each function returns a `Spec` for one kind: the bad values with words of the message,
and the valid values at the bounds, in groups of equal meaning.
"""

import math
import os
import re
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from sklda._data.sklearn_private import HasMethods, Interval, StrOptions

WRONG = (ValueError, TypeError)  # as scikit-learn's InvalidParameterError is
NAME = "{name}"  # stands for the name of the parameter


class Bad(NamedTuple):
    """A value, and the error for it: its type, and a regular expression."""

    value: Any
    words: str = NAME
    error: type[Exception] | tuple[type[Exception], ...] = WRONG


class Spec(NamedTuple):
    """Values that are refused, and groups of valid ones that mean the same."""

    bad: list[Bad]
    good: list[list[Any]]

    def __add__(self, other):
        return Spec(self.bad + other.bad, self.good + other.good)


class Door(NamedTuple):
    """Something to call: with `sound` it works, and `specs` say what else is tried."""

    call: Callable[..., Any]
    sound: dict[str, Any]
    specs: dict[str, Spec]


def refused(*values: Any, words: str = NAME, error=WRONG) -> Spec:
    """Return a Spec of bad values."""
    return Spec([Bad(value, words, error) for value in values], [])


def rows(*bad: tuple, error=ValueError) -> Spec:
    """Return a Spec of pairs of a bad value and words of the message."""
    return Spec([Bad(value, f"{NAME}.*{words}", error) for value, words in bad], [])


def accepted(*values: Any) -> Spec:
    """Return a Spec of valid values, each with a meaning of its own."""
    return Spec([], [[value] for value in values])


def only_bad(spec: Spec) -> Spec:
    """Leave the valid values out."""
    return Spec(spec.bad, [])


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


def number_in(interval: Interval) -> Any:
    """Return a number in an interval, not at its ends."""
    low, high = interval.left, interval.right
    if low is None or high is None:
        return high - 1 if low is None else low + 1
    return (low + high) // 2 if interval.type is Integral else (low + high) / 2


NO_NUMBERS = ["3", {3}, [[3]], 3j, object(), True, np.True_, math.nan]
NO_NUMBERS += [np.float32("nan")]
NO_INTEGERS = [math.inf, 2.5, 3.0, np.float32(3), np.float64(3)]
NO_FLOATS = [math.inf, -math.inf, np.float32("inf"), 10**400, -(10**400)]


def numbers(intervals: list[Interval], typical: Any, words: str, most: int) -> Spec:
    """Return the Spec of a number in one of several intervals.

    Bounds of integers above `most` are too large to be tried.
    """
    whole = intervals[0].type is Integral
    beyond = [number for interval in intervals for number in outside(interval)]
    beyond = [n for n in beyond if not any(n in interval for interval in intervals)]
    bad = NO_NUMBERS + (NO_INTEGERS if whole else NO_FLOATS) + beyond
    bounds = [
        bound
        for interval in intervals
        for bound in (interval.left, interval.right)
        if bound is not None and bound in interval and not (whole and bound > most)
    ]
    good = dict.fromkeys([typical, *(b if whole else float(b) for b in bounds)])
    return refused(*bad, words=words) + Spec([], [[n, *as_numpy(n)] for n in good])


def at_most(high: int) -> Spec:
    """Return the Spec of the number of things of which there are `high`."""
    more, words = high + 1, f"{NAME}=.* exceeds .*{high}"
    return refused(more, *as_numpy(more), words=words) + accepted(high)


def choice(*options: str) -> Spec:
    """Return the Spec of one of several strings; the message must list them all."""
    words = NAME + "".join(f"(?=.*{option})" for option in options)
    typos = [f"{option}x" for option in options] + [options[0][:-1], options[0].title()]
    bad = refused(*typos, "", 5, set(options), [options[0]], object(), words=words)
    return bad + accepted(*options)


# scikit-learn's check of seeds does not know the name of the parameter.
SEEDS = refused(
    *("now", -1, 1.5, 2**32, {3}, np.random.default_rng(0)), words="(?i){name}|seed"
) + Spec([], [[3, *as_numpy(3)], [2**32 - 1, np.uint64(2**32 - 1)]])


def derived(constraints: list[Any], typical: Any, most: int = 2**31) -> Spec:
    """Derive the Spec of a parameter from its constraints."""
    intervals = [c for c in constraints if isinstance(c, Interval)]
    if intervals and typical is None:
        typical = number_in(intervals[0])
    options = [c.options for c in constraints if isinstance(c, StrOptions)]
    known = len(intervals) + len(options)
    spec = Spec([], [])
    if intervals:
        ranges = "".join(rf"(?=.*{re.escape(str(i))})" for i in intervals)
        spec += numbers(intervals, typical, f"'{NAME}' parameter{ranges}", most)
    if options:
        spec += choice(*sorted(options[0]))
    if None in constraints:
        known += 1
        spec += accepted(None)
    elif known:
        spec += refused(None)
    if "random_state" in constraints:
        known += 1
        spec += SEEDS
    if "verbose" in constraints:
        known += 1
        spec += refused(-1, 1.5, "yes", {3}, None) + accepted(False, 0)
    if "boolean" in constraints:
        known += 1
        spec += refused(None, 2, "yes", {True}, words=f"'{NAME}' parameter.*bool")
        spec += Spec([], [[True, np.True_], [False, np.False_]])
    if str in constraints:
        known += 1
        spec += refused(5, True, {3}, ["a"], object(), words=f"'{NAME}' parameter")
    if dict in constraints:
        known += 1
        spec += refused(5, "yes", True, {3}, [("a", 1)], object(), words=NAME)
    if os.PathLike in constraints:
        known += 1
        spec += path(optional=None in constraints)
    known += sum(isinstance(c, HasMethods) for c in constraints)
    if "array-like" in constraints:
        known += 1
        bad = [b for b in spec.bad if not isinstance(b.value, list | set)]
        spec = Spec(bad, spec.good)
    assert known == len(constraints), f"no rows follow from {constraints}"
    return spec


# --- arrays ----------------------------------------------------------------------


def counts(n_docs: int, n_words: int, *, whole: bool, fitted: bool) -> Spec:
    """Return the Spec of counts of `n_words` words, or of other non-negative weights.

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
    return Spec(bad, [[form(sound) for form in FORMS]])


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
    yield Bad(np.array([["two"] * n_words], object), "could not convert|numeric")
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


def weights(n_rows: int, n_words: int) -> Spec:
    """Return the Spec of a matrix of finite numbers, as `check_matrix` checks it."""
    sound = np.arange(n_rows * n_words).reshape(n_rows, n_words) / 7
    spec = refused(*(bad.value for bad in wrong_matrices(n_words)))
    for value, words in ((math.nan, "NaN"), (math.inf, "infinity")):
        X = sound.copy()
        X[0, 1] = value
        spec += refused(X, words=f"{NAME}.*{words}")
    return spec + Spec([], [[sound, sound.tolist()]])


def names(n: int, counted: str) -> Spec:
    """Return the Spec of names of n things, in their order."""
    sound = [f"name {i}" for i in range(n)]
    keys = dict.fromkeys(sound)
    ordered_or_not = [set(sound), frozenset(sound), keys, keys.keys(), iter(sound)]
    spec = Spec([], [])
    for value in (*ordered_or_not, "x" * n, b"x" * n, 5, object(), CountVectorizer()):
        words = f"{NAME} must list .* got an? {type(value).__name__}. Pass"
        spec += refused(value, words=words, error=TypeError)
    spec += refused(np.array([sound, sound]).T, words=f"{NAME}.*2-dimensional")
    spec += rows((sound[1:], f"{n - 1} names.*{n} {counted}"), ([], "0 names"))
    same = [sound, tuple(sound), np.array(sound), np.array(sound, object)]
    return spec + Spec([], [same, [None]])


def indices(n: int) -> Spec:
    """Return the Spec of indices below n; None means all, or some default."""
    spec = rows(*((value, f"between 0 and {n - 1}") for value in ([n], [-1])))
    no_list = ([], [0.5], [math.nan], [[0]], [[0], [0, 1]], [True], ["a"], "a", 1, {1})
    spec += rows(*((value, "list of integers") for value in no_list))
    same = [[1, n - 1], (1, n - 1), np.array([1, n - 1], np.uint8)]
    return spec + Spec([], [[*same, np.array([1, n - 1], np.uint64)]])


def numbers_per_item(n: int, *, low: float, high: float) -> Spec:
    """Return the Spec of one number, or of an array of n; whole numbers if `low` is."""
    whole = isinstance(low, int)
    items = [math.nan, math.inf, -math.inf, -1, "auto", 1j, 2 * high, 10**400]
    items += [high + 1, 2**63, 2.5] if whole else [0, low / 2]
    bad = refused(True, [], {1}, *items, *([1] * (n - 1) + [item] for item in items))
    wrong_shapes = [1] * (n + 1), [1] * (n - 1), [[1] * n], [1, [1]]
    bad += refused(*wrong_shapes, words=f"{NAME} must be one .* or an array")
    many = np.arange(1, n + 1)
    good = [[1, *as_numpy(1)], [many, many.tolist(), many.astype(np.int8)]]
    good += [[0], [[0] * n]] if whole else [[low], [high], [0.5, *as_numpy(0.5)]]
    return bad + Spec([], good)


def path(*, optional: bool = False) -> Spec:
    """Return the Spec of the path of a file. An int would name an open one."""
    bad = [0, 10**6, True, 2.5, b"a", [], {"a"}] + ([] if optional else [None])
    words = rf"'{NAME}' parameter .*'str'.*PathLike.*Got"
    spec = refused(*bad, words=words, error=TypeError)
    spec += refused("absent.txt", words="absent.txt", error=FileNotFoundError)
    return spec + accepted(None) if optional else spec
