"""Walks of types: every class of types shows what it is made of and gives it back, and the laws of leaves and axes."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.records import fields
from dsl.types import type as ty
from dsl.types import walk
from dsl.types.dtype import BOOL, F32
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type

AXIS = Shape((Size.of(SizeVar(1, "n")),))
VECTOR = ty.ArrayType(F32, AXIS)
FLAG = ty.ArrayType(BOOL, Shape(()))
EVERY: list[Type] = [
    VECTOR,
    ty.IndexType(Size.of(3), AXIS),
    ty.KeyType(Shape(())),
    ty.TupleType((VECTOR, FLAG)),
    ty.RecordType((("a", VECTOR), ("b", FLAG)), "P"),
    ty.StackedType(ty.TupleType((VECTOR, FLAG)), AXIS),
    ty.FunctionType((VECTOR, FLAG), ty.INT),
    ty.INT,
    ty.EnumType("m", "E"),
    ty.OptionalType(ty.INT),
    ty.TypeVar(1, "T", ty.TypeClass("VSpace")),
    ty.ERROR,
]
NAMES = [type(t).__name__ for t in EVERY]
LEAVES: st.SearchStrategy[Type] = st.sampled_from(
    [VECTOR, FLAG, ty.KeyType(Shape(())), ty.IndexType(Size.of(3), AXIS), ty.TypeVar(1, "T", ty.TypeClass("Tree"))]
)
TREES: st.SearchStrategy[Type] = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: ty.TupleType(tuple(parts)))
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3).map(
            lambda named: ty.RecordType(tuple(sorted(named.items())), "P")
        )
        | inner.map(lambda t: walk.add_axes(t, AXIS))
    ),
    max_leaves=8,
)


def test_every_class_is_there() -> None:
    assert {type(t) for t in EVERY} == set(get_args(Type))


@pytest.mark.parametrize("type_", EVERY, ids=NAMES)
def test_a_class_has_children_where_a_field_holds_types(type_: Type) -> None:
    declared = [f for f in fields(type_) if "Type" in str(f.type).replace("EnumType", "").replace("TypeClass", "")]
    assert bool(walk.children(type_)) == bool(declared)


@pytest.mark.parametrize("type_", EVERY, ids=NAMES)
def test_its_own_children_give_the_type_back(type_: Type) -> None:
    assert walk.with_children(type_, walk.children(type_)) == type_
    assert walk.map_children(type_, lambda child: child) is type_
    assert walk.map_leaves(type_, lambda leaf: leaf) is type_


@pytest.mark.parametrize("type_", EVERY, ids=NAMES)
def test_other_children_stand_in_their_places(type_: Type) -> None:
    new = [ty.IndexType(Size.of(i), Shape(())) for i, _ in enumerate(walk.children(type_))]
    if not isinstance(type_, ty.StackedType):
        assert list(walk.children(walk.with_children(type_, new))) == new


@pytest.mark.parametrize("type_", EVERY, ids=NAMES)
def test_every_class_answers_every_walk(type_: Type) -> None:
    assert next(walk.subtypes(type_, True)) is type_
    assert walk.any_leaf(type_, lambda _: True)
    assert walk.zip_leaves(type_, type_) is not None
    assert walk.with_shape(type_, Shape(())) is not None
    assert walk.leading_axes(type_) is None or walk.with_shape(type_, AXIS) == walk.add_axes(
        walk.with_shape(type_, Shape(())), AXIS
    )


@given(TREES)
def test_leaves_are_the_children_of_children(type_: Type) -> None:
    expected = [leaf for child in walk.children(type_) for leaf in walk.leaves(child)]
    assert list(walk.leaves(type_)) == (expected if walk.has_parts(type_) else [type_])
    assert not any(walk.has_parts(leaf) for leaf in walk.leaves(type_))


@given(TREES, st.sampled_from([FLAG, VECTOR]))
def test_any_leaf_asks_the_leaves(type_: Type, wanted: Type) -> None:
    assert walk.any_leaf(type_, lambda leaf: leaf == wanted) == (wanted in walk.leaves(type_))


@given(TREES)
def test_mapped_leaves_are_the_leaves_of_the_mapped(type_: Type) -> None:
    found = walk.map_leaves(type_, lambda leaf: ty.TypeVar(2, "U", ty.TypeClass("Tree")))
    assert list(walk.leaves(found)) == [ty.TypeVar(2, "U", ty.TypeClass("Tree")) for _ in walk.leaves(type_)]


@given(TREES, TREES)
@settings(max_examples=200)
def test_leaves_of_a_zip_are_those_of_both(a: Type, b: Type) -> None:
    pairs = walk.zip_leaves(a, b)
    twin = walk.zip_leaves(b, a)
    assert (pairs is None) == (twin is None)
    if pairs is not None:
        assert [y for y, _ in walk.zip_leaves(b, a) or []] == [y for _, y in pairs]
        assert [leaf for x, _ in pairs for leaf in walk.leaves(x)] == _spread_leaves(a)


@given(TREES)
def test_a_type_zips_with_itself(type_: Type) -> None:
    assert walk.zip_leaves(type_, type_) == [(leaf, leaf) for leaf, _ in walk.zip_leaves(type_, type_) or []]


@given(TREES)
def test_axes_put_in_front_are_stripped_again(type_: Type) -> None:
    stripped = walk.strip(walk.add_axes(type_, AXIS), 1)
    assert stripped == (AXIS, type_)


@given(TREES)
def test_spreading_keeps_the_leaves_and_their_axes(type_: Type) -> None:
    whole = walk.add_axes(type_, AXIS)
    stripped = walk.strip(walk.distribute_axes(whole), 1)
    assert stripped is None if walk.is_empty(type_) else stripped is not None and stripped[0] == AXIS
    assert stripped in ((AXIS, type_), (AXIS, walk.distribute_axes(type_)), None)
    assert walk.distribute_axes(walk.distribute_axes(whole)) == walk.distribute_axes(whole)


def test_a_stripped_record_has_no_name() -> None:
    record = ty.RecordType((("a", VECTOR),), "P[n]")
    found = walk.strip(record, 1)
    assert found is not None and isinstance(found[1], ty.RecordType) and found[1].name is None


def test_what_has_no_axes_takes_none() -> None:
    assert walk.add_axes(ty.INT, AXIS) == walk.add_axes(ty.FunctionType((), ty.INT), AXIS) == ty.ERROR
    assert walk.strip(ty.UNIT, 1) is None
    assert walk.strip(ty.TupleType((VECTOR, FLAG)), 1) is None


def test_parts_that_are_missing_leave_no_type() -> None:
    pair = ty.TupleType((VECTOR, FLAG))
    assert walk.with_parts(pair, [VECTOR, None]) is None
    assert walk.with_parts(pair, [VECTOR, FLAG]) == pair


def _spread_leaves(type_: Type) -> list[Type]:
    """The leaves with all axes in front of them on their own, those of variables left out."""
    opened = walk.distribute_axes(type_)
    if walk.is_product(opened):
        return [leaf for child in walk.children(opened) for leaf in _spread_leaves(child)]
    return list(walk.leaves(opened))
