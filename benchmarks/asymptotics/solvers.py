"""Rows of `solve`: vectors of as many elements as there are, or matrices of that many; a fixed number of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmarks.asymptotics.row import Row, table, two

START = "def f(x: f32[n], y: f32[n]) where n >= 64 and n % 64 == 0 = "
BLOCK = "(x[:16][:, None] * y[:16][None, :] + 16.0 * eye(16))"
"""A small matrix, for what costs the cube of the number of rows."""
LAPLACE = "solve.symmetric(fn v -> 3.0 * v - roll(v, 1) - roll(v, -1), x)"
BOWL = "fn v -> sum(cosh(0.1 * (v - y)))"
DIAGONAL = "sparse.diag(2.0 + x)"
CALLS: Mapping[str, str] = MappingProxyType(
    {
        "dense": f"solve.dense({BLOCK}).apply(x[:16]) + x[0]",
        "matrix_free": "solve.matrix_free(fn v -> 2.0 * v, fn v -> 2.0 * v, x, x).apply(y)",
        "symmetric": f"{LAPLACE}.apply(y)",
        "jacobian": "solve.jacobian(fn v -> v * v, x).transposed(y)",
        "curvature": f"solve.curvature({BOWL}, x).apply(y)",
        "transpose_of": f"solve.transpose_of({LAPLACE}).apply(y)",
        "plus": f"solve.plus({LAPLACE}, {LAPLACE}).apply(y)",
        "scaled": f"solve.scaled(2.0, {LAPLACE}).apply(y)",
        "product": f"solve.product({LAPLACE}, {LAPLACE}).apply(y)",
        "as_matrix": f"solve.as_matrix(solve.dense({BLOCK})) + x[0]",
        "factored": f"solve.factored({BLOCK}).inverse(x[:16]) + x[0]",
        "positive": f"solve.positive({BLOCK} @ {BLOCK}.T).inverse(x[:16]) + x[0]",
        "elementwise": "solve.elementwise(x).inverse(y)",
        "tridiagonal": "solve.tridiagonal(x, y[1:], y[1:]).inverse(y)",
        "banded": "solve.banded(stack((y, 9.0 + x, y)), 1, 1).inverse(y)",
        "kronecker": f"solve.kronecker(solve.factored({BLOCK}), solve.elementwise(x)).inverse(ones([16, n]))",
        "low_rank_update": "solve.low_rank_update(solve.elementwise(x), y[:, None], y[:, None]).inverse(y)",
        "direct": "solve.direct(solve.elementwise(x), y)",
        "jacobi": f"solve.jacobi({BLOCK}).apply(x[:16]) + x[0]",
        "block_jacobi": f"solve.block_jacobi({BLOCK}, 4).apply(x[:16]) + x[0]",
        "inverse_of": "solve.inverse_of(solve.elementwise(x)).apply(y)",
        "unchanged": "solve.unchanged(x).apply(y)",
        "sparse_matrix": f"solve.sparse_matrix({DIAGONAL}).apply(y)",
        "ssor": f"solve.ssor({DIAGONAL}).apply(y)",
        "ilu": f"(with checks do solve.ilu(sparse.to_csr({DIAGONAL}), width=1).apply(y)).0",
        "polynomial": f"solve.polynomial({LAPLACE}, 1.0, 5.0).apply(y)",
        "cg": f"solve.cg({LAPLACE}, y, limit=8).value",
        "minres": f"solve.minres({LAPLACE}, y, limit=8).value",
        "bicgstab": f"solve.bicgstab({LAPLACE}, y, limit=8).value",
        "gmres": f"solve.gmres({LAPLACE}, y, restart=4, limit=8).value",
        "lsmr": f"solve.lsmr({LAPLACE}, y, limit=8).value",
        "bisect": "[solve.bisect(fn v -> v - k, -99.0, 99.0, limit=8).value for k in y]",
        "brent": "[solve.brent(fn v -> v - k, -99.0, 99.0, limit=8).value for k in y]",
        "root": "solve.root(fn v -> v * v * v + v - y[:16], x[:16], limit=4).value + x[0]",
        "newton": "solve.newton(fn v -> v * v * v + v - y[:16], x[:16], limit=4).value + x[0]",
        "broyden": "solve.broyden(fn v -> v * v * v + v - y[:16], x[:16], limit=4).value + x[0]",
        "fixed_point": "solve.fixed_point(fn v -> 0.5 * cos(v) + y, x, limit=8).value",
        "levenberg_marquardt": "solve.levenberg_marquardt(fn v -> v * v - y[:16], x[:16], limit=4).value + x[0]",
        "gauss_newton": "solve.gauss_newton(fn v -> v * v * v + v - y[:16], x[:16], limit=4).value + x[0]",
        "least_squares": "solve.least_squares(fn v -> v * v * v + v - y, x, limit=4).value",
        "trust_region": f"solve.trust_region({BOWL}, x, limit=4).value",
        "bfgs": "solve.bfgs(fn v -> sum(cosh(v - y[:16])), x[:16], limit=4).value + x[0]",
        "lbfgs": f"solve.lbfgs({BOWL}, x, memory=4, limit=8).value",
        "nonlinear_cg": f"solve.nonlinear_cg({BOWL}, x, limit=8).value",
        "nelder_mead": "solve.nelder_mead(fn v -> sum(cosh(v - y[:4])), x[:4], limit=8).value + x[0]",
        "gauss_legendre": "solve.gauss_legendre(4).0 + f64(x[0])",
        "quadrature": "solve.quadrature(fn t -> sin(t * x), 0.0, y[0], n=4)",
        "integrate": "solve.integrate(fn t -> sin(t * x), 0.0, y[0], limit=4).value",
        "integrate_tail": "solve.integrate_tail(fn t -> exp(-t) * x, 0.0, limit=4).value",
        "integrate_line": "solve.integrate_line(fn t -> exp(-t * t) * x, 0.0, limit=4).value",
        "simpson": "solve.simpson(x * y)",
    }
)


def solvers() -> Iterator[Row]:
    """A row for every function of `solve`."""
    yield from table(two, {name: (START + call, None) for name, call in CALLS.items()}, "solve")
