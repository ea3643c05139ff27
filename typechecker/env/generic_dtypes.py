"""Generic dtypes in conditions: which dtypes one may stand for where facts hold, and conditions for each of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product

from dsl.types.dtype import BY_NAME, DType
from dsl.types.facts import Facts, Known, Prop, calls_of, map_prop, simplified
from dsl.types.shape import StaticArg, StaticName, Substitution, Written
from dsl.types.type import DTypeVar, Element, TypeClass


def dtype_name(element: DTypeVar) -> StaticName:
    """A generic dtype by its name."""
    return StaticName(element.id, element.name)


def dtype_of_leaves(number: int, tree: str, constraint: TypeClass) -> tuple[DTypeVar, Element]:
    """Return the dtype variable of a leaf of an unknown tree, and its dtype if the class has a single one."""
    own = DTypeVar(number, f"{tree}.dtype", constraint.dtypes)
    return own, own if len(own.allowed) > 1 else own.allowed[0]


def dtypes_where(arg: StaticArg, choice: Mapping[StaticName, DType]) -> DType | None:
    """Return the dtype that a static value is if generics are these; None if that does not decide it."""
    found = Substitution(statics={name: Written(str(dtype)) for name, dtype in choice.items()}).argument(arg)
    return BY_NAME[found.text] if isinstance(found, Written) else None


def choices_of(generics: Mapping[StaticName, Collection[DType]]) -> Iterator[Mapping[StaticName, DType]]:
    """Yield each assignment of dtypes to the generics that may be these."""
    return (dict(zip(generics, chosen, strict=True)) for chosen in product(*generics.values()))


def dtype_argument(element: DTypeVar) -> StaticArg:
    """A dtype as conditions speak of it."""
    return dtype_name(element) if element.of is None else element.of


def possible_dtypes(facts: Facts, element: DTypeVar) -> tuple[DType, ...]:
    """The dtypes of its class that no fact excludes."""
    name = dtype_argument(element)
    told = [prop for prop in facts.props if any(name in call.args for call in calls_of(prop))]
    return tuple(
        [dtype for dtype in element.allowed if not any(_where(p, element, dtype) == Known(False) for p in told)]
    )


def of_each_dtype(facts: Facts, element: DTypeVar, prop: Prop) -> Iterable[Prop]:
    """Yield the condition for each dtype that no fact excludes."""
    return (_where(prop, element, dtype) for dtype in possible_dtypes(facts, element))


def for_each_dtype(prop: Prop, own: Iterable[DTypeVar]) -> list[Prop]:
    """Return the condition for each choice of these dtypes."""
    found = [prop]
    for element in own:
        found = list(dict.fromkeys(_where(each, element, dtype) for each in found for dtype in element.allowed))
    return found


def _where(prop: Prop, element: DTypeVar, dtype: DType) -> Prop:
    """A condition as it is where a generic stands for this dtype."""
    name, put = dtype_argument(element), Written(str(dtype))
    if isinstance(name, StaticName):
        return simplified(Substitution(statics={name: put}).prop(prop))
    return simplified(map_prop(prop, lambda size: size, lambda arg: put if arg == name else arg))
