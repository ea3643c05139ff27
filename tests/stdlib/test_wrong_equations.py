"""Wrong use of `ode` is refused by the check, with one error."""

from __future__ import annotations

import pytest

from dsl.diagnostics.source import Source
from dsl.witnesses import check_source
from tests.support.known_library import known_library

REFUSED = {
    "a method without an estimate": ("(y: f32) -> f32 = ode.solve(fn (t, y) -> -y, y, 0.0, 1.0, ode.rk4()).y", "E0407"),
    "no steps": ("(y: f32) -> f32 = ode.solve(fn (t, y) -> -y, y, 0.0, 1.0, ode.rk4(), steps=0).y", "E0407"),
    "a slope of another shape": (
        "(y: f32[3]) -> f32[3] = ode.solve(fn (t, y) -> y[:2], y, 0.0, 1.0, ode.tsit5()).y",
        "E04",
    ),
    "times of another dtype": ("(y: f32, t: f64) -> f32 = ode.solve(fn (t, y) -> -y, y, 0.0, t, ode.tsit5()).y", "E03"),
    "a tableau in single precision": (
        "(y: f64, t: f64) -> f64 = ode.solve(fn (t, y) -> -y, y, 0.0, t, ode.tsit5()).y",
        "E03",
    ),
    "a stiff method for others": (
        "(y: f32[2]) -> f32[2] = ode.solve(fn (t, y) -> -y, y, 0.0, 1.0, ode.rodas4()).y",
        "E03",
    ),
    "a stiff equation of complex numbers": (
        "(y: c64[2]) -> c64[2] = ode.solve_stiff(fn (t, y) -> -y, y, 0.0, 1.0, ode.rodas4()).y",
        "E03",
    ),
    "a captured parameter of the adjoint": (
        "(k: f32) -> f32 = grad(fn k -> "
        "ode.solve_backsolve(fn (t, y, p) -> -k * y, f32(1.0), k, 0.0, 1.0, ode.tsit5()))(k)",
        "E0818",
    ),
    "the adjoint forwards": (
        "(k: f32) -> f32 = jvp(fn k -> "
        "ode.solve_backsolve(fn (t, y, p) -> -p * y, f32(1.0), k, 0.0, 1.0, ode.tsit5()), (k,), (1.0,)).1",
        "E0816",
    ),
    "areas of mixed noise": (
        "(k: key) -> f32[2] = ode.solve_sde_mixed(fn (t, y) -> y, fn (t, y) -> y[:, None], "
        "ode.brownian(k, 0.0, 1.0, [1]), [1.0, 2.0], 0.0, 1.0, ode.Milstein, steps=3)",
        "E0407",
    ),
    "a key of two paths": (
        "(k: key) -> f32 = ode.brownian(k, 0.0, 1.0)(0.5) + ode.brownian(k, 0.0, 1.0)(0.5)",
        "E0610",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_use_of_solvers_is_refused(name: str) -> None:
    text, code = REFUSED[name]
    found = [
        d.code
        for d in check_source(Source("<string>", f"import ode\ndef f{text}\n"), cache=known_library()).diagnostics
    ]
    assert len(found) == 1
    assert found[0].startswith(code)
