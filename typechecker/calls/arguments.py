"""Arguments of functions with rules of their own: bound by name, taken as arrays, axes, static sizes.

Each function refuses what is wrong. Read next: `typechecker.builtins.arrays`, which uses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from msgspec import Struct, field

from dsl.core import core
from dsl.core.binding import Slot
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Element, Type
from dsl.types.walk import with_shape
from typechecker import errors
from typechecker.env.call_record import Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import bounds_only
from typechecker.env.values import Known, Term, static_term
from typechecker.expressions.atoms import make_constant
from typechecker.relations.coercion import Why, coerce, fit
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.size_equations import require_equal
from typechecker.types.size_conditions import require


class Array(Struct, frozen=True):
    """An argument that is an array: its term and its type."""

    term: Term
    type: ty.ArrayType | ty.IndexType

    @property
    def shape(self) -> Shape:
        return self.type.shape

    def dims(self) -> list[Size] | None:
        """Its sizes, if the number of axes is known."""
        return None if self.shape.sizes is None else list(self.shape.sizes)

    def of(self, shape: Shape) -> Type:
        return with_shape(self.type, shape)

    def element(self, ctx: Context) -> Element:
        """Its dtype; `idx` is `i32`."""
        return ctx.body.solver.element(self.type.dtype) if isinstance(self.type, ty.ArrayType) else dt.I32


class Given(Struct, eq=False):
    """The arguments of one call of `name`, by parameter. What is wrong with one is reported, and the call left."""

    ctx: Context
    name: str
    span: Span
    chosen: Mapping[str, Arg] = field(default_factory=dict)

    def array(self, parameter: str) -> Array:
        return array_argument(self.ctx, self.chosen[parameter], self.name, parameter)

    def integer(self, parameter: str) -> Size:
        """A static integer, 0 unless it is given."""
        arg = self.chosen.get(parameter)
        known = Size.of(0) if arg is None else self.ctx.typed(arg.value, ty.INT).known
        if not isinstance(known, Size):
            self.refuse(parameter, "a static integer")
        return known

    def text(self, parameter: str) -> str:
        """A string that the type of the call depends on."""
        why = Why("static", parameter, self.name)
        known = fit(self.ctx, self.ctx.typed(self.chosen[parameter].value), ty.STRING, why).known
        if not isinstance(known, str):
            self.refuse(parameter, "a string, known when the program is checked")
        return known

    def refuse(self, parameter: str, wanted: str) -> NoReturn:
        span = self.chosen[parameter].span if parameter in self.chosen else self.span
        self.ctx.refuse(errors.indices.option_needs(span, name=self.name, option=parameter, wanted=wanted))

    def require_equal(self, left: Size, right: Size) -> None:
        if require_equal(self.ctx, left, right, self.span) is not None:
            self.ctx.refuse(errors.indices.sizes_of_call(self.span, name=self.name, left=left, right=right))

    def require_at_least(self, bound: int, *sizes: Size) -> None:
        """The range conditions `size >= bound`."""
        if not all(require(self.ctx, fa.ge(size, bound), self.span, "range") for size in sizes):
            raise Reported

    def require_class(self, element: Element, allowed: Sequence[dt.DType], term: Term) -> None:
        """Demand that the dtype of an argument is one of these."""
        if not self.ctx.body.solver.restrict(element, allowed):
            needed = next((n for n, found in dt.CLASSES.items() if found == tuple(allowed)), "another dtype")
            self.ctx.refuse(errors.dtypes.operator_needs(self.ctx, self.name, needed, element, term, None, self.span))

    def element(self, *arrays: Array) -> Element:
        """The one dtype of several arrays of numbers."""
        ctx, first = self.ctx, arrays[0]
        own = first.element(ctx)
        for other in arrays[1:]:
            kind = other.element(ctx)
            if not ctx.unify(own, kind):
                found = errors.dtypes.dtypes_differ(ctx, self.name, first.term, other.term, own, kind, self.span)
                ctx.refuse(found)
        self.require_class(own, dt.CLASSES["Num"], first.term)
        return ctx.body.solver.element(own)

    def emit(
        self, intrinsic: str, kind: Type, args: Sequence[Term], known: Known | None = None, **statics: Size | str | Term
    ) -> Term:
        """A call of a primitive."""
        written = [(name, self._written(value).core) for name, value in statics.items()]
        return primitive(intrinsic, kind, args, self.span, written, known)

    def _written(self, value: Size | str | Term) -> Term:
        if isinstance(value, Term):
            return value
        return make_constant(value, self.span) if isinstance(value, str) else static_term(value, ty.INT, self.span)


def array_argument(ctx: Context, arg: Arg, owner: str, parameter: str = "x") -> Array:
    """An argument that must be an array; numbers become one."""
    term = ctx.typed(arg.value)
    kind = ctx.resolve(term.type)
    if isinstance(kind, ty.StaticType):
        term = coerce(ctx, term, as_array(ctx, kind), Why("argument", parameter, owner))
        kind = ctx.resolve(term.type)
    if not isinstance(kind, ty.ArrayType | ty.IndexType):
        ctx.refuse(errors.types.not_an_array(arg.span, ctx, name=owner, term=term))
    return Array(term, kind)


def primitive(
    name: str,
    kind: Type,
    args: Sequence[Term],
    span: Span,
    statics: Sequence[tuple[str, core.Expr]] = (),
    known: Known | None = None,
) -> Term:
    """A call of a primitive."""
    done = core.Intrinsic(span, kind, name, tuple(t.core for t in args), tuple(statics))
    return Term(done, kind, bounds_only(known))


def bind_in_order(
    ctx: Context,
    name: str,
    args: Sequence[Arg],
    names: Sequence[str],
    required: int,
    span: Span,
    keyword: Sequence[str] = ("axis",),
) -> Given:
    """The arguments of a call of `name` by parameter; those of `keyword` are given by name only."""
    slots = [Slot(param, param in keyword, i < required, param == "shape") for i, param in enumerate(names)]
    return Given(ctx, name, span, bind_arguments(ctx, name, slots, args, span))
