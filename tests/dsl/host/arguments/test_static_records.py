"""Static records may be what records of arrays may be; keys by their seeds."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dsl

PROGRAM = """
import random
type Size = {a: int, b: float}
enum Case = Given(of: Size) | Other
def scaled(x: f32, static s: Size) -> f32 = x * s.a
def deep(x: f32, static c: {size: Size, case: Case}) -> f32 =
    match c.case with
        Given(s) -> x * s.a * c.size.a
        Other -> x
def optional(x: f32, static s: Size? = none) -> f32 = if s == none then x else x + 1.0
def drawn(k: key[n]) -> f32[n] = [random.normal(u) for u in k]
def first(p: {k: key[2], x: f32}) -> f32 = p.x * random.normal(p.k[0])
def grid(k: key[n, m]) -> f32[n, m] = [random.normal(k[i, j]) for i in range(n), j in range(m)]
"""
Named = namedtuple("Named", "a b")
Turned = namedtuple("Turned", "b a")


@dataclass
class Open:
    a: int
    b: float


@dataclass(eq=False)
class Hashable:
    a: int
    b: float


@pytest.fixture(scope="module")
def m() -> Any:
    return dsl.program(PROGRAM)


RECORDS = [{"a": 3, "b": 1.0}, Named(3, 1.0), Turned(1.0, 3), Open(3, 1.0), SimpleNamespace(a=3, b=1.0)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_static_record_is_what_has_its_fields(m: Any, record: Any) -> None:
    assert m.scaled(2.0, s=record) == 6
    assert m.optional(2.0, s=record) == 3
    assert m.deep(2.0, c=SimpleNamespace(size=record, case=m.Given(record))) == 18
    assert m.deep(2.0, c={"size": record, "case": "Other"}) == 2
    assert dsl.vmap(m.scaled)([1.0, 2.0], s=record).tolist() == [3, 6]


@pytest.mark.parametrize("made", [Open, Hashable, lambda a, b: SimpleNamespace(a=a, b=b)])
def test_each_call_takes_what_the_record_holds_then(m: Any, made: Any) -> None:
    record = made(3, 1.0)
    for a in (3, 5, 3, 4):
        record.a = a
        assert m.scaled(2.0, s=record) == 2 * a
        assert m.optional(2.0, s=(record)) == 3


def test_names_tell_what_a_tuple_holds(m: Any) -> None:
    assert m.scaled(2.0, s=Named(3, 5)) == 6
    assert m.scaled(2.0, s=Turned(3, 5)) == 10


@pytest.mark.parametrize(
    "record", [(3, 1.0), Open, object(), None, SimpleNamespace(a=3), SimpleNamespace(a=3, b=1.0, c=0), Named("x", 1.0)]
)
def test_other_fields_are_refused(m: Any, record: Any) -> None:
    with pytest.raises(dsl.ArgumentError) as info:
        m.scaled(2.0, s=record)
    assert info.value.code == "E0909"


@dataclass
class Unset:
    a: int = field(init=False)
    b: float = 1.0


def test_a_field_that_is_not_set_is_missing(m: Any) -> None:
    with pytest.raises(dsl.ArgumentError, match="not a static Size"):
        m.scaled(2.0, s=Unset())
    with pytest.raises(dsl.ArgumentError, match="no field `a`"):
        dsl.program("def f(p: {a: f32, b: f32}) -> f32 = p.a").f(Unset())


def test_a_record_in_a_variant_is_shown_as_it_is_written(m: Any) -> None:
    assert repr(m.Given(Named(3, 1.0))) == "Given({'a': 3, 'b': 1.0})"


@pytest.mark.parametrize("text", ["C(1, 'f32')", "\0", "\ud800", "", "f33", "O"])
def test_text_that_names_no_dtype(text: str) -> None:
    cast = dsl.program("def f(x: f32, static d: dtype) -> d = cast(x, d)").f
    with pytest.raises(dsl.ArgumentError) as info:
        cast(1.0, d=text)
    assert info.value.code == "E0909"


KEYS = [dsl.key(1), dsl.key(2)]


@pytest.mark.parametrize("seeds", [[1, 2], (1, 2), range(1, 3), np.array([1, 2]), [np.int64(1), 2]])
def test_seeds_stand_for_as_many_keys(m: Any, seeds: Any) -> None:
    for _ in range(2):
        assert m.drawn(seeds).tolist() == m.drawn(KEYS).tolist()
        assert m.first({"k": seeds, "x": 1.0}) == m.drawn(KEYS)[0]


def test_seeds_in_rows(m: Any) -> None:
    assert m.grid([[1, 2], [3, 4]]).tolist() == [m.drawn([1, 2]).tolist(), m.drawn([3, 4]).tolist()]
    assert m.drawn([]).shape == (0,)
    assert m.drawn([2**63, -1]).shape == (2,)


@pytest.mark.parametrize(
    "given", [[1.5], [None], [True], [dsl.key(1), 2], 3, np.zeros(0), dsl.key(1), np.asarray(dsl.key(1)), [2**70]]
)
def test_what_is_no_array_of_keys_is_refused(m: Any, given: Any) -> None:
    with pytest.raises(dsl.ArgumentError):
        m.drawn(given)
