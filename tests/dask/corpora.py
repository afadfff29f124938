"""A small corpus, in everything that `sklda.dask` takes."""

import dask.array as da
import numpy as np
import pytest
from dask import delayed
from scipy import sparse

from sklda.dask import CollapsedGibbsLDA, PartiallyCollapsedGibbsLDA
from sklda.datasets import make_lda_corpus

X = sparse.csr_array(make_lda_corpus(60, 30, 4, document_length=40, random_state=0)[0])
PARAMS = {"n_components": 4, "max_iter": 12, "burn_in": 5, "thin": 3, "random_state": 0}


def delayed_blocks(sizes=(7, 23, 30), X=X):
    """Return the documents in delayed blocks of so many."""
    ends = np.cumsum(sizes)
    pairs = zip(ends, sizes, strict=True)
    return [delayed(X[end - size : end]) for end, size in pairs]


def as_array(rows=(7, 23, 30)):
    """Return a dask array of CSR blocks; NaN means an unknown number of rows."""
    meta = sparse.csr_array((0, 0), dtype=X.dtype)
    pairs = zip(delayed_blocks(), rows, strict=True)
    return da.concatenate(
        [da.from_delayed(part, (n, X.shape[1]), meta=meta) for part, n in pairs]
    )


INPUTS = {
    "delayed": delayed_blocks,
    "array of sparse blocks": as_array,
    "array of unknown chunks": lambda: as_array([np.nan] * 3),
    "array of dense blocks": lambda: da.from_array(X.toarray(), chunks=(25, -1)),
    "array with its columns joined": lambda: da.from_array(
        X.toarray(), chunks=(25, 11)
    ).rechunk({1: -1}),
}


MODELS = {
    "partially collapsed": (PartiallyCollapsedGibbsLDA, {"n_partitions": 3}),
    "registers": (CollapsedGibbsLDA, {"n_shards": 3}),
    "lists": (CollapsedGibbsLDA, {"n_shards": 3, "n_components": 57}),
}


def make(name="partially collapsed", **params):
    cls, options = MODELS[name]
    return cls(**{**PARAMS, **options, **params})


def fit_local(model, X=X):
    """Fit an estimator on one machine that does what the class on Dask does."""
    return model._make_local().fit(X)


OF_ARRAYS = ["components_", "doc_topic_", "topic_assignments_", "doc_topic_prior_"]
PRIORS = {"learn_priors": "asymmetric", "max_iter": 25, "burn_in": 20}
WITH_PRIORS = pytest.mark.filterwarnings(
    "ignore:The priors were learned:sklearn.exceptions.ConvergenceWarning"
)
SAMPLED = {"learn_priors": "hierarchical"}
ALL_SAMPLED = {**SAMPLED, "hyperpriors": {"topic_word_prior": (1, 5)}}


def assert_same_as_local(model, local):
    for name in OF_ARRAYS:
        found, expected = getattr(model, name), getattr(local, name)
        np.testing.assert_array_equal(np.asarray(found), expected, err_msg=name)
    assert model.topic_word_prior_ == local.topic_word_prior_
    assert model.n_iter_ == local.n_iter_
    np.testing.assert_array_equal(model.log_joint_iter_, local.log_joint_iter_)
    np.testing.assert_equal(model.prior_trace_, local.prior_trace_)
    np.testing.assert_equal(model.topic_weights_, local.topic_weights_)
    np.testing.assert_equal(model.n_topics_, local.n_topics_)
    # A sum of many numbers, in another order.
    np.testing.assert_allclose(model.log_joint_, local.log_joint_, rtol=1e-12)


def assert_fits_as_local(model, documents=None, X=X, **ways):
    documents = delayed_blocks() if documents is None else documents
    assert_same_as_local(model.fit(documents, **ways), fit_local(model, X))
