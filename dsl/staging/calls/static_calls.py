"""Calls of static functions with static values alone: evaluated over their Core, as the checker does it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from dsl.core import core
from dsl.core.statics.evaluate import Evaluator, NoValue, Variant
from dsl.core.statics.evaluate import Value as Plain
from dsl.diagnostics.source import Span
from dsl.staging.env.stager import Stager
from dsl.staging.values import NUMBERS, Hidden, RecordValue, TupleValue, Value, VariantValue
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.size import SizeVar
from dsl.types.type import Type


def evaluate_static(s: Stager, d: core.Function, args: Sequence[Value], span: Span, hidden: Hidden) -> Value:
    """Evaluate a static function, once per choice of arguments. Raises `NoValue`."""
    modules = s.session.program.modules
    evaluator = Evaluator(
        lambda module, name: modules[module].functions.get(name),
        lambda module, name: modules[module].constants.get(name),
        s.session.computed,
        partial(_within, s, span),
    )
    found = evaluator.call(d, [_plain(arg) for arg in args], _sizes(hidden))
    return _staged(s.session.program, found, d.signature.result)


def _sizes(hidden: Hidden) -> dict[SizeVar, int]:
    """Return the sizes that a static function may use: none comes from an array argument."""
    return {variable: value for variable, value in hidden if isinstance(variable, SizeVar) and isinstance(value, int)}


@contextmanager
def _within(s: Stager, span: Span, name: str) -> Iterator[None]:
    s.enter(name, span)
    yield
    s.leave()


def _plain(value: Value) -> Plain:
    match value:
        case TupleValue(parts):
            return tuple([_plain(part) for part in parts])
        case VariantValue(_, variant, parts):
            return Variant(variant, tuple([_plain(part) for part in parts]))
        case None | str() | DType() | tuple():
            return value
        case _ if isinstance(value, NUMBERS):
            return value
        case _:
            raise NoValue


def _staged(program: core.Program, value: Plain, type_: Type) -> Value:
    match type_, value:
        case ty.OptionalType(base), _:
            return None if value is None else _staged(program, value, base)
        case ty.TupleType(parts), tuple():
            return TupleValue(tuple([_staged(program, v, t) for v, t in zip(value, parts, strict=True)]))
        case ty.RecordType(fields), tuple():
            pairs = zip(fields, value, strict=True)
            return RecordValue(tuple([(name, _staged(program, part, kind)) for (name, kind), part in pairs]))
        case ty.StaticType("pairs" | "flags"), tuple():
            return TupleValue(tuple([_staged(program, part, ty.LISTS[type_]) for part in value]))
        case ty.EnumType(module, name), Variant(variant, args):
            fields = next(v.fields for v in program.modules[module].enums[name].variants if v.name == variant)
            inside = [_staged(program, arg, field) for arg, (_, field) in zip(args, fields, strict=True)]
            return VariantValue(ty.EnumType(module, name), variant, tuple(inside))
        case _, Variant():
            raise NoValue
        case _, tuple():
            return tuple([item for item in value if isinstance(item, int)])
        case _:
            return value
