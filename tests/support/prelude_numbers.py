"""Cases of the prelude, of functions that work number by number or along axes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from tests.support.library import Case
from tests.support.prelude_arguments import CUBE, B, C, M, N, P, V, W, X, Y, Z


def unary() -> list[Case]:
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


def binary() -> list[Case]:
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


HALVES = np.array([-2.5, -1.5, -0.5, -0.3, 0.49999997, 0.5, 1.5, 2.5], np.float32)
MIXED: tuple[Case, ...] = (
    Case(
        "round_away",
        "(x: f32[n]) -> f32[n] = round_away(x)",
        (HALVES,),
        lambda x: jax.lax.round(x, jax.lax.RoundingMethod.AWAY_FROM_ZERO),
    ),
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
    Case("nan_to_num", "(x: f32[n]) -> f32[n] = nan_to_num(x, nan=2.0)", (Z,), lambda x: jnp.nan_to_num(x, nan=2.0)),
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
)


def _along_axes() -> list[Case]:
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
    return found


REDUCTIONS: tuple[Case, ...] = (
    *_along_axes(),
    Case("sum_axes", "(x: f32[a, b, c]) -> f32[b] = sum(x, axis=(0, 2))", (CUBE,), lambda x: jnp.sum(x, axis=(0, 2))),
    Case("sum_of_bools", "(x: bool[n, m]) -> i32[n] = sum(x, axis=1)", (B,), lambda x: jnp.sum(x, axis=1)),
    Case("mean_of_bools", "(x: bool[n, m]) -> f32 = mean(x)", (B,), jnp.mean),
    Case("var_ddof", "(x: f32[n, m]) -> f32[n] = var(x, axis=1, ddof=1)", (X,), lambda x: jnp.var(x, axis=1, ddof=1)),
    Case("any", "(x: bool[n, m]) -> bool[n] = any(x, axis=1)", (B,), lambda x: jnp.any(x, axis=1)),
    Case("all", "(x: bool[n, m]) -> bool = all(x)", (B,), jnp.all),
    Case(
        "argmax",
        "(x: f32[n, m]) -> idx[m][n] where m >= 1 = argmax(x, axis=1)",
        (X,),
        lambda x: jnp.argmax(x, axis=1),
    ),
    Case("argmin", "(x: f32[n, m]) -> idx[n * m] where n * m >= 1 = argmin(x)", (X,), jnp.argmin),
    Case("logsumexp", "(x: f32[n, m]) -> f32[n] = logsumexp(x, axis=1)", (X,), lambda x: jax.nn.logsumexp(x, axis=1)),
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
)
