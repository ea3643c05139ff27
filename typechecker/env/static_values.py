"""Static values: as text, as arguments of calls that stay calls, and whether all of one is known.

What is computed of a value that is not known yet is in `dsl.core.statics.computations`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import add, mul, sub
from types import MappingProxyType

from dsl.core.statics.computations import compute, number_inside
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.facts import Known as TruthOf
from dsl.types.facts import OpaqueProp, Prop, calls_of, sizes_of
from dsl.types.shape import Computed, Shape, StaticArg, StaticName, StaticVariant, Written, payload, show_argument
from dsl.types.size import Opaque, Size
from dsl.types.type import DTypeVar, Type
from typechecker.env.values import Fields, Known, Nothing, Parts, VariantValue

UNKNOWN = "?"
"""The name of a value of which nothing can be told but that it equals itself."""


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
        case Parts(items):
            return tuple(static_argument(i, fresh) for i in items)
        case Fields(items):
            return tuple(static_argument(i, fresh) for _, i in sorted(items, key=lambda field: field[0]))
        case TruthOf(value):
            return value
        case VariantValue(_, name, args):
            return StaticVariant(name, tuple(static_argument(a, fresh) for a in args))
        case float() | complex():
            return Written(format_static(known))
        case DType():
            return Written(str(known))
        case DTypeVar(id, name):
            return StaticName(id, name)
        case _:
            return StaticName(fresh(), UNKNOWN)


def field_of_variant(of: StaticName, variant: str, place: int, field: tuple[str, Type]) -> Known | None:
    """What is known of a field of an enum value that is not known yet, where it is of this variant."""
    name, kind = field
    shown = f"{variant}.{name}"
    if kind in (ty.INT, ty.SIZE):
        return payload(of, shown, variant, place, kind == ty.SIZE)
    if kind in (ty.FLOAT, ty.COMPLEX):
        return Computed(shown, (of,), partial(number_inside, shown, variant, place))
    return None


def apply_numbers(function: str, knowns: Sequence[Known | None]) -> Computed | None:
    """What is known of a function of numbers of which one is not known yet."""
    if not all(isinstance(known, Size | float | complex | StaticName | Computed) for known in knowns):
        return None
    value = compute(function, *[static_argument(known, lambda: 0) for known in knowns])
    return value if isinstance(value, Computed) else None


OF_SIZES: Mapping[str, Callable[[Size, Size], Size]] = MappingProxyType({"+": add, "-": sub, "*": mul})
"""The operators that give a size of any two."""


def is_told(prop: Prop) -> bool:
    """Whether a condition can be decided once its variables are known."""
    given = (arg for call in calls_of(prop) for arg in call.args)
    return not any(map(_is_untold, chain(sizes_of(prop), given)))


def _is_untold(arg: Hashable) -> bool:
    match arg:
        case StaticName(_, name):
            return name == UNKNOWN
        case Size():
            return any(_is_untold(inner) for atom in arg.atoms() if isinstance(atom, Opaque) for inner in atom.args)
        case Computed(_, args):
            return any(map(_is_untold, args))
        case _:
            return False


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
