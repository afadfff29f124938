"""The file of `save_explorer`, and what may already be at its path."""

import os
import stat
import sys

import pytest

from sklda.inspection import save_explorer
from tests.helpers.explorer_page import explored
from tests.helpers.full_disk import no_file_beyond

pytestmark = pytest.mark.filterwarnings("ignore:Words are shown as column numbers")
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="modes, FIFOs")


def save(path):
    model, X, _, _ = explored()
    return save_explorer(path, model, X, feature_names=None)


def is_page(path):
    return path.read_bytes().startswith(b"<!DOCTYPE html>")


@needs_posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o444])
def test_mode_is_kept(tmp_path, mode):
    path = tmp_path / "page.html"
    path.write_text("before")
    path.chmod(mode)
    save(path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert is_page(path)


@needs_posix
def test_mode_of_a_new_file_is_the_usual_one(tmp_path):
    usual = tmp_path / "usual"
    usual.touch()
    assert save(tmp_path / "page.html").stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize("exists", [True, False])
def test_links_are_followed(tmp_path, exists):
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere" / "target.html"
    if exists:
        target.write_text("before")
    link, second = tmp_path / "link.html", tmp_path / "second.html"
    link.symlink_to(target.relative_to(tmp_path))
    second.symlink_to(link)
    assert save(second) == second
    assert link.is_symlink()
    assert second.is_symlink()
    assert is_page(target)
    assert os.listdir(target.parent) == ["target.html"]


@needs_posix
def test_what_is_no_file_is_refused(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        with pytest.raises(OSError, match=r"neither a file nor free: name another"):
            save(path)
        assert path.is_fifo()
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match=r"path='.*loop' cannot be used: .*links"):
        save(loop)


@pytest.mark.parametrize("path", [".", "..", "folder", "folder/", "link"])
def test_a_folder_is_refused(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    with pytest.raises(IsADirectoryError, match="is a folder: add a file name"):
        save(path)
    assert sorted(os.listdir(tmp_path)) == ["folder", "link"]
    assert os.listdir(tmp_path / "folder") == []


def test_long_names(tmp_path):
    longest = tmp_path / ("a" * 250 + ".html")  # 255 is the most that Linux takes
    assert is_page(save(longest))
    with pytest.raises(OSError, match=r"cannot be used: File name too long"):
        save(tmp_path / ("a" * 251 + ".html"))
    with pytest.raises(OSError, match=r"cannot be used: File name too long"):
        save(tmp_path / ("a" * 300) / "page.html")
    with pytest.raises(OSError, match=r"cannot be used: .*null"):
        save(tmp_path / "a\0.html")


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("before")
    with pytest.raises(OSError, match=r"path='.*page.html' .* Make room in '.*another"):
        with no_file_beyond(1000):
            save(path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["page.html"]
