"""Conditions on static values that are not sizes: flags, and what equals something that is written down.

They stay calls (`OpaqueProp`) until the value is known, and are shown as a user would write them.
"""

from __future__ import annotations

from dsl.types.dtype import DType
from dsl.types.facts import EQUALS, OpaqueProp
from dsl.types.facts import Known as TruthOf
from dsl.types.shape import PRESENT, Shape, StaticArg, StaticName, StaticVariant, show_argument
from dsl.types.size import Size
from typechecker.env.values import Fields, Known, Nothing, Parts, VariantValue


def flag(name: StaticName) -> OpaqueProp:
    """The truth of a static `bool`."""
    return OpaqueProp(name.name, (name,), _truth)


def _truth(value: StaticArg) -> bool | OpaqueProp | None:
    return bool(value) if isinstance(value, int) else flag(value) if isinstance(value, StaticName) else None


def equals(name: StaticName, text: str) -> OpaqueProp:
    """That a static value is the one with this text (`written`), or the variant of this name."""
    return OpaqueProp(EQUALS, (name, text), _same)


def _same(value: StaticArg, text: str) -> bool | None:
    if isinstance(value, StaticName | Size):
        return None
    if isinstance(value, StaticVariant) and value.name == PRESENT:
        return False if text == "none" else None
    given = show_argument(value)
    return text in (given, given.partition("(")[0])


def written(value: Known | int | bool | str | None) -> str:
    """The source text of a static value."""
    match value:
        case Nothing():
            return "none"
        case VariantValue(name=name, args=args):
            return f"{name}({', '.join(map(written, args))})" if args else name
        case None | bool() | int() | str():
            return show_argument(value)
        case _:
            return str(value)


def settled(known: Known | None) -> bool:
    """Whether a static value is known through and through."""
    match known:
        case Size():
            return known.constant is not None
        case Shape():
            return known.literal is not None
        case Parts(items) | VariantValue(args=items):
            return all(map(settled, items))
        case Fields(items):
            return all(settled(value) for _, value in items)
        case TruthOf():
            return True
        case _:
            return isinstance(known, str | float | complex | DType | Nothing)
