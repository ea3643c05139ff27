"""Static values chosen by conditions, given as arguments, and compared with what is written: checked, then run."""

from __future__ import annotations

import numpy as np
import pytest

import dsl

PROGRAM = dsl.program("""
enum Layout = Padded(width: int) | Plain
enum Pick = First | Sixth | Total
static def layout(n: int) -> Layout = if n > 2 then Padded(n + 3) else Plain
static def width(n: int, l: Layout) -> int = match l with
    Padded(w) -> w
    Plain -> n
static def fits(n: int, l: Layout) -> bool = width(n, l) >= n
static def steps(k: int, twice: bool, l: Layout) -> int =
    if k == 0 then 0 else (if twice then 2 else width(1, l)) + steps(k - 1, twice, l)

def laid(x: f32[n], static l: Layout) -> f32[width(n, l)] where fits(n, l) = match l with
    Padded(w) -> concatenate((x, zeros([w - n])))
    Plain -> x
def by_size(x: f32[n]) -> f32[if n > 2 then n + 3 else n] = laid(x, layout(n))
def by_flag(x: f32[n], static wide: bool) -> f32 = sum(laid(x, if wide then Padded(5) else Plain))
def flag_by_size(x: f32[n]) -> f32 = by_flag(x, n <= 5)

def picked(x: f32[n], static p: Pick) -> f32 = match p with
    First -> x[0]
    Sixth -> x[5]
    Total -> sum(x)
def nested(x: f32[n]) -> f32 = picked(x, if n > 5 then Sixth else if n > 0 then First else Total)
def stuck(x: f32[n], static twice: bool, static l: Layout) -> f32[steps(n, twice, l)]
    where steps(n, twice, l) >= 0 = zeros([steps(n, twice, l)])
def recursive(x: f32[n]) -> f32 = f32(len(stuck(x, n > 3, if n > 1 then Padded(7) else Plain)))

static def nth(k: int) -> Layout = if k <= 0 then Plain else if k == 1 then Padded(7) else nth(k - 2)
static def called(k: int) -> str = if k <= 0 then "even" else if k == 1 then "odd" else called(k - 2)
static def powers(k: int) -> float = if k == 0 then 1.0 else 2.0 * powers(k - 1)
static def odd(k: int) -> int? = if k <= 0 then none else if k == 1 then 3 else odd(k - 2)
def by_number_of(x: f32[n], static k: int) -> f32[width(n, nth(k))] where fits(n, nth(k)) = laid(x, nth(k))
def seven(x: f32[n]) -> f32[7] where n <= 7 = by_number_of(x, 5)
def named(x: f32[n], static s: str, static a: float, static j: int?) -> f32
    where (s != "odd" or n >= 3) and a >= 4.0 and (j == none or n >= 2) = a * sum(x)
def by_numbers(x: f32[n], static k: int) -> f32 = named(x, called(k), powers(k), odd(k))
def in_type(x: f32[5]) -> f32[width(5, Plain)] = x

static def has_room(n: int, k: int?) -> bool = if k == none then true else n >= k
def at_least(x: f32[n], static k: int?) -> f32 where has_room(n, k) = sum(x)
def optional(x: f32[n]) -> f32 = at_least(x, if n >= 2 then 2 else none)

static def by_number(n: int, a: float) -> int = match a with
    1 -> n
    0.0 -> 0
    _ -> 2 * n
def number(x: f32[n], static a: float) -> f32[by_number(n, a)] = match a with
    1 -> x
    0.0 -> x[:0]
    _ -> concatenate((x, x))
def given_number(x: f32[n]) -> (f32[n], f32[0]) = (number(x, 1.0), number(x, -0.0))
def text(x: f32[n], static s: str) -> f32 where s == "a" or n >= 3 = sum(x)
""")


def ones(n: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.ones(n, "f4")


def test_shapes_of_a_chosen_argument() -> None:
    assert [PROGRAM.by_size(ones(n)).shape for n in (0, 2, 3, 5)] == [(0,), (2,), (6,), (8,)]
    assert [float(PROGRAM.flag_by_size(ones(n))) for n in (0, 5, 7)] == [0, 5, 7]


def test_conditions_of_a_chosen_argument_are_those_of_its_way() -> None:
    assert float(PROGRAM.by_flag(ones(7), wide=False)) == 7
    with pytest.raises(dsl.ArgumentError):
        PROGRAM.by_flag(ones(7), wide=True)


def test_choices_within_choices() -> None:
    assert [float(PROGRAM.nested(np.arange(n, dtype="f4"))) for n in (0, 1, 6)] == [0, 0, 5]


def test_recursive_functions_of_choices() -> None:
    assert [float(PROGRAM.recursive(ones(n))) for n in (0, 1, 2, 4)] == [0, 1, 14, 8]


def test_an_optional_value_is_chosen() -> None:
    assert [float(PROGRAM.optional(ones(n))) for n in (0, 2, 3)] == [0, 2, 3]


@pytest.mark.parametrize(("value", "size"), [(1.0, 2), (1, 2), (0.0, 0), (-0.0, 0), (2.0, 4)])
def test_numbers_match_as_numbers(value: float, size: int) -> None:
    assert PROGRAM.number(ones(2), a=value).shape == (size,)
    assert [x.shape for x in PROGRAM.given_number(ones(2))] == [(2,), (0,)]


def test_texts_are_compared_as_a_whole() -> None:
    assert float(PROGRAM.text(ones(2), s="a")) == 2
    with pytest.raises(dsl.ArgumentError):
        PROGRAM.text(ones(2), s='a"(b')


def test_recursive_functions_that_give_no_size_are_computed_where_they_are_known() -> None:
    assert [PROGRAM.by_number_of(ones(2), k=k).shape for k in (0, 1, 4, 5)] == [(2,), (7,), (2,), (7,)]
    assert PROGRAM.seven(ones(3)).shape == (7,)
    assert float(PROGRAM.by_numbers(ones(1), k=2)) == 4
    assert float(PROGRAM.by_numbers(ones(3), k=3)) == 24
    for size, k in ((2, 3), (3, 1), (3, -1)):
        with pytest.raises(dsl.ArgumentError):
            PROGRAM.by_numbers(ones(size), k=k)


DTYPES = dsl.program("""
enum Precision = Full | At(d: dtype)
static def picked(k: int) -> dtype = if k <= 0 then f16 else if k == 1 then f64 else picked(k - 2)
static def pair(k: int) -> (int, dtype) = if k <= 0 then (0, f16) else (pair(k - 1).0 + 2, pair(k - 1).1)
def optional(x: f32[n], static d: dtype?) where d != none = cast(x, d)
def field(x: f32[n], static p: Precision) where p != Full = match p with
    At(d) -> d(x)
def choice(x: f32[n], static wide: bool) = cast(x, if wide then f64 else x.dtype)
def recursive(x: f32[n], static k: int) = where(x > 0.0, zeros([n], picked(k)), cast(x, picked(k)))
def part(x: f32[n], static k: int) = zeros([n, pair(k).0 // 2], pair(k).1)
def called(x: f32[4]) -> (f16[4], i8[4], f64[4], f64[4], f16[4, 2]) =
    (optional(x, f16), field(x, At(i8)), choice(x, true), recursive(x, 3), part(x, 2))
""")


def test_dtypes_that_are_chosen() -> None:
    x = np.ones(4, "f4")
    expected = ["f2", "i1", "f8", "f8", "f2"]
    m = DTYPES
    found = [
        m.optional(x, d="f16"),
        m.field(x, p=m.At("i8")),
        m.choice(x, wide=True),
        m.recursive(x, k=3),
        m.part(x, k=2),
    ]
    assert [np.asarray(a).dtype for a in found] == [np.asarray(a).dtype for a in m.called(x)] == expected
    assert np.asarray(m.choice(x, wide=False)).dtype == "f4"
    with pytest.raises(dsl.ArgumentError, match="d != none"):
        m.optional(x, d=None)
