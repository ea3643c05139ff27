"""How arrays lie over devices: what of each value a device has, as far as annotations and the factors of ops tell.

What stands beside an annotation (`with_sharding`) lies as it says, and so do parameters whose layout is given. From
there layouts spread forward, also into bodies: an axis of the mesh cuts one factor of an op, that of its largest
operand. Operands that it cuts elsewhere are gathered, and what has lost the factor in the result is summed over the
axis. A compiler may find something cheaper. Read next: `layout_facts`; `estimate`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, TypeAlias

from msgspec import Struct

from dsl.ir.equation_work import work_of_parts
from dsl.ir.function import Atom, Equation, Function, Tensor, Var
from dsl.ir.op import Factors, Measure, RegionOp
from dsl.ir.region import Facts, Flowed
from dsl.ir.walk import bodies, functions
from dsl.ir.work import Work, total
from dsl.ops.collective import sent_by_exchange, sent_by_gather, sent_by_sum
from dsl.ops.named_axes import NamedAxisParams
from dsl.transforms.layout_facts import FREE, Grid, Layout, part_type
from dsl.transforms.memo import Memo

Cuts: TypeAlias = Mapping[NamedAxisParams, int]
"""The factor that each axis of the mesh cuts."""


class Part(Struct, frozen=True):
    """An equation on each device: the types of its shards, how its operands lie once it has them as it needs them and
    its results, the bytes of these, its communication, all its work, and the bodies inside."""

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    given: Facts
    made: Facts
    sizes: tuple[int, ...]
    said: Work
    work: Work
    inner: tuple[Spread, ...] = ()


class Spread(Struct, frozen=True):
    """How the values of a function lie: the facts of its parameters and results, and a part for each of its
    equations. `said`: the communication for parameters that are slices along an axis that is cut."""

    grid: Grid
    function: Function
    given: Facts
    made: Facts
    parts: tuple[Part, ...]
    said: Work

    @property
    def work(self) -> Work:
        """Return the work of one run on each device."""
        return total([self.said, *[part.work for part in self.parts]])

    def layout(self, x: Var) -> Layout:
        """Return how a value lies that an equation makes."""
        pairs = [pair for e, part in self._pairs for pair in zip(e.outputs, part.made, strict=True)]
        return self.grid.layout(dict(pairs)[x], x.type.rank)

    @property
    def _pairs(self) -> Iterator[tuple[Equation, Part]]:
        return zip(self.function.equations, self.parts, strict=True)


def spread_of(function: Function) -> Spread:
    """From the annotations of a function that is placed on devices."""
    return Spreading(grid_of(function)).spread(function, None)


def grid_of(function: Function, mesh: Sequence[NamedAxisParams] = ()) -> Grid:
    """Return the axes of a mesh and of all meshes that the annotations of a function name."""
    found = dict.fromkeys(mesh)
    for body in functions(function):
        for equation in body.equations:
            if equation.op.place is not None:
                params: Any = equation.params
                found |= dict.fromkeys(params.mesh)
    return Grid(tuple(found))


class Spreading:
    """Follows layouts through functions, each once for how its parameters lie, and each equation once for how its
    operands lie. Programs whose parameters lie otherwise share what they have in common."""

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._whole = grid.whole
        self._memo = Memo()
        self._parts: dict[tuple[Equation, Facts, Facts], Part] = {}
        self._annotations: dict[Function, dict[Atom, int]] = {}

    def spread(self, function: Function, given: Facts | None, wanted: Facts | None = None) -> Spread:
        """Return how the values of a function lie whose parameters lie as `given`, whole unless it says otherwise
        itself, and whose results are to lie as `wanted`."""
        return self._memo.once(("layouts", function, given, wanted), lambda: self._spread(function, given, wanted))

    def _spread(self, function: Function, given: Facts | None, wanted: Facts | None) -> Spread:
        annotated = self._annotated(function)
        if wanted is not None:
            annotated = dict(zip(function.results, wanted, strict=True)) | annotated
        known = (self._whole,) * len(function.params) if given is None else given
        facts: dict[Atom, int] = {}
        lost: list[Work] = []
        for x, fact in zip(function.params, known, strict=True):
            for axis in self._grid.lost(fact, x.type.rank):
                lost.append(_say(sent_by_exchange, axis, x.type))
            plain = self._grid.fact(self._grid.layout(fact, x.type.rank), x.type.rank)
            kept = fact if fact & self._grid.unknown else self._grid.freed(plain, self._grid.free(fact))
            facts[x] = annotated.get(x, kept) if kept == self._whole else kept
        own = tuple([facts[x] for x in function.params])
        parts = tuple([self._noted(equation, annotated, facts) for equation in function.equations])
        return Spread(self._grid, function, own, self._facts(function.results, facts), parts, total(lost))

    def _annotated(self, function: Function) -> dict[Atom, int]:
        """Return the facts of annotated values, unless an earlier annotation states another."""
        found = self._annotations.get(function)
        if found is None:
            found = self._annotations[function] = {}
            for equation in function.equations:
                if equation.op.place is not None:
                    given, made = self._said(equation)
                    for x, fact in zip(equation.inputs, given, strict=True):
                        found.setdefault(x, fact)
                    found |= dict(zip(equation.outputs, made, strict=True))
        return found

    def _said(self, equation: Equation) -> tuple[Facts, Facts]:
        """Return the facts of the operands and results of an annotation."""
        params: Any = equation.params
        rows = (equation.inputs, params.in_cuts), (equation.outputs, params.out_cuts)
        given, made = (
            tuple([self._grid.fact(_layout(params.mesh, c), x.type.rank) for x, c in zip(xs, cuts, strict=True)])
            for xs, cuts in rows
        )
        return given, made

    def _facts(self, values: Sequence[Atom], facts: Mapping[Atom, int]) -> Facts:
        return tuple([facts[x] if isinstance(x, Var) else FREE for x in values])

    def _noted(self, equation: Equation, annotated: Mapping[Atom, int], facts: dict[Atom, int]) -> Part:
        """The part of an equation. How its operands lie from then on, and its results, is noted in `facts`."""
        given = self._facts(equation.inputs, facts)
        wanted = tuple([annotated.get(y, self._whole) for y in equation.outputs])
        key = equation, given, wanted
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = self._part(equation, given, wanted)
        facts.update(zip(equation.inputs, part.given, strict=True))
        facts.update(zip(equation.outputs, part.made, strict=True))
        return part

    def _part(self, equation: Equation, given: Facts, wanted: Facts) -> Part:
        if equation.op.place is not None:
            needed, made = self._said(equation)
            inner = tuple([self.spread(body, None) for body in bodies(equation)])
            return self._settled(equation, given, needed, made, [], inner)
        if isinstance(equation.op, RegionOp) and not equation.op.sharding:
            return self._inside(equation.op, equation, given)
        factors = factors_of(equation) if self._grid.axes else None
        if factors is None:
            whole = (self._whole,) * len(equation.outputs)
            return self._settled(equation, given, (self._whole,) * len(given), whole, [])
        if any(fact & self._grid.unknown for fact in given):
            return self._undecided(equation, given)
        cut = self._cut_factors(equation, factors, given, wanted)
        rows = (equation.inputs, factors.operands), (equation.outputs, factors.results)
        needed, made = (
            tuple([self._grid.fact(_lies(row, cut), x.type.rank) for x, row in zip(xs, own, strict=True)])
            for xs, own in rows
        )
        free = [axis for axis in self._grid.axes if axis not in cut and self._is_free(axis, given)]
        made = tuple([self._grid.freed(fact, free) for fact in made])
        return self._settled(equation, given, needed, made, _sums(equation, factors, cut))

    def _is_free(self, axis: NamedAxisParams, given: Facts) -> bool:
        return all(axis in self._grid.free(fact) for fact in given)

    def _inside(self, op: RegionOp[Any], equation: Equation, given: Facts) -> Part:
        """Follow layouts through the bodies of an equation. What no body takes as it lies is gathered before: a loop
        may know less of what it carries than of what it starts from."""
        seen: dict[Function, Spread] = {}
        taken: dict[Function, Facts] = {}

        def recur(body: Function, facts: Facts, /) -> Flowed:
            seen[body], taken[body] = self.spread(body, facts), facts
            return Flowed(body, seen[body].made)

        _, made = op.flow(equation.params, given, recur)
        inner = tuple([seen.get(body) or self.spread(body, None) for body in op.bodies(equation.params)])
        kept = {
            (p.type.shape, fact) for body, facts in taken.items() for p, fact in zip(body.params, facts, strict=True)
        }
        needed = [
            fact if (x.type.shape, fact) in kept or (x.type.shape[1:], fact) in kept else self._whole
            for x, fact in zip(equation.inputs, given, strict=True)
        ]
        return self._settled(equation, given, tuple(needed), made, [], inner)

    def _undecided(self, equation: Equation, given: Facts) -> Part:
        """The part of an equation with an operand whose layout is not decided: at best all devices share its work."""
        inputs, outputs = (tuple([x.type for x in xs]) for xs in (equation.inputs, equation.outputs))
        whole, devices = work_of_parts(equation, inputs, outputs, ()), self._grid.devices
        work = Work(whole.flops // devices, whole.moved // devices, whole.sent, whole.exchanges)
        made = (self._grid.unknown,) * len(outputs)
        return Part(inputs, outputs, given, made, self._sizes(equation, given, made), Work(), work)

    def _cut_factors(self, equation: Equation, factors: Factors, given: Facts, wanted: Facts) -> Cuts:
        """The factor that each axis of the mesh cuts: one of an operand, the largest first, or of an annotated result.
        It cuts none where its parts are not equal."""
        operands = sorted(
            zip(equation.inputs, factors.operands, given, strict=True), key=lambda each: -each[0].type.bytes
        )
        found: dict[NamedAxisParams, int] = {}
        for x, row, fact in (*operands, *zip(equation.outputs, factors.results, wanted, strict=True)):
            for axis, place in self._grid.layout(fact, x.type.rank).items():
                factor = row[place]
                if factor is not None and axis not in found:
                    parts = axis.size * prod([other.size for other, taken in found.items() if taken == factor])
                    if all(size % parts == 0 for size in sizes_of(factor, factors, equation)):
                        found[axis] = factor
        return found

    def _settled(
        self,
        equation: Equation,
        given: Facts,
        needed: Facts,
        made: Facts,
        sums: Sequence[Work],
        inner: tuple[Spread, ...] = (),
    ) -> Part:
        """Return the part of an equation that needs its operands as `needed`."""
        moves = [
            self._moved(x.type, fact, self._grid.layout(need, x.type.rank))
            for x, fact, need in zip(equation.inputs, given, needed, strict=True)
        ]
        said = total([*[work for _, works in moves for work in works], *sums])
        inputs = [self._grid.part(x.type, fact) for x, fact in zip(equation.inputs, needed, strict=True)]
        outputs = [self._grid.part(y.type, fact) for y, fact in zip(equation.outputs, made, strict=True)]
        work = total([said, work_of_parts(equation, tuple(inputs), tuple(outputs), [each.work for each in inner])])
        facts = tuple([fact for fact, _ in moves])
        sizes = self._sizes(equation, facts, made)
        return Part(tuple(inputs), tuple(outputs), facts, made, sizes, said, work, inner)

    def _sizes(self, equation: Equation, given: Facts, made: Facts) -> tuple[int, ...]:
        pairs = zip((*equation.inputs, *equation.outputs), (*given, *made), strict=True)
        return tuple([self._grid.bytes(x.type, fact) for x, fact in pairs])

    def _moved(self, type: Tensor, fact: int, wanted: Layout) -> tuple[int, list[Work]]:
        """Return how a value lies that is needed in another layout, and the communication for that."""
        lies, said = self._grid.layout(fact, type.rank), list[Work]()
        if fact & self._grid.unknown or all(wanted.get(axis) == place for axis, place in lies.items()):
            return fact, said
        free, before = self._grid.free(fact), dict(lies)
        for axis in [axis for axis, place in lies.items() if wanted.get(axis) != place]:
            said.append(_say(sent_by_exchange if axis in wanted else sent_by_gather, axis, self._grid.part(type, fact)))
            del lies[axis]
            fact = self._grid.freed(self._grid.fact(lies, type.rank), free)
        lies |= {axis: place for axis, place in wanted.items() if axis in before}
        return self._grid.freed(self._grid.fact(lies, type.rank), free), said

    def moved(self, type: Tensor, fact: int, wanted: int) -> Work:
        """Return the communication for a value that is to lie otherwise than it does."""
        return total(self._moved(type, fact, self._grid.layout(wanted, type.rank))[1])


def _layout(mesh: Sequence[NamedAxisParams], cut: Sequence[int | None]) -> Layout:
    return {axis: place for axis, place in zip(mesh, cut, strict=True) if place is not None}


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


def sizes_of(factor: int, factors: Factors, equation: Equation) -> list[int]:
    """Return the sizes that the number of shards of a factor must divide."""
    rows = zip((*equation.inputs, *equation.outputs), (*factors.operands, *factors.results), strict=True)
    sizes = [size for x, row in rows for size, name in zip(x.type.shape, row, strict=True) if name == factor]
    return [*sizes, *[count for name, count in factors.counts if name == factor]]


def _lies(row: Sequence[int | None], cut: Cuts) -> Layout:
    return {axis: row.index(factor) for axis, factor in cut.items() if factor in row}


def _sums(equation: Equation, factors: Factors, cut: Cuts) -> list[Work]:
    """Of results without a factor that is cut."""
    known = {factor for row in factors.operands for factor in row}
    return [
        _say(sent_by_sum, axis, part_type(y.type, _lies(row, cut)))
        for y, row in zip(equation.outputs, factors.results, strict=True)
        for axis, factor in cut.items()
        if factor in known and factor not in row
    ]


def _say(measure: Measure[Any], axis: NamedAxisParams, part: Tensor) -> Work:
    return Work(sent=((axis.name, measure(axis, (part,), (part,))),), exchanges=1)
