"""Static values that are not sizes: as arguments of calls that stay calls, computed with, and compared.

What depends on a value that is not known yet stays a computation (`Computed`) or a condition (`OpaqueProp`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from dsl.core.static_math import OPERATORS, Function
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.facts import Known as TruthOf
from dsl.types.facts import OpaqueProp, Prop, calls_of, negation
from dsl.types.shape import PRESENT, Computed, Shape, StaticArg, StaticName, StaticVariant, Written, payload
from dsl.types.size import Opaque, Size
from dsl.types.type import DTypeVar, Type
from typechecker.env.static_props import written
from typechecker.env.values import Fields, Known, Nothing, Parts, VariantValue

Value: TypeAlias = "int | float | complex | str | tuple[Value, ...] | None"

UNKNOWN = "?"
"""The name of a value of which nothing can be told but that it equals itself."""
_TURNED: Mapping[str, str] = MappingProxyType({"==": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<="})


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
            return Written(written(known))
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
        return Computed(shown, (of,), partial(_number_inside, shown, variant, place))
    return None


def _number_inside(shown: str, variant: str, place: int, value: StaticArg) -> StaticArg:
    if isinstance(value, StaticVariant) and value.name == variant:
        return value.args[place]
    return Computed(shown, (value,), partial(_number_inside, shown, variant, place))


def applied(function: str, compute: Function, knowns: Sequence[Known | None]) -> Computed | None:
    """What is known of a function of numbers of which one is not known yet."""
    if not all(isinstance(known, Size | float | complex | StaticName | Computed) for known in knowns):
        return None
    value = computed(function, compute, *[static_argument(known, lambda: 0) for known in knowns])
    return value if isinstance(value, Computed) else None


def computed(function: str, compute: Function, *args: StaticArg) -> StaticArg:
    """What a function of numbers gives, or its call where an argument is not known yet."""
    if not all(map(_is_known, args)):
        return Computed(function, args, partial(computed, function, compute))
    result = compute(*map(_value, args))
    return result if isinstance(result, int) else Written(str(result))


def tested(function: str, compute: Function, *args: StaticArg) -> Prop:
    """The truth that a function of numbers gives, or its call."""
    if not all(map(_is_known, args)):
        return OpaqueProp(function, args, partial(_truth, partial(tested, function, compute)))
    return TruthOf(bool(compute(*map(_value, args))))


def compared(op: str, left: StaticArg, right: StaticArg) -> Prop:
    """A comparison, its truth where both sides are known. It has one form however it is written: what is known stands
    on the right, and two unknown values are compared by `<`."""
    if op == "!=":
        return negation(compared("==", left, right))
    known = _is_known(left), _is_known(right)
    if known == (True, True):
        return TruthOf(bool(OPERATORS[op](_value(left), _value(right))))
    if known == (True, False) or (known == (False, False) and op in (">", ">=")):
        op, left, right = _TURNED[op], right, left
    return OpaqueProp(op, (left, right), partial(_truth, partial(compared, op)))


def is_told(prop: Prop) -> bool:
    """Whether a condition can be decided once its variables are known."""
    return not any(_is_untold(arg) for call in calls_of(prop) for arg in call.args)


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


def _truth(test: Callable[..., Prop], *args: StaticArg) -> bool | None:
    found = test(*args)
    return found.value if isinstance(found, TruthOf) else None


def _is_known(arg: StaticArg) -> bool:
    match arg:
        case StaticName() | Computed():
            return False
        case Size():
            return arg.constant is not None
        case Shape():
            return arg.literal is not None
        case tuple():
            return all(map(_is_known, arg))
        case StaticVariant(_, args):
            return all(map(_is_known, args))
        case _:
            return True


def _value(arg: StaticArg) -> Value:
    """A known argument, such that two are equal as the values that they stand for."""
    match arg:
        case Size():
            return arg.constant
        case Shape():
            return arg.literal
        case tuple():
            return tuple(map(_value, arg))
        case StaticVariant(name, (inner,)) if name == PRESENT:
            return _value(inner)
        case StaticVariant(name, args):
            return (name, *map(_value, args))
        case Written(text):
            return _number(text)
        case _:
            assert not isinstance(arg, StaticName | Computed)
            return arg


def _number(text: str) -> float | complex | str:
    for read in (float, complex):
        try:
            return read(text)
        except ValueError:
            continue
    return text
