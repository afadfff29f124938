"""Fits on a cluster that are interrupted or refused."""

import dask.array as da
import dask.bag as db
import pytest
from dask import delayed
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning

import sklda
from sklda.dask import _corpus, _samplers
from tests.dask.conftest import SECONDS, fit_interrupted
from tests.dask.corpora import (
    X,
    assert_fits_as_local,
    delayed_blocks,
    make,
)

pytestmark = pytest.mark.usefixtures("client")


def test_interrupt_leaves_the_client_usable(client):
    model = make()
    fit_interrupted(model, 5)
    assert client.submit(sum, [1, 2]).result(timeout=SECONDS) == 3
    assert_fits_as_local(model)


def second_is(block):
    first, _, third = delayed_blocks()
    return [first, delayed(block), third]


def with_entry(name, value):
    """Return blocks, in the second of which an entry of an array is changed."""
    block = X[7:30].astype(float)
    getattr(block, name)[5] = value
    return second_is(block)


def test_threads_do_not_share_what_a_block_says(monkeypatch):
    shared, check = sklda.PartiallyCollapsedGibbsLDA(), _corpus.check_corpus

    def check_beside_thread(estimator, block, *, reset):
        corpus = check(estimator, block, reset=reset)
        shared.n_features_in_ = 20  # set by a thread that checks another block
        return corpus

    monkeypatch.setattr(_corpus, "check_corpus", check_beside_thread)
    assert _corpus.check_block(X, 0, shared).shape[1] == X.shape[1] == 30


BAD = {
    "Block 1 .*Negative": lambda: with_entry("data", -1),
    "Block 1 .* as 0.5.*HashingVectorizer": lambda: with_entry("data", 0.5),
    "Block 1 .* not a valid sparse": lambda: with_entry("indices", 10**6),
    "Block 1 of X has 20 words, but block 0 has 30": lambda: second_is(X[:, :20]),
    "Block 1 .*CountVec": lambda: second_is(["a b"]),
    "Block 1 of X: .* type None": lambda: second_is(None),
    "X has no documents": lambda: delayed_blocks([0]),
    "X is an empty list": list,
    "must have 2 dimensions": lambda: da.zeros(3),
    r"each block all words, as in X.rechunk\({1: -1}\)": lambda: da.zeros(
        (4, 4), chunks=2
    ),
}


@pytest.mark.parametrize(("message", "documents"), BAD.items(), ids=BAD)
def test_bad_X(message, documents):
    model = make()
    with pytest.raises(ValueError, match=message):
        model.fit(documents())
    assert not hasattr(model, "n_features_in_")


def test_blocks_that_are_frames_have_the_same_columns():
    frame = pytest.importorskip("pandas").DataFrame(X.toarray())
    frame = frame.rename(columns="w{}".format)
    model = make(max_iter=6).fit([delayed(frame)])
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    others = delayed(frame.iloc[:, ::-1])
    with pytest.raises(ValueError, match="names of their columns differ"):
        model.fit([delayed(frame), others])
    with pytest.raises(ValueError, match="feature names should match"):
        model.score([others])


@pytest.mark.parametrize(
    "documents", [X, [X], "X", db.from_sequence([X])], ids=lambda X: type(X).__name__
)
def test_X_that_is_not_of_dask(documents):
    with pytest.raises(TypeError, match=r"must be a Dask array.* X\.to_delayed"):
        make().fit(documents)


def test_bad_X_of_a_fitted_model():
    model = make(max_iter=6).fit(delayed_blocks())
    for block, message in ((X[:, :20], "X has 20 features"), (["a b"], ".*CountVec")):
        with pytest.raises(ValueError, match=f"Block 0 of X: {message}"):
            model.score([delayed(block)])
        with pytest.raises(ValueError, match=f"Block 0 of X: {message}"):
            model.transform([delayed(block)]).compute()
    with pytest.raises(ValueError, match=r"Block 0 of X.* of type NoneType"):
        model.transform([delayed(None)]).compute()
    with pytest.raises(TypeError, match="must be a Dask array"):
        model.transform(X)
    with pytest.raises(ValueError, match="'n_jobs' parameter"):
        model.set_params(n_jobs="2").transform(delayed_blocks())
    model.set_params(n_jobs=None)
    with pytest.warns(UndefinedMetricWarning, match="no tokens"):
        assert model.score([delayed(X[:3] * 0)]) == 0
    with pytest.raises(NotFittedError):
        make().transform(delayed_blocks())


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_partitions": 0}, "n_partitions"),
        ({"storage": 3}, "storage"),
        ({"store_every": 0}, "store_every"),
        ({"client": "tcp://x"}, "client"),
        ({"doc_topic_prior": [1, 2]}, "doc_topic_prior has shape"),
        ({"topic_word_prior": [1, 2]}, "'topic_word_prior' parameter"),
        ({"max_iter": 10**6}, r"the scheduler would have to remember .* Set storage"),
        ({"name": "lists", "max_iter": 10**6}, "10000.. sweeps of 2 partitions make"),
        ({"name": "registers", "n_shards": 0}, "n_shards"),
    ],
    ids=str,
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        make(**params).fit(delayed_blocks())


def test_too_many_partitions(monkeypatch):
    monkeypatch.setattr(_samplers, "MOST_TASKS", 100)
    with pytest.raises(ValueError, match="partitions make more than 100 tasks"):
        make(n_partitions=50).fit(delayed_blocks())
