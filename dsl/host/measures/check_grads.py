"""`dsl.check_grads`: derivatives of a function against finite differences, and against each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dsl.diagnostics.settings import above_zero, integer, names_of, setting_error
from dsl.host.argument_errors import misused
from dsl.host.arguments.pytree import leaves_of, map_tree, parts_of, plain
from dsl.host.functions.function import Function
from dsl.host.functions.transforms import function_of, jacfwd, jacrev, jvp, vjp

Tree = Any
Leaf = np.ndarray[Any, Any]


def check_grads(
    f: Function,
    args: Sequence[Any],
    order: int = 1,
    modes: str | Sequence[str] = ("fwd", "rev"),
    *,
    eps: float | None = None,
    rtol: float | None = None,
    seed: int = 0,
    **statics: Any,
) -> None:
    """Compares derivatives up to `order` with central differences along a random direction.

    The mode "fwd" compares `jvp`, "rev" `vjp` (by the dot product with a random cotangent). Raises AssertionError
    where they disagree by more than `rtol`, relative to the largest element but at least to 1. Numbers and lists of
    numbers are taken as f32; integers and bools have no derivative. Steps and tolerances are chosen by the widest
    dtype of the arguments.
    """
    function_of("check_grads", f)
    modes = names_of("modes", modes)
    if not isinstance(order, int) or order < 1 or not modes or not set(modes) <= {"fwd", "rev"}:
        raise setting_error('`order` is at least 1, `modes` are "fwd" and "rev"')
    if not isinstance(args, tuple | list):
        raise misused("E0814", "`dsl.check_grads(f, args)` takes a tuple of arguments", f.definition)
    random = np.random.default_rng(integer("seed", seed, 0))
    primals = [_map(_floats, _with_arrays(arg)) for arg in args]
    single = not any(leaf.dtype in (np.float64, np.complex128) for leaf in _every_leaf(primals))
    step = above_zero("eps", eps) if eps is not None else 1e-2 if single else 1e-4
    bound = above_zero("rtol", rtol) if rtol is not None else 1e-2 if single else 1e-5
    tangents = [_map(lambda x: _direction(random, x), p) for p in primals]
    numeric = _differences(f, primals, tangents, step, statics)
    if "fwd" in modes:
        _, tangent = jvp(f, primals, tangents, **statics)
        for exact, estimate in zip(_leaves(tangent), numeric, strict=True):
            _agree(exact, estimate, bound, step)
    if "rev" in modes:
        out, pull = vjp(f, *primals, **statics)
        cotangent = _map(lambda x: _direction(random, np.asarray(x)), out)
        found = pull(cotangent)
        given = [_like(tangent, leaf) for tangent, leaf in zip(tangents, found, strict=True)]
        _agree(_dot(_leaves(found), _leaves(given)), _dot(_leaves(cotangent), numeric), bound, step)
    places = tuple(k for k, p in enumerate(primals) if all(x.dtype.kind in "fc" for x in _every_leaf(p)))
    if order > 1 and places:
        for mode, derivative in (("fwd", jacfwd), ("rev", jacrev)):
            if mode in modes:
                inner = derivative(f, argnums=places)
                check_grads(inner, primals, order - 1, modes, eps=step, rtol=bound, seed=seed, **statics)


def _differences(
    f: Function, primals: Sequence[Tree], tangents: Sequence[Tree], eps: float, statics: dict[str, Any]
) -> list[Leaf]:
    """The derivative of every inexact leaf of the result, by central differences."""
    ahead, behind = (
        _leaves(f(*[_step(p, t, side * eps) for p, t in zip(primals, tangents, strict=True)], **statics))
        for side in (1, -1)
    )
    return [(a - b) / (2 * eps) for a, b in zip(ahead, behind, strict=True)]


def _agree(exact: Leaf, estimate: Leaf, rtol: float, step: float) -> None:
    scale = max(float(np.abs(estimate).max(initial=0.0)), 1.0)
    said = f"the derivative, and central differences with steps of {step:g} (another size: `eps=`, tolerance: `rtol=`)"
    np.testing.assert_allclose(exact, estimate, rtol=rtol, atol=rtol * scale, err_msg=said)


def _with_arrays(tree: Tree) -> Tree:
    """The tree with an array for every list of numbers."""
    return map_tree(
        lambda leaf: np.asarray(leaf, np.float32) if isinstance(leaf, list) else leaf,
        tree,
        join=plain,
        stop=lambda value: isinstance(value, list) and _holds_numbers(value),
    )


def _holds_numbers(value: Any) -> bool:
    return all(map(_holds_numbers, value)) if isinstance(value, list) else type(value) in (float, int)


def _floats(x: Any) -> Leaf:
    """Python numbers as f32."""
    return np.asarray(x, np.float32 if type(x) in (float, int) else None)


def _direction(random: np.random.Generator, x: Leaf) -> Tree:
    """A random tangent; `()` where there is none."""
    if x.dtype.kind not in "fc":
        return ()
    values = np.asarray(random.normal(size=x.shape))
    return (values if x.dtype.kind == "f" else values + 1j * random.normal(size=x.shape)).astype(x.dtype)


def _map(function: Callable[[Any], Any], tree: Tree) -> Tree:
    return map_tree(function, tree, join=plain)


def _like(tree: Tree, other: Tree) -> Tree:
    """A tree with one record of arrays for a list of records, where the other one has that."""
    parts, wanted = parts_of(tree), parts_of(other)
    if parts is None or wanted is None:
        return tree
    if parts[0] is None and wanted[0] is not None:
        return _stacked(parts[1])
    return [_like(part, like) for part, like in zip(parts[1], wanted[1], strict=True)]


def _stacked(items: Sequence[Tree]) -> Tree:
    """Trees of one structure as one, with an axis in front of each leaf that has a derivative."""
    parts = [parts_of(item) for item in items]
    columns = list(zip(*[part[1] for part in parts if part is not None], strict=True))
    return [_stacked(column) for column in columns] if any(parts) else np.stack(items)


def _every_leaf(tree: Tree) -> list[Leaf]:
    return [np.asarray(leaf) for _, leaf in leaves_of(tree)]


def _leaves(tree: Tree) -> list[Leaf]:
    """The inexact leaves, in double precision."""
    found = [leaf for leaf in _every_leaf(tree) if leaf.dtype.kind in "fc"]
    return [leaf.astype(np.complex128 if leaf.dtype.kind == "c" else np.float64) for leaf in found]


def _step(primal: Tree, tangent: Tree, size: float) -> Tree:
    moves = iter(_leaves(tangent))
    return _map(lambda x: (x + size * next(moves)).astype(x.dtype) if x.dtype.kind in "fc" else x, primal)


def _dot(left: Sequence[Leaf], right: Sequence[Leaf]) -> Leaf:
    return np.asarray(sum(float((x * y).sum().real) for x, y in zip(left, right, strict=True)))
