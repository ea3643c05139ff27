"""Shapes: lists of sizes, shape variables and calls of shape functions that are not computed yet.

`[n, *s, 3]` is `Shape((n, Splice(s), 3))`. A call keeps the function that computes it, so that a
substitution which makes its arguments known computes it. What the shape functions mean, and what is known of
them while they are stuck, is in `shapefn`; how single sizes are decided is in `decide`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import reduce
from operator import is_
from types import MappingProxyType
from typing import Any, TypeAlias, cast

from msgspec import Struct

from dsl.types.facts import Facts, Known, Prop, map_prop
from dsl.types.limits import ELEMENTS, Exceeded, Growth, nested
from dsl.types.names import ShapeVar as ShapeVar
from dsl.types.names import StaticName as StaticName
from dsl.types.names import Written as Written
from dsl.types.node import Keyed, Node, once
from dsl.types.size import Atom, Opaque, Size, SizeVar, parts, rebuild
from dsl.types.static_argument import argument_text, call_text, is_called, operand_text


class _Argument(Node):
    """The interface of arguments that contain sizes: `SizeDependent`."""

    __slots__ = ()

    @once
    def weight(self) -> int:
        return sum([size.weight for size in _sizes(self)])

    def map_atoms(self, rename: Callable[[Atom], Size]) -> StaticArg:
        return _map_argument(cast("StaticArg", self), rename)

    def as_argument(self) -> str:
        return str(self)


class StaticVariant(_Argument, Struct, frozen=True, cache_hash=True, dict=True):
    """A value of an enum, or a size given for a `T?`: of the variant `PRESENT`."""

    name: str
    args: tuple[StaticArg, ...] = ()

    def parts(self) -> Iterator[StaticArg]:
        return _flat(self.args)

    def __str__(self) -> str:
        return call_text(self.name, self.args) if self.args else self.name


class Computed(Keyed, _Argument, Struct, frozen=True, eq=False, dict=True):
    """A static value, not a size, that is computed from others that are not known yet, such as `2.0 * a`. `compute`
    gives it for other arguments, this very computation again while one of them is not known. Those that are shapes are
    the calls in shapes."""

    function: str
    args: tuple[StaticArg, ...]
    compute: Callable[..., Any]

    @property
    def identity(self) -> Hashable:
        return self.function, self.args

    def __repr__(self) -> str:
        return f"{type(self).__name__}(function={self.function!r}, args={self.args!r})"

    def parts(self) -> Iterator[StaticArg]:
        return _flat(self.args)

    def __str__(self) -> str:
        if is_called(self.function):
            return call_text(self.function, self.args)
        shown = [f"({arg})" if isinstance(arg, Computed) else operand_text(arg) for arg in self.args]
        return f"{self.function}{shown[0]}" if len(shown) == 1 else f" {self.function} ".join(shown)


class StaticChoice(_Argument, Struct, frozen=True, cache_hash=True, dict=True):
    """One of two static values, by a condition that is not decided yet."""

    condition: Prop
    then: StaticArg
    orelse: StaticArg

    def parts(self) -> Iterator[Prop | StaticArg]:
        yield self.condition
        yield from _flat((self.then, self.orelse))

    @staticmethod
    def of(condition: Prop, then: StaticArg, orelse: StaticArg) -> StaticArg:
        """The value itself, where the condition does not matter."""
        if isinstance(condition, Known) or then == orelse:
            return orelse if condition == Known(False) else then
        return StaticChoice(condition, then, orelse)

    def __str__(self) -> str:
        then, orelse = map(argument_text, (self.then, self.orelse))
        return f"(if {self.condition} then {then} else {orelse})"


PRESENT = ""
"""The variant of what is given for a `T?`, which is written as what stands in it."""
RANK = "len"
EQUATING = ("broadcasted", "stretched", "reshaped", "contracted")
"""Shape functions of two shapes that need sizes to be equal."""
CHOICE = "if"
"""The shape function of a condition and two shapes."""

StaticArg: TypeAlias = (
    "Shape | Size | StaticName | StaticVariant | StaticChoice | Computed | Written | int | str | bool"
    " | tuple[StaticArg, ...] | None"
)


class ShapeCall(Computed, frozen=True, eq=False, dict=True):
    """A call of a shape function. `compute` gives its shape for new arguments: this very call again if it is
    stuck or fails (`shapefn.failures` says why)."""

    def __post_init__(self) -> None:
        nested(self.weight - 1)

    @once
    def weight(self) -> int:
        return 1 + sum([arg.weight for arg in self.args if isinstance(arg, Shape | Size)])

    def with_args(self, args: tuple[StaticArg, ...]) -> Shape:
        found: Shape = Shape((Splice(self),)) if args == self.args else self.compute(*args)
        return found

    def __str__(self) -> str:
        if self.function == CHOICE:
            condition, then, orelse = map(str, self.args)
            return f"(if {condition.removeprefix('(').removesuffix(')')} then {then} else {orelse})"
        return call_text(self.function, self.args)


class Splice(Node, Struct, frozen=True, cache_hash=True, dict=True):
    """`*s` inside a shape: any number of axes."""

    of: ShapeVar | ShapeCall

    def parts(self) -> tuple[ShapeVar | ShapeCall]:
        return (self.of,)

    @property
    def weight(self) -> int:
        return self.of.weight

    def __str__(self) -> str:
        return f"*{self.of}"


Dim: TypeAlias = Size | Splice


class Shape(_Argument, Struct, frozen=True, cache_hash=True, dict=True):
    """A list of axes. Build it with `Shape.of`, which takes integers, variables and other shapes too."""

    dims: tuple[Dim, ...] = ()

    def __post_init__(self) -> None:
        if len(self.dims) > ELEMENTS:
            raise Exceeded(Growth.ELEMENTS)

    def parts(self) -> tuple[Dim, ...]:
        return self.dims

    @staticmethod
    def of(*dims: Shape | Dim | ShapeVar | ShapeCall | SizeVar | int) -> Shape:
        parts: list[Dim] = []
        for dim in dims:
            match dim:
                case Shape(inner):
                    parts.extend(inner)
                case ShapeVar() | ShapeCall():
                    parts.append(Splice(dim))
                case Splice():
                    parts.append(dim)
                case _:
                    parts.append(Size.of(dim))
        return Shape(tuple(parts))

    @once
    def weight(self) -> int:
        """How many atoms there are in it."""
        return sum([dim.weight for dim in self.dims])

    @property
    def rank(self) -> int | None:
        """The number of axes, if it is known."""
        return None if Splice in map(type, self.dims) else len(self.dims)

    @property
    def sizes(self) -> tuple[Size, ...] | None:
        """The sizes, if the rank is known."""
        sizes = tuple(dim for dim in self.dims if isinstance(dim, Size))
        return sizes if len(sizes) == len(self.dims) else None

    @property
    def literal(self) -> tuple[int, ...] | None:
        """The shape as integers, if it is known entirely."""
        values = tuple(v for dim in self.dims if isinstance(dim, Size) and (v := dim.constant) is not None)
        return values if len(values) == len(self.dims) else None

    @property
    def leading(self) -> int:
        """How many axes at the front are sizes."""
        return next((i for i, dim in enumerate(self.dims) if isinstance(dim, Splice)), len(self.dims))

    @property
    def trailing(self) -> int:
        """How many axes at the end are sizes."""
        backwards = enumerate(reversed(self.dims))
        return next((i for i, dim in backwards if isinstance(dim, Splice)), len(self.dims))

    def __add__(self, other: Shape) -> Shape:
        return Shape(self.dims + other.dims)

    def product(self) -> Size:
        """The number of elements; for axes that are not known a call `prod(s)`."""
        return reduce(lambda total, dim: total * _dim_product(dim), self.dims, Size.of(1))

    def rank_size(self) -> Size:
        """The rank as a size; for axes that are not known a call `len(s)`."""
        return reduce(lambda total, dim: total + _dim_rank(dim), self.dims, Size.of(0))

    def axis(self, index: int) -> Size:
        """The size of one axis, negative ones from the end; a call `extent(s, index)` if it is not known which
        it is. Raises IndexError if the rank is known and too small."""
        if (0 <= index < self.leading) or (-self.trailing <= index < 0):
            dim = self.dims[index]
            assert isinstance(dim, Size)
            return dim
        if self.rank is not None:
            raise IndexError(f"no axis {index} in {self}")
        return Size.of(Opaque("extent", (self, index), True, _axis_of))

    def substitute(
        self,
        sizes: Mapping[SizeVar, Size],
        shapes: Mapping[ShapeVar, Shape] | None = None,
        statics: Mapping[StaticName, StaticArg] | None = None,
    ) -> Shape:
        """Replace variables everywhere, at once, and compute what became known."""
        return Substitution(sizes, shapes or {}, statics or {}).shape(self)

    def map_atoms(self, rename: Callable[[Atom], Size]) -> Shape:
        """The shape with the atoms of its sizes replaced."""
        if not self.inside:
            return self
        new = [_map_dim(dim, rename) for dim in self.dims]
        return self if all(map(is_, new, self.dims)) else Shape.of(*new)

    def shape_vars(self) -> frozenset[ShapeVar]:
        """All shape variables, those in calls too."""
        return frozenset(_shape_vars_in(self))

    def calls(self) -> Iterator[ShapeCall]:
        """The stuck calls, those inside others and inside sizes too."""
        return _with_inner(own_calls(self))

    def as_argument(self) -> str:
        """The text of the shape as an argument: `s` for `[*s]`."""
        return str(self.dims[0]).removeprefix("*") if self.rank is None and len(self.dims) == 1 else str(self)

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.dims))}]"


def own_calls(*given: object) -> Iterator[ShapeCall]:
    """The stuck calls in shapes and in what sizes are made of; none inside others."""
    for part in given:
        match part:
            case Splice(ShapeCall() as call):
                yield call
            case Shape(dims):
                yield from own_calls(*dims)
            case Size() if part.inside:
                yield from own_calls(*[inner for atom in part.own_atoms() for inner in parts(atom)])


def _with_inner(calls: Iterator[ShapeCall]) -> Iterator[ShapeCall]:
    for call in calls:
        yield call
        yield from _with_inner(own_calls(*call.args))


# Sizes of what is not known.


def _dim_product(dim: Dim) -> Size:
    if isinstance(dim, Size):
        return dim
    if isinstance(dim.of, ShapeCall) and dim.of.function == "permuted" and isinstance(dim.of.args[0], Shape):
        return dim.of.args[0].product()
    return Size.of(Opaque("prod", (Shape((dim,)),), True, _product_of))


def _dim_rank(dim: Dim) -> Size:
    if isinstance(dim, Size):
        return Size.of(1)
    same = rank_source(dim.of)
    if same is not None:
        return same.rank_size()
    return Size.of(Opaque(RANK, (Shape((dim,)),), True, _rank_of))


def rank_source(of: ShapeVar | ShapeCall) -> Shape | None:
    """The argument whose rank a stuck call has, whatever else becomes of it."""
    if isinstance(of, ShapeVar) or not isinstance(of.args[0], Shape):
        return None
    kept = of.function == "reduced" and of.args[2] is True
    keeps = kept or of.function in ("permuted", "replaced", "swapped", "transposed")
    return of.args[0] if keeps else None


def _product_of(shape: Hashable) -> Size | None:
    assert isinstance(shape, Shape)
    return None if _is_bare(shape) else shape.product()


def _rank_of(shape: Hashable) -> Size | None:
    assert isinstance(shape, Shape)
    return None if _is_bare(shape) else shape.rank_size()


def _is_bare(shape: Shape) -> bool:
    return len(shape.dims) == 1 and isinstance(shape.dims[0], Splice) and not _has_law(shape.dims[0].of)


def _has_law(of: ShapeVar | ShapeCall) -> bool:
    return isinstance(of, ShapeCall) and of.function == "permuted"


def _axis_of(shape: Hashable, index: Hashable) -> Size | None:
    """Return the value of `extent(shape, index)`; 0 for an axis that does not exist."""
    assert isinstance(shape, Shape) and isinstance(index, int)
    if shape.rank is not None and not -shape.rank <= index < shape.rank:
        return Size.of(0)
    known = (0 <= index < shape.leading) or (-shape.trailing <= index < 0)
    return shape.axis(index) if known else None


# Substitution.


class Substitution(Struct, frozen=True):
    """A substitution of size variables, shape variables and static names."""

    sizes: Mapping[SizeVar, Size] = MappingProxyType({})
    shapes: Mapping[ShapeVar, Shape] = MappingProxyType({})
    statics: Mapping[StaticName, StaticArg] = MappingProxyType({})

    def size(self, size: Size) -> Size:
        return size.map_atoms(self._atom) if self.sizes or self.shapes or self.statics else size

    def shape(self, shape: Shape) -> Shape:
        return Shape.of(*map(self._dim, shape.dims))

    def prop(self, prop: Prop) -> Prop:
        return map_prop(prop, self.size, self._opaque_argument)

    def facts(self, facts: Facts) -> Facts:
        return Facts().assume(*map(self.prop, facts.props))

    def argument(self, arg: StaticArg) -> StaticArg:
        match arg:
            case Shape():
                return self.shape(arg)
            case Size():
                return self.size(arg)
            case StaticName():
                return self.statics.get(arg, arg)
            case tuple():
                return tuple(map(self.argument, arg))
            case StaticVariant(name, args):
                return StaticVariant(name, tuple(map(self.argument, args)))
            case StaticChoice(condition, then, orelse):
                return StaticChoice.of(self.prop(condition), self.argument(then), self.argument(orelse))
            case Computed(_, args, compute):
                return cast("StaticArg", compute(*map(self.argument, args)))
            case _:
                return arg

    def _dim(self, dim: Dim) -> Shape | Dim:
        match dim:
            case Size():
                return self.size(dim)
            case Splice(ShapeVar() as var):
                return self.shapes.get(var, dim)
            case Splice(ShapeCall() as call):
                return call.with_args(tuple(map(self.argument, call.args)))
            case _:
                return dim

    def _atom(self, atom: Atom) -> Size:
        match atom:
            case SizeVar():
                return self.sizes.get(atom) or Size.of(atom)
            case Opaque(args=args):
                return atom.with_args(tuple(self._opaque_argument(arg) for arg in args))
            case _:
                return rebuild(atom, self._atom)

    def _opaque_argument(self, arg: Hashable) -> Hashable:
        if isinstance(arg, Shape | Size | StaticName | StaticVariant | StaticChoice | Computed | tuple):
            return self.argument(arg)
        return arg


def _map_dim(dim: Dim, rename: Callable[[Atom], Size]) -> Shape | Dim:
    match dim:
        case Size():
            return dim.map_atoms(rename)
        case Splice(ShapeCall() as call) if call.inside:
            args = tuple([_map_argument(arg, rename) for arg in call.args])
            return dim if all(map(is_, args, call.args)) else call.with_args(args)
        case _:
            return dim


def _map_argument(arg: StaticArg, rename: Callable[[Atom], Size]) -> StaticArg:
    def again(part: StaticArg) -> StaticArg:
        return _map_argument(part, rename)

    match arg:
        case Shape() | Size():
            return arg.map_atoms(rename)
        case tuple():
            parts = tuple(map(again, arg))
            return arg if all(map(is_, parts, arg)) else parts
        case StaticVariant(name, args):
            new = again(args)
            return arg if new is args else StaticVariant(name, cast("tuple[StaticArg, ...]", new))
        case StaticChoice(condition, then, orelse):
            changed = map_prop(condition, lambda size: size.map_atoms(rename))
            return StaticChoice.of(changed, again(then), again(orelse))
        case Computed(_, args, compute):
            parts = tuple(map(again, args))
            return arg if parts == args else compute(*parts)
        case _:
            return arg


def _sizes(node: Node) -> Iterator[Size]:
    """The sizes in it, none inside others."""
    for part in node.parts():
        if isinstance(part, Size):
            yield part
        elif isinstance(part, Node):
            yield from _sizes(part)


def _flat(args: tuple[StaticArg, ...]) -> Iterator[StaticArg]:
    """Arguments without the tuples around them."""
    for arg in args:
        if isinstance(arg, tuple):
            yield from _flat(arg)
        else:
            yield arg


def _shape_vars_in(arg: Hashable) -> Iterator[ShapeVar]:
    match arg:
        case Size():
            for atom in arg.atoms():
                if isinstance(atom, Opaque):
                    yield from _shape_vars_in(atom.args)
        case Splice(ShapeVar() as var):
            yield var
        case Shape(inside) | Splice(ShapeCall(_, inside)) | StaticVariant(_, inside) | Computed(_, inside):
            yield from _shape_vars_in(inside)
        case tuple():
            for part in arg:
                yield from _shape_vars_in(part)
