"""What a shape function gives: a shape, with obligations perhaps, or the reason why there is none."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from dsl.types.decide import normalise
from dsl.types.facts import Facts, Prop
from dsl.types.shape import Dim, Shape, StaticArg
from dsl.types.size import Size, SizeVar

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
    """The shape with its sizes normalised under the facts, those in stuck calls too, which may be computed then."""
    if not facts.props:
        return shape
    return shape.map_atoms(lambda atom: normalise(Size.of(atom), facts)) if any(shape.calls()) else _plain(shape, facts)


def _plain(shape: Shape, facts: Facts) -> Shape:
    return Shape(tuple(normalise(dim, facts) if isinstance(dim, Size) else dim for dim in shape.dims))
