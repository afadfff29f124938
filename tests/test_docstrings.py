"""Parameters and attributes of one meaning have one description in all estimators."""

import inspect

import pytest
from sklearn.utils._testing import assert_docstring_consistency

from tests.helpers.public_names import estimators

docscrape = pytest.importorskip("numpydoc.docscrape")

MEDLDA = {"MedLDAClassifier", "MedLDARegressor"}
# Names whose meaning differs, and the classes that share each other meaning.
OTHER_MEANINGS = {
    "C": [{"MedLDARegressor"}],
    "coef_": [{"DMRLDA"}],
    "doc_topic_prior": [{"CVBLDA"}, {"DMRLDA"}, MEDLDA],
    "doc_topic_prior_": [{"CVBLDA"}, {"DMRLDA"}],
    "hyperpriors": [MEDLDA],
    "init": [{"CVBLDA"}],
    "intercept_": [{"DMRLDA"}],
    "keep_draws": [{"DMRLDA"}],
    "learn_priors": [{"CVBLDA"}],
    "log_joint_": [{"DMRLDA"}],
    "loss_": [{"MedLDARegressor"}],
    "max_iter": [{"CVBLDA"}],
    "moved_tokens_": [MEDLDA],
    "n_shards": [{"CVBLDA"}],
    "n_topics_": [{"MedLDAClassifier"}],
    "prior_precision": [{"MedLDARegressor"}],
    "prior_trace_": [{"CVBLDA"}, {"MedLDAClassifier"}],
    "topic_word_prior": [{"DMRLDA", *MEDLDA}],
    "warm_start": [{"DMRLDA"}],
}


def shared(section):
    """Return each name of a section, with classes that mean the same by it."""
    groups = {}
    for cls in estimators().values():
        for entry in docscrape.NumpyDocString(inspect.getdoc(cls))[section]:
            others = OTHER_MEANINGS.get(entry.name, [])
            meaning = [cls.__name__ in other for other in others]
            groups.setdefault((entry.name, *meaning), []).append(cls)
    return [(key[0], classes) for key, classes in groups.items() if len(classes) > 1]


@pytest.mark.parametrize(("name", "classes"), shared("Parameters"))
def test_a_parameter_is_described_alike(name, classes):
    signatures = (inspect.signature(cls).parameters for cls in classes)
    defaults = {repr(known[name].default) for known in signatures}
    types = [name] if len(defaults) > 1 else []  # which name the default, too
    assert_docstring_consistency(classes, include_params=[name], ignore_types=types)


@pytest.mark.parametrize(("name", "classes"), shared("Attributes"))
def test_an_attribute_is_described_alike(name, classes):
    # Shapes of coef_ differ, because numbers are one task.
    assert_docstring_consistency(classes, include_attrs=[name], ignore_types=["coef_"])


def test_all_estimators_are_compared():
    assert ("n_jobs", list(estimators().values())) in shared("Parameters")
