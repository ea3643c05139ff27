"""Padding: a function with sizes that a run decides becomes one whose arrays have the sizes of their bounds.

Each traced size has a length, an i32, beside the arrays. An axis that an op keeps, by its declared factors, needs
nothing: what stands behind the end stays there. Where an op combines elements along an axis, what stands behind the end
is replaced by what its rule `mask` declares before. Lengths go into bodies as constants. Derivatives and maps come
before this pass, so what they have emitted is masked like all else. It knows no op. Read next: `dsl.ops.ragged`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.op import Factors, Fill, Op, RegionOp
from dsl.ir.region import CannotTransform, Problem
from dsl.ir.sizes import bounds, decided_in, traced_axes, traced_in, traced_in_params
from dsl.ops.elementwise import compare, select
from dsl.ops.extent import iota
from dsl.ops.layout import broadcast_in_dim
from dsl.ops.ragged import polynomial
from dsl.ops.reduce import greatest, least
from dsl.ops.rule_helpers import splat
from dsl.transforms.layouts import factors_of
from dsl.types.dtype import I32
from dsl.types.size import Size, SizeVar

_SCALAR = Tensor(I32)
_BOUNDS = bounds()


def pad(function: Function, rest: Fill = None) -> Function:
    """`function` with padded arrays; itself if data decide no size in it. With a `rest`, which tests put there, that
    number is all that stands behind an end."""
    if not decided_in(function):
        return function
    return _Padding((), rest).function(function)


def pad_around(function: Function, around: Sequence[SizeVar], rest: Fill = None) -> Function:
    """A function of arrays that have traced sizes, padded; its first parameters are the lengths of these sizes."""
    return _Padding(around, rest).function(function)


class _Padding:
    """One function while it is padded; its first parameters are the lengths of the sizes `around` it."""

    def __init__(self, around: Sequence[SizeVar], rest: Fill) -> None:
        self.b = Builder()
        self._rest = rest
        self._lengths: dict[SizeVar, Atom] = {var: self.b.param(_SCALAR) for var in around}
        self._values: dict[Var, Atom] = {}

    def function(self, function: Function) -> Function:
        for param in function.params:
            self._values[param] = self.b.param(_BOUNDS.type(param.type))
        for equation in function.equations:
            self.b.span = equation.span
            made = self._equation(equation)
            for output, value in zip(equation.outputs, made, strict=True):
                self._values[output] = value if self._rest is None else self._filled(value, output.type, self._rest)
        return self.b.finish(function.name, [self._value(x) for x in function.results])

    def _value(self, x: Atom) -> Atom:
        return _BOUNDS.atom(x) if isinstance(x, Literal) else self._values[x]

    # ------------------------------------------------------------ lengths

    def length(self, size: Size) -> Atom:
        """See `Lengths`."""
        return polynomial(self.b, size, self._lengths)

    def decide(self, size: Size, length: Atom) -> None:
        """See `Lengths`."""
        var = size.as_atom()
        assert isinstance(var, SizeVar), f"{size} is decided in one piece"
        self._lengths[var] = length

    def filled(self, x: Atom, type: Tensor, fill: Fill) -> Atom:
        """See `Lengths`."""
        return self._filled(x, type, fill)

    def _filled(self, x: Atom, type: Tensor, fill: Fill, axes: Iterable[int] | None = None) -> Atom:
        """An array of this type with another number behind its ends, along some of the traced axes."""
        if fill is None:
            return x
        for axis in traced_axes(type) if axes is None else axes:
            length = self.length(cast("Size", type.shape[axis]))
            places = iota(self.b, I32, x.type.shape, axis)
            there = compare(self.b, "lt", places, broadcast_in_dim(self.b, length, x.type.shape, ()))
            x = select(self.b, there, x, _number(fill, x.type))
        return x

    # ------------------------------------------------------------ equations

    def _equation(self, equation: Equation) -> tuple[Atom, ...]:
        op, inputs = equation.op, tuple([self._value(x) for x in equation.inputs])
        if not isinstance(op, Op):
            return self._with_bodies(op, equation, inputs)
        types = tuple([x.type for x in equation.inputs])
        if op.pad is not None:
            return op.pad(self.b, equation.params, types, inputs, self)
        if any(map(traced_axes, (*types, *(y.type for y in equation.outputs)))):
            inputs = self._masked(equation, types, inputs)
        return self.b.emit(op, _BOUNDS.any(equation.params), inputs)

    def _masked(self, equation: Equation, types: Sequence[Tensor], inputs: tuple[Atom, ...]) -> tuple[Atom, ...]:
        """The operands with what may stand behind the ends along axes that the results do not keep."""
        factors = factors_of(equation)
        assert factors is not None
        combined = [_combined(factors, row, type) for row, type in zip(factors.operands, types, strict=True)]
        if not any(combined):
            _require_kept(equation, factors)
            return inputs
        rule = cast("Op[Any]", equation.op).mask
        fills = None if rule is None else rule(equation.params, tuple(types))
        if fills is None:
            raise _needs_size(equation)
        rows = zip(inputs, types, fills, combined, strict=True)
        return tuple([self._filled(x, type, fill, axes) for x, type, fill, axes in rows])

    def _with_bodies(self, op: RegionOp[Any], equation: Equation, inputs: tuple[Atom, ...]) -> tuple[Atom, ...]:
        bodies = tuple(op.bodies(equation.params))
        traced = traced_in_params(equation.params) or any(traced_axes(x.type) for x in equation.inputs)
        if not traced and not any(map(traced_in, bodies)):
            return self.b.emit(op, equation.params, inputs)
        if op.admit is None:
            raise _needs_size(equation)
        around = tuple(self._lengths)
        padded = [_Padding(around, self._rest).function(body) for body in bodies]
        more = tuple([self._lengths[var] for var in around])
        return op.admit(self.b, equation.params, padded, inputs, more, self)


def _number(fill: Fill, type: Tensor) -> Literal:
    """Return a fill as a literal; one that an integer dtype does not have is replaced by a quarter of its range."""
    assert fill is not None
    if type.dtype.is_bool:
        return splat(bool(fill), type)
    if type.dtype.is_integer and not least(type.dtype) <= fill.real <= greatest(type.dtype):
        return splat(2 ** (type.dtype.bits - 2), type)
    return splat(cast("float", fill), type)


def _needs_size(equation: Equation) -> CannotTransform:
    reason = "the size of an axis is decided by the data of a run"
    return CannotTransform(Problem.NEEDS_SIZE, equation.op.name, reason, equation.span)


def _kept(factors: Factors) -> set[int | None]:
    """The numbers of the axes that results keep, element by element."""
    blocks = {number for number, _ in factors.counts}
    return {number for row in factors.results for number in row if number is not None and number not in blocks}


def _combined(factors: Factors, row: Sequence[int | None], type: Tensor) -> list[int]:
    """The traced axes of an operand along which elements meet."""
    kept = _kept(factors)
    return [axis for axis in traced_axes(type) if row[axis] not in kept]


def _require_kept(equation: Equation, factors: Factors) -> None:
    """Demand of each traced axis of a result that an operand has it, or that no operand has its number: it is new."""
    given = {number for row in factors.operands for number in row}
    for y, row in zip(equation.outputs, factors.results, strict=True):
        for axis in traced_axes(y.type):
            if row[axis] is None and given:
                raise _needs_size(equation)
