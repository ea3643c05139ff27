"""Conversion between facts about a static value and the value itself, by type."""

from __future__ import annotations

from collections.abc import Hashable

from dsl.core.statics.evaluate import NoValue, Value, Variant
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import PRESENT, Computed, Shape, StaticChoice, StaticName, StaticVariant, Written
from dsl.types.size import Size
from dsl.types.static_conditions import truth_of
from dsl.types.type import Type
from typechecker.declarations.program_checker import ProgramChecker
from typechecker.env.known_parts import children
from typechecker.env.static_values import chosen
from typechecker.env.values import NOTHING, Fields, Known, Nothing, Parts, VariantValue
from typechecker.types.predicates import present_type


def plain_value(known: Known | None) -> Value:
    """The value of which everything is known. Raises `NoValue` for any other."""
    match known:
        case Size() if known.constant is not None:
            return known.constant
        case Shape() if known.literal is not None:
            return known.literal
        case fa.Known(value):
            return value
        case Nothing():
            return None
        case str() | float() | complex() | dt.DType():
            return known
        case Parts() | Fields() | VariantValue():
            parts = tuple(map(plain_value, children(known)))
            return Variant(known.name, parts) if isinstance(known, VariantValue) else parts
        case _:
            raise NoValue


def known_value(program: ProgramChecker, value: Hashable, kind: Type) -> Known | None:
    """Return the facts about a static value of this type, or about an argument of a stuck call."""
    base = present_type(kind)
    match value:
        case None:
            return NOTHING
        case StaticChoice(condition, then, orelse):
            return chosen(condition, known_value(program, then, kind), known_value(program, orelse, kind))
        case bool() | int() | StaticName() if kind == ty.BOOLEAN:
            return truth_of(value)
        case bool():
            return fa.Known(value)
        case int():
            return Size.of(value)
        case Size() | Shape() | str() | float() | complex() | dt.DType():
            return value
        case StaticName():
            return None if kind in (ty.INT, ty.SIZE) else value
        case tuple() if base in (ty.SHAPE, ty.INTS):
            return Shape.of(*value)
        case tuple() if isinstance(base, ty.RecordType):
            pairs = zip(value, base.fields, strict=True)
            return Fields(tuple([(name, known_value(program, part, k)) for part, (name, k) in pairs]))
        case tuple():
            kinds = base.parts if isinstance(base, ty.TupleType) else (ty.LISTS.get(base, ty.ERROR),) * len(value)
            return Parts(tuple([known_value(program, part, k) for part, k in zip(value, kinds, strict=True)]))
        case StaticVariant(name, (inner,)) if name == PRESENT:
            return known_value(program, inner, base)
        case StaticVariant(name, args) | Variant(name, args) if isinstance(base, ty.EnumType):
            fields = next(v.fields for v in program.enum_info(base.module, base.name).variants if v.name == name)
            inside = [known_value(program, part, field) for part, (_, field) in zip(args, fields, strict=True)]
            return VariantValue((base.module, base.name), name, tuple(inside))
        case Computed():
            return value
        case Written(text) if kind == ty.DTYPE:
            return dt.BY_NAME[text]
        case Written(text):
            return complex(text) if kind == ty.COMPLEX else float(text)
        case _:
            return None
