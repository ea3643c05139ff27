"""Laws of the maps between unconstrained numbers and values of distributions, for random numbers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from tests.support.library import public

Array = np.ndarray[Any, Any]
BIJECTORS: dict[str, tuple[str, int, str]] = {
    "exp": ("prob.exp_bijector([4], f64)", 4, "f64[4]"),
    "softplus": ("prob.softplus_bijector([4], f64)", 4, "f64[4]"),
    "interval": ("prob.interval_bijector(f64([0.0, -1.0, 2.0, 0.5]), f64([1.0, 3.0, 2.5, 9.0]))", 4, "f64[4]"),
    "affine": ("prob.affine_bijector(f64([0.0, -1.0, 2.0, 0.5]), f64([1.0, -3.0, 2.5, 0.1]))", 4, "f64[4]"),
    "ordered": ("prob.ordered_bijector(4, f64)", 4, "f64[4]"),
    "chained": (
        "prob.chained(prob.ordered_bijector(4, f64), prob.softplus_bijector([4], f64))",
        4,
        "f64[4]",
    ),
    "inverted": ("prob.inverted(prob.inverted(prob.softplus_bijector([4], f64)))", 4, "f64[4]"),
    "simplex": ("prob.simplex_bijector(4, f64)", 3, "f64[4]"),
    "correlation": ("prob.correlation_bijector(3, f64)", 3, "f64[3, 3]"),
}
"""Each with the size of its argument and the type of its result."""
SUPPORTS: dict[str, tuple[str, str, int]] = {
    "real": ("prob.real_numbers([4], f64)", "f64[4]", 4),
    "above": ("prob.numbers_above(f64([0.0, -1.0, 2.0, 0.5]))", "f64[4]", 4),
    "between": ("prob.numbers_between(f64([0.0, -1.0, 2.0, 0.5]), f64([1.0, 3.0, 2.5, 9.0]))", "f64[4]", 4),
    "half_open": (
        "prob.truncated_normal(f64(0), f64([1, 1, 1]), f64([-1, -inf, -inf]), f64([inf, 1, inf])).support",
        "f64[3]",
        3,
    ),
    "ascending": ("prob.ascending(4, f64)", "f64[4]", 4),
    "shares": ("prob.shares([2], 3, f64)", "f64[2, 3]", 4),
    "correlation_factors": ("prob.correlation_factors(3, f64)", "f64[3, 3]", 3),
    "positive_definite_matrices": ("prob.positive_definite_matrices(2, f64)", "f64[2, 2]", 3),
    "iid": ("prob.iid(prob.dirichlet(ones([3], f64)), 2).support", "f64[2, 3]", 4),
    "independent": ("prob.independent(fn low -> prob.uniform(low, 3.0), f64([0.0, 1.0, 2.0])).support", "f64[3]", 3),
}
"""Each with the type of its values and how many numbers they depend on."""
DENSITIES: dict[str, tuple[str, str, tuple[tuple[int, ...], ...], int]] = {
    "gamma": ("prob.gamma(f64(2.5), f64(1.5))", "f64", ((),), 400),
    "beta": ("prob.beta(f64(1.5), f64(3.0))", "f64", ((),), 400),
    "pareto": ("prob.pareto(f64(3.0), f64(1.5))", "f64", ((),), 800),
    "dirichlet": ("prob.dirichlet(f64([2.0, 1.5, 3.0]))", "f64[3]", ((0,), (1,)), 80),
    "lkj_cholesky": ("prob.lkj_cholesky(3, f64(1.7))", "f64[3, 3]", ((1, 0), (2, 0), (2, 1)), 36),
    "wishart": ("prob.wishart(f64(6.5), f64([[1.0, 0.3], [0.3, 2.0]]))", "f64[2, 2]", ((0, 0), (1, 0), (1, 1)), 48),
}
"""Each with the type of its values, the numbers that they depend on, and the points of a grid along each."""


def _bijector(name: str, made: str, size: int, kind: str) -> str:
    return (
        f"def {name}(z: f64[{size}]) -> ({kind}, f64[{size}], f64) =\n    let b = {made}\n"
        f"    let x = b.forward(z)\n    (x, b.inverse(x), b.log_det(z))\n"
        f"def {name}_slopes(z: f64[{size}]) = jacfwd(fn z -> ({made}).forward(z))(z)\n"
    )


def _support(name: str, made: str, kind: str) -> str:
    return (
        f"def of_{name}(z: {kind}) -> ({kind}, f64, {kind}, bool) =\n    let s = {made}\n"
        f"    let (x, change) = s.constrain(z)\n    (x, change, s.unconstrain(x), s.contains(x))\n"
    )


def _density(name: str, made: str, kind: str) -> str:
    inner = kind[3:] or "[]"
    batch = "f64[m, " + inner[1:] if inner != "[]" else "f64[m]"
    return f"def d_{name}(zs: {batch}) -> f64[m] = [prob.unconstrained({made}).log_density(z) for z in zs]\n"


@cache
def _program() -> dsl.Program:
    text = "".join(_bijector(name, *row) for name, row in BIJECTORS.items())
    text += "".join(_support(name, made, kind) for name, (made, kind, _) in SUPPORTS.items())
    text += "".join(_density(name, made, kind) for name, (made, kind, _, _) in DENSITIES.items())
    return dsl.program(f"import prob\n{text}")


numbers = st.lists(st.floats(-3, 3), min_size=9, max_size=9).map(np.array)


def _coordinates(name: str, slopes: Array) -> Array:
    """The derivatives of as many elements as there are numbers: shares and factors have more."""
    if name == "simplex":
        return slopes[:3]
    return slopes[np.tril_indices(3, -1)] if name == "correlation" else slopes


@pytest.mark.parametrize("name", BIJECTORS)
@settings(max_examples=15, deadline=None)
@given(numbers=numbers)
def test_a_bijector_has_an_inverse_and_a_determinant(name: str, numbers: Array) -> None:
    z = numbers[: BIJECTORS[name][1]]
    _, back, log_det = getattr(_program(), name)(z)
    np.testing.assert_allclose(back, z, rtol=1e-6, atol=1e-6)
    slopes = _coordinates(name, np.asarray(getattr(_program(), f"{name}_slopes")(z)))
    np.testing.assert_allclose(log_det, np.linalg.slogdet(slopes)[1], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", SUPPORTS)
@settings(max_examples=15, deadline=None)
@given(numbers=numbers)
def test_a_support_holds_what_it_makes_of_any_numbers(name: str, numbers: Array) -> None:
    _, kind, free = SUPPORTS[name]
    shape = tuple(int(n) for n in kind[4:-1].split(","))
    z = np.resize(numbers, shape)
    x, change, back, inside = getattr(_program(), f"of_{name}")(z)
    again, same, _, _ = getattr(_program(), f"of_{name}")(np.asarray(back))
    assert bool(inside)
    assert np.isfinite(change)
    np.testing.assert_allclose(again, x, rtol=1e-6, atol=1e-8)
    kept = np.isclose(np.asarray(back), z, rtol=1e-6, atol=1e-6)
    assert kept.sum() >= free
    rest = np.where(kept, 0.0, -0.5 * z**2)
    np.testing.assert_allclose(float(change) - float(same), rest.sum(), atol=1e-6)


@pytest.mark.parametrize("name", DENSITIES)
def test_densities_of_unconstrained_numbers_integrate_to_one(name: str) -> None:
    _, kind, places, count = DENSITIES[name]
    line = np.linspace(-12, 12, count) if len(places) == 1 else np.linspace(-7, 7, count)
    grid = np.stack(np.meshgrid(*[line] * len(places), indexing="ij"), -1).reshape(-1, len(places))
    shape = tuple(int(n) for n in kind[4:-1].split(",")) if "[" in kind else ()
    z = np.zeros((len(grid), *shape))
    for k, place in enumerate(places):
        z.reshape(len(grid), -1)[:, np.ravel_multi_index(place, shape) if shape else 0] = grid[:, k]
    density = np.exp(np.asarray(getattr(_program(), f"d_{name}")(z)))
    rest = int(np.prod(shape)) - len(places)
    total = density.sum() * (line[1] - line[0]) ** len(places) * np.sqrt(2 * np.pi) ** rest
    np.testing.assert_allclose(total, 1.0, rtol=5e-3)


def test_every_map_and_support_is_here() -> None:
    text = " ".join([row[0] for row in (*BIJECTORS.values(), *SUPPORTS.values())])
    text += " ".join([row[0] for row in DENSITIES.values()])
    every = public("prob")
    names = every[every.index("exp_bijector") : every.index("normal")]
    assert [name for name in names if f"prob.{name}(" not in text] == ["whole_numbers", "flat"]
