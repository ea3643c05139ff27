"""Reshapes by which lines become longer: who writes kernels that read by them, and joins that need none."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import pytest

import dsl
from dsl.ir.function import Equation, Tensor, Var
from dsl.ops.extent import CONCATENATE, AxisParams
from dsl.types.dtype import C128, F64
from lowering.stablehlo.regrouped import LONG, joins, rejoined

PROGRAMS = dsl.program("""
def heads(x: f32[n, h, d], w: f32[h * d]) -> f32[n, h * d] = reshape(x, [n, h * d]) * w
def written(x: f32[n, h, d]) -> f32[n, h * d] = reshape(x * 2.0, [n, h * d])
def turned(x: f64[n, h, d], w: f64[h * d]) -> f64[n, h * d] = w * reshape(transpose(x, (0, 2, 1)), [n, h * d])
def looped(x: f64[n, h, d]) -> f64[n * h * d] =
    fold y = zeros([n * h * d], f64) for _ in range(9) do y + sin(reshape(x, [n * h * d]))
def rows(x: f64[n, h, d], w: f64[d]) -> f64[n * h, d] = reshape(x, [n * h, d]) * w
def parts(x: f64[n, h * d], w: f64[h, d]) -> f64[n, h, d] = reshape(x, [n, h, d]) * w
def product(x: f64[n, h, d], w: f64[h * d, m]) -> f64[n, m] = reshape(x, [n, h * d]) @ w
def corner(x: f64[n, n]) -> f64 = sum(tanh(diagonal(x)))
def made_corner(x: f64[n, n]) -> f64[n] = diagonal(exp(x) * 2.0)

def butterflies(x: f64[n]) -> f64[n] where n >= 1 = _butterflies(x, 1)
def _butterflies(x: f64[n], static s: int) -> f64[n] where n >= 1 and s >= 1 =
    if n % (2 * s) == 0 then _butterflies(_butterfly(x, s), 2 * s) else x
def _butterfly(x: f64[n], static s: int) -> f64[n] where n >= 1 and s >= 1 and n % (2 * s) == 0 =
    let z = reshape(x, [n // (2 * s), 2, s])
    reshape(stack((z[:, 0] + z[:, 1], z[:, 0] - z[:, 1]), axis=1), [n])

def transformed(x: c128[n]) -> c128[n] where n >= 1 = _transformed(x, 1)
def _transformed(x: c128[n], static s: int) -> c128[n] where n >= 1 and s >= 1 =
    if n % (2 * s) == 0 then _transformed(_pass(x, s), 2 * s) else x
def _pass(x: c128[n], static s: int) -> c128[n] where n >= 1 and s >= 1 and n % (2 * s) == 0 =
    let half = n // (2 * s)
    let z = reshape(x, [2, half, s])
    let turn = exp(cast(-pi * arange(half, dtype=f64) / f64(half), c128) * sqrt(cast(-1.0, c128)))[:, None]
    reshape(stack((z[0] + z[1], (z[0] - z[1]) * turn), axis=1), [n])
def energy(x: f64[n]) -> f64 where n >= 1 = sum(abs(transformed(cast(x, c128))) ** 3)
def slope(x: f64[n]) -> f64[n] where n >= 1 = grad(energy)(x)
""")
WIDE, NARROW = np.ones((32, 8, 64)), np.ones((4, 8, 16))


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("name", "arguments", "regrouped"),
    [
        ("heads", (WIDE.astype("f4"), np.ones(512, "f4")), True),
        ("heads", (NARROW.astype("f4"), np.ones(128, "f4")), False),
        ("written", (WIDE.astype("f4"),), True),
        ("turned", (WIDE, np.ones(512)), True),
        ("looped", (WIDE,), True),
        ("rows", (WIDE, np.ones(64)), False),
        ("parts", (np.ones((32, 512)), np.ones((8, 64))), False),
        ("product", (WIDE, np.ones((512, 3))), False),
        ("corner", (np.ones((300, 300)),), False),
        ("made_corner", (np.ones((300, 300)),), False),
        ("butterflies", (np.ones(2 * LONG),), True),
        ("transformed", (np.ones(2 * LONG, "c16"),), False),
    ],
)
def test_newer_emitters_write_what_reads_by_axes_that_are_joined(
    name: str, arguments: tuple[Any, ...], regrouped: bool
) -> None:
    lowered = getattr(PROGRAMS, name).lower(*arguments).stablehlo
    assert lowered.hints.in_place is regrouped


@pytest.mark.parametrize("name", ["butterflies", "transformed", "slope"])
@pytest.mark.parametrize("size", [1, 6, 48, 2 * LONG])
def test_transforms_that_are_written_out(name: str, size: int) -> None:
    if name == "slope" and size > LONG:
        pytest.skip("the evaluator takes long")
    rng = np.random.default_rng(size)
    x = rng.normal(size=size) + (1j * rng.normal(size=size) if name == "transformed" else 0.0)
    program = getattr(PROGRAMS, name)
    np.testing.assert_allclose(np.asarray(program(x)), program.interpret(x), rtol=1e-9, atol=1e-7)


def test_a_transform_is_that_of_a_library() -> None:
    x = np.random.default_rng(0).normal(size=2 * LONG) + 0j
    np.testing.assert_allclose(np.asarray(PROGRAMS.transformed(x)), np.fft.fft(x), rtol=1e-9, atol=1e-8)


def factors(draw: random.Random, size: int) -> tuple[int, ...]:
    """A shape of so many elements, with ones in it."""
    found = [1] * draw.randrange(2)
    while size > 1:
        each = draw.choice([k for k in range(2, size + 1) if size % k == 0])
        found += [each, *[1] * (draw.randrange(4) == 0)]
        size //= each
    return tuple(found)


@pytest.mark.parametrize("seed", range(300))
def test_parts_may_be_reshaped_before_they_are_joined(seed: int) -> None:
    draw = random.Random(seed)
    around, line = factors(draw, draw.choice((1, 2, 4, 12))), factors(draw, draw.choice((1, 2, 3, 8)))
    parts = [np.arange(prod(around) * k * prod(line)).reshape(*around, k, *line) + 1j * k for k in some_counts(draw)]
    axis, whole = len(around), np.concatenate(parts, len(around))
    target = factors(draw, whole.size)
    made = joined([Tensor(C128, part.shape) for part in parts], axis, Tensor(C128, whole.shape))
    found = rejoined(made, target)
    if found is not None:
        assert joins(whole.shape, target)
        place, shapes = found
        moved = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        assert not any(joins(part.shape, other.shape) for part, other in zip(parts, moved, strict=True))
        np.testing.assert_array_equal(np.concatenate(moved, place), whole.reshape(target))


def some_counts(draw: random.Random) -> list[int]:
    counts = draw.choice(((1, 1), (1, 1, 1, 1), (2, 2), (1, 3), (2, 4, 2)))
    return list(counts)


def joined(parts: Sequence[Tensor], axis: int, whole: Tensor) -> Equation:
    return Equation(CONCATENATE, AxisParams(axis), tuple(map(Var, parts)), (Var(whole),), None)


def test_radix_two_is_joined_along_the_last_axis() -> None:
    made = joined([Tensor(C128, (64, 1, 8))] * 2, 1, Tensor(C128, (64, 2, 8)))
    assert rejoined(made, (2, 32, 16)) == (2, [(2, 32, 8)] * 2)
    assert rejoined(made, (32, 2, 16)) == (2, [(32, 2, 8)] * 2)
    assert rejoined(made, (64, 16)) == (1, [(64, 8)] * 2)
    assert rejoined(made, (1024,)) is None
    real = joined([Tensor(F64, (64, 1, 8))] * 2, 1, Tensor(F64, (64, 2, 8)))
    assert rejoined(real, (2, 32, 16)) is None


def test_lines_that_joins_make_longer() -> None:
    assert joins((4, 2, 3), (4, 6))
    assert joins((4, 2, 3, 1), (8, 3, 1)) is False
    assert joins((4, 6), (4, 2, 3)) is False
    assert joins((1, 1), (1,)) is False
    assert joins((4, 3), (12,))
