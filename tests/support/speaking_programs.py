"""Random programs whose elements speak with each other: those of `programs`, with collectives over the axis `i` or over
those of a mesh, also inside of branches and loops that the elements go through differently."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.collective import ALL_GATHER, ALL_TO_ALL, AXIS_INDEX, PMAX, PMIN, PPERMUTE, PSUM, REDUCE_SCATTER
from dsl.ops.elementwise import convert, mul
from dsl.ops.layout import reduce_sum
from dsl.ops.named_axes import GatherAxisParams, NamedAxisParams, PermuteParams
from dsl.ops.unary import tanh
from dsl.types.dtype import F64
from tests.support.programs import SCALAR, TYPES, VECTOR, Writer, number

AXIS = "i"
Mesh = tuple[NamedAxisParams, ...]


class Speaker(Writer):
    """A `Writer` of programs for one of the elements of a mesh."""

    mesh: Mesh = ()

    def step(self) -> None:
        if self.random.random() < 0.4:
            self.keep(self.spoken(self.pick(self.random.choice(TYPES))))
        else:
            super().step()

    def spoken(self, x: Atom) -> Atom:
        b, named = self.b, self.random.choice(self.mesh)
        size, gathered = named.size, GatherAxisParams(named.name, named.size, self.random.randint(0, x.type.rank))
        match self.random.choice(("sum", "max", "min", "gather", "scatter", "exchange", "permute", "index")):
            case "sum":
                return mul(b, PSUM(b, named, x)[0], number(1 / size, x.type))
            case "max":
                return PMAX(b, named, x)[0]
            case "min":
                return PMIN(b, named, x)[0]
            case "gather":
                return reduce_sum(b, tanh(b, ALL_GATHER(b, gathered, x)[0]), (gathered.axis,))
            case "scatter":
                whole = ALL_GATHER(b, gathered, x)[0]
                return REDUCE_SCATTER(b, gathered, tanh(b, mul(b, whole, whole)))[0]
            case "exchange":
                whole = ALL_GATHER(b, gathered, x)[0]
                return reduce_sum(b, ALL_TO_ALL(b, gathered, tanh(b, whole))[0], (gathered.axis,))
            case "permute":
                return PPERMUTE(b, PermuteParams(named.name, size, self.pairs(size)), x)[0]
            case _:
                return convert(b, AXIS_INDEX(b, named)[0], F64)

    def pairs(self, size: int) -> tuple[tuple[int, int], ...]:
        """Some elements to some others; often all to a neighbour."""
        if self.random.random() < 0.5:
            return tuple([(k, (k + 1) % size) for k in range(size)])
        sources, targets = [self.random.sample(range(size), size) for _ in range(2)]
        return tuple(zip(sources, targets, strict=True))[: self.random.randint(0, size)]

    def body(self, types: Sequence[Tensor], results: Sequence[Tensor], name: str) -> Function:
        return spoken_function(self.random, self.mesh, types, results, 3, self.depth - 1, name)


def spoken_function(
    random: Random, mesh: Mesh, types: Sequence[Tensor], results: Sequence[Tensor], steps: int, depth: int, name: str
) -> Function:
    b = Builder()
    writer = Speaker(random, b, {}, depth)
    writer.mesh = mesh
    for t in types:
        writer.keep(b.param(t))
    for _ in range(steps):
        writer.step()
    return b.finish(name, tuple([tanh(b, writer.pick(t)) for t in results]))


def speaking_program(seed: int, mesh: Mesh, steps: int = 5, depth: int = 2) -> Function:
    """scalar, vector, matrix -> scalar, vector, for one of the elements of a mesh."""
    return spoken_function(Random(seed), mesh, TYPES, (SCALAR, VECTOR), steps, depth, f"program{seed}")


def row(size: int) -> Mesh:
    """One axis of `size` elements."""
    return (NamedAxisParams(AXIS, size),)
