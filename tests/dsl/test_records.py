"""Fields and copies of records are the same of Structs and of dataclasses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from sys import modules

import pytest
from msgspec import NODEFAULT, Struct

import typechecker.program.check
from dsl.records import Field, OwnEquality, fields, is_record, replace
from tests.support.cases import some


class Node(Struct, frozen=True):
    name: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Plain:
    name: str
    size: int | None = field(default=None, repr=False)


def test_fields_are_as_they_are_declared() -> None:
    assert fields(Node) == (Field("name", "str"), Field("size", "int | None", None))
    assert fields(Plain("a")) == (Field("name", "str"), Field("size", "int | None", None, repr=False))
    assert fields(Node)[0].default is NODEFAULT


@pytest.mark.parametrize("record", [Node("a", 1), Plain("a", 1)])
def test_a_copy_has_other_values_in_some_fields(record: Node | Plain) -> None:
    changed = replace(record, name="b")
    assert type(changed) is type(record)
    assert (changed.name, changed.size, record.name) == ("b", 1, "a")


def test_what_is_a_record() -> None:
    assert all(map(is_record, (Node, Plain, Node("a"), Plain("a"))))
    assert not any(map(is_record, (int, 1, "a", (1, 2))))


def structs_below(base: type) -> Iterator[type]:
    below: list[type] = base.__subclasses__()
    for each in below:
        yield each
        yield from structs_below(each)


def test_unequal_is_the_opposite_of_equal_in_every_struct() -> None:
    assert typechecker.program.check.__name__ in modules  # which makes the classes
    own = [each for each in structs_below(Struct) if isinstance(vars(each).get("__eq__"), type(structs_below))]
    for each in some(own):
        assert issubclass(each, OwnEquality) or "__ne__" in vars(each), each


class Named(OwnEquality, Struct, frozen=True, eq=False):
    number: int
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and other.number == self.number

    def __hash__(self) -> int:
        return self.number


def test_what_does_not_count_makes_nothing_unequal() -> None:
    assert Named(1, "a") == Named(1, "b")
    assert (Named(1, "a") != Named(1, "b")) is False
    assert Named(1, "a") != Named(2, "a")
