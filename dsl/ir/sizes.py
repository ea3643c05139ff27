"""Sizes that only a run knows, in types of the IR, and functions with integers in their places.

An axis of a `Tensor` whose size data decide has a `Size` over traced variables where others have an integer. It has the
arithmetic of one and compares equal to equal sizes alone; there is no way to use it as a number, so what would have to
know it fails. Knows no op. Read next: `dsl.interp`, which runs such functions with the sizes of the run, and
`dsl.transforms.pad`, which makes programs of them whose arrays have the sizes of their bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, assert_never, cast

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.op import Op
from dsl.ir.walk import equations, functions
from dsl.records import fields, is_record, replace
from dsl.types.size import Atom as SizeAtom
from dsl.types.size import FloorDiv, Max, Min, Mod, Opaque, Size, SizeVar, max_


def is_traced(extent: object) -> bool:
    """Return whether a run decides this size."""
    return type(extent) is Size


def has_room(window: int, extent: int) -> bool:
    """Return whether a window fits an axis; in one whose size a run decides, an element does, where there is any."""
    if window == extent:
        return True
    return not is_traced(window) and 0 <= window <= (1 if is_traced(extent) else extent)


def as_extent(size: Size) -> int:
    """A size as an axis of a `Tensor` has it: an integer, or itself if only a run knows it."""
    known = size.constant
    return cast("int", size) if known is None else known


def at_least(extent: int, least: int) -> int:
    """The larger of a size and an integer."""
    return plain(cast("int", max_(Size.of(extent), Size.of(least)))) if is_traced(extent) else max(extent, least)


def plain(extent: int) -> int:
    """An integer, or a size that is none: what arithmetic of sizes has given, as an axis of a `Tensor` has it."""
    return as_extent(cast("Size", extent)) if is_traced(extent) else extent


def traced_axes(type: Tensor) -> list[int]:
    """The axes of a type whose sizes a run decides."""
    return [axis for axis, extent in enumerate(type.shape) if is_traced(extent)]


def bound(extent: int) -> int:
    """The integer, or the largest that a size can be."""
    return max(_range(Size.of(extent))[1], 0) if is_traced(extent) else extent


def may_hold(part: int, whole: int) -> bool:
    """Return whether one size is at most another, for some run."""
    if not is_traced(part) and not is_traced(whole):
        return part <= whole
    return _range(Size.of(whole) - part)[1] >= 0


def _range(size: Size) -> tuple[int, int]:
    """The least and the largest value of a size, or numbers below and above."""
    low = high = 0
    for monomial, coefficient in size.terms:
        factors = [_range_of(atom) for atom, power in monomial for _ in range(power)]
        ends = reduce(lambda xs, ys: _ends([x * y for x in xs for y in ys]), factors, (coefficient, coefficient))
        low, high = low + ends[0], high + ends[1]
    return low, high


def _range_of(atom: SizeAtom) -> tuple[int, int]:
    match atom:
        case SizeVar():
            return 0, atom.bound or 0
        case FloorDiv(a, b):
            return _ends([x // y for x in _range(a) for y in (max(n, 1) for n in _range(b))])
        case Mod(_, b):
            return 0, max(_range(b)[1] - 1, 0)
        case Min(args):
            return min([_range(x)[0] for x in args]), min([_range(x)[1] for x in args])
        case Max(args):
            return max([_range(x)[0] for x in args]), max([_range(x)[1] for x in args])
        case Opaque():
            raise LookupError(f"nothing bounds {atom}")
        case _:
            assert_never(atom)


def _ends(values: Sequence[int]) -> tuple[int, int]:
    return min(values), max(values)


def traced_in(function: Function) -> frozenset[SizeVar]:
    """The variables in the types of a function and of its bodies, and in the params of their equations."""
    types = (type for part in functions(function) for type in _types(part))
    params = (equation.params for equation in equations(function))
    return frozenset().union(*map(traced_in_params, types), *map(traced_in_params, params))


def traced_in_params(value: Any) -> set[SizeVar]:
    """The variables in the params of an equation, or in a part of them, outside of bodies."""
    match value:
        case Size():
            return {var for var in value.vars() if var.traced}
        case Tensor():
            return {var for axis in traced_axes(value) for var in cast("Size", value.shape[axis]).vars()}
        case tuple():
            return set().union(*map(traced_in_params, value))
        case Function():
            return set()
        case _ if is_record(value):
            return set().union(*[traced_in_params(getattr(value, each.name)) for each in fields(value)])
        case _:
            return set()


def decided_in(function: Function) -> frozenset[SizeVar]:
    """The variables that equations of a function, or of its bodies, decide."""
    return sizes_decided_by(equations(function))


def own_sizes(function: Function) -> frozenset[SizeVar]:
    """The variables that the equations of a function decide, not those of its bodies."""
    return sizes_decided_by(function.equations)


def sizes_decided_by(equations: Iterable[Equation]) -> frozenset[SizeVar]:
    """The variables that equations decide, not those of bodies."""
    deciding = (e.params for e in equations if isinstance(e.op, Op) and e.op.decides)
    return frozenset().union(*map(traced_in_params, deciding))


def sizes_of(equation: Equation) -> set[SizeVar]:
    """The variables in the params of an equation and in the types of what it takes and gives, outside of bodies."""
    types = [x.type for x in (*equation.inputs, *equation.outputs)]
    return traced_in_params(equation.params).union(*map(traced_in_params, types))


def _types(function: Function) -> Iterator[Tensor]:
    yield from function.param_types
    yield from function.result_types
    for equation in function.equations:
        yield from (x.type for x in equation.inputs)
        yield from (y.type for y in equation.outputs)


class Resized(Struct, frozen=True):
    """IR with integers in the places of traced sizes; sizes without a `value` stay."""

    value: Callable[[Size], int]

    def type(self, type: Tensor) -> Tensor:
        """A type with the integers."""
        if not traced_axes(type):
            return type
        return Tensor(type.dtype, tuple([self.any(extent) for extent in type.shape]))

    def atom(self, x: Atom) -> Atom:
        """A literal of the new type; a variable as it is."""
        return Literal(x.value, self.type(x.type)) if isinstance(x, Literal) else x

    def any(self, value: Any) -> Any:
        """The params of an equation, or a part of them."""
        match value:
            case Size():
                return value if value.constant is not None else self.value(value)
            case Tensor():
                return self.type(value)
            case Function():
                return self.function(value)
            case tuple():
                parts = [self.any(part) for part in value]
                return value if all(a is b for a, b in zip(parts, value, strict=True)) else tuple(parts)
            case _ if is_record(value):
                old = {each.name: getattr(value, each.name) for each in fields(value)}
                new = {name: self.any(part) for name, part in old.items()}
                return value if all(new[name] is old[name] for name in old) else replace(value, **new)
            case _:
                return value

    def function(self, function: Function) -> Function:
        """A body with other types, and variables of its own."""
        if not traced_in(function):
            return function
        names: dict[Atom, Atom] = {}

        def renamed(x: Atom) -> Atom:
            return names[x] if isinstance(x, Var) else self.atom(x)

        def made(xs: Iterable[Var]) -> tuple[Var, ...]:
            new = tuple([Var(self.type(x.type)) for x in xs])
            names.update(zip(xs, new, strict=True))
            return new

        params, made_equations = made(function.params), list[Equation]()
        for old in function.equations:
            inputs = tuple([renamed(x) for x in old.inputs])
            made_equations.append(Equation(old.op, self.any(old.params), inputs, made(old.outputs), old.span))
        return Function(function.name, params, tuple(made_equations), tuple([renamed(x) for x in function.results]))


def known_sizes(values: Mapping[SizeVar, int]) -> Resized:
    """IR with the sizes that a run has decided so far."""

    def value(size: Size) -> int:
        return as_extent(size.substitute({var: Size.of(n) for var, n in values.items()}))

    return Resized(value)


def bounds() -> Resized:
    """IR with every size at its bound."""
    return Resized(lambda size: bound(cast("int", size)))
