"""Indices of a comprehension that move in step with it: `x[i]`, `x[2 * i + 1]` for `i in range(n)`.

What such an index reads over the whole range is a slice of `x`: the slice is taken once, outside, and
its rows are one more thing the comprehension runs over, so that nothing is gathered. Read next:
`comprehensions`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.core import core
from dsl.ir.build import Builder
from dsl.ir.function import Atom, Tensor, Var
from dsl.ops import builders
from dsl.staging.env.environment import Frame

if TYPE_CHECKING:
    from dsl.staging.env.stager import Stager


class Owned:
    """A value owned by a body, recomputed on demand."""

    __slots__ = ("b", "found", "seen")

    def __init__(self, b: Builder) -> None:
        self.b = b
        self.found: set[Atom] = set()
        self.seen = 0

    def has(self, x: Atom) -> bool:
        for equation in self.b.equations[self.seen :]:
            self.found.update(equation.outputs)
        self.seen = len(self.b.equations)
        return x in self.found or x in self.b.params


LONGEST = 32
"""Windows of at most so many elements are put together from slices."""


@dataclass(slots=True, eq=False)
class Steps:
    """A comprehension over a range while its body is staged in `b`, inside of `outer`. `rows` are the
    arrays that its indices asked for rows of; the rows are parameters of `b` behind the others, in the
    same order.
    """

    b: Builder
    outer: Builder
    length: int
    rows: list[Atom] = field(default_factory=list)
    known: dict[tuple[Atom, int, int, int], Var] = field(default_factory=dict)

    def row(self, s: Stager, x: Atom, axis: int, first: int, stride: int) -> Atom | None:
        """The row of x at `first + stride * step` along `axis`; None if it is not one for every step."""
        last = first + stride * (self.length - 1)
        low, high = min(first, last), max(first, last)
        outside = low < 0 or high >= x.type.shape[axis] or not self.length
        if not isinstance(x, Var) or not stride or outside or s.is_inside(x, self.b):
            return None
        key = x, axis, first, stride
        if key not in self.known:
            whole = builders.slice_axis(self.outer, x, axis, low, high + 1, abs(stride))
            ordered = builders.rev(self.outer, whole, (axis,)) if stride < 0 else whole
            front = builders.move_axis(self.outer, ordered, axis, 0)
            self.known[key] = self.b.param(Tensor(x.type.dtype, front.type.shape[1:]))
            self.rows.append(front)
        return self.known[key]


def window(
    s: Stager, steps: Steps, x: Atom, axis: int, first: int, stride: int, length: int, apart: int
) -> Atom | None:
    """`length` rows from `first + stride * step` on, `apart` from each other, along `axis`: one slice for
    each.
    """
    if not 0 < length <= LONGEST:
        return None
    rows = [steps.row(s, x, axis, first + k * apart, stride) for k in range(length)]
    found = [row for row in rows if row is not None]
    return builders.stack(steps.b, found, axis) if len(found) == length else None


class Affine(Struct, frozen=True):
    """`first + stride * step` of a comprehension."""

    steps: Steps
    first: int
    stride: int


def affine(s: Stager, node: core.Expr, frame: Frame) -> Affine | int | None:
    """The index as a function of the step of a comprehension around it, or as a number, if it is one."""
    match node:
        case core.Coerce(value=value) | core.Convert(value=value):
            return affine(s, value, frame) if isinstance(node, core.Coerce) else None
        case core.Const(value=int() as value) if not isinstance(value, bool):
            return value
        case core.SizeOf(size=size):
            return frame.variables.size(size)
        case core.Local(id=id):
            found = frame.locals[id]
            if isinstance(found, Var):
                counted = s.counted.get(found)
                return counted if counted is not None and counted.steps.b in s.open else None
            return found if isinstance(found, int) and not isinstance(found, bool) else None
        case core.Binary(op="+" | "-" | "*" as op, left=left, right=right):
            return _combined(op, affine(s, left, frame), affine(s, right, frame))
        case _:
            return None


def _combined(op: str, x: Affine | int | None, y: Affine | int | None) -> Affine | int | None:
    if x is None or y is None:
        return None
    if isinstance(x, int) and isinstance(y, int):
        return x + y if op == "+" else x - y if op == "-" else x * y
    if isinstance(x, Affine) and isinstance(y, int):
        if op == "*":
            return Affine(x.steps, x.first * y, x.stride * y)
        return Affine(x.steps, x.first + (y if op == "+" else -y), x.stride)
    if isinstance(x, int) and isinstance(y, Affine):
        if op == "*":
            return Affine(y.steps, y.first * x, y.stride * x)
        sign = 1 if op == "+" else -1
        return Affine(y.steps, x + sign * y.first, sign * y.stride)
    return None
