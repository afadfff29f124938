"""Columns of numbers, categories and dates, as a user passes them."""

import datetime
from decimal import Decimal

import numpy as np
import pytest

from sklda import DMRLDA
from sklda._covariates.design import CovariateDesign, as_column
from sklda.inspection import estimate_effect, topic_means
from tests.helpers.draws import draws_of

RNG = np.random.default_rng(0)
N = 24
X = RNG.poisson(2, (N, 6))
DRAWS = draws_of(RNG.poisson(3, (1, N, 3)).repeat(5, axis=0), np.ones(3))
CODE = np.arange(N) % 3


def kinds_of(levels, order=None):
    """Yield a column in every type that holds strings, with the order of its levels."""
    values = np.array(levels)[CODE]
    alphabetical = sorted(levels)
    yield "str", values, alphabetical
    yield "object", values.astype(object), alphabetical
    yield "list", values.tolist(), alphabetical
    if hasattr(np.dtypes, "StringDType"):  # not before NumPy 2
        yield "StringDType", values.astype(np.dtypes.StringDType()), alphabetical
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(values, name="region")
    yield "Series", series, alphabetical
    yield "string", series.astype("string"), alphabetical
    order = levels[::-1]
    for ordered in (False, True):
        dtype = pandas.CategoricalDtype([*order, "never"], ordered=ordered)
        yield "category", series.astype(dtype), order
        yield "Categorical", pandas.Categorical(values, dtype=dtype), order
    polars = pytest.importorskip("polars")
    series = polars.Series("region", values.tolist())
    yield "polars", series, alphabetical
    yield "polars Categorical", series.cast(polars.Categorical), alphabetical
    yield "polars Enum", series.cast(polars.Enum([*order, "never"])), order


@pytest.mark.parametrize("levels", [["007", "7", "10"], ["1e3", "nan", "-1"]])
def test_strings_of_all_types_are_categories(levels):
    for kind, values, order in kinds_of(levels):
        column = as_column(values, "x")
        assert column.levels == order, kind
        np.testing.assert_array_equal(
            np.array(order)[column.values], np.array(levels)[CODE]
        )


def test_strings_are_categories_everywhere():
    values = np.array(["007", "7", "10"])[CODE]
    effects = estimate_effect(DRAWS, values, random_state=0)
    assert effects.terms == ["intercept", "x0[10]", "x0[7]"]
    means = topic_means(DRAWS, values, random_state=0)
    assert means.groups == ["007", "10", "7"]
    assert means.n_documents.tolist() == [8, 8, 8]
    dmr, expected = (DMRLDA(3, max_iter=4, thin=1, random_state=0) for _ in range(2))
    dmr.fit(X, covariates=values)
    assert dmr.covariate_names_.tolist() == effects.terms[1:]
    dummies = np.column_stack([values == "10", values == "7"])
    expected.fit(X, covariates=dummies)
    np.testing.assert_array_equal(dmr.coef_, expected.coef_)
    np.testing.assert_array_equal(
        dmr.transform(X, covariates=values), expected.transform(X, covariates=dummies)
    )


@pytest.mark.parametrize(
    "values",
    [
        [1, 2, 10],
        [Decimal(1), Decimal(2), Decimal(10)],
        np.array([1, 2.0, np.int8(10)], dtype=object),
        np.array([1, 2, 10], dtype=">i2"),
        np.array([1, 2, 10], dtype=np.float16),
    ],
)
def test_numbers_are_numbers(values):
    column = as_column(values, "values")
    assert column.levels is None
    np.testing.assert_array_equal(column.values.astype(float), [1, 2, 10])


def test_numbers_of_nullable_types():
    pandas = pytest.importorskip("pandas")
    for dtype in ("Int64", "Float64", "UInt8", object):
        groups = pandas.Series([10, 2, 1], dtype=dtype).repeat(8)
        assert topic_means(DRAWS, groups, random_state=0).groups[:2] == ["1", "2"]
    with pytest.raises(ValueError, match=r"missing values.* row 1:"):
        as_column(pandas.Series([1, None], dtype="Int64"), "x")


def test_strings_of_dates_are_dates_once_converted():
    pandas = pytest.importorskip("pandas")
    strings = np.array(["15/12/2020", "1/2/2021", "31/12/2020"])[CODE]
    names = ["1/2/2021", "15/12/2020", "31/12/2020"]
    assert as_column(strings, "x").levels == names
    for values in (strings, pandas.Series(strings), pandas.Categorical(strings)):
        assert topic_means(DRAWS, values, random_state=0).groups == names
    dates = pandas.to_datetime(strings, dayfirst=True)
    for values in (dates, pandas.Series(dates)):
        found = topic_means(DRAWS, values, max_bins=3, random_state=0)
        assert found.groups == ["2020-12", "2021-01", "2021-02"]
        assert CovariateDesign.of(values, N)[0].names == ["x0"]


def test_dates_of_all_types_are_binned():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    days = np.datetime64("2020-12-15") + 31 * np.arange(N)[CODE].astype("m8[D]")
    stamps = pandas.Series(days.astype("M8[ns]"))
    for dates in (
        days,
        list(days),
        days.tolist(),
        days.astype(">M8[s]"),
        stamps,
        stamps.dt.tz_localize("Asia/Tokyo"),
        stamps.dt.to_period("M"),
        stamps.astype(object),
        polars.Series(days.tolist()),
        polars.Series(stamps.tolist()),
    ):
        means = topic_means(DRAWS, dates, max_bins=3, random_state=0)
        assert means.groups == ["2020-12", "2021-01", "2021-02"]
        assert means.are_dates
        _, numbers = CovariateDesign.of(dates, N)
        expected = np.array([2020 + 349 / 366, 2021 + 14 / 365, 2021 + 45 / 365])
        if str(getattr(dates, "dtype", "")).startswith("period"):  # its last day
            expected = np.array([2020 + 365 / 366, 2021 + 30 / 365, 2021 + 58 / 365])
        np.testing.assert_allclose(numbers[:, 0], expected[CODE], rtol=1e-12)


def test_bins_of_pandas_keep_their_order():
    pandas = pytest.importorskip("pandas")
    ages = pandas.cut(pandas.Series([5, 15, 100])[CODE], [0, 9, 19, 120])
    names = ["(0, 9]", "(9, 19]", "(19, 120]"]
    assert topic_means(DRAWS, ages, random_state=0).groups == names


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "a"], "only numbers, only strings.*got 1 and 'a'"),
        ([datetime.date(2020, 1, 1), "2020"], "only dates"),
        (np.array([1, 2], "m8[D]"), "only numbers.*durations to numbers"),
        (["a", None], "missing values.* 1 in all.* row 1: impute"),
        ([np.datetime64("NaT", "Y"), np.datetime64("2020")], "missing values.* row 0:"),
        ([1, np.inf], "infinity"),
        (np.array([b"a", b"b"]), "only strings.*got .*b'a'.*Convert them"),
    ],
)
def test_columns_of_mixed_or_other_kinds_are_refused(values, message):
    with pytest.raises(ValueError, match=rf"^x .*{message}"):
        as_column(values, "x")
