"""What is known of static values, as text, and whether it is all there is to know."""

from __future__ import annotations

from dsl.types.dtype import DType
from dsl.types.facts import Known as TruthOf
from dsl.types.shape import Shape, show_argument
from dsl.types.size import Size
from typechecker.env.values import Fields, Known, Nothing, Parts, VariantValue


def format_static(value: Known | int | bool | str | None) -> str:
    """The source text of a static value."""
    match value:
        case Nothing():
            return "none"
        case VariantValue(name=name, args=args):
            return f"{name}({', '.join(map(format_static, args))})" if args else name
        case None | bool() | int() | str():
            return show_argument(value)
        case _:
            return str(value)


def is_settled(known: Known | None) -> bool:
    """Whether a static value is known through and through."""
    match known:
        case Size():
            return known.constant is not None
        case Shape():
            return known.literal is not None
        case Parts(items) | VariantValue(args=items):
            return all(map(is_settled, items))
        case Fields(items):
            return all(is_settled(value) for _, value in items)
        case TruthOf():
            return True
        case _:
            return isinstance(known, str | float | complex | DType | Nothing)
