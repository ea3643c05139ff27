"""The evaluator of static Core against Python functions that mean the same, and where it has no value to give."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsl.core.statics.evaluate import Evaluator, NoValue, Value, Variant
from dsl.diagnostics.source import Source
from dsl.types.dtype import F32, F64
from dsl.types.limits import Exceeded, Growth
from typechecker import check_source

TEXT = """
enum Rounding = Down | By(k: int)
let offset = 3
static def interleaved(s: ints, t: ints) -> ints =
    if len(s) == 0 then [] else [s[0], t[0], *interleaved(s[1:], t[1:])]
static def scaled(s: shape, axis: int, k: int) -> shape = [if i == axis then k * d else d for (i, d) in enumerate(s)]
static def grown(s: shape, width: pairs) -> shape = [low + d + high for (d, (low, high)) in zip(s, width)]
static def statistics(s: ints) -> (int, int, int, bool) =
    (sum(s) + offset, prod(s), max([*s, 0]), all([d >= 1 for d in s]) and any([d == 2 for d in s]))
static def rounded(n: int, how: Rounding) -> int =
    match how with
        Down -> n
        By(k) -> if k < 0 then n else (n + k - 1) // k * k
static def smallest(d: dtype) -> float = if d == f64 then 2.0 ** -53 else 2.0 ** -24
static def without(s: shape, axis: int) -> shape = removed(s, axis)
static def from_front(axes: ints, rank: int) -> ints = [if i < 0 then i + rank else i for i in axes]
static def doubled(width: pairs) -> pairs = [(2 * low, 2 * high) for (low, high) in width]
static def three() -> pairs = doubled(3)
static def second(s: shape) -> int where len(s) >= 2 = s[1]
static def greeting(mode: str, k: int? = none) -> int = if k == none then (if mode == "one" then 1 else 2) else 3
static def turned(r: {b: int, a: float}) -> {a: float, b: int} = {b = r.b + 1, a = r.b}
static def forever(n: int) -> int = if n == 1 then 0 else forever(n + 1)
"""
FUNCTIONS = check_source(Source("main.dsl", TEXT)).program


def unbounded(name: str) -> AbstractContextManager[None]:
    return nullcontext()


def evaluate(name: str, *args: Value, within: Callable[[str], AbstractContextManager[None]] = unbounded) -> Value:
    assert FUNCTIONS is not None
    modules = FUNCTIONS.modules
    found = Evaluator(
        lambda module, name: modules[module].functions.get(name),
        lambda module, name: modules[module].constants.get(name),
        {},
        within,
    )
    return found.call(modules["main"].functions[name], args)


SIZES = st.lists(st.integers(0, 5), max_size=4).map(tuple)


@given(SIZES, st.integers(-4, 4), st.integers(0, 3))
@settings(max_examples=50, deadline=None)
def test_lists_are_computed_item_by_item(s: tuple[int, ...], axis: int, k: int) -> None:
    assert evaluate("interleaved", s, s[::-1]) == tuple(x for pair in zip(s, s[::-1], strict=True) for x in pair)
    assert evaluate("scaled", s, axis, k) == tuple(k * d if i == axis else d for i, d in enumerate(s))
    assert evaluate("grown", s, tuple((d, k) for d in s)) == tuple(2 * d + k for d in s)
    found = evaluate("statistics", s)
    assert found == (sum(s) + 3, prod(s), max((*s, 0)), all(d >= 1 for d in s) and 2 in s)


@pytest.mark.parametrize(
    ("name", "args", "value"),
    [
        ("rounded", (7, Variant("Down")), 7),
        ("rounded", (7, Variant("By", (4,))), 8),
        ("smallest", (F64,), 2.0**-53),
        ("smallest", (F32,), 2.0**-24),
        ("without", ((2, 3, 4), -2), (2, 4)),
        ("from_front", ((-1, 0), 3), (2, 0)),
        ("three", (), ((6, 6),)),
        ("second", ((2, 3),), 3),
        ("greeting", ("one", None), 1),
        ("greeting", ("two", None), 2),
        ("greeting", ("two", 7), 3),
        ("turned", ((0.5, 2),), (2.0, 3)),
    ],
)
def test_values_of_all_kinds(name: str, args: tuple[Value, ...], value: Value) -> None:
    assert evaluate(name, *args) == value


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("second", ((2,),)),  # its condition does not hold
        ("rounded", (7, Variant("By", (0,)))),  # a division by zero
        ("without", ((2, 3), 2)),  # no such axis
        ("scaled", ((2, -3), 0, 1)),  # a negative size
        ("grown", ((2, 3), ((1, 1),))),  # lists of unlike lengths
    ],
)
def test_what_has_no_value(name: str, args: tuple[Value, ...]) -> None:
    with pytest.raises(NoValue):
        evaluate(name, *args)


def test_calls_are_counted() -> None:
    calls: list[str] = []

    @contextmanager
    def within(name: str) -> Iterator[None]:
        calls.append(name)
        if len(calls) > 20:
            raise Exceeded(Growth.DEPTH, calls)
        yield

    with pytest.raises(Exceeded):
        evaluate("forever", 2, within=within)
    assert calls == ["forever"] * 21
