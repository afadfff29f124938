"""The lock of a storage folder: other fits are refused, dead owners are not minded."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

pytest.importorskip("distributed", reason='sklda.dask needs the extra "dask"')

from sklda.dask._storage import Storage
from tests.dask import corpora
from tests.helpers.full_disk import no_file_beyond

IN_USE = r"in use by another fit \(process \d+ on .*choose another folder.* delete .*"


def dead_process():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


def write_lock(folder, **owner):
    owner = {"fit": "x", "host": socket.gethostname(), "pid": os.getpid(), **owner}
    (folder / "sklda.lock").write_text(json.dumps(owner))


@pytest.mark.parametrize("where", ["{}", "memory://{}"])
def test_a_second_fit_is_refused(where, tmp_path):
    url = where.format(tmp_path)
    with Storage(url, 1, {}).locked():
        with pytest.raises(ValueError, match=IN_USE):
            with Storage(url, 1, {}).locked():
                pass
        with Storage(url + "-2", 1, {}).locked():
            pass
    with Storage(url, 1, {}).locked():  # the first one has ended
        pass
    assert not (tmp_path / "sklda.lock").exists()


def test_of_fits_that_start_together_one_is_left(tmp_path):
    barrier = Barrier(4, timeout=60)

    def begin(i):
        storage = Storage(str(tmp_path), 1, {})
        with contextlib.ExitStack() as stack:
            refused = None
            for step in (
                lambda: stack.enter_context(storage.locked()),
                lambda: storage.begin(i),
            ):
                barrier.wait()
                try:
                    refused or step()
                except ValueError as error:
                    refused = str(error)
            barrier.wait()
        return refused

    for _ in range(20):
        with ThreadPoolExecutor(4) as threads:
            refusals = [text for text in threads.map(begin, range(4)) if text]
        assert len(refusals) == 3
        assert all("another fit" in text for text in refusals)


def test_fit_in_the_middle_of_a_fit(client, after_sweep, tmp_path):
    model = corpora.make(storage=str(tmp_path), store_every=2)
    refused = []

    def fit_again():
        rival = corpora.make(storage=str(tmp_path), random_state=1)
        for resume in (False, True):
            with pytest.raises(ValueError, match=IN_USE) as caught:
                rival.fit(corpora.delayed_blocks(), resume=resume)
            refused.append(caught)

    after_sweep(5, fit_again)
    model.fit(corpora.delayed_blocks())
    assert len(refused) == 2
    corpora.assert_same_as_local(model, corpora.fit_local(model))


@pytest.mark.parametrize("process", [dead_process, os.getpid])
def test_a_dead_owner_is_not_minded(process, tmp_path):
    write_lock(tmp_path, pid=process())  # of this one: the fit "x" is not running
    with Storage(str(tmp_path), 1, {}).locked() as _:
        pass
    assert list(tmp_path.iterdir()) == []


def test_who_may_be_alive_is_minded(tmp_path):
    storage = Storage(str(tmp_path), 1, {})
    write_lock(tmp_path, host="elsewhere")
    with pytest.raises(ValueError, match=r"another fit \(process .* on elsewhere\)"):
        storage.locked().__enter__()
    write_lock(tmp_path, pid=os.getppid())
    with pytest.raises(ValueError, match=IN_USE):
        storage.locked().__enter__()
    for text in ("", "[1]", "{}"):  # as it is being written
        (tmp_path / "sklda.lock").write_text(text)
        with pytest.raises(ValueError, match="in use by another fit: choose another"):
            storage.locked().__enter__()
    assert [path.name for path in tmp_path.iterdir()] == ["sklda.lock"]


@pytest.mark.parametrize("fate", ["deleted", "replaced"])
def test_a_lock_that_was_taken_away(fate, tmp_path):
    storage = Storage(str(tmp_path), 1, {})
    with storage.locked():
        storage.begin(1)
        (tmp_path / "sklda.lock").unlink()
        if fate == "replaced":
            write_lock(tmp_path)
        for write in (lambda: storage.begin(2), lambda: storage.finish(1, {})):
            with pytest.raises(ValueError, match=r"used by another fit.*resume=True"):
                write()
    assert storage.last() is None
    assert (tmp_path / "sklda.lock").exists() == (fate == "replaced")


def test_a_full_disk_leaves_no_lock(tmp_path):
    with no_file_beyond(0), pytest.raises(OSError, match=r"sklda\.lock could not be"):
        Storage(str(tmp_path), 1, {}).locked().__enter__()
    assert list(tmp_path.iterdir()) == []
