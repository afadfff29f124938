"""Fitted models of a cluster: their repr, and the limits of a corpus."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import sklda
from sklda._engine.kept_samples import SparseRows
from sklda.dask import _corpus, _samplers
from sklda.dask._tasks import add_up
from tests.dask.corpora import X, assert_fits_as_local, delayed_blocks, fit_local, make
from tests.helpers.comparison import assert_progress, fitted
from tests.helpers.processes import run_python

WITHOUT_DASK = """
import pickle, sys
sys.modules["dask"] = sys.modules["distributed"] = None
model = pickle.loads(bytes.fromhex("{stored}"))
print(type(model).__module__, model.transform(model.components_).shape)
"""


@pytest.fixture
def model(client):
    return make(client=client).fit(delayed_blocks())


def test_to_local(model):
    local, expected = model.to_local(), fit_local(model)
    assert type(local) is sklda.PartiallyCollapsedGibbsLDA
    assert local.get_params() == expected.get_params()
    left_out = {"doc_topic_", "topic_assignments_", "moved_tokens_", "log_joint_"}
    assert fitted(local).keys() == fitted(expected).keys() - left_out | {"log_joint_"}
    for name in fitted(local).keys() - left_out:
        np.testing.assert_equal(getattr(local, name), getattr(expected, name))
    np.testing.assert_array_equal(local.transform(X), expected.transform(X))


def test_several_chains_are_refused(model):
    pytest.importorskip("arviz_stats")
    from sklda.diagnostics import sample_chains

    with pytest.raises(TypeError, match=r"sklda\.dask with several seeds"):
        sample_chains(model, X, n_chains=2)


@pytest.mark.slow
def test_to_local_needs_no_dask(model):
    local = model.to_local()
    local.components_ = np.round(local.components_)  # which are counts, then
    code = WITHOUT_DASK.format(stored=pickle.dumps(local).hex())
    assert run_python(code).strip() == "sklda._gibbs.partially_collapsed (4, 4)"


def test_pickle_and_clone(model, client):
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.client is None
    assert not hasattr(loaded, "doc_topic_")  # it is on the workers
    blocks = delayed_blocks()
    np.testing.assert_array_equal(loaded.transform(blocks), model.transform(blocks))
    assert clone(model).get_params() == model.get_params()


def test_progress(client, capsys):
    model = make(client=client, verbose=1, evaluate_every=4).fit(delayed_blocks())
    lines = capsys.readouterr().out.splitlines()
    expected = "PartiallyCollapsedGibbsLDA", "log joint", [4, 8, 12], 12
    assert_progress(lines, *expected, model.log_joint_ / X.sum())


def test_more_tokens_than_32_bits_count(client, monkeypatch):
    # With a lower limit: all documents exceed it, and a block may, but no part does.
    assert X.sum() == 2400
    model = make(client=client, n_partitions=1)
    for module in (_corpus, _samplers):
        monkeypatch.setattr(module, "MAX_32_BITS", 1300)
    for blocks in (delayed_blocks([60]), delayed_blocks()):
        assert_fits_as_local(model, blocks)
    assert len(model.doc_topic_.chunks[0]) == 4
    monkeypatch.setattr(_samplers, "MAX_32_BITS", 300)
    with pytest.raises(ValueError, match=r"Topic \d has \d+ tokens, above the limit"):
        make("registers", client=client).fit(delayed_blocks())


def test_counts_of_a_word_above_32_bits():
    size, topic = np.array([1], np.uint8), np.array([7], np.uint8)
    half = SparseRows(size, topic, np.array([2**30], np.uint32))
    (total,) = add_up([half, half._replace(value=half.value - 1)]).value
    assert total == 2**31 - 1
    with pytest.raises(ValueError, match="A word has more than 2,147,483,647 tokens"):
        add_up([half, half])
