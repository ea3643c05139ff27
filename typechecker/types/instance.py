"""Instances of signatures: what the variables of a callee stand for at one call.

`solve` finds the variables by matching parameter types with argument types, and never reports: what does not match
is left for `relate.coerce`, which compares the argument with the substituted parameter and has all the words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from msgspec import field

from dsl.core.core import Meaning, Signature, Variable
from dsl.core.solving import Equations, Place
from dsl.records import replace
from dsl.types import decide
from dsl.types import type as ty
from dsl.types.dtype import BY_NAME
from dsl.types.effect import Axis, Cell, Effect, EffectVar, Row, Site
from dsl.types.facts import Facts, Prop, calls_of, simplified
from dsl.types.shape import Shape, ShapeVar, Splice, StaticArg, StaticName, Substitution, Written
from dsl.types.sites import expanded, record_of, sites_of
from dsl.types.size import Size, SizeVar
from dsl.types.static_parts import static_names
from dsl.types.type import DTypeVar, Element, Type, TypeVar
from dsl.types.walk import add_axes, distribute_axes, map_children, strip
from typechecker.env.generic_dtypes import choices_of, dtype_name, dtypes_where
from typechecker.env.solver import Solver
from typechecker.env.static_values import static_argument
from typechecker.env.values import Known, Parts
from typechecker.types.predicates import present_type

HERE = Place("")
"""The place of what is matched: that all agrees is compared afterwards, where each argument is known."""


_ANY_FUNCTION = ty.FunctionType((), ty.ERROR)


def without_functions(kind: Type, function: Type = _ANY_FUNCTION) -> Type:
    """A type with this in the place of the functions in it, which are looked at last."""
    if isinstance(kind, ty.FunctionType):
        return function
    return map_children(kind, lambda part: without_functions(part, function))


def _unchanged(type_: Type) -> Type:
    return type_


class Instance(Equations, eq=False):
    """The solution of the callee's variables so far. Variables that are not `open` are unchanged: they are the caller's
    own. `widen` makes a type fit for a type variable.

    That all agrees is compared afterwards, with the words for it."""

    solver: Solver
    facts: Facts
    dtypes: dict[DTypeVar, Element] = field(default_factory=dict)
    types: dict[TypeVar, Type] = field(default_factory=dict)
    effects: dict[EffectVar, Row] = field(default_factory=dict)
    statics: dict[StaticName, StaticArg] = field(default_factory=dict)
    open_sizes: frozenset[SizeVar] = frozenset()
    open_shapes: frozenset[ShapeVar] = frozenset()
    widen: Callable[[Type], Type] = _unchanged

    @staticmethod
    def of(signature: Signature, solver: Solver, facts: Facts, widen: Callable[[Type], Type] = _unchanged) -> Instance:
        """Open the variables of a signature."""
        sizes, shapes = frozenset(signature.sizes), frozenset(signature.shapes)
        dtypes: dict[DTypeVar, Element] = {var: solver.fresh(var.allowed, None, var.name) for var in signature.dtypes}
        return Instance(solver, facts, dtypes, open_sizes=sizes, open_shapes=shapes, widen=widen)

    # ---------------------------------------------------------------- substitution

    def substitution(self) -> Substitution:
        statics = {**self.statics, **self._dtypes()} if self.dtypes else self.statics
        return Substitution(self.sizes, self.shapes, statics)

    def _dtypes(self) -> dict[StaticName, StaticArg]:
        """The dtypes that are decided, as sizes and conditions speak of them."""
        found = {dtype_name(var): self.solver.element(element) for var, element in self.dtypes.items()}
        return {
            name: static_argument(element, lambda: 0)
            for name, element in found.items()
            if not self.solver.is_flexible(element)
        }

    def size(self, size: Size) -> Size:
        return self.substitution().size(size)

    def shape(self, shape: Shape) -> Shape:
        return self.substitution().shape(shape)

    def argument(self, arg: StaticArg) -> StaticArg:
        return self.substitution().argument(arg)

    def prop(self, prop: Prop) -> Prop:
        """A condition of the callee in the caller's terms."""
        statics = dict(self.statics)
        if self.dtypes and any(True for _ in calls_of(prop)):
            statics |= {dtype_name(var): self._settled(element) for var, element in self.dtypes.items()}
        return simplified(Substitution(self.sizes, self.shapes, statics).prop(prop))

    def _settled(self, element: Element) -> StaticArg:
        """A dtype that a condition asks for: one that is not decided yet takes its default."""
        usual = self.solver.usual(element)
        self.solver.unify(element, usual)
        return static_argument(usual, lambda: 0)

    def element(self, element: Element) -> Element:
        if isinstance(element, DTypeVar):
            return self.dtypes.get(element, element) if element.of is None else self._computed(element, element.of)
        return element

    def _computed(self, element: DTypeVar, of: StaticArg) -> Element:
        """A dtype that a static value is, in the caller's terms."""
        named = static_names(of)
        own = {name: each for var, each in self.dtypes.items() if (name := dtype_name(var)) in named}
        for each in own.values():
            self._settled(each)
        found = self.argument(of)
        if isinstance(found, Written):
            return BY_NAME[found.text]
        choices = choices_of({name: self.solver.candidates(each) for name, each in own.items()})
        images = [(choice, dtypes_where(of, choice)) for choice in choices]
        if len(own) == 1 and all({image} == {*choice.values()} for choice, image in images):
            return self.solver.element(*own.values())
        allowed = tuple(dict.fromkeys(image for _, image in images if image is not None))
        decided = all(image is not None for _, image in images)
        return replace(element, name=str(found), of=found, allowed=allowed if decided else element.allowed)

    def known(self, known: Known | None) -> Known | None:
        """Return facts about a callee's value in the caller's terms."""
        match known:
            case Size():
                return self.size(known)
            case Shape():
                return self.shape(known)
            case DTypeVar():
                return self.element(known)
            case Parts(items):
                return Parts(tuple(map(self.known, items)))
            case StaticName():
                return None
            case _ if isinstance(known, Prop):
                return self.prop(known)
            case _:
                return known

    def row(self, row: Row) -> Row:
        out: set[Effect] = set()
        for effect in row.effects:
            match effect:
                case EffectVar() if effect in self.effects:
                    out |= self.effects[effect].effects
                case Cell(kind, name, inner):
                    out.add(Cell(kind, name, self.type(inner)))
                case Site(_, _, path, inner):
                    made = replace(effect, path=tuple(map(self.argument, path)), type=self.type(inner))
                    out |= set(expanded(made))
                case Axis(name, size):
                    out.add(Axis(name, None if size is None else self.size(size)))
                case _:
                    out.add(effect)
        return Row(frozenset(out))

    def type(self, type_: Type) -> Type:
        match type_:
            case ty.ArrayType(element, shape):
                return ty.ArrayType(self.element(element), self.shape(shape))
            case ty.IndexType(bound, shape):
                return ty.IndexType(self.size(bound), self.shape(shape))
            case ty.KeyType(shape):
                return ty.KeyType(self.shape(shape))
            case ty.RecordType(fields, name, home, order):
                plain = None if name is None or "[" in name else name
                return ty.RecordType(tuple((n, self.type(t)) for n, t in fields), plain, home, order)
            case ty.StackedType(element, axes):
                return add_axes(self.type(element), self.shape(axes))
            case ty.FunctionType(params, result, effects):
                return ty.FunctionType(tuple(map(self.type, params)), self.type(result), self.row(effects))
            case TypeVar():
                return self.types.get(type_, type_)
            case _:
                return map_children(type_, self.type)

    def solved(self, type_: ty.IndexType) -> Type:
        """A type of indices in the caller's terms; no type while a variable in it stands for nothing yet."""
        open_sizes = self.open_sizes - self.sizes.keys()
        settled = not any(size.vars() & open_sizes for size in (type_.bound, *(type_.shape.sizes or ())))
        return self.type(type_) if settled and type_.shape.sizes is not None else ty.ERROR

    def stands_for(self, variable: Variable) -> Meaning:
        """Return the meaning of a variable."""
        match variable:
            case SizeVar():
                return self.size(Size.of(variable))
            case ShapeVar():
                return self.shape(Shape((Splice(variable),)))
            case DTypeVar():
                return self.element(variable)
            case TypeVar():
                return self.type(variable)
            case _:
                assert_never(variable)

    # ---------------------------------------------------------------- solving

    def meaning(self, variable: SizeVar | ShapeVar) -> Size | Shape | None:
        """Return the solution of a variable; the variable itself if it belongs to the caller."""
        if isinstance(variable, SizeVar):
            found = self.sizes.get(variable)
            return Size.of(variable) if found is None and variable not in self.open_sizes else found
        shape = self.shapes.get(variable)
        return Shape((Splice(variable),)) if shape is None and variable not in self.open_shapes else shape

    def has_axes(self, wanted: Shape, given: Shape, place: Place) -> bool:
        """Of shapes with different numbers of axes, those in front tell sizes, too."""
        return True

    def postpone(self, wanted: Shape, given: Shape, place: Place) -> None:
        """Wait for what others tell of the pieces of a shape; what calls give is compared afterwards."""
        if all(isinstance(dim.of, ShapeVar) for dim in wanted.dims if isinstance(dim, Splice)):
            self.later.append((wanted, given, place))

    def is_apart(self, known: Size | Shape, given: Size | Shape) -> bool:
        """Nothing is compared here."""
        return False

    def solve(self, wanted: Size, given: Size, unknown: SizeVar, place: Place) -> bool:
        """Solve an equation for its one unknown, by all that is known of sizes."""
        solved = decide.solve(self.size(wanted), given, unknown, self.facts)
        if isinstance(solved, decide.Solved):
            self.sizes[unknown] = solved.value
        return True

    def bind_type(self, pattern: Type, actual: Type) -> None:
        """Match a parameter's type with an argument's, and solve what follows."""
        self._bind(pattern, actual)
        self.settle()

    def _bind(self, pattern: Type, actual: Type) -> None:
        match pattern, actual:
            case ty.ArrayType(element, shape), ty.ArrayType(other, actual_shape):
                if isinstance(element, DTypeVar) and element in self.dtypes:
                    self.solver.unify(self.dtypes[element], other)
                self.match(shape, actual_shape, HERE)
            case ty.ArrayType(_, shape), ty.StaticType():
                self.match(shape, Shape(()), HERE)
            case ty.ArrayType(element, shape), ty.IndexType(_, actual_shape):
                self._bind(pattern, self.widen(actual))
            case ty.IndexType(bound, shape), ty.IndexType(other_bound, actual_shape):
                self.equate(bound, other_bound, HERE)
                self.match(shape, actual_shape, HERE)
            case (ty.IndexType(_, shape), ty.ArrayType(_, actual_shape)) | (
                ty.KeyType(shape),
                ty.KeyType(actual_shape),
            ):
                self.match(shape, actual_shape, HERE)
            case ty.TupleType(parts), ty.TupleType(others):
                for part, other_part in zip(parts, others, strict=False):
                    self._bind(part, other_part)
            case ty.RecordType(fields, _), ty.RecordType():
                for name, kind in fields:
                    found = actual.field(name)
                    if found is not None:
                        self._bind(kind, found)
            case ty.StackedType(element, axes), _:
                self._bind_stacked(element, axes, actual)
            case ((ty.TupleType() | ty.RecordType()), ty.StackedType(ty.TupleType() | ty.RecordType())):
                self._bind(pattern, distribute_axes(actual))
            case ty.FunctionType(params, result, _), ty.FunctionType(other_params, other_result, _):
                for part, other_part in zip(params, other_params, strict=False):
                    self._bind(part, other_part)
                self._bind(result, other_result)
                self._bind_row(pattern, actual)
            case ty.OptionalType(base), _:
                self._bind(base, present_type(actual))
            case TypeVar(), _:
                if pattern not in self.types:
                    self.types[pattern] = self.widen(actual)
            case _:
                pass

    def _bind_row(self, pattern: ty.FunctionType, actual: ty.FunctionType) -> None:
        known = {e for e in pattern.effects.effects if not isinstance(e, EffectVar)}
        for whole in [e for e in known if isinstance(e, Site) and not e.path]:
            given = sites_of(actual.effects, whole.operation)
            record = record_of(given)
            if record is not None:
                replace(self, widen=_unchanged)._bind(whole.type, record)
            known |= set(given)
        rest = Row(actual.effects.effects - known)
        for effect in pattern.effects:
            if isinstance(effect, EffectVar):
                self.effects[effect] = self.effects.get(effect, Row()) | rest

    def _bind_stacked(self, element: Type, axes: Shape, actual: Type) -> None:
        match actual:
            case ty.StackedType(inner, outer) if len(outer.dims) == len(axes.dims):
                self.match(axes, outer, HERE)
                self._bind(element, inner)
            case ty.StackedType(inner, outer):
                self.match(axes, Shape(outer.dims[: len(axes.dims)]), HERE)
                self._bind(element, add_axes(inner, Shape(outer.dims[len(axes.dims) :])))
            case _:
                stripped = strip(actual, len(axes.dims))
                if stripped is not None:
                    self.match(axes, stripped[0], HERE)
                    self._bind(element, stripped[1])
