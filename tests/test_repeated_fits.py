"""Every estimator x every way to fit: the seed alone decides, neither threads nor form.

Where fits need small slices or tables to show it, the tests are with the sampler.
"""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

from sklda import (
    CVBLDA,
    DMRLDA,
    ECGSLDA,
    CollapsedGibbsLDA,
    MedLDAClassifier,
    MedLDARegressor,
)
from tests.helpers.comparison import assert_same_fit
from tests.helpers.public_names import estimators
from tests.helpers.supervised import INDICATORS, MAIN, THETA
from tests.helpers.supervised import X as LABELLED
from tests.helpers.ways_to_fit import GIBBS

X = LABELLED[:60]
CLASSES, LABELS, NUMBERS = MAIN[:60], INDICATORS[:60], THETA[:60, 0]
LEARNED = {"learn_priors": "asymmetric"}
GRID = list(product(("light", "gibbs"), (2, None), (1, 3)))  # of MedLDA

FITS = {
    name: (clone(model).set_params(**LEARNED), None) for name, model in GIBBS.items()
}
for blocking, most, learn_priors in product(
    ("nested", "backward"), (3, None), (None, "symmetric", "asymmetric")
):
    params = {"max_block_size": most, "learn_priors": learn_priors}
    model = CollapsedGibbsLDA(blocking=blocking, **params)
    FITS[f"{blocking}, {most}, {learn_priors}"] = model, None
for approximation, n_shards in product(("gaussian", "zero-order"), (1, 3)):
    model = CVBLDA(approximation=approximation, n_shards=n_shards, tol=0)
    FITS[f"{approximation}, {n_shards}"] = model, None
for sampler, n_weight_steps, n_shards in GRID:
    params = {"sampler": sampler, "n_weight_steps": n_weight_steps}
    params |= {"n_shards": n_shards, **LEARNED}
    name = f"{sampler}, {n_weight_steps}, {n_shards}"
    FITS[f"classes, {name}"] = MedLDAClassifier(**params), CLASSES
    FITS[f"labels, {name}"] = MedLDAClassifier(**params), LABELS
    FITS[f"numbers, {name}"] = MedLDARegressor(**params), NUMBERS
for sampler in ("light", "gibbs"):
    model = MedLDAClassifier(sampler=sampler, multi_class="ovr", **LEARNED)
    FITS[f"one-vs-rest, {sampler}"] = model, CLASSES
FITS |= {
    "exact": (CVBLDA(approximation="exact", tol=0), None),
    "covariates": (DMRLDA(), None),
    "covariates, shards": (DMRLDA(n_shards=3), None),
    "dynamic, shards": (ECGSLDA(n_shards=3, **LEARNED), None),
}


def test_no_estimator_is_missing():
    assert {type(model) for model, _ in FITS.values()} == set(estimators().values())


@pytest.mark.parametrize("name", FITS)
def test_the_seed_alone_decides(name):
    model, y = FITS[name]
    documents = X[:15] if name == "exact" else X
    model = clone(model).set_params(n_components=4, max_iter=22, random_state=0)

    def fit(form=np.asarray, **params):
        return clone(model).set_params(**params).fit(form(documents), y)

    first = fit()
    for n_jobs in (2, 3):
        assert_same_fit(fit(n_jobs=n_jobs), first)
    assert_same_fit(fit(np.asfortranarray), first)
    other = fit(random_state=1)
    assert abs(other.components_ - first.components_).max() > 1e-3
    if getattr(model, "learn_priors", "") is None and y is None:
        assert first.topic_word_prior_ == 1 / 4
