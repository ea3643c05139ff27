"""How arrays lie over devices: what of each value a device has, as far as annotations and the factors of ops tell.

What stands beside an annotation (`with_sharding`) lies as it says. From there layouts spread forward: an axis of the
mesh cuts one factor of an op, that of its largest operand. Operands that it cuts elsewhere are gathered, and what has
lost the factor in the result is summed over the axis. A compiler may find something cheaper. Read next: `estimate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Factors, Measure
from dsl.ir.work import Work, total
from dsl.ops.collective import sent_by_exchange, sent_by_gather, sent_by_sum
from dsl.ops.named_axes import NamedAxisParams

Layout: TypeAlias = Mapping[NamedAxisParams, int]
"""The axis of an array that each axis of the mesh cuts; along all others the array is the same."""

_WHOLE: Layout = MappingProxyType({})


class Part(Struct, frozen=True):
    """An equation on each device: the types of its shards, and its communication."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    said: Work = Work()


class Spread(Struct, frozen=True):
    """How the values of a function lie, and a part for each of its equations."""

    layouts: Mapping[Atom, Layout]
    parts: tuple[Part, ...]

    def bytes_of(self, x: Atom) -> int:
        """Return the bytes of a value on one device."""
        return _part_type(x, self.layouts.get(x, _WHOLE)).bytes


def spread_of(function: Function) -> Spread:
    """From the annotations of a function that is placed on devices. Bodies have annotations of their own."""
    annotated = _annotated(function)
    layouts = dict(annotated)
    return Spread(layouts, tuple([_part(equation, annotated, layouts) for equation in function.equations]))


def _annotated(function: Function) -> dict[Atom, Layout]:
    """Return the layouts of annotated values, unless an earlier annotation states another."""
    found: dict[Atom, Layout] = {}
    for equation in function.equations:
        if equation.op.place is not None:
            given, made = _said_layouts(equation)
            found = dict(zip(equation.inputs, given, strict=True)) | found
            found |= dict(zip(equation.outputs, made, strict=True))
    return found


def _said_layouts(equation: Equation) -> tuple[list[Layout], list[Layout]]:
    """Return the layouts of the operands and results of an annotation."""
    params: Any = equation.params
    given, made = ([_layout(params.mesh, cut) for cut in cuts] for cuts in (params.in_cuts, params.out_cuts))
    return given, made


def _layout(mesh: Sequence[NamedAxisParams], cut: Sequence[int | None]) -> Layout:
    return {axis: place for axis, place in zip(mesh, cut, strict=True) if place is not None}


def _part(equation: Equation, annotated: Mapping[Atom, Layout], layouts: dict[Atom, Layout]) -> Part:
    """The part of an equation. How its results lie, and which operands it gathers, is noted in `layouts`."""
    sums: list[Work] = []
    if equation.op.place is not None:
        given, made = _said_layouts(equation)
    elif annotated and (factors := factors_of(equation)) is not None:
        cut = _cut_factors(equation, factors, annotated, layouts)
        given, made = ([_lies(row, cut) for row in rows] for rows in (factors.operands, factors.results))
        sums = _sums(equation, factors, cut)
    else:
        given, made = [_WHOLE] * len(equation.inputs), [_WHOLE] * len(equation.outputs)
        return Part(*_part_types(equation, given, made))
    gathers = [work for x, layout in zip(equation.inputs, given, strict=True) for work in _gather(x, layout, layouts)]
    layouts |= dict(zip(equation.outputs, made, strict=True))
    return Part(*_part_types(equation, given, made), total([*gathers, *sums]))


def factors_of(equation: Equation) -> Factors | None:
    """Return the axis factors of operands and results; None for an op with bodies, which have their own annotations."""
    rule = equation.op.sharding
    if not isinstance(rule, str):
        return rule(equation.params, tuple([x.type for x in equation.inputs]))
    return None if not rule else _elementwise(equation)


def _elementwise(equation: Equation) -> Factors:
    """The factors of operands and results that have the same axes, or none."""
    rows = [[tuple(range(x.type.rank)) for x in several] for several in (equation.inputs, equation.outputs)]
    return Factors(tuple(rows[0]), tuple(rows[1]))


def _cut_factors(
    equation: Equation, factors: Factors, annotated: Mapping[Atom, Layout], layouts: Mapping[Atom, Layout]
) -> dict[NamedAxisParams, int]:
    """The factor that each axis of the mesh cuts: one of an operand, the largest first, or of an annotated result. It
    cuts none where its parts are not equal."""
    operands = sorted(zip(equation.inputs, factors.operands, strict=True), key=lambda each: -each[0].type.bytes)
    found: dict[NamedAxisParams, int] = {}
    for known, pairs in ((layouts, operands), (annotated, zip(equation.outputs, factors.results, strict=True))):
        for x, row in pairs:
            for axis, place in known.get(x, _WHOLE).items():
                factor = row[place]
                if factor is not None and axis not in found:
                    parts = axis.size * prod([other.size for other, taken in found.items() if taken == factor])
                    if all(size % parts == 0 for size in sizes_of(factor, factors, equation)):
                        found[axis] = factor
    return found


def sizes_of(factor: int, factors: Factors, equation: Equation) -> list[int]:
    """Return the sizes that the number of shards of a factor must divide."""
    rows = zip((*equation.inputs, *equation.outputs), (*factors.operands, *factors.results), strict=True)
    sizes = [size for x, row in rows for size, name in zip(x.type.shape, row, strict=True) if name == factor]
    return [*sizes, *[count for name, count in factors.counts if name == factor]]


def _lies(row: Sequence[int | None], cut: Mapping[NamedAxisParams, int]) -> Layout:
    return {axis: row.index(factor) for axis, factor in cut.items() if factor in row}


def _sums(equation: Equation, factors: Factors, cut: Mapping[NamedAxisParams, int]) -> list[Work]:
    """Of results without a factor that is cut."""
    known = {factor for row in factors.operands for factor in row}
    return [
        _say(sent_by_sum, axis, _part_type(y, _lies(row, cut)))
        for y, row in zip(equation.outputs, factors.results, strict=True)
        for axis, factor in cut.items()
        if factor in known and factor not in row
    ]


def _gather(x: Atom, wanted: Layout, layouts: dict[Atom, Layout]) -> Iterator[Work]:
    """Yield the communication for a value that is needed in another layout, which it has from then on."""
    lies = dict(layouts.get(x, _WHOLE))
    for axis in [axis for axis, place in lies.items() if wanted.get(axis) != place]:
        yield _say(sent_by_exchange if axis in wanted else sent_by_gather, axis, _part_type(x, lies))
        del lies[axis]
    layouts[x] = lies | {axis: place for axis, place in wanted.items() if axis in layouts.get(x, _WHOLE)}


def _say(measure: Measure[Any], axis: NamedAxisParams, part: Tensor) -> Work:
    return Work(sent=((axis.name, measure(axis, (part,), (part,))),))


def _part_types(
    equation: Equation, given: Sequence[Layout], made: Sequence[Layout]
) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    inputs = [_part_type(x, layout) for x, layout in zip(equation.inputs, given, strict=True)]
    return tuple(inputs), tuple([_part_type(y, layout) for y, layout in zip(equation.outputs, made, strict=True)])


def _part_type(x: Atom, layout: Layout) -> Tensor:
    """The type of what a device has of a value."""
    shape = list(x.type.shape)
    for axis, place in layout.items():
        shape[place] //= axis.size
    return Tensor(x.type.dtype, tuple(shape))
