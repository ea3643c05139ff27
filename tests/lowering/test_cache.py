"""The cache on disk: a hit is the same program; everything that can happen to a file is a miss."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dsl.diagnostics.source import Source, Span
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.ops.elementwise import add, mul
from dsl.types.dtype import F32
from lowering.stablehlo.module import Lowered, lower
from lowering.xla import adapter, cache
from lowering.xla.cache import DiskCache, key_of, opened
from lowering.xla.compile import compile

V = Tensor(F32, (4,))


def program(place: int = 0) -> Lowered:
    b = Builder()
    x = b.param(V)
    with b.at(Span(Source("a.dsl", "x\n" * 10), place, place + 1)):
        y = add(b, mul(b, x, x), x)
    return lower(b.finish("f", [y]))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DiskCache:
    monkeypatch.setenv("DSL_CACHE_DIR", str(tmp_path / "xla"))
    monkeypatch.delenv("DSL_CACHE", raising=False)
    monkeypatch.setattr(cache, "WORTH", 0.0)
    made = opened(os.environ)
    assert made is not None
    return made


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were really compiled."""
    seen: list[str] = []
    original = adapter.compile_text

    def counted(client: object, text: str, *rest: Any) -> object:
        seen.append(text)
        return original(client, text, *rest)

    monkeypatch.setattr(adapter, "compile_text", counted)
    return seen


def runs(lowered: Lowered) -> None:
    assert compile(lowered)(np.arange(4, dtype=np.float32))[0].tolist() == [0.0, 2.0, 6.0, 12.0]


def test_a_program_is_compiled_once(store: DiskCache, compilations: list[str]) -> None:
    for _ in range(3):
        runs(program())
    assert len(compilations) == 1
    assert [path.suffix for path in store.folder.iterdir()] == [".xla"]


def test_a_program_that_moved_in_its_file_is_the_same_one(store: DiskCache, compilations: list[str]) -> None:
    runs(program(0))
    runs(program(4))
    assert len(compilations) == 1
    assert program(0).text != program(4).text


def test_options_and_donation_make_another_entry() -> None:
    text = program().text
    keys = {
        key_of(text, (), ()),
        key_of(text, (("xla_cpu_enable_fast_math", True),), ()),
        key_of(text, (), (0,)),
        key_of(text + " ", (), ()),
    }
    assert len(keys) == 4


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-10])


def corrupt(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def forge(path: Path) -> None:
    """A well-formed entry that XLA cannot load."""
    DiskCache(path.parent).put(path.stem, b"not an executable")


SPOILERS = [truncate, corrupt, forge, lambda path: path.write_bytes(b"")]


@pytest.mark.parametrize("spoil", SPOILERS)
def test_a_bad_entry_is_a_miss_and_is_replaced(
    spoil: Callable[[Path], None], store: DiskCache, compilations: list[str]
) -> None:
    runs(program())
    (path,) = store.folder.iterdir()
    spoil(path)
    runs(program())
    runs(program())
    assert len(compilations) == 2


def test_what_is_quick_to_compile_is_not_kept(store: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "WORTH", 1e9)
    runs(program())
    assert list(store.folder.iterdir()) == []


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    for value in ("off", "0", "FALSE"):
        assert opened({"DSL_CACHE": value, "DSL_CACHE_DIR": str(tmp_path)}) is None


def test_a_folder_that_others_can_write_to_is_not_used(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert opened({"DSL_CACHE_DIR": str(shared)}) is None
    assert opened({"DSL_CACHE_DIR": str(tmp_path / "file" / "below")}) is not None
    (tmp_path / "taken").write_text("a file")
    assert opened({"DSL_CACHE_DIR": str(tmp_path / "taken" / "below")}) is None


def test_the_folder_is_private(store: DiskCache) -> None:
    assert store.folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_vanishes_costs_nothing(store: DiskCache) -> None:
    store.folder.rmdir()
    store.put("key", b"data")
    assert store.get("key") is None
    store.drop("key")


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    small = DiskCache(tmp_path, limit=1000)
    for k in range(5):
        small.put(str(k), bytes(300))
        os.utime(tmp_path / f"{k}.xla", (k, k))
    small.put("last", bytes(300))
    kept = sorted(path.stem for path in tmp_path.iterdir())
    assert len(kept) == 2 and "last" in kept and "0" not in kept


def test_concurrent_writers_leave_a_whole_entry(tmp_path: Path) -> None:
    many = DiskCache(tmp_path)
    payloads = [bytes([k]) * 100_000 for k in range(8)]
    threads = [threading.Thread(target=many.put, args=("key", p)) for p in payloads for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert many.get("key") in payloads
    assert len(list(tmp_path.iterdir())) == 1


OTHER_PROCESS = """
import numpy as np
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.ops.elementwise import add
from dsl.types.dtype import F32
from lowering.stablehlo.module import lower
from lowering.xla import adapter, cache
from lowering.xla.compile import compile
cache.WORTH = 0.0
b = Builder()
x = b.param(Tensor(F32, (4,)))
print(compile(lower(b.finish("f", [add(b, x, x)])))(np.arange(4, dtype=np.float32))[0].tolist())
"""


def test_another_process_uses_the_entry(store: DiskCache) -> None:
    refuse = "def refuse(*_): raise SystemExit('compiled again')\n"
    second = OTHER_PROCESS.replace("cache.WORTH", refuse + "adapter.compile_text = refuse\ncache.WORTH")
    for text in (OTHER_PROCESS, second):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
        assert done.stdout == "[0.0, 2.0, 4.0, 6.0]\n", done.stderr
