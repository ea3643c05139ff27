"""Loops that change arrays by few of their elements, of which two steps are written out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.ops.control.scan import ScanParams
from lowering.stablehlo import control
from lowering.stablehlo.pivots import MANY, has_pivots

PROGRAMS = dsl.program("""
def paths(d: f64[n, n]) -> f64[n, n] = fold d = d for k in range(n) do minimum(d, d[:, k][:, None] + d[k][None, :])
def closure(a: bool[n, n]) -> bool[n, n] = fold a = a for k in range(n) do a | (a[:, k][:, None] & a[k][None, :])
def damped(d: f64[n, n]) -> f64[n, n] = fold d = d for k in range(n) do
    log(1.0 + abs(d)) * d[k][None, :] + d[:, k][:, None]
def driven(d: f64[n, n]) -> f64[n, n] = fold d = d for k in range(n) do 0.5 * d + exp(-abs(d[k]))[None, :]
def rolled(x: f64[n], static steps: size) -> f64[n] = fold x = x for _ in range(steps) do
    0.5 * x + 0.25 * roll(x, 1, axis=0)
def counted(x: f64[n], static steps: size) -> (f64[n], i32) =
    fold (x, total) = (x, i32(0)) for k in range(steps) reverse do (x[::-1] * 0.5 + f64(k), total + k)
def eliminated(a: f64[n, n]) -> f64[n, n] where n >= 1 =
    fold a = a for k in range(n) do
        let below = arange(n) > k
        let column = where(below, a[:, k] / a[k, k], 0.0)
        (a - outer(column, where(below, a[k], 0.0))).at[:, k].set(where(below, column, a[:, k]))
def grown(x: f64[n], static steps: size) -> f64[n] = fold x = x for k in range(steps) do x * 0.5 + f64(k)
def centred(x: f64[n], static steps: size) -> f64[n] where n >= 1 =
    fold x = x for _ in range(steps) do x - 0.5 * mean(x)
def swapped(x: f64[n], y: f64[n], static steps: size) -> (f64[n], f64[n]) =
    fold (x, y) = (x, y) for _ in range(steps) do (y * 0.5, x + 1.0)
def kept(x: f64[n], static steps: size) -> (f64[n], f64[steps, n]) =
    scan x = x for _ in range(steps) do
        let y = 0.5 * roll(x, 1, axis=0)
        (y, y)
def nested(x: f64[n], static steps: size) -> f64[n] = fold x = x for _ in range(steps) do
    fold x = roll(x, 1, axis=0) for k in range(steps) do x * 0.5 + f64(k)
def _energy(x: f64[n], static steps: size) -> f64 = sum(rolled(x, steps) ** 2)
def slope(x: f64[n], static steps: size) -> f64[n] = grad(_energy)(x, steps)
def over(x: f64[m, n], static steps: size) -> f64[m, n] = [rolled(row, steps) for row in x]
""")
SIDE = 65
SQUARE = np.random.default_rng(0).uniform(1.0, 2.0, (SIDE, SIDE)) + SIDE * np.eye(SIDE)
VECTOR = SQUARE.reshape(-1)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("name", "arguments", "twice"),
    [
        ("paths", (SQUARE,), True),
        ("paths", (SQUARE[:20, :20],), False),
        ("closure", (SQUARE > 1.9,), True),
        ("damped", (SQUARE,), False),
        ("driven", (SQUARE,), True),
        ("rolled", (VECTOR, 101), False),
        ("counted", (VECTOR, 101), False),
        ("eliminated", (SQUARE,), True),
        ("grown", (VECTOR, 101), False),
        ("centred", (VECTOR, 101), False),
        ("swapped", (VECTOR, VECTOR, 101), False),
        ("kept", (VECTOR, 101), False),
        ("nested", (VECTOR, 101), False),
    ],
)
def test_two_steps_are_written_where_an_array_changes_by_pivots(
    name: str, arguments: tuple[Any, ...], twice: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []

    def told(params: ScanParams) -> bool:
        found.append(has_pivots(params))
        return found[-1]

    monkeypatch.setattr(control, "has_pivots", told)
    getattr(PROGRAMS, name).lower(*arguments)
    assert VECTOR.size >= MANY
    assert any(found) == twice


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("name", "argument", "kernels", "copies"),
    [("paths", SQUARE, 1, 1), ("closure", SQUARE > 1.9, 1, 1), ("eliminated", SQUARE, 4, 0)],
)
def test_two_steps_are_one_kernel_or_alternate(name: str, argument: Any, kernels: int, copies: int) -> None:
    """One step of each has a copy."""
    text = getattr(PROGRAMS, name).lower(argument).compile().raw.hlo_modules()[0].to_string()
    body = next(part for part in text.split("\n\n") if " fusion(" in part and not part.startswith("ENTRY"))
    passes = re.findall(rf"= \w+\[{SIDE},{SIDE}\]\S* (fusion|copy)\(", body)
    assert (passes.count("fusion"), passes.count("copy")) == (kernels, copies)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *[("paths", (SQUARE[:n, :n],)) for n in (1, 3, 64, 65)],
        ("closure", (SQUARE > 1.99,)),
        *[("rolled", (VECTOR, steps)) for steps in (0, 1, 4, 7, 100)],
        *[("counted", (VECTOR, steps)) for steps in (3, 6, 7)],
        ("eliminated", (SQUARE,)),
        ("driven", (SQUARE,)),
        ("swapped", (VECTOR, VECTOR, 7)),
        ("kept", (VECTOR, 7)),
        ("slope", (VECTOR, 7)),
        ("over", (VECTOR.reshape(5, -1), 7)),
    ],
)
def test_steps_that_are_written_out_are_steps(name: str, arguments: tuple[Any, ...]) -> None:
    program = getattr(PROGRAMS, name)
    for p, q in zip(some(program(*arguments)), some(program.interpret(*arguments)), strict=True):
        np.testing.assert_allclose(np.asarray(p), q, rtol=1e-12, atol=1e-12)


def some(found: Any) -> tuple[Any, ...]:
    return found if isinstance(found, tuple) else (found,)
