"""`dsl.check_grads`: derivatives of a function against finite differences, and against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsl.host.function import Function
from dsl.host.leaves import parts_of
from dsl.host.transforms import jvp, vjp

Tree = Any


def check_grads(
    f: Function, args: Sequence[Any], *, eps: float = 1e-3, rtol: float = 1e-2, seed: int = 0, **statics: Any
) -> None:
    """Compares `jvp` along a random direction with central differences, and `vjp` with `jvp` by the dot
    product.

    Raises AssertionError where they disagree. Arguments are floats; in f32, tolerances cannot be small.
    """
    random = np.random.default_rng(seed)
    primals = [_map(_floats, arg) for arg in args]
    tangents = [_map(lambda x: random.normal(size=x.shape).astype(x.dtype), p) for p in primals]
    out, tangent = jvp(f, primals, tangents, **statics)
    ahead, behind = (
        f(*[_step(p, t, side * eps) for p, t in zip(primals, tangents, strict=True)], **statics)
        for side in (1, -1)
    )
    numeric = [(a - b) / (2 * eps) for a, b in zip(_leaves(ahead), _leaves(behind), strict=True)]
    for exact, estimate in zip(_leaves(tangent), numeric, strict=True):
        scale = max(float(np.abs(estimate).max(initial=0.0)), 1.0)
        np.testing.assert_allclose(exact, estimate, rtol=rtol, atol=rtol * scale)
    _, pull = vjp(f, *primals, **statics)
    cotangent = _map(lambda x: random.normal(size=x.shape).astype(x.dtype), _map(np.asarray, out))
    left = _dot(cotangent, tangent)
    right = sum(_dot(g, t) for g, t in zip(pull(cotangent), tangents, strict=True))
    np.testing.assert_allclose(left, right, rtol=rtol, atol=rtol)


def _floats(x: Any) -> np.ndarray[Any, Any]:
    """Python numbers as f32."""
    return np.asarray(x, np.float32) if isinstance(x, float | int) else np.asarray(x)


def _map(function: Any, tree: Tree) -> Tree:
    parts = parts_of(tree)
    if parts is None:
        return function(tree if isinstance(tree, float | int) else np.asarray(tree))
    names, items = parts
    done = [_map(function, item) for item in items]
    return tuple(done) if names is None else dict(zip(names, done, strict=True))


def _leaves(tree: Tree) -> list[np.ndarray[Any, Any]]:
    parts = parts_of(tree)
    if parts is None:
        return [np.asarray(tree, np.float64)]
    return [leaf for item in parts[1] for leaf in _leaves(item)]


def _step(primal: Tree, tangent: Tree, size: float) -> Tree:
    moves = iter(_leaves(tangent))
    return _map(lambda x: (x + size * next(moves)).astype(x.dtype), primal)


def _dot(left: Tree, right: Tree) -> float:
    return sum(float((x * y).sum()) for x, y in zip(_leaves(left), _leaves(right), strict=True))
