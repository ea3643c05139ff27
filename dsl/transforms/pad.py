"""Padding: a function with sizes that a run decides becomes one whose arrays have the sizes of their bounds.

Each traced size has a length, an i32, beside the arrays. An axis that an op keeps, by its declared factors, needs
nothing: what stands behind the end stays there. Where an op combines elements along an axis, what stands behind the end
is replaced by what its rule `mask` declares before. Lengths go into bodies as constants. Derivatives and maps come
before this pass, so what they have emitted is masked like all else. It knows no op. Read next: `dsl.ops.ragged`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.op import Factors, Fill, Op, RegionOp
from dsl.ir.region import CannotTransform, Problem
from dsl.ir.sizes import bound, bounds, decided_in, traced_axes, traced_in, traced_in_params
from dsl.ops.dynamic import dynamic_slice, dynamic_update_slice
from dsl.ops.elementwise import add, compare, div, mul, select, sub
from dsl.ops.extent import iota
from dsl.ops.extent import pad as pad_with
from dsl.ops.factors import reshaped
from dsl.ops.index import WindowParams, gather_if_any
from dsl.ops.layout import broadcast_in_dim, reshape
from dsl.ops.ragged import polynomial
from dsl.ops.reduce import greatest, least
from dsl.ops.rule_helpers import splat, zeros
from dsl.transforms.layouts import factors_of
from dsl.types.dtype import I32
from dsl.types.size import Size, SizeVar, max_

_SCALAR = Tensor(I32)
_BOUNDS = bounds()
_ELEMENTS = WindowParams((), (0,), (), (), (0,), (1,))


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

    def filled(self, x: Atom, type: Tensor, fill: Fill | Atom) -> Atom:
        """See `Lengths`."""
        return self._filled(x, type, fill)

    def shifted(self, x: Atom, axis: int, by: Size, size: int, fill: Atom | None = None) -> Atom:
        """See `Lengths`."""
        around, starts = [0] * x.type.rank, [splat(0, _SCALAR)] * x.type.rank
        around[axis] = size
        wide = pad_with(
            self.b, x, zeros(Tensor(x.type.dtype)) if fill is None else fill, around, around, [0] * x.type.rank
        )
        at: list[Atom] = [*starts]
        at[axis] = self.length(by + size)
        return dynamic_slice(self.b, wide, at, [*x.type.shape[:axis], size, *x.type.shape[axis + 1 :]])

    def placed(self, x: Atom, part: Atom, axis: int, at: Size) -> Atom:
        """See `Lengths`."""
        starts: list[Atom] = [splat(0, _SCALAR)] * x.type.rank
        starts[axis] = self.length(at)
        return dynamic_update_slice(self.b, x, part, starts)

    def reshaped(self, x: Atom, type: Tensor, shape: tuple[int, ...]) -> Atom:
        """See `Lengths`. Where each axis whose size data decide is the first of those that are merged or split, nothing
        moves; else each element is looked up."""
        b, padded, after = self.b, tuple(map(bound, shape)), Tensor(type.dtype, shape)
        numbers = zip(reshaped(type.shape, shape), (type, after), strict=True)
        if all(row[axis] is not None for row, each in numbers for axis in traced_axes(each)):
            return reshape(b, x, padded)
        whole = Tensor(I32, padded)
        place: Atom = zeros(whole)
        for axis, size in enumerate(shape):
            place = add(b, mul(b, place, self._spread(Size.of(size), whole)), iota(b, I32, padded, axis))
        found: Atom = zeros(whole)
        for axis in reversed(range(type.rank)):
            count = self._spread(max_(Size.of(type.shape[axis]), Size.of(1)), whole)
            rest = div(b, place, count)
            step = splat(prod(x.type.shape[axis + 1 :]), whole)
            found, place = add(b, found, mul(b, sub(b, place, mul(b, rest, count)), step)), rest
        return gather_if_any(b, _ELEMENTS, reshape(b, x, (x.type.size,)), reshape(b, found, (*padded, 1)))

    def _spread(self, size: Size, type: Tensor) -> Atom:
        return broadcast_in_dim(self.b, self.length(size), type.shape, ())

    def _filled(self, x: Atom, type: Tensor, fill: Fill | Atom, axes: Iterable[int] | None = None) -> Atom:
        """An array of this type with another number behind its ends, along some of the traced axes."""
        if fill is None:
            return x
        number = fill if isinstance(fill, Var | Literal) else _number(fill, x.type)
        for axis in traced_axes(type) if axes is None else axes:
            length = self.length(cast("Size", type.shape[axis]))
            places = iota(self.b, I32, x.type.shape, axis)
            there = compare(self.b, "lt", places, broadcast_in_dim(self.b, length, x.type.shape, ()))
            x = select(self.b, there, x, broadcast_in_dim(self.b, number, x.type.shape, ()))
        return x

    # ------------------------------------------------------------ equations

    def _equation(self, equation: Equation) -> tuple[Atom, ...]:
        op, inputs = equation.op, tuple([self._value(x) for x in equation.inputs])
        if not isinstance(op, Op):
            return self._with_bodies(op, equation, inputs)
        types = tuple([x.type for x in equation.inputs])
        traced = any(map(traced_axes, (*types, *(y.type for y in equation.outputs))))
        if op.pad is not None and (traced or traced_in_params(equation.params)):
            return op.pad(self.b, equation.params, types, inputs, self)
        if traced:
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
