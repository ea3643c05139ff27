"""Types of random programs, and patterns of them.

A pattern is a type with variables: a class of dtypes (`float`, `int2`), a size (`a`), a whole shape (`*s`), a type
(`T`, `U2`). The same variable is the same thing wherever it stands in one rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, assert_never

FLOATS = ("f32", "f64", "f16", "bf16")
INTS = ("i32", "i64", "i8", "i16", "u8", "u16", "u32", "u64")
COMPLEX = ("c64", "c128")
CLASSES: Mapping[str, tuple[str, ...]] = {
    "float": FLOATS,
    "int": INTS,
    "complex": COMPLEX,
    "real": FLOATS + INTS,
    "inexact": FLOATS + COMPLEX,
    "number": FLOATS + INTS + COMPLEX,
    "any": (*FLOATS, *INTS, *COMPLEX, "bool"),
}
GENERIC = "Dt"
"""How the name of a dtype starts that a function is generic in: a float."""


@dataclass(frozen=True, slots=True)
class Array:
    """`bound` is that of an index."""

    dtype: str
    shape: tuple[str, ...] = ()
    bound: str = ""

    def __str__(self) -> str:
        return f"{self.dtype}{_list(self.bound)}{_list(', '.join(self.shape))}"


@dataclass(frozen=True, slots=True)
class Arrow:
    param: Type
    result: Type

    def __str__(self) -> str:
        return f"({self.param}) -> {self.result}"


@dataclass(frozen=True, slots=True)
class Variable:
    """Any array."""

    name: str


Type: TypeAlias = Array | Arrow
Pattern: TypeAlias = "Array | Variable | Function"


@dataclass(frozen=True, slots=True)
class Function:
    """The pattern of an arrow."""

    param: Pattern
    result: Pattern


Bound: TypeAlias = "Type | str | tuple[str, ...]"
Bindings: TypeAlias = Mapping[str, Bound]


def _list(items: str) -> str:
    return f"[{items}]" if items else ""


@cache
def pattern(text: str) -> Pattern:
    """`float[a, *s]`, `idx[a][*s]`, `T`, `T -> U`."""
    param, arrow, result = text.partition(" -> ")
    if arrow:
        return Function(pattern(param), pattern(result))
    if re.fullmatch(r"[A-Z]\d*", text):
        return Variable(text)
    name, *lists = [part.rstrip("]") for part in text.split("[")]
    bound = lists.pop(0) if name == "idx" else ""
    return Array(name, tuple(lists[0].split(", ")) if lists and lists[0] else (), bound)


def class_of(dtype: str) -> tuple[str, ...] | None:
    """The dtypes that a variable stands for; None of a dtype."""
    return CLASSES.get(dtype.rstrip("0123456789")) if dtype not in CLASSES["any"] else None


def match(wanted: Pattern, type_: Type, known: Bindings) -> Bindings | None:
    """What the variables of a pattern stand for, where it has this type; None where it cannot."""
    match wanted, type_:
        case Function(), Arrow():
            found = match(wanted.param, type_.param, known)
            return None if found is None else match(wanted.result, type_.result, found)
        case Variable(name), Array():
            return _bind(name, type_, known) if type_.dtype in CLASSES["any"] else None
        case Array(), Array():
            found = _dtype(wanted.dtype, type_.dtype, known)
            if found is None or bool(wanted.bound) != bool(type_.bound):
                return None
            sides = (wanted.shape, type_.shape)
            if wanted.bound:
                sides = ((wanted.bound, *wanted.shape), (type_.bound, *type_.shape))
            return _shape(*sides, found)
        case _:
            return None


def _bind(name: str, value: Bound, known: Bindings) -> Bindings | None:
    return known if known.get(name) == value else None if name in known else {**known, name: value}


def _dtype(wanted: str, dtype: str, known: Bindings) -> Bindings | None:
    members = class_of(wanted)
    if members is None:
        return known if known.get(wanted, wanted) == dtype else None
    generic = dtype.startswith(GENERIC) and "f32" in members
    return _bind(wanted, dtype, known) if dtype in members or generic else None


def _shape(wanted: tuple[str, ...], shape: tuple[str, ...], known: Bindings) -> Bindings | None:
    if not wanted:
        return known if not shape else None
    first, *rest = wanted
    if first.startswith("*"):
        count = len(shape) - len(rest)
        found = _bind(first, shape[:count], known) if count >= 0 else None
        return None if found is None else _shape(tuple(rest), shape[count:], found)
    if not shape or shape[0].startswith("*"):
        return None
    found = (known if first == shape[0] else None) if first.isdigit() else _bind(first, shape[0], known)
    return None if found is None else _shape(tuple(rest), shape[1:], found)


def filled(wanted: Pattern, known: Bindings) -> Type:
    """The type of a pattern all of whose variables are known."""
    match wanted:
        case Function():
            return Arrow(filled(wanted.param, known), filled(wanted.result, known))
        case Variable(name):
            found = known[name]
            assert isinstance(found, Array)
            return found
        case Array():
            shape = [size for item in wanted.shape for size in _sizes(item, known)]
            return Array(
                str(known.get(wanted.dtype, wanted.dtype)), tuple(shape), str(known.get(wanted.bound, wanted.bound))
            )
        case _:
            assert_never(wanted)


def _sizes(item: str, known: Bindings) -> tuple[str, ...]:
    found = known.get(item, item)
    return found if isinstance(found, tuple) else (str(found),)


def variables(wanted: Pattern) -> tuple[str, ...]:
    """The names of all variables, in order."""
    match wanted:
        case Function():
            return (*variables(wanted.param), *variables(wanted.result))
        case Variable(name):
            return (name,)
        case Array():
            dtype = (wanted.dtype,) if class_of(wanted.dtype) else ()
            sizes = [item for item in (wanted.bound, *wanted.shape) if item and not item.isdigit()]
            return (*dtype, *sizes)
        case _:
            assert_never(wanted)
