"""Records of the library: a check that reads them finds what a check without them finds, and elaborates nothing of the
library; whatever is wrong with a record, nothing is."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsl.core.verify import verify
from dsl.diagnostics.source import Source
from dsl.disk_cache import LIBRARY, DiskCache
from dsl.syntax.sources import library
from tests.support.checked import Plain, plain, plain_program
from typechecker import CheckCache, CheckResult, check_source
from typechecker.declarations import recorded
from typechecker.declarations.entities import Definition, Library, Task
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.declarations.records import FILE, Records, read_file, write_file
from typechecker.program import bodies

TEXTS = {
    "poolings": "import nn\ndef f(x: f32[b, 8, 8, c]) = nn.max_pool(x, 2)\n",
    "transforms": "import fft\ndef f(x: f32[n, m]) = fft.fft2(x)\n",
    "stacks": "def f(x: f32[n], y: f32[n]) = vstack((x, y, x))\n",
    "static functions": "def f(x: f32[*s, n]) = reshape(x, [-1, n])\n",
    "constants": "def f(x: f32[n]) = rad2deg(x * pi)\n",
    "functions of functions": "def f(x: f32[n]) = associative_scan(fn (a, b) -> a + b, x)\n",
    "what is wrong": "def f(x: f32[n], y: f32[m]) = vstack((x, y))\n",
    "what does not exist": "def f(x: f32[n]) = vstak((x, x))\n",
    "what a default refutes": "import stats\ndef f(x: f32[n]) = quantile(x, 0.5, axis=3)\n",
}


@pytest.fixture
def kept(tmp_path: Path) -> Records:
    tmp_path.chmod(0o700)
    return Records(kept=DiskCache(tmp_path, LIBRARY))


def checked(text: str, records: Records) -> CheckResult:
    cache = CheckCache()
    cache.library = Library(records)
    result = check_source(Source("main.dsl", text), cache=cache)
    _ = result.program
    return result


def same(found: CheckResult, without: CheckResult) -> bool:
    """Whether a check with records finds what one without finds, and all is there that its program mentions. One of the
    two may have met more static functions of the library on its way."""
    if found.program is not None:
        verify(found.program)
    one, other = plain_program(found.program), plain_program(without.program)
    own = {key for key in one.keys() ^ other.keys() if key[0] == "main"}
    alike = all(numbered(one[key]) == numbered(other[key]) for key in one.keys() & other.keys())
    return not own and alike and plain(found.diagnostics) == plain(without.diagnostics)


def numbered(declared: Plain) -> str:
    """What is declared, with its variables numbered as they come: how many numbers a check of the library takes depends
    on what was known before it."""
    seen: dict[str, str] = {}
    return re.sub(r"\d{15,}", lambda found: seen.setdefault(found[0], f"v{len(seen)}"), repr(declared))


@pytest.fixture
def elaborated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The definitions of the library whose signature or body is elaborated, as they come."""
    found: list[str] = []

    def noting(name: str) -> None:
        run = getattr(bodies, name)

        def noted(program: ProgramChecker, info: Definition, *rest: object) -> None:
            found.extend([f"{info.name} {name}"] * info.in_library)
            run(program, info, *rest)

        monkeypatch.setattr(bodies, name, noted)

    noting("elaborate_signature")
    noting("_check_body")
    return found


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_check_with_records_finds_the_same_and_elaborates_nothing(
    text: str, kept: Records, elaborated: list[str]
) -> None:
    without = checked(text, Records())
    assert elaborated or "vstak" in text
    assert same(checked(text, kept), without)
    elaborated.clear()
    assert same(checked(text, kept), without)
    assert elaborated == []


@pytest.mark.parametrize("text", [TEXTS["stacks"], TEXTS["transforms"]])
def test_numbers_that_are_drawn_later_are_in_nothing_that_was_read(text: str, kept: Records) -> None:
    checked(text, kept)
    cache = CheckCache()
    cache.library = Library(kept)
    _ = check_source(Source("main.dsl", text), cache=cache).program
    read = [info for module in cache.library.modules.values() for info in module.definitions.values() if info.checked]
    assert len(read) > 5
    for info in read:
        first = next(Task.of(info.module, info.name).ids)
        numbers = {int(found) for found in re.findall(r"\d{15,}", repr(plain(info.checked)))}
        later = next(info.task.ids)
        assert not [number for number in numbers if later <= number < first + (1 << 24)]


def test_a_text_of_the_library_is_one_object_however_many_names_were_looked_for() -> None:
    first = library("random")
    assert not any(library(f"missing_{k}") for k in range(200))
    assert library("random") is first


def test_a_spoiled_record_is_a_miss(kept: Records, elaborated: list[str]) -> None:
    text, chance = TEXTS["stacks"], random.Random(0)
    without = checked(text, Records())
    checked(text, kept)
    assert kept.kept is not None
    for _ in range(6):
        files = [path for _, _, path in kept.kept.entries()]
        for path in chance.sample(sorted(files), len(files) // 3):
            path.write_bytes(_spoiled(path.read_bytes(), chance))
        elaborated.clear()
        assert same(checked(text, kept), without)
        assert elaborated


def _spoiled(data: bytes, chance: random.Random) -> bytes:
    if not data:
        return data
    place = chance.randrange(len(data))
    return chance.choice([data[:place], data + b"x", b"", data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]])


def test_a_record_that_is_whole_but_nonsense_is_a_miss(kept: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXTS["stacks"]
    without = checked(text, Records())
    for nonsense in ("", "[]", "[[], []]", '[["tuple"], [[0]]]', '[["os:system"], ["ls", [0, 0]]]'):
        with monkeypatch.context() as patch:
            patch.setattr(Records, "get", lambda self, name, said=nonsense: said)
            assert same(checked(text, kept), without)


# ---------------------------------------------------------------- the file of the package


@pytest.fixture(scope="module")
def few() -> dict[str, str]:
    """The records of what a text needs, by name."""
    records = Library(Records(kept=None))
    cache = CheckCache()
    cache.library = records
    with pytest.MonkeyPatch.context() as patch:
        found: dict[str, str] = {}
        patch.setattr(recorded, "keep", lambda library: found.update(recorded.recorded(library.fresh)))
        patch.setattr("typechecker.program.check.keep", recorded.keep)
        _ = check_source(Source("main.dsl", TEXTS["stacks"]), cache=cache).program
    return found


def test_the_file_of_the_package_is_read_where_it_is_of_the_release(
    few: dict[str, str], tmp_path: Path, elaborated: list[str]
) -> None:
    path = tmp_path / FILE
    write_file(path, "this release", few.items())
    packaged = read_file(path, "this release")
    assert packaged is not None and read_file(path, "another") is None
    without = checked(TEXTS["stacks"], Records())
    elaborated.clear()
    assert same(checked(TEXTS["stacks"], Records(packaged)), without)
    assert elaborated == []


def test_a_file_that_is_cut_off_or_foreign_is_a_miss(few: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / FILE
    write_file(path, "this release", few.items())
    whole, chance = path.read_bytes(), random.Random(1)
    without = checked(TEXTS["stacks"], Records())
    for data in _damaged(whole, chance):
        path.write_bytes(data)
        assert same(checked(TEXTS["stacks"], Records(read_file(path, "this release"))), without)
    path.unlink()
    assert read_file(path, "this release") is None


def _damaged(whole: bytes, chance: random.Random) -> Iterator[bytes]:
    yield from (b"", b"\n", b"{}\n", b"[1]\n", b'{"mark": "this release"}\n', b'{"mark": "this release", "index": 3}\n')
    yield from (whole[: chance.randrange(len(whole))] for _ in range(6))
    for _ in range(6):
        place = chance.randrange(len(whole))
        yield whole[:place] + bytes([whole[place] ^ 1 << chance.randrange(8)]) + whole[place + 1 :]
