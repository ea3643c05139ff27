"""Values as written on a command line: `steps=200`, `act=Relu`, `axes=(0, 1)`. Read next: `arguments`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import click
import msgspec

from dsl.host.argument_errors import Problem
from dsl.host.results.variants import Enums, with_variants
from dsl.tools.numbers import Unfit
from dsl.types.dtype import BY_NAME
from dsl.types.show import show_type
from dsl.types.type import EnumType, OptionalType, RecordType, StaticType, TupleType, Type

CONSTANTS: Mapping[str, object] = MappingProxyType(
    {"true": True, "false": False, "none": None, "True": True, "False": False, "None": None}
)
PYTHON_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "int": (int,),
        "size": (int,),
        "float": (int, float),
        "complex": (int, float, complex),
        "bool": (bool,),
        "shape": (tuple, list),
        "ints": (int, tuple, list),
        "pairs": (tuple, list),
        "axes": (int, tuple, list, type(None)),
        "none": (type(None),),
    }
)


def pairs(words: Sequence[str], option: str) -> dict[str, str]:
    """`NAME=VALUE` words by name. A word of another form, or a name given twice, is wrong usage."""
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip().isidentifier():
            raise click.UsageError(f"{option} takes NAME=VALUE, not {word!r}")
        if name.strip() in found:
            raise click.UsageError(f"{option} gives {name.strip()!r} twice")
        found[name.strip()] = value.strip()
    return found


def literal(text: str, name: str) -> object:
    """A number, a tuple, a list or a constant. Raises `Unfit` for anything else."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise Unfit(f"`{text}` is not a value that `{name}` can take") from None


def static_value(text: str, kind: Type, name: str, variants: Enums) -> object:
    """The value of a static parameter of type `kind`. Raises `Unfit`."""
    match kind:
        case OptionalType(base=base):
            return None if text.lower() == "none" else static_value(text, base, name, variants)
        case StaticType(kind="str"):
            return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
        case StaticType(kind="dtype") if text in BY_NAME:
            return BY_NAME[text]
        case EnumType():
            return _variant(text, kind, name, variants)
        case StaticType(kind=static) if static in PYTHON_TYPES:
            return _checked(literal(text, name), PYTHON_TYPES[static], text, kind, name)
        case TupleType():
            return _checked(literal(text, name), (tuple, list), text, kind, name)
        case RecordType(fields):
            return _record(text, kind, dict(fields), name, variants)
    raise _unfit(text, kind, name)


def _variant(text: str, kind: EnumType, name: str, known: Enums) -> object:
    try:
        return with_variants(text, kind, known, name)
    except Problem as problem:
        raise Unfit(f"`{text}`: {problem.message}") from None


def _record(text: str, kind: Type, fields: Mapping[str, Type], name: str, variants: Enums) -> object:
    """A record as an object of JSON or a dict of Python, with strings for what is written without quotes alone:
    `{"steps": 20, "act": "Relu"}`."""
    written = _object(text, name)
    if not isinstance(written, dict):
        raise _unfit(text, kind, name)
    if written.keys() != fields.keys():
        raise Unfit(f"`{name}` has the fields {', '.join(fields)}; given are {', '.join(map(str, written)) or 'none'}")
    return {k: static_value(_as_word(v), fields[k], f"{name}.{k}", variants) for k, v in written.items()}


def _object(text: str, name: str) -> object:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return literal(text, name)


def _as_word(value: object) -> str:
    return value if isinstance(value, str) else repr(value)


def _unfit(text: str, kind: Type, name: str) -> Unfit:
    return Unfit(f"`{text}` is not a value of type {show_type(kind)}, which `{name}` has")


def _checked(value: object, allowed: tuple[type, ...], text: str, kind: Type, name: str) -> object:
    truth = isinstance(value, bool) and bool not in allowed
    if truth or not isinstance(value, allowed):
        raise _unfit(text, kind, name)
    return tuple(value) if isinstance(value, list) else value
