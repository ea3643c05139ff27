"""The values of the prelude beside those of `jax.numpy`, through XLA and through the reference evaluator.

A case is a definition in the language at symbolic sizes and what JAX does for the same arguments; results must agree
in shape, dtype and value.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import dsl
from tests.support.library import Case, compare, unmentioned, written

_random = np.random.default_rng(7)
X = _random.normal(size=(3, 4)).astype(np.float32)
Y = _random.normal(size=(3, 4)).astype(np.float32)
P = _random.uniform(0.2, 0.9, size=(3, 4)).astype(np.float32)
V = _random.normal(size=5).astype(np.float32)
W = _random.normal(size=3).astype(np.float32)
N = _random.integers(-9, 9, size=(3, 4)).astype(np.int32)
M = _random.integers(1, 5, size=(3, 4)).astype(np.int32)
B = X > 0
C = Y > 0
Z = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)
CUBE = _random.normal(size=(2, 3, 4)).astype(np.float32)


def _unary() -> list[Case]:
    wide = "sqrt exp exp2 log log2 log10 log1p expm1 sin cos tan sinh cosh tanh square reciprocal cbrt abs sign"
    wide += " floor ceil trunc round"
    wide += " sinc degrees radians negative arcsin arccos arctan arcsinh arctanh real imag angle conj"
    found = [Case(n, "(x: f32[n, m]) -> f32[n, m] = " + n + "(x)", (P,), getattr(jnp, n)) for n in wide.split()]
    others = {
        "asin": jnp.arcsin,
        "acos": jnp.arccos,
        "atan": jnp.arctan,
        "asinh": jnp.arcsinh,
        "atanh": jnp.arctanh,
        "rsqrt": jax.lax.rsqrt,
        "sigmoid": jax.nn.sigmoid,
        "erf": jax.lax.erf,
        "erfc": jax.lax.erfc,
        "erf_inv": jax.lax.erf_inv,
        "lgamma": jax.lax.lgamma,
        "digamma": jax.lax.digamma,
    }
    found += [Case(n, f"(x: f32[n, m]) -> f32[n, m] = {n}(x)", (P,), f) for n, f in others.items()]
    found += [
        Case(n, f"(x: f32[n, m]) -> f32[n, m] = {n}(1.0 + x)", (P,), lambda x, f=f: f(1.0 + x))
        for n, f in (("acosh", jnp.arccosh), ("arccosh", jnp.arccosh))
    ]
    found += [
        Case(n, f"(x: f32[n]) -> bool[n] = {n}(x)", (Z,), getattr(jnp, n)) for n in ("isnan", "isinf", "isfinite")
    ]
    return found


def _binary() -> list[Case]:
    floats = "maximum minimum power arctan2 hypot logaddexp mod floor_divide add subtract multiply divide nextafter"
    truths = "equal not_equal less less_equal greater greater_equal"
    bits = "bitwise_and bitwise_or bitwise_xor left_shift right_shift"
    logic = "logical_and logical_or logical_xor"
    found = [
        Case(n, f"(x: f32[n, m], y: f32[n, m]) -> f32[n, m] = {n}(x, y)", (P, Y), getattr(jnp, n))
        for n in floats.split()
    ]
    found += [
        Case(n, f"(x: i32[n, m], y: i32[n, m]) -> bool[n, m] = {n}(x, y)", (N, M), getattr(jnp, n))
        for n in truths.split()
    ]
    found += [
        Case(n, f"(x: i32[n, m], y: i32[n, m]) -> i32[n, m] = {n}(x, y)", (N, M), getattr(jnp, n)) for n in bits.split()
    ]
    found += [
        Case(n, f"(x: bool[n, m], y: bool[n, m]) -> bool[n, m] = {n}(x, y)", (B, C), getattr(jnp, n))
        for n in logic.split()
    ]
    return found


def _mixed() -> list[Case]:
    return [
        Case("atan2", "(x: f32[n, m], y: f32[n, m]) -> f32[n, m] = atan2(x, y)", (X, Y), jnp.arctan2),
        Case(
            "broadcast",
            "(x: f32[n, m], y: f32[n]) -> f32[n, m] = maximum(x, y[:, None])",
            (X, W),
            lambda x, y: jnp.maximum(x, y[:, None]),
        ),
        Case("logical_not", "(x: bool[n, m]) -> bool[n, m] = logical_not(x)", (B,), jnp.logical_not),
        Case("bitwise_not", "(x: i32[n, m]) -> i32[n, m] = bitwise_not(x)", (N,), jnp.bitwise_not),
        Case(
            "bitwise_count",
            "(x: i32[n, m]) -> i32[n, m] = bitwise_count(x)",
            (M,),
            lambda x: jnp.bitwise_count(x).astype(jnp.int32),
        ),
        Case(
            "where",
            "(c: bool[n, m], x: f32[n, m]) -> f32[n, m] = where(c, x, 0.0)",
            (B, X),
            lambda c, x: jnp.where(c, x, 0.0),
        ),
        Case("clip", "(x: f32[n, m]) -> f32[n, m] = clip(x, -0.5, 0.5)", (X,), lambda x: jnp.clip(x, -0.5, 0.5)),
        Case("heaviside", "(x: f32[n, m]) -> f32[n, m] = heaviside(x, 0.5)", (X,), lambda x: jnp.heaviside(x, 0.5)),
        Case(
            "nan_to_num", "(x: f32[n]) -> f32[n] = nan_to_num(x, nan=2.0)", (Z,), lambda x: jnp.nan_to_num(x, nan=2.0)
        ),
        Case(
            "isclose",
            "(x: f32[n], y: f32[n]) -> bool[n] = isclose(x, y, rtol=1e-3, equal_nan=true)",
            (Z, Z * 1.0005),
            lambda x, y: jnp.isclose(x, y, rtol=1e-3, equal_nan=True),
        ),
        Case("allclose", "(x: f32[n], y: f32[n]) -> bool = allclose(x, y)", (V, V + 1e-3), jnp.allclose),
        Case("array_equal", "(x: f32[n], y: f32[n]) -> bool = array_equal(x, y)", (V, V), jnp.array_equal),
        Case("floor_of_ints", "(x: i32[n, m]) -> i32[n, m] = floor(x)", (N,), lambda x: x),
        Case(
            "complex_parts",
            "(x: c64[n, m]) -> (f32[n, m], f32[n, m], f32[n, m], f32[n, m], c64[n, m]) ="
            " (abs(x), real(x), imag(x), angle(x), conj(x))",
            (X + 1j * Y,),
            lambda x: (jnp.abs(x), jnp.real(x), jnp.imag(x), jnp.angle(x), jnp.conj(x)),
        ),
    ]


def _reductions() -> list[Case]:
    names = "sum prod mean var std max min ptp median"
    found = []
    for n in names.split():
        f = getattr(jnp, n)
        found.append(Case(n, f"(x: f32[n, m]) -> f32 where n >= 1 and m >= 1 = {n}(x)", (X,), f))
        found.append(
            Case(
                f"{n}_axis",
                f"(x: f32[n, m]) -> f32[m] where n >= 1 = {n}(x, axis=0)",
                (X,),
                lambda x, f=f: f(x, axis=0),
            )
        )
        found.append(
            Case(
                f"{n}_kept",
                f"(x: f32[n, m]) -> f32[n, 1] where m >= 1 = {n}(x, axis=-1, keepdims=true)",
                (X,),
                lambda x, f=f: f(x, axis=-1, keepdims=True),
            )
        )
    for n in ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"]:
        f = getattr(jax.lax, n)
        found.append(Case(n, f"(x: f32[n, m]) -> f32[n, m] = {n}(x, axis=1)", (X,), lambda x, f=f: f(x, axis=1)))
        found.append(
            Case(
                f"{n}_back",
                f"(x: f32[n, m]) -> f32[n, m] = {n}(x, reverse=true)",
                (X,),
                lambda x, f=f: f(x, axis=0, reverse=True),
            )
        )
    return [
        *found,
        Case(
            "sum_axes", "(x: f32[a, b, c]) -> f32[b] = sum(x, axis=(0, 2))", (CUBE,), lambda x: jnp.sum(x, axis=(0, 2))
        ),
        Case("sum_of_bools", "(x: bool[n, m]) -> i32[n] = sum(x, axis=1)", (B,), lambda x: jnp.sum(x, axis=1)),
        Case("mean_of_bools", "(x: bool[n, m]) -> f32 = mean(x)", (B,), jnp.mean),
        Case(
            "var_ddof", "(x: f32[n, m]) -> f32[n] = var(x, axis=1, ddof=1)", (X,), lambda x: jnp.var(x, axis=1, ddof=1)
        ),
        Case("any", "(x: bool[n, m]) -> bool[n] = any(x, axis=1)", (B,), lambda x: jnp.any(x, axis=1)),
        Case("all", "(x: bool[n, m]) -> bool = all(x)", (B,), jnp.all),
        Case(
            "argmax",
            "(x: f32[n, m]) -> idx[m][n] where m >= 1 = argmax(x, axis=1)",
            (X,),
            lambda x: jnp.argmax(x, axis=1),
        ),
        Case("argmin", "(x: f32[n, m]) -> idx[n * m] where n * m >= 1 = argmin(x)", (X,), jnp.argmin),
        Case(
            "logsumexp", "(x: f32[n, m]) -> f32[n] = logsumexp(x, axis=1)", (X,), lambda x: jax.nn.logsumexp(x, axis=1)
        ),
        Case(
            "count_nonzero",
            "(x: i32[n, m]) -> i32[n] = count_nonzero(x, axis=1)",
            (N,),
            lambda x: jnp.count_nonzero(x, axis=1),
        ),
        Case(
            "average",
            "(x: f32[n], w: f32[n]) -> f32 = average(x, w)",
            (V, V * V),
            lambda x, w: jnp.average(x, weights=w),
        ),
    ]


def _creation() -> list[Case]:
    return [
        Case("zeros", "(x: f32[n]) -> f32[n, 2] = zeros([n, 2])", (V,), lambda x: jnp.zeros((5, 2))),
        Case("ones", "(x: f32[n]) -> i32[n] = ones([n], i32)", (V,), lambda x: jnp.ones(5, jnp.int32)),
        Case("full", "(x: f32) -> f32[3] = full([3], x)", (np.float32(2),), lambda x: jnp.full(3, x)),
        Case("full_like", "(x: f32[n, m]) -> f32[n, m] = full_like(x, 2.5)", (X,), lambda x: jnp.full_like(x, 2.5)),
        Case("zeros_like", "(x: f32[n, m]) -> f32[n, m] = zeros_like(x)", (X,), jnp.zeros_like),
        Case("ones_like", "(x: f32[n, m]) -> f32[n, m] = ones_like(x)", (X,), jnp.ones_like),
        Case("arange", "(x: f32[n]) -> idx[n][n] = arange(n)", (V,), lambda x: jnp.arange(5)),
        Case(
            "linspace",
            "(a: f32, b: f32) -> f32[7] = linspace(a, b, 7)",
            (np.float32(1), np.float32(3)),
            lambda a, b: jnp.linspace(a, b, 7),
        ),
        Case("eye", "(x: f32[n]) -> f32[n, n] = eye(n)", (V,), lambda x: jnp.eye(5)),
        Case(
            "iota",
            "(x: f32[n]) -> i32[2, n] = iota([2, n], axis=1)",
            (V,),
            lambda x: jax.lax.broadcasted_iota(jnp.int32, (2, 5), 1),
        ),
        Case("diag_vector", "(x: f32[n]) -> f32[n + 1, n + 1] = diag(x, k=-1)", (V,), lambda x: jnp.diag(x, -1)),
        Case("diag_matrix", "(x: f32[n, n + 1]) -> f32[n] = diag(x, k=1)", (X,), lambda x: jnp.diag(x, 1)),
        Case("diagonal", "(x: f32[n, n]) -> f32[n] = diagonal(x)", (X[:, :3],), jnp.diagonal),
        Case("trace", "(x: f32[n, n]) -> f32 = trace(x)", (X[:, :3],), jnp.trace),
        Case("tril", "(x: f32[n, m]) -> f32[n, m] = tril(x, 1)", (X,), lambda x: jnp.tril(x, 1)),
        Case("triu", "(x: f32[b, n, m]) -> f32[b, n, m] = triu(x)", (CUBE,), jnp.triu),
        Case(
            "constants",
            "(x: f32) -> f32[4] = [x + pi, x + e, x + inf, x * nan]",
            (np.float32(0),),
            lambda x: jnp.array([jnp.pi, jnp.e, jnp.inf, jnp.nan]),
        ),
        Case(
            "one_hot",
            "(i: i32[n]) -> f32[n, 3] = one_hot(i, 3)",
            (np.array([0, 2, 5, -1], np.int32),),
            lambda i: jax.nn.one_hot(i, 3),
        ),
    ]


def _shapes() -> list[Case]:
    return [
        Case("reshape", "(x: f32[n, m]) -> f32[m, n] = reshape(x, [m, n])", (X,), lambda x: x.reshape(4, 3)),
        Case("ravel", "(x: f32[n, m]) -> f32[n * m] = ravel(x)", (X,), jnp.ravel),
        Case(
            "transpose",
            "(x: f32[a, b, c]) -> f32[b, c, a] = transpose(x, (1, 2, 0))",
            (CUBE,),
            lambda x: x.transpose(1, 2, 0),
        ),
        Case(
            "matrix_transpose", "(x: f32[a, b, c]) -> f32[a, c, b] = matrix_transpose(x)", (CUBE,), jnp.matrix_transpose
        ),
        Case(
            "moveaxis",
            "(x: f32[a, b, c]) -> f32[c, a, b] = moveaxis(x, -1, 0)",
            (CUBE,),
            lambda x: jnp.moveaxis(x, -1, 0),
        ),
        Case(
            "moveaxis_two",
            "(x: f32[a, b, c]) -> f32[b, c, a] = moveaxis(x, (0, 1), (-1, 0))",
            (CUBE,),
            lambda x: jnp.moveaxis(x, (0, 1), (-1, 0)),
        ),
        Case(
            "swapaxes",
            "(x: f32[a, b, c]) -> f32[c, b, a] = swapaxes(x, 0, 2)",
            (CUBE,),
            lambda x: jnp.swapaxes(x, 0, 2),
        ),
        Case(
            "expand_dims",
            "(x: f32[a, b]) -> f32[a, 1, b] = expand_dims(x, axis=1)",
            (X,),
            lambda x: jnp.expand_dims(x, 1),
        ),
        Case(
            "squeeze", "(x: f32[a, 1, b]) -> f32[a, b] = squeeze(x, axis=1)", (X[:, None],), lambda x: jnp.squeeze(x, 1)
        ),
        Case(
            "concatenate",
            "(x: f32[a, b], y: f32[c, b]) -> f32[a + c, b] = concatenate((x, y))",
            (X, Y[:2]),
            lambda x, y: jnp.concatenate((x, y)),
        ),
        Case(
            "stack",
            "(x: f32[a, b], y: f32[a, b]) -> f32[a, 2, b] = stack((x, y), axis=1)",
            (X, Y),
            lambda x, y: jnp.stack((x, y), 1),
        ),
        Case(
            "split_at",
            "(x: f32[n, 4]) -> (f32[n, 1], f32[n, 3]) = split_at(x, [1, 3], axis=1)",
            (X,),
            lambda x: tuple(jnp.split(x, [1], axis=1)),
        ),
        Case("flip", "(x: f32[n, m]) -> f32[n, m] = flip(x, axis=1)", (X,), lambda x: jnp.flip(x, 1)),
        Case("roll", "(x: f32[n, m]) -> f32[n, m] = roll(x, 2)", (X,), lambda x: jnp.roll(x, 2)),
        Case(
            "roll_axes",
            "(x: f32[n, m]) -> f32[n, m] = roll(x, (1, -1), axis=(0, 1))",
            (X,),
            lambda x: jnp.roll(x, (1, -1), (0, 1)),
        ),
        Case("repeat", "(x: f32[n, m]) -> f32[2 * n * m] = repeat(x, 2)", (X,), lambda x: jnp.repeat(x, 2)),
        Case(
            "repeat_axis",
            "(x: f32[n, m]) -> f32[n, 3 * m] = repeat(x, 3, axis=1)",
            (X,),
            lambda x: jnp.repeat(x, 3, axis=1),
        ),
        Case("tile", "(x: f32[n, m]) -> f32[2, n, 3 * m] = tile(x, (2, 1, 3))", (X,), lambda x: jnp.tile(x, (2, 1, 3))),
        Case(
            "pad",
            "(x: f32[n, m]) -> f32[n + 1, m + 3] = pad(x, ((1, 0), (1, 2)), constant_values=7.0)",
            (X,),
            lambda x: jnp.pad(x, ((1, 0), (1, 2)), constant_values=7.0),
        ),
        *[
            Case(
                f"pad_{mode}",
                f'(x: f32[n]) -> f32[n + 4] where n >= 3 = pad(x, 2, mode="{mode}")',
                (V,),
                lambda x, mode=mode: jnp.pad(x, 2, mode=mode),
            )
            for mode in ("constant", "edge", "reflect", "wrap")
        ],
        Case(
            "broadcast_to",
            "(x: f32[m]) -> f32[2, m] = broadcast_to(x, [2, m])",
            (V,),
            lambda x: jnp.broadcast_to(x, (2, 5)),
        ),
    ]


def _products() -> list[Case]:
    image = CUBE[:, :, :, None] * np.ones((1, 1, 1, 2), np.float32)
    kernel = _random.normal(size=(2, 3, 2, 5)).astype(np.float32)

    def conv(x: Any, w: Any, **options: Any) -> Any:
        return jax.lax.conv_general_dilated(x, w, dimension_numbers=("NHWC", "HWIO", "NHWC"), **options)

    return [
        Case("outer", "(x: f32[n], y: f32[m]) -> f32[n, m] = outer(x, y)", (V, W), jnp.outer),
        Case("inner", "(x: f32[n], y: f32[n]) -> f32 = inner(x, y)", (V, V), jnp.inner),
        Case("vdot", "(x: c64[n], y: c64[n]) -> c64 = vdot(x, y)", (V * 1j, V + 2j), jnp.vdot),
        Case("dot", "(x: f32[n, m], y: f32[m]) -> f32[n] = dot(x, y)", (X, X[0]), jnp.dot),
        Case("matmul", "(x: f32[a, b, c], y: f32[c, d]) -> f32[a, b, d] = matmul(x, y)", (CUBE, X.T), jnp.matmul),
        Case(
            "einsum",
            '(x: f32[a, b, c], y: f32[b, c]) -> f32[c, a] = einsum("abc,bc->ca", x, y)',
            (CUBE, X),
            lambda x, y: jnp.einsum("abc,bc->ca", x, y),
        ),
        Case("tensordot", "(x: f32[a, b, c], y: f32[b, c]) -> f32[a] = tensordot(x, y)", (CUBE, X), jnp.tensordot),
        Case(
            "tensordot_axes",
            "(x: f32[a, b, c], y: f32[c, a]) -> f32[b] = tensordot(x, y, axes=([0, 2], [1, 0]))",
            (CUBE, X.T[:, :2]),
            lambda x, y: jnp.tensordot(x, y, axes=([0, 2], [1, 0])),
        ),
        Case("convolve", "(x: f32[n], y: f32[3]) -> f32[n + 2] where n >= 1 = convolve(x, y)", (V, W), jnp.convolve),
        Case(
            "convolve_same",
            '(x: f32[n], y: f32[3]) -> f32[n] where n >= 3 = convolve(x, y, mode="same")',
            (V, W),
            lambda x, y: jnp.convolve(x, y, mode="same"),
        ),
        Case(
            "convolve_valid",
            '(x: f32[n], y: f32[3]) -> f32[n - 2] where n >= 3 = convolve(x, y, "valid")',
            (V, W),
            lambda x, y: jnp.convolve(x, y, mode="valid"),
        ),
        Case(
            "conv",
            "(x: f32[b, h, w, 2], k: f32[2, 3, 2, o]) -> f32[b, h, w, o] = conv(x, k)",
            (image, kernel),
            lambda x, k: conv(x, k, window_strides=(1, 1), padding="SAME"),
        ),
        Case(
            "conv_valid",
            "(x: f32[b, h, w, 2], k: f32[2, 3, 2, o]) -> f32[b, h - 1, (w - 3) // 2 + 1, o] where h >= 2 and w >= 3 ="
            ' conv(x, k, strides=(1, 2), padding="VALID")',
            (image, kernel),
            lambda x, k: conv(x, k, window_strides=(1, 2), padding="VALID"),
        ),
        Case(
            "conv_pairs",
            "(x: f32[b, h, w, 2], k: f32[2, 3, 1, 4]) -> f32[b, h, w, 4] ="
            " conv(x, k, padding=((1, 1), (2, 2)), dilation=2, groups=2)",
            (image, kernel[:, :, :1, :4]),
            lambda x, k: conv(
                x, k, window_strides=(1, 1), padding=((1, 1), (2, 2)), rhs_dilation=(2, 2), feature_group_count=2
            ),
        ),
        Case("kron", "(x: f32[a, b], y: f32[c, d]) -> f32[a * c, b * d] = kron(x, y)", (X, Y[:2]), jnp.kron),
        Case("cross", "(x: f32[3], y: f32[3]) -> f32[3] = cross(x, y)", (W, V[:3]), jnp.cross),
        Case("polyval", "(p: f32[n], x: f32[m]) -> f32[m] = polyval(p, x)", (W, V), jnp.polyval),
    ]


def _sorting() -> list[Case]:
    ids = np.array([[0, 2], [3, 1]], np.int32)
    return [
        Case("sort", "(x: f32[n, m]) -> f32[n, m] = sort(x, axis=0)", (X,), lambda x: jnp.sort(x, axis=0)),
        Case(
            "sort_down",
            "(x: f32[n, m]) -> f32[n, m] = sort(x, descending=true)",
            (X,),
            lambda x: jnp.sort(x, descending=True),
        ),
        Case("argsort", "(x: f32[n, m]) -> idx[m][n, m] = argsort(x)", (X,), jnp.argsort),
        Case(
            "top_k",
            "(x: f32[n, m]) -> (f32[n, 2], idx[m][n, 2]) where m >= 2 = top_k(x, 2)",
            (X,),
            lambda x: tuple(jax.lax.top_k(x, 2)),
        ),
        Case(
            "searchsorted",
            "(a: f32[n], v: f32[m]) -> idx[n + 1][m] = searchsorted(a, v)",
            (np.sort(V), W),
            jnp.searchsorted,
        ),
        Case(
            "searchsorted_right",
            '(a: f32[n], v: f32[m]) -> idx[n + 1][m] = searchsorted(a, v, side="right")',
            (np.sort(V), np.sort(V)),
            lambda a, v: jnp.searchsorted(a, v, side="right"),
        ),
        Case(
            "take",
            "(x: f32[n, m], i: idx[m][k, l]) -> f32[n, k, l] = take(x, i, axis=1)",
            (X, ids),
            lambda x, i: jnp.take(x, i, axis=1),
        ),
        Case(
            "take_flat",
            "(x: f32[n, m], i: idx[n * m][k, l]) -> f32[k, l] = take(x, i)",
            (X, ids + 8),
            lambda x, i: jnp.take(x, i),
        ),
        Case(
            "take_along_axis",
            "(x: f32[n, m]) -> f32[n, m] = take_along_axis(x, argsort(x, axis=0), axis=0)",
            (X,),
            lambda x: jnp.sort(x, axis=0),
        ),
        Case(
            "bincount",
            "(i: idx[4][n]) -> i32[4] = bincount(i, 4)",
            (np.array([0, 1, 1, 3], np.int32),),
            lambda i: jnp.bincount(i, length=4),
        ),
        Case(
            "compress",
            "(x: f32[n], c: bool[n]) -> f32[4] ! check = compress(x, c, size=4, fill=9.0)",
            (V, V > 0),
            lambda x, c: jnp.compress(c, x, size=4, fill_value=9.0),
        ),
        Case("diff", "(x: f32[n]) -> f32[n - 1] where n >= 1 = diff(x)", (V,), jnp.diff),
        Case(
            "trapezoid",
            "(x: f32[n]) -> f32 where n >= 1 = trapezoid(x, dx=0.5)",
            (V,),
            lambda x: jnp.trapezoid(x, dx=0.5),
        ),
        Case(
            "associative_scan",
            "(x: f32[n, 2, 2]) -> f32[n, 2, 2] = associative_scan(fn (a, b) -> a @ b, x)",
            (CUBE.reshape(6, 2, 2),),
            lambda x: jax.lax.associative_scan(jnp.matmul, x),
        ),
        Case(
            "associative_scan_back",
            "(x: f32[n]) -> f32[n] = associative_scan(fn (a, b) -> a + b, x, reverse=true)",
            (V,),
            lambda x: jax.lax.associative_scan(jnp.add, x, reverse=True),
        ),
        Case("cast", "(x: f32[n, m]) -> i32[n, m] = cast(x, i32)", (X * 3,), lambda x: x.astype(jnp.int32)),
        Case("stop_gradient", "(x: f32[n, m]) -> f32[n, m] = stop_gradient(x)", (X,), lambda x: x),
        Case("optimization_barrier", "(x: f32[n, m]) -> f32[n, m] = optimization_barrier(x)", (X,), lambda x: x),
        Case(
            "tree_map",
            "(x: f32[n, m], y: f32[k]) -> (f32[n, m], f32[k]) = tree_map(fn a -> 2.0 * a, (x, y))",
            (X, V),
            lambda x, y: (2 * x, 2 * y),
        ),
        Case(
            "max_of_two",
            "(x: f32[n, m], y: f32[n, m]) -> (f32[n, m], f32[n, m]) = (max(x, y), min(x, y))",
            (X, Y),
            lambda x, y: (jnp.maximum(x, y), jnp.minimum(x, y)),
        ),
    ]


OTHERS = ["split", "fold_in"]
CASES = [*_unary(), *_binary(), *_mixed(), *_reductions(), *_creation(), *_shapes(), *_products(), *_sorting()]


@pytest.fixture(scope="module")
def program() -> dsl.Program:
    return dsl.program(written(CASES))


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_as_jax(program: dsl.Program, case: Case) -> None:
    compare(program, case)


@pytest.mark.parametrize("module", ("prelude",))
def test_every_definition_is_compared(module: str) -> None:
    assert unmentioned(module, written(CASES)) == OTHERS
