"""`differences` against SciPy and against functions whose derivatives are known; orders of convergence; laws."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np
import pytest
import scipy.fft as sf
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.diagnostics.source import Source
from tests.support.cases import some
from tests.support.known_library import known_library
from tests.support.library import Array, Case, compare, unmentioned, written
from typechecker import check_source

RNG = np.random.default_rng(29)
X = RNG.normal(size=(3, 8))
POINTS = np.array([0.3, -1.0, 0.1, 2.0, 0.9])
BOUNDARIES = ("periodic", "dirichlet", "neumann")


def fornberg(points: Array, *, at: float, order: int) -> Array:
    """The weights by their definition: those of the derivative of each monomial."""
    n = len(points)
    powers = np.vander(points - at, n, increasing=True).T
    wanted = np.zeros(n)
    wanted[order] = np.prod(np.arange(1, order + 1))
    return np.linalg.solve(powers, wanted)


def dense(n: int, h: float, boundary: str) -> Array:
    """The second difference of n points as a matrix."""
    d = np.diag(-2.0 * np.ones(n)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
    if boundary == "neumann":
        d[0, 0] = d[-1, -1] = -1.0
    if boundary == "periodic":
        d[0, -1] += 1.0
        d[-1, 0] += 1.0
    return np.asarray(d / h**2)


def laplacian(u: Array, h: Array, *, boundary: str) -> Array:
    total = np.zeros_like(u)
    for axis, step in enumerate(h):
        total += np.moveaxis(np.tensordot(dense(u.shape[axis], step, boundary), u, (1, axis)), 0, axis)
    return total


def transforms(x: Array, *, f: Any, inverse: Any) -> tuple[Array, ...]:
    return (f(x, axis=-1), f(x, axis=0), inverse(x, axis=-1))


CUBE = RNG.normal(size=(3, 4, 5))
CASES = (
    *(
        Case(
            f"weights_{order}",
            f"(points: f64[n]) -> f64[n] where n >= 1 = differences.weights(points, 0.2, order={order})",
            (POINTS,),
            partial(fornberg, at=0.2, order=order),
            1e-8,
        )
        for order in (0, 1, 3)
    ),
    Case(
        "stencil",
        "() = (differences.stencil(1, dtype=f64), differences.stencil(2, 4, dtype=f64), "
        'differences.stencil(1, 2, kind="forward", dtype=f64), differences.stencil(2, 1, kind="backward", dtype=f64))',
        (),
        lambda: (
            np.array([-0.5, 0.0, 0.5]),
            np.array([-1, 16, -30, 16, -1]) / 12,
            np.array([-1.5, 2.0, -0.5]),
            np.array([1.0, -2.0, 1.0]),
        ),
        1e-9,
    ),
    *(
        Case(
            f"{name}",
            f"(x: f64[*s, n]) where {bound} = (differences.{call}, differences.{call.replace(')', ', axis=0)')}, "
            f"differences.i{call})",
            (X,),
            partial(transforms, f=f, inverse=inverse),
            1e-9,
        )
        for name, call, bound, f, inverse in (
            (
                "dct1",
                "dct(x, kind=1)",
                "len(s) >= 1 and n >= 2 and extent(s, 0) >= 2",
                partial(sf.dct, type=1),
                partial(sf.idct, type=1),
            ),
            ("dct2", "dct(x)", "len(s) >= 1 and n >= 2 and extent(s, 0) >= 2", sf.dct, sf.idct),
            (
                "dct3",
                "dct(x, kind=3)",
                "len(s) >= 1 and n >= 2 and extent(s, 0) >= 2",
                partial(sf.dct, type=3),
                partial(sf.idct, type=3),
            ),
            (
                "dst",
                "dst(x)",
                "len(s) >= 1 and n >= 2 and extent(s, 0) >= 2",
                partial(sf.dst, type=1),
                partial(sf.idst, type=1),
            ),
        )
    ),
    *(
        Case(
            f"laplacian_{boundary}",
            f"(u: f64[n, m, l], h: f64[3]) -> f64[n, m, l] where n >= 3 and m >= 3 and l >= 3 = "
            f'differences.laplacian(u, h, boundary="{boundary}")',
            (CUBE, np.array([0.5, 0.3, 0.2])),
            partial(laplacian, boundary=boundary),
            1e-9,
        )
        for boundary in BOUNDARIES
    ),
    Case(
        "gradient",
        "(u: f64[n, m], h: f64[2]) -> f64[2, n, m] where n >= 3 and m >= 3 = differences.gradient(u, h)",
        (X, np.array([0.5, 0.25])),
        lambda u, h: np.stack(list(np.gradient(u, *h, edge_order=2))),
        1e-9,
    ),
)


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(f"import differences\n{written(CASES)}")


@pytest.mark.parametrize(("i", "case"), tuple(enumerate(CASES)), ids=lambda x: getattr(x, "name", ""))
def test_differences_and_transforms_are_those_of_scipy(i: int, case: Case, program: dsl.Program) -> None:
    compare(program, case, compiled=i % 4 == 0)


LAWS_TEXT = """import differences
def slope(u: f64[n], h: f64, static order: size, static accuracy: size, static boundary: str) -> f64[n]
    where 1 <= order and order <= 2 and 1 <= accuracy and accuracy <= 6 and n >= 12
    where boundary == "periodic" or boundary == "dirichlet" or boundary == "neumann" or boundary == "open" =
    differences.derivative(u, h, order=order, accuracy=accuracy, boundary=boundary)
def waves(u: f64[n], static order: size) where n >= 1 = differences.fourier_derivative(u, 2.0 * pi, order=order)
def series(u: f64[n]) -> (f64[n], f64[n], f64[n]) where n >= 2 =
    let points = differences.chebyshev_points(n, dtype=f64)
    let slopes = differences.chebyshev_slopes(differences.chebyshev_series(u))
    let summed = [sum(slopes * cos([f64(k) * acos(x) for k in range(n)])) for x in points]
    (differences.chebyshev_derivative(u), differences.chebyshev_matrix(n, dtype=f64) @ u, summed)
def points(u: f64[n]) -> f64[n] where n >= 2 = differences.chebyshev_points(n, dtype=f64)
static def all_three(s: shape) -> bool = all([n >= 3 for n in s])
def solved(f: f64[*s], h: f64[len(s)], static boundary: str, static method: str) -> f64[*s]
    where all_three(s)
    where boundary == "periodic" or boundary == "dirichlet" or boundary == "neumann"
    where method == "differences" or method == "spectral" =
    differences.poisson(f, h, boundary=boundary, method=method)
def left(f: f64[n, m], h: f64[2], shift: f64, static boundary: str) -> f64[n, m]
    where n >= 3 and m >= 3
    where boundary == "periodic" or boundary == "dirichlet" or boundary == "neumann" =
    let u = differences.poisson(f, h, boundary=boundary, shift=shift)
    differences.laplacian(u, h, boundary=boundary) - shift * u - f
def identities(u: f64[n, m, l], v: f64[3, n, m, l], h: f64[3]) -> (f64[3, n, m, l], f64[n, m, l], f64[n, m])
    where n >= 3 and m >= 3 and l >= 3 =
    let slopes = differences.gradient(u, h, boundary="periodic")
    let turned = differences.curl(v, h, boundary="periodic")
    let plane = differences.gradient(u[:, :, 0], h[:2], boundary="periodic")
    (
        differences.curl(slopes, h, boundary="periodic"),
        differences.divergence(turned, h, boundary="periodic"),
        differences.curl_in_plane(plane, h[:2], boundary="periodic"),
    )
def energy(f: f64[n, m], h: f64[2]) -> f64 where n >= 3 and m >= 3 = sum(sin(differences.poisson(f, h)))
def slopes_of_energy(f: f64[n, m], h: f64[2]) where n >= 3 and m >= 3 = grad(energy, argnums=(0, 1))(f, h)
"""
LAWS = dsl.program(LAWS_TEXT)


def places(n: int, boundary: str) -> tuple[Array, float]:
    """The points on [0, 1], and their distance."""
    i = np.arange(n)
    if boundary == "periodic":
        return i / n, 1 / n
    if boundary == "dirichlet":
        return (i + 1) / (n + 1), 1 / (n + 1)
    return ((i + 0.5) / n, 1 / n) if boundary == "neumann" else (i / (n - 1), 1 / (n - 1))


def product(values: Array, axes: int) -> Array:
    """The product of the same function along each axis."""
    return reduce(np.multiply.outer, [values] * axes)


KNOWN: dict[str, tuple[Callable[..., Any], Callable[..., Any], float]] = {
    "periodic": (lambda x: np.sin(2 * np.pi * x), lambda x: 2 * np.pi * np.cos(2 * np.pi * x), 4 * np.pi**2),
    "dirichlet": (lambda x: np.sin(np.pi * x), lambda x: np.pi * np.cos(np.pi * x), np.pi**2),
    "neumann": (lambda x: np.cos(np.pi * x), lambda x: -np.pi * np.sin(np.pi * x), np.pi**2),
    "open": (lambda x: np.exp(x), lambda x: np.exp(x), -1.0),
}


@pytest.mark.parametrize("boundary", KNOWN)
@pytest.mark.parametrize(("order", "accuracy"), [(1, 2), (2, 2), (1, 4), (2, 4), (2, 3)])
def test_errors_fall_with_the_accuracy(boundary: str, order: int, accuracy: int) -> None:
    u, slope, square = KNOWN[boundary]
    errors = []
    for n in (16, 32):
        x, h = places(n, boundary)
        found = LAWS.slope.interpret(u(x), h, order=order, accuracy=accuracy, boundary=boundary)
        errors.append(np.abs(np.asarray(found) - (slope(x) if order == 1 else -square * u(x))).max())
    assert np.log2(errors[0] / errors[1]) > accuracy - 0.45


@pytest.mark.parametrize("boundary", BOUNDARIES)
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_poisson_converges_with_order_2_and_is_exact_for_waves(boundary: str, axes: int) -> None:
    u, _, square = KNOWN[boundary]
    errors = []
    for n in (8, 16):
        x, h = places(n, boundary)
        exact = product(u(x), axes)
        f, steps = -axes * square * exact, np.full(axes, h)
        found = np.asarray(LAWS.solved.interpret(f, steps, boundary=boundary, method="differences"))
        errors.append(np.abs(found - exact).max())
        whole = LAWS.solved.interpret(f, steps, boundary=boundary, method="spectral")
        np.testing.assert_allclose(whole, exact, atol=1e-12)
    assert 1.7 < np.log2(errors[0] / errors[1]) < 2.5


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(BOUNDARIES))
def test_laws_of_fields_hold(seed: int, boundary: str) -> None:
    rng = np.random.default_rng(seed)
    n, m = rng.integers(3, 9, 2)
    f, h = rng.normal(size=(n, m)), rng.uniform(0.1, 1.0, 2)
    np.testing.assert_allclose(LAWS.left.interpret(f, h, 0.7, boundary=boundary), 0.0, atol=1e-9)
    dropped = 0.0 if boundary == "dirichlet" else -f.mean()
    np.testing.assert_allclose(LAWS.left.interpret(f, h, 0.0, boundary=boundary), dropped, atol=1e-9)
    u, v = rng.normal(size=(3, 4, 5)), rng.normal(size=(3, 3, 4, 5))
    for zero in some(LAWS.identities.interpret(u, v, rng.uniform(0.1, 1.0, 3))):
        np.testing.assert_allclose(zero, 0.0, atol=1e-9)
    c = rng.normal(size=n)
    x = np.asarray(LAWS.points.interpret(np.zeros(n)))
    for slope in some(LAWS.series.interpret(np.polyval(c, x))):
        np.testing.assert_allclose(slope, np.polyval(np.polyder(c), x) + np.zeros(n), atol=1e-9)


@pytest.mark.parametrize("n", [8, 9])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_fourier_derivatives_of_waves_are_exact(n: int, order: int) -> None:
    x = 2 * np.pi * np.arange(n) / n
    wave = 3.0**order * np.cos(3 * x + order * np.pi / 2)
    np.testing.assert_allclose(LAWS.waves(np.cos(3 * x), order=order), wave, atol=1e-10)


def test_the_gradient_of_a_solution_is_the_finite_difference() -> None:
    f, h, step = X[:, :5], np.array([0.3, 0.4]), 1e-6
    slopes = LAWS.slopes_of_energy(f, h)
    for i, (slope, way) in enumerate(
        zip(slopes, (np.cos(np.arange(15.0)).reshape(3, 5), np.array([1.0, -0.5])), strict=True)
    ):
        ends = [[f, h], [f, h]]
        for end, side in zip(ends, (1, -1), strict=True):
            end[i] = end[i] + side * step * way
        difference = (float(LAWS.energy(*ends[0])) - float(LAWS.energy(*ends[1]))) / (2 * step)
        assert float(np.sum(np.asarray(slope) * way)) == pytest.approx(difference, rel=1e-5)


WRONG = {
    "boundary": ('(u: f32[9]) = differences.derivative(u, 0.1, boundary="free")', "E0407"),
    "short": ("(u: f32[2]) = differences.derivative(u, 0.1, accuracy=4)", "E0407"),
    "axis": ("(u: f32[9]) = differences.derivative(u, 0.1, axis=1)", "E04"),
    "spacings": ("(u: f32[9, 9], h: f32[3]) = differences.laplacian(u, h)", "E04"),
    "components": ("(v: f32[3, 9, 9], h: f32[2]) = differences.divergence(v, h)", "E04"),
    "open": ('(f: f32[9], h: f32[1]) = differences.poisson(f, h, boundary="open")', "E0407"),
    "rank": ("(v: f32[2, 9, 9, 9], h: f32[3]) = differences.curl(v, h)", "E04"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_differences_are_refused(name: str) -> None:
    text, code = WRONG[name]
    source = Source("p.dsl", f"import differences\ndef f{text}\n")
    found = [d.code for d in check_source(source, cache=known_library()).diagnostics]
    assert len(found) == 1
    assert found[0].startswith(code)


def test_all_functions_are_compared() -> None:
    assert unmentioned("differences", written(CASES) + LAWS_TEXT) == []
