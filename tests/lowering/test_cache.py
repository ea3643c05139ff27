"""The cache on disk: a hit is the same program; everything that can happen to a file is a miss."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dsl.diagnostics.source import Source, Span
from dsl.disk_cache import DiskCache, open_cache
from dsl.ir.build import Builder
from dsl.ir.function import Tensor
from dsl.ops.elementwise import add, mul
from dsl.types.dtype import F32
from lowering.lowered import Lowered
from lowering.stablehlo.module import lower
from lowering.xla import adapter, cache
from lowering.xla.cache import KIND, key_of
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
    made = open_cache(os.environ, KIND)
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
    DiskCache(path.parent, KIND).put(path.stem, b"not an executable")


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
