"""What a check found, as plain data that is equal for equal results: every field counts, the numbers of variables and
those that `==` leaves out too, and a place is a range of a named text, which its module has."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from dsl.core import core
from dsl.diagnostics.source import Source, Span
from dsl.records import fields, is_record, replace
from dsl.types.dtype import DType
from dsl.types.effect import Row
from typechecker import CheckResult

Plain: TypeAlias = "str | tuple[Plain, ...]"


def plain(value: object) -> Plain:
    """A value and all in it."""
    match value:
        case Span(source, start, end):
            return ("span", source.name, str(start), str(end))
        case Source():
            return ("source", value.name, value.text, str(value.line_offset), str(value.column_offset))
        case DType(name):
            return name
        case Enum():
            return value.name
        case Row(effects):
            return ("Row", *sorted((plain(e) for e in effects), key=str))
        case tuple() | list():
            return tuple(map(plain, value))
        case Mapping():
            return tuple(sorted(((plain(k), plain(v)) for k, v in value.items()), key=str))
        case _ if is_record(value) and not isinstance(value, type):
            return (type(value).__name__, *(plain(getattr(value, f.name)) for f in fields(value)))
        case _ if callable(value):
            return "function"
        case _:
            return repr(value)


def plain_program(program: core.Program | None) -> Mapping[tuple[str, str], Plain]:
    """All that a checked program declares, by module and name."""
    out: dict[tuple[str, str], Plain] = {}
    for module in program.modules.values() if program is not None else ():
        out[module.name, ""] = plain((module.source, module.doc))
        for table in (module.functions, module.constants, module.enums):
            for name, declared in table.items():
                out[module.name, name] = plain(declared)
    return out


def with_program(result: CheckResult, program: core.Program | None) -> CheckResult:
    """A result with another program."""
    return replace(result, assemble=None if program is None else lambda: program)


def differences(found: CheckResult, expected: CheckResult) -> list[str]:
    """Where two results differ. What is found may have more of the library than is expected, but no other library."""
    have, need = plain_program(found.program), plain_program(expected.program)
    library = (
        set()
        if found.program is None
        else {module.name for module in found.program.modules.values() if module.source.name.startswith("<stdlib>")}
    )
    out = [f"{module}.{name}" for (module, name), known in need.items() if have.get((module, name)) != known]
    out += [f"{module}.{name}" for module, name in have.keys() - need.keys() if module not in library]
    if plain(found.diagnostics) != plain(expected.diagnostics):
        out.append("diagnostics")
    return out
