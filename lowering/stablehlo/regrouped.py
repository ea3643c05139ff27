"""Reshapes that change which elements lie beside each other in a line: what XLA's older emitters read one by one.

Its loops go over the axes of a result. Where the last of these joins several axes of an array in memory, each index is
divided to find the element there. The newer emitters find out that the addresses follow one another; the older ones
leave that to LLVM, which does not, and loads the elements of a vector one by one. Read next: `in_place`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from math import prod
from operator import mul
from typing import TypeAlias, cast

from dsl.ir.function import Atom, Equation, Function
from dsl.ir.op import Op
from dsl.ops.extent import CONCATENATE, AxisParams
from dsl.ops.layout import RESHAPE
from lowering.stablehlo.kernels import is_fused

Shape: TypeAlias = tuple[int, ...]

LONG = 1 << 13
"""Elements of a reshape from which on it shows how they are read."""


def joins(source: Shape, target: Shape) -> bool:
    """Return whether the lines of a reshape are longer than those of its operand."""
    before, after = ([size for size in shape if size != 1] for shape in (source, target))
    return bool(before and after) and after[-1] > before[-1]


def rejoined(made: Equation | None, target: Shape) -> tuple[int, Sequence[Shape]] | None:
    """The axis along which the parts of a concatenation of complex numbers can be joined after they have been reshaped,
    and their shapes, where their lines become no longer by that, as those of the whole do; None if there is none. Of
    real numbers, the test to which part an element belongs would keep loops from being vectorised."""
    if made is None or made.op is not CONCATENATE or not made.outputs[0].type.dtype.is_complex:
        return None
    source, axis = made.outputs[0].type.shape, cast(AxisParams, made.params).axis
    if not joins(source, target) or not prod(source):
        return None
    before = [1, *accumulate(target, mul)]
    for place in [k for k, size in enumerate(before[:-1]) if size == prod(source[:axis])]:
        shapes = [_part(x.type.shape, axis, target, place) for x in made.inputs]
        found = [s for x, s in zip(made.inputs, shapes, strict=True) if s is not None and not joins(x.type.shape, s)]
        if len(found) == len(shapes):
            return place, found
    return None


def _part(part: Shape, axis: int, target: Shape, place: int) -> Shape | None:
    """The shape of a part that is joined along an axis `place` of a target, if it has whole lines there."""
    size, line = prod(part[axis:]), prod(target[place + 1 :])
    return (*target[:place], size // line, *target[place + 1 :]) if size % line == 0 else None


def is_regrouped(function: Function) -> bool:
    """Return whether kernels read or write many elements by axes that join those in memory."""
    return _is_regrouped(function, {})


def _is_regrouped(body: Function, known: dict[Function, bool]) -> bool:
    if body not in known:
        inner = [each for e in body.equations if not isinstance(e.op, Op) for each in e.op.bodies(e.params)]
        known[body] = _Reshapes(body).any_regroups() or any(_is_regrouped(each, known) for each in inner)
    return known[body]


class _Reshapes:
    """The reshapes of a body. Kernels make what is `computed`, or move elements of it, and compute from what is `read`;
    `needed` are so many elements of a value by what takes most of them."""

    def __init__(self, body: Function) -> None:
        self.body = body
        self.made: dict[Atom, Equation] = {y: equation for equation in body.equations for y in equation.outputs}
        self.readers = Counter([x for equation in body.equations for x in {*equation.inputs}])
        self.uses = self.readers + Counter(body.results)
        self.computed: set[Atom] = set()
        self.read: set[Atom] = set()
        self.needed: dict[Atom, int] = {x: x.type.size for x in body.results}
        for equation in body.equations:
            if _computes(equation) or (is_fused(equation) and not self.computed.isdisjoint(equation.inputs)):
                self.computed.update(equation.outputs)
        for equation in reversed(body.equations):
            self._look_at_reader(equation)

    def _look_at_reader(self, equation: Equation) -> None:
        if _computes(equation) or (is_fused(equation) and not self.read.isdisjoint(equation.outputs)):
            self.read.update(equation.inputs)
        for x in equation.inputs:
            moved = is_fused(equation) and not _computes(equation)
            taken = [self.needed.get(y, 0) if moved else y.type.size for y in equation.outputs]
            count = min(x.type.size, max(taken, default=0)) if is_fused(equation) else x.type.size
            self.needed[x] = max(count, self.needed.get(x, 0))

    def any_regroups(self) -> bool:
        return any(map(self._regroups, self.body.equations))

    def _regroups(self, equation: Equation) -> bool:
        if equation.op is not RESHAPE or equation.outputs[0].type.size < LONG:
            return False
        (x,), (y,) = equation.inputs, equation.outputs
        if not joins(x.type.shape, y.type.shape) or 2 * self.needed.get(y, 0) < y.type.size:
            return False
        if self.uses[x] == 1 and self.readers[y] != 1 and rejoined(self.made.get(x), y.type.shape) is not None:
            return False
        return x in self.computed or y in self.read


def _computes(equation: Equation) -> bool:
    """Return whether a kernel computes the elements of an equation where they are used, and does not move them."""
    return is_fused(equation) and isinstance(equation.op, Op) and not equation.op.traits.moves
