"""Fields and copies of records are the same of Structs and of dataclasses."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from msgspec import NODEFAULT, Struct

from dsl.records import Field, fields, is_record, replace


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
