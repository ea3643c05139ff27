"""Checks that are kept on disk: what is known is what the checker says, and whatever happens to a file is a miss."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

import dsl
import typechecker
from dsl.diagnostics.source import Source
from dsl.disk_cache import DiskCache
from dsl.host.checking import known_checks
from dsl.host.checking.deferred import Deferred, deferred
from dsl.host.checking.known_checks import KIND, Check
from tests.support.checked import differences, with_program
from typechecker import CheckResult

ROOT = Path(__file__).parents[3]
MODEL = """import layers

def model(w: f32[n], x: f32[m, n]) -> f32[m] = layers.scaled(x @ w)
def loss(w: f32[n]) -> f32 = sum(w * w)
"""
LAYERS = "def scaled(x: f32[n]) -> f32[n] = x * 2.0\n"
STUCK = """
enum Way = wide(by: float, times: int) | narrow
static def log2(n: int) -> int = if n <= 1 then 0 else 1 + log2(n // 2)
static def all_even(n: int) -> bool = n == 0 or (n % 2 == 0 and all_even(n // 2))
static def width(way: Way) -> int =
    match way with
        wide(by, times) -> if by > 0.5 then 2 * times else times
        narrow -> 1
def levels(x: f32[n], y: f32[log2(n)]) -> f32[log2(n)] = y * 2.0
def evens(x: f32[n]) -> f32[n] where all_even(n) = x + 1.0
def widened(x: f32[n], static way: Way) -> f32[width(way)] = zeros([width(way)])
def copies(x: f32[*s], static reps: ints) = tile(x, reps)
def padded(x: f32[*s]) = pad(x, 1)
def turned(x: f32[*s], static k: int, static axis: axes = none) -> f32[*s]
    where has_axis(s, axis) = roll(x, k, axis=axis)
def powers(x: f32[n]) -> f32[2 ** n] = zeros([2 ** n])
def scaled(x: f32, static by: float) -> f32 where by > 0.5 or exp(by) < 1.0 = x * by
"""
WRONG = "def f(x: f32[n], y: f32[m]) -> f32[n] = x + y\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program in it, and an empty cache; nothing of the library is checked yet, as in a new process."""
    monkeypatch.setattr("dsl.host.programs.program._checks", lambda: None)
    monkeypatch.setenv("DSL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("DSL_CACHE")
    (tmp_path / "model.dsl").write_text(MODEL)
    (tmp_path / "layers.dsl").write_text(LAYERS)
    return tmp_path


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the texts that were really checked."""
    seen: list[str] = []
    original = typechecker.check_source

    def counted(source: Source, **options: Any) -> CheckResult:
        seen.append(source.name)
        return original(source, **options)

    monkeypatch.setattr(typechecker, "check_source", counted)
    return seen


def check(folder: Path, name: str = "model.dsl") -> CheckResult:
    found = Check(Source(name, (folder / name).read_text()), folder, lambda: None)
    result = with_program(CheckResult(found.diagnostics, None), found.program)
    deferred().finish()
    return result


def records(folder: Path) -> list[Path]:
    return sorted((folder / "cache").glob(f"*.{KIND}"))


def test_a_text_is_checked_once(folder: Path, checks: list[str]) -> None:
    first, second = check(folder), check(folder)
    assert checks == ["model.dsl"]
    assert first.program is not None
    assert differences(second, first) == []


def test_what_is_wrong_is_known_too(folder: Path, checks: list[str]) -> None:
    (folder / "wrong.dsl").write_text(WRONG)
    first, second = check(folder, "wrong.dsl"), check(folder, "wrong.dsl")
    assert first.diagnostics[0].code.startswith("E04")
    assert differences(second, first) == []
    assert set(checks) == {"wrong.dsl"}


def test_a_known_program_computes_what_it_did(folder: Path, checks: list[str]) -> None:
    for _ in range(2):
        program = dsl.load(folder / "model.dsl")
        assert program.model(np.ones(2, np.float32), np.ones((3, 2), np.float32)).tolist() == [4.0, 4.0, 4.0]
        deferred().finish()
    assert len(checks) == 1


def test_calls_in_types_are_computed_by_what_is_known(folder: Path, checks: list[str]) -> None:
    (folder / "stuck.dsl").write_text(STUCK)
    x = np.arange(4, dtype=np.float32)
    for _ in range(2):
        p = dsl.load(folder / "stuck.dsl")
        deferred().finish()
        assert p.levels(x, x[:2]).tolist() == [0, 2]
        assert p.evens(x[:0]).shape == (0,)
        with pytest.raises(dsl.DslError):
            p.evens(x)
        assert p.copies(x.reshape(2, 2), reps=(2, 3)).shape == (4, 6)
        assert p.padded(x).tolist() == [0, 0, 1, 2, 3, 0]
        assert p.turned(x, k=1).tolist() == [3, 0, 1, 2]
        assert p.powers(x).shape == (16,)
        assert p.scaled(x[1], by=-2.0) == -2.0
        with pytest.raises(dsl.DslError):
            p.scaled(x[1], by=0.25)
        assert [p.widened(x, way=p.Way.wide(by, 3)).shape for by in (0.25, 0.75)] == [(3,), (6,)]
    assert len(checks) == 1


def test_what_transformations_may_be_applied_to_is_known(folder: Path, checks: list[str]) -> None:
    for _ in range(3):
        program = dsl.load(folder / "model.dsl")
        assert dsl.grad(program.loss)(np.ones(2, np.float32)).tolist() == [2.0, 2.0]
        with pytest.raises(dsl.TransformError):
            dsl.grad(program.model)
        deferred().finish()
    assert len(checks) <= 2


@pytest.mark.parametrize(
    ("name", "text"), [("layers.dsl", LAYERS + "# changed\n"), ("layers.dsl", WRONG), ("model.dsl", MODEL + "\n")]
)
def test_a_text_that_changed_is_checked_again(folder: Path, checks: list[str], name: str, text: str) -> None:
    check(folder)
    (folder / name).write_text(text)
    check(folder)
    assert len(checks) == 2


def test_a_module_that_turns_up_or_goes_is_seen(folder: Path, checks: list[str]) -> None:
    (folder / "layers.dsl").unlink()
    assert check(folder).program is None
    (folder / "layers.dsl").write_text(LAYERS)
    assert check(folder).program is not None
    (folder / "layers.dsl").unlink()
    assert check(folder).program is None
    assert len(records(folder)) == 2


def test_other_code_knows_nothing(folder: Path, checks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    check(folder)
    monkeypatch.setattr(known_checks, "code_mark", lambda: "another version")
    check(folder)
    assert len(checks) == 2


# ---------------------------------------------------------------- what can happen to a file


def spoiled(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    """A file after an accident: bits flipped, cut off, replaced by another, lengthened, or well formed with a part that
    nobody has written."""
    match chance.randrange(6):
        case 0:
            place = chance.randrange(len(data))
            return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]
        case 1:
            return data[: chance.randrange(len(data))]
        case 2:
            return chance.choice(others)
        case 3:
            return data + bytes(chance.randrange(1, 9))
        case 4:
            return b""
        case _:
            return chance.randbytes(chance.randrange(200))


def forged(parts: list[str], chance: random.Random) -> str:
    """A record whose digest is right, and one of whose rows is not what was written."""
    table = json.loads(parts[1])
    row = chance.randrange(len(table[1]))
    table[1][row] = chance.choice([None, [], [0], [99, 1], [0, 99999], "x", {}, [0, [1]]])
    return "\n".join([parts[0], json.dumps(table)])


def test_accidents_are_misses(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(folder)
    expected = typechecker.check_source(Source("model.dsl", MODEL), folder=folder)  # with the library from records
    shutil.rmtree(folder / "cache")
    with monkeypatch.context() as patch:
        patch.setattr(typechecker, "check_source", lambda *_, **__: expected)
        check(folder)
    wholes = {path: path.read_bytes() for path in records(folder)}
    (folder / "other.dsl").write_text(LAYERS)
    check(folder, "other.dsl")
    others = [other.read_bytes() for other in records(folder) if other not in wholes]
    monkeypatch.setattr(typechecker, "check_source", lambda *_, **__: expected)
    chance = random.Random(7)
    for _ in range(300):
        path, whole = chance.choice([*wholes.items()])
        path.write_bytes(spoiled(whole, others, chance))
        assert check(folder).program is expected.program
        assert path.read_bytes() == whole


def test_a_forged_record_raises_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = typechecker.check_source(Source("model.dsl", MODEL), folder=folder)
    check(folder)
    store = DiskCache(folder / "cache", KIND)
    wholes = {path.stem: store.get(path.stem) for path in records(folder)}
    monkeypatch.setattr(typechecker, "check_source", lambda *_, **__: expected)
    chance = random.Random(7)
    for _ in range(100):
        name, whole = chance.choice([*wholes.items()])
        assert whole is not None
        store.put(name, forged(whole.decode().split("\n"), chance).encode())
        check(folder)


ONE = """
import sys
from pathlib import Path
from dsl.diagnostics.source import Source
from dsl.host.checking.deferred import deferred
from dsl.host.checking.known_checks import Check
folder = Path(sys.argv[1])
def check():
    found = Check(Source("model.dsl", (folder / "model.dsl").read_text()), folder, lambda: None)
    names = sorted(found.program.modules["model"].functions)
    deferred().finish()
    return names
"""
EIGHT = """
import os, signal, typechecker.program.check
children = []
for number in range(8):
    children.append(os.fork())
    if children[-1] == 0:
        os._exit(0 if check() == ["loss", "model"] else 1)
os.kill(children[0], signal.SIGKILL)
print([os.waitpid(child, 0)[1] for child in children[1:]])
"""


def process(code: str, folder: Path) -> str:
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + done.stderr


def test_processes_that_race_say_the_same(folder: Path) -> None:
    assert process(ONE + EIGHT, folder) == "[0, 0, 0, 0, 0, 0, 0]\n"
    say = "print(check(), {'typechecker.program.check', 'dsl.syntax.parse'} & set(sys.modules))"
    assert process(ONE + say, folder) == "['loss', 'model'] set()\n"


def test_a_folder_that_cannot_be_used_costs_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(folder / "cache", ignore_errors=True)
    (folder / "cache").write_text("a file")
    assert check(folder).program is not None
    assert os.environ["DSL_CACHE_DIR"] == str(folder / "cache")


@pytest.mark.parametrize("fault", [AssertionError, RecursionError, IndexError])
def test_what_the_checker_must_not_raise_is_a_bug_that_says_so(
    monkeypatch: pytest.MonkeyPatch, fault: type[Exception]
) -> None:
    def fail(*_: object, **__: object) -> CheckResult:
        raise fault("of the checker")

    monkeypatch.setattr(typechecker, "check_source", fail)
    with pytest.raises(dsl.InternalError, match=f"could not be checked: {fault.__name__}: of the checker") as found:
        dsl.program("def f(x: f32) -> f32 = x + 0.0625")
    assert isinstance(found.value.__cause__, fault)


# ---------------------------------------------------------------- work that nobody waits for


def test_the_record_of_a_program_is_written_behind_it(folder: Path) -> None:
    found = Check(Source("model.dsl", MODEL), folder, lambda: None)
    assert found.program is not None
    assert len(records(folder)) == 1
    deferred().finish()
    assert len(records(folder)) == 2


def test_a_command_that_checks_assembles_no_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CheckResult, "program", property(lambda result: pytest.fail("assembled")))
    assert Check(Source("model.dsl", MODEL), folder, lambda: None).diagnostics == ()


def test_tasks_are_done_in_their_order_and_at_the_end_at_the_latest() -> None:
    done: list[int] = []
    later = Deferred(pause=3600.0)
    for k in range(5):
        later.add(partial(done.append, k))
    assert done == []
    later.finish()
    assert done == [0, 1, 2, 3, 4]
    later.add(partial(done.append, 5))
    assert done == [0, 1, 2, 3, 4]
    later.finish()
    assert done[-1] == 5


def test_tasks_are_done_after_a_pause() -> None:
    done = Event()
    Deferred(pause=0.01).add(done.set)
    assert done.wait(60.0)


def test_a_process_that_ends_has_written_its_records(folder: Path) -> None:
    code = f"import dsl; dsl.load({str(folder / 'model.dsl')!r}).model"
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
    assert len(records(folder)) == 2
