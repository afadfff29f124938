"""Refusal of fits that need more memory than there is, where that is known."""

import os

import pytest

from sklda._core import memory


@pytest.fixture
def info(monkeypatch, tmp_path):
    path = tmp_path / "meminfo"
    monkeypatch.setattr(memory, "_MEMORY_INFO", path)
    return path


def test_half_of_the_free_memory_is_the_limit(info):
    info.write_text("MemTotal: 900 kB\nMemFree: 3 kB\nMemAvailable:    8 kB\n")
    assert memory.free_memory() == 8192
    memory.check_memory(4096, "a=5", "less")
    with pytest.raises(MemoryError, match=r"^a=5 .* 4,097 bytes.* 8,192 .*: less\.$"):
        memory.check_memory(4097, "a=5", "less")


def test_free_memory_is_known_where_the_system_tells():
    free = memory.free_memory()
    if os.path.exists("/proc/meminfo"):
        assert 2**20 < free < 2**50
    else:
        assert free is None


@pytest.mark.parametrize("text", [None, "MemTotal: 9 kB\n"])
def test_nothing_is_refused_where_nobody_knows(info, text):
    if text is not None:
        info.write_text(text)
    assert memory.free_memory() is None
    memory.check_memory(10**18, "a=5", "less")
