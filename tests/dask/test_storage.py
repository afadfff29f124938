"""Fits on a cluster that are stored, and what else may be in their folder."""

import contextlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from dask import delayed
from scipy import sparse

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

import sklda
from sklda.dask import _storage
from sklda.dask._storage import Storage
from tests.dask import corpora
from tests.dask.conftest import Killed, kill, let_happen
from tests.helpers.full_disk import no_file_beyond
from tests.helpers.selection import fast_and_slow

pytestmark = pytest.mark.usefixtures("client")


@pytest.fixture(scope="module")
def stored(client, tmp_path_factory):
    """Return the folder that a fit leaves which is killed after sweep 5."""
    folder = tmp_path_factory.mktemp("stored")
    with pytest.MonkeyPatch.context() as patch:
        let_happen(patch, 5, kill)
        with pytest.raises(Killed):
            make(folder).fit(corpora.delayed_blocks())
    return folder


def make(folder):
    return corpora.make(storage=str(folder), store_every=2)


@pytest.fixture
def killed(stored, tmp_path):
    """Return a model that was killed after sweep 5; sweep 4 is in storage."""
    shutil.copytree(stored, tmp_path, dirs_exist_ok=True)
    return make(tmp_path)


# --- going on --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "where", "params"),
    fast_and_slow(
        [("partially collapsed", "{}", {}), ("lists", "memory://{}", corpora.PRIORS)],
        [
            ("rows", "file://{}", {}),
            ("rows", "{}", corpora.ALL_SAMPLED),
            ("partially collapsed", "{}", corpora.SAMPLED),
        ],
    ),
)
def test_a_fit_goes_on_from_storage(name, where, params, fit_killed, tmp_path):
    storage = where.format(tmp_path)
    storage = Path(storage) if where == "{}" else storage
    model = corpora.make(name, storage=storage, store_every=2, **params)
    for number in (7, 11):  # after samples were kept
        fit_killed(model, number, resume=True)
    model.fit(corpora.delayed_blocks([60]), resume=True)  # other chunks, too
    corpora.assert_same_as_local(model, corpora.fit_local(model))


def test_storage_holds_one_complete_sweep(killed, tmp_path):
    assert [path.name for path in tmp_path.iterdir()] == ["sweep-000004"]
    # What a person finds there.
    stored = json.loads((tmp_path / "sweep-000004" / "done.json").read_text())
    assert stored["sklda"] == sklda.__version__
    assert stored["estimator"] == "PartiallyCollapsedGibbsLDA"
    assert sum(stored["n_tokens"]) == corpora.X.sum()
    # Folders that were being written when everything stopped, with our mark or without.
    storage = Storage(str(tmp_path), 1, {})
    with storage.locked():
        storage.begin(6)
    (tmp_path / "sweep-000009").mkdir()
    for half in (6, 9):
        (tmp_path / f"sweep-{half:06d}" / "done.json").write_text('{"sweep": 6,')
    killed.fit(corpora.delayed_blocks(), resume=True)
    corpora.assert_same_as_local(killed, corpora.fit_local(killed))


@pytest.mark.parametrize(
    ("params", "sizes", "resume", "message"),
    [
        ({}, [60], False, r"contains sweep 4 of a fit: resume .*resume=True"),
        ({"n_components": 5}, [60], True, "n_components=4 there, 5 here"),
        ({}, [7, 23], True, "different documents: n_documents per partition"),
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


def test_storage_of_another_estimator_is_refused(killed, tmp_path):
    with pytest.raises(ValueError, match="estimator=PartiallyCollapsedGibbsLDA there"):
        corpora.make("rows", storage=str(tmp_path)).fit(
            corpora.delayed_blocks(), resume=True
        )


def test_storage_of_another_series_of_releases_is_refused(killed, monkeypatch):
    monkeypatch.setattr(_storage, "__version__", "100.2.1")
    with pytest.raises(ValueError, match="choose an empty folder") as caught:
        killed.fit(corpora.delayed_blocks(), resume=True)
    assert f"by sklda {sklda.__version__}, whose samples" in str(caught.value)
    assert "of sklda 100.2.1: install" in str(caught.value)


def test_storage_ends_what_the_scheduler_remembers(client, after_sweep, tmp_path):
    # Without it, each sweep can be recomputed from all before it.
    n_tasks, tasks = {}, client.cluster.scheduler.tasks
    for period in (3, 1000):
        model = corpora.make(storage=str(tmp_path / str(period)), store_every=period)
        before = set(tasks)

        def count(period=period, before=before):
            n_tasks[period] = len(tasks.keys() - before)

        undo = after_sweep(12, count)
        model.fit(corpora.delayed_blocks())
        undo()
    assert n_tasks[3] < n_tasks[1000] / 2


# --- other documents -------------------------------------------------------------


def with_words_exchanged(counts):
    """Return counts in which a document has a word in place of another."""
    counts = counts.toarray()
    d = np.flatnonzero(counts[:, 0] != counts[:, 1])[-1]
    counts[d, :2] = counts[d, 1::-1]
    return counts


def with_a_token_moved(counts):
    counts = counts.toarray()
    d = np.flatnonzero((counts > 0).sum(axis=1) > 1)[0]
    first, last = np.flatnonzero(counts[d])[[0, -1]]
    counts[d, first] -= 1
    counts[d, last] += 1
    return counts


def with_documents_exchanged(counts):
    """Return documents of one length in another order."""
    return counts[[*range(58), 59, 58]]


@pytest.mark.parametrize(
    "change", [with_words_exchanged, with_a_token_moved, with_documents_exchanged]
)
def test_other_documents_of_the_same_sizes_are_refused(killed, change):
    changed = sparse.csr_array(change(corpora.X))
    assert (changed.sum(axis=1) == corpora.X.sum(axis=1)).all()
    with pytest.raises(
        ValueError,
        match=r"contains a fit to different documents: words or counts of documents "
        r"\d+ to \d+ differ.* Pass the same X.* or choose an empty folder",
    ):
        killed.fit([delayed(changed)], resume=True)
    assert not hasattr(killed, "components_")


def untidy(counts):
    """Return counts with cells out of order, twice, or without tokens."""
    counts = counts.tocoo()
    row, column, data = counts.row, counts.col, counts.data.astype(np.int64)
    row, column = np.tile(row, 2), np.tile(column, 2)
    data = np.concatenate([data - 1, np.ones_like(data)])  # where it was 1, there is 0
    order = np.lexsort([-column, row])
    indptr = np.searchsorted(row[order], np.arange(counts.shape[0] + 1))
    return sparse.csr_array((data[order], column[order], indptr), shape=counts.shape)


def test_the_same_documents_in_another_form(killed):
    # All forms give the same arrays, see tests/core/test_corpus_accepted.py.
    assert not untidy(corpora.X).has_canonical_format
    blocks = [delayed(untidy(block)) for block in corpora.blocks([31, 29])]
    killed.fit(blocks, resume=True)
    corpora.assert_same_as_local(killed, corpora.fit_local(killed))


# --- what else is in the folder ----------------------------------------------------


def test_only_own_folders_are_deleted(tmp_path):
    foreign = [
        tmp_path / name / "thesis.txt"
        for name in ("sweep-000002", "sweep-000008", "sweep-99", "sweep-²", "other")
    ]
    for thesis in foreign:
        thesis.parent.mkdir()
        thesis.write_text("years of work")
    (tmp_path / "sweep-000008" / "part-0.npz").write_text("more of it")
    (tmp_path / "sweep-000008" / "done.json").write_text("{}")
    (tmp_path / "sweep-12").write_text("a file")
    model = corpora.make(storage=str(tmp_path), store_every=2, max_iter=7)
    model.fit(corpora.delayed_blocks())
    corpora.assert_same_as_local(model, corpora.fit_local(model))
    assert [thesis.read_text() for thesis in foreign] == ["years of work"] * 5
    # The fit wrote sweeps 2, 4 and 6. The last one stays.
    assert {path.name for path in tmp_path.iterdir()} == {
        *(thesis.parent.name for thesis in foreign),
        *("sweep-12", "sweep-000006"),
    }
    assert len(list((tmp_path / "sweep-000002").iterdir())) == 1
    assert len(list((tmp_path / "sweep-000008").iterdir())) == 3


def test_folders_that_are_not_complete_are_deleted_later(tmp_path):
    storage = Storage(str(tmp_path), 1, {})
    with storage.locked():
        for sweep in (2, 1_000_000):
            storage.begin(sweep)
            (tmp_path / f"sweep-{sweep:06d}" / "part-0.npz").touch()
        assert storage.last() is None
        storage.begin(4)
        storage.finish(4, {})
    assert [path.name for path in tmp_path.iterdir()] == ["sweep-000004"]
    assert storage.last()["sweep"] == 4


# From Python 3.14 on, a file that fsspec could not close complains when it is deleted.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("n_bytes", [0, 100, 700])
def test_a_full_disk_leaves_the_last_sweep(n_bytes, after_sweep, tmp_path):
    model = corpora.make(storage=str(tmp_path), store_every=2, max_iter=8)
    disk = contextlib.ExitStack()
    undo = after_sweep(4, lambda: disk.enter_context(no_file_beyond(n_bytes)))
    message = r"sweep-000004\S* could not be written .*Make room.*resume=True"
    with disk, pytest.raises(OSError, match=message):
        model.fit(corpora.delayed_blocks())
    undo()
    model.fit(corpora.delayed_blocks(), resume=True)
    corpora.assert_same_as_local(model, corpora.fit_local(model))


# --- damage ------------------------------------------------------------------------


def cut(path):
    path.write_bytes(path.read_bytes()[:-30])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def edit(path):
    stored = json.loads(path.read_text())
    stored["n_kept"] = 7
    path.write_text(json.dumps(stored))


def exchange(path):
    """Put another file there, which is sound."""
    path.write_bytes((path.parent / "part-0.npz").read_bytes())


DAMAGE = {
    "cut": cut,
    "a bit flipped": flip,
    "empty": lambda path: path.write_bytes(b""),
    "no keys": lambda path: path.write_text("{}"),
    "a list": lambda path: path.write_text("[1]"),
    "no text": lambda path: path.write_bytes(b"\xff\x00"),
}
OF_ARRAYS = {**DAMAGE, "exchanged": exchange, "absent": lambda path: path.unlink()}


OF_JSON = DAMAGE | {"edited": edit}


@pytest.mark.parametrize(
    "name", fast_and_slow(["cut", "edited"], sorted(OF_JSON.keys() - {"cut", "edited"}))
)
def test_damaged_done_json(killed, name, tmp_path):
    damage, path = OF_JSON[name], tmp_path / "sweep-000004" / "done.json"
    damage(path)
    for resume in (True, False):
        with pytest.raises(ValueError, match=r"4/done\.json is damaged.*delete"):
            killed.fit(corpora.delayed_blocks(), resume=resume)
    # The way out that the message names.
    for file in path.parent.iterdir():
        file.unlink()
    path.parent.rmdir()
    killed.fit(corpora.delayed_blocks(), resume=True)
    corpora.assert_same_as_local(killed, corpora.fit_local(killed))


@pytest.mark.parametrize("name", ["part-1.npz", "block-0.npz"])
@pytest.mark.parametrize("damage", OF_ARRAYS.values(), ids=OF_ARRAYS)
def test_damaged_arrays(killed, name, damage, tmp_path):
    damage(tmp_path / "sweep-000004" / name)
    with pytest.raises(
        ValueError, match=rf"sweep-000004/{name} (cannot be read|is damaged).*delete"
    ):
        killed.fit(corpora.delayed_blocks(), resume=True)
