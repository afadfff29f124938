"""The check suites of scikit-learn for estimators, all of them."""

import re
from unittest import SkipTest

import pytest
import sklearn
from sklearn.base import clone
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import sklda
from tests.helpers.selection import fast_and_slow

# One of each class with the fast tests, and the options that take another path through
# the code with the slow ones.
ESTIMATORS = [
    sklda.CollapsedGibbsLDA(),
    sklda.CVBLDA(),
    sklda.PartiallyCollapsedGibbsLDA(
        n_components=3, learn_priors="symmetric", n_jobs=2
    ),
    sklda.UncollapsedGibbsLDA(n_components=3, learn_priors="asymmetric", max_iter=25),
    sklda.DMRLDA(max_iter=25),
    sklda.ECGSLDA(max_iter=25),
    sklda.MedLDAClassifier(max_iter=20),
    sklda.MedLDARegressor(n_components=3, max_iter=20),
]
VARIANTS = [
    sklda.CollapsedGibbsLDA(n_components=3, blocking="nested", max_block_size=None),
    sklda.CollapsedGibbsLDA(n_components=3, n_shards=3, n_jobs=2, max_iter=25),
    sklda.CVBLDA(n_components=3, approximation="zero-order", learn_priors="symmetric"),
    sklda.ECGSLDA(n_components=3, strategy="shortcut", n_shards=3, max_iter=25),
    sklda.MedLDAClassifier(n_components=3, sampler="gibbs", learn_priors="asymmetric"),
]

# One of the private checks has more tokens than this one takes.
SMALL = sklda.CVBLDA(n_components=2, approximation="exact", max_iter=5)

# The private checks that scikit-learn runs on its own estimators, beside those of
# `parametrize_with_checks`. All of them exist in the oldest and the newest version
# that we support; a name that disappears is an error.
PRIVATE_CHECKS = """
dataframe_column_names_consistency get_feature_names_out_error
global_output_transform_pandas global_set_output_transform_polars
n_features_in n_features_in_after_fitting param_validation
set_output_transform set_output_transform_pandas
set_output_transform_polars transformer_get_feature_names_out
transformer_get_feature_names_out_pandas
""".split()

# A check may be skipped if something is not installed or not switched on, but not if an
# estimator lacks something. MedLDA has margins, which are no probabilities.
SKIPS_OF_THE_MACHINE = re.compile(
    r"(pandas|polars|array_api_strict|array-api-strict) is (not installed|required)"
    r"|SCIPY_ARRAY_API"
    r"|MedLDAClassifier does not have a predict_proba method"
)


def expected_failures(estimator):
    """Return the names of checks that cannot pass, each with its reason."""
    failures = {}
    if hasattr(estimator, "class_weight"):
        failures["check_class_weight_classifiers"] = (
            "the check passes negative X whatever the tags say"
        )
    if sklearn.__version__ == "1.7.0" and get_tags(estimator).input_tags.categorical:
        failures["check_positive_only_tag_during_fit"] = (
            "the check subtracts a float from an array of integers and stops with its "
            "own TypeError; 1.7.1 casts"
        )
    return failures


def run_check(check, *args):
    """Call a check of scikit-learn, and refuse a skip that is our own fault."""
    try:
        check(*args)
    except SkipTest as skipped:
        if not SKIPS_OF_THE_MACHINE.search(str(skipped)):
            pytest.fail(f"skipped: {skipped}")
        raise


# The checks fit random numbers, with few sweeps.
# Few documents, drawn from few topics if any.
not_converged = pytest.mark.filterwarnings(
    "ignore:After max_iter=:sklearn.exceptions.ConvergenceWarning",
    "ignore:The topic proportions of:sklearn.exceptions.ConvergenceWarning",
)


@not_converged
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_check_suite(estimator, check):
    run_check(check, estimator)


@pytest.mark.slow
@not_converged
@parametrize_with_checks([*VARIANTS, SMALL], expected_failed_checks=expected_failures)
def test_check_suite_of_variants(estimator, check):
    run_check(check, estimator)


@not_converged
# The checks of set_output fit with names and transform without, and the reverse.
@pytest.mark.filterwarnings(
    "ignore:X (has|does not have valid) feature names:UserWarning"
)
@pytest.mark.parametrize("name", PRIVATE_CHECKS)
@pytest.mark.parametrize("estimator", fast_and_slow(ESTIMATORS, VARIANTS), ids=repr)
def test_private_check(estimator, name):
    check = getattr(estimator_checks, f"check_{name}")
    run_check(check, type(estimator).__name__, clone(estimator))
