"""Entries on disk: whole or not there, whoever writes them and whatever happens to the files."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from dsl.disk_cache import DiskCache, open_cache


@pytest.fixture
def store(tmp_path: Path) -> DiskCache:
    made = open_cache({"DSL_CACHE_DIR": str(tmp_path / "cache")}, "xla")
    assert made is not None
    return made


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    for value in ("off", "0", "FALSE"):
        assert open_cache({"DSL_CACHE": value, "DSL_CACHE_DIR": str(tmp_path)}, "xla") is None


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert open_cache({"DSL_CACHE_DIR": str(shared)}, "xla") is None
    assert open_cache({"DSL_CACHE_DIR": str(tmp_path / "file" / "below")}, "xla") is not None
    (tmp_path / "taken").write_text("a file")
    assert open_cache({"DSL_CACHE_DIR": str(tmp_path / "taken" / "below")}, "xla") is None


def test_the_folder_is_private(store: DiskCache) -> None:
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_vanishes_costs_nothing(store: DiskCache) -> None:
    store.folder.rmdir()
    store.put("key", b"data")
    assert store.get("key") is None
    store.drop("key")


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    small = DiskCache(tmp_path, "xla", limit=1000)
    for k in range(5):
        small.put(str(k), bytes(300))
        os.utime(tmp_path / f"{k}.xla", (k, k))
    small.put("last", bytes(300))
    kept = sorted(path.stem for path in tmp_path.iterdir())
    assert len(kept) == 2 and "last" in kept and "0" not in kept


def test_concurrent_writers_leave_a_whole_entry(tmp_path: Path) -> None:
    many = DiskCache(tmp_path, "xla")
    payloads = [bytes([k]) * 100_000 for k in range(8)]
    threads = [threading.Thread(target=many.put, args=("key", p)) for p in payloads for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert many.get("key") in payloads
    assert len(list(tmp_path.iterdir())) == 1


def test_an_entry_under_another_name_is_none(store: DiskCache) -> None:
    store.put("a", b"data")
    (store.folder / "a.xla").rename(store.folder / "b.xla")
    assert store.get("b") is None
    assert list(store.folder.iterdir()) == []


def test_kinds_in_one_folder_leave_each_other_alone(store: DiskCache) -> None:
    other = DiskCache(store.folder, "check", limit=100)
    store.put("key", bytes(500))
    other.put("key", bytes(200))
    assert store.get("key") == bytes(500)
    other.put("key", b"small")
    other.clear()
    assert other.entries() == []
    assert store.get("key") == bytes(500)
