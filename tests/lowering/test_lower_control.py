"""Ops with bodies: the compiled program and the evaluator give the same values and print the same lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from dsl import interp
from dsl.ir.build import Builder, IRTypeError, literal
from dsl.ir.function import Atom, Function, Tensor
from dsl.ir.op import NONE
from dsl.ops.bits import AND, SHIFT_RIGHT_LOGICAL, XOR
from dsl.ops.control import (
    CALL,
    CHECKPOINT,
    COND,
    CUSTOM_JVP,
    CUSTOM_LINEAR,
    SCAN,
    WHILE,
    CallParams,
    CheckpointParams,
    CondParams,
    CustomJvpParams,
    CustomLinearParams,
    ScanParams,
    WhileParams,
)
from dsl.ops.elementwise import add, compare, convert, mul, neg
from dsl.ops.extent import iota
from dsl.ops.io import PRINT, PrintParams
from dsl.ops.layout import broadcast_in_dim
from dsl.types.dtype import ALL, BOOL, F32, I32, I64, DType
from lowering.stablehlo.module import lower
from lowering.xla.compile import compile
from tests.support.lowered import lower_here

F, N, P = Tensor(F32), Tensor(I32), Tensor(BOOL)
V = Tensor(F32, (5,))


def function(types: Sequence[Tensor], write: Callable[..., Sequence[Atom]]) -> Function:
    b = Builder()
    params = [b.param(t) for t in types]
    return b.finish("f", write(b, *params))


def run(f: Function, arguments: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
    arrays = [np.asarray(x, t.dtype.numpy) for x, t in zip(arguments, f.param_types, strict=True)]
    return [np.asarray(y) for y in compile(lower_here(f))(*arrays)]


def check(f: Function, *arguments: Any) -> None:
    arrays = [np.asarray(x, t.dtype.numpy) for x, t in zip(arguments, f.param_types, strict=True)]
    for wanted, got in zip(interp.evaluate(f, arrays), run(f, arguments), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape


def same_prints(f: Function, capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    """Values agree, and so does what is printed; gives that."""
    arrays = [np.asarray(x, t.dtype.numpy) for x, t in zip(arguments, f.param_types, strict=True)]
    wanted = interp.evaluate(f, arrays)
    lines = capsys.readouterr().out
    got = run(f, arguments)
    assert capsys.readouterr().out == lines
    for x, y in zip(wanted, got, strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-6)
    return lines


def say(b: Builder, text: str, *xs: Atom) -> None:
    PRINT(b, PrintParams(text), *xs)


# --- branches and calls ---


@pytest.mark.parametrize("flag", [False, True])
def test_cond_on_a_bool(flag: bool) -> None:
    no = function([F, F], lambda b, x, y: [add(b, x, y), x])
    yes = function([F, F], lambda b, x, y: [mul(b, x, y), literal(7.0, F)])
    f = function([P, F, F], lambda b, p, x, y: COND(b, CondParams((no, yes)), p, x, y))
    check(f, flag, 3.0, 4.0)


@pytest.mark.parametrize(("size", "spelling"), [(5, "stablehlo.select"), (5000, "stablehlo.if")])
@pytest.mark.parametrize("flag", [False, True])
def test_a_choice_between_little_work_is_a_selection(flag: bool, size: int, spelling: str) -> None:
    x = Tensor(F32, (size,))
    no, yes = (function([x], lambda b, x, make=make: [make(b, x, x)]) for make in (add, mul))
    f = function([P, x], lambda b, p, x: COND(b, CondParams((no, yes)), p, x))
    assert spelling in lower(f).text
    check(f, flag, np.full(size, 3.0))


def test_a_chain_of_choices_is_gone_through_once() -> None:
    """Whether one is small was asked of all inside of it, twice at each."""
    body = function([P, F], lambda b, p, x: [x])
    for _ in range(60):
        other = function([P, F], lambda b, p, x: [mul(b, x, x)])
        body = function([P, F], lambda b, p, x, to=(other, body): COND(b, CondParams(to), p, p, x))
    check(body, True, 3.0)
    check(body, False, 3.0)


@pytest.mark.parametrize("index", [0, 1, 2, 5, -1])
def test_cond_on_an_index(index: int) -> None:
    bodies = tuple(function([F], lambda b, x, k=k: [mul(b, x, literal(float(k), F))]) for k in range(3))
    f = function([N, F], lambda b, i, x: COND(b, CondParams(bodies), i, x))
    check(f, index, 2.0)


def test_a_body_is_written_once_however_often_it_is_called() -> None:
    square = function([F], lambda b, x: [mul(b, x, x)])
    twice = function([F], lambda b, x: CALL(b, CallParams(square), *CALL(b, CallParams(square), x)))
    f = function([F], lambda b, x: [*CALL(b, CallParams(twice), x), *CALL(b, CallParams(square), x)])
    text = lower(f).text
    assert text.count("func.func private") == 2
    assert text.count("func.call") == 4
    check(f, 3.0)


def test_checkpoint_and_custom_rules_are_calls() -> None:
    square = function([F], lambda b, x: [mul(b, x, x)])
    rule = function([F, F], lambda b, x, t: [mul(b, x, x), mul(b, x, t)])

    def write(b: Builder, x: Atom) -> Sequence[Atom]:
        (y,) = CHECKPOINT(b, CheckpointParams(square, None, again=True), x)
        return CUSTOM_JVP(b, CustomJvpParams(square, rule), y)

    f = function([F], write)
    assert "optimization_barrier" in lower(f).text
    check(f, 3.0)


# --- loops ---


def scanned(length: int, reverse: bool, unroll: int, width: int) -> Function:
    """Carries a scalar and a constant, stacks two outputs of different shapes."""
    row = Tensor(F32, (width,))

    def body(b: Builder, k: Atom, c: Atom, x: Atom) -> Sequence[Atom]:
        moved = add(b, mul(b, c, literal(0.5, F)), k)
        return [moved, neg(b, x), moved]

    inner = function([F, F, row], body)
    params = ScanParams(inner, 1, 1, length, reverse, unroll)
    return function([F, F, Tensor(F32, (length, width))], lambda b, k, c, xs: SCAN(b, params, k, c, xs))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("length", "unroll"), [(7, 1), (7, 3), (6, 3), (2, 4), (1, 1), (0, 1)])
@pytest.mark.parametrize("width", [2, 600])
def test_scan(length: int, reverse: bool, unroll: int, width: int) -> None:
    f = scanned(length, reverse, unroll, width)
    assert ("stablehlo.while" in lower(f).text) == (width == 600 and length > unroll)
    check(f, 0.25, 2.0, np.arange(width * length).reshape(length, width))


@pytest.mark.parametrize(("length", "kept", "is_loop"), [(12, True, False), (40, True, True), (40, False, False)])
def test_a_loop_that_keeps_every_step_is_written_out_only_if_short(length: int, kept: bool, is_loop: bool) -> None:
    def step(b: Builder, c: Atom, x: Atom) -> Sequence[Atom]:
        total = add(b, c, x)
        return [total, total] if kept else [total]

    params = ScanParams(function([F, F], step), 0, 1, length)
    f = function([F, Tensor(F32, (length,))], lambda b, c, xs: SCAN(b, params, c, xs))
    assert ("stablehlo.while" in lower(f).text) == is_loop
    check(f, 1.0, np.arange(length))


def test_a_short_loop_that_chooses_between_numbers_is_written_out() -> None:
    """Eight bits of a checksum."""
    shifted, turned = function([N], lambda b, c: [c]), function([N], lambda b, c: [*XOR(b, NONE, c, literal(4129, N))])

    def step(b: Builder, c: Atom) -> Sequence[Atom]:
        odd = compare(b, "ne", AND(b, NONE, c, literal(1, N))[0], literal(0, N))
        return COND(b, CondParams((shifted, turned)), odd, *SHIFT_RIGHT_LOGICAL(b, NONE, c, literal(1, N)))

    f = function([N], lambda b, c: SCAN(b, ScanParams(function([N], step), 0, 1, 8), c))
    assert "stablehlo.while" not in lower(f).text
    check(f, np.int32(54321))


@pytest.mark.parametrize("reverse", [False, True])
def test_a_loop_over_a_range_reads_nothing(reverse: bool) -> None:
    def step(b: Builder, c: Atom, i: Atom) -> Sequence[Atom]:
        return [add(b, c, broadcast_in_dim(b, convert(b, i, F32), V.shape, ())), i]

    body = function([V, Tensor(I64)], step)
    params = ScanParams(body, 0, 1, 600, reverse)
    f = function([V], lambda b, c: SCAN(b, params, c, iota(b, I64, (600,), 0)))
    assert "dynamic_slice" not in lower(f).text
    check(f, np.arange(5))


def counted(limit: int | None, *, loud: bool = False) -> Function:
    """Doubles until a bound is passed; the bound is a constant of the condition, the factor one of the
    body."""

    def test(b: Builder, bound: Atom, x: Atom) -> Sequence[Atom]:
        if loud:
            say(b, "test {}", x)
        return [compare(b, "lt", x, bound)]

    def body(b: Builder, factor: Atom, x: Atom) -> Sequence[Atom]:
        if loud:
            say(b, "step {}", x)
        return [mul(b, x, factor)]

    params = WhileParams(function([F, F], test), function([F, F], body), 1, 1, limit)
    return function([F, F, F], lambda b, bound, factor, x: WHILE(b, params, bound, factor, x))


@pytest.mark.parametrize("limit", [None, 0, 3, 100])
@pytest.mark.parametrize("start", [1.0, 1000.0])
def test_while(limit: int | None, start: float) -> None:
    check(counted(limit), 100.0, 2.0, start)


# --- prints ---


def test_prints_come_in_order_through_loops_branches_and_calls(capsys: pytest.CaptureFixture[str]) -> None:
    def loud(b: Builder, x: Atom) -> Sequence[Atom]:
        say(b, "called with {}", x)
        return [mul(b, x, x)]

    quiet, speaker = function([F], lambda b, x: [x]), function([F], loud)
    speak = function([F], lambda b, x: CALL(b, CallParams(speaker), x))

    def body(b: Builder, c: Atom, x: Atom) -> Sequence[Atom]:
        say(b, "carry {} and {}", c, x)
        big = compare(b, "gt", x, literal(1.5, F))
        return [add(b, c, COND(b, CondParams((quiet, speak)), big, x)[0])]

    params = ScanParams(function([F, F], body), 0, 1, 5, unroll=2)

    def write(b: Builder, c: Atom, xs: Atom) -> Sequence[Atom]:
        say(b, "begin")
        (total,) = SCAN(b, params, c, xs)
        say(b, "end {}", total)
        return [total]

    lines = same_prints(function([F, V], write), capsys, 1.0, np.arange(5))
    assert lines.splitlines()[0] == "begin"
    assert lines.splitlines()[-1] == "end 31.0"
    assert lines.count("called with") == 3


@pytest.mark.parametrize("limit", [None, 2, 50])
def test_a_condition_may_print(limit: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    lines = same_prints(counted(limit, loud=True), capsys, 20.0, 2.0, 1.0)
    assert lines.startswith("test 1.0\nstep 1.0\n")


def test_a_program_without_results_prints(capsys: pytest.CaptureFixture[str]) -> None:
    def write(b: Builder, x: Atom) -> Sequence[Atom]:
        say(b, "only {:.2f}", x)
        return []

    assert same_prints(function([F], write), capsys, 2.5) == "only 2.50\n"


def test_calls_of_a_program_that_prints_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    def write(b: Builder, x: Atom) -> Sequence[Atom]:
        say(b, "{}", x)
        return [x]

    program = compile(lower_here(function([F], write)))
    for k in range(20):
        program(np.float32(k))
    assert capsys.readouterr().out.split() == [f"{k}.0" for k in range(20)]


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_values_of_every_dtype_are_printed(dtype: DType, capsys: pytest.CaptureFixture[str]) -> None:
    def write(b: Builder, x: Atom, xs: Atom) -> Sequence[Atom]:
        say(b, "{} {}", x, xs)
        return []

    same_prints(function([Tensor(dtype), Tensor(dtype, (2, 2))], write), capsys, 1, np.eye(2))


class Torn(Exception):
    """What a host function raises in a test."""


def test_an_exception_on_the_host_arrives_as_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(b: Builder, x: Atom) -> Sequence[Atom]:
        say(b, "{}", x)
        return [x]

    def broken(*_: object) -> None:
        raise Torn("no paper")

    program = compile(lower_here(function([F], write)))
    monkeypatch.setattr("builtins.print", broken)
    with pytest.raises(Torn, match="no paper"):
        program(np.float32(1))


def test_an_op_that_should_have_been_expanded_is_named() -> None:
    bwd = function([F], lambda b, ct: [ct])
    f = function([F], lambda b, t: CUSTOM_LINEAR(b, CustomLinearParams(bwd, 0), t))
    with pytest.raises(IRTypeError, match="`custom_linear` has to be expanded"):
        lower(f)
