"""Questions about sizes with known answers."""

from __future__ import annotations

import time

import pytest

from dsl.types.conditional import choose_size
from dsl.types.decide import (
    NoSolution,
    NotDetermined,
    Proved,
    Refuted,
    Solved,
    Unknown,
    bounds,
    consistent,
    decide,
    entails,
    excludes,
    normalise,
    solve,
    witness,
)
from dsl.types.facts import And, Facts, Known, Not, OpaqueProp, Or, Prop, eq, ge, gt, le, lt, ne, simplified
from dsl.types.search import definedness
from dsl.types.size import Opaque, Size, SizeVar, max_, min_, opaque

N, M, K, H, D, S, B = (SizeVar(i, name) for i, name in enumerate("nmkhdsb"))
n, m, k, h, d, s, b = map(Size.of, (N, M, K, H, D, S, B))
INT = SizeVar(20, "i", natural=False)
i = Size.of(INT)


def facts(*props: Prop) -> Facts:
    return Facts.empty().assume(*props)


PROVED: list[tuple[Facts, Prop]] = [
    (facts(), eq(1 + n, n + 1)),
    (facts(), eq(1 + n - 1, n)),
    (facts(), eq((n + m) + k, n + (m + k))),
    (facts(eq(b % 2, 0)), eq(2 * (b // 2), b)),
    (facts(eq(d % h, 0)), eq(h * (d // h), d)),
    (facts(eq(d % h, 0)), eq(n * h * (d // h), n * d)),
    (facts(), eq((n + k * s) // s, n // s + k)),
    (facts(le(k, n)), ge((n - k) // s + 1, 1)),
    (facts(le(k, n), ge(s, 1)), le(((n - k) // s) * s + k, n)),
    (facts(), lt(n % 4, 4)),
    (facts(), le(n // 2, n)),
    (facts(), eq(k * (n // k) + n % k, n)),
    (facts(le(n, m), le(m, k)), le(n, k)),
    (facts(lt(n, m)), eq(n // m, 0)),
    (facts(lt(n, m)), eq(n % m, n)),
    (facts(eq(n, 2 * m)), eq(n // 2, m)),
    (facts(le(n, m)), eq(min_(n, m), n)),
    (facts(), eq(min_(n, m) + max_(n, m), n + m)),
    (facts(), le(min_(n, m) + min_(k, d), min_(n + k, m + d))),
    (facts(Or((eq(n, 2), eq(n, 4)))), le(n, 4)),
    (facts(eq(n % 16, 0), ge(n, 1)), ge(n, 16)),
    (facts(eq(n % 6, 0)), eq(n % 3, 0)),
    (facts(eq(n % 2, 0), eq(n % 3, 0)), eq(n % 6, 0)),
    (facts(eq(n % 4, 1)), eq(n % 2, 1)),
    (facts(eq(n % m, 0), eq(m % k, 0)), eq(n % k, 0)),
    (facts(ne(n, 0)), ge(n, 1)),
    (facts(eq(2 * n, 2 * m + 1)), Known(False)),
    (facts(eq(3 * n + 5 * m, 1)), Known(False)),
    (facts(le(k, m)), le(h * k, h * m)),
    (facts(ge(n, 1), ge(m, 1), ge(k, 1)), ge(n * m * k, 1)),
    (facts(ge(h, 1), eq(h * n, h * m)), eq(n, m)),
    (facts(eq(n * m, k * h)), eq(n * m * d, k * h * d)),
    (facts(), le(n, n * n)),
    (facts(lt(i, n), ge(i, 0)), le(i + 1, n)),
    (facts(eq(m, m * m)), le(m, 1)),
    (facts(lt(n, 1 - m)), eq(20 * m, m * m)),
    (facts(ge(i, 0), lt(i, n - k + 1), lt(m, k)), lt(i + m, n)),
    (facts(eq(n % 2, 0)), eq(n // 2 + n // 2, n)),
    (facts(eq(n % 4, 0)), eq((n // 2) % 2, 0)),
    (facts(ge(n, k), ge(k, 1), ge(s, 1)), le((n - k) // s + 1, n)),
    (facts(eq(d % h, 0), ge(d, 1)), ge(d // h, 1)),
    (facts(le(2, k), lt(i, n // k), ge(i, 0)), lt(k * i + 1, n)),
    (facts(ge(n, 3)), Not(lt(n, 2))),
    (facts(), And((le(0, n), Or((eq(n, 0), ge(n, 1)))))),
    (facts(OpaqueProp("even", (n,))), OpaqueProp("even", (n,))),
    (facts(OpaqueProp("even", (n,)), eq(n, m)), OpaqueProp("even", (m,))),
    (facts(Not(OpaqueProp("even", (n,)))), Not(OpaqueProp("even", (n,)))),
    (facts(Or((OpaqueProp("even", (n,)), le(n, 3))), Not(OpaqueProp("even", (n,)))), le(n, 3)),
    (facts(), eq(Opaque("f", (n,), True), Opaque("f", (n,), True))),
    (facts(eq(n, m)), eq(Opaque("f", (n,), True), Opaque("f", (m,), True))),
    (facts(), ge(Opaque("f", (n,), True), 0)),
]


@pytest.mark.parametrize(("known", "prop"), PROVED, ids=lambda value: str(value))
def test_proved(known: Facts, prop: Prop) -> None:
    assert decide(known, prop) == Proved()
    assert entails(known, prop)


REFUTED: list[tuple[Facts, Prop, dict[SizeVar, int]]] = [
    (facts(), eq(d, k), {D: 0, K: 1}),
    (facts(), eq(n, m), {N: 0, M: 1}),
    (facts(), eq(n, n + 1), {N: 0}),
    (facts(), eq(2 * (b // 2), b), {B: 1}),
    (facts(), eq(h * (d // h), d), {H: 2, D: 1}),
    (facts(), le(n, m), {N: 1, M: 0}),
    (facts(ge(n, 100)), ge(n, 200), {N: 100}),
    (facts(eq(n % 16, 0), ge(n, 1)), ge(n, 17), {N: 16}),
    (facts(ge(n, 1), ge(m, 2)), eq(n + m, n * m), {N: 1, M: 2}),
    (facts(eq(n, m + 1)), eq(n, 2 * m), {N: 1, M: 0}),
    (facts(), ge(i, 0), {INT: -1}),
    (facts(), eq(min_(n, m), n), {N: 1, M: 0}),
    (facts(le(k, n), eq(h, 7)), eq(k, n), {K: 0, N: 1}),
    (facts(), eq(Opaque("f", (n,)), Opaque("f", (n,)) + m), {N: 0, M: 1}),
]


@pytest.mark.parametrize(("known", "prop", "example"), REFUTED, ids=lambda value: str(value))
def test_refuted_by_the_smallest_example(known: Facts, prop: Prop, example: dict[SizeVar, int]) -> None:
    decision = decide(known, prop)
    assert isinstance(decision, Refuted)
    assert decision.smallest == example
    assert list(decision.smallest) == list(example)
    assert not entails(known, prop)


OPEN: list[tuple[Facts, Prop]] = [
    (facts(), eq(Opaque("f", (n,)), n)),
    (facts(), eq(Opaque("f", (n,)), Opaque("f", (m,)))),
    (facts(), OpaqueProp("even", (n,))),
    (facts(OpaqueProp("even", (n,))), ge(n, 1)),
]


@pytest.mark.parametrize(("known", "prop"), OPEN, ids=lambda value: str(value))
def test_what_rests_on_an_unknown_function_stays_open(known: Facts, prop: Prop) -> None:
    assert decide(known, prop) == Unknown()


FLAG, OTHER = OpaqueProp("flag"), OpaqueProp("other")


def test_a_flag_in_the_facts_does_not_hide_an_example() -> None:
    assert decide(facts(FLAG), eq(n, m)) == Refuted({N: 0, M: 1})
    assert decide(facts(Not(FLAG)), eq(n, m)) == Refuted({N: 0, M: 1})
    assert decide(facts(Or((FLAG, eq(n, m)))), eq(n, m)) == Refuted({N: 0, M: 1})
    assert decide(facts(Or((FLAG, eq(n, m))), Not(FLAG)), eq(n, m)) == Proved()
    assert decide(facts(FLAG), Or((Not(FLAG), eq(n, m)))) == Refuted({N: 0, M: 1})
    assert decide(facts(FLAG), OTHER) == Unknown()
    assert decide(facts(FLAG, Not(FLAG)), eq(n, m)) == Proved()


def test_functions_that_can_be_evaluated_give_examples() -> None:
    power = opaque("power", (n,), True, lambda value: 2**value)
    assert decide(facts(), eq(power, n + 1)) == Refuted({N: 2})
    even = OpaqueProp("even", (n,), lambda value: value % 2 == 0)
    assert decide(facts(even), le(n, 1)) == Refuted({N: 2})
    assert decide(facts(), even) == Refuted({N: 1})


def test_sizes_that_conditions_choose_are_decided_in_each_case() -> None:
    chosen = choose_size(FLAG, n + m - 1, choose_size(OTHER, max_(n, m), max_(n, m) - min_(n, m) + 1))
    known = facts(ge(n, 1), ge(m, 1))
    assert decide(known, ge(chosen, 1)) == Proved() and entails(known, ge(chosen, 1))
    assert decide(facts(ge(n, 1)), ge(chosen, 1)) != Proved() and not entails(facts(ge(n, 1)), ge(chosen, 1))
    smaller = choose_size(le(n, m), n, m)
    assert entails(facts(), le(choose_size(lt(n, k), Size.of(0), Size.of(1)), 1))
    assert not entails(facts(), eq(smaller, n))
    assert not entails(facts(), ge(n // choose_size(FLAG, Size.of(0), Size.of(1)), n + 1))


def test_from_a_contradiction_everything_follows() -> None:
    known = facts(le(n, 3), ge(n, 5))
    assert consistent(known) is False
    assert decide(known, eq(n, m)) == Proved()


def test_consistency_and_witnesses() -> None:
    assert consistent(facts(eq(n % 3, 2), gt(n, 4))) is True
    assert witness(facts(eq(n % 3, 2), gt(n, 4))) == {N: 5}
    assert witness(Facts.empty()) == {}
    assert consistent(facts(OpaqueProp("f"))) is True
    assert consistent(facts(OpaqueProp("f", (n,)))) is None
    assert consistent(facts(OpaqueProp("f"), Not(OpaqueProp("f")))) is False


def test_excluded_is_false_for_all_sizes() -> None:
    assert excludes(facts(), lt(n, 0))
    assert not excludes(facts(), ge(n, 5))
    assert excludes(facts(le(n, 3)), ge(n, 5))


@pytest.mark.parametrize(
    ("size", "known", "text"),
    [
        (h * (d // h) + 1, facts(eq(d % h, 0)), "d + 1"),
        (n * h * (d // h), facts(eq(d % h, 0)), "n * d"),
        (2 * (b // 2), facts(eq(b % 2, 0)), "b"),
        (min_(n, m), facts(le(n, m)), "n"),
        (max_(n - m, 0), facts(le(m, n)), "n - m"),
        (n % 4, facts(lt(n, 4)), "n"),
        (n // 4, facts(lt(n, 4)), "0"),
        (d % h, facts(eq(d % h, 0)), "0"),
        (n + 1, facts(le(n, m)), "n + 1"),
        (n // 2, facts(eq(n, 6)), "3"),
        (n // 0, facts(eq(m, 0)), "n // 0"),
    ],
)
def test_normal_forms_under_facts(size: Size, known: Facts, text: str) -> None:
    assert str(normalise(size, known)) == text


def test_equal_sizes_have_one_normal_form_under_an_equation() -> None:
    known = facts(eq(n, m))
    assert normalise(n * k, known) == normalise(k * m, known)


@pytest.mark.parametrize(
    ("size", "known", "expected"),
    [
        (n // 2 + 1, facts(le(n, 7)), (1, 4)),
        (n % 4, facts(), (0, 3)),
        (n, facts(), (0, None)),
        (i, facts(), (None, None)),
        (i + n, facts(le(i, 3), ge(i, -2), eq(n, 5)), (3, 8)),
        (Size.of(3), facts(), (3, 3)),
        (n, facts(le(n, 3), ge(n, 5)), (0, -1)),
    ],
)
def test_bounds(size: Size, known: Facts, expected: tuple[int | None, int | None]) -> None:
    assert bounds(known, size) == expected


def test_comparisons_with_0_have_no_common_factor() -> None:
    assert simplified(eq(4 * (n % 2), 0)) == eq(n % 2, 0)
    assert str(simplified(eq(4 * (n % 2), 0))) == "n % 2 == 0"
    assert simplified(le(6 * n, 0)) == le(n, 0)
    assert simplified(le(0, 6 * n - 4 * m)) == le(0, 3 * n - 2 * m)
    assert simplified(eq(2 * n, 2 * m)) == eq(2 * n, 2 * m)
    assert simplified(eq(2 * n - 1, 0)) == eq(2 * n - 1, 0)


def test_what_must_hold_for_a_size_to_be_defined() -> None:
    assert definedness([eq(n // (m // k) + d % 4, 0)]) == (le(1, k), le(1, m // k))
    assert definedness([eq(n // 2, 0)]) == ()


V = SizeVar(30, "v")
v = Size.of(V)


def test_solving_for_a_size() -> None:
    known = Facts.empty()
    assert solve(v, n + 1, V, known) == Solved(n + 1)
    assert solve(v + 1, n + 1, V, known) == Solved(n)
    assert solve(2 * v + 1, 2 * n + 7, V, known) == Solved(n + 3)
    assert solve(2 * v, n, V, known) == Solved(n // 2, (eq(n % 2, 0),))
    assert solve(2 * v, n, V, facts(eq(n % 2, 0))) == Solved(n // 2)
    assert solve(v + 1, n, V, known) == Solved(n - 1, (ge(n - 1, 0),))
    assert solve(h * v, h * d, V, facts(ge(h, 1))) == Solved(d)
    assert solve(h * v, d, V, facts(ge(h, 1), eq(d % h, 0))) == Solved(d // h)
    assert solve(3 - v, Size.of(1), V, known) == Solved(Size.of(2))


def test_what_cannot_be_solved() -> None:
    known = Facts.empty()
    assert isinstance(solve(2 * v, 2 * n + 1, V, known), NoSolution)
    assert solve(v + 1, Size.of(0), V, known) == NoSolution(ge(Size.of(-1), 0))
    assert solve(n + 1, m, V, known) == NotDetermined()
    assert solve(v * v, m, V, known) == NotDetermined()
    assert solve(v // 2, m, V, known) == NotDetermined()


def seconds_per_call(question: Prop, known: tuple[Prop, ...], repeat: int) -> float:
    fresh = [Facts.empty().assume(*known) for _ in range(repeat)]
    start = time.perf_counter()
    for each in fresh:
        decide(each, question)
    return (time.perf_counter() - start) / repeat


def test_questions_are_cheap(capsys: pytest.CaptureFixture[str]) -> None:
    structural = seconds_per_call(eq(n + 1, 1 + n), (), 200)
    linear = seconds_per_call(le(n, k), (le(n, m), le(m, k)), 50)
    with capsys.disabled():
        print(f"\nstructural {structural * 1e6:.1f} us, linear {linear * 1e6:.0f} us")
    assert structural < 0.001
    assert linear < 0.02


def test_many_facts_one_after_the_other() -> None:
    known = Facts.empty()
    for j in range(1500):
        known = known.assume(ge(n, j % 7))
    for j in range(3):
        known = known.assume(ge(m, n + j))
        assert decide(known, ge(m, 6 + j)) == Proved()


def test_hard_questions_end_soon() -> None:
    many = [Size.of(SizeVar(100 + j, f"v{j}")) for j in range(12)]
    known = facts(*(Or((eq(each, 2), eq(each, 4), eq(each, 6))) for each in many))
    total = sum(many[1:], many[0])
    start = time.perf_counter()
    decide(known, le(total, 72))
    decide(Facts.empty(), eq((many[0] * many[1] + many[2]) // (many[3] + 1), min_(*many) + max_(*many[:5])))
    decide(facts(eq(total, many[0] * many[1] + 1)), eq(many[2] % many[3], many[4] // many[5]))
    assert time.perf_counter() - start < 5


def test_the_example_that_is_shown_has_no_sizes_of_0_and_1_if_there_is_such() -> None:
    found = decide(facts(), eq(n, m))
    assert isinstance(found, Refuted) and found.smallest == {N: 0, M: 1} and found.counterexample == {N: 2, M: 3}
    found = decide(facts(), le(1, n))
    assert isinstance(found, Refuted) and found.counterexample == found.smallest == {N: 0}
