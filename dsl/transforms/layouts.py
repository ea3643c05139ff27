"""How arrays lie over devices: what of each value a device has, as far as annotations and the factors of ops tell.

What stands beside an annotation (`with_sharding`) lies as it says. From there layouts spread forward: an axis of the
mesh cuts one factor of an op, that of its largest operand. Operands that it cuts elsewhere are gathered, and what has
lost the factor in the result is summed over the axis. A compiler may find something cheaper. Read next: `estimate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Tensor
from dsl.ir.op import Measure
from dsl.ir.work import Work, total
from dsl.ops.collective import NamedAxisParams, sent_by_exchange, sent_by_gather, sent_by_sum

Layout: TypeAlias = Mapping[NamedAxisParams, int]
"""The axis of an array that each axis of the mesh cuts; along all others the array is the same."""

Factors: TypeAlias = tuple[int | str, ...]
"""A name for each axis of an array, the same where axes of an op belong together."""

_WHOLE: Layout = MappingProxyType({})


class Part(Struct, frozen=True):
    """What an equation is on each device: the types of its parts, and what is said for them."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    said: Work = Work()


class Spread(Struct, frozen=True):
    """How the values of a function lie, and a part for each of its equations."""

    layouts: Mapping[Atom, Layout]
    parts: tuple[Part, ...]

    def bytes_of(self, x: Atom) -> int:
        """Those that a device has of a value."""
        return _part_type(x, self.layouts.get(x, _WHOLE)).bytes


def spread_of(function: Function) -> Spread:
    """From the annotations of a function that is placed on devices. Bodies have annotations of their own."""
    annotated = _annotated(function)
    layouts = dict(annotated)
    return Spread(layouts, tuple([_part(equation, annotated, layouts) for equation in function.equations]))


def _annotated(function: Function) -> dict[Atom, Layout]:
    """What stands beside an annotation lies as it says, unless one before says otherwise."""
    found: dict[Atom, Layout] = {}
    for equation in function.equations:
        if equation.op.place is not None:
            given, made = _said_layouts(equation)
            found = dict(zip(equation.inputs, given, strict=True)) | found
            found |= dict(zip(equation.outputs, made, strict=True))
    return found


def _said_layouts(equation: Equation) -> tuple[list[Layout], list[Layout]]:
    """Those of the operands and results of an annotation."""
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
    elif annotated and (factors := _factors(equation)) is not None:
        cut = _cut_factors(equation, factors, annotated, layouts)
        given, made = ([_lies(names, cut) for names in several] for several in factors)
        sums = _sums(equation, factors, cut)
    else:
        given, made = [_WHOLE] * len(equation.inputs), [_WHOLE] * len(equation.outputs)
        return Part(*_part_types(equation, given, made))
    gathers = [work for x, layout in zip(equation.inputs, given, strict=True) for work in _gather(x, layout, layouts)]
    layouts |= dict(zip(equation.outputs, made, strict=True))
    return Part(*_part_types(equation, given, made), total([*gathers, *sums]))


def _factors(equation: Equation) -> tuple[list[Factors], list[Factors]] | None:
    """Those of the operands and the results; none for an op that can be cut nowhere."""
    rule = equation.op.sharding
    types = tuple([x.type for x in equation.inputs])
    written = rule if isinstance(rule, str) else rule(equation.params, types)
    if not written:
        return None
    operands, results = [each.split(",") for each in written.split("->")]
    return (
        [_names(word, x) for word, x in zip(operands, equation.inputs, strict=False)],
        [_names(word, y) for word, y in zip(results, equation.outputs, strict=True)],
    )


def _names(word: str, x: Atom) -> Factors:
    return tuple(range(x.type.rank)) if word == "..." else tuple(word)


def _cut_factors(
    equation: Equation,
    factors: tuple[list[Factors], list[Factors]],
    annotated: Mapping[Atom, Layout],
    layouts: Mapping[Atom, Layout],
) -> dict[NamedAxisParams, int | str]:
    """The factor that each axis of the mesh cuts: one of an operand, the largest first, or of an annotated result."""
    operands = sorted(zip(equation.inputs, factors[0], strict=True), key=lambda each: -each[0].type.bytes)
    found: dict[NamedAxisParams, int | str] = {}
    for known, pairs in ((layouts, operands), (annotated, zip(equation.outputs, factors[1], strict=True))):
        for x, names in pairs:
            found = {axis: names[place] for axis, place in known.get(x, _WHOLE).items()} | found
    return found


def _lies(names: Factors, cut: Mapping[NamedAxisParams, int | str]) -> Layout:
    return {axis: names.index(name) for axis, name in cut.items() if name in names}


def _sums(
    equation: Equation, factors: tuple[list[Factors], list[Factors]], cut: Mapping[NamedAxisParams, int | str]
) -> list[Work]:
    """Of results without a factor that is cut."""
    known = {name for names in factors[0] for name in names}
    return [
        _say(sent_by_sum, axis, _part_type(y, _lies(names, cut)))
        for y, names in zip(equation.outputs, factors[1], strict=True)
        for axis, name in cut.items()
        if name in known and name not in names
    ]


def _gather(x: Atom, wanted: Layout, layouts: dict[Atom, Layout]) -> Iterator[Work]:
    """What is said for a value that is wanted otherwise; from then on it lies so."""
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
