"""The values of `nn special stats fft linalg random` beside those of JAX, through XLA and the reference evaluator."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import pytest
import scipy.special

import dsl
from tests.support.densities import DENSITIES
from tests.support.layers import LAYERS
from tests.support.library import Case, compare, unmentioned, written
from tests.support.losses import LOSSES
from tests.support.neural import MODELS, TEXT

_random = np.random.default_rng(11)
X = _random.normal(size=(3, 4)).astype(np.float32)
P = _random.uniform(0.1, 0.9, size=(3, 4)).astype(np.float32)
Q = _random.uniform(0.1, 0.9, size=(3, 4)).astype(np.float32)
V = _random.normal(size=6).astype(np.float32)
A = _random.normal(size=(4, 4)).astype(np.float32)
S = (A @ A.T + 4 * np.eye(4)).astype(np.float32)
T = _random.normal(size=(5, 3)).astype(np.float32)
D = _random.normal(size=4).astype(np.float32)
MANY = (_random.normal(size=(2, 3, 4, 4)) + 3 * np.eye(4)).astype(np.float32)
K = np.arange(5, dtype=np.float32)
EIG = partial(jax.lax.linalg.eig, compute_left_eigenvectors=False, enable_eigvec_derivs=True)
ONE_ARRAY = "(x: f32[n, m]) -> f32[n, m] = "


def _normalised(x: Any) -> Any:
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-6)


def _nn() -> list[Case]:
    plain = "relu relu6 sigmoid tanh softplus soft_sign silu swish log_sigmoid leaky_relu hard_tanh hard_sigmoid"
    plain += " hard_silu hard_swish elu celu selu gelu mish squareplus softmax log_softmax standardize"
    found = [
        Case(f"nn_{n}", f"{ONE_ARRAY}nn.{n}(3.0 * x)", (X,), lambda x, n=n: getattr(jax.nn, n)(3.0 * x))
        for n in plain.split()
    ]
    q, k, v = (_random.normal(size=(2, t, 3, 4)).astype(np.float32) for t in (5, 6, 6))
    return [
        *found,
        Case(
            "nn_gelu_exact",
            ONE_ARRAY + "nn.gelu(x, approximate=false)",
            (X,),
            lambda x: jax.nn.gelu(x, approximate=False),
        ),
        Case("nn_elu_alpha", ONE_ARRAY + "nn.elu(x, 0.3)", (X,), lambda x: jax.nn.elu(x, 0.3)),
        Case(
            "nn_softmax_axes", ONE_ARRAY + "nn.softmax(x, axis=(0, 1))", (X,), lambda x: jax.nn.softmax(x, axis=(0, 1))
        ),
        Case(
            "nn_logsumexp",
            "(x: f32[n, m]) -> f32[m] = nn.logsumexp(x, axis=0)",
            (X,),
            lambda x: jax.nn.logsumexp(x, axis=0),
        ),
        Case(
            "nn_one_hot",
            "(i: idx[3][n]) -> f32[n, 3] = nn.one_hot(i, 3)",
            (np.array([0, 2], np.int32),),
            lambda i: jax.nn.one_hot(i, 3),
        ),
        Case("nn_glu", "(x: f32[n, 4]) -> f32[n, 2] = nn.glu(x)", (X,), jax.nn.glu),
        Case(
            "nn_glu_axis", "(x: f32[2 * n, m]) -> f32[n, m] = nn.glu(x, axis=0)", (A,), lambda x: jax.nn.glu(x, axis=0)
        ),
        Case(
            "nn_layer_norm",
            "(x: f32[n, d], g: f32[d], b: f32[d]) -> f32[n, d] = nn.layer_norm(x, g, b)",
            (X, D, A[0]),
            lambda x, g, b: _normalised(x) * g + b,
        ),
        Case(
            "nn_rms_norm",
            "(x: f32[n, d], g: f32[d]) -> f32[n, d] = nn.rms_norm(x, g)",
            (X, D),
            lambda x, g: x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * g,
        ),
        *[
            Case(
                f"nn_attention_{c}",
                "(q: f32[b, t, h, d], k: f32[b, s, h, d], v: f32[b, s, h, d]) -> f32[b, t, h, d]"
                " where s >= 1 and d >= 1 ="
                f" nn.dot_product_attention(q, k, v, is_causal={c})",
                (q, k, v),
                lambda q, k, v, c=c: jax.nn.dot_product_attention(q, k, v, is_causal=c == "true"),
            )
            for c in ("true", "false")
        ],
    ]


def _special() -> list[Case]:
    one = "erf erfc erfinv gammaln digamma psi gamma factorial expit logit log_expit entr ndtr ndtri log_ndtr sinc"
    one += " softmax log_softmax"
    two = "betaln beta xlogy xlog1py rel_entr kl_div"
    others = {"psi": jsp.special.digamma, "log_expit": jax.nn.log_sigmoid, "sinc": jnp.sinc}
    table: dict[str, Any] = {n: others.get(n) or getattr(jsp.special, n) for n in (one + " " + two).split()}
    found = [Case(f"special_{n}", f"{ONE_ARRAY}special.{n}(x)", (P,), table[n]) for n in one.split()]
    found += [
        Case(f"special_{n}", f"(x: f32[n, m], y: f32[n, m]) -> f32[n, m] = special.{n}(x, y)", (P, Q), table[n])
        for n in two.split()
    ]
    below = np.array([-2.5, -1.3, -0.2, 1.7], np.float32)
    far = np.array([-30.0, -7.0, -5.0, -1.0, 0.0, 4.0], np.float32)
    zeros = np.array([0.0, 0.0, 1.0, 2.0], np.float32)
    return [
        *found,
        Case("special_gamma_below", "(x: f32[n]) -> f32[n] = special.gamma(x)", (below,), jsp.special.gamma),
        Case("special_gammasgn", "(x: f32[n]) -> f32[n] = special.gammasgn(x)", (below,), jsp.special.gammasgn),
        Case(
            "special_multigammaln",
            "(x: f32[n]) -> f32[n] = special.multigammaln(x + 5, 3)",
            (below,),
            lambda x: jsp.special.multigammaln(x + 5, 3),
        ),
        Case("special_log_ndtr_far", "(x: f32[n]) -> f32[n] = special.log_ndtr(x)", (far,), jsp.special.log_ndtr),
        Case(
            "special_xlogy_zero",
            "(x: f32[n], y: f32[n]) -> f32[n] = special.xlogy(x, y)",
            (zeros, zeros),
            jsp.special.xlogy,
        ),
        Case(
            "special_entr_zero",
            "(x: f32[n]) -> f32[n] = special.entr(x - 1.0)",
            (zeros,),
            lambda x: jsp.special.entr(x - 1.0),
        ),
        *_of_scipy(),
        Case(
            "special_logsumexp",
            "(x: f32[n, m]) -> f32[n] = special.logsumexp(x, axis=1)",
            (X,),
            lambda x: jsp.special.logsumexp(x, axis=1),
        ),
    ]


def _of_scipy() -> list[Case]:
    """Functions of a loop or a table, in double precision and at the edges of their domains."""
    a, b = (10 ** _random.uniform(-2, 2.5, size=40) for _ in range(2))
    x, share = a * 10 ** _random.uniform(-1, 1, size=40), _random.uniform(size=40)
    a[:4], x[:4], share[:4] = (1, 1, 1, 0.5), (0, np.inf, -1, 0), (0, 1, -0.1, 0.5)
    line = np.concatenate([_random.uniform(-30, 30, size=20), [0, 8, -8, 7.99]])
    two, three = "(a: f64[n], x: f64[n])", "(a: f64[n], b: f64[n], x: f64[n])"
    return [
        Case(
            f"special_{name}",
            f"{params} -> f64[n] = special.{name}({args})",
            values,
            partial(getattr(scipy.special, name), *first),
            1e-11,
        )
        for name, params, args, values, first in (
            ("gammainc", two, "a, x", (a, x), ()),
            ("gammaincc", two, "a, x", (a, x), ()),
            ("betainc", three, "a, b, x", (a, b, share), ()),
            ("zeta", two, "a, x", (1 + a, b), ()),
            ("polygamma", "(x: f64[n])", "2, x", (b,), (2,)),
            *((name, "(x: f64[n])", "x", (line,), ()) for name in ("i0", "i0e", "i1", "i1e")),
        )
    ]


def _stats() -> list[Case]:
    found = []
    for family, options, names in (
        ("norm", "0.3, 1.5", "logpdf pdf cdf logcdf sf"),
        ("uniform", "0.2, 0.5", "logpdf pdf"),
        ("expon", "0.1, 2.0", "logpdf pdf"),
        ("laplace", "0.4, 1.5", "logpdf pdf cdf"),
        ("logistic", "0.4, 1.5", "logpdf pdf cdf"),
        ("cauchy", "0.4, 1.5", "logpdf pdf cdf"),
        ("gamma", "2.5, 0.0, 1.5", "logpdf pdf"),
        ("beta", "2.5, 1.5", "logpdf pdf"),
        ("t", "3.0, 0.2, 1.5", "logpdf pdf"),
    ):
        numbers = [float(o) for o in options.split(",")]
        for n in names.split():
            f = getattr(getattr(jsp.stats, family), n)
            found.append(
                Case(
                    f"{family}_{n}",
                    f"{ONE_ARRAY}stats.{family}_{n}(x, {options})",
                    (P,),
                    lambda x, f=f, o=numbers: f(x, *o),
                )
            )
    for family, option in (("bernoulli", 0.3), ("poisson", 2.5), ("geom", 0.3)):
        for n in ("logpmf", "pmf"):
            f = getattr(getattr(jsp.stats, family), n)
            found.append(
                Case(
                    f"{family}_{n}",
                    f"(k: f32[n]) -> f32[n] = stats.{family}_{n}(k, {option})",
                    (K,),
                    lambda k, f=f, o=option: f(k, o),
                )
            )
    normal = jsp.stats.multivariate_normal
    return [
        *found,
        *DENSITIES,
        Case(
            "norm_ppf", ONE_ARRAY + "stats.norm_ppf(x, 0.3, 1.5)", (P,), lambda x: jsp.stats.norm.ppf(x, 0.3, 1.5), 2e-4
        ),
        *[
            Case(
                f"multivariate_normal_{n}",
                f"(x: f32[n], m: f32[n], c: f32[n, n]) -> f32 = stats.multivariate_normal_{n}(x, m, c)",
                (D, A[0], S),
                getattr(normal, n),
            )
            for n in ("logpdf", "pdf")
        ],
    ]


def _fft_of_axes(z: np.ndarray) -> list[Case]:
    head, real = "(x: c64[n, m]) -> ", "(x: f32[n, m]) -> "
    there = "where n >= 1 and m >= 1 ="
    return [
        Case("fft2", f"{real}c64[n, m] {there} fft.fft2(x)", (X,), jnp.fft.fft2),
        Case("ifft2", f"{head}c64[n, m] {there} fft.ifft2(x)", (z,), jnp.fft.ifft2),
        Case("fftn", f"{head}c64[n, m] {there} fft.fftn(x)", (z,), jnp.fft.fftn),
        Case("ifftn", f"{real}c64[n, m] {there} fft.ifftn(x, axes=0)", (X,), lambda x: jnp.fft.ifftn(x, axes=(0,))),
        Case("rfft2", f"{real}c64[n, m // 2 + 1] {there} fft.rfft2(x)", (X,), jnp.fft.rfft2),
        Case("rfftn", f"{real}c64[n // 2 + 1, m] {there} fft.rfftn(x, axes=(1, 0))", (X,), _rfft_first),
        Case("irfft2", f"{head}f32[n, 2 * m - 2] where n >= 1 and m >= 2 = fft.irfft2(x)", (z,), jnp.fft.irfft2),
        Case("irfftn", f"{head}f32[n, 2 * m - 2] where n >= 1 and m >= 2 = fft.irfftn(x)", (z,), jnp.fft.irfftn),
    ]


def _rfft_first(x: np.ndarray) -> object:
    return jnp.fft.rfftn(x, axes=(1, 0))


def _fft() -> list[Case]:
    z = (X + 1j * P).astype(np.complex64)
    return [
        Case("fft", "(x: c64[n, m]) -> c64[n, m] where m >= 1 = fft.fft(x)", (z,), jnp.fft.fft),
        Case(
            "fft_real",
            "(x: f32[n, m]) -> c64[n, m] where n >= 1 = fft.fft(x, axis=0)",
            (X,),
            lambda x: jnp.fft.fft(x, axis=0),
        ),
        Case(
            "fft_cut", "(x: c64[n, m]) -> c64[n, 3] where m >= 1 = fft.fft(x, n=3)", (z,), lambda x: jnp.fft.fft(x, n=3)
        ),
        Case(
            "fft_filled",
            "(x: c64[n, m]) -> c64[n, 9] where m >= 1 = fft.fft(x, n=9)",
            (z,),
            lambda x: jnp.fft.fft(x, n=9),
        ),
        Case("ifft", "(x: c64[n, m]) -> c64[n, m] where m >= 1 = fft.ifft(x)", (z,), jnp.fft.ifft),
        Case("rfft", "(x: f32[n, m]) -> c64[n, m // 2 + 1] where m >= 1 = fft.rfft(x)", (X,), jnp.fft.rfft),
        Case("irfft", "(x: c64[n, m]) -> f32[n, 2 * m - 2] where m >= 2 = fft.irfft(x)", (z,), jnp.fft.irfft),
        Case("irfft_odd", "(x: c64[n, 4]) -> f32[n, 7] = fft.irfft(x, n=7)", (z,), lambda x: jnp.fft.irfft(x, n=7)),
        *_fft_of_axes(z),
        Case(
            "fftfreq",
            "(x: f32[n]) -> f32[n] where n >= 1 = fft.fftfreq(n, 0.5)",
            (V,),
            lambda x: jnp.fft.fftfreq(6, 0.5),
        ),
        Case(
            "fftfreq_f64",
            "() -> (f64[6], f64[4]) = (fft.fftfreq(6, 0.1, dtype=f64), fft.rfftfreq(6, 0.1, dtype=f64))",
            (),
            lambda: (np.fft.fftfreq(6, 0.1), np.fft.rfftfreq(6, 0.1)),
            1e-15,
        ),
        Case(
            "rfftfreq",
            "(x: f32[n]) -> f32[n // 2 + 1] where n >= 1 = fft.rfftfreq(n)",
            (V,),
            lambda x: jnp.fft.rfftfreq(6),
        ),
        Case("fftshift", "(x: f32[n, m]) -> f32[n, m] = fft.fftshift(x)", (T,), lambda x: jnp.fft.fftshift(x, axes=1)),
        Case(
            "ifftshift", "(x: f32[n, m]) -> f32[n, m] = fft.ifftshift(x)", (T,), lambda x: jnp.fft.ifftshift(x, axes=1)
        ),
    ]


SQUARE = "(a: f32[n, n]) -> "
LINALG: tuple[Case, ...] = (
    Case("cholesky", SQUARE + "f32[n, n] = linalg.cholesky(a)", (S,), jnp.linalg.cholesky),
    Case(
        "cholesky_none",
        SQUARE + "f32[n, n] = linalg.cholesky(a)",
        (S - 9 * np.eye(len(S), dtype="f"),),
        jnp.linalg.cholesky,
    ),
    Case(
        "cholesky_upper",
        SQUARE + "f32[n, n] = linalg.cholesky(a, upper=true)",
        (S + A / 9,),
        partial(jnp.linalg.cholesky, upper=True),
    ),
    Case(
        "cholesky_slope",
        SQUARE + "f32[n, n] = grad(fn a -> sum(sin(linalg.cholesky(a))))(a)",
        (S,),
        jax.grad(lambda a: jnp.sum(jnp.sin(jnp.linalg.cholesky(a)))),
        1e-4,
    ),
    Case(
        "eigh_slope",
        SQUARE + "f32[n, n] = grad(fn a -> sum(linalg.eigh(a).1 ** 4) + sum(linalg.eigh(a).0 ** 2))(a)",
        (S,),
        jax.grad(lambda a: jnp.sum(jnp.linalg.eigh(a)[1] ** 4) + jnp.sum(jnp.linalg.eigh(a)[0] ** 2)),
        1e-3,
    ),
    Case("solve", "(a: f32[n, n], b: f32[n]) -> f32[n] = linalg.solve(a, b)", (A, D), jnp.linalg.solve, 2e-3),
    Case(
        "solve_columns",
        "(a: f32[n, n], b: f32[n, k]) -> f32[n, k] = linalg.solve(a, b)",
        (A, X.T),
        jnp.linalg.solve,
        2e-3,
    ),
    Case(
        "solve_triangular",
        "(a: f32[n, n], b: f32[n]) -> f32[n] = linalg.solve_triangular(a, b, lower=true)",
        (S, D),
        lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True),
    ),
    Case(
        "solve_transposed",
        "(a: f32[n, n], b: f32[n]) -> f32[n] = linalg.solve_triangular(a, b, trans=true, unit_diagonal=true)",
        (A, D),
        lambda a, b: jsp.linalg.solve_triangular(a, b, trans=1, unit_diagonal=True),
        1e-3,
    ),
    Case(
        "cho_solve",
        "(a: f32[n, n], b: f32[n]) -> f32[n] = linalg.cho_solve(linalg.cholesky(a), b)",
        (S, D),
        jnp.linalg.solve,
    ),
    Case("inv", SQUARE + "f32[n, n] = linalg.inv(a)", (A,), jnp.linalg.inv, 2e-3),
    Case("pinv", "(a: f32[n, m]) -> f32[m, n] where n >= 1 and m >= 1 = linalg.pinv(a)", (T,), jnp.linalg.pinv, 1e-4),
    Case(
        "lstsq",
        "(a: f32[n, m], b: f32[n]) -> f32[m] where n >= m = linalg.lstsq(a, b)",
        (T, V[:5]),
        lambda a, b: jnp.linalg.lstsq(a, b)[0],
        1e-4,
    ),
    Case("det", SQUARE + "f32 = linalg.det(a)", (A,), jnp.linalg.det, 1e-4),
    Case("slogdet", SQUARE + "(f32, f32) = linalg.slogdet(a)", (A,), lambda a: tuple(jnp.linalg.slogdet(a)), 1e-4),
    *[
        Case(f"{name}_many", f"(a: f32[*s, n, n]) -> {to} = linalg.{name}(a)", (MANY,), expected, 2e-2)
        for name, to, expected in (
            ("inv", "f32[*s, n, n]", np.linalg.inv),
            ("det", "f32[*s]", np.linalg.det),
            ("slogdet", "(f32[*s], f32[*s])", lambda a: tuple(np.linalg.slogdet(a))),
        )
    ],
    Case(
        "solve_many",
        "(a: f32[b, c, n, n], v: f32[b, c, n]) -> f32[b, c, n] = linalg.solve(a, v)",
        (MANY, MANY[..., 0]),
        lambda a, v: np.linalg.solve(a, v[..., None])[..., 0],
        1e-3,
    ),
    Case(
        "solve_many_columns",
        "(a: f32[b, n, n], v: f32[b, n, k]) -> f32[b, n, k] = linalg.solve(a, v)",
        (MANY[0], MANY[1, :, :, :2]),
        np.linalg.solve,
        1e-3,
    ),
    Case("det_of_none", "(a: f32[b, n, n]) -> f32[b] = linalg.det(a)", (MANY[0, :0],), np.linalg.det),
    Case("inv_of_none", "(a: f32[b, n, n]) -> f32[b, n, n] = linalg.inv(a)", (MANY[0, :0],), np.linalg.inv),
    Case(
        "two_tails",
        "(a: f32[b, c, n, n]) -> f32[b, c, n, n] = (fn (x, y) -> linalg.solve(x, y))(a, a)",
        (MANY,),
        lambda a: np.broadcast_to(np.eye(4, dtype=np.float32), a.shape),
        1e-3,
    ),
    Case(
        "eig",
        SQUARE + "f32[n, n] = (fn ((w, v)) -> real((v * w) @ linalg.inv(v)))(linalg.eig(a))",
        (A,),
        lambda a: a,
        1e-3,
    ),
    Case(
        "eig_slope",
        SQUARE + "f32[n, n] = grad(fn a -> real(sum(linalg.eig(a).0 ** 3)) + sum(abs(linalg.eig(a).1) ** 4))(a)",
        (A,),
        jax.grad(lambda a: jnp.sum(jnp.real(EIG(a)[0] ** 3)) + jnp.sum(jnp.abs(EIG(a)[1]) ** 4)),
        2e-3,
    ),
    Case("eigvals", SQUARE + "c64[n] = linalg.eigvals(a)", (S,), jnp.linalg.eigvals, 1e-4),
    Case("eigvalsh", SQUARE + "f32[n] = linalg.eigvalsh(a)", (S,), jnp.linalg.eigvalsh, 1e-4),
    Case(
        "eigh",
        SQUARE + "f32[n, n] = linalg.eigh(a).1 * linalg.eigh(a).0 @ linalg.eigh(a).1.T",
        (S,),
        lambda a: a,
        1e-4,
    ),
    Case(
        "svd",
        "(a: f32[n, m]) -> (f32[n, m], f32[min(n, m)]) = svd_parts(a)",
        (T,),
        lambda a: (a, jnp.linalg.svd(a, compute_uv=False)),
        1e-4,
    ),
    Case("qr", "(a: f32[n, m]) -> f32[n, m] = linalg.qr(a).0 @ linalg.qr(a).1", (T,), lambda a: a, 1e-4),
    Case("lu", SQUARE + "f32[n, n] = rows_from_lu(a)", (A,), lambda a: a, 1e-4),
    Case("norm", "(a: f32[n, m]) -> f32 = linalg.norm(a)", (T,), jnp.linalg.norm),
    Case("norm_axis", "(a: f32[n, m]) -> f32[n] = linalg.norm(a, axis=1)", (T,), lambda a: jnp.linalg.norm(a, axis=1)),
    *[
        Case(
            f"norm_{rank}_{number}",
            f"(a: f32[{sizes}]) -> f32 where n >= 1{more} = linalg.norm(a, ord={ord_})",
            (value,),
            partial(jnp.linalg.norm, ord=float(ord_)),
        )
        for rank, sizes, more, value, orders in (
            ("vector", "n", "", D, ("1", "3", "0", "inf", "-inf")),
            ("matrix", "n, m", " and m >= 1", T, ("1", "-1", "2", "-2", "inf", "-inf")),
        )
        for number, ord_ in enumerate(orders)
    ],
    Case(
        "norm_ord_axis",
        "(a: f32[n, m]) -> f32[1, m] where n >= 1 = linalg.norm(a, ord=3, axis=0, keepdims=true)",
        (T,),
        lambda a: jnp.linalg.norm(a, ord=3, axis=0, keepdims=True),
    ),
    Case("cond", "(a: f32[n, m]) -> f32 where n >= 1 and m >= 1 = linalg.cond(a)", (T,), jnp.linalg.cond),
    Case(
        "matrix_rank",
        "(a: f32[n, m]) -> i32 where n >= 1 and m >= 1 = linalg.matrix_rank(a)",
        (T,),
        jnp.linalg.matrix_rank,
    ),
    Case(
        "matrix_power",
        SQUARE + "f32[n, n] = linalg.matrix_power(a, 3)",
        (A,),
        lambda a: jnp.linalg.matrix_power(a, 3),
        1e-3,
    ),
    Case("expm", SQUARE + "f32[n, n] = linalg.expm(a)", (0.1 * A,), jsp.linalg.expm, 1e-3),
)


PREAMBLE = """
import fft
import linalg
import nn
import special
import stats
def rows_from_lu(a: f32[n, n]) -> f32[n, n] =
    let (factors, _, order) = linalg.lu(a)
    let product = (tril(factors, -1) + eye(n)) @ triu(factors)
    zeros([n, n]).at[order].set(product)
def svd_parts(a: f32[n, m]) -> (f32[n, m], f32[min(n, m)]) =
    let (u, s, vt) = linalg.svd(a)
    (u * s @ vt, s)
"""
OTHERS = ["windows", "reduce_window"]  # compared in `test_image`
RANDOM = ["glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_uniform", "lecun_normal"]
OF = {"nn": [*OTHERS, *RANDOM]}
CASES = [*_nn(), *LAYERS, *LOSSES, *_special(), *_stats(), *_fft(), *LINALG]


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(PREAMBLE + written(CASES))


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_as_jax(program: dsl.Program, case: Case) -> None:
    compare(program, case, by_jax=True)


@pytest.mark.parametrize("module", ("fft", "linalg", "nn", "special", "stats"))
def test_every_definition_is_compared(module: str) -> None:
    assert unmentioned(module, PREAMBLE + written(CASES) + TEXT + MODELS) == OF.get(module, [])
