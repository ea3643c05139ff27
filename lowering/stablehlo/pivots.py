"""Loops whose steps change a whole array by a few of its elements, as by a row and a column: two steps are written out.

An element of the new array needs that of the old one, and the pivots of the step. A kernel may not write over pivots
that it still reads, so XLA copies the new array to the place of the old one. Of two such steps it makes one kernel,
which computes the pivots of the second one again, and goes through the array once; or the second one computes into the
place of the first array. Where a step needs more than few other elements, as a stencil does, one kernel would compute
all of them again. Where an operation of some cost makes each element, it costs more to make pivots again than to go
through an array. Read next: `control`.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ops.control.scan import ScanParams
from dsl.ops.dynamic import DYNAMIC_UPDATE_SLICE
from dsl.ops.elementwise import ELEMENTWISE
from lowering.stablehlo.kernels import KERNELS, is_fused, kernels
from lowering.stablehlo.work import is_costly

MANY = 1 << 12
"""Elements of an array from which on a pass over it counts."""

PART = 16
"""Few elements are at most one of so many."""

SHORT = 32
"""Equations of a body that is written twice at most: XLA compiles both."""

Sources = frozenset[Var]
_NONE: Sources = frozenset()


@dataclass(frozen=True, slots=True)
class _Read:
    """The arrays that a loop carries of which the kernel of a value reads the element in the same place, or few others,
    or many."""

    same: Sources = _NONE
    few: Sources = _NONE
    many: Sources = _NONE

    def __or__(self, other: _Read) -> _Read:
        return _Read(self.same | other.same, self.few | other.few, self.many | other.many)


def has_pivots(params: ScanParams) -> bool:
    """Return whether each step of a loop changes a large array by few of its elements."""
    body = params.body
    keeps = len(body.results) > params.carry
    if keeps or params.counted or params.length < 4 or len(body.equations) > SHORT:
        return False
    if not all(isinstance(equation.op, Op) for equation in body.equations):
        return False
    _, carry, _ = params.signature.params(body.params)
    large = [x for x in carry if x.type.size >= MANY]
    read = _read(body, large) if large else {}
    found = [read.get(y, _Read()) for y in body.results]
    if any(each.many for each in found) or any(_is_dear(equation, read) for equation in body.equations):
        return False
    return any(x in each.same & each.few for x, each in zip(carry, found, strict=True))


def _read(body: Function, carry: list[Var]) -> dict[Atom, _Read]:
    """Return what the kernel of each value reads. What is costly, and several kernels read, is in memory of its own."""
    found: dict[Atom, _Read] = {x: _Read(frozenset([x])) for x in carry}
    readers = kernels(body, is_costly)
    for equation in body.equations:
        read = _read_by(equation, found)
        for y in equation.outputs:
            is_kept = not is_fused(equation) or (is_costly(equation) and readers.get(y) == KERNELS)
            found[y] = _Read() if is_kept else read
    return found


def _is_dear(equation: Equation, read: dict[Atom, _Read]) -> bool:
    """Return whether an operation of some cost makes each element, and would make those of the pivots again for it."""
    return is_costly(equation) and any(read[x].same for x in equation.inputs if x in read)


def _read_by(equation: Equation, found: dict[Atom, _Read]) -> _Read:
    op, total = equation.op, _Read()
    for x in equation.inputs:
        total |= found.get(x, _Read())
    if not isinstance(op, Op) or not op.traits.moves or op in ELEMENTWISE or op is DYNAMIC_UPDATE_SLICE:
        return total
    size = max([y.type.size for y in equation.outputs])
    few = all(size * PART <= x.type.size for x in total.same)
    return _Read(_NONE, total.few | (total.same if few else _NONE), total.many | (_NONE if few else total.same))
