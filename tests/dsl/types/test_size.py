"""Normal forms of sizes, case by case, and their text."""

from __future__ import annotations

import pytest

from dsl.types.size import Opaque, Size, SizeVar, max_, min_, opaque

N, M, K, H, D, S = (SizeVar(i, name) for i, name in enumerate("nmkhds"))
n, m, k, h, d, s = map(Size.of, (N, M, K, H, D, S))
offset = Size.of(SizeVar(9, "offset", natural=False))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1 + n, n + 1),
        (1 + n - 1, n),
        ((n + m) + k, n + (m + k)),
        (2 * (n + m), 2 * m + 2 * n),
        ((n + m) * (n - m), n * n - m * m),
        ((n + k * s) // s, n // s + k),
        ((3 * n) // 3, n),
        ((2 * n + 1) // 2, n),
        (n // 2 // 3, n // 6),
        (n // h // k, n // (h * k)),
        ((h * d) // h, d),
        ((h * d) // (h * k), d // k),
        (n % 1, Size.of(0)),
        ((4 * n + 3) % 2, Size.of(1)),
        ((n + 2 * m) % 2, n % 2),
        ((n % 4) % 2, n % 2),
        ((n % k + m) % k, (n + m) % k),
        ((n % k) // k, Size.of(0)),
        ((6 * n) % 4, 2 * (n % 2)),
        (min_(n, n + 1), n),
        (max_(n, n + 1), n + 1),
        (max_(n, 0), n),
        (min_(n, 0), Size.of(0)),
        (min_(n + k, m + k), min_(n, m) + k),
        (min_(min_(n, m), k), min_(n, min_(m, k))),
        (min_(m, n), min_(n, m)),
        (n - max_(m, k), min_(n - m, n - k)),
        (2 * max_(n, m), max_(2 * n, 2 * m)),
        ((n - 1) // 2, (n + 1) // 2 - 1),
        (((n - 3) // 2 + 1 - 3) // 2 + 1, (n - 7) // 4 + 1),
        (n // -2, (-n) // 2),
        (Size.of(7) // 2, Size.of(3)),
        (Size.of(-7) % 4, Size.of(1)),
        (7 - n, -(n - 7)),
        (n**2, n * n),
    ],
)
def test_one_normal_form(left: Size, right: Size) -> None:
    assert left == right
    assert hash(left) == hash(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (n, m),
        (n // 2, n),
        (2 * (n // 2), n),
        (h * (d // h), d),
        (max_(offset, 0), offset),
        (min_(n, m), n),
        ((n + 1) % 2, n % 2),
    ],
)
def test_different_sizes_have_different_normal_forms(left: Size, right: Size) -> None:
    assert left != right


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1 + n, "n + 1"),
        (2 * n + 1, "2 * n + 1"),
        (n - k + 1, "n - k + 1"),
        (1 - n, "1 - n"),
        (-n, "-n"),
        (-n - 2, "-n - 2"),
        (n // 2, "n // 2"),
        (h * (d // h), "h * (d // h)"),
        ((n - k) // s + 1, "(n - k) // s + 1"),
        (2 * (n % 4), "2 * (n % 4)"),
        (2 * n // 3, "2 * n // 3"),
        (n // (h * k), "n // (k * h)"),
        (min_(n, m) + 1, "min(n, m) + 1"),
        (n * n, "n * n"),
        (Size.of(0), "0"),
        (Size.of(-3), "-3"),
        (n // (m // k), "n // (m // k)"),
        ((n - k) // 2 + 1, "(n - k) // 2 + 1"),
        ((n - 3) // 2 + 1, "(n - 1) // 2"),
        ((n - 1) // 4, "(n - 1) // 4"),
        ((n + 1) // 2, "(n + 1) // 2"),
        ((n - 1) // 2 + 1, "(n + 1) // 2"),
        (((n - 2) // 2 + 1) * 4, "4 * (n // 2)"),
    ],
)
def test_text_is_what_a_person_would_write(size: Size, text: str) -> None:
    assert str(size) == text


def test_a_variable_is_its_number() -> None:
    assert SizeVar(1, "a") == SizeVar(1, "b", natural=False)
    assert SizeVar(1, "a") != SizeVar(2, "a")


def test_variables_are_found_inside_atoms() -> None:
    assert (min_(n, m // k) + 1).vars() == {N, M, K}
    assert Size.of(3).vars() == frozenset()


def test_linear_in_a_variable() -> None:
    assert (2 * n * m + k).linear_in(N) == (2 * m, k)
    assert (n * n).linear_in(N) is None
    assert (n + n // 2).linear_in(N) is None
    assert m.linear_in(N) == (Size.of(0), m)


def test_evaluation_follows_python() -> None:
    assert ((n - m) // 2).evaluate({N: 0, M: 3}) == -2
    assert ((n - m) % 4).evaluate({N: 0, M: 3}) == 1
    with pytest.raises(ZeroDivisionError):
        (n // m).evaluate({N: 1, M: 0})


def test_calls_are_equal_to_themselves_and_computed_on_literals() -> None:
    def double_up(value: int) -> int:
        return int(2**value)

    power = opaque("power", (n,), True, double_up)
    assert power == opaque("power", (1 + n - 1,), True, double_up)
    assert power != opaque("power", (m,), True, double_up)
    assert power.substitute({N: Size.of(5)}) == Size.of(32)
    assert power.evaluate({N: 3}) == 8
    assert str(power + 1) == "power(n) + 1"
    assert power.is_nonnegative()


def test_a_call_that_nothing_computes_has_no_value() -> None:
    with pytest.raises(LookupError):
        Size.of(Opaque("f", (n,))).evaluate({N: 1})


def test_a_call_that_fails_stays_a_call() -> None:
    def inverse(value: int) -> int:
        return 1 // value

    assert str(opaque("inverse", (Size.of(0),), True, inverse)) == "inverse(0)"
