"""Sections of programs that are computed by formulas where the arguments of sines and their like are small."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.interp import evaluate
from dsl.ir.build import Builder, literal
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ops.control.call import call
from dsl.ops.elementwise import NEG, add, compare, convert, mul, select
from dsl.ops.layout import broadcast_in_dim, reduce_sum
from dsl.ops.unary import COS, EXP, SIN, TAN
from dsl.transforms.jvp import jvp
from dsl.transforms.pipeline import LOWERING, run
from dsl.transforms.vmap import vmap
from dsl.types.dtype import F32, F64
from lowering.stablehlo import waves
from lowering.stablehlo.guarded import Guarded, planned
from lowering.xla.compile import compile
from tests.support.cases import some
from tests.support.derivative import grad
from tests.support.lowered import lower_here

SIZE = waves.ENOUGH
FAR = (2.0e6, -1e10, 1e30, np.inf, -np.inf, np.nan)


def random_waves(seed: int, steps: int = 14) -> Function:
    """A program of two arrays: waves of these, and of bounded values, which are combined in many ways."""
    draw, b = random.Random(seed), Builder()
    params = [b.param(Tensor(F64, (SIZE,))) for _ in range(2)]
    bounded: list[Atom] = [SIN(b, SIN.samples[0].params, draw.choice(params))[0]]
    for _ in range(steps):
        x, y = draw.choice(bounded), draw.choice(bounded)
        op = draw.choice((SIN, COS, SIN, COS, TAN, EXP))
        match draw.randrange(8):
            case 0 | 1:
                new = op(b, op.samples[0].params, x)[0]
                new = new if op in (SIN, COS) else SIN(b, SIN.samples[0].params, new)[0]
            case 2:
                wave = draw.choice((SIN, COS))
                new = wave(b, wave.samples[0].params, draw.choice(params))[0]
            case 3:
                new = mul(b, x, y)
            case 4:
                new = COS(b, COS.samples[0].params, add(b, x, y))[0]
            case 5:
                new = select(b, compare(b, "lt", x, y), x, NEG(b, NEG.samples[0].params, y)[0])
            case 6:
                total = mul(b, reduce_sum(b, mul(b, x, y), (0,)), literal(1 / SIZE, Tensor(F64)))
                new = mul(b, x, broadcast_in_dim(b, total, (SIZE,), ()))
            case _:
                new = convert(b, convert(b, x, F32), F64)
        bounded.append(new)
    return b.finish("waves", draw.sample(bounded, 3))


def values(types: Sequence[Tensor], far: bool) -> list[np.ndarray[Any, Any]]:
    """Numbers for parameters; the first array has arguments that are too large for formulas."""
    rng = np.random.default_rng(0)
    found = [rng.normal(size=type.shape) * 3 for type in types]
    if far:
        found[0][..., : len(FAR)] = FAR
    return found


STEPS: dict[str, Callable[[Function], Function]] = {
    "itself": lambda f: f,
    "grad": lambda f: grad(summed(f), (0, 1)),
    "jvp": lambda f: jvp(f, (True, True), (True,) * 3).function,
    "vmap": lambda f: vmap(f, (0, None), (0, 0, 0), 2),
}


def summed(f: Function) -> Function:
    b = Builder()
    first, *others = call(b, f, [b.param(t) for t in f.param_types])
    return b.finish("summed", (reduce_sum(b, reduce(partial(add, b), others, first), (0,)),))


@pytest.mark.parametrize("seed", range(40))
def test_plans_write_every_equation_once_and_after_what_it_reads(seed: int) -> None:
    body = run(random_waves(seed), LOWERING, check=True)
    known: set[Atom] = {*body.params}
    written: list[Equation] = []
    for step in planned(body):
        match step:
            case Guarded():
                assert {*step.waves} <= {*step.equations}
                assert known.issuperset(read(step.waves))
                inside = known.copy()
                for equation in (*step.ahead, *step.equations):
                    assert inside.issuperset(read((equation,)))
                    inside.update(equation.outputs)
                written += step.equations
                known.update(step.results)
            case _:
                assert known.issuperset(read((step,)))
                written.append(step)
                known.update(step.outputs)
    assert known.issuperset(x for x in body.results if isinstance(x, Var))
    assert len(written) == len(body.equations)
    assert {*written} == {*body.equations}


def read(equations: Sequence[Equation]) -> set[Atom]:
    return {x for equation in equations for x in equation.inputs if isinstance(x, Var)}


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("seed", range(3))
def test_evaluator_and_xla_agree_on_waves(seed: int, step: str, far: bool) -> None:
    f = STEPS[step](random_waves(seed))
    given = values(f.param_types, far)
    found = compile(lower_here(run(f, LOWERING, check=True)))(*given)
    with np.errstate(invalid="ignore"):
        for p, q in zip(some(found), evaluate(f, given), strict=True):
            np.testing.assert_allclose(np.asarray(p), q, rtol=1e-9, atol=1e-9)


SOURCE = """
import random

def distance(p: f64[n], q: f64[n], r: f64[n], s: f64[n]) -> f64[n] =
    let h = sin((r - p) / 2.0) ** 2 + cos(p) * cos(r) * sin((s - q) / 2.0) ** 2
    2.0 * atan2(sqrt(h), sqrt(1.0 - h))
def turned(x: f64[n], y: f64[n]) -> (f64[n], f64[n]) = (x * cos(y) - sin(y), x * sin(y) + cos(y))
def nested(x: f64[n], y: f64[n]) -> f64[n] = sin(sin(x) + cos(y))
def beside(x: f64[n], y: f64[n]) -> f64[n] = sin(x) * exp(y)
def two(x: f64[n], y: f64[m]) -> (f64[n], f64[m]) = (sin(x), sin(y))
def features(x: f32[n, d], w: f32[d, m], b: f32[m]) -> f32[n, m] = 2.0 * cos(x @ w + b)
def looped(x: f64[n], y: f64[n]) -> f64[n] = fold x = x for _ in range(3) do where(y > 0.0, x + 2.0 * sin(x), cos(y))
def masked(x: f32[n], k: key) -> (f32[n], f32[n], f32) =
    let keep = random.bernoulli(k, f32(0.9), [n])
    (where(keep, sin(x), 0.0), where(keep, x[::-1], 1.0), sum(where(keep, x, 2.0)))
def after(x: f64[n], y: f64[n]) -> f64[n] =
    let waves = sin(x)
    let roots = sqrt(y)
    waves * y + roots
def spun(x: f64[n], y: f64[n]) -> c128[n] = exp(c128(x) + 1j * c128(y))
def spun_f32(x: f32[n], y: f32[n]) -> c64[n] = exp(c64(x) + cast(1j, c64) * c64(y))
def measured(x: f64[n], y: f64[n]) -> f64 = sum(abs(spun(x, y) + 1.0) ** 2)
def slopes(x: f64[n], y: f64[n]) -> (f64[n], f64[n]) = grad(measured, argnums=(0, 1))(x, y)
def waved(z: c128[n]) -> (c128[n], f64[n]) = (exp(z) * 2.0, sin(real(z)))
def chosen(x: f32[n], y: f32[n]) -> f32[n] = if sum(x) > 0.0 then tan(x) * y else sin(y) - x
"""
PROGRAMS = dsl.program(SOURCE)
VECTOR = np.linspace(-2, 2, SIZE)


@pytest.mark.parametrize(
    ("name", "arguments", "tests"),
    [
        ("distance", (VECTOR,) * 4, 1),
        ("turned", (VECTOR, VECTOR), 1),
        ("nested", (VECTOR, VECTOR), 2),
        ("beside", (VECTOR, VECTOR), 1),
        ("two", (VECTOR, np.ones(2 * SIZE)), 2),
        ("distance", (VECTOR[1:],) * 4, 0),
        ("spun", (VECTOR, VECTOR), 1),
        ("spun", (VECTOR[1:], VECTOR[1:]), 0),
        ("waved", (VECTOR + 1j,), 1),
    ],
)
def test_waves_of_one_shape_have_one_test(name: str, arguments: tuple[Any, ...], tests: int) -> None:
    assert getattr(PROGRAMS, name).lower(*arguments).as_text().count("stablehlo.if") == tests


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("name", "arguments", "arrays"),
    [
        ("distance", (VECTOR,) * 4, 5),
        ("beside", (VECTOR, VECTOR), 3),
        ("features", (np.ones((SIZE, 1), "f4"), np.ones((1, 8), "f4"), np.ones(8, "f4")), 17),
        ("masked", (VECTOR.astype("f4"), dsl.key(0)), 4),  # the mask, which is kept, and not what it is made of
    ],
)
def test_sections_keep_only_their_results_in_memory(name: str, arguments: tuple[Any, ...], arrays: int) -> None:
    """So many arrays as the first argument, and half a one for flags."""
    peak = getattr(PROGRAMS, name).memory(*arguments).peak
    assert peak < (arrays + 0.75) * arguments[0].nbytes


def test_tests_come_from_where_the_waves_are() -> None:
    text = PROGRAMS.after.lower(VECTOR, VECTOR).as_text()
    (alias,) = re.findall(r"^}\) : \(tensor<i1>\).*loc\((#l\d+)\)$", text, re.MULTILINE)
    (line,) = re.findall(rf"^{alias} = loc\(.*:(\d+):\d+\)$", text, re.MULTILINE)
    lines = [number for number, each in enumerate(SOURCE.split("\n"), 1) if "waves = sin" in each]
    assert lines == [int(line)]


@pytest.mark.parametrize(("name", "dtype"), [("looped", "f8"), ("chosen", "f4"), ("turned", "f8"), ("slopes", "f8")])
@pytest.mark.parametrize("far", [False, True])
def test_waves_in_loops_and_branches(name: str, dtype: str, far: bool) -> None:
    x, y = [each.astype(dtype) for each in values([Tensor(F64, (SIZE,))] * 2, far)]
    program, near = getattr(PROGRAMS, name), {"f4": 1e-4, "f8": 1e-9}[dtype]
    with np.errstate(invalid="ignore", over="ignore"):
        for p, q in zip(some(leaves(program(x, y))), leaves(program.interpret(x, y)), strict=True):
            np.testing.assert_allclose(np.asarray(p), q, rtol=near, atol=near)


@pytest.mark.parametrize(("name", "dtype", "far"), [("spun", "c16", 710.0), ("spun_f32", "c8", 89.0)])
@pytest.mark.parametrize("angle", [100.0, 1e9])
def test_complex_exponentials_are_those_of_numpy(name: str, dtype: str, far: float, angle: float) -> None:
    """Up to where the exponential of the real part overflows, but its products with small waves do not."""
    rng, wide = np.random.default_rng(0), {"c16": np.clongdouble, "c8": np.complex128}[dtype]
    z = (rng.uniform(-far, far, SIZE) + 1j * rng.uniform(-angle, angle, SIZE)).astype(dtype)
    z[0] = far + 1e-4j
    found = np.asarray(getattr(PROGRAMS, name)(z.real, z.imag))
    with np.errstate(over="ignore"):
        wanted = np.exp(z.astype(wide)).astype(dtype)
    least = float(np.finfo(dtype).tiny)
    assert np.isinf(found[0].real) and np.isfinite(found[0].imag)
    for part, other in ((found.real, wanted.real), (found.imag, wanted.imag)):
        normal = np.abs(other) > 4 * least
        np.testing.assert_allclose(part[normal], other[normal], rtol=4 * float(np.finfo(dtype).eps))
        assert np.all(np.abs(part[~normal]) <= 8 * least)


def test_special_values_of_complex_exponentials() -> None:
    reals = (-np.inf, -800.0, -0.0, 1.0, 800.0, np.inf, np.nan)
    few = np.array([complex(a, b) for a in reals for b in (0.0, -0.0, 1.0, -2.0, np.nan)])
    found = [np.asarray(PROGRAMS.spun(z.real, z.imag))[: len(few)] for z in (np.resize(few, SIZE), few)]
    np.testing.assert_allclose(found[0].real, found[1].real, rtol=1e-15)
    np.testing.assert_allclose(found[0].imag, found[1].imag, rtol=1e-15)


def leaves(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)
