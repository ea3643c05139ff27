"""Derivatives of library functions beside those of JAX, where a careless formula gives nan or the wrong share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import pytest
import scipy.special

import dsl

KINKS = np.array([-2.0, -0.5, 0.0, 0.5, 3.0], np.float32)
INSIDE = np.array([0.1, 0.3, 0.5, 0.7, 0.9], np.float32)
MATRIX = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], np.float32)

VECTORS: dict[str, tuple[str, Callable[[Any], Any], np.ndarray[Any, Any]]] = {
    "relu": ("nn.relu(x)", jax.nn.relu, KINKS),
    "leaky_relu": ("nn.leaky_relu(x)", jax.nn.leaky_relu, KINKS),
    "softplus": ("nn.softplus(50.0 * x)", lambda x: jax.nn.softplus(50.0 * x), KINKS),
    "elu": ("nn.elu(x)", jax.nn.elu, KINKS),
    "selu": ("nn.selu(x)", jax.nn.selu, KINKS),
    "gelu": ("nn.gelu(x, approximate=false)", lambda x: jax.nn.gelu(x, approximate=False), KINKS),
    "softmax": ("nn.softmax(x) * x", lambda x: jax.nn.softmax(x) * x, KINKS),
    "log_softmax": ("nn.log_softmax(x) * x", lambda x: jax.nn.log_softmax(x) * x, KINKS),
    "entr": ("special.entr(x)", jsp.special.entr, INSIDE),
    "xlogy": ("special.xlogy(x, x)", lambda x: jsp.special.xlogy(x, x), INSIDE),
    "log_ndtr": ("special.log_ndtr(6.0 * x)", lambda x: jsp.special.log_ndtr(6.0 * x), KINKS),
    "sinc": ("sinc(x)", jnp.sinc, KINKS[KINKS != 0]),
    "gammainc": ("special.gammainc(x + 0.5, 2.0 * x)", lambda x: jsp.special.gammainc(x + 0.5, 2.0 * x), INSIDE),
    "betainc": (
        "special.betainc(full([5], 2.0), full([5], 0.5), x)",
        lambda x: jsp.special.betainc(jnp.full(5, 2.0), jnp.full(5, 0.5), x),
        INSIDE,
    ),
    "i0": ("special.i0(x)", jsp.special.i0, INSIDE),
    "i1": ("special.i1(x)", jsp.special.i1, KINKS),
    "norm_logpdf": ("stats.norm_logpdf(x, 0.5, 2.0)", lambda x: jsp.stats.norm.logpdf(x, 0.5, 2.0), KINKS),
    "beta_logpdf": ("stats.beta_logpdf(x, 2.0, 3.0)", lambda x: jsp.stats.beta.logpdf(x, 2.0, 3.0), INSIDE),
    "gamma_logpdf": ("stats.gamma_logpdf(x, 2.0)", lambda x: jsp.stats.gamma.logpdf(x, 2.0), INSIDE),
    "cumsum": ("cumsum(x * x)", lambda x: jnp.cumsum(x * x), KINKS),
    "sort": ("sort(x) * arange(5, dtype=f32)", lambda x: jnp.sort(x) * jnp.arange(5.0), KINKS),
    "convolve": ("convolve(x, x)", lambda x: jnp.convolve(x, x), KINKS),
    "pad": ('pad(x * x, 2, mode="reflect")', lambda x: jnp.pad(x * x, 2, mode="reflect"), KINKS),
    "pad_symmetric": ('pad(x * x, 5, mode="symmetric")', lambda x: jnp.pad(x * x, 5, mode="symmetric"), KINKS),
    "rfft": ("real(fft.rfft(x * x))", lambda x: jnp.fft.rfft(x * x).real, KINKS),
    "scan": (
        "associative_scan(fn (a, b) -> a * b, 1.0 + x)",
        lambda x: jax.lax.associative_scan(jnp.multiply, 1.0 + x),
        INSIDE,
    ),
}
MATRICES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "solve": ("linalg.solve(x, [1.0, 2.0, 3.0])", lambda x: jnp.linalg.solve(x, jnp.array([1.0, 2.0, 3.0]))),
    "inv": ("linalg.inv(x)", jnp.linalg.inv),
    "det": ("linalg.det(x)", jnp.linalg.det),
    "slogdet": ("linalg.slogdet(x).1", lambda x: jnp.linalg.slogdet(x)[1]),
    "norm": ("linalg.norm(x)", jnp.linalg.norm),
    "matrix_power": ("linalg.matrix_power(x, 3)", lambda x: jnp.linalg.matrix_power(x, 3)),
    "expm": ("linalg.expm(0.1 * x)", lambda x: jsp.linalg.expm(0.1 * x)),
}


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    lines = ["import fft", "import linalg", "import nn", "import special", "import stats"]
    for name, (body, _, at) in VECTORS.items():
        lines += [
            f"def f_{name}(x: f32[{len(at)}]) -> f32 = sum({body})",
            f"def g_{name}(x: f32[{len(at)}]) = grad(f_{name})(x)",
        ]
    for name, (body, _) in MATRICES.items():
        lines += [
            f"def f_m_{name}(x: f32[3, 3]) -> f32 = sum({body})",
            f"def g_m_{name}(x: f32[3, 3]) = grad(f_m_{name})(x)",
        ]
    return dsl.program("\n".join(lines))


@pytest.mark.parametrize("name", VECTORS)
def test_of_a_vector(program: dsl.Program, name: str) -> None:
    _, expected, at = VECTORS[name]
    wanted = jax.grad(lambda x: jnp.sum(expected(x)))(jnp.asarray(at))
    np.testing.assert_allclose(np.asarray(getattr(program, f"g_{name}")(at)), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", MATRICES)
def test_of_a_matrix(program: dsl.Program, name: str) -> None:
    wanted = jax.grad(lambda x: jnp.sum(MATRICES[name][1](x)))(jnp.asarray(MATRIX))
    found = np.asarray(getattr(program, f"g_m_{name}")(MATRIX))
    np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4)


def test_activations_leave_products_of_matrices_as_they_are() -> None:
    """A choice would have to shelter the sums of products in the derivative from what it leaves out."""
    names = "relu", "leaky_relu", "sigmoid", "tanh", "silu", "gelu", "mish"
    lines = [f"def {f}(w: f32[2, 2]) -> f32 = sum(nn.{f}(nn.{f}(w @ w) @ w))" for f in names]
    program, matrix = dsl.program("\n".join(["import nn", *lines])), np.eye(2, dtype=np.float32)
    for name in names:
        assert "stablehlo.or" not in dsl.grad(getattr(program, name)).lower(matrix).as_text(), name


WHOLE = """
import special
def of_gamma(a: A[n], x: A[n]) -> A[n] = grad(fn v -> sum(special.gammainc(v, x)))(a)
def of_beta(a: A[n], b: A[n], x: A[n]) -> A[n] = grad(fn v -> sum(special.betainc(a, v, x)))(b)
"""


@pytest.mark.parametrize(("dtype", "error"), [("f32", 1e-5), ("f64", 1e-9)])
def test_continued_fractions_have_derivatives_where_their_values_end_early(dtype: str, error: float) -> None:
    """At whole numbers the fractions of the incomplete functions are finite; their derivatives are not."""
    program, numpy, step = dsl.program(WHOLE.replace("A[", f"{dtype}[")), np.dtype(f"f{int(dtype[1:]) // 8}"), 1e-5
    a, x = (each.ravel() for each in np.meshgrid([1.0, 2, 3, 5, 10, 20, 0.5, 7.25], [0.1, 0.9, 2.007, 3.5, 6, 15, 40]))
    wanted = (scipy.special.gammainc(a + step, x) - scipy.special.gammainc(a - step, x)) / (2 * step)
    got = np.asarray(program.of_gamma(a.astype(numpy), x.astype(numpy)))
    np.testing.assert_allclose(got, wanted, atol=error)
    p, q, z = (each.ravel() for each in np.meshgrid([0.5, 1, 2, 7], [1.0, 2, 3, 6, 12, 2.25], [0.05, 0.3, 0.7, 0.95]))
    wanted = (scipy.special.betainc(p, q + step, z) - scipy.special.betainc(p, q - step, z)) / (2 * step)
    got = np.asarray(program.of_beta(p.astype(numpy), q.astype(numpy), z.astype(numpy)))
    np.testing.assert_allclose(got, wanted, atol=error)
