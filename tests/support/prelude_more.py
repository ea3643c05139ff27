"""Cases of the prelude beside those of `prelude_numbers` and `prelude_arrays`: what is made of other functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np

from tests.support.library import Array, Case
from tests.support.prelude_arguments import CUBE, IDS, N, V, W, X, Y

W4 = np.array([-0.3, 0.25, np.inf, 2.0], np.float32)
GAPS = np.where(X > 0.5, np.float32(np.nan), X)
BINS = np.array([-0.5, 0.1, 0.6], np.float32)
ONE_ARRAY = "(x: f32[n, m]) -> f32[n, m] = "
AXIS = "(x: f32[a, b, c]) -> f32[b] where a >= 1 and c >= 1 = "


def grid(indexing: Literal["xy", "ij"]) -> Callable[[Array, Array], tuple[Array, ...]]:
    return lambda x, y: tuple(np.meshgrid(x, y, indexing=indexing))


def ravelled(shape: tuple[int, ...], *indices: Array) -> Array:
    return np.ravel_multi_index(indices, shape).astype(np.int32)


NAMES: tuple[Case, ...] = (
    *[
        Case(name, ONE_ARRAY + f"{name}(x)", (X,), getattr(jnp, name))
        for name in ("absolute", "fabs", "positive", "deg2rad", "rad2deg")
    ],
    *[
        Case(name, f"(x: f32[n, m], y: f32[n, m]) -> f32[n, m] = {name}(x, y)", (X, Y), getattr(jnp, name))
        for name in ("true_divide", "remainder")
    ],
    Case("divmod", "(x: f32[n, m]) -> (f32[n, m], f32[n, m]) = divmod(x, 0.3)", (X,), lambda x: jnp.divmod(x, 0.3)),
    Case("quantile", "(x: f32[n]) -> f32 where n >= 1 = quantile(x, 0.3)", (V,), lambda x: jnp.quantile(x, 0.3)),
    Case("quantile_axes", AXIS + "quantile(x, 0.8, axis=(0, 2))", (CUBE,), lambda x: jnp.quantile(x, 0.8, axis=(0, 2))),
    Case(
        "quantile_nan",
        "(x: f32[n, m]) -> f32 where n >= 1 and m >= 1 = quantile(x, 0.3)",
        (GAPS,),
        lambda x: jnp.quantile(x, 0.3),
    ),
    Case(
        "percentile",
        "(x: f32[n, m]) -> f32[n, 1] where m >= 1 = percentile(x, 100.0, axis=1, keepdims=true)",
        (X,),
        lambda x: jnp.percentile(x, 100.0, axis=1, keepdims=True),
    ),
    Case("median_axes", AXIS + "median(x, axis=(0, 2))", (CUBE,), lambda x: jnp.median(x, axis=(0, 2))),
    Case(
        "argmax_axes",
        "(x: f32[a, b, c]) -> idx[a * c][b] where a >= 1 and c >= 1 = argmax(x, axis=(0, 2))",
        (CUBE,),
        lambda x: jnp.argmax(jnp.moveaxis(x, 1, 0).reshape(3, 8), axis=1).astype(jnp.int32),
    ),
    *[
        Case(
            name,
            f"(x: f32[n, m]) -> f32[m] where n >= 1 = {name}(x, axis=0)",
            (GAPS,),
            lambda x, name=name: getattr(jnp, name)(x, axis=0),
        )
        for name in ("nansum", "nanmean", "nanmax", "nanmin")
    ],
    Case("logspace", "() -> f32[5] = logspace(0.0, 2.0, 5)", (), lambda: jnp.logspace(0, 2, 5), 1e-4),
    Case("vander", "(x: f32[n]) -> f32[n, 4] = vander(x, 4)", (V,), lambda x: jnp.vander(x, 4)),
    Case("cov", "(x: f32[n, m]) -> f32[n, n] where m >= 2 = cov(x)", (X,), jnp.cov),
    Case("vecdot", "(x: f32[n, m], y: f32[n, m]) -> f32[n] = vecdot(x, y)", (X, Y), jnp.vecdot),
    *[
        Case(
            f"correlate_{mode}",
            f'(x: f32[n], v: f32[m]) where n >= 1 and m >= 1 = correlate(x, v, mode="{mode}")',
            (V, W),
            lambda x, v, mode=mode: jnp.correlate(x, v, mode=mode),
        )
        for mode in ("full", "same", "valid")
    ],
    *[
        Case(
            f"{name}_where",
            f"(x: f32[n, m], t: bool[n, 1]) -> f32[m] where n >= 1 and m >= 1 = {name}(x, where=t, {more}axis=0)",
            (X, X[:, :1] > 0),
            lambda x, t, name=name, options=options: getattr(jnp, name)(x, where=t, axis=0, **options),
        )
        for name, more, options in (
            ("sum", "", {}),
            ("mean", "", {}),
            ("max", "initial=0.5, ", {"initial": 0.5}),
            ("min", "initial=0.5, ", {"initial": 0.5}),
        )
    ],
    Case("nanvar", "(x: f32[n, m]) -> f32[m] = nanvar(x, axis=0)", (GAPS,), lambda x: jnp.nanvar(x, axis=0)),
    Case("nanstd", "(x: f32[n, m]) -> f32 = nanstd(x)", (GAPS,), jnp.nanstd),
    Case("average_plain", "(x: f32[n, m]) -> f32 = average(x)", (X,), jnp.average),
    Case(
        "diff_axis", "(x: f32[n, m]) -> f32[n - 1, m] where n >= 1 = diff(x, axis=0)", (X,), partial(jnp.diff, axis=0)
    ),
    Case(
        "trapezoid_at",
        "(y: f32[n], x: f32[n]) -> f32 where n >= 1 = trapezoid(y, x)",
        (V, np.cumsum(np.abs(V))),
        jnp.trapezoid,
    ),
    Case("cross_rows", "(x: f32[n, 3]) -> f32[n, 3] = cross(x, x + 1.0)", (X[:, :3],), lambda x: jnp.cross(x, x + 1)),
    Case("corrcoef", "(x: f32[n, m]) -> f32[n, n] where m >= 2 = corrcoef(x)", (X,), jnp.corrcoef),
    Case(
        "lexsort",
        "(x: f32[n, m]) -> idx[m][m] = lexsort(floor(2.0 * x))",
        (X,),
        lambda x: jnp.lexsort(jnp.floor(2 * x)).astype(jnp.int32),
    ),
    Case(
        "histogram",
        "(x: f32[n, m], e: f32[k]) -> (i32[k - 1], f32[k]) where k >= 2 = histogram(x, e)",
        (np.append(GAPS, BINS).reshape(1, -1), BINS),
        lambda x, e: (np.histogram(x, e)[0].astype(np.int32), e),
    ),
    Case(
        "histogram_range",
        "(x: f32[n, m]) -> i32[4] = histogram(x, 4, range=(-1.0, 0.5)).0",
        (X,),
        lambda x: np.histogram(x, 4, (-1.0, 0.5))[0].astype(np.int32),
    ),
    *[
        Case(
            f"roll_{name}",
            f"(x: f32[n, m], i: i32) -> f32[n, m] = roll(x, i{axis})",
            (X, np.int32(-5)),
            lambda x, i, options=options: jnp.roll(x, i, **options),
        )
        for name, axis, options in (("traced", "", {}), ("traced_axis", ", axis=1", {"axis": 1}))
    ],
    Case(
        "dynamic_slice_in_dim",
        "(x: f32[n, m], i: i32) -> f32[n, 2] where m >= 2 = dynamic_slice_in_dim(x, i, 2, axis=1)",
        (X, np.int32(9)),
        lambda x, i: jax.lax.dynamic_slice_in_dim(x, i, 2, axis=1),
    ),
    *[
        Case(
            f"isin_{name}",
            f"(x: {dtype}[n], y: {dtype}[m]) -> bool[n] = isin(x, y)",
            (values, other),
            lambda x, y: jnp.asarray(np.isin(x, y)),
        )
        for name, dtype, values, other in (
            ("nan", "f32", np.array([1, np.nan, 3, np.inf], np.float32), np.array([np.nan, 3, 7], np.float32)),
            ("nothing", "f32", V, V[:0]),
            ("complex", "c64", np.array([1, 2j], np.complex64), np.array([2j, 2], np.complex64)),
        )
    ],
    Case("append", "(x: f32[n, m], v: f32[k]) -> f32[n * m + k] = append(x, v)", (X, V), jnp.append),
    Case(
        "clamp_index",
        "(i: i32[n]) -> idx[3][n] = clamp_index(i, 3)",
        (np.array([-5, 0, 2, 3], np.int32),),
        lambda i: jnp.clip(i, 0, 2),
    ),
    Case(
        "unravel_index",
        "(i: idx[12][n]) -> (idx[3][n], idx[4][n]) = unravel_index(i, (3, 4))",
        (np.array([0, 5, 11], np.int32),),
        lambda i: jnp.unravel_index(i, (3, 4)),
    ),
    *[
        Case(
            f"unravel_index_{len(shape)}",
            f"(i: idx[{prod(shape)}][n]) -> ({', '.join(f'idx[{d}][n]' for d in shape)}) = unravel_index(i, {shape})",
            (np.array([0, 5, prod(shape) - 1], np.int32),),
            partial(jnp.unravel_index, shape=shape),
        )
        for shape in ((2, 3, 4), (2, 1, 3, 4), (1, 2, 3, 2, 2), (2, 1, 2, 3, 1, 2))
    ],
    *[
        Case(
            f"ravel_multi_index_{len(shape)}",
            f"({', '.join(f'i{a}: idx[{d}][n]' for a, d in enumerate(shape))}) -> i32[n] = "
            f"ravel_multi_index(({', '.join(f'i{a}' for a in range(len(shape)))}), {shape})",
            tuple(np.array([0, d - 1, d // 2], np.int32) for d in shape),
            partial(ravelled, shape),
        )
        for shape in ((2, 3, 4), (2, 1, 3, 4), (1, 2, 3, 2, 2), (2, 1, 2, 3, 1, 2))
    ],
    Case(
        "interp",
        "(x: f32[n, m], p: f32[k], v: f32[k]) -> f32[n, m] where k >= 2 = interp(x, p, v)",
        (X, BINS, W),
        jnp.interp,
    ),
    Case(
        "digitize",
        "(x: f32[n], b: f32[k]) -> idx[k + 1][n] = digitize(x, b)",
        (V, BINS),
        lambda x, b: jnp.digitize(x, b).astype(jnp.int32),
    ),
    Case("isin", "(x: i32[n], y: i32[m]) -> bool[n] = isin(x, y)", (IDS[0], IDS[1]), jnp.isin),
    *[
        Case(
            name,
            f"(x: f32[n, m], i: idx[4][n]) -> f32[4, m] = {name}(x, i, num_segments=4)",
            (X, np.array([2, 0, 2], np.int32)),
            lambda x, i, name=name: getattr(jax.ops, name)(x, i, 4),
        )
        for name in ("segment_sum", "segment_max", "segment_min")
    ],
    Case(
        "einsum_rest",
        '(x: f32[a, b, c], y: f32[a, c, d]) -> f32[a, b, d] = einsum("...ij,...jk->...ik", x, y)',
        (CUBE, np.swapaxes(CUBE, 1, 2)),
        jnp.matmul,
    ),
    Case("einsum_rest_alone", '(x: f32[a, b, c]) -> f32[a] = einsum("i...->i", x)', (CUBE,), lambda x: x.sum((1, 2))),
    Case(
        "einsum_implied",
        '(x: f32[a, b, b]) -> f32[a] = einsum("...ii", x)',
        (CUBE[:, :, :3],),
        lambda x: jnp.einsum("...ii", x),
    ),
    Case(
        "tree_reduce",
        "(x: f32[n, m], y: f32[k]) -> f32 = tree_reduce(fn (a, b) -> a + sum(b), {u = x, v = (y, sum(y))}, 1.0)",
        (X, V),
        lambda x, y: x.sum() + 2 * y.sum() + 1,
    ),
    Case(
        "tree_reduce_leaves",
        "(x: f32[n], y: f32[n]) -> f32[n] = tree_reduce(fn (a, b) -> a - b, {w = y, b = x})",
        (V, V + 1),
        lambda x, y: x - y,
    ),
    Case("fmod", "(x: f32[n, m], y: f32[m]) -> f32[n, m] = fmod(x, y)", (X, W4), np.fmod),
    Case("fmod_ints", "(x: i32[n, m]) -> i32[n, m] = fmod(x, 4)", (N,), lambda x: np.fmod(x, 4)),
    Case("flipud", "(x: f32[a, b, c]) -> f32[a, b, c] = flipud(x)", (CUBE,), np.flipud),
    Case("fliplr", "(x: f32[a, b, c]) -> f32[a, b, c] = fliplr(x)", (CUBE,), np.fliplr),
    Case("rot90", "(x: f32[n, m]) -> f32[m, n] = rot90(x)", (X,), np.rot90),
    *[
        Case(f"rot90_{k % 9}", f"(x: f32[a, b, c]) -> f32[{to}, c] = rot90(x, {k})", (CUBE,), partial(np.rot90, k=k))
        for k, to in ((-1, "b, a"), (2, "a, b"), (3, "b, a"), (4, "a, b"))
    ],
    Case("meshgrid", "(x: f32[n], y: f32[m]) -> (f32[m, n], f32[m, n]) = meshgrid(x, y)", (V, W), grid("xy")),
    Case(
        "meshgrid_ij",
        '(x: f32[n], y: f32[m]) -> (f32[n, m], f32[n, m]) = meshgrid(x, y, indexing="ij")',
        (V, W),
        grid("ij"),
    ),
)
