"""Which turns of loops read one element of an array of keys: what is said is held against all turns of small loops."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.types.facts import Facts, ge
from dsl.types.size import Size, SizeVar
from tests.support.cases import some_of_example
from typechecker.analyses.key_indices import Counter, Turns
from typechecker.analyses.key_usages import _slice

N, ROW, COLUMN = SizeVar(1, "n"), SizeVar(2, "i", False), SizeVar(3, "j", False)
Index = tuple[int, int, int, int, int]
"""`a * i + b * j + c * n + d + e * n * i`"""

INDICES = st.tuples(*[st.integers(-3, 3)] * 4, st.sampled_from((0, 0, 1, 2, -2)))
LISTS = st.lists(INDICES, min_size=1, max_size=2)
ENDS = st.tuples(st.integers(0, 2), st.integers(0, 3), st.booleans())
LOOPS = st.tuples(ENDS, ENDS)


def size(index: Index) -> Size:
    linear = sum((Size.of(v) * k for v, k in zip((ROW, COLUMN, N), index, strict=False)), Size.of(index[3]))
    return linear + Size.of(ROW) * Size.of(N) * index[4]


def counter(variable: SizeVar, ends: tuple[int, int, bool]) -> Counter:
    """From a number, so many turns, or so many more than `n`."""
    low, length, more = ends
    return Counter(variable, variable.id, Size.of(low), Size.of(low + length) + (N if more else 0))


def turns(loops: Sequence[tuple[int, int, bool]], n: int) -> list[tuple[int, ...]]:
    return list(product(*[range(low, low + length + n * more) for low, length, more in loops]))


def element(indices: Sequence[Index], turn: tuple[int, ...], n: int) -> tuple[int, ...]:
    return tuple((a + e * n) * turn[0] + b * turn[1] + c * n + d for a, b, c, d, e in indices)


def state(loops: Sequence[tuple[int, int, bool]]) -> Turns:
    facts = Facts.empty().assume(ge(Size.of(N), 1))
    return Turns([counter(v, ends) for v, ends in zip((ROW, COLUMN), loops, strict=True)], facts)


@given(LISTS, LOOPS)
@settings(max_examples=300)
def test_counters_that_are_told_apart_follow_from_the_element(
    indices: list[Index], loops: tuple[tuple[int, int, bool], tuple[int, int, bool]]
) -> None:
    told = some_of_example([c.variable for c in state(loops).told_apart([size(index) for index in indices])])
    seen: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}
    for n, turn in some_of_example([(size, turn) for size in (1, 2, 3) for turn in turns(loops, size)]):
        first = seen.setdefault((n, element(indices, turn, n)), turn)
        assert all(first[v.id - 2] == turn[v.id - 2] for v in told)


@given(LISTS, LISTS, LOOPS)
@settings(max_examples=300)
def test_lists_that_do_not_meet_name_other_elements(
    left: list[Index], right: list[Index], loops: tuple[tuple[int, int, bool], tuple[int, int, bool]]
) -> None:
    if state(loops).may_meet([size(index) for index in left], [size(index) for index in right]):
        return
    shared = min(len(left), len(right))
    for n in (1, 2, 3):
        found = {element(left[:shared], turn, n) for turn in turns(loops, n)}
        assert found.isdisjoint(element(right[:shared], turn, n) for turn in turns(loops, n))


def test_a_row_and_a_column_follow_from_the_place_in_a_matrix() -> None:
    rows, columns = Counter(ROW, 2, Size.of(0), Size.of(7)), Counter(COLUMN, 3, Size.of(0), Size.of(N))
    there = Turns([rows, columns], Facts.empty())
    assert there.told_apart([Size.of(N) * Size.of(ROW) + Size.of(COLUMN)]) == {rows, columns}
    assert there.told_apart([Size.of(N) * Size.of(ROW) - Size.of(ROW) + Size.of(COLUMN)]) == set()
    assert there.told_apart([Size.of(ROW) * Size.of(COLUMN)]) == set()


def test_even_and_odd_places_do_not_meet() -> None:
    loop = Turns([Counter(ROW, 2)], Facts.empty())
    assert not loop.may_meet([2 * Size.of(ROW)], [2 * Size.of(ROW) + 1])
    assert loop.may_meet([2 * Size.of(ROW)], [Size.of(ROW)])
    assert loop.may_meet([Size.of(ROW)], [Size.of(ROW) + 1])


def test_slices_of_one_axis_have_counters_of_their_own() -> None:
    """Two slices of one array, each with its own bounds: `ks[3:5]` and `ks[0:4]` share an element, `ks[0:3]` none."""
    low, high, start = (_slice(Size.of(k), Size.of(n), Size.of(1), 0) for k, n in ((3, 2), (0, 4), (0, 3)))
    assert low is not None and high is not None and start is not None
    for other, meets in ((high, True), (start, False)):
        counters = [counter for _, counter in (low, other) if counter is not None]
        assert Turns(counters, Facts.empty()).may_meet([low[0]], [other[0]]) is meets
