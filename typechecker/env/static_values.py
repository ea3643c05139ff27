"""Static values: as text, as arguments of calls that stay calls, and whether all of one is known.

What is computed of a value that is not known yet is in `dsl.core.statics.computations`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import add, mul, sub
from types import MappingProxyType

from dsl.core import core
from dsl.core.held_types import Enums, may_hold_function
from dsl.core.statics.computations import compute, value_at, whole_number
from dsl.core.statics.dtypes import DTYPES, dtype_call
from dsl.core.statics.evaluate import NoValue, Value, Variant
from dsl.core.statics.numbers import function_named
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.conditional import choose_prop, choose_shape, choose_size
from dsl.types.dtype import ALL, DType
from dsl.types.facts import Known as TruthOf
from dsl.types.facts import OpaqueProp, Prop
from dsl.types.shape import (
    Computed,
    Shape,
    StaticArg,
    StaticChoice,
    StaticName,
    StaticVariant,
    Written,
)
from dsl.types.size import Opaque, Size
from dsl.types.static_argument import argument_text
from dsl.types.static_conditions import flag, payload, payload_list
from dsl.types.static_parts import UNKNOWN, Gap, has_gap, subparts
from dsl.types.type import DTypeVar, Element, Type
from typechecker.env.generic_dtypes import dtype_argument
from typechecker.env.known_parts import children
from typechecker.env.values import Choice, Fields, Known, Nothing, Parts, Term, VariantValue, static_term


def static_argument(known: Known | None, fresh: Callable[[], int]) -> StaticArg:
    """A known static value as an argument of a call; what is not known gets a name of its own."""
    match known:
        case Shape() | StaticName() | Computed() | str():
            return known
        case OpaqueProp(flag, (StaticName() as name,)) if flag == name.name:
            return name
        case Size():
            return known if known.constant is None else known.constant
        case Nothing():
            return None
        case Parts() | Fields():
            return tuple([static_argument(part, fresh) for part in children(known)])
        case TruthOf(value):
            return value
        case Choice(condition, then, orelse):
            return StaticChoice.of(condition, static_argument(then, fresh), static_argument(orelse, fresh))
        case VariantValue(_, name, args):
            return StaticVariant(name, tuple(static_argument(a, fresh) for a in args))
        case float() | complex():
            return Written(format_static(known))
        case DType():
            return Written(str(known))
        case DTypeVar():
            return dtype_argument(known)
        case _ if isinstance(known, Prop):
            return StaticChoice(known, True, False)
        case _:
            return StaticName(fresh(), UNKNOWN)


def plain_value(known: Known | None) -> Value:
    """The value of which everything is known. Raises `NoValue` for any other."""
    match known:
        case Size() if known.constant is not None:
            return known.constant
        case Shape() if known.literal is not None:
            return known.literal
        case TruthOf(value):
            return value
        case Nothing():
            return None
        case str() | float() | complex() | DType():
            return known
        case Parts() | Fields() | VariantValue():
            parts = tuple(map(plain_value, children(known)))
            return Variant(known.name, parts) if isinstance(known, VariantValue) else parts
        case _:
            raise NoValue


def known_size(known: Known | None, type_: Type, fresh: Callable[[], int]) -> Size:
    """Return the known value of a static integer; at worst, that it equals itself."""
    match known:
        case Size():
            return known
        case Computed(function, args, compute):
            return Size.of(Opaque(function, args, type_ == ty.SIZE, partial(whole_number, compute)))
        case _:
            return payload(StaticName(fresh(), UNKNOWN), "value", UNKNOWN, (), type_ == ty.SIZE)


def known_truth(known: Known | None, fresh: Callable[[], int]) -> Prop:
    """Return the known truth of a static condition; at worst, that it equals itself."""
    return known if isinstance(known, Prop) else flag(StaticName(fresh(), UNKNOWN))


def element_of(known: Known | None) -> Element | None:
    """The dtype that a static value is; one of its own where that is not known yet."""
    match known:
        case DType() | DTypeVar():
            return known
        case StaticName() | Computed() | Choice() if not has_gap(known, Gap.UNNAMED):
            of = static_argument(known, lambda: 0)
            return DTypeVar(-1, argument_text(of), _possible(known), of)
        case _:
            return None


def dtype_function(function: str, dtype: Term, span: Span) -> Term:
    """A call of a function of dtypes: what it returns for a generic one is computed where that is known."""
    node = core.Intrinsic(span, ty.DTYPE, function, (dtype.core,))
    element = element_of(dtype.known)
    return Term(node, ty.DTYPE, None if element is None else _applied(DTYPES[function], function, element))


def _applied(compute: Callable[[DType], DType], function: str, element: Element) -> Element:
    if isinstance(element, DType):
        return compute(element)
    if all(compute(dtype) == dtype for dtype in element.allowed):
        return element
    allowed = tuple(dict.fromkeys(map(compute, element.allowed)))
    of = dtype_call(function, dtype_argument(element))
    return allowed[0] if len(allowed) == 1 else DTypeVar(-1, argument_text(of), allowed, of)


def _possible(known: Known | None) -> tuple[DType, ...]:
    """The dtypes that a static value may be."""
    match known:
        case DType():
            return (known,)
        case DTypeVar(allowed=allowed):
            return allowed
        case Choice(_, then, orelse):
            return tuple(dict.fromkeys((*_possible(then), *_possible(orelse))))
        case _:
            return ALL


def chosen(condition: Prop, then: Known | None, orelse: Known | None) -> Known | None:
    """Return the facts about a choice of two static values."""
    match then, orelse:
        case Size(), Size():
            return choose_size(condition, then, orelse)
        case Shape(), Shape():
            return choose_shape(condition, then, orelse)
    if isinstance(then, Prop) and isinstance(orelse, Prop):
        return choose_prop(condition, then, orelse)
    return None if then is None or orelse is None else Choice(condition, then, orelse)


def value_inside(
    of: StaticName | Computed, shown: str, variant: str, places: tuple[int, ...], type_: Type
) -> Known | None:
    """Return the facts about the value at an access path inside an unknown enum value of this variant, or inside a
    `T?`."""
    match type_:
        case ty.INT | ty.SIZE:
            return payload(of, shown, variant, places, type_ == ty.SIZE)
        case ty.SHAPE | ty.INTS:
            return payload_list(of, shown, variant, places, type_ == ty.SHAPE)
        case ty.FLOAT | ty.COMPLEX | ty.STRING | ty.AXES | ty.DTYPE | ty.EnumType() | ty.OptionalType():
            return Computed(shown, (of,), partial(value_at, shown, variant, places))
        case ty.TupleType(parts):
            inside = enumerate(parts)
            return Parts(tuple([value_inside(of, f"{shown}.{i}", variant, (*places, i), part) for i, part in inside]))
        case ty.RecordType(fields):
            ordered = enumerate(sorted(fields, key=lambda field: field[0]))
            return Fields(
                tuple([(n, value_inside(of, f"{shown}.{n}", variant, (*places, i), t)) for i, (n, t) in ordered])
            )
        case _:
            return None


def apply_numbers(function: str, knowns: Sequence[Known | None]) -> Known | None:
    """Apply a function of numbers, or an operator; the call itself where one of them is still unknown."""
    values = [_number(known) for known in knowns]
    if None not in values:
        result = function_named(function, len(values))(*values)
        return TruthOf(result) if isinstance(result, bool) else Size.of(result) if isinstance(result, int) else result
    if not all(isinstance(known, Size | float | complex | StaticName | Computed) for known in knowns):
        return None
    value = compute(function, *[static_argument(known, lambda: 0) for known in knowns])
    return value if isinstance(value, Computed) else None


def _number(known: Known | None) -> int | float | complex | None:
    """The value of a static number or truth, if it is known."""
    match known:
        case Size():
            return known.constant
        case TruthOf(value):
            return value
        case _:
            return known if isinstance(known, float | complex) else None


OF_SIZES: Mapping[str, Callable[[Size, Size], Size]] = MappingProxyType({"+": add, "-": sub, "*": mul})
"""The operators that give a size of any two."""


def computed_term(known: Size | Shape, node: core.Expr) -> Term:
    """A term for what is known: computed from its variables where these alone tell it, else as the expression does; so
    it is where data decide one of them, perhaps in the expression itself."""
    if (
        any(var.traced for var in known.vars())
        or has_gap(known, Gap.REPORTED, Gap.UNNAMED)
        or any(isinstance(part, _CALLS) for part in subparts(known))
    ):
        return Term(node, node.type, known)
    return static_term(known, node.type, node.span)


_CALLS = Opaque | Computed


def format_static(value: Known | int | bool | str | None) -> str:
    """The source text of a static value."""
    match value:
        case Nothing():
            return "none"
        case VariantValue(name=name, args=args):
            return f"{name}({', '.join(map(format_static, args))})" if args else name
        case None | bool() | int() | str():
            return argument_text(value)
        case _:
            return str(value)


# ---------------------------------------------------------------- functions in values


def has_function(term: Term, enums: Enums) -> bool:
    """Return whether a value may have a function in it; a variant that is known has its own fields alone."""
    if not isinstance(term.known, VariantValue):
        return may_hold_function(term.type, enums)
    variants = {variant.name: variant for variant in enums(*term.known.enum).variants}
    return any(may_hold_function(kind, enums) for _, kind in variants[term.known.name].fields)
