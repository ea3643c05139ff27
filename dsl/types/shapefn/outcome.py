"""The result of a shape function: a shape, perhaps with obligations, or the reason of its failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

from msgspec import Struct

from dsl.types.decide import normalise
from dsl.types.facts import EQUALS, Facts, Not, OpaqueProp, Prop
from dsl.types.shape import Dim, Shape, ShapeVar, Splice, StaticArg, StaticName
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import static_names

Failing: TypeAlias = Literal[
    "axis out of range",
    "no place for an axis",
    "repeated axis",
    "not a permutation",
    "sizes differ",
    "inner sizes differ",
    "ranks differ",
    "numbers of axes differ",
    "rank unknown",
    "scalar",
    "several unknown sizes",
    "negative size",
    "count",
    "remainder",
]


class ShapeFailure(Struct, frozen=True):
    """Why a shape function has no value. `axes` are places in the arguments, one for each shape (None where
    there is no such axis), `sizes` what stands there, `example` sizes for which it goes wrong."""

    kind: Failing
    shapes: tuple[Shape, ...] = ()
    axes: tuple[int | None, ...] = ()
    sizes: tuple[Dim, ...] = ()
    value: StaticArg = None
    example: tuple[tuple[SizeVar, int], ...] = ()


class Obligation(Struct, frozen=True):
    """A need that the facts neither prove nor refute. An `equation` must not be inferred, a `range` may
    be."""

    prop: Prop
    kind: Literal["equation", "range"]
    axes: tuple[int | None, ...] = ()


class Formed(Struct, frozen=True):
    """A shape, provided that the obligations are met."""

    shape: Shape
    obligations: tuple[Obligation, ...] = ()


def normalise_shape(shape: Shape, facts: Facts) -> Shape:
    """The shape with what facts of the form `s == t` tell of its variables put in, and what they tell of static values
    in its calls, and its sizes normalised under the facts, those in stuck calls too, which may be computed then."""
    if not facts.props:
        return shape
    told = _told(facts)
    shape = shape.substitute({}, told) if told else shape
    statics = _statics(facts) if any(shape.calls()) else {}
    shape = shape.substitute({}, {}, statics) if statics else shape
    return shape.map_atoms(lambda atom: normalise(Size.of(atom), facts)) if any(shape.calls()) else _plain(shape, facts)


def _told(facts: Facts) -> Mapping[ShapeVar, Shape]:
    """The shapes that equations say shape variables to be."""
    found = facts.memo.get("shapes")
    if not isinstance(found, dict):
        found = {}
        for prop in facts.props:
            match prop:
                case OpaqueProp(name, (Shape() as left, Shape() as right)) if name == EQUALS:
                    found = _with_equation(found, left.substitute({}, found), right.substitute({}, found))
        facts.memo["shapes"] = found
    return found


def _statics(facts: Facts) -> Mapping[StaticName, StaticArg]:
    """The static values that facts tell: `t`, `not t`, `axis == none`."""
    found = facts.memo.get("statics")
    if not isinstance(found, dict):
        found = facts.memo["statics"] = dict(filter(None, map(_static_value, facts.props)))
    return found


def _static_value(prop: Prop) -> tuple[StaticName, StaticArg] | None:
    match prop:
        case OpaqueProp(name, (StaticName() as flag,)) if name == flag.name:
            return flag, True
        case Not(OpaqueProp(name, (StaticName() as flag,))) if name == flag.name:
            return flag, False
        case OpaqueProp(name, (StaticName() as of, value)) | OpaqueProp(name, (value, StaticName() as of)) if (
            name == EQUALS and not static_names(value)
        ):
            return of, cast(StaticArg, value)
        case _:
            return None


def _with_equation(known: dict[ShapeVar, Shape], left: Shape, right: Shape) -> dict[ShapeVar, Shape]:
    for shape, other in ((left, right), (right, left)):
        match shape.dims:
            case (Splice(ShapeVar() as var),) if var not in other.shape_vars():
                return {**{of: value.substitute({}, {var: other}) for of, value in known.items()}, var: other}
    return known


def _plain(shape: Shape, facts: Facts) -> Shape:
    return Shape(tuple(normalise(dim, facts) if isinstance(dim, Size) else dim for dim in shape.dims))
