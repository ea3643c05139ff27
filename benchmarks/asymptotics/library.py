"""A row for every function of the library whose arguments can be made from its signature.

A row is made of the parameters that have no default: `*s` and one size are a vector of `n` elements, two sizes a square
matrix of as many. The counterpart is the function of JAX of that name, in the module that ours belongs to. Functions
with static parameters, keys or trees are in `written`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isqrt
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import dsl
from benchmarks.asymptotics.row import Row, matrix, vector
from dsl.types.dtype import BY_NAME, DType
from dsl.types.shape import Splice
from dsl.types.type import ArrayType, IndexType

MODULES = (
    "prelude",
    "fft",
    "image",
    "linalg",
    "nn",
    "ode",
    "random",
    "special",
    "stats",
    "optim",
    "prob",
    "solve",
    "sparse",
    "graph",
    "interpolate",
    "signal",
    "differences",
    "ragged",
)
COUNTERPARTS: Mapping[str, Sequence[Any]] = MappingProxyType(
    {
        "prelude": (jnp, jax.lax, jax.nn, jax.scipy.special, jax.ops),
        "fft": (jnp.fft,),
        "image": (jax.image,),
        "linalg": (jnp.linalg, jax.scipy.linalg, jax.lax.linalg),
        "nn": (jax.nn,),
        "ode": (),
        "random": (jax.random,),
        "special": (jax.scipy.special,),
        "stats": (),
        "optim": (),
        "prob": (),
        "solve": (),
        "sparse": (),
        "graph": (),
        "interpolate": (),
        "signal": (),
        "differences": (),
        "ragged": (),
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
        "linalg.lu": jax.lax.linalg.lu,
        "linalg.cho_solve": lambda a, b: jax.scipy.linalg.cho_solve((a, True), b),
        "linalg.lstsq": lambda a, b: jnp.linalg.lstsq(a, b)[0],
    }
)
"""Functions that JAX has under another name, or with other parameters under the same one."""


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
            return f"{element}[n]", lambda n: _as(vector(isqrt(n)), dtype, numpy)
        case 1:
            return f"{element}[n]", lambda n: _as(vector(n), dtype, numpy)
        case _:
            return f"{element}[n, n]", lambda n: _as(matrix(n), dtype, numpy)


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
    return next((found for each in COUNTERPARTS[module] if (found := getattr(each, name, None)) is not None), None)
