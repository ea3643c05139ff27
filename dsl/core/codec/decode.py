"""Checked programs read from text: a table of values, each after those it is made of.

A row of the table is an atom, or a list: the number of a *maker*, then the rows of what it takes. Makers are the
classes of Core, types and diagnostics, by module and name, and a few containers. Functions, dtypes and members of enums
stand as their names. A place names the text it is in, and who reads has the texts.

Nothing is run here but the makers, and no module is loaded of which the text has nothing. Who reads a text must know
that it was written by `dsl.core.codec.encode` of the same code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from types import FunctionType, MappingProxyType
from typing import Any, TypeAlias

from dsl.diagnostics.source import Source

Maker: TypeAlias = Callable[..., Any]

ROOTS = (
    *("dsl.core.", "dsl.types.", "dsl.diagnostics."),
    *("dsl.ir.function", "dsl.staging.values", "lowering.lowered"),
)
"""The packages, and modules, whose classes a text may name."""

MALFORMED = (ValueError, LookupError, TypeError, AttributeError, ImportError, RecursionError)
"""What reading a text that `encode` has not written may raise."""

PURE = ("dsl.core.", "dsl.types.")
"""Those whose functions it may name: they compute sizes, shapes and static values."""


def decode(
    text: str,
    source: Callable[[str], Source],
    roots: tuple[str, ...] = ROOTS,
    makers: Mapping[str, Maker] = MappingProxyType({}),
) -> Any:
    """The value that `encode` has written; `source` gives the text of each name, and `makers` replace classes."""
    names, rows = json.loads(text)
    whole: list[Any] = []
    known: dict[str, Maker] = {**CONTAINERS, "named": partial(resolve_name, roots=roots), **makers, "source": source}
    made = [known.get(name) or _class(name, roots, whole) for name in names]
    values: list[Any] = []
    for row in rows:
        if type(row) is list:
            row = made[row[0]](*[values[k] for k in row[1:]])
        values.append(row)
    whole.append(values[-1])
    return whole[0]


def _class(name: str, roots: tuple[str, ...], whole: Sequence[Any]) -> Maker:
    """A class, or what one with a `reader` has make its values in the whole that is being read."""
    found = resolve_name(name, roots)
    if not isinstance(found, type):
        raise LookupError(name)
    made: Maker = found.reader(whole) if hasattr(found, "reader") else found
    return made


def _tuple(*parts: Any) -> tuple[Any, ...]:
    return parts


def _list(*parts: Any) -> list[Any]:
    return list(parts)


def _frozenset(*parts: Any) -> frozenset[Any]:
    return frozenset(parts)


def _mapping(*parts: Any) -> MappingProxyType[Any, Any]:
    return MappingProxyType(dict(zip(parts[::2], parts[1::2], strict=True)))


@cache
def resolve_name(name: str, roots: tuple[str, ...] = ROOTS) -> Any:
    """Resolve `module:path` to a class, a function, a dtype or an enum member, in modules that hold data.

    Raises LookupError for everything else: whatever stands in a text, reading it makes nodes and does nothing more."""
    module, _, path = name.partition(":")
    if not module.startswith(roots):
        raise LookupError(name)
    found: Any = import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    if found.__module__ != module or (isinstance(found, FunctionType) and not module.startswith(PURE)):
        raise LookupError(name)
    return found


CONTAINERS: Mapping[str, Maker] = MappingProxyType(
    {
        "tuple": _tuple,
        "list": _list,
        "frozenset": _frozenset,
        "mapping": _mapping,
        "complex": complex,
        "partial": partial,
    }
)
