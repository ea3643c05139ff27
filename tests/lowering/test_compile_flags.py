"""Flags suit the program: how many elements an operation computes in the mean, and which loops become one function."""

from __future__ import annotations

import numpy as np
import pytest

import dsl
from lowering.lowered import FUSIBLE, CompileHints, Lowered
from lowering.stablehlo.work import STEPS
from lowering.xla import adapter, compile
from lowering.xla.backends import choice
from lowering.xla.places import Device

pytestmark = pytest.mark.cpu

EMITTERS = "xla_cpu_disable_new_fusion_emitters"
PROGRAMS = """
def once(x: f64[n]) -> f64[n] = sin(x)
def looped(x: f64[n]) -> f64 = fold c = 0.0 for v in x do sin(c + v)
def decided(x: f64[n]) -> f64 ! div where n >= 1 = iterate c = sum(x) while c < 10.0 do c + exp(c)
def lines(x: f64[n, m]) -> f64[n] = sum(exp(x), axis=1) + prod(x, axis=1)
def columns(x: f64[n, m]) -> f64[m] = sum(exp(x), axis=0)
def longest(x: f64[n, m]) -> f64[n] where m >= 1 = max(x * x, axis=1)
def short(x: f64[n, m]) -> f64[n] where m >= 1 = max(x * x, axis=1)
def pendulum(x: f64, v: f64, static steps: size) -> (f64, f64) =
    fold (x, v) = (x, v) for _ in range(steps) do
        let v = v - 0.01 * sin(x)
        (x + 0.01 * v, v)
"""


def lowered(name: str, *args: object, **statics: int) -> Lowered:
    found: Lowered = getattr(dsl.program(PROGRAMS), name).lower(*args, **statics).stablehlo
    return found


def flags(
    elements: int,
    platform: str = "cpu",
    pointwise: int = 0,
    text: str = "",
    in_place: bool = False,
    minor: bool = False,
    guarded: bool = False,
) -> dict[str, object]:
    place = choice().place
    if platform != "cpu":
        place = type("Place", (), {"devices": (Device(platform, 0, 0),)})()
    program = Lowered("f", text, (), (), hints=CompileHints(pointwise, elements, in_place, minor, guarded))
    return dict(compile.flags_for(program, place))


def test_an_operation_counts_as_often_as_it_runs() -> None:
    assert lowered("once", np.zeros(5000)).hints.elements == 5000
    assert lowered("looped", np.zeros(5000)).hints.elements == 1
    assert lowered("decided", np.zeros(1000)).hints.elements < 1000 / STEPS


@pytest.mark.parametrize(
    ("elements", "text", "in_place", "minor", "older", "unrolled"),
    [
        (compile.HANDFUL, "stablehlo.reduce", True, False, True, False),
        (compile.FEW, "stablehlo.if", True, False, True, False),
        (compile.FEW, "stablehlo.reduce", False, False, True, True),
        (compile.FEW, "stablehlo.reduce", True, False, False, True),
        (compile.FEW, "stablehlo.reduce", True, True, False, False),
        (compile.FEW + 1, "", False, False, True, False),
        (compile.FEW + 1, "stablehlo.while", False, False, True, True),
        (compile.FEW + 1, "stablehlo.while", False, True, True, False),
        (compile.FEW + 1, "stablehlo.while stablehlo.if", False, False, True, False),
        (compile.FEW + 1, "stablehlo.while stablehlo.if", True, False, False, True),
        (compile.FEW + 1, "stablehlo.while", True, False, False, True),
    ],
)
def test_quick_emitters_write_what_is_neither_in_place_nor_repeated(
    elements: int, text: str, in_place: bool, minor: bool, older: bool, unrolled: bool
) -> None:
    found = flags(elements, text=text, in_place=in_place, minor=minor)
    assert (EMITTERS in str(found)) is older
    assert ("xla_cpu_disable_loop_unrolling" not in str(found)) is unrolled


ALONG = "stablehlo.reduce(%1 init: %2) applies stablehlo.add across dimensions = [{}] : (tensor<{}f64>, tensor<f64>)"


@pytest.mark.parametrize(
    ("lines", "unrolled"),
    [
        ([ALONG.format("1", "40x3000x")], False),
        ([ALONG.format("0, 1", "40x3000x"), ALONG.format("0", "7x")], False),
        ([ALONG.format("0, 1", "40x3000x"), "stablehlo.while"], False),
        ([ALONG.format("10", "1x" * 11)], False),
        ([ALONG.format("0", "40x3000x")], True),
        ([ALONG.format("1", "40x3000x"), ALONG.format("0, 1", "40x3000x5x")], True),
        ([ALONG.format("0", "1x" * 11)], True),
        ([ALONG.format("1", "40x3000x"), '"stablehlo.reduce"(%1, %2) <{dimensions = array<i64: 1>}> ({'], True),
    ],
)
def test_loops_are_not_unrolled_where_all_reductions_are_along_lines(lines: list[str], unrolled: bool) -> None:
    found = flags(compile.FEW + 1, text="\n".join(lines))
    assert ("xla_cpu_disable_loop_unrolling" not in str(found)) is unrolled
    text = "\n".join(lines)
    for found in (flags(compile.FEW + 1, text=text, in_place=True), flags(compile.FEW + 1, text=text, guarded=True)):
        assert "xla_cpu_disable_loop_unrolling" not in str(found)


@pytest.mark.parametrize(
    ("name", "unrolled"), [("lines", False), ("longest", False), ("columns", True), ("short", True)]
)
def test_what_lowering_writes_of_reductions_is_read(name: str, unrolled: bool) -> None:
    text = getattr(dsl.program(PROGRAMS), name).lower(np.zeros((400, 40 if name == "short" else 500))).stablehlo.text
    assert ("xla_cpu_disable_loop_unrolling" not in str(flags(compile.FEW + 1, text=text))) is unrolled


def test_llvm_gets_a_module_for_each_thread_unless_the_environment_says_how_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    modules = "xla_cpu_parallel_codegen_split_count"
    monkeypatch.setenv("XLA_FLAGS", "")
    monkeypatch.setenv("NPROC", "3")
    assert flags(1)[modules] == flags(1, pointwise=FUSIBLE + 1)[modules] == 3
    assert modules not in flags(1, "cuda")
    monkeypatch.setenv("XLA_FLAGS", f"--{modules}=1")
    assert modules not in flags(1)


def test_long_code_is_not_fused_and_written_by_the_emitters_that_know_equal_kernels() -> None:
    few, long = compile.HANDFUL, FUSIBLE + 1
    unfused = dict(compile.UNFUSED).items()
    assert unfused <= flags(few, pointwise=long).items()
    assert EMITTERS not in str(flags(few, pointwise=long)[adapter.EXTRA])
    assert not unfused & flags(few, pointwise=long - 1).items()
    assert not unfused & flags(few, "cuda", pointwise=long).items()


def test_a_reduction_is_not_written_in_tiles() -> None:
    extra = flags(10**6)[adapter.EXTRA]
    assert isinstance(extra, dict)
    assert extra["xla_cpu_disable_tiled_emitter"] == "true"


def test_flags_of_the_processor_are_for_the_processor() -> None:
    assert adapter.EXTRA not in flags(1, "cuda")


@pytest.mark.parametrize("options", [(), [("xla_llvm_disable_expensive_passes", True)]])
def test_a_loop_over_few_numbers_is_one_function(options: compile.Options) -> None:
    program, place = lowered("pendulum", 1.0, 0.0, steps=1000), choice().place

    def kernels(flags: compile.Options) -> int:
        made = adapter.compile_text(place.raw, program.text, place.chosen, [*flags, *options])
        return str(made.hlo_modules()[0].to_string()).count("xla_cpu_small_call")

    assert kernels(compile.flags_for(program, place)) == 1
    assert kernels([(adapter.EXTRA, {"xla_cpu_small_while_loop_byte_threshold": "0"})]) == 0


def test_unknown_names_among_the_extra_options_are_passed_over() -> None:
    program, place = lowered("once", np.zeros(3)), choice().place
    long = {"xla_of_another_version": "x" * 1000}
    assert adapter.compile_text(place.raw, program.text, place.chosen, [(adapter.EXTRA, long)]) is not None
