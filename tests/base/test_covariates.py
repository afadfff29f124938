"""Covariates in a fit and for new documents: categories, references and formulas."""

import pickle

import numpy as np
import pytest

from sklda import DMRLDA
from sklda._base.covariates import CovariateDesign
from sklda._core import extras
from sklda.inspection import estimate_effect, predicted_proportions
from tests.helpers.draws import draws_of

pandas = pytest.importorskip("pandas")

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
    if formula is not None:
        pytest.importorskip("formulaic")
    design, _ = CovariateDesign.of(COLUMNS, N, formula)
    with pytest.raises(ValueError, match=message):
        design.numbers(COLUMNS.iloc[:2].assign(**change), 2)


@pytest.mark.parametrize(
    "reference", [{"party": "ind"}, {"rating": "a"}, {"x": "left"}]
)
def test_a_reference_that_is_no_category_is_refused(reference):
    with pytest.raises(ValueError, match=r"reference must have categories.*'centre'"):
        estimate_effect(DRAWS, COLUMNS, reference=reference)


def test_the_reference_of_a_category_changes_terms_but_no_contrast():
    first = estimate_effect(DRAWS, COLUMNS, random_state=0)
    other = estimate_effect(DRAWS, COLUMNS, reference={"party": "left"}, random_state=0)
    assert first.references == {"party": "centre"}
    pairs = [("right", "left"), ("left", "centre"), ("centre", "right")]
    for pair in pairs:
        labels = [f"party[{level}]" for level in pair]
        found, expected = (x.contrast(*labels) for x in (other, first))
        for name in ("difference", "low", "high", "probability"):
            np.testing.assert_allclose(
                getattr(found, name), getattr(expected, name), rtol=1e-6, atol=1e-9
            )
    # Against the reference, a contrast is the coefficient.
    found = other.contrast("party[right]", "party[left]")
    term = other.terms.index("party[right]")
    np.testing.assert_allclose(found.difference, other.coefficient[:, term])
    np.testing.assert_allclose(found.low, other.low[:, term])
    above = np.where(found.difference > 0, found.probability, 1 - found.probability)
    np.testing.assert_allclose(1 - above, other.p_value[:, term] / 2)
    table = other.summary(term="party[right]")
    assert list(table) == [(k, "party[right]") for k in found.summary()]
    with pytest.raises(ValueError, match="There is no term 'right'"):
        other.summary(term="right")


# --- formulas ---------------------------------------------------------------------


FORMULA = "rating * C(party, Treatment('left')) + bs(day, 4)"


def test_a_formula_computes_columns_and_keeps_its_knots():
    pytest.importorskip("formulaic")
    design, numbers = CovariateDesign.of(FRAME, N, FORMULA)
    assert design.names[0] == "rating"
    assert sum(name.startswith("bs(") for name in design.names) == 4
    right = design.names.index("C(party, Treatment('left'))[T.right]")
    np.testing.assert_array_equal(numbers[:, right], PARTY == "right")
    product = design.names.index("rating:C(party, Treatment('left'))[T.right]")
    expected = FRAME["rating"] * (PARTY == "right")
    np.testing.assert_allclose(numbers[:, product], expected)
    rows = [17, 2]  # between the ends of the days
    shuffled = FRAME[["party", "rating", "empty", "day"]].iloc[rows]
    for stored in (design, pickle.loads(pickle.dumps(design))):
        np.testing.assert_allclose(stored.numbers(shuffled, 2), numbers[rows])


def test_a_formula_in_effects_and_in_dmr():
    pytest.importorskip("formulaic")
    effects = estimate_effect(DRAWS, FRAME, formula="rating + party", random_state=0)
    columns = estimate_effect(DRAWS, COLUMNS[["rating", "party"]], random_state=0)
    assert effects.terms == ["intercept", "rating", "party[T.left]", "party[T.right]"]
    np.testing.assert_allclose(effects.coefficient, columns.coefficient)
    by_formula = estimate_effect(
        DRAWS, FRAME, formula="party", reference={"party": "right"}
    )
    assert by_formula.terms[1:] == ["party[T.centre]", "party[T.left]"]

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
    found = predicted_proportions(loaded, FRAME.iloc[rows])
    expected = predicted_proportions(plain, numbers[rows])
    np.testing.assert_allclose(found.draws, expected.draws)
    with pytest.raises(
        ValueError, match=r"the columns \['rating', 'day'\], but fit had"
    ):
        predicted_proportions(dmr, FRAME[["rating", "day"]])
    later = FRAME.iloc[rows].assign(day=DAY[-1] + np.timedelta64(1000, "D"))
    with pytest.raises(ValueError, match=r"formula=.*bs\(day, 4\).* fails: .*extrapol"):
        predicted_proportions(dmr, later)


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("rating +", "fails: Operator"),
        ("y ~ rating", "fails: .*structure"),
        ("rating + age", "fails: .*`age` is not present"),
        ("0 + party", "must have an intercept"),
        ("rating + empty", r"\['empty'\] has missing values.* 30 in all"),
        ("rating + N", "fails: .*`N` is not present"),  # of this module
    ],
)
def test_wrong_formulas_are_refused(formula, message):
    pytest.importorskip("formulaic")
    with pytest.raises(ValueError, match=message):
        estimate_effect(DRAWS, FRAME, formula=formula)


def test_a_formula_needs_named_columns_and_its_extra(monkeypatch):
    with pytest.raises(ValueError, match="columns have names: pass a DataFrame"):
        estimate_effect(DRAWS, np.arange(N), formula="x0")

    def fail(name):
        if name == "formulaic":
            raise ImportError(name)
        return pandas

    monkeypatch.setattr(extras, "import_module", fail)
    with pytest.raises(
        ImportError, match=r'formulaic: pip install "sklda\[formulas\]"'
    ):
        estimate_effect(DRAWS, FRAME, formula="rating")
