"""Cases of the prelude, of functions that make arrays, give them another shape, multiply and sort them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tests.support.library import Case
from tests.support.prelude_arguments import CUBE, IDS, IMAGE, KERNEL, V, W, X, Y

CREATION: tuple[Case, ...] = (
    Case("zeros", "(x: f32[n]) -> f32[n, 2] = zeros([n, 2])", (V,), lambda x: jnp.zeros((5, 2))),
    Case("ones", "(x: f32[n]) -> i32[n] = ones([n], i32)", (V,), lambda x: jnp.ones(5, jnp.int32)),
    Case("full", "(x: f32) -> f32[3] = full([3], x)", (np.float32(2),), lambda x: jnp.full(3, x)),
    Case("full_like", "(x: f32[n, m]) -> f32[n, m] = full_like(x, 2.5)", (X,), lambda x: jnp.full_like(x, 2.5)),
    Case("zeros_like", "(x: f32[n, m]) -> f32[n, m] = zeros_like(x)", (X,), jnp.zeros_like),
    Case("ones_like", "(x: f32[n, m]) -> f32[n, m] = ones_like(x)", (X,), jnp.ones_like),
    Case("arange", "(x: f32[n]) -> idx[n][n] = arange(n)", (V,), lambda x: jnp.arange(5)),
    Case("arange_from", "(x: f32[n]) -> f32[n - 1] where n >= 1 = x[arange(1, n) - 1]", (V,), lambda x: x[:-1]),
    Case("arange_steps", "() -> i16[4] = arange(-3, 8, 3, i16)", (), lambda: np.arange(-3, 8, 3, dtype=np.int16)),
    Case("arange_dtype", "() -> f64[4] = arange(4, dtype=f64)", (), lambda: np.arange(4, dtype=np.float64)),
    Case(
        "full_of_dtype",
        "(x: f32) -> i16[2, 3] = full([2, 3], x, i16)",
        (np.float32(3.7),),
        lambda x: np.full((2, 3), x, np.int16),
    ),
    Case("len", "(x: f32[n]) -> i32 where n >= 1 = i32(len(x) + len(x.shape))", (V,), lambda x: np.int32(6)),
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
)


SHAPES: tuple[Case, ...] = (
    Case("reshape", "(x: f32[n, m]) -> f32[m, n] = reshape(x, [m, n])", (X,), lambda x: x.reshape(4, 3)),
    Case("ravel", "(x: f32[n, m]) -> f32[n * m] = ravel(x)", (X,), jnp.ravel),
    Case(
        "transpose",
        "(x: f32[a, b, c]) -> f32[b, c, a] = transpose(x, (1, 2, 0))",
        (CUBE,),
        lambda x: x.transpose(1, 2, 0),
    ),
    Case("matrix_transpose", "(x: f32[a, b, c]) -> f32[a, c, b] = matrix_transpose(x)", (CUBE,), jnp.matrix_transpose),
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
    Case("squeeze", "(x: f32[a, 1, b]) -> f32[a, b] = squeeze(x, axis=1)", (X[:, None],), lambda x: jnp.squeeze(x, 1)),
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
        "(x: f32[n, 4]) -> (f32[n, 1], f32[n, 3]) = split_at(x, 1, axis=1)",
        (X,),
        lambda x: tuple(jnp.split(x, [1], axis=1)),
    ),
    Case(
        "split_at_places",
        "(x: f32[n, 4]) -> (f32[1, 4], f32[n - 2, 4], f32[1, 4]) where n >= 2 = split_at(x, [1, n - 1])",
        (X,),
        lambda x: tuple(jnp.split(x, [1, 2])),
    ),
    Case("flip", "(x: f32[n, m]) -> f32[n, m] = flip(x, axis=1)", (X,), lambda x: jnp.flip(x, 1)),
    Case("roll", "(x: f32[n, m]) -> f32[n, m] = roll(x, 2)", (X,), lambda x: jnp.roll(x, 2)),
    Case("roll_list", "(x: f32[n, m]) -> f32[n, m] = roll(x, [1, 2])", (X,), lambda x: jnp.roll(x, [1, 2])),
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
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap")
    ],
    Case(
        "broadcast_to",
        "(x: f32[m]) -> f32[2, m] = broadcast_to(x, [2, m])",
        (V,),
        lambda x: jnp.broadcast_to(x, (2, 5)),
    ),
)


def _conv(x: Any, w: Any, **options: Any) -> Any:
    return jax.lax.conv_general_dilated(x, w, **options)


PRODUCTS: tuple[Case, ...] = (
    Case("outer", "(x: f32[n], y: f32[m]) -> f32[n, m] = outer(x, y)", (V, W), jnp.outer),
    Case("inner", "(x: f32[n], y: f32[n]) -> f32 = inner(x, y)", (V, V), jnp.inner),
    Case("vdot", "(x: c64[n], y: c64[n]) -> c64 = vdot(x, y)", (V * 1j, V + 2j), jnp.vdot),
    Case("dot", "(x: f32[n, m], y: f32[m]) -> f32[n] = dot(x, y)", (X, X[0]), jnp.dot),
    Case(
        "dot_of_numbers",
        "(x: f32[n, m], y: f32[k, m]) -> f32[n, k] = dot(2.0, (if n > 1 then dot else matmul)(x, y.T))",
        (X, X),
        lambda x, y: 2 * jnp.dot(x, y.T),
    ),
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
        "(x: f32[b, 2, h, w], k: f32[o, 2, 2, 3]) -> f32[b, o, h, w] = conv(x, k)",
        (IMAGE, KERNEL),
        lambda x, k: _conv(x, k, window_strides=(1, 1), padding="SAME"),
    ),
    Case(
        "conv_valid",
        "(x: f32[b, 2, h, w], k: f32[o, 2, 2, 3]) -> f32[b, o, h - 1, (w - 3) // 2 + 1] where h >= 2 and w >= 3 ="
        ' conv(x, k, (1, 2), "VALID")',
        (IMAGE, KERNEL),
        lambda x, k: _conv(x, k, window_strides=(1, 2), padding="VALID"),
    ),
    Case(
        "conv_pairs",
        "(x: f32[b, 2, h, w], k: f32[4, 1, 2, 3]) -> f32[b, 4, h, w] ="
        " conv(x, k, padding=((1, 1), (2, 2)), rhs_dilation=2, feature_group_count=2)",
        (IMAGE, KERNEL[:4, :1]),
        lambda x, k: _conv(
            x, k, window_strides=(1, 1), padding=((1, 1), (2, 2)), rhs_dilation=(2, 2), feature_group_count=2
        ),
    ),
    Case(
        "conv_last",
        "(x: f32[b, h, w, 2], k: f32[2, 3, 2, o]) -> f32[b, h, w, o] ="
        ' conv(x, k, dimension_numbers=("NHWC", "HWIO", "NHWC"))',
        (IMAGE.transpose(0, 2, 3, 1), KERNEL.transpose(2, 3, 1, 0)),
        lambda x, k: _conv(x, k, window_strides=(1, 1), padding="SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
    ),
    Case(
        "conv_spread",
        "(x: f32[b, 2, h, w], k: f32[o, 2, 2, 3]) -> f32[b, o, 2 * h, 3 * w - 1] where h >= 1 and w >= 1 ="
        " conv(x, k, padding=((1, 1), (1, 2)), lhs_dilation=(2, 3))",
        (IMAGE, KERNEL),
        lambda x, k: _conv(x, k, window_strides=(1, 1), padding=((1, 1), (1, 2)), lhs_dilation=(2, 3)),
    ),
    Case("kron", "(x: f32[a, b], y: f32[c, d]) -> f32[a * c, b * d] = kron(x, y)", (X, Y[:2]), jnp.kron),
    Case("cross", "(x: f32[3], y: f32[3]) -> f32[3] = cross(x, y)", (W, V[:3]), jnp.cross),
    Case("polyval", "(p: f32[n], x: f32[m]) -> f32[m] = polyval(p, x)", (W, V), jnp.polyval),
)


SORTING: tuple[Case, ...] = (
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
        (X, IDS),
        lambda x, i: jnp.take(x, i, axis=1),
    ),
    Case(
        "take_flat",
        "(x: f32[n, m], i: idx[n * m][k, l]) -> f32[k, l] = take(x, i)",
        (X, IDS + 8),
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
        "associative_scan_of_a_tree",
        "(x: f32[n]) -> f32[n] = associative_scan(fn (a, b) -> {v = a.v + b.v, u = ()}, {v = x, u = ()}).v",
        (V,),
        jnp.cumsum,
    ),
    Case(
        "associative_scan_back",
        "(x: f32[n]) -> f32[n] = associative_scan(fn (a, b) -> a + b, x, reverse=true)",
        (V,),
        lambda x: jax.lax.associative_scan(jnp.add, x, reverse=True),
    ),
    Case("cast", "(x: f32[n, m]) -> i32[n, m] = cast(x, i32)", (X * 3,), lambda x: x.astype(jnp.int32)),
    Case("checkpoint_name", '(x: f32[n, m]) -> f32[n, m] = checkpoint_name(x, "x")', (X,), lambda x: x),
    Case(
        "linear_map",
        "(x: f32[n, m]) -> f32[m, n] = linear_map(fn v -> 2.0 * v.T, fn u -> 2.0 * u.T, x)",
        (X,),
        lambda x: 2 * x.T,
    ),
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
)
