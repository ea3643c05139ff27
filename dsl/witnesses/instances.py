"""Instances of a definition: arguments for small sizes, default dtypes and static values that satisfy its facts.

Nothing is known here of what an instance is for. Read next: `dsl.types.counterexample`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice, product
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from dsl.core import core
from dsl.ir.function import Tensor
from dsl.staging.env.environment import Variables
from dsl.staging.env.signature_matching import bind_static
from dsl.staging.values import MISSING, Argument, Hidden, Missing, Slot, TupleValue, Value, VariantValue, skeleton
from dsl.types import type as ty
from dsl.types.counterexample import Examples
from dsl.types.dtype import F32, DType
from dsl.types.facts import Eq, Known, Le, Prop, simplified
from dsl.types.limits import Exceeded
from dsl.types.search import definedness, variables
from dsl.types.shape import Shape, ShapeVar, Substitution
from dsl.types.size import Size, SizeVar
from dsl.types.static_argument import argument_text
from dsl.types.walk import shapes_in
from dsl.witnesses.stand_ins import NoStandIn, is_data, stand_in

T = TypeVar("T")
RANKS = (1, 2, 0, 3)
MOST = 64
"""So many choices of static values and ranks are tried."""


class Literals(Struct, frozen=True):
    """The numbers and texts that conditions of a program mention."""

    integers: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()


class Instance(Struct, frozen=True):
    """Arguments of a definition, and what all its variables stand for. `shown` are its sizes and static values by
    name."""

    args: tuple[Argument, ...]
    variables: Hidden
    shown: tuple[tuple[str, str], ...]

    @property
    def key(self) -> str:
        return str(self.shown)


class _Own(Struct, frozen=True):
    """The choice of what the type of a parameter says."""


class _Function(Struct, frozen=True):
    """The choice of a stand-in for a function, inside of a static value."""

    type: ty.FunctionType


_OWN = _Own()
Choice: TypeAlias = Argument | _Own


class Instances:
    """The instances of one definition."""

    def __init__(self, program: core.Program, function: core.Function, literals: Literals) -> None:
        self.program = program
        self.function = function
        self.literals = literals
        self.signature = function.signature

    def first(self, count: int) -> Iterator[Instance]:
        """Instances of the first values of everything that satisfy the facts."""
        return islice(self._choices(()), count)

    def others(self) -> Iterator[Instance]:
        """Instances that differ: each static value, rank and size that conditions mention, alone and together."""
        yield from self._choices(())
        sizes = self._sizes()
        for var, value in product(sizes, self.literals.integers):
            yield from islice(self._choices((Eq(Size.of(var), Size.of(value)),)), 2)
            yield from islice(self._choices((Le(Size.of(value), Size.of(var)),)), 1)
        for value in self.literals.integers:
            yield from islice(self._choices(tuple([Eq(Size.of(var), Size.of(value)) for var in sizes])), 1)

    def near(self, base: Instance) -> Iterator[Instance]:
        """Instances that differ from one in a size that conditions mention."""
        sizes = {var: value for var, value in base.variables if isinstance(var, SizeVar) and isinstance(value, int)}
        for var, value in product(sizes, self.literals.integers if len(sizes) > 1 else ()):
            same = [Eq(Size.of(other), Size.of(each)) for other, each in sizes.items() if other != var]
            for own in (Eq(Size.of(var), Size.of(value)), Le(Size.of(value), Size.of(var))):
                yield from islice(self._choices((own, *same)), 1)

    def where(self, condition: Prop) -> Iterator[Instance]:
        """Instances under a condition in the variables of the definition."""
        return islice(self._choices((condition,)), 2)

    def _sizes(self) -> list[SizeVar]:
        bound = [each.size for p in self.signature.params for each in p.binders() if each.size is not None]
        return list(dict.fromkeys([*bound, *self.signature.sizes, *self.signature.extra_sizes]))

    # ------------------------------------------------------------ choices

    def _choices(self, more: tuple[Prop, ...]) -> Iterator[Instance]:
        shapes = self._shapes()
        values = _near([self._values_of(p) for p in self.signature.params])
        ranks = [*_near([RANKS] * len(shapes))]
        for args, axes in islice(product(islice(values, MOST), ranks), MOST):
            found = self._instance(args, dict(zip(shapes, axes, strict=True)), more)
            if found is not None:
                yield found

    def _shapes(self) -> list[ShapeVar]:
        bound = [each.shape for p in self.signature.params for each in p.binders() if each.shape is not None]
        return list(dict.fromkeys([*bound, *self.signature.shapes]))

    def _values_of(self, parameter: core.Parameter) -> list[Choice]:
        """The values that are tried for a static parameter; for the others there is one, of its type."""
        if parameter.default is not None and not parameter.static and not is_data(parameter.type):
            return [MISSING]  # a function, or what has one in it
        if not parameter.static or parameter.size is not None or parameter.shape is not None:
            return [_OWN]
        if isinstance(parameter.type, ty.FunctionType):
            return [_OWN]
        default = parameter.default
        if parameter.dtype is not None:  # never left out: types of other parameters depend on it
            return [*_dtypes_of(default), _dtype(parameter.dtype.allowed)]
        found: list[Choice] = [*self._static_values(parameter.type)]
        if isinstance(default, core.Const):
            return [default.value, *[each for each in found if each != default.value]]
        return found if default is None else [MISSING, *found]

    def _static_values(self, type_: ty.Type) -> list[Any]:
        match type_:
            case ty.BOOLEAN:
                return [False, True]
            case ty.INT | ty.SIZE:
                return [*dict.fromkeys([2, 1, 0, *self.literals.integers])]
            case ty.FLOAT:
                return [*dict.fromkeys([0.5, *self.literals.floats])]
            case ty.COMPLEX:
                return [0.5 + 0.5j]
            case ty.STRING:
                return [*self.literals.texts, "a"]
            case ty.DTYPE:
                return [F32]
            case ty.NONE:
                return [None]
            case ty.AXES:
                return [0, (0,), (0, 1), None, -1]
            case ty.INTS:
                return [(1, 2)]
            case ty.OptionalType(base):
                return [None, *self._static_values(base)]
            case ty.FunctionType():
                return [_Function(type_)]
            case ty.EnumType(module, name):
                variants = self.program.modules[module].enums[name].variants
                return [made for v in variants for made in self._variants(type_, v)]
            case ty.TupleType(parts):
                return [TupleValue(tuple(each)) for each in _near([self._static_values(part) for part in parts])]
            case _:
                return []

    def _variants(self, type_: ty.EnumType, variant: core.Variant) -> Iterator[Value]:
        fields = [self._static_values(field) for _, field in variant.fields]
        for each in _near(fields):
            yield VariantValue(type_, variant.name, tuple(each))

    # ------------------------------------------------------------ one choice

    def _instance(
        self, args: Sequence[Choice], ranks: Mapping[ShapeVar, int], more: tuple[Prop, ...]
    ) -> Instance | None:
        found = Variables(self.function.solution)
        for var in self.signature.dtypes:
            found.dtypes[var] = _dtype(var.allowed)
        for tree in self.signature.types:
            found.types[tree] = Slot(Tensor(_dtype(tree.constraint.dtypes), ()))
        for parameter, value in zip(self.signature.params, args, strict=True):
            if not isinstance(value, _Own | Missing):
                bind_static(parameter, value, found)
        shapes = {var: _axes(var, rank) for var, rank in ranks.items()}
        put = Substitution({}, shapes, found.substitution().statics)
        sizes = self._solved(put, shapes, more)
        if sizes is None:
            return None
        found.sizes |= {var: value for var, value in sizes.items() if var.id >= 0}
        for shape, axes in shapes.items():
            found.shapes[shape] = tuple([size.evaluate(sizes) for size in axes.sizes or ()])
        try:
            return self._put_together(args, found)
        except NoStandIn:
            return None

    def _solved(
        self, put: Substitution, shapes: Mapping[ShapeVar, Shape], more: tuple[Prop, ...]
    ) -> Mapping[SizeVar, int] | None:
        """Sizes that satisfy the facts, and under which every axis has a size."""
        dims = [put.shape(shape) for p in self.signature.params for shape in shapes_in(p.type)]
        sizes = [size for shape in dims for size in shape.sizes or ()]
        signs = [Le(Size.of(0), size) for size in dict.fromkeys(sizes) if size.constant is None]
        props = [simplified(put.prop(fact)) for fact in (*more, *self.signature.where)]
        if Known(False) in props:
            return None
        wanted = [prop for prop in (*props, *signs) if prop != Known(True)]
        asked = (*wanted, *definedness(wanted))
        own = (*self._sizes(), *chain.from_iterable(s.vars() for shape in shapes.values() for s in shape.sizes or ()))
        search = Examples(tuple(dict.fromkeys((*own, *variables(asked)))), asked)
        try:
            return search.plural() or search.very_small() or search.any()
        except Exceeded:
            return None

    def _put_together(self, args: Sequence[Choice], found: Variables) -> Instance:
        made: list[Argument] = []
        shown: list[tuple[str, str]] = [(var.name, str(value)) for var, value in found.sizes.items()]
        shown += [(var.name, argument_text(value)) for var, value in found.shapes.items()]
        for parameter, value in zip(self.signature.params, args, strict=True):
            made.append(self._argument(parameter, found) if isinstance(value, _Own) else _with_functions(value, found))
            if not isinstance(value, _Own | Missing):
                shown.append((parameter.name, _text(value)))
        hidden: list[tuple[core.Variable, int | tuple[int, ...] | DType | Value]] = [*found.sizes.items()]
        hidden += [*found.shapes.items(), *found.dtypes.items(), *found.types.items()]
        return Instance(tuple(made), tuple(hidden), tuple(shown))

    def _argument(self, parameter: core.Parameter, found: Variables) -> Argument:
        if parameter.size is not None:
            return found.sizes[parameter.size]
        if parameter.shape is not None:
            return found.shapes[parameter.shape]
        if is_data(parameter.type):
            return skeleton(found.skeleton(parameter.type))
        return stand_in(parameter.type, found)


def _with_functions(value: Any, found: Variables) -> Any:
    """A choice with stand-ins for its functions."""
    match value:
        case _Function(type_):
            return stand_in(type_, found)
        case TupleValue(parts):
            return TupleValue(tuple([_with_functions(part, found) for part in parts]))
        case VariantValue(enum, variant, parts):
            return VariantValue(enum, variant, tuple([_with_functions(part, found) for part in parts]))
        case _:
            return value


def _near(lists: Sequence[Sequence[T]]) -> Iterator[tuple[T, ...]]:
    """All choices of one of each list: the first of all, then those that differ from it in one place, then the rest."""
    if not all(lists):
        return
    first = tuple([each[0] for each in lists])
    yield first
    yield from ((*first[:k], other, *first[k + 1 :]) for k, each in enumerate(lists) for other in each[1:])
    for places in product(*[range(len(each)) for each in lists]):
        if sum(map(bool, places)) > 1:
            yield tuple([each[place] for each, place in zip(lists, places, strict=True)])


def _dtypes_of(default: core.Expr | None) -> list[DType]:
    return [default.dtype] if isinstance(default, core.DTypeOf) and isinstance(default.dtype, DType) else []


def _dtype(allowed: Sequence[DType]) -> DType:
    return F32 if F32 in allowed else next((each for each in allowed if each.is_inexact), allowed[0])


def _axes(var: ShapeVar, rank: int) -> Shape:
    names = [SizeVar(-(var.id * 8 + axis + 2), f"{var.name}[{axis}]", not var.signed) for axis in range(rank)]
    return Shape(tuple(map(Size.of, names)))


def _text(value: object) -> str:
    match value:
        case VariantValue(variant=name):
            return name
        case TupleValue(parts):
            return f"({', '.join(map(_text, parts))})"
        case bool() | str() | None:
            return argument_text(value)
        case _Function():
            return "a function"
        case _:
            return str(value)
