"""Programs beside the same programs written for JAX: values and derivatives agree.

In f64, to 1e-10 of the largest number in each result: the value and the gradient by every float argument, the
derivative of the gradient along a direction (Hessian times vector), and the gradients of three examples at once by
`vmap`. In f32, value and gradient to 1e-4 of what they are in f64; where terms cancel, to their rounding errors times
the condition number of the cancellation. JAX compiles one function of each program, which all four use: `vmap` and f32
are tested in ours alone. The programs are in `counterparts`.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import jax
import numpy as np
import pytest

import dsl
from tests.e2e.counterparts import learning, linear, numerics, physics, sequences
from tests.e2e.counterparts.counterpart import Counterpart, Draw

PROGRAMS = tuple(case for table in (learning, linear, numerics, physics, sequences) for case in table.PROGRAMS)
EXAMPLES = 3
TOLERANCE = {np.dtype(np.float64): 1e-10, np.dtype(np.float32): 1e-4}
ROUNDINGS = 8
"""So many rounding errors are in a term that cancels: products of vectors of up to six elements, and a quotient."""


@pytest.fixture(autouse=True, scope="module")
def double_precision() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


@pytest.fixture(params=PROGRAMS, ids=lambda case: case.name, scope="module")
def case(request: pytest.FixtureRequest) -> Counterpart:
    """One program after the other: the tests of each follow one another."""
    found: Counterpart = request.param
    return found


Oracle: TypeAlias = Callable[..., tuple[Any, Any]]


@pytest.fixture(scope="module")
def oracle(case: Counterpart) -> Oracle:
    """Of arguments and of directions of the floats among them: value and gradient, and their derivatives along the
    directions where there are such."""
    _, arguments, at = drawn(case)

    def of(arguments: tuple[Any, ...], directions: tuple[Any, ...]) -> tuple[Any, Any]:
        floats = tuple(arguments[i] for i in at)
        f = jax.value_and_grad(with_floats(case.jax, arguments, at), argnums=tuple(range(len(at))))
        return jax.jvp(f, floats, directions) if case.second else (f(*floats), ())

    still = map_leaves(np.zeros_like, tuple(arguments[i] for i in at))
    compiled = jax.jit(of)
    return lambda arguments, directions=still: compiled(arguments, directions)


def map_leaves(f: Callable[..., Any], tree: Any, *others: Any) -> Any:
    match tree:
        case dict():
            return {k: map_leaves(f, v, *(other[k] for other in others)) for k, v in tree.items()}
        case tuple():
            return tuple(map_leaves(f, *parts) for parts in zip(tree, *others, strict=True))
        case _:
            return f(tree, *others)


def leaves(tree: Any) -> list[Any]:
    match tree:
        case dict():
            return [leaf for name in sorted(tree) for leaf in leaves(tree[name])]
        case tuple() | list():
            return [leaf for part in tree for leaf in leaves(part)]
        case _:
            return [tree]


def is_float(tree: Any) -> bool:
    return all(np.issubdtype(np.asarray(leaf).dtype, np.floating) for leaf in leaves(tree))


def agree(found: Any, expected: Any, conditions: Sequence[float] = ()) -> None:
    """`conditions` has a number for each leaf, as `Counterpart` says; none are given where all leaves are 1."""
    ours, theirs = leaves(found), leaves(expected)
    assert len(ours) == len(theirs)
    factors = conditions or (1.0,) * len(ours)
    for left, right, factor in zip(map(np.asarray, ours), map(np.asarray, theirs), factors, strict=True):
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        assert np.isfinite(right).all()
        tolerance = max(TOLERANCE[right.dtype], ROUNDINGS * float(np.finfo(right.dtype).eps) * factor)
        np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance * np.abs(right).max(initial=1e-30))


def drawn(case: Counterpart) -> tuple[Draw, tuple[Any, ...], tuple[int, ...]]:
    """What makes more numbers, the arguments, and which of them are floats."""
    draw = Draw(np.random.default_rng(zlib.crc32(case.name.encode())))
    arguments = map_leaves(np.asarray, case.draw(draw))
    return draw, arguments, tuple(i for i, argument in enumerate(arguments) if is_float(argument))


def with_one(arguments: tuple[Any, ...], at: int, argument: Any) -> tuple[Any, ...]:
    return (*arguments[:at], argument, *arguments[at + 1 :])


def stacked(trees: Sequence[Any]) -> Any:
    return map_leaves(lambda *parts: np.stack(parts), *trees)


def single(tree: Any) -> Any:
    return map_leaves(lambda x: np.float32(x) if x.dtype == np.float64 else x, tree)


def with_floats(f: Callable[..., Any], arguments: tuple[Any, ...], at: tuple[int, ...]) -> Callable[..., Any]:
    """`f` of its float arguments alone, for JAX; the others are given."""

    def of_floats(*floats: Any) -> Any:
        chosen = dict(zip(at, floats, strict=True))
        return f(*(chosen.get(i, argument) for i, argument in enumerate(arguments)))

    return of_floats


def test_value_and_gradient(case: Counterpart, oracle: Oracle) -> None:
    f = dsl.program(case.text).f
    _, arguments, at = drawn(case)
    value_and_gradient, _ = oracle(arguments)
    agree(dsl.value_and_grad(f, argnums=at)(*arguments), value_and_gradient)


@pytest.mark.parametrize("case", [case for case in PROGRAMS if case.second], ids=lambda case: case.name, indirect=True)
def test_second_derivative_along_a_direction(case: Counterpart, oracle: Oracle) -> None:
    f = dsl.program(case.text).f
    draw, arguments, at = drawn(case)
    directions = map_leaves(lambda x: draw.normal(*x.shape), tuple(arguments[i] for i in at))
    tangents = tuple(
        directions[at.index(i)] if i in at else map_leaves(lambda x: (), argument)
        for i, argument in enumerate(arguments)
    )
    _, ours = dsl.jvp(dsl.grad(f, argnums=at), arguments, tangents)
    _, (_, theirs) = oracle(arguments, directions)
    agree(ours, theirs)


def test_gradients_of_examples(case: Counterpart, oracle: Oracle) -> None:
    f = dsl.program(case.text).f
    draw, arguments, at = drawn(case)
    examples = [map_leaves(np.asarray, case.draw(draw))[at[-1]] for _ in range(EXAMPLES)]
    axes = tuple(0 if i == at[-1] else None for i in range(len(arguments)))
    ours = dsl.vmap(dsl.grad(f, argnums=at), in_axes=axes)(*with_one(arguments, at[-1], stacked(examples)))
    agree(ours, stacked([oracle(with_one(arguments, at[-1], example))[0][1] for example in examples]))


def test_single_precision(case: Counterpart, oracle: Oracle) -> None:
    f = dsl.program(case.text.replace("f64", "f32").replace("c128", "c64")).f
    _, arguments, at = drawn(case)
    value_and_gradient, _ = oracle(arguments)
    found = dsl.value_and_grad(f, argnums=at)(*single(arguments))
    agree(found, single(value_and_gradient), case.conditions(*arguments))
