"""What the table of asymptotics measures: every function of the library that Python can call, by its signature, and
control constructs and transformations, each beside JAX.

A row of the library is made of the parameters that have no default: `*s` and one size are a vector of `n` elements, two
sizes a square matrix of as many. The counterpart is the function of JAX of that name, in the module that ours belongs
to. Read next: `__main__`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isqrt
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from msgspec import Struct

import dsl
from dsl.types.dtype import BY_NAME, DType
from dsl.types.shape import Splice
from dsl.types.type import ArrayType, IndexType

SMALL = 4096
"""Elements at the smaller size; the larger has 16 times as many."""

MODULES = ("prelude", "fft", "linalg", "nn", "random", "special", "stats", "optim")
COUNTERPARTS: Mapping[str, Sequence[Any]] = MappingProxyType(
    {
        "prelude": (jnp, jax.lax, jax.nn, jax.scipy.special, jax.ops),
        "fft": (jnp.fft,),
        "linalg": (jnp.linalg, jax.scipy.linalg, jax.lax.linalg),
        "nn": (jax.nn,),
        "random": (jax.random,),
        "special": (jax.scipy.special,),
        "stats": (),
        "optim": (),
    }
)
OTHER_NAMES: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "prelude.erf_inv": jax.lax.erf_inv,
        "prelude.mod": jnp.mod,
        "prelude.round": jnp.round,
        "prelude.cumlogsumexp": jax.lax.cumlogsumexp,
        "prelude.cummax": jax.lax.cummax,
        "prelude.cummin": jax.lax.cummin,
        "prelude.average": lambda x, w: jnp.average(x, weights=w),
        "prelude.divide": jnp.divide,
        "prelude.select": lambda c, x: jnp.where(c[0], x[0], 0.0),
        "linalg.cholesky": jnp.linalg.cholesky,
    }
)
"""Functions that JAX has under another name, or with other parameters under the same one."""


class Row(Struct, frozen=True):
    """`text` defines `f`. `theirs` is the counterpart, None where JAX has none. `arguments` makes those of both for a
    number of elements."""

    name: str
    text: str
    theirs: Callable[..., Any] | None
    arguments: Callable[[int], tuple[Any, ...]]


def _vector(n: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).uniform(0.2, 0.9, n).astype(np.float32)


def _matrix(n: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """A symmetric, positive definite matrix of so many elements."""
    side = isqrt(n)
    x = _vector(side * side, seed).reshape(side, side)
    symmetric: np.ndarray[Any, Any] = (x + x.T) / side
    return symmetric + 2 * np.eye(side, dtype=np.float32)


# ---------------------------------------------------------------- the library


def library() -> Iterator[Row]:
    """A row for every function of the library whose arguments its signature tells."""
    for module in MODULES:
        for name, function in dsl.functions(getattr(dsl, module)).items():
            row = _row(module, name, function)
            if row is not None:
                yield row


def _row(module: str, name: str, function: Any) -> Row | None:
    if not hasattr(function, "signature"):
        return None
    required = [p for p in function.signature.params if p.default is None]
    if not required or any(p.static for p in required):
        return None
    kinds = [_kind(p.type) for p in required]
    if None in kinds:
        return None
    square = any(len(of[1]) >= 2 for of in kinds if of)
    letters = [chr(ord("a") + k) for k in range(len(kinds))]
    made = [_given(of, square) for of in kinds if of]
    params = ", ".join(f"{letter}: {text}" for letter, (text, _) in zip(letters, made, strict=True))
    named = [f"{p.name}={x}" if p.keyword_only else x for p, x in zip(required, letters, strict=True)]
    path = name if module == "prelude" else f"{module}.{name}"
    start = "" if module == "prelude" else f"import {module}\n"
    text = f"{start}def f({params}) = {path}({', '.join(named)})"
    makers = [make for _, make in made]
    return Row(f"{module}.{name}", text, counterpart(module, name), lambda n: tuple([make(n) for make in makers]))


Kind = tuple[str, Sequence[Any]]


def _kind(kind: Any) -> Kind | None:
    """The dtype of an array of a parameter, and its axes."""
    match kind:
        case ArrayType(dtype=dtype, shape=shape):
            allowed = (dtype,) if isinstance(dtype, DType) else dtype.allowed
            names = [each.name for each in allowed]
            return next(each for each in ("f32", "i32", *names) if each in names), shape.dims
        case IndexType(shape=shape):
            return "idx", shape.dims
        case _:
            return None


def _given(of: Kind, square: bool) -> tuple[str, Callable[[int], Any]]:
    dtype, dims = of
    rank = len([dim for dim in dims if not isinstance(dim, Splice)]) or min(1, len(dims))
    numpy = np.dtype(np.int32) if dtype == "idx" else BY_NAME[dtype].numpy
    element = "idx[n]" if dtype == "idx" else dtype
    match rank:
        case 0:
            return element, lambda n: np.asarray(0.5).astype(numpy)
        case 1 if square:
            return f"{element}[n]", lambda n: _as(_vector(isqrt(n)), dtype, numpy)
        case 1:
            return f"{element}[n]", lambda n: _as(_vector(n), dtype, numpy)
        case _:
            return f"{element}[n, n]", lambda n: _as(_matrix(n), dtype, numpy)


def _as(x: np.ndarray[Any, Any], dtype: str, numpy: Any) -> np.ndarray[Any, Any]:
    if dtype == "bool":
        return x > 0.5
    return (x * 7).astype(numpy) if dtype in ("i32", "idx") else x.astype(numpy)


def counterpart(module: str, name: str) -> Callable[..., Any] | None:
    """The function of JAX that does the same; None where there is none."""
    path = f"{module}.{name}"
    if path in OTHER_NAMES:
        return OTHER_NAMES[path]
    if module == "stats":
        family, _, what = name.rpartition("_")
        return getattr(getattr(jax.scipy.stats, family, None), what, None)
    if module == "optim":
        return None
    return next((found for each in COUNTERPARTS[module] if (found := getattr(each, name, None)) is not None), None)


# ---------------------------------------------------------------- functions with static arguments, control constructs


def _rows(arguments: Callable[[int], tuple[Any, ...]], rows: Mapping[str, tuple[str, Any]]) -> Iterator[Row]:
    for name, (text, theirs) in rows.items():
        yield Row(name, text, theirs, arguments)


def _one(n: int) -> tuple[Any, ...]:
    return (_vector(n),)


def _two(n: int) -> tuple[Any, ...]:
    return _vector(n), _vector(n, 1)


def _rectangle(n: int) -> tuple[Any, ...]:
    return (_vector(n).reshape(isqrt(n), -1),)


def _picked(n: int) -> tuple[Any, ...]:
    return _vector(n), (_vector(n, 1) * n).astype(np.int32) % n


def _short(n: int) -> tuple[Any, ...]:
    return _vector(n), _vector(16, 1)


def _with_key(n: int) -> tuple[Any, ...]:
    return _vector(n), np.array([0, 7], np.uint32)


def _drawn(draw: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, k: draw(jax.random.wrap_key_data(k), x.shape)


STATIC: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "zeros": ("def f(x: f32[n]) = zeros([n]) + x", lambda x: jnp.zeros(x.shape) + x),
        "linspace": ("def f(x: f32[n]) -> f32[n] = linspace(x[0], 1.0, n)", lambda x: jnp.linspace(x[0], 1.0, len(x))),
        "reshape": ("def f(x: f32[n]) = reshape(x, [-1, 16]).T", lambda x: x.reshape(-1, 16).T),
        "repeat": ("def f(x: f32[n]) = repeat(x, 3)", lambda x: jnp.repeat(x, 3)),
        "tile": ("def f(x: f32[n]) = tile(x, [3])", lambda x: jnp.tile(x, 3)),
        "roll": ("def f(x: f32[n]) = roll(x, [5])", lambda x: jnp.roll(x, 5)),
        "roll by a number": (
            "def f(x: f32[n]) = roll(x, i32(x[0] * 9.0))",
            lambda x: jnp.roll(x, (x[0] * 9).astype(int)),
        ),
        "pad": ("def f(x: f32[n]) = pad(x, [(3, 4)])", lambda x: jnp.pad(x, (3, 4))),
        "diff": ("def f(x: f32[n]) = diff(x)", jnp.diff),
        "split": ("def f(x: f32[n]) = split(x, 4)", lambda x: jnp.stack(jnp.split(x, 4))),
        "sort": ("def f(x: f32[n]) = sort(x)", jnp.sort),
        "argsort": ("def f(x: f32[n]) = argsort(x)", jnp.argsort),
        "median": ("def f(x: f32[n]) = median(x)", jnp.median),
        "quantile": ("def f(x: f32[n]) = quantile(x, 0.3)", lambda x: jnp.quantile(x, 0.3)),
        "nanquantile": ("def f(x: f32[n]) = nanquantile(x, 0.3)", lambda x: jnp.nanquantile(x, 0.3)),
        "unique": (
            "def f(x: f32[n]) = unique(x, size=16, fill_value=0.0)",
            lambda x: jnp.unique(x, size=16, fill_value=0.0),
        ),
        "flatnonzero": ("def f(x: f32[n]) = flatnonzero(x, size=16)", lambda x: jnp.flatnonzero(x, size=16)),
        "hanning": ("def f(x: f32[n]) = hanning(n) + x", lambda x: jnp.hanning(len(x)) + x),
        "trapezoid": ("def f(x: f32[n]) = trapezoid(x)", jnp.trapezoid),
        "cumulative_trapezoid": ("def f(x: f32[n]) = cumulative_trapezoid(x)", None),
        "glu": ("import nn\ndef f(x: f32[n]) = nn.glu(reshape(x, [-1, 16]))", lambda x: jax.nn.glu(x.reshape(-1, 16))),
        "max_pool": ("import nn\ndef f(x: f32[n]) = nn.max_pool(reshape(x, [1, -1, 1]), [3])", None),
        "unwrap": ("def f(x: f32[n]) = unwrap(x)", jnp.unwrap),
        "fftfreq": ("import fft\ndef f(x: f32[n]) = fft.fftfreq(n) + x", lambda x: jnp.fft.fftfreq(len(x)) + x),
        "polygamma": (
            "import special\ndef f(x: f32[n]) = special.polygamma(2, x)",
            lambda x: jax.scipy.special.polygamma(2, x),
        ),
        "comprehension": ("def f(x: f32[n]) = [sin(v) * v for v in x]", jax.vmap(lambda v: jnp.sin(v) * v)),
        "fold": (
            "def f(x: f32[n]) -> f32 = fold s = 0.0 for v in x do s * 0.5 + v",
            lambda x: jax.lax.fori_loop(0, len(x), lambda i, s: s * 0.5 + x[i], 0.0),
        ),
    }
)
RECTANGLES: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "rows of sums": ("def f(x: f32[n, m]) = sum(x, axis=1)", lambda x: x.sum(1)),
        "columns of sums": ("def f(x: f32[n, m]) = sum(x, axis=0)", lambda x: x.sum(0)),
        "cumsum along rows": ("def f(x: f32[n, m]) = cumsum(x, axis=1)", lambda x: jnp.cumsum(x, axis=1)),
        "sort along columns": ("def f(x: f32[n, m]) = sort(x, axis=0)", lambda x: jnp.sort(x, axis=0)),
        "median along rows": ("def f(x: f32[n, m]) = median(x, axis=1)", lambda x: jnp.median(x, axis=1)),
        "argmax along rows": ("def f(x: f32[n, m]) = argmax(x, axis=1)", lambda x: jnp.argmax(x, axis=1)),
        "matmul": ("def f(x: f32[n, n]) = x @ x", lambda x: x @ x),
        "cov": ("def f(x: f32[n, n]) = cov(x)", jnp.cov),
        "pairs of rows": (
            "def f(x: f32[n, m]) = [[sum((a - b) ** 2.0) for b in x] for a in x]",
            lambda x: jax.vmap(lambda a: jax.vmap(lambda b: ((a - b) ** 2).sum())(x))(x),
        ),
        "a choice of each row": (
            "def f(x: f32[n, m]) = [if r[0] > 0.5 then sum(sin(r)) else sum(cos(r)) for r in x]",
            jax.vmap(lambda r: jax.lax.cond(r[0] > 0.5, lambda: jnp.sin(r).sum(), lambda: jnp.cos(r).sum())),
        ),
        "matrix_power": (
            "import linalg\ndef f(x: f32[n, n]) = linalg.matrix_power(x, 5)",
            lambda x: jnp.linalg.matrix_power(x, 5),
        ),
    }
)
INDEXED: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "gather": ("def f(x: f32[n], i: idx[n][n]) = x[i]", lambda x, i: x[i]),
        "take": ("def f(x: f32[n], i: idx[n][n]) = take(x, i)", jnp.take),
        "take_along_axis": (
            "def f(x: f32[n], i: idx[n][n]) = take_along_axis(x, i, axis=0)",
            lambda x, i: jnp.take_along_axis(x, i, axis=0),
        ),
        "segment_sum": (
            "def f(x: f32[n], i: idx[n][n]) = segment_sum(x, i, n)",
            lambda x, i: jax.ops.segment_sum(x, i, len(x)),
        ),
        "segment_max": (
            "def f(x: f32[n], i: idx[n][n]) = segment_max(x, i, n)",
            lambda x, i: jax.ops.segment_max(x, i, len(x)),
        ),
        "bincount": (
            "def f(x: f32[n], i: idx[n][n]) = bincount(i, n)",
            lambda x, i: jnp.bincount(i, length=len(x)),
        ),
        "gradient of gather": (
            "def f(x: f32[n], i: idx[n][n]) = grad(fn v -> sum(v[i] ** 2.0))(x)",
            lambda x, i: jax.grad(lambda v: (v[i] ** 2).sum())(x),
        ),
    }
)
SHORT: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "convolve": ("def f(x: f32[n], v: f32[m]) = convolve(x, v)", jnp.convolve),
        "correlate": ("def f(x: f32[n], v: f32[m]) = correlate(x, v)", lambda x, v: jnp.correlate(x, v, "full")),
        "polyval": ("def f(x: f32[n], v: f32[m]) = polyval(v, x)", lambda x, v: jnp.polyval(v, x)),
        "isin": ("def f(x: f32[n], v: f32[m]) = isin(x, v)", jnp.isin),
        "searchsorted": ("def f(x: f32[n], v: f32[m]) = searchsorted(v, x)", lambda x, v: jnp.searchsorted(v, x)),
        "interp": (
            "def f(x: f32[n], v: f32[m]) = interp(x, cumsum(v), v)",
            lambda x, v: jnp.interp(x, jnp.cumsum(v), v),
        ),
        "histogram": (
            "def f(x: f32[n], v: f32[m]) = histogram(x, cumsum(v)).0",
            lambda x, v: jnp.histogram(x, jnp.cumsum(v))[0],
        ),
        "outer": ("def f(x: f32[n], v: f32[m]) = outer(x, v)", jnp.outer),
    }
)
DRAWS: Mapping[str, Any] = MappingProxyType(
    {
        name: getattr(jax.random, name)
        for name in ("uniform", "normal", "bits", "exponential", "gumbel", "laplace", "logistic", "cauchy", "maxwell")
    }
)
LOSS = "def loss(x: f32[n]) -> f32 = sum(sin(x) * exp(-x * x) + tanh(x) * x)\n"


def _loss(x: Any) -> Any:
    return (jnp.sin(x) * jnp.exp(-x * x) + jnp.tanh(x) * x).sum()


def _chain(x: Any) -> Any:
    return jax.lax.scan(lambda s, v: (jnp.sin(s) * 0.5 + v, None), 0.0, x)[0]


CHAIN = "def chain(x: f32[n]) -> f32 = fold s = 0.0 for v in x do sin(s) * 0.5 + v\n"
WAVES = "def waves(x: f32[n]) -> f32[n] = [sin(v) * exp(v) for v in x]\n"


def _waves(x: Any) -> Any:
    return jnp.sin(x) * jnp.exp(x)


DERIVED: Mapping[str, tuple[str, Any]] = MappingProxyType(
    {
        "grad": (f"{LOSS}def f(x: f32[n]) = grad(loss)(x)", jax.grad(_loss)),
        "value_and_grad": (f"{LOSS}def f(x: f32[n]) = value_and_grad(loss)(x)", jax.value_and_grad(_loss)),
        "grad of checkpoint": (f"{LOSS}def f(x: f32[n]) = grad(checkpoint(loss))(x)", jax.grad(jax.checkpoint(_loss))),
        "grad of a fold": (f"{CHAIN}def f(x: f32[n]) = grad(chain)(x)", jax.grad(_chain)),
        "grad of sort": (
            "def f(x: f32[n]) = grad(fn v -> sum(sort(v) * v))(x)",
            jax.grad(lambda v: (jnp.sort(v) * v).sum()),
        ),
        "grad of cumsum": (
            "def f(x: f32[n]) = grad(fn v -> sum(cumsum(v) * v))(x)",
            jax.grad(lambda v: (jnp.cumsum(v) * v).sum()),
        ),
        "grad of prod": ("def f(x: f32[n]) = grad(fn v -> prod(v))(x)", jax.grad(jnp.prod)),
        "grad of max": ("def f(x: f32[n]) = grad(fn v -> max(v))(x)", jax.grad(jnp.max)),
        "grad of logsumexp": ("def f(x: f32[n]) = grad(fn v -> logsumexp(v))(x)", jax.grad(jax.nn.logsumexp)),
        "grad of cumprod": (
            "def f(x: f32[n]) = grad(fn v -> sum(cumprod(v)))(x)",
            jax.grad(lambda v: jnp.cumprod(v).sum()),
        ),
        "jvp": (f"{WAVES}def f(x: f32[n]) = jvp(waves, (x,), (x,))", lambda x: jax.jvp(_waves, (x,), (x,))),
        "jvp of a fold": (f"{CHAIN}def f(x: f32[n]) = jvp(chain, (x,), (x,))", lambda x: jax.jvp(_chain, (x,), (x,))),
        "vmap": (
            f"{WAVES}def f(x: f32[n]) = vmap(waves)(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(_waves)(x.reshape(-1, 16)),
        ),
        "vmap of grad": (
            f"{LOSS}def f(x: f32[n]) = vmap(grad(loss))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.grad(_loss))(x.reshape(-1, 16)),
        ),
        "vmap of a fold": (
            f"{CHAIN}def f(x: f32[n]) = vmap(chain)(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(_chain)(x.reshape(-1, 16)),
        ),
        "hessian of 16": (
            f"{LOSS}def f(x: f32[n]) = vmap(hessian(loss))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.hessian(_loss))(x.reshape(-1, 16)),
        ),
        "jacfwd of 16": (
            f"{WAVES}def f(x: f32[n]) = vmap(jacfwd(waves))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.jacfwd(_waves))(x.reshape(-1, 16)),
        ),
        "jacrev of 16": (
            f"{WAVES}def f(x: f32[n]) = vmap(jacrev(waves))(reshape(x, [-1, 16]))",
            lambda x: jax.vmap(jax.jacrev(_waves))(x.reshape(-1, 16)),
        ),
    }
)


def rows() -> Iterator[Row]:
    """All rows of the table, those of the library first."""
    yield from library()
    yield from _rows(_one, STATIC)
    yield from _rows(_rectangle, RECTANGLES)
    yield from _rows(_picked, INDEXED)
    yield from _rows(_short, SHORT)
    yield from _rows(_one, DERIVED)
    for name, draw in DRAWS.items():
        text = f"import random\ndef f(x: f32[n], k: key) = random.{name}(k, [n])"
        yield Row(f"random.{name}", text, _drawn(draw), _with_key)
