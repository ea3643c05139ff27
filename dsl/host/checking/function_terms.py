"""Functions of a program as Core terms: what the checker is asked about, and what a pickle holds.

A definition is named, and looked up again. Read next: `checked_program`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.staging.values import (
    DefValue,
    RecordValue,
    Transformed,
    TupleValue,
    Value,
    VariantValue,
    definition_of,
)
from dsl.types.dtype import DType
from dsl.types.type import DTYPE, ERROR, FunctionType, RecordType, TupleType

_FUNCTION = FunctionType((), ERROR)
"""The type of a function that is known by what it is."""


class Unnamed(Exception):
    """A function that has no name in its program."""


def term_of(function: Value) -> core.Expr:
    """The function, under its transformations, as one would write it in the program. Raises `Unnamed`."""
    named = definition_of(function)
    if named is None:
        raise Unnamed
    return _term(function, named.definition.span)


def argument_term(value: Value, span: Span) -> core.Expr:
    """An argument with its static values and functions; a local in place of its data, and of functions of Python."""
    match value:
        case TupleValue(parts):
            return _tuple([argument_term(part, span) for part in parts], span)
        case RecordValue(fields):
            return _record([(name, argument_term(part, span)) for name, part in fields], span)
        case VariantValue(enum, variant, parts):
            return core.EnumValue(span, enum, enum, variant, tuple([argument_term(part, span) for part in parts]))
        case tuple():
            return _tuple([core.constant(part, span) for part in value], span)
        case DType():
            return core.Const(span, DTYPE, value)
        case None | bool() | int() | float() | complex() | str():
            return core.constant(value, span)
        case _ if definition_of(value) is not None:
            return _term(value, span)
        case _:
            return core.Local(span, ERROR, 0, "")


def _term(value: Value, span: Span) -> core.Expr:
    match value:
        case DefValue(definition):
            return core.Global(span, _FUNCTION, definition.module, definition.name)
        case Transformed(kind, function, options):
            return core.Transform(span, _FUNCTION, kind, _term(function, span), _fields(options, span))
        case TupleValue(parts):
            return _tuple([_term(part, span) for part in parts], span)
        case RecordValue(fields):
            return _record(_fields(fields, span), span)
        case None | bool() | int() | float() | str():
            return core.constant(value, span)
        case _:
            raise Unnamed


def _tuple(items: Sequence[core.Expr], span: Span) -> core.Expr:
    return core.Tuple(span, TupleType(tuple([item.type for item in items])), tuple(items))


def _record(fields: Sequence[tuple[str, core.Expr]], span: Span) -> core.Expr:
    return core.Record(span, RecordType(tuple([(name, term.type) for name, term in fields])), tuple(fields))


def _fields(fields: tuple[tuple[str, Value], ...], span: Span) -> tuple[tuple[str, core.Expr], ...]:
    return tuple([(name, _term(value, span)) for name, value in fields])


def value_of(term: core.Expr, program: core.Program) -> Value:
    """Return the value of a term in a program. Raises KeyError if the program has no such definition."""
    match term:
        case core.Global(module=module, name=name):
            return DefValue(program.modules[module].functions[name])
        case core.Transform(kind=kind, function=function, options=options):
            inner = value_of(function, program)
            assert isinstance(inner, DefValue | Transformed)
            return Transformed(kind, inner, tuple([(name, value_of(option, program)) for name, option in options]))
        case core.Tuple(items=items):
            return TupleValue(tuple([value_of(item, program) for item in items]))
        case core.Record(fields=fields):
            return RecordValue(tuple([(name, value_of(part, program)) for name, part in fields]))
        case _:
            assert isinstance(term, core.Const), term
            return term.value
