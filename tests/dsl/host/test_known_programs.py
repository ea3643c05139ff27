"""Lowered programs that are kept on disk: what is known computes what was made, and whatever happens to a file is a
miss."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.host.checking.known_checks import KIND
from dsl.host.functions import specialisation
from dsl.host.functions.compiler import Compiler
from dsl.staging.stage import Staged

TEXT = """
type Pair[n] = {low: f32[n], high: f32}

def halved(x: f32[n], static by: float) -> f32[n] = x / by
def bounds(x: f32[n]) -> Pair[n] = {low = x - 1.0, high = sum(x)}
def root(x: f32) -> f32 ! check =
    assert x >= 0.0, "negative"
    sqrt(x)
def energy(x: f32[n], y: f32[n]) -> f32 = sum(x * y * y)
def drawn(k: key) -> f32[2] = random.normal(k, [2])
def shown(x: f32) -> f32 ! io =
    print("{}", x)
    x + 1.0
import random
"""
X = np.arange(2, dtype=np.float32)


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The functions whose programs were really made, beside an empty cache."""
    monkeypatch.setattr("dsl.host.programs.program._checks", lambda: None)
    monkeypatch.setenv("DSL_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("DSL_CACHE")
    seen: list[str] = []
    original = specialisation.staged

    def counted(compiler: Compiler, *rest: Any) -> Staged:
        seen.append(compiler.callee.name)
        return original(compiler, *rest)

    monkeypatch.setattr(specialisation, "staged", counted)
    return seen


def results(program: Any) -> list[Any]:
    """What calls of all kinds give."""
    pair = program.bounds(X)
    assert type(pair) is dict
    gradient = dsl.grad(program.energy, argnums=1)
    found = [program.halved(X, by=2.0), pair["low"], pair["high"], program.root(4.0), gradient(X, X), program.drawn(0)]
    return [np.asarray(x).tolist() for x in found]


def test_a_program_is_made_once(made: list[str]) -> None:
    first, second = (results(dsl.program(TEXT)) for _ in range(2))
    assert first == second
    assert first[:4] == [[0.0, 0.5], [-1.0, 0.0], 1.0, 2.0]
    assert len(made) == 5


@pytest.mark.cpu
def test_programs_over_several_devices_are_made_anew(made: list[str]) -> None:
    x = dsl.device_put(np.ones(4, np.float32), dsl.Sharding(dsl.devices("cpu")[:2]))
    found = [float(dsl.program(TEXT).energy(given, given)) for given in (x, np.asarray(x), x, np.asarray(x))]
    assert found == [4.0] * 4
    assert made == ["energy"] * 3


def test_a_known_check_fails_where_the_text_says(made: list[str]) -> None:
    for _ in range(2):
        with pytest.raises(dsl.CheckError, match="negative") as caught:
            float(dsl.program(TEXT).root(-1.0))
        assert caught.value.diagnostics[0].primary.span.text.startswith("assert x >= 0.0")
    assert len(made) == 1


def test_what_makes_another_program_asks_for_another(made: list[str]) -> None:
    for by in (0.5, -0.0, 0.0, np.inf):
        with np.errstate(all="ignore"):
            expected = X / np.float32(by)
        for _ in range(2):
            np.testing.assert_array_equal(dsl.program(TEXT).halved(X, by=by), expected)
    assert len(made) == 4
    for argnums, expected in ((0, X * X), (1, 2 * X * X)):
        np.testing.assert_array_equal(dsl.grad(dsl.program(TEXT).energy, argnums=argnums)(X, X), expected)
    dsl.program(TEXT).halved(X[:1], by=0.5)
    for _ in range(2):
        given = dsl.array(X)
        assert dsl.jit(dsl.program(TEXT).halved, donate="x")(given, by=0.5).tolist() == [0.0, 2.0]
        with pytest.raises(dsl.DeviceError):
            given.tolist()
    assert len(made) == 9
    assert dsl.program(TEXT.replace("x - 1.0", "x - 2.0")).bounds(X)["low"].tolist() == [-2.0, -1.0]


def test_what_prints_is_made_in_every_process(made: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        dsl.program(TEXT).shown(1.0).block_until_ready()
    assert len(made) == 2 and capfd.readouterr().out.count("1.0") == 2


def test_damaged_programs_are_misses(made: list[str], tmp_path: Path) -> None:
    expected = dsl.program(TEXT).halved(X, by=2.0).tolist()
    kept = {path: path.read_bytes() for path in tmp_path.glob(f"*.{KIND}")}
    draw = random.Random(0)
    for _ in range(6):
        for path, data in kept.items():
            at, other = draw.randrange(len(data)), draw.choice(list(kept.values()))
            path.write_bytes(draw.choice([data[:at], data[:at] + b"#" + data[at + 1 :], other]))
        assert dsl.program(TEXT).halved(X, by=2.0).tolist() == expected
    assert len(made) > 2
