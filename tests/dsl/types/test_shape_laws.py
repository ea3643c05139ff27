"""Shape functions against NumPy: concrete shapes, and shapes with variables for all they may stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.types.facts import Facts
from dsl.types.shape import Shape, ShapeVar, Splice, StaticArg, StaticName
from dsl.types.shapefn import (
    Formed,
    ShapeFailure,
    broadcasted,
    broadcasted_call,
    concatenated,
    contracted,
    contracted_call,
    extent,
    failures,
    inserted,
    obligations,
    permuted,
    reduced,
    removed,
    replaced,
    reshaped,
    reshaped_call,
    settled,
    stretched_call,
    transposed,
)
from dsl.types.size import Size, SizeVar
from tests.support.cases import some
from tests.support.examples import examples

NONE = Facts.empty()
N, M = SizeVar(0, "n"), SizeVar(1, "m")
S, T = ShapeVar(0, "s"), ShapeVar(1, "t")
AXIS = StaticName(0, "axis")
SMALL = [shape for rank in range(3) for shape in product((0, 1, 2, 3), repeat=rank)]

concrete = st.lists(st.integers(0, 3), max_size=4).map(tuple)
axes = st.integers(-4, 3)


def shape_of(sizes: tuple[int, ...]) -> Shape:
    return Shape.of(*sizes)


def literal(result: Shape | Formed | ShapeFailure) -> tuple[int, ...] | None:
    match result:
        case Shape():
            return result.literal
        case Formed(shape, ()):
            return shape.literal
        case _:
            return None


def safe_broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The safe rules, word for word, on concrete shapes."""
    if not left or not right:
        return left or right
    if len(left) != len(right):
        longer, shorter = sorted((left, right), key=len, reverse=True)
        return longer if longer[len(longer) - len(shorter) :] == shorter else None
    if any(a != b and 1 not in (a, b) for a, b in zip(left, right, strict=True)):
        return None
    return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))


@settings(max_examples=500, deadline=None)
@given(concrete, concrete)
def test_broadcasting_is_the_safe_half_of_numpys(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    expected = safe_broadcast(left, right)
    assert literal(broadcasted(NONE, shape_of(left), shape_of(right))) == expected
    if expected is not None:
        assert np.broadcast_shapes(left, right) == expected


dims: st.SearchStrategy[SizeVar | ShapeVar | int] = st.sampled_from([N, M, 1, 2, S, T, S, N])
symbolic = st.lists(dims, max_size=3).map(lambda parts: Shape.of(*parts))


def instances(*shapes: Shape) -> Iterator[tuple[tuple[int, ...], ...]]:
    """What shapes with `n m s t` become, for every meaning that is looked at."""
    for n, m in product((0, 1, 2, 5), repeat=2):
        for s, t in product(SMALL[::3], SMALL[::4]):
            sizes = {N: Size.of(n), M: Size.of(m)}
            variables = {S: shape_of(s), T: shape_of(t)}
            made = [shape.substitute(sizes, variables).literal for shape in shapes]
            known = tuple(each for each in made if each is not None)
            assert len(known) == len(made)
            yield known


@examples(250)
@given(symbolic, symbolic)
def test_broadcasting_with_variables_holds_for_all_they_stand_for(left: Shape, right: Shape) -> None:
    formed = broadcasted(NONE, left, right)
    mirrored = broadcasted(NONE, right, left)
    assert isinstance(formed, Formed) == isinstance(mirrored, Formed)
    if isinstance(formed, Formed) and not formed.obligations:
        for a, b, result in instances(left, right, formed.shape):
            assert np.broadcast_shapes(a, b) == result


@examples(250)
@given(symbolic, symbolic)
def test_products_with_variables_hold_for_all_they_stand_for(left: Shape, right: Shape) -> None:
    formed = contracted(NONE, left, right)
    if isinstance(formed, Formed) and not formed.obligations:
        for a, b, result in some(instances(left, right, formed.shape)):
            assert (np.ones(a) @ np.ones(b)).shape == result


def numpy_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return (np.ones(a) @ np.ones(b)).shape
    except ValueError:
        return None


@settings(max_examples=500, deadline=None)
@given(concrete, concrete)
def test_products_of_concrete_shapes(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    expected = numpy_shape(left, right)
    if len(left) > 2 and len(right) > 2 and safe_broadcast(left[:-2], right[:-2]) is None:
        expected = None
    assert literal(contracted(NONE, shape_of(left), shape_of(right))) == expected


def test_products_that_numpy_allows_are_found_for_small_ranks() -> None:
    for a, b in product(SMALL, SMALL):
        assert literal(contracted(NONE, shape_of(a), shape_of(b))) == numpy_shape(a, b)


def numpy_reduced(shape: tuple[int, ...], axis: int | tuple[int, ...] | None, keep: bool) -> tuple[int, ...] | None:
    if not shape and axis not in (None, ()):
        return None
    try:
        return np.sum(np.ones(shape), axis=axis, keepdims=keep).shape
    except ValueError:
        return None


axis_arguments = st.one_of(st.none(), axes, st.lists(axes, max_size=3).map(tuple))


@settings(max_examples=500, deadline=None)
@given(concrete, axis_arguments, st.booleans())
def test_reductions(shape: tuple[int, ...], axis: int | tuple[int, ...] | None, keep: bool) -> None:
    expected = numpy_reduced(shape, axis, keep)
    assert literal(reduced(NONE, shape_of(shape), axis, keep)) == expected
    later = reduced(NONE, Shape.of(S), axis, keep)
    assert isinstance(later, Shape)
    assert later.substitute({}, {S: shape_of(shape)}).literal == expected
    if expected is None:
        assert failures(NONE, later.substitute({}, {S: shape_of(shape)}))


@settings(max_examples=300, deadline=None)
@given(concrete, axes, st.booleans())
def test_an_axis_may_become_known_later(shape: tuple[int, ...], axis: int, keep: bool) -> None:
    stuck = reduced(NONE, shape_of(shape), AXIS, keep)
    assert isinstance(stuck, Shape)
    assert stuck.substitute({}, {}, {AXIS: axis}).literal == numpy_reduced(shape, axis, keep)


@settings(max_examples=300, deadline=None)
@given(concrete, axes)
def test_single_axes(shape: tuple[int, ...], axis: int) -> None:
    inside = -len(shape) <= axis < len(shape)
    array = np.ones(shape)
    dropped = np.delete(np.array(shape, int), axis) if inside else None
    assert literal(removed(NONE, shape_of(shape), axis)) == (None if dropped is None else tuple(dropped))
    made = np.repeat(array, [7] + [0] * (shape[axis] - 1), axis).shape if inside and shape[axis] else None
    if made is not None or not inside:
        assert literal(replaced(NONE, shape_of(shape), axis, Size.of(7))) == made
    can_insert = -len(shape) - 1 <= axis <= len(shape)
    expected = np.expand_dims(array, axis).shape if can_insert else None
    assert literal(inserted(NONE, shape_of(shape), axis)) == expected
    stuck = inserted(NONE, Shape.of(S), axis)
    assert isinstance(stuck, Shape)
    assert stuck.substitute({}, {S: shape_of(shape)}).literal == expected


@pytest.mark.parametrize("axis", [1, -2])
def test_an_inserted_axis_goes_as_it_came(axis: int) -> None:
    n, m = Size.of(N), Size.of(M)
    made = inserted(NONE, Shape.of(S), axis, n)
    assert isinstance(made, Shape)
    assert extent(made, axis) == n
    assert removed(NONE, made, axis) == Shape.of(S)
    assert reduced(NONE, made, axis, True) == inserted(NONE, Shape.of(S), axis)
    assert replaced(NONE, made, axis, m) == inserted(NONE, Shape.of(S), axis, m)


def test_several_axes_are_inserted_as_by_numpy() -> None:
    for shape in SMALL:
        for places in product(range(-4, 4), repeat=2):
            try:
                expected = np.expand_dims(np.ones(shape), places).shape
            except ValueError:
                expected = None
            assert literal(inserted(NONE, shape_of(shape), places)) == expected


def test_permutations() -> None:
    shape = (2, 3, 4)
    for order in permutations(range(3)):
        expected = np.transpose(np.ones(shape), order).shape
        assert literal(permuted(NONE, shape_of(shape), order)) == expected
        stuck = permuted(NONE, Shape.of(S), order)
        assert isinstance(stuck, Shape)
        assert stuck.substitute({}, {S: shape_of(shape)}).literal == expected
        for again in permutations(range(3)):
            twice = permuted(NONE, stuck, again)
            assert isinstance(twice, Shape)
            wanted = np.transpose(np.transpose(np.ones(shape), order), again).shape
            assert twice.substitute({}, {S: shape_of(shape)}).literal == wanted
            assert len(list(twice.calls())) <= 1
    assert literal(permuted(NONE, shape_of(shape), None)) == (4, 3, 2)
    assert isinstance(permuted(NONE, shape_of(shape), (0, 1)), ShapeFailure)
    assert isinstance(permuted(NONE, shape_of(shape), (0, 1, 1)), ShapeFailure)
    assert literal(transposed(NONE, shape_of(shape))) == (2, 4, 3)
    assert isinstance(transposed(NONE, shape_of((2,))), ShapeFailure)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=3).map(tuple), min_size=1, max_size=3), axes)
def test_concatenation(shapes: list[tuple[int, ...]], axis: int) -> None:
    try:
        expected: tuple[int, ...] | None = np.concatenate([np.ones(shape) for shape in shapes], axis).shape
    except ValueError:
        expected = None
    assert literal(concatenated(NONE, tuple(map(shape_of, shapes)), axis)) == expected


@settings(max_examples=300, deadline=None)
@given(concrete, st.lists(st.integers(-1, 4), max_size=3).map(tuple))
def test_reshaping(shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    try:
        expected: tuple[int, ...] | None = np.reshape(np.ones(shape), wanted).shape
    except ValueError:
        expected = None
    result = reshaped(NONE, shape_of(shape), shape_of(wanted))
    assert literal(result) == expected


LATER: list[StaticArg] = [0, -1, 1, None, (0, 1)]


def test_laws_of_stuck_reductions() -> None:
    s = Shape.of(S)
    for axis in [AXIS, *LATER]:
        kept = reduced(NONE, s, axis, True)
        assert isinstance(kept, Shape)
        assert kept.rank_size() == s.rank_size()
        for left, right in ((s, kept), (kept, s)):
            formed = broadcasted(NONE, left, right)
            assert formed == Formed(s)
        assert broadcasted(NONE, Shape.of(N) + s, Shape.of(N) + kept) == Formed(Shape.of(N) + s)
    kept = reduced(NONE, Shape.of(N, M), AXIS, True)
    assert isinstance(kept, Shape)
    assert broadcasted(NONE, Shape.of(N, M), kept) == Formed(Shape.of(N, M))


def test_laws_of_other_stuck_calls() -> None:
    s = Shape.of(S)
    five, seven = Size.of(5), Size.of(7)
    once = replaced(NONE, s, AXIS, five)
    assert isinstance(once, Shape)
    assert replaced(NONE, once, AXIS, seven) == replaced(NONE, s, AXIS, seven)
    assert reduced(NONE, once, AXIS, False) == removed(NONE, s, AXIS)
    assert replaced(NONE, s, AXIS, Size.of(1)) == reduced(NONE, s, AXIS, True)
    turned = permuted(NONE, s, (1, 0))
    assert isinstance(turned, Shape)
    assert turned.product() == s.product()
    assert turned.rank_size() == s.rank_size()
    assert permuted(NONE, turned, (1, 0)) == s
    assert broadcasted_call(s, s) == s
    assert broadcasted_call(s, Shape()) == s
    assert str(broadcasted_call(s, Shape.of(T))) == "[*broadcasted(s, t)]"


CHANGES: tuple[Callable[[Shape, StaticArg], Shape | ShapeFailure], ...] = (
    lambda s, axis: reduced(NONE, s, axis, True),
    lambda s, axis: removed(NONE, s, axis),
    lambda s, axis: replaced(NONE, s, axis, Size.of(5)),
    lambda s, axis: replaced(NONE, s, axis, extent(s, axis)),
    lambda s, axis: inserted(NONE, s, axis, Size.of(4)),
)
GIVEN_AXES: tuple[StaticArg, ...] = (None, (), *range(-2, 2), *product(range(-2, 2), repeat=2))


@pytest.mark.parametrize("shape", [(2,), (2, 3), (1, 3), (2, 3, 4)])
def test_laws_of_an_axis_that_is_not_known_hold_for_all_that_may_be_given(shape: tuple[int, ...]) -> None:
    known = Shape.of(*shape)
    for first, second, axis in product(CHANGES, CHANGES, GIVEN_AXES):
        stuck, found = first(Shape.of(S), AXIS), first(known, axis)
        if isinstance(stuck, ShapeFailure) or isinstance(found, ShapeFailure):
            continue
        later, there = second(stuck, AXIS), second(found, axis)
        if isinstance(later, Shape) and isinstance(there, Shape):
            assert later.substitute({}, {S: known}, {AXIS: axis}) == there
        size = Shape.of(extent(stuck, AXIS)).substitute({}, {S: known}, {AXIS: axis})
        if not isinstance(reduced(NONE, found, axis, True), ShapeFailure):
            assert size == Shape.of(extent(found, axis))


def test_operands_broadcast_against_the_result() -> None:
    s, t = Shape.of(S), Shape.of(T)
    stuck = broadcasted_call(s, t)
    for operand in (s, t, reduced(NONE, s, AXIS, True)):
        assert isinstance(operand, Shape)
        assert broadcasted(NONE, operand, stuck) == broadcasted(NONE, stuck, operand) == Formed(stuck)
    for a, b in product(SMALL, SMALL):
        if (whole := safe_broadcast(a, b)) is not None:
            assert safe_broadcast(a, whole) == safe_broadcast(whole, b) == whole


def test_a_stuck_broadcast_is_computed_when_it_can_be() -> None:
    stuck = broadcasted_call(Shape.of(S), Shape.of(T))
    assert isinstance(stuck.dims[0], Splice)
    for a, b in product(SMALL, SMALL):
        made = stuck.substitute({}, {S: shape_of(a), T: shape_of(b)})
        assert made.literal == safe_broadcast(a, b)
        assert bool(failures(NONE, made)) == (made.literal is None)


def test_stuck_reshapes_stretches_and_products_are_computed_when_they_can_be() -> None:
    reshape, stretch = (call(Shape.of(S), Shape.of(T)) for call in (reshaped_call, stretched_call))
    for a, b in product(SMALL, SMALL):
        filled, spread = (stuck.substitute({}, {S: shape_of(a), T: shape_of(b)}) for stuck in (reshape, stretch))
        assert filled.literal == (b if prod(a) == prod(b) else None)
        assert spread.literal == (b if safe_broadcast(a, b) == b else None)
        for made in (filled, spread):
            assert bool(failures(NONE, made)) == (made.literal is None)
        multiplied = contracted_call(Shape.of(S), Shape.of(T)).substitute({}, {S: shape_of(a), T: shape_of(b)})
        assert multiplied.literal == literal(contracted(NONE, shape_of(a), shape_of(b)))
        assert bool(failures(NONE, multiplied)) == (multiplied.literal is None)
    assert reshaped_call(Shape.of(S), Shape.of(S)) == stretched_call(Shape.of(S), Shape.of(S)) == Shape.of(S)


def test_a_declared_call_stays_a_call() -> None:
    halves = reshaped_call(Shape.of(N), Shape.of(-1, 2))
    assert isinstance(halves.dims[0], Splice)
    assert settled(NONE, halves).rank == 2 and len(obligations(NONE, halves)) == 1
    declared = frozenset(halves.calls())
    assert settled(NONE, halves, declared) == halves and obligations(NONE, halves, declared) == ()
