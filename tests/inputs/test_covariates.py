"""Covariates in a fit and for new documents: categories, references and formulas."""

import pickle

import numpy as np
import pytest

from sklda import DMRLDA
from sklda._covariates.design import CovariateDesign
from sklda._data import notices
from sklda.inspection import estimate_effect, predicted_proportions
from tests.helpers.draws import draws_of

pandas = pytest.importorskip("pandas")
pytest.importorskip("formulaic")

RNG = np.random.default_rng(0)
N = 30
X = RNG.poisson(2, (N, 6))
DRAWS = draws_of(RNG.poisson(3, (1, N, 3)).repeat(5, axis=0), np.ones(3))
DAY = np.datetime64("2020-01-01") + np.arange(N) * np.timedelta64(12, "D")
PARTY = np.array(["left", "right", "centre"])[np.arange(N) % 3]
FRAME = pandas.DataFrame(
    {
        "rating": RNG.normal(size=N),
        "day": DAY,
        "party": PARTY,
        "empty": [None] * N,
    }
)
COLUMNS = FRAME[["rating", "day", "party"]]


def test_new_documents_get_the_numbers_of_the_fit():
    design, numbers = CovariateDesign.of(COLUMNS, N, reference={"party": "left"})
    assert design.names == ["rating", "day", "party[centre]", "party[right]"]
    assert design.references == {"party": "left"}
    np.testing.assert_array_equal(numbers[:, 2], PARTY == "centre")
    rows = [5, 2]  # of one party
    found = design.numbers(COLUMNS.iloc[rows], 2)
    np.testing.assert_array_equal(found, numbers[rows])
    dates_as_years = COLUMNS.iloc[rows].assign(day=numbers[rows, 1])
    np.testing.assert_array_equal(design.numbers(dates_as_years, 2), found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"party": ["left", "far left"]}, r"'far left' in row 1, but fit had"),
        ({"party": [0, 1]}, r"\['party'\] must be categories, as in fit"),
        ({"rating": ["a", "b"]}, r"\['rating'\] must be numbers, as in fit, not 'a'"),
        ({"rating": [1, np.nan]}, r"\['rating'\] has missing values.* row 1"),
        ({"day": [DAY[0], None]}, r"\['day'\] has missing values.* row 1"),
    ],
)
@pytest.mark.parametrize("formula", [None, "rating + day + party"])
def test_new_documents_of_other_kinds_are_refused(change, message, formula):
    design, _ = CovariateDesign.of(COLUMNS, N, formula)
    with pytest.raises(ValueError, match=message):
        design.numbers(COLUMNS.iloc[:2].assign(**change), 2)


def test_a_reference_must_be_a_category():
    for reference in ({"party": "ind"}, {"rating": "a"}, {"x": "left"}):
        with pytest.raises(ValueError, match=r"must have categories.*'centre'"):
            estimate_effect(DRAWS, COLUMNS, reference=reference)


def test_rows_labelled_alike_in_another_order_are_refused():
    counts = pandas.DataFrame(X, index=[f"text {i}" for i in range(N)])
    covariates = COLUMNS.set_axis(counts.index)[::-1]
    dmr = DMRLDA(2, max_iter=20, random_state=0)
    with pytest.raises(ValueError, match=r"covariates\.loc\[X\.index\]"):
        dmr.fit(counts, covariates=covariates)
    by_label = dmr.fit(counts, covariates=covariates.loc[counts.index]).coef_
    np.testing.assert_array_equal(dmr.fit(counts, covariates=COLUMNS).coef_, by_label)


# --- formulas ---------------------------------------------------------------------


FORMULA = "rating * C(party, Treatment('left')) + bs(day, 4)"


def test_a_formula_computes_columns_and_keeps_its_knots():
    design, numbers = CovariateDesign.of(FRAME, N, FORMULA)
    assert design.names[0] == "rating"
    assert sum(name.startswith("bs(") for name in design.names) == 4
    right = design.names.index("C(party, Treatment('left'))[right]")
    np.testing.assert_array_equal(numbers[:, right], PARTY == "right")
    product = design.names.index("rating:C(party, Treatment('left'))[right]")
    expected = FRAME["rating"] * (PARTY == "right")
    np.testing.assert_allclose(numbers[:, product], expected)
    rows = [17, 2]  # between the ends of the days
    shuffled = FRAME[["party", "rating", "empty", "day"]].iloc[rows]
    for stored in (design, pickle.loads(pickle.dumps(design))):
        np.testing.assert_allclose(stored.numbers(shuffled, 2), numbers[rows])


def test_a_formula_in_effects_and_in_dmr():
    by_formula = estimate_effect(
        DRAWS, FRAME, formula="party", reference={"party": "right"}
    )
    by_column = estimate_effect(DRAWS, FRAME["party"], reference={"party": "right"})
    assert by_formula.terms[1:] == ["party[centre]", "party[left]"]
    assert by_formula.terms == by_column.terms
    assert by_formula.references == by_column.references == {"party": "right"}

    dmr = DMRLDA(3, max_iter=40, thin=1, burn_in=0, random_state=0, formula=FORMULA)
    dmr.fit(X, covariates=FRAME)
    design, numbers = CovariateDesign.of(FRAME, N, FORMULA)
    assert dmr.covariate_names_.tolist() == design.names
    plain = DMRLDA(3, max_iter=40, thin=1, burn_in=0, random_state=0)
    plain.fit(X, covariates=numbers)
    np.testing.assert_array_equal(dmr.coef_, plain.coef_)
    rows = [17, 2]
    loaded = pickle.loads(pickle.dumps(dmr))
    np.testing.assert_allclose(
        loaded.transform(X[rows], covariates=FRAME.iloc[rows]),
        plain.transform(X[rows], covariates=numbers[rows]),
        rtol=1e-6,
    )
    with pytest.raises(
        ValueError, match=r"the columns \['rating', 'day'\], but fit had"
    ):
        predicted_proportions(dmr, FRAME[["rating", "day"]])


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("rating +", "fails: .* joined by"),
        (".", "fails: .* names of columns"),
        ("s(day)", r"fails: .*'s' is not defined.* s\(age\) of stm is bs\(age, 10\)"),
        ("y ~ rating", "no left side"),
        ("rating + age", "fails: .*`age` is not present.*columns are .*'rating'"),
        ("0 + party", "must have an intercept"),
        ("rating + I((day + 1)^2)", r"a power is \*\*, not \^"),
        ("rating + empty", r"\['empty'\] has missing values.* 30 in all"),
        ("log(rating)", r"'log\(rating\)' must be a finite number.* nan in row"),
        ("C(party, levels=['left'])", "fails: .*outside of the nominated levels"),
    ],
)
def test_wrong_formulas_are_refused(formula, message):
    with pytest.raises(ValueError, match=message):
        estimate_effect(DRAWS, FRAME, formula=formula)


@pytest.mark.parametrize(
    "formula",
    [
        "C(rating > rating.median())",
        "np.clip(rating, None, np.max(rating))/len(rating)",
        "I(party.duplicated() + 0)",
        "{rating * party.map(party.value_counts()).astype(float)}",
    ],
)
def test_numbers_that_depend_on_other_documents_are_refused(formula):
    with pytest.raises(ValueError, match=r"depends on the other.*center\(x\)"):
        CovariateDesign.of(FRAME, N, formula)


@pytest.mark.parametrize(
    "formula",
    [
        "center(rating) + scale(day):party",
        "poly(rating, 2) + cr(day, df=3) + C(month, Treatment(2)) + I(rating > 0)",
        "`two words` + Q('two words'):rating",
        "(np.log(day) + day.round() + party.id)^2",
        "1",
    ],
)
def test_a_document_has_the_same_numbers_in_any_company(formula):
    month = 1 + np.arange(N) % 3
    frame = FRAME.assign(**{"month": month, "two words": month, "party.id": month})
    unused = {name: np.nan for name in ("4", "df", "np", "left", "words", "id", "T")}
    design, numbers = CovariateDesign.of(frame.assign(**unused), N, formula)
    used = frame[[name for name, _ in design.columns]] if formula != "1" else frame
    for row in (0, 7, N - 1):
        np.testing.assert_allclose(
            design.numbers(used.iloc[[row]], 1)[0], numbers[row], atol=1e-12
        )


@pytest.mark.parametrize(
    "term", ["C(month)", "C(month // 1, Sum)", "month.astype('O')"]
)
def test_numbers_as_categories_must_be_known(term):
    frame = FRAME.assign(month=1 + np.arange(N) % 3)
    design, numbers = CovariateDesign.of(frame, N, f"rating + {term}")
    new = frame.iloc[:4].assign(month=[1, 3, 12, 11])
    with pytest.raises(
        ValueError, match=r"fails: Data has categories .*{.*12.*}.*not these"
    ):
        design.numbers(new, 4)
    np.testing.assert_allclose(design.numbers(frame.iloc[2:4], 2), numbers[2:4])


def test_a_spline_ends_with_the_values_of_the_fit_unless_the_formula_says_more():
    later = FRAME.iloc[[0, 1]].assign(day=[DAY[-1], DAY[-1] + np.timedelta64(99, "D")])
    found = {}
    for more in ("", ", extrapolation='clip'", ", extrapolation='extend'"):
        design, numbers = CovariateDesign.of(FRAME, N, f"bs(day, df=4{more})")
        if more:
            found[more] = design.numbers(later, 2)
        else:
            with pytest.warns(UserWarning, match=r"ends of a spline.*extrapolation="):
                found[more] = design.numbers(later, 2)
    first, clipped, extended = found.values()
    np.testing.assert_array_equal(first, numbers[[-1, -1]])
    np.testing.assert_array_equal(first, clipped)
    assert abs(extended[1] - first[1]).max() > 1
    design, _ = CovariateDesign.of(FRAME, N, "bs(day, df=4, extrapolation='raise')")
    with pytest.raises(ValueError, match=r"fails: .*beyond.*but not these"):
        design.numbers(later, 2)


@pytest.mark.parametrize(("n", "n_levels"), [(N, N), (100, 21)])
def test_strings_with_many_levels_warn(n, n_levels):
    costs = [f"{i % n_levels}.5" for i in range(n)]
    with pytest.warns(UserWarning, match=rf"{n_levels} categories.*to_numeric"):
        CovariateDesign.of(pandas.DataFrame({"cost": costs}), n)
    CovariateDesign.of([f"{i % 20}" for i in range(100)], 100)


def test_a_formula_needs_named_columns_and_its_extra(monkeypatch):
    with pytest.raises(ValueError, match="columns have names: pass a DataFrame"):
        estimate_effect(DRAWS, np.arange(N), formula="x0")

    def fail(name):
        if name == "formulaic":
            raise ImportError(name)
        return pandas

    monkeypatch.setattr(notices, "import_module", fail)
    with pytest.raises(
        ImportError, match=r'formulaic: pip install "sklda\[formulas\]"'
    ):
        estimate_effect(DRAWS, FRAME, formula="rating")
