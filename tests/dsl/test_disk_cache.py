"""Entries on disk: whole or not there, whoever writes them and whatever happens to the files."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dsl.disk_cache import DIGEST, LIMIT, MARK, PRUNING, SLACK, DiskCache, open_cache

CALLS = ("scandir", "listdir", "stat", "lstat", "open", "utime", "rename", "replace", "unlink", "mkdir")
"""The calls of the system that reach files."""


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
    wait_for_prunings()
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
    wait_for_prunings()
    assert store.get("key") == bytes(500)
    other.put("key", b"small")
    other.clear()
    assert other.entries() == []
    assert store.get("key") == bytes(500)


# ------------------------------------------------------------ pruning


def wait_for_prunings() -> None:
    for thread in threading.enumerate():
        if thread.name == PRUNING:
            thread.join()


def fill(folder: Path, entries: int, size: int = 1) -> None:
    folder.mkdir(mode=0o700, exist_ok=True)
    for k in range(entries):
        (folder / f"old{k}.check").write_bytes(bytes(size))


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[tuple[str, str]]]:
    """Counts calls of the system, and the entries that listings yield, by the name of the thread."""
    found: Counter[tuple[str, str]] = Counter()

    def counting(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted_call(*args: Any, **kwargs: Any) -> Any:
            found[name, threading.current_thread().name] += 1
            result = call(*args, **kwargs)
            if name == "listdir":
                found["listed", threading.current_thread().name] += len(result)
            return Listing(result, found) if name == "scandir" else result

        return counted_call

    with monkeypatch.context() as patched:
        for name in CALLS:
            patched.setattr(os, name, counting(name, getattr(os, name)))
        yield found


class Listing:
    """A listing of a folder whose entries are counted."""

    def __init__(self, inner: Any, found: Counter[tuple[str, str]]) -> None:
        self.inner, self.found = inner, found

    def __enter__(self) -> Listing:
        return self

    def __exit__(self, *exception: object) -> None:
        self.inner.close()

    def __iter__(self) -> Listing:
        return self

    def __next__(self) -> Any:
        entry = next(self.inner)
        self.found["listed", threading.current_thread().name] += 1
        return entry


def calls_of_twenty_entries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    store = open_cache({"DSL_CACHE_DIR": str(folder)}, "check")
    assert store is not None
    with counted(monkeypatch) as found:
        for k in range(20):
            store.put(f"key{k}", bytes(1000))
            assert store.get(f"key{k}") is not None
            store.get(f"missing{k}")
        wait_for_prunings()
    return found


def test_the_calls_of_an_entry_do_not_depend_on_how_many_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = []
    for entries in (0, 10, 500):
        fill(tmp_path / str(entries), entries)
        counts.append(calls_of_twenty_entries(tmp_path / str(entries), monkeypatch))
    assert counts[0] == counts[1] == counts[2]
    assert counts[0].total() > 40 and not any(name in ("scandir", "listdir", "listed") for name, _ in counts[0])


@pytest.mark.parametrize("size", [10, 400, 5000])
def test_the_limit_holds_to_a_half_and_listings_are_rare(
    size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = len(MARK) + DIGEST + size
    full, puts = 60, 300
    store = DiskCache(tmp_path, "check", limit=full * whole)
    most = 0
    with counted(monkeypatch) as found:
        for k in range(puts):
            store.put(f"{size} {k}", bytes(size))
            wait_for_prunings()
            most = max(most, len(os.listdir(tmp_path)))
    assert full < most <= 1.5 * full
    by_prunings = found["listed", PRUNING]
    assert puts <= by_prunings <= 2 * SLACK * puts


def test_pruning_is_never_in_front_of_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, 20, 1000)
    with counted(monkeypatch) as found:
        DiskCache(tmp_path, "check", limit=5000).put("key", bytes(1000))
        wait_for_prunings()
    assert {thread for name, thread in found if name in ("scandir", "listdir", "unlink")} == {PRUNING}
    assert len(list(tmp_path.iterdir())) == 4


def test_an_entry_as_large_as_the_slack_always_starts_a_pruning() -> None:
    store = DiskCache(Path(), "check", limit=1600)
    highest, lowest = b"\xff" * DIGEST, bytes(DIGEST)
    assert store._is_due(highest, 100 + 1) and not store._is_due(highest, 99)
    assert store._is_due(lowest, 1)
    assert not DiskCache(Path(), "check", LIMIT)._is_due(b"\x80" + bytes(DIGEST - 1), LIMIT // SLACK // 2)


def test_where_no_thread_can_be_started_the_caller_prunes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    fill(tmp_path, 20, 1000)
    DiskCache(tmp_path, "check", limit=5000).put("key", bytes(1000))
    assert len(list(tmp_path.iterdir())) == 4


def test_a_process_that_ends_at_once_has_pruned(tmp_path: Path) -> None:
    fill(tmp_path, 200, 1000)
    text = f"""
from pathlib import Path
from dsl.disk_cache import DiskCache
DiskCache(Path({str(tmp_path)!r}), "check", limit=5000).put("key", bytes(1000))
"""
    subprocess.run([sys.executable, "-c", text], check=True)
    assert len(list(tmp_path.iterdir())) == 4


def test_several_prunings_at_once_leave_what_one_leaves(tmp_path: Path) -> None:
    fill(tmp_path, 300, 1000)
    store = DiskCache(tmp_path, "check", limit=50_000)
    threads = [threading.Thread(target=store.put, args=(f"key{k}", bytes(4000))) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_for_prunings()
    assert 0 < sum(size for _, size, _ in store.entries()) <= 50_000
    assert all(store.get(f"key{k}") == bytes(4000) for k in range(8))
