"""Fits on a cluster that are stored, stopped or refused."""

import json
import os

import dask.array as da
import numpy as np
import pytest
from dask import delayed
from scipy import sparse
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

import sklda
from sklda.dask import _chain, _cluster, _corpus
from tests.dask.conftest import SECONDS
from tests.dask.corpora import (
    PRIORS,
    X,
    assert_same_as_local,
    blocks,
    delayed_blocks,
    fit_local,
    make,
)

# --- storage ---------------------------------------------------------------------


class Killed(Exception):
    """The fit ends here."""


def kill():
    raise Killed


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    ("name", "where", "params"),
    [
        ("partially collapsed", "{}", {}),
        ("rows", "file://{}", {}),
        ("lists", "memory://{}", PRIORS),
    ],
)
def test_a_fit_goes_on_from_storage(name, where, params, after_sweep, tmp_path):
    storage = where.format(tmp_path)
    model = make(name, storage=storage, store_every=2, **params)
    for number in (7, 11):  # after samples were kept
        undo = after_sweep(number, kill)
        with pytest.raises(Killed):
            model.fit(delayed_blocks(), resume=True)
        undo()
        assert not hasattr(model, "components_")
    model.fit(delayed_blocks([60]), resume=True)  # other chunks, too
    assert_same_as_local(model, fit_local(model))


@pytest.mark.usefixtures("client")
def test_storage_holds_one_complete_sweep(after_sweep, tmp_path):
    model = make(storage=str(tmp_path), store_every=3)
    undo = after_sweep(8, kill)
    with pytest.raises(Killed):
        model.fit(delayed_blocks())
    undo()
    assert [path.name for path in tmp_path.iterdir()] == ["sweep-000006"]
    # A folder that was being written when everything stopped.
    half = tmp_path / "sweep-000009"
    half.mkdir()
    (half / "done.json").write_text('{"sweep": 9,')
    model.fit(delayed_blocks(), resume=True)
    assert_same_as_local(model, fit_local(model))


@pytest.mark.usefixtures("client")
def test_storage_of_another_fit_is_refused(after_sweep, tmp_path):
    params = {"storage": str(tmp_path), "store_every": 2}
    after_sweep(5, kill)
    with pytest.raises(Killed):
        make(**params).fit(delayed_blocks())
    with pytest.raises(
        ValueError, match=r"holds sweep 4 of a fit: go on .*resume=True"
    ):
        make(**params).fit(delayed_blocks())
    with pytest.raises(ValueError, match=r"n_components=4 there, 5 here"):
        make(**{**params, "n_components": 5}).fit(delayed_blocks(), resume=True)
    with pytest.raises(ValueError, match="estimator=PartiallyCollapsedGibbsLDA there"):
        make("rows", **params).fit(delayed_blocks(), resume=True)
    fewer = delayed_blocks([7, 23])
    with pytest.raises(ValueError, match="other documents: n_documents per partition"):
        make(**params).fit(fewer, resume=True)
    with pytest.raises(ValueError, match="resume=True goes on from storage, which is"):
        make().fit(delayed_blocks(), resume=True)
    with pytest.raises(ValueError, match=r"'resume' parameter of .*fit must be"):
        make(**params).fit(delayed_blocks(), resume="yes")
    with pytest.raises(ValueError, match="storage='nowhere://x' cannot be used"):
        make(storage="nowhere://x").fit(delayed_blocks())


@pytest.mark.usefixtures("client")
def test_storage_ends_what_the_scheduler_remembers(client, after_sweep, tmp_path):
    # Without it, each sweep can be computed anew from all before it.
    n_tasks = {}
    for every in (3, 1000):
        model = make(storage=str(tmp_path / str(every)), store_every=every)

        def count(every=every):
            n_tasks[every] = len(client.cluster.scheduler.tasks)

        undo = after_sweep(12, count)
        model.fit(delayed_blocks())
        undo()
    assert n_tasks[3] < n_tasks[1000] / 2


# --- Ctrl-C ----------------------------------------------------------------------


def test_interrupt_leaves_the_client_usable(client, after_sweep):
    def interrupt():
        raise KeyboardInterrupt

    model = make()
    undo = after_sweep(5, interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(delayed_blocks())
    assert not hasattr(model, "components_")
    undo()
    assert client.submit(sum, [1, 2]).result(timeout=SECONDS) == 3
    assert_same_as_local(model.fit(delayed_blocks()), fit_local(model))


# --- what is refused -------------------------------------------------------------


def bad_block(change):
    """Return blocks, of which the second is changed."""
    changed = blocks([7, 23, 30])
    changed[1] = change(changed[1].astype(float))
    return [delayed(block) for block in changed]


def with_value(value):
    def change(block):
        block = block.copy()
        block.data[5] = value
        return block

    return change


def test_threads_do_not_share_what_a_block_says(monkeypatch):
    shared, check = sklda.PartiallyCollapsedGibbsLDA(), _corpus.check_corpus

    def check_beside_another(estimator, block, *, reset):
        corpus = check(estimator, block, reset=reset)
        shared.n_features_in_ = 20  # set by a thread that checks another block
        return corpus

    monkeypatch.setattr(_corpus, "check_corpus", check_beside_another)
    assert _corpus.check_block(X, 0, shared).n_words == X.shape[1] == 30


BAD = {
    "negative": (lambda: bad_block(with_value(-1)), ValueError, "Block 1 .*Negative"),
    "fraction": (
        lambda: bad_block(with_value(0.5)),
        ValueError,
        "Block 1 of X: .* such as 0.5",
    ),
    "not a number": (
        lambda: bad_block(with_value(np.nan)),
        ValueError,
        "Block 1 .*NaN",
    ),
    "width": (
        lambda: bad_block(lambda block: block[:, :20]),
        ValueError,
        "Block 1 of X has 20 words, but block 0 has 30",
    ),
    "texts": (lambda: bad_block(lambda _: ["a b"]), ValueError, "Block 1 .*CountVec"),
    "no documents": (lambda: delayed_blocks([0]), ValueError, "X has no documents"),
    "empty list": (lambda: [], ValueError, "X is an empty list"),
    "a vector": (lambda: da.zeros(3), ValueError, "must have 2 dimensions"),
    "in memory": (lambda: X, TypeError, "must be a dask array.* is for the estimator"),
    "a list of matrices": (lambda: [X], TypeError, "must be a dask array"),
    "a name": (lambda: "X", TypeError, "must be a dask array"),
}


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(("of", "error", "message"), BAD.values(), ids=BAD)
def test_bad_X(of, error, message):
    model = make()
    with pytest.raises(error, match=message):
        model.fit(of())
    assert not hasattr(model, "n_features_in_")


@pytest.mark.usefixtures("client")
def test_bad_X_of_a_fitted_model():
    model = make(max_iter=6).fit(delayed_blocks())
    narrow = [delayed(X[:, :20])]
    with pytest.raises(ValueError, match="Block 0 of X: X has 20 features"):
        model.score(narrow)
    with pytest.raises(ValueError, match="Block 0 of X: X has 20 features"):
        model.transform(narrow).compute()
    with pytest.raises(TypeError, match="must be a dask array"):
        model.transform(X)
    with pytest.warns(UndefinedMetricWarning, match="no tokens"):
        assert model.score([delayed(X[:3] * 0)]) == 0
    with pytest.raises(NotFittedError):
        make().transform(delayed_blocks())


@pytest.mark.usefixtures("client")
@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_partitions": 0}, "n_partitions"),
        ({"storage": 3}, "storage"),
        ({"store_every": 0}, "store_every"),
        ({"client": "tcp://x"}, "client"),
        ({"doc_topic_prior": [1, 2]}, "doc_topic_prior has shape"),
        ({"topic_word_prior": [1, 2]}, "topic_word_prior is an array of 1 dim"),
        ({"max_iter": 10**6}, r"the scheduler would have to remember .* Set storage"),
    ],
    ids=str,
)
def test_bad_parameters(params, message):
    with pytest.raises(ValueError, match=message):
        make(**params).fit(delayed_blocks())


def test_too_many_partitions(client, monkeypatch):
    monkeypatch.setattr(_cluster, "MOST_TASKS", 100)
    monkeypatch.setattr(_chain, "MOST_TASKS", 100)
    model = make("rows", n_shards=50, client=client)
    with pytest.raises(ValueError, match="partitions make more than 100 tasks"):
        model.fit(delayed_blocks())


def test_stored_text(client, after_sweep, tmp_path):
    # What a person finds in the folder.
    after_sweep(5, kill)
    with pytest.raises(Killed):
        make(storage=str(tmp_path), store_every=4).fit(delayed_blocks())
    stored = json.loads((tmp_path / "sweep-000004" / "done.json").read_text())
    assert stored["sklda"] == sklda.__version__
    assert stored["estimator"] == "PartiallyCollapsedGibbsLDA"
    assert sum(stored["n_tokens"]) == X.sum()
    assert isinstance(X, sparse.csr_array)
    assert os.listdir(tmp_path) == ["sweep-000004"]
