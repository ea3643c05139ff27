"""Values that are excluded one by one, beside what bounds a size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsl.types.decide import entails
from dsl.types.facts import Eq, Facts, Known, Le, Lt, Ne, Or, Prop, disjunction, map_prop, weakest
from dsl.types.size import Size, SizeVar

N, M = Size.of(SizeVar(1, "n", False)), Size.of(SizeVar(2, "m", False))
SHAPES = (N, -N, 2 * N + 1, N - M, 3 * M - 2 * N + 4)


@given(st.sampled_from(SHAPES), st.sets(st.integers(-20, 20), max_size=30), st.integers(-20, 0), st.integers(0, 20))
def test_a_size_is_one_of_the_values_that_are_left(size: Size, values: set[int], low: int, high: int) -> None:
    bounds: list[Prop] = [Le(Size.of(low), size), Le(size, Size.of(high))]
    facts = Facts().assume(*bounds, *(Ne(size, Size.of(value)) for value in sorted(values)))
    left = [value for value in range(low, high + 1) if value not in values]
    if len(left) <= 1:
        assert entails(facts, Or(tuple(Eq(size, Size.of(value)) for value in (*left, high + 1, high + 2))))
    assert not any(entails(facts, Ne(size, Size.of(value))) for value in left[:1] if size in (N, N - M))
    assert all(entails(facts, Ne(size, Size.of(value))) for value in values)


@given(st.sets(st.integers(0, 40), min_size=1, max_size=30))
def test_excluded_values_move_with_an_equation(values: set[int]) -> None:
    facts = Facts().assume(*(Ne(N, Size.of(value)) for value in sorted(values)), Eq(N, 2 * M + 1))
    for value in range(20):
        assert entails(facts, Ne(M, Size.of(value))) == (2 * value + 1 in values)


def test_many_excluded_values_exclude_one_another() -> None:
    for count in (3, 30, 300):
        facts = Facts().assume(*(Ne(N, Size.of(value)) for value in range(count)))
        assert entails(facts.assume(Le(Size.of(0), N)), Le(Size.of(count), N))
        assert not entails(facts, Le(Size.of(count), N))


def test_variables_with_one_number_are_told_apart_by_their_sign() -> None:
    """Each program counts its variables anew: what was found of one says nothing of that of another program."""
    size, integer = Size.of(SizeVar(7, "n")), Size.of(SizeVar(7, "k", False))
    assert size == integer
    assert [entails(Facts(), Le(Size.of(0), x)) for x in (size, integer, size)] == [True, False, True]


COMPARISONS = st.builds(
    lambda kind, size, number, turned: kind(*((size, Size.of(number))[:: -1 if turned else 1])),
    st.sampled_from([Eq, Ne, Le, Lt]),
    st.sampled_from(SHAPES),
    st.integers(-3, 3),
    st.booleans(),
)


@given(st.lists(COMPARISONS, min_size=1), st.integers(-5, 5), st.integers(-5, 5))
def test_the_weakest_of_several_say_as_much_as_all(props: list[Prop], n: int, m: int) -> None:
    def holds(given: list[Prop]) -> Prop:
        values = {N: Size.of(n), M: Size.of(m)}
        return map_prop(
            disjunction(given), lambda size: size.substitute({next(iter(v.vars())): to for v, to in values.items()})
        )

    kept = weakest(props)
    assert isinstance(holds(props), Known) and holds(props) == holds(kept)
    assert set(kept) <= set(props)


def test_the_arms_of_a_chain_say_what_the_last_of_them_says() -> None:
    assert weakest([*(Eq(N, Size.of(i)) for i in range(50)), Ne(N, Size.of(50)), Lt(M, N)]) == [
        Ne(N, Size.of(50)),
        Lt(M, N),
    ]
    assert weakest([Le(Size.of(i), N) for i in range(50, 0, -1)]) == [Le(Size.of(1), N)]
