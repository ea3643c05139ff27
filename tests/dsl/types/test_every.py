"""What holds for every integer of a range, against all of them one by one."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.types.every import Everywhere, Range, everywhere
from dsl.types.facts import And, Eq, Known, Le, Lt, Ne, Or, Prop, Relation, atoms_of, le, lt, map_prop
from dsl.types.size import Size, SizeVar, max_, min_

AT, N, M = SizeVar(3, "i"), SizeVar(1, "n"), SizeVar(2, "m")
i, n, m = Size.of(AT), Size.of(N), Size.of(M)


def value(prop: Prop, numbers: dict[SizeVar, int]) -> bool:
    sizes = {var: Size.of(number) for var, number in numbers.items()}
    found = map_prop(prop, lambda size: size.substitute(sizes))
    assert isinstance(found, Known), found
    return found.value


def products(parts: st.SearchStrategy[Size]) -> st.SearchStrategy[Size]:
    pairs = st.tuples(parts, parts)
    divisors = st.sampled_from([Size.of(2), Size.of(3), m + 1, n + 1])
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] - p[1]),
        pairs.map(lambda p: p[0] * p[1]),
        pairs.map(lambda p: min_(*p)),
        pairs.map(lambda p: max_(*p)),
        st.tuples(parts, divisors).map(lambda p: p[0] // p[1]),
        st.tuples(parts, divisors).map(lambda p: p[0] % p[1]),
    )


SIZES = st.recursive(st.sampled_from([i, i, n, m, Size.of(1), Size.of(4)]), products, max_leaves=6)
KINDS: tuple[type[Relation], ...] = (Le, Lt, Eq, Ne)
COMPARISONS: st.SearchStrategy[Relation] = st.builds(
    lambda kind, a, b: kind(a, b), st.sampled_from(KINDS), SIZES, SIZES
)
PROPS = st.one_of(
    COMPARISONS,
    st.tuples(COMPARISONS, COMPARISONS).map(lambda both: And(both)),
    st.tuples(COMPARISONS, COMPARISONS).map(lambda both: Or(both)),
)
RANGES = st.sampled_from(
    [(Size.of(0), n), (Size.of(0), n + m), (Size.of(1), m + 3), (m, m + n), (Size.of(0), Size.of(5))]
)


@settings(max_examples=200)
@given(PROPS, RANGES)
def test_it_implies_the_proposition_for_each_integer_and_says_rightly_that_it_is_implied(
    prop: Prop, ends: tuple[Size, Size]
) -> None:
    found = everywhere(prop, Range(AT, *ends))
    assert AT not in atoms_of(found.prop)
    for a, b in itertools.product(range(6), range(5)):
        sizes = {N: a, M: b}
        low, high = (end.evaluate(sizes) for end in ends)
        if low < high:
            each = all(value(prop, {**sizes, AT: at}) for at in range(low, high))
            assert each or not value(found.prop, sizes)
            assert not each or not found.exact or value(found.prop, sizes)


@pytest.mark.parametrize(
    ("prop", "over", "wanted"),
    [
        (lt(2 * i + 1, n), Range(AT, Size.of(0), m), lt(2 * m - 1, n)),
        (le(0, i - 3), Range(AT, m, n), le(0, m - 3)),
        (lt(i // 2, n), Range(AT, Size.of(0), m), lt((m - 1) // 2, n)),
        (lt((n - 1 - i) // 2, m), Range(AT, Size.of(0), n), lt((n - 1) // 2, m)),
        (lt(3 * i - (i + n) // 2, m), Range(AT, Size.of(0), n), lt(3 * (n - 1) - (2 * n - 1) // 2, m)),
        (le(0, i * (4 - i)), Range(AT, Size.of(0), m), le(0, (m - 1) * (5 - m))),
        (lt(i % 4, n), Range(AT, Size.of(0), m), Or((lt(3, n), And((lt(m - 1, 4), lt(m - 1, n)))))),
        (lt((i + 1) % n, m), Range(AT, Size.of(0), n), Or((lt(n - 1, m), Known(False)))),
    ],
)
def test_what_the_look_of_a_size_tells_is_exact(prop: Prop, over: Range, wanted: Prop) -> None:
    assert everywhere(prop, over).exact
    for a, b in itertools.product(range(1, 6), range(1, 5)):
        assert value(everywhere(prop, over).prop, {N: a, M: b}) == value(wanted, {N: a, M: b})


@pytest.mark.parametrize("size", [i * (n - i), i % 4 + i, (i + 1) % 4])
def test_what_may_be_least_between_the_ends_is_not_said(size: Size) -> None:
    assert not everywhere(lt(size, m), Range(AT, Size.of(0), n)).exact


def test_a_short_literal_range_is_tried_one_by_one() -> None:
    assert everywhere(lt(i * (4 - i), 4), Range(AT, Size.of(0), Size.of(5))) == Everywhere(Known(False), True)
    found = everywhere(lt(i * (4 - i), n), Range(AT, Size.of(0), Size.of(5)))
    assert [value(found.prop, {N: number}) for number in (4, 5)] == [False, True]
