"""`interpolate` against SciPy: values, derivatives, integrals, gradients, orders of convergence and laws."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as si
from hypothesis import given, settings
from hypothesis import strategies as st

import dsl
from dsl.diagnostics.source import Source
from tests.support.cases import some
from tests.support.known_library import known_library
from tests.support.library import Array, Case, compare, unmentioned, written
from typechecker import check_source

RNG = np.random.default_rng(27)
X = np.sort(RNG.uniform(0.0, 4.0, 9)) + 0.1 * np.arange(9)
Y = RNG.normal(size=9)
TABLE = RNG.normal(size=(9, 2))
AT = np.concatenate((np.linspace(X[0] - 0.5, X[-1] + 0.5, 11), X))
INSIDE = np.linspace(X[0], X[-1], 13)
SHORT = np.linspace(X[0] + 1e-3, X[1], 5)
KNOTS = np.concatenate((X[:1], X[:1], X[:1], X[:1], X[[3, 5]], X[-1:], X[-1:], X[-1:], X[-1:]))


def whole(interpolant: Callable[..., Any], x: Array, y: Array, at: Array) -> tuple[Array, ...]:
    """Values, derivatives of both orders, and the integral over a part."""
    p = interpolant(x, y)
    return (
        np.asarray(p(at)),
        np.asarray(p.derivative()(at)),
        np.asarray(p.antiderivative()(3.0) - p.antiderivative()(1.0)),
    )


ENDS = ("not-a-knot", "natural", "clamped", "periodic")


def periodic(y: Array) -> Array:
    return np.concatenate((y[:-1], y[:1]))


def scipy_spline(x: Array, y: Array, *, ends: str) -> Any:
    return si.CubicSpline(x, periodic(y) if ends == "periodic" else y, bc_type=ends)


PIECES: dict[str, tuple[str, Callable[..., Any]]] = {
    **{
        f"cubic_{e.replace('-', '_')}": (f'cubic_spline(x, y, ends="{e}")', partial(scipy_spline, ends=e)) for e in ENDS
    },
    "akima": ("akima(x, y)", lambda x, y: si.Akima1DInterpolator(x, y, extrapolate=True)),
    "makima": (
        "akima(x, y, modified=true)",
        lambda x, y: si.Akima1DInterpolator(x, y, method="makima", extrapolate=True),
    ),
    "pchip": ("pchip(x, y)", si.PchipInterpolator),
    "linear": ("linear(x, y)", lambda x, y: si.make_interp_spline(x, y, k=1)),
    "hermite": ("hermite(x, y, 0.5 * y)", lambda x, y: si.CubicHermiteSpline(x, y, 0.5 * y)),
    **{
        f"bspline_{k}": (f"bspline(x, y, degree={k})", lambda x, y, k=k: si.make_interp_spline(x, y, k=k))
        for k in (2, 3)
    },
    "fit": (
        "fit_bspline(x, y, knots)",
        lambda x, y: si.make_lsq_spline(x, y, KNOTS, k=3),
    ),
}
SHOWN = "let knots = f64([" + ", ".join(map(repr, KNOTS.tolist())) + "])\n"
OUTSIDE = ("extend", "constant", "nan", "periodic")


def shaped(x: Array, y: Array, at: Array, *, outside: str) -> Array:
    low, high = x[0], x[-1]
    inner = {"constant": np.clip(at, low, high), "periodic": low + (at - low) % (high - low)}.get(outside, at)
    found: Array = si.CubicSpline(x, y)(inner)
    found[(outside == "nan") & ((at < low) | (at > high))] = np.nan
    return found


def grid(*args: Array, degree: int) -> Array:
    """A tensor product of splines: the axes, the values, the coordinates of the points."""
    d = len(args) // 2
    knots = []
    values = args[d]
    for i, x in enumerate(args[:d]):
        b = si.make_interp_spline(x, values, k=degree, axis=i)
        knots.append(b.t)
        values = np.moveaxis(b.c, 0, i)
    return np.asarray(si.NdBSpline(tuple(knots), values, degree)(np.stack(args[d + 1 :], axis=-1)))


KERNELS = ("linear", "thin_plate_spline", "cubic", "multiquadric", "inverse_multiquadric")
CLOUD, SEEN = RNG.normal(size=(12, 2)), RNG.normal(size=(5, 2))
RISES = np.array([0.0, 1.0, 1.0, 3.0, 2.0, 2.5, 7.0, 7.1, 7.1])
AXES = (np.sort(RNG.uniform(size=4)), np.sort(RNG.uniform(size=5)), np.sort(RNG.uniform(size=6)))
VALUES = RNG.normal(size=(4, 5, 6))
POINTS = tuple(RNG.uniform(0.2, 0.8, (3, 7)))
CASES = (
    *(
        Case(
            name,
            "(x: f64[n], y: f64[n, *s], at: f64[q]) -> (f64[q, *s], f64[q, *s], f64[*s]) where n >= 7 =\n"
            f"    let p = interpolate.{call}\n"
            "    (interpolate.evaluate(p, at), interpolate.evaluate(interpolate.derivative(p), at), "
            "interpolate.integral(p, 1.0, 3.0))",
            (X, TABLE, AT if "bspline" in name or "fit" in name else 0.99 * INSIDE + 0.01 * X.mean()),
            partial(whole, interpolant),
            1e-9,
        )
        for name, (call, interpolant) in PIECES.items()
    ),
    *(
        Case(
            f"small_{n}_{e.replace('-', '_')}",
            f"(x: f64[n], y: f64[n], at: f64[q]) -> f64[q] where n >= 2 = "
            f'interpolate.evaluate(interpolate.cubic_spline(x, y, ends="{e}"), at)',
            (X[:n], Y[:n], SHORT),
            lambda x, y, at, e=e: scipy_spline(x, y, ends=e)(at),
            1e-9,
        )
        for n, e in ((2, "not-a-knot"), (2, "natural"), (3, "not-a-knot"), (3, "periodic"), (4, "periodic"))
    ),
    *(
        Case(
            f"outside_{outside}",
            "(x: f64[n], y: f64[n], at: f64[q]) -> f64[q] where n >= 2 = "
            f'interpolate.evaluate(interpolate.cubic_spline(x, y), at, outside="{outside}")',
            (X, Y, AT[:11]),
            partial(shaped, outside=outside),
            1e-9,
        )
        for outside in OUTSIDE
    ),
    Case(
        "slopes",
        "(x: f64[n], y: f64[n], at: f64[q]) -> f64[q] where n >= 2 = "
        "interpolate.evaluate(interpolate.cubic_spline(x, y, slopes=(1.5, -2.0)), at)",
        (X, Y, INSIDE),
        lambda x, y, at: si.CubicSpline(x, y, bc_type=((1, 1.5), (1, -2.0)))(at),
        1e-9,
    ),
    Case(
        "pchip_flat",
        "(x: f64[n], y: f64[n], at: f64[q]) -> f64[q] where n >= 2 = interpolate.evaluate(interpolate.pchip(x, y), at)",
        (X, RISES, INSIDE),
        lambda x, y, at: si.PchipInterpolator(x, y)(at),
        1e-9,
    ),
    Case(
        "steps",
        "(x: f64[n], y: f64[n], at: f64[q]) -> (f64[q], f64[q]) where n >= 2 = "
        "(interpolate.evaluate(interpolate.nearest(x, y), at), interpolate.evaluate(interpolate.previous(x, y), at))",
        (X, Y, INSIDE[:-1] + 1e-3),
        lambda x, y, at: (si.interp1d(x, y, "nearest")(at), si.interp1d(x, y, "previous")(at)),
    ),
    *(
        Case(
            f"smoothing_{n}",
            "(x: f64[n], y: f64[n], w: f64[n], at: f64[q]) -> f64[q] where n >= 3 = "
            "interpolate.evaluate(interpolate.smoothing_spline(x, y, w, penalty=0.3), at)",
            (np.linspace(0, 3, n), RNG.normal(size=n), RNG.uniform(0.5, 2, n), np.linspace(0, 3, 7)),
            lambda x, y, w, at: si.make_smoothing_spline(x, y, w, 0.3)(at),
            1e-8,
        )
        for n in (5, 9)
    ),
    *(
        Case(
            f"surface_{k}",
            "(x: f64[n], y: f64[m], v: f64[n, m], px: f64[q], py: f64[q]) -> f64[q] where n >= 4 and m >= 4 = "
            f"interpolate.evaluate(interpolate.on_grid((x, y), v, degree={k}), (px, py))",
            (*AXES[:2], VALUES[:, :, 0], *POINTS[:2]),
            partial(grid, degree=k),
            1e-8,
        )
        for k in (1, 3)
    ),
    Case(
        "volume",
        "(x: f64[n], y: f64[m], z: f64[l], v: f64[n, m, l], px: f64[q], py: f64[q], pz: f64[q]) -> f64[q] "
        "where n >= 4 and m >= 4 and l >= 4 = "
        "interpolate.evaluate(interpolate.on_grid((x, y, z), v, degree=2), (px, py, pz))",
        (*AXES, VALUES, *POINTS),
        partial(grid, degree=2),
        1e-8,
    ),
    Case(
        "lagrange",
        "(x: f64[n], y: f64[n, 2], at: f64[q]) -> (f64[q, 2], f64[q, 2], f64[2]) where n >= 1 =\n"
        "    let p = interpolate.lagrange(x, y)\n"
        "    (interpolate.evaluate(p, at), interpolate.evaluate(interpolate.derivative(p), at), "
        "interpolate.integral(p, 1.0, 2.0))",
        (X[:6], TABLE[:6], np.concatenate((INSIDE[:5], X[:6]))),
        lambda x, y, at: (Poly(x, y)(at), Poly(x, y).derivative()(at), Poly(x, y).integral(1.0, 2.0)),
        1e-7,
    ),
    *(
        Case(
            f"radial_{kernel}",
            "(c: f64[n, 2], v: f64[n], at: f64[q, 2]) -> f64[q] where n >= 3 = interpolate.evaluate("
            f'interpolate.radial(c, v, kernel="{kernel}", scale=0.7, smoothing=0.1), at)',
            (CLOUD, CLOUD[:, 0] ** 2, SEEN),
            lambda c, v, at, kernel=kernel: si.RBFInterpolator(
                c, v, kernel=kernel, epsilon=0.7, smoothing=0.1, degree=1
            )(at),
            1e-7,
        )
        for kernel in KERNELS
    ),
)


class Poly:
    """The polynomial through values, by SciPy."""

    def __init__(self, x: Array, y: Array) -> None:
        self.c = np.stack([np.polyfit(x, column, len(x) - 1) for column in y.T], axis=1)

    def __call__(self, at: Any) -> Array:
        return np.stack([np.polyval(c, at) for c in self.c.T], axis=-1)

    def derivative(self) -> Poly:
        return self._with([np.polyder(c) for c in self.c.T])

    def antiderivative(self) -> Poly:
        return self._with([np.polyint(c) for c in self.c.T])

    def integral(self, a: float, b: float) -> Array:
        whole = self.antiderivative()
        return whole(b) - whole(a)

    def _with(self, columns: list[Array]) -> Poly:
        found = Poly.__new__(Poly)
        found.c = np.stack(columns, axis=1)
        return found


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(f"import interpolate\n{SHOWN}{written(CASES)}")


@pytest.mark.parametrize(("i", "case"), tuple(enumerate(CASES)), ids=lambda x: getattr(x, "name", ""))
def test_interpolants_are_those_of_scipy(i: int, case: Case, program: dsl.Program) -> None:
    compare(program, case, compiled=i % 4 == 0)


LOSSES = {
    **{
        name: f"sum(cos(interpolate.evaluate(interpolate.{call}, at)))"
        for name, call in {
            "spline": "cubic_spline(x, y)",
            "periodic": 'cubic_spline(x, y, ends="periodic")',
            "akima": "akima(x, y)",
            "pchip": "pchip(x, y)",
            "bspline": "bspline(x, y, degree=2)",
            "smoothed": "smoothing_spline(x, y, penalty=0.1)",
            "polynomial": "lagrange(x, y)",
        }.items()
    },
    "integral": "interpolate.integral(interpolate.cubic_spline(x, y), at[0], at[1])",
    "fit": "sum(sin(interpolate.fit_bspline(x, y, interpolate.knots_of(x[::2], 2), degree=2).c)) + sum(at)",
    "surface": "sum(interpolate.evaluate(interpolate.on_grid((x[:4], at), outer(y[:4], cos(at))), (at, at)) ** 2)",
    "radial": "sum(sin(interpolate.evaluate(interpolate.radial(x[:, None], y), at[:, None])))",
}
PLACES, HEIGHTS = np.linspace(0.0, 3.0, 9) + 0.05 * RNG.normal(size=9), RNG.normal(size=9)
POINTS_AT = np.array([-0.3, 0.33, 1.21, PLACES[4] + 1e-3, 2.2])
SLOPES = "import interpolate\n" + "\n".join(
    f"def {name}(x: f64[9], y: f64[9], at: f64[5]) -> f64 = {loss}\n"
    f"def all_{name}(x: f64[9], y: f64[9], at: f64[5]) = grad({name}, argnums=(0, 1, 2))(x, y, at)"
    for name, loss in LOSSES.items()
)


@pytest.fixture(scope="module")
def slopes() -> dsl.Program:
    return dsl.program(SLOPES)


@pytest.mark.parametrize("name", LOSSES)
def test_gradients_by_places_values_and_points_are_finite_differences(name: str, slopes: dsl.Program) -> None:
    args = (PLACES, HEIGHTS, POINTS_AT)
    f, step = getattr(slopes, name), 1e-6
    for i, slope in enumerate(some(getattr(slopes, f"all_{name}")(*args))):
        way = np.random.default_rng(i).normal(size=args[i].shape)
        ends = [float(f.interpret(*args[:i], args[i] + side * step * way, *args[i + 1 :])) for side in (1, -1)]
        assert float(np.sum(np.asarray(slope) * way)) == pytest.approx(
            (ends[0] - ends[1]) / (2 * step), rel=2e-5, abs=1e-6
        )


LAWS_TEXT = """import interpolate
def rows(knots: f64[p], at: f64[q], static degree: size) -> f64[q] where p >= 2 * degree + 2 =
    sum(interpolate.basis(knots, at, degree), axis=1)
def twice(x: f64[n], y: f64[n], at: f64[q]) -> f64[q] where n >= 4 =
    let p = interpolate.bspline(x, y)
    interpolate.evaluate(interpolate.derivative(interpolate.antiderivative(p)), at) - interpolate.evaluate(p, at)
def at_places(x: f64[n], y: f64[n]) -> f64[n] where n >= 1 =
    let p = interpolate.lagrange(x, y)
    [grad(fn t -> interpolate.evaluate(p, t))(t) for t in x]
def cubic(x: f64[n], y: f64[n], at: f64[q]) where n >= 4 = interpolate.evaluate(interpolate.cubic_spline(x, y), at)
def straight(x: f64[n], y: f64[n], at: f64[q]) where n >= 4 = interpolate.evaluate(interpolate.linear(x, y), at)
def rounded(x: f64[n], y: f64[n], at: f64[q]) -> f64[q] where n >= 4 = interpolate.evaluate(interpolate.akima(x, y), at)
def monotone(x: f64[n], y: f64[n], at: f64[q]) where n >= 4 = interpolate.evaluate(interpolate.pchip(x, y), at)
def second(x: f64[n], y: f64[n]) -> f64[n] where n >= 1 =
    interpolate.slopes_between(x) @ interpolate.slopes_between(x) @ y
"""
LAWS = dsl.program(LAWS_TEXT)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_laws_of_splines_hold(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = np.cumsum(rng.uniform(0.1, 2.0, 7)), rng.normal(size=7)
    at = rng.uniform(x[0], x[-1], 5)
    knots = np.sort(np.concatenate((x, rng.choice(x, 3))))
    np.testing.assert_allclose(LAWS.rows.interpret(knots, at, degree=2), 1.0, atol=1e-12)
    np.testing.assert_allclose(LAWS.twice.interpret(x, y, at), 0.0, atol=1e-10)
    rises = np.asarray(LAWS.monotone.interpret(x, np.sort(y), np.sort(at)))
    assert (np.diff(rises) >= -1e-12).all()
    c = rng.normal(size=4)
    np.testing.assert_allclose(LAWS.cubic.interpret(x, np.polyval(c, x), at), np.polyval(c, at), rtol=1e-7, atol=1e-7)
    nodes = np.cos(np.pi * (np.arange(6) + 0.5) / 6)
    bend = np.polyval(np.polyder(c, 2), nodes)
    np.testing.assert_allclose(LAWS.second.interpret(nodes, np.polyval(c, nodes)), bend, atol=1e-10)
    slope = np.polyval(np.polyder(c), nodes)
    np.testing.assert_allclose(LAWS.at_places.interpret(nodes, np.polyval(c, nodes)), slope, atol=1e-11)


@pytest.mark.parametrize(("name", "order"), [("straight", 2), ("cubic", 4), ("rounded", 2), ("monotone", 2)])
def test_errors_fall_with_the_order_of_the_method(name: str, order: int) -> None:
    errors = []
    for n in (17, 33):
        x, at = np.linspace(0.0, 2.0, n), np.linspace(0.0, 2.0, 301)
        errors.append(np.abs(np.asarray(getattr(LAWS, name)(x, np.sin(3 * x), at)) - np.sin(3 * at)).max())
    assert np.log2(errors[0] / errors[1]) > order - 0.4


WRONG = {
    "policy": ('(x: f32[4], y: f32[4]) = interpolate.evaluate(interpolate.linear(x, y), 0.5, outside="clip")', "E0407"),
    "ends": ('(x: f32[4], y: f32[4]) = interpolate.cubic_spline(x, y, ends="free")', "E0407"),
    "lengths": ("(x: f32[n], y: f32[n + 1]) where n >= 2 = interpolate.linear(x, y)", "E0402"),
    "degree": ("(x: f32[3], y: f32[3]) = interpolate.bspline(x, y)", "E0407"),
    "result": (
        "(x: f32[4], y: f32[4, 2], t: f32[q]) -> f32[q] = interpolate.evaluate(interpolate.pchip(x, y), t)",
        "E04",
    ),
    "kernel": ('(x: f32[4, 2], y: f32[4]) = interpolate.radial(x, y, kernel="square").weights', "E0407"),
    "one": ("(x: f32[1], y: f32[1]) = interpolate.cubic_spline(x, y)", "E0407"),
    "whole_numbers": ("(x: i32[4], y: i32[4]) = interpolate.linear(x, y)", "E03"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_interpolations_are_refused(name: str) -> None:
    text, code = WRONG[name]
    found = [
        d.code
        for d in check_source(Source("p.dsl", f"import interpolate\ndef f{text}\n"), cache=known_library()).diagnostics
    ]
    assert len(found) == 1
    assert found[0].startswith(code)


def test_all_functions_are_compared() -> None:
    assert unmentioned("interpolate", written(CASES) + SLOPES + LAWS_TEXT) == []
