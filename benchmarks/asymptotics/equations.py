"""Rows of `ode`: equations of as many unknown numbers as there are elements, without a counterpart in JAX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmarks.asymptotics.row import Row, table, with_key

SLOPE = "fn (t, y) -> -y"
FIXED = ("euler", "midpoint", "rk4")
ADAPTED = ("heun", "ralston", "bosh3", "tsit5", "dopri5", "dop853")
STIFF = ("ros3p", "rodas4", "kvaerno3", "kvaerno5")
SPLIT = ("leapfrog", "ruth3", "yoshida4")
NOISY = "fn (t, y) -> -y, fn (t, y) -> 0.1 * y, ode.brownian(k, 0.0, 1.0, [n], depth=4), x"
CALLS: Mapping[str, str] = MappingProxyType(
    {
        **{name: f"ode.solve({SLOPE}, x, 0.0, 1.0, ode.{name}(), steps=4).y" for name in FIXED},
        **{name: f"ode.solve({SLOPE}, x, 0.0, 1.0, ode.{name}(), max_steps=64).y" for name in ADAPTED},
        **{
            name: f"[ode.solve_stiff({SLOPE}, v, 0.0, 1.0, ode.{name}(), steps=4).y for v in reshape(x, [n // 4, 4])]"
            for name in STIFF
        },
        **{
            name: f"ode.solve_symplectic(fn (t, p) -> p, fn (t, q) -> -q, x, x, 0.0, 1.0, ode.{name}(), steps=4).0"
            for name in SPLIT
        },
        "solve": f"ode.solve({SLOPE}, x, 0.0, 1.0, ode.tsit5(), save=[0.5], max_steps=64).saved",
        "solve_grid": f"ode.solve_grid({SLOPE}, x, [0.0, 1.0], ode.rk4())",
        "solve_stiff": f"ode.solve_stiff({SLOPE}, x[:16], 0.0, 1.0, ode.rodas4(), steps=4).y + sum(x)",
        "solve_backsolve": "ode.solve_backsolve(fn (t, y, p) -> -p * y, x, x, 0.0, 1.0, ode.tsit5(), max_steps=64)",
        "solve_sensitivities": (
            "ode.solve_sensitivities(fn (t, y, p) -> -p[0] * y, x, [1.0], 0.0, 1.0, ode.tsit5(), max_steps=64).1"
        ),
        "solve_symplectic": (
            "ode.solve_symplectic(fn (t, p) -> p, fn (t, q) -> -q, x, x, 0.0, 1.0, ode.leapfrog(), steps=4).1"
        ),
        "solve_symplectic_grid": (
            "ode.solve_symplectic_grid(fn (t, p) -> p, fn (t, q) -> -q, x, x, [0.0, 1.0], ode.leapfrog()).0"
        ),
        "brownian": "ode.brownian(k, 0.0, 1.0, [n], depth=8)(0.3)",
        "solve_sde": f"ode.solve_sde({NOISY}, 0.0, 1.0, ode.Milstein, steps=4)",
        "solve_sde_grid": f"ode.solve_sde_grid({NOISY}, [0.0, 1.0], ode.HeunStratonovich)",
        "solve_sde_mixed": (
            "ode.solve_sde_mixed(fn (t, y) -> -y, fn (t, y) -> y[:, None], ode.brownian(k, 0.0, 1.0, [1], depth=4), "
            "x, 0.0, 1.0, ode.EulerMaruyama, steps=4)"
        ),
    }
)


def equations() -> Iterator[Row]:
    """A row for every function of `ode`."""
    start = "def f(x: f32[n], k: key) where n >= 16 and n % 4 == 0 = "
    yield from table(with_key, {name: (start + call, None) for name, call in CALLS.items()}, "ode", drawn=True)
