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
