"""Shapes with variables: text, counting, substitution, equality, and operations right for every rank."""

from __future__ import annotations

import pytest

from dsl.types.decide import Proved, Refuted, Unknown, decide, entails
from dsl.types.facts import Facts, Known, eq, ge, le, lt
from dsl.types.shape import Shape, ShapeVar, StaticName, Substitution
from dsl.types.shapefn import (
    Differ,
    Formed,
    Obligation,
    ShapeFailure,
    broadcasted,
    concatenated,
    contracted,
    extent,
    has_axis,
    inserted,
    obligations,
    reduced,
    replaced,
    reshaped,
    shapes_equal,
)
from dsl.types.size import Opaque, Size, SizeVar, min_

NONE = Facts.empty()
N, M, K, H, D, B = (SizeVar(i, name) for i, name in enumerate("nmkhdb"))
n, m, k, h, d, b = map(Size.of, (N, M, K, H, D, B))
S, T = ShapeVar(0, "s"), ShapeVar(1, "t")
AXIS, KEEP = StaticName(0, "axis"), StaticName(1, "keepdims")


def known(result: Shape | ShapeFailure) -> Shape:
    assert isinstance(result, Shape)
    return result


def test_text() -> None:
    assert str(Shape()) == "[]"
    assert str(Shape.of(N, S, 3)) == "[n, *s, 3]"
    assert str(Shape.of(1 + n, d // h)) == "[n + 1, d // h]"
    assert str(known(reduced(NONE, Shape.of(S), AXIS, True))) == "[*reduced(s, axis, true)]"
    assert str(known(reduced(NONE, Shape.of(S), None, KEEP))) == "[*reduced(s, none, keepdims)]"
    assert str(known(reduced(NONE, Shape.of(S), (0, 1), False))) == "[*reduced(s, (0, 1), false)]"
    assert str(known(reduced(NONE, Shape.of(N, S), AXIS, False))) == "[*reduced([n, *s], axis, false)]"


def test_counting() -> None:
    shape = Shape.of(N, S, 3)
    assert shape.rank is None
    assert Shape.of(N, 3).rank == 2
    assert Shape.of(N, 3).product() == 3 * n
    assert str(shape.product()) == "3 * n * prod(s)"
    assert str(shape.rank_size()) == "len(s) + 2"
    there = Substitution({N: Size.of(2)}, {S: Shape.of(4, M)})
    assert there.size(shape.product()) == 24 * m
    assert there.size(shape.rank_size()) == Size.of(4)
    assert Shape.of(2, 3).literal == (2, 3)
    assert Shape.of(N, 3).literal is None


def test_axes() -> None:
    shape = Shape.of(N, S, 3)
    assert shape.axis(0) == n
    assert shape.axis(-1) == Size.of(3)
    later = shape.axis(1)
    assert Substitution(shapes={S: Shape.of(K)}).size(later) == k
    assert Substitution(shapes={S: Shape()}).size(later) == Size.of(3)
    with pytest.raises(IndexError):
        Shape.of(N).axis(1)


def test_whether_there_is_an_axis() -> None:
    """It is said by the rank, as far as that is known; as a fact it speaks of the rank."""
    assert has_axis(Shape.of(N, M), -2) == has_axis(Shape.of(S, N), -1) == has_axis(Shape.of(S), None) == Known(True)
    assert has_axis(Shape.of(N, M), 2) == has_axis(Shape.of(N), (0, -2)) == Known(False)
    asked = has_axis(Shape.of(S), (2, AXIS))
    assert str(asked) == "has_axis(s, (2, axis))"
    assert Substitution(shapes={S: Shape.of(N, M, K)}, statics={AXIS: 0}).prop(asked) == Known(True)
    assert Substitution(shapes={S: Shape.of(N, M, K)}, statics={AXIS: -1}).prop(asked) == Known(False)
    assert Substitution(shapes={S: Shape.of(N, M)}, statics={AXIS: 0}).prop(asked) == Known(False)
    rank = Shape.of(S).rank_size()
    assert entails(Facts().assume(has_axis(Shape.of(S), -3)), le(3, rank))
    assert entails(Facts().assume(ge(rank, 2), le(0, n), lt(n, 2)), has_axis(Shape.of(S), n))


def test_examples_of_stuck_shapes_have_the_axes_that_are_asked_about() -> None:
    axis = Size.of(SizeVar(7, "a", natural=False))
    longer = known(replaced(NONE, Shape.of(S), axis, extent(Shape.of(S), axis) * 2))
    assert isinstance(decide(NONE, eq(longer.product(), Shape.of(S).product())), Refuted)
    assert isinstance(decide(NONE, eq(longer.product(), Shape.of(S).product() * 2 + 1)), Refuted)
    assert decide(NONE, eq(longer.product(), Shape.of(S).product() * 2)) == Unknown()
    assert decide(NONE, eq(extent(Shape.of(n), axis), n)) == Unknown()
    assert isinstance(decide(NONE, eq(extent(Shape.of(n, m), axis), n)), Refuted)


def test_substitution_computes_what_became_known() -> None:
    shape = known(reduced(NONE, Shape.of(S), AXIS, KEEP))
    assert shape.substitute({}, {S: Shape.of(N, M)}) == known(reduced(NONE, Shape.of(N, M), AXIS, KEEP))
    assert shape.substitute({}, {S: Shape.of(N, M)}, {AXIS: 0, KEEP: True}) == Shape.of(1, M)
    assert shape.substitute({}, {S: Shape.of(T, M)}, {AXIS: -1, KEEP: False}) == Shape.of(T)
    assert shape.shape_vars() == {S}
    assert Shape.of(N, S).substitute({N: m + 1}, {S: Shape.of(N)}) == Shape.of(m + 1, N)


def test_softmax_along_any_axis_of_any_rank() -> None:
    x = Shape.of(S)
    top = known(reduced(NONE, x, AXIS, True))
    shifted = broadcasted(NONE, x, top)
    assert shifted == Formed(x)
    total = known(reduced(NONE, x, AXIS, True))
    assert broadcasted(NONE, x, total) == Formed(x)


def test_multi_head_attention() -> None:
    facts = NONE.assume(eq(d % h, 0), ge(h, 1))
    split = reshaped(facts, Shape.of(N, D), Shape.of(n, h, d // h))
    assert split == Formed(Shape.of(n, h, d // h))
    heads = Shape.of(h, n, d // h)
    scores = contracted(facts, heads, Shape.of(h, d // h, n))
    assert scores == Formed(Shape.of(h, n, n))
    mixed = contracted(facts, scores.shape, heads)
    assert mixed == Formed(heads)
    joined = reshaped(facts, Shape.of(n, h, d // h), Shape.of(n, d))
    assert joined == Formed(Shape.of(n, d))
    merged = reshaped(facts, Shape.of(n, h, d // h), Shape.of(n, h * (d // h)))
    assert isinstance(merged, Formed)
    assert shapes_equal(facts, merged.shape, Shape.of(N, D)) == Proved()


def test_reshape_to_halves() -> None:
    facts = NONE.assume(eq(b % 2, 0))
    assert reshaped(facts, Shape.of(B), Shape.of(2, b // 2)) == Formed(Shape.of(2, b // 2))
    failure = reshaped(NONE, Shape.of(B), Shape.of(2, b // 2))
    assert isinstance(failure, ShapeFailure)
    assert failure.kind == "count"
    assert failure.example == ((B, 3),)


def test_reshape_with_a_size_left_over() -> None:
    result = reshaped(NONE, Shape.of(N), Shape.of(4, -1))
    assert result == Formed(Shape.of(4, n // 4), (Obligation(eq(n % 4, 0), "range"),))
    assert reshaped(NONE, Shape.of(N, M), Shape.of(-1)) == Formed(Shape.of(n * m))
    flat = reshaped(NONE, Shape.of(S), Shape.of(-1))
    assert flat == Formed(Shape((Shape.of(S).product(),)))
    assert isinstance(reshaped(NONE, Shape.of(N), Shape.of(-1, -1)), ShapeFailure)


def test_concatenation_is_associative() -> None:
    def joined(*shapes: Shape) -> Shape:
        result = concatenated(NONE, shapes, 0)
        assert isinstance(result, Formed) and not result.obligations
        return result.shape

    a, b_, c = Shape.of(N, D), Shape.of(M, D), Shape.of(K, D)
    assert joined(joined(a, b_), c) == joined(a, joined(b_, c)) == Shape.of(n + m + k, d)
    assert joined(Shape.of(N, S), Shape.of(1, S)) == Shape.of(n + 1, S)
    failure = concatenated(NONE, (a, Shape.of(M, K)), 0)
    assert isinstance(failure, ShapeFailure)
    assert failure.axes == (1, 1)
    failure = concatenated(NONE, (Shape.of(D, N), Shape.of(K, M)), -1)
    assert isinstance(failure, ShapeFailure)
    assert failure.axes == (0, 0)
    failure = concatenated(NONE, (Shape.of(D, N), Shape.of(K, M)), -2)
    assert isinstance(failure, ShapeFailure)
    assert failure.axes == (1, 1)
    failure = concatenated(NONE, (Shape.of(S, D, N), Shape.of(S, K, M)), -1)
    assert isinstance(failure, ShapeFailure)
    assert failure.axes == (-2, -2)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (Shape.of(S), Shape.of(S), Shape.of(S)),
        (Shape.of(S, D), Shape.of(D), Shape.of(S, D)),
        (Shape.of(N, S), Shape.of(S), Shape.of(N, S)),
        (Shape.of(S, D), Shape.of(S, 1), Shape.of(S, D)),
        (Shape.of(S), Shape(), Shape.of(S)),
        (Shape.of(N, 1), Shape.of(1, M), Shape.of(N, M)),
        (Shape.of(N, D), Shape.of(D), Shape.of(N, D)),
        (Shape.of(D), Shape.of(N, D), Shape.of(N, D)),
        (Shape.of(1 + n), Shape.of(n + 1), Shape.of(n + 1)),
        (Shape.of(S, T), Shape.of(T), Shape.of(S, T)),
    ],
    ids=str,
)
def test_operations_that_are_right_for_every_rank(left: Shape, right: Shape, expected: Shape) -> None:
    assert broadcasted(NONE, left, right) == Formed(expected)


@pytest.mark.parametrize(
    ("left", "right", "kind"),
    [
        (Shape.of(S), Shape.of(T), "ranks differ"),
        (Shape.of(S), Shape.of(D), "ranks differ"),
        (Shape.of(N, S), Shape.of(S, N), "ranks differ"),
        (Shape.of(S, 1), Shape.of(D), "sizes differ"),
        (Shape.of(S, D), Shape.of(1), "sizes differ"),
        (Shape.of(N), Shape.of(N, 1), "sizes differ"),
        (Shape.of(N), Shape.of(M), "sizes differ"),
        (Shape.of(N), Shape.of(n + 1), "sizes differ"),
        (Shape.of(N, D), Shape.of(N), "sizes differ"),
        (Shape.of(S, D), Shape.of(T, D), "ranks differ"),
        (Shape.of(S, N), Shape.of(S), "ranks differ"),
    ],
    ids=str,
)
def test_operations_that_are_not(left: Shape, right: Shape, kind: str) -> None:
    for failure in (broadcasted(NONE, left, right), broadcasted(NONE, right, left)):
        assert isinstance(failure, ShapeFailure)
        assert failure.kind == kind


def test_a_failure_says_where_and_for_which_sizes() -> None:
    failure = broadcasted(NONE, Shape.of(B, N), Shape.of(M))
    assert isinstance(failure, ShapeFailure)
    assert failure.axes == (-1, -1)
    assert failure.sizes == (n, m)
    assert failure.example == ((N, 2), (M, 3))
    failure = contracted(NONE, Shape.of(N, D), Shape.of(K))
    assert isinstance(failure, ShapeFailure)
    assert failure.axes == (-1, -1)
    assert failure.example == ((D, 2), (K, 3))


def test_facts_count_and_what_is_open_is_an_obligation() -> None:
    facts = NONE.assume(eq(n, m))
    assert isinstance(broadcasted(facts, Shape.of(N), Shape.of(M)), Formed)
    even = Facts.empty().assume(eq(n % 2, 0))
    assert broadcasted(even, Shape.of(2 * (n // 2)), Shape.of(N)) == Formed(Shape.of(N))
    assert isinstance(broadcasted(NONE, Shape((Shape.of(S).product(),)), Shape.of(N)), ShapeFailure)
    stuck = Size.of(Opaque("h", (n,)))
    open_question = broadcasted(NONE, Shape((stuck,)), Shape.of(N))
    assert isinstance(open_question, Formed)
    assert open_question.obligations == (Obligation(eq(stuck, n), "equation", (-1, -1)),)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (Shape.of(S, K), Shape.of(K, M), Shape.of(S, M)),
        (Shape.of(S, N, K), Shape.of(S, K, M), Shape.of(S, N, M)),
        (Shape.of(S, N, K), Shape.of(K), Shape.of(S, N)),
        (Shape.of(K), Shape.of(T, K, M), Shape.of(T, M)),
        (Shape.of(N, D), Shape.of(D), Shape.of(N)),
        (Shape.of(D), Shape.of(D), Shape()),
    ],
    ids=str,
)
def test_products_with_variables(left: Shape, right: Shape, expected: Shape) -> None:
    assert contracted(NONE, left, right) == Formed(expected)


def test_equality_of_shapes() -> None:
    assert shapes_equal(NONE, Shape.of(1 + n, S), Shape.of(n + 1, S)) == Proved()
    assert shapes_equal(NONE, Shape.of(S, D), Shape.of(S, K)) == Differ(-1, {D: 2, K: 3})
    assert shapes_equal(NONE, Shape.of(N, M), Shape.of(M, N)) == Differ(0, {N: 2, M: 3})
    assert shapes_equal(NONE, Shape.of(N), Shape.of(N, 1)) == Differ(None, {})
    assert shapes_equal(NONE, Shape.of(S), Shape.of(T)) == Differ(None, {})
    assert shapes_equal(NONE, Shape.of(S), Shape.of(N)) == Differ(None, {})
    assert shapes_equal(NONE.assume(le(n, m)), Shape.of(min_(n, m)), Shape.of(N)) == Proved()
    stuck = known(reduced(NONE, Shape.of(S), AXIS, True))
    assert shapes_equal(NONE, stuck, stuck) == Proved()
    assert shapes_equal(NONE, stuck, Shape.of(S)) == Unknown()
    assert shapes_equal(NONE, known(reduced(NONE, Shape.of(S), -1, True)), stuck) == Unknown()


def test_an_axis_of_another_size() -> None:
    longer = replaced(NONE, Shape.of(S), AXIS, n + 1)
    assert str(known(longer)) == "[*replaced(s, axis, n + 1)]"
    assert known(longer).substitute({N: Size.of(2)}, {S: Shape.of(M, K)}, {AXIS: 1}) == Shape.of(m, 3)
    assert inserted(NONE, Shape.of(S), 0, n) == Shape.of(N, S)
    assert inserted(NONE, Shape.of(S), -1) == Shape.of(S, 1)


def test_a_failing_call_keeps_its_place() -> None:
    later = known(reduced(NONE, Shape.of(S), 2, False)).substitute({}, {S: Shape.of(N, M)})
    assert str(later) == "[*reduced([n, m], 2, false)]"
    assert obligations(NONE, later) == ()
