"""Fits on a cluster that are stored, resumed, and refused."""

import contextlib
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from dask import delayed
from scipy import sparse

from sklda.dask import _storage
from tests.dask import corpora
from tests.dask.conftest import after_sweep, fit_interrupted
from tests.helpers.processes import no_file_beyond
from tests.helpers.selection import fast_and_slow

pytestmark = [pytest.mark.usefixtures("client"), corpora.WITH_PRIORS]


@pytest.fixture
def killed(tmp_path):
    """Return a model whose fit ended after sweep 5; sweep 4 is in storage."""
    model = corpora.make(storage=str(tmp_path), store_every=2, burn_in=2)
    fit_interrupted(model, 5)
    return model


# --- going on --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "where", "params"),
    fast_and_slow(
        [("partially collapsed", "{}", {}), ("lists", "memory://{}", corpora.PRIORS)],
        [
            ("registers", "file://{}", {}),
            ("registers", "{}", corpora.ALL_SAMPLED),
            ("partially collapsed", "{}", corpora.SAMPLED),
        ],
    ),
)
def test_a_fit_goes_on_from_storage(name, where, params, tmp_path):
    storage = where.format(tmp_path)
    storage = Path(storage) if where == "{}" else storage
    model = corpora.make(name, storage=storage, store_every=2, **params)
    for number in (7, 11):  # after samples were kept
        fit_interrupted(model, number, resume=True)
    # Other chunks, too.
    corpora.assert_fits_as_local(model, corpora.delayed_blocks([60]), resume=True)


def last_sweep(folder):
    """Return the folder of the only stored sweep."""
    (found,) = folder.glob("sklda-sweep-*")
    return found


def test_storage_holds_one_complete_sweep(killed, tmp_path):
    stored = last_sweep(tmp_path)
    assert re.fullmatch("sklda-sweep-000004-[0-9a-f]{8}", stored.name)
    # A sweep that was being written when everything stopped, and what others wrote.
    shutil.copytree(stored, tmp_path / "sklda-sweep-000006-0123abcd")
    (tmp_path / "sweep-000008").mkdir()
    corpora.assert_fits_as_local(killed, resume=True)
    last = last_sweep(tmp_path)
    assert last.name.startswith("sklda-sweep-000010-")
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {last.name, "sweep-000008", "state.zip"}


def test_without_resume_a_fit_starts_again(killed, tmp_path):
    killed.set_params(random_state=1)
    stored = last_sweep(tmp_path)
    fit_interrupted(killed, 1)
    assert last_sweep(tmp_path) == stored  # until there is another one
    fit_interrupted(killed, 3)
    assert last_sweep(tmp_path).name.startswith("sklda-sweep-000002-")
    corpora.assert_fits_as_local(killed)


@pytest.mark.parametrize(
    ("params", "sizes", "resume", "message"),
    [
        ({"n_components": 5}, [60], True, "n_components=4 there, 5 here"),
        ({"doc_topic_prior": [1] * 4}, [60], True, r"there, \[1, 1, 1, 1\] here"),
        ({}, [7, 23], True, "a fit to other documents: pass the same"),
        ({"storage": None}, [60], True, "resume=True resumes from storage, which is"),
        ({}, [60], "yes", "'resume' parameter of .*fit must be"),
        ({"storage": "nowhere://x"}, [60], False, "'nowhere://x' cannot be used"),
    ],
    ids=str,
)
def test_storage_of_another_fit_is_refused(killed, params, sizes, resume, message):
    killed.set_params(**params)
    with pytest.raises(ValueError, match=message):
        killed.fit(corpora.delayed_blocks(sizes), resume=resume)


def test_storage_of_another_estimator_or_release_is_refused(
    killed, monkeypatch, tmp_path
):
    other = corpora.make("registers", storage=str(tmp_path))
    with pytest.raises(ValueError, match="estimator=PartiallyCollapsedGibbsLDA there"):
        other.fit(corpora.delayed_blocks(), resume=True)
    monkeypatch.setattr(_storage, "__version__", "100.2.1")
    with pytest.raises(ValueError, match=r"sklda=\S+ there, 100\S* here.*resume=False"):
        killed.fit(corpora.delayed_blocks(), resume=True)


def test_storage_ends_what_the_scheduler_remembers(client, tmp_path):
    # Without it, each sweep can be recomputed from all before it.
    n_tasks, tasks = [], client.cluster.scheduler.tasks
    for period in (3, 1000):
        model = corpora.make(storage=str(tmp_path / str(period)), store_every=period)
        before = set(tasks)
        with after_sweep(12, lambda: n_tasks.append(len(tasks.keys() - before))):  # noqa: B023
            model.fit(corpora.delayed_blocks())
    assert n_tasks[0] < n_tasks[1] / 2


@pytest.mark.parametrize("exchanged", ["words", "documents"])
def test_other_documents_of_the_same_sizes_are_refused(killed, exchanged):
    counts = corpora.X.toarray()
    if exchanged == "words":
        d = np.flatnonzero(counts[:, 0] != counts[:, 1])[-1]
        counts[d, :2] = counts[d, 1::-1]
    else:
        counts[-2:] = counts[:-3:-1]
    assert (counts.sum(axis=1) == corpora.X.sum(axis=1)).all()
    assert (counts != corpora.X.toarray()).any()
    with pytest.raises(ValueError, match=r"sweep-000004-\w+ .* to other documents"):
        killed.fit([delayed(sparse.csr_array(counts))], resume=True)


# --- damage ------------------------------------------------------------------------


# From Python 3.14 on, a file that fsspec could not close complains when it is deleted.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("n_bytes", [0, 100, 700])
def test_a_full_disk_leaves_the_last_sweep(n_bytes, tmp_path):
    model = corpora.make(storage=str(tmp_path), store_every=2, max_iter=8)
    message = r"sweep-000004\S* could not be written .*Make room.*resume=True"
    with (
        contextlib.ExitStack() as disk,
        after_sweep(4, lambda: disk.enter_context(no_file_beyond(n_bytes))),
        pytest.raises(OSError, match=message),
    ):
        model.fit(corpora.delayed_blocks())
    corpora.assert_fits_as_local(model, resume=True)


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "a bit flipped": flip,
    "absent": lambda path: path.unlink(),
}


@pytest.mark.parametrize("name", ["part-1.zip", "block-0.zip"])
@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_and_the_way_out(killed, name, damage, tmp_path):
    damage(last_sweep(tmp_path) / name)
    message = rf"sweep-000004-\w+ cannot be read \({name}: .*resume=False"
    with pytest.raises(ValueError, match=message):
        killed.fit(corpora.delayed_blocks(), resume=True)
    flip(tmp_path / "state.zip")
    with pytest.raises(ValueError, match=r"cannot be read \(state.zip: .*resume=False"):
        killed.fit(corpora.delayed_blocks(), resume=True)
    corpora.assert_fits_as_local(killed, resume=False)
