"""With little effort a program is there soon, and one that is compiled in full takes its place."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dsl
from lowering.xla import adapter, cache, compile
from lowering.xla.backends import choice

pytestmark = pytest.mark.cpu

PROGRAM = """
def f(x: f32[n]) -> f32[n] = tanh(x) * 2.0 + sin(x)
def spoken(x: f32) -> f32 ! io =
    print("x is {}", x)
    x
"""
X = np.linspace(-1, 1, 50, dtype="f4")


class Gate:
    """Compilations in full wait for `open`, and fail by `fault`. `efforts` has the optimisation levels in order."""

    def __init__(self, compiled: Any) -> None:
        self.open = threading.Event()
        self.efforts: list[object] = []
        self.fault: Exception | None = None
        self._compiled = compiled

    def __call__(self, client: Any, text: str, chosen: Any, options: compile.Options) -> Any:
        level = dict(options).get("xla_backend_optimization_level")
        if level != 0:
            assert self.open.wait(60)
            if self.fault is not None:
                raise self.fault
        self.efforts.append(level)
        return self._compiled(client, text, chosen, options)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    monkeypatch.setenv("DSL_CACHE", "off")
    made = Gate(adapter.compile_text)
    monkeypatch.setattr(adapter, "compile_text", made)
    yield made
    made.open.set()


def test_calls_run_the_first_program_until_the_full_one_is_there(gate: Gate) -> None:
    f = dsl.jit(dsl.program(PROGRAM).f, effort="fast")
    wanted = np.tanh(X) * 2 + np.sin(X)
    x = dsl.array(X)
    for _ in range(3):
        np.testing.assert_allclose(f(x), wanted, rtol=1e-5)
    executable = f.compile(x)
    first = executable.raw
    assert gate.efforts == [0]
    gate.open.set()
    assert executable.finish().raw is not first
    assert len(gate.efforts) == 2
    for given in (x, x, X):
        np.testing.assert_allclose(f(given), wanted, rtol=1e-5)
    assert f.compile(x) is executable


def test_costs_and_memory_are_those_of_the_full_program(gate: Gate) -> None:
    program = dsl.program(PROGRAM)
    gate.open.set()
    assert dsl.jit(program.f, effort="fast").memory(X).peak == program.f.memory(X).peak


@pytest.mark.parametrize("fault", [ValueError("no such flag"), MemoryError("too large")])
def test_a_failure_in_the_thread_leaves_the_first_program(
    gate: Gate, caplog: pytest.LogCaptureFixture, fault: Exception
) -> None:
    gate.fault = fault
    gate.open.set()
    f = dsl.jit(dsl.program(PROGRAM).f, effort="fast")
    with caplog.at_level(logging.WARNING, "dsl"):
        executable = f.compile(X).finish()
    assert "stays compiled with little effort" in caplog.text
    assert executable.finish().raw is executable.raw
    np.testing.assert_allclose(f(X), np.tanh(X) * 2 + np.sin(X), rtol=1e-5)


def test_what_is_on_the_disk_is_not_compiled_with_little_effort(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("DSL_CACHE", "on")
    monkeypatch.setenv("DSL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(cache, "WORTH", 0.0)
    gate.open.set()
    lowered = dsl.program(PROGRAM).f.lower(X).stablehlo
    compile.compile(lowered)
    assert compile.compile(lowered, effort="fast").finish().lowered is lowered
    assert gate.efforts == [None]


def test_a_program_that_prints_is_compiled_in_full() -> None:
    lowered, place = dsl.program(PROGRAM).spoken.lower(1.0).stablehlo, choice().place
    made = compile.compile(lowered, effort="fast")
    assert made.finish() is made
    assert not compile._may_be_replaced(lowered, place)


def test_the_flags_differ_in_effort_alone() -> None:
    lowered, place = dsl.program(PROGRAM).f.lower(np.zeros(5000, "f4")).stablehlo, choice().place
    flags = compile.flags_for(lowered, place)
    full, fast = dict(flags), dict(compile.with_little_effort(flags))
    assert fast.pop("xla_backend_optimization_level") == 0
    modules = "xla_cpu_parallel_codegen_split_count"
    assert fast.pop(modules) == 1
    assert fast.keys() == full.keys() - {modules}
    assert fast[adapter.EXTRA].items() > full[adapter.EXTRA].items()


def test_jit_keeps_the_effort_and_says_where_it_would_be_lost() -> None:
    f = dsl.jit(dsl.program(PROGRAM).f, effort="fast")
    assert dsl.jit(f, donate="x").effort == "fast"
    assert dsl.jit(dsl.program(PROGRAM).f).effort == "full"
    with pytest.raises(dsl.TransformError, match=r"`effort` of `dsl\.jit` would be lost"):
        dsl.vmap(f)
    slow: Any = "slow"
    with pytest.raises(dsl.TransformError, match=r"`effort` is .*, not 'slow'"):
        dsl.jit(f, effort=slow)
