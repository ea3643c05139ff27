"""Places that hold keys: which overlap, what a run of them twice gives, and which parts of Core show them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsl.core import core
from dsl.diagnostics.source import Source, Span
from dsl.types import type as ty
from dsl.types.facts import Facts
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from typechecker.analyses.key_usages import Place, Usages, Use, kept_places, place_of
from typechecker.errors.causes import Repeated
from typechecker.types.predicates import holds_key

SPAN = Span(Source("places", "p"), 0, 1)
SIZES = st.one_of(
    st.integers(0, 2).map(Size.of),
    st.integers(0, 2).map(lambda c: Size.of(SizeVar(1, "n")) + c),
)
PLACES = st.builds(
    Place,
    st.integers(0, 1),
    st.just("p"),
    st.lists(st.sampled_from("ab"), max_size=2).map(tuple),
    st.lists(SIZES, max_size=2).map(tuple),
)


def use(place: Place) -> Use:
    return Use(place, ty.KeyType(Shape(())), core.Local(SPAN, ty.UNIT, place.root, "p"))


@given(PLACES, PLACES)
def test_overlap_is_symmetric(a: Place, b: Place) -> None:
    same = a.root == b.root
    assert not same or a.overlaps(b) == b.overlaps(a)


@given(PLACES, st.sampled_from("ab"))
def test_a_whole_overlaps_its_parts(a: Place, step: str) -> None:
    assert a.overlaps(a)
    assert a.overlaps(a.part(step))
    assert not a.part("a").overlaps(a.part("b"))


def usages() -> Usages:
    return Usages(Facts.empty(), lambda _: None)


@given(PLACES, PLACES)
def test_what_follows_and_shares_a_key_is_refused_and_another_branch_is_not(a: Place, b: Place) -> None:
    shared = a.root == b.root and a.overlaps(b)
    for join, refused in ((Usages.path, shared), (Usages.branches, False)):
        walk = usages()
        assert [found.place for found in join(walk, [walk.once(use(a)), walk.once(use(b))])] == [a, b]
        assert bool(walk.found) == refused


@given(PLACES, st.sampled_from(Repeated))
def test_a_body_that_repeats_moves_no_key_of_outside(place: Place, kind: Repeated) -> None:
    outside, inside = usages(), usages()
    outside.bind(place.root)
    for walk in (outside, inside):
        with walk.many_times(kind):
            if walk is inside:
                walk.bind(place.root)
            walk.once(use(place))
    assert (len(outside.found), len(inside.found)) == (1, 0)


def test_axes_of_a_stack_commute_with_fields() -> None:
    key = ty.KeyType(Shape(()))
    row = ty.RecordType((("k", key),))
    stack = core.Local(SPAN, ty.StackedType(row, Shape((Size.of(3),))), 1, "s")
    zero = (core.At(core.Const(SPAN, ty.INT, 0), "proved"),)
    a = core.Select(SPAN, key, core.Index(SPAN, row, stack, zero), "k")
    b = core.Index(SPAN, key, core.Select(SPAN, ty.KeyType(Shape((Size.of(3),))), stack, "k"), zero)
    assert place_of(a, {}) == place_of(b, {}) == Place(1, "s", ("k",), (Size.of(0),))


def test_what_an_update_keeps() -> None:
    key = ty.KeyType(Shape(()))
    inner = ty.RecordType((("j", key), ("k", key)))
    outer = ty.RecordType((("layer", inner), ("x", ty.UNIT), ("z", key)))
    root = Place(1, "s")
    assert [str(p) for p, _ in kept_places(root, outer, [("layer", "k"), ("x",)])] == ["s.layer.j", "s.z"]
    assert list(kept_places(root, inner, [("j",), ("k",)])) == []
    assert [str(p) for p, _ in kept_places(root, outer, [])] == ["s"]


def test_which_types_are_affine() -> None:
    key = ty.KeyType(Shape(()))
    assert holds_key(ty.StackedType(ty.TupleType((ty.UNIT, key)), Shape((Size.of(2),))))
    assert holds_key(ty.TypeVar(1, "A", ty.TypeClass("Move")))
    assert not holds_key(ty.TypeVar(1, "A", ty.TypeClass("Tree")))
    assert not holds_key(ty.FunctionType((key,), key))
