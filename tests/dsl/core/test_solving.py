"""The variables of a signature: whatever they are, they are found again from the shapes made with them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsl.core.solving import Equations, Place
from dsl.types.shape import Shape, ShapeVar, Splice, Substitution
from dsl.types.size import Size, SizeVar

N, M = (SizeVar(i, name) for i, name in enumerate("nm"))
S = ShapeVar(2, "s")
ALONE = Shape((Size.of(N), Splice(S), Size.of(M)))
DIMS = st.sampled_from((Size.of(N), Size.of(M), 2 * Size.of(N) + 1, Size.of(N) + Size.of(M), Size.of(N) // 2))
WANTED = st.lists(st.tuples(DIMS, st.just(Size.of(3))), max_size=3).map(lambda pairs: Shape(sum(pairs, ())))
NUMBERS = st.integers(0, 5)
PLACE = Place("x")


@given(st.lists(WANTED, max_size=3), NUMBERS, NUMBERS, st.lists(NUMBERS, max_size=3), st.integers(0, 3))
def test_what_shapes_are_made_with_is_found_again(
    others: list[Shape], n: int, m: int, s: list[int], place: int
) -> None:
    there = Substitution({N: Size.of(n), M: Size.of(m)}, {S: Shape.of(*s)})
    wanted = [*others[:place], ALONE, *others[place:]]
    found = Equations()
    for shape in wanted:
        found.match(shape, there.shape(shape), PLACE)
    found.settle()
    assert (found.sizes, found.shapes, found.conflicts) == (there.sizes, there.shapes, [])
    assert not found.pending


@given(WANTED, NUMBERS, NUMBERS)
def test_another_size_of_what_is_known_is_a_conflict(wanted: Shape, n: int, m: int) -> None:
    there = Substitution({N: Size.of(n), M: Size.of(m)}, {})
    found = Equations(sizes=dict(there.sizes))
    given_ = Shape.of(*[size + 1 for size in there.shape(wanted).sizes or ()])
    found.match(wanted, given_, PLACE)
    found.settle()
    assert [conflict.what for conflict in found.conflicts] == [str(dim) for dim in wanted.dims]


def test_several_lists_of_axes_wait_for_one_another() -> None:
    t = ShapeVar(3, "t")
    found = Equations()
    found.match(Shape((Splice(S), Splice(t))), Shape.of(2, 3, 4), PLACE)
    assert found.later
    found.match(Shape((Splice(S),)), Shape.of(2), PLACE)
    found.settle()
    assert found.shapes == {S: Shape.of(2), t: Shape.of(3, 4)}


def test_a_number_that_no_size_gives_is_a_conflict_where_it_is_read() -> None:
    found = Equations()
    found.match(Shape.of(2 * Size.of(N)), Shape.of(5), PLACE)
    found.settle()
    (conflict,) = found.conflicts
    assert (conflict.what, conflict.first_place, conflict.second_place) == ("2 * n", None, Place("x", "", 0))
