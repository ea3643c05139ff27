"""Calls after the first: that they find the right program, and only that one."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import dsl
from dsl.staging.stage import Staged, stage
from lowering.xla.backends import here

TEXT = """
enum Kind = Once | Twice
def twice(x: f32[n]) -> f32[n] = x * 2.0
def both(x: f32[n], y: f32[n]) -> (f32[n], f32[n]) = (x + y, x - y)
def wide(x: f64[n]) -> f64[n] = x * 2.0
def record(p: {w: f32[n], b: f32}, x: f32[n]) -> f32[n] = p.w * x + p.b
def pair(p: (f32[n], f32)) -> f32[n] = p.0 * p.1
def times(x: f32[n], static k: int, *, static kind: Kind = Once) -> f32[n] =
    match kind with
        Once -> x * f32(k)
        Twice -> x * f32(k) * 2.0
def scaled(x: f32[n], lr: f32) -> f32[n] = x * lr
def chosen(x: f32[n], i: idx[n]) -> f32 = x[i]
def root(x: f32[n]) -> f32[n] ! check =
    assert min(x) >= 0.0, "negative"
    sqrt(x)
def noise(x: f32[n]) -> f32[n] ! rand = x + random.normal(fresh_key(), [n])
import random
def nothing(x: f32) -> () = ()
"""
X = np.arange(3, dtype=np.float32)


class Pair(NamedTuple):
    w: Any
    b: Any


@dataclass
class Boxed:
    w: Any
    b: Any


@pytest.fixture
def program() -> dsl.Program:
    return dsl.program(TEXT)


def test_every_kind_of_argument_after_every_other(program: dsl.Program) -> None:
    """The quick paths are tried in the order of the last calls, so each must refuse what is not its own."""
    kinds: list[Callable[[np.ndarray[Any, Any]], Any]] = [
        lambda x: x,
        dsl.array,
        lambda x: x.tolist(),
        lambda x: x.astype(">f4"),
        lambda x: x[::-1][::-1],
        lambda x: tuple(x),
    ]
    sizes = [X, np.arange(5, dtype=np.float32)]
    for first in kinds:
        for second in kinds:
            for x in sizes:
                np.testing.assert_array_equal(program.twice(first(x)), x * 2)
                np.testing.assert_array_equal(program.twice(second(x)), x * 2)
                total, difference = program.both(first(x), second(x))
                np.testing.assert_array_equal(total, x + x)
                np.testing.assert_array_equal(difference, x - x)


def test_a_lossy_conversion_is_refused_after_one_that_is_not(program: dsl.Program) -> None:
    for x in (X, X.astype(np.float64), X.astype(np.int32), dsl.array(X)):
        np.testing.assert_array_equal(program.wide(x), X * 2)
    with pytest.raises(dsl.ArgumentError) as caught:
        program.wide(X.astype(np.int64))
    assert caught.value.code == "E0902"


def test_records_come_in_every_container(program: dsl.Program) -> None:
    expected = X * X + 1
    one = np.float32(1)
    for box in (dict, Pair, Boxed, dict, Boxed, Pair):
        for w, b in ((X, one), (dsl.array(X), dsl.array(one)), (X, 1.0), (X, 1)):
            np.testing.assert_array_equal(program.record(box(w=w, b=b), X), expected)
    np.testing.assert_array_equal(program.record({"b": one, "w": X}, X), expected)
    with pytest.raises(dsl.ArgumentError):
        program.record({"w": X}, X)
    with pytest.raises(dsl.ArgumentError):
        program.record({"w": X, "c": one}, X)
    for p in ((X, 2.0), [X, 2.0], (X, one * 2)):
        np.testing.assert_array_equal(program.pair(p), X * 2)


def test_numbers_are_looked_at_in_every_call(program: dsl.Program) -> None:
    for lr in (0.5, 1, 2.0, np.float32(3), 1e30):
        np.testing.assert_allclose(program.scaled(X, lr), X * np.float32(lr))
    with pytest.raises(dsl.ArgumentError) as caught:
        program.scaled(X, 1e300)
    assert caught.value.code == "E0910"
    assert float(program.chosen(X, 2)) == 2.0
    with pytest.raises(dsl.ArgumentError) as caught:
        program.chosen(X, 3)
    assert caught.value.code == "E0912"


def test_what_is_compiled_anew(program: dsl.Program) -> None:
    calls: list[tuple[tuple[Any, ...], dict[str, Any], int]] = [
        ((X, 2), {}, 1),
        ((X + 1, 2), {}, 1),
        ((dsl.array(X),), {"k": 2}, 1),
        ((), {"k": 2, "x": X}, 1),
        ((), {"x": X, "k": 2}, 1),
        ((X[:2], 2), {}, 2),
        ((X, 3), {}, 3),
        ((X, 2), {"kind": program.Twice}, 4),
        ((X, 2), {"kind": program.Twice}, 4),
        ((X,), {"kind": program.Once, "k": 2}, 5),
    ]
    for args, kwargs, size in calls:
        given = dict(zip(("x", "k"), args, strict=False)) | kwargs
        factor = 2 if kwargs.get("kind") == program.Twice else 1
        found = program.times(*args, **kwargs)
        np.testing.assert_array_equal(found, np.asarray(given["x"]) * given["k"] * factor)
        assert program.times.cache_info().size == size
    assert program.times.cache_info() == dsl_info(hits=5, misses=5)


def dsl_info(hits: int, misses: int) -> Any:
    kind: Any = type(dsl.program("def f(x: f32) -> f32 = x").f.cache_info())
    return kind(hits, misses, misses)


def test_wrong_calls_after_right_ones(program: dsl.Program) -> None:
    program.twice(X)
    for args, kwargs in (((), {}), ((X, X), {}), ((X,), {"x": X}), ((X,), {"y": X}), (("x",), {}), ((None,), {})):
        with pytest.raises(dsl.ArgumentError):
            program.twice(*args, **kwargs)
    with pytest.raises(dsl.ArgumentError):
        program.twice(X.astype(np.float64))


def test_keys_and_checks(program: dsl.Program) -> None:
    first, again, other = (np.asarray(program.noise(X, key=k)) for k in (1, dsl.key(1), 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    for _ in range(3):
        np.testing.assert_array_equal(program.root(X * X), X)
        failed = program.root(-X)
        with pytest.raises(dsl.CheckError):
            np.asarray(program.twice(failed))
    ready = program.root(X)
    np.asarray(ready)
    np.testing.assert_array_equal(program.twice(ready), np.sqrt(X) * 2)
    assert program.nothing(1.0) == program.nothing(2.0) == ()


def test_threads(program: dsl.Program) -> None:
    """Many threads call the same functions at once, the first time and later: all results are right, and nothing is
    compiled twice."""
    wrong: list[str] = []
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for k in range(60):
            x = np.full(k % 4 + 1, number, np.float32)
            given = x if k % 2 else dsl.array(x)
            if not np.array_equal(program.twice(given), x * 2):
                wrong.append(f"twice {number}")
            if not np.array_equal(program.record({"w": given, "b": 1.0}, x), x * x + 1):
                wrong.append(f"record {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert program.twice.cache_info().size == program.record.cache_info().size == 4


def test_out_of_memory() -> None:
    ones = dsl.program("def f(static n: int) -> f32[n, n] = ones([n, n])").f
    assert ones(3).shape == (3, 3)
    with pytest.raises(dsl.DeviceError, match="does not fit into the memory") as caught:
        ones(2**20)
    assert caught.value.code == "E1001"


LARGE = """
def ordered(x: f32[n]) -> f32 = sum(sort(x[:, None] * x[None, :]))
def squares(x: f32[n]) -> f32 = sum(x ** 2)
"""


@pytest.mark.parametrize("use", ["call", "compile", "cost", "lower"])
def test_what_is_needed_on_the_way_is_known_before_the_run(use: str) -> None:
    ordered, x = dsl.program(LARGE).ordered, np.ones(10**6, np.float32)
    with pytest.raises(dsl.DeviceError, match="it needs 8,000,000,000,004 bytes beside its arguments"):
        ordered(x) if use == "call" else ordered.lower(x).compile() if use == "lower" else getattr(ordered, use)(x)


@pytest.mark.parametrize("read", [np.asarray, float, str, lambda x: x.block_until_ready(), lambda x: x + 1])
def test_a_result_that_found_no_memory_says_so(read: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where others have taken the memory that the machine has; the process goes on."""
    monkeypatch.setattr(here(), "memory", 1 << 60)
    with pytest.raises(dsl.DeviceError, match=r"(does|did) not fit") as caught:
        read(dsl.program(LARGE).ordered(np.ones(10**6, np.float32)))
    assert caught.value.code == "E1001"


def test_a_bug_is_called_a_bug(program: dsl.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **options: object) -> None:
        raise KeyError("gone")

    monkeypatch.setattr("dsl.host.compiling.compile_errors.lower", broken)
    with pytest.raises(dsl.InternalError, match="please report") as caught:
        program.twice(X)
    assert isinstance(caught.value.__cause__, KeyError)
    assert "The IR after" in caught.value.__notes__[0]
    assert "mul" in caught.value.__notes__[0]
    assert not isinstance(caught.value, dsl.DslError)


def test_what_xla_refuses_is_shown(program: dsl.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(lowered: Any, **_: Any) -> None:
        failure: Any = __import__("lowering.xla.compile", fromlist=["CompilationFailed"]).CompilationFailed
        raise failure("twice", "no", "the text")

    monkeypatch.setattr("dsl.host.functions.specialisation.compile", refuse)
    with pytest.raises(dsl.InternalError) as caught:
        program.twice(X)
    assert caught.value.__notes__ == ["What XLA refused:\nthe text"]


def test_few_functions_stand_between_a_call_and_staging(program: dsl.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[list[str]] = []

    def watched(*args: Any) -> Staged:
        frames = traceback.extract_stack()
        found.append(
            [frame.name for frame in frames if "/dsl/host/" in frame.filename and "/tests/" not in frame.filename]
        )
        return stage(*args)

    monkeypatch.setattr("dsl.host.functions.specialisation.stage", watched)
    program.twice(np.arange(17, dtype=np.float32))
    assert found == [["_called", "entry", "program", "entry", "compiled", "staged"]]


def test_memory_given_to_a_call_may_be_written_afterwards(program: dsl.Program) -> None:
    x = X.copy()
    results = []
    for k in range(20):
        x[:] = k
        results.append(program.twice(x))
    assert [float(r[0]) for r in results] == [2.0 * k for k in range(20)]


@pytest.mark.parametrize("use", ["call", "interpret", "compile"])
@pytest.mark.parametrize("name", ["stated", "unstated", "within"])
def test_a_function_is_no_result_for_python(name: str, use: str) -> None:
    function = getattr(
        dsl.program(
            "def stated(k: f32) -> (f32) -> f32 = fn x -> x * k\n"
            "def unstated(k: f32) = fn x -> x * k\n"
            "def within(k: f32) = {value = k, act = sin}"
        ),
        name,
    )
    with pytest.raises(dsl.ArgumentError) as caught:
        function(2.0) if use == "call" else getattr(function, use)(2.0)
    assert caught.value.code == "E0917"
