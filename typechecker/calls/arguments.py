"""Arguments of functions with rules of their own: bound by name, taken as arrays, axes, static sizes.

Each function reports what is wrong and then gives None. Read next: `typechecker.builtins.arrays`, which uses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct, field

from dsl.core import core
from dsl.core.binding import Slot
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.env.call_record import Arg, bind_arguments
from typechecker.env.context import Context
from typechecker.env.value_facts import bounds_only
from typechecker.env.values import Known, Nothing, Parts, Term, static_term
from typechecker.errors import arrays as array_errors
from typechecker.errors import dtypes as dtype_errors
from typechecker.errors import types as type_errors
from typechecker.expressions.atoms import make_constant, make_tuple
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.size_equations import require_equal
from typechecker.types.size_conditions import require

Nested: TypeAlias = "Size | str | dt.DType | tuple[Nested, ...] | None"


class Array(Struct, frozen=True):
    """An argument that is an array: its term and its type."""

    term: Term
    type: ty.ArrayType | ty.IndexType

    @property
    def shape(self) -> Shape:
        return self.type.shape

    def dims(self) -> list[Size] | None:
        """Its sizes, if the number of axes is known."""
        dims = [d for d in self.shape.dims if isinstance(d, Size)]
        return dims if len(dims) == len(self.shape.dims) else None

    def of(self, shape: Shape) -> Type:
        return (
            ty.IndexType(self.type.bound, shape)
            if isinstance(self.type, ty.IndexType)
            else ty.ArrayType(self.type.dtype, shape)
        )


class Given(Struct, eq=False):
    """The arguments of one call of `name`, by parameter."""

    ctx: Context
    name: str
    span: Span
    chosen: Mapping[str, Arg] = field(default_factory=dict)

    def array(self, parameter: str) -> Array | None:
        """An argument that must be an array; numbers become one."""
        arg = self.chosen[parameter]
        term = self.ctx.infer(arg.value)
        kind = self.ctx.resolve(term.type)
        if isinstance(kind, ty.StaticType):
            term = coerce(self.ctx, term, as_array(self.ctx, kind), Why("argument", parameter, self.name))
            kind = self.ctx.resolve(term.type)
        if isinstance(kind, ty.ArrayType | ty.IndexType):
            return Array(term, kind)
        if kind != ty.ERROR:
            self.ctx.report(type_errors.not_an_array(arg.span, self.ctx, name=self.name, term=term))
        return None

    def ranked(
        self, parameter: str, wanted: str = "an array whose number of axes is known"
    ) -> tuple[Array, list[Size]] | None:
        """An array with its sizes."""
        found = self.array(parameter)
        if found is None:
            return None
        dims = found.dims()
        if dims is None:
            self.ctx.report(array_errors.rank_needed(self.name, wanted, found.shape, self.chosen[parameter].span))
            return None
        return found, dims

    def static(self, parameter: str, default: Nested) -> tuple[bool, Nested]:
        """A static option: sizes and texts, nested. The first is False after a report."""
        arg = self.chosen.get(parameter)
        if arg is None:
            return True, default
        with self.ctx.attempt() as attempt:
            try:
                return True, self._static(arg.value)
            except LookupError:
                pass
        if not attempt.failed:
            self.refuse(parameter, "static: integers, tuples of them, a string or none")
        return False, None

    def _static(self, value: ast.Expr | Term) -> Nested:
        if isinstance(value, ast.ListLit | ast.TupleLit):
            return tuple(self._static(i) for i in value.items if not isinstance(i, ast.Splice))
        return _nested(self.ctx.infer(value).known)

    def refuse(self, parameter: str, wanted: str) -> None:
        span = self.chosen[parameter].span if parameter in self.chosen else self.span
        self.ctx.report(array_errors.option_needs(span, name=self.name, option=parameter, wanted=wanted))

    def axis(self, value: Nested, rank: int, parameter: str = "axis") -> int | None:
        """A literal axis of an array of this rank, counted from the front."""
        number = value.constant if isinstance(value, Size) else None
        if number is not None and -rank <= number < rank:
            return number % rank
        self.refuse(parameter, f"an axis from {-rank} to {rank - 1}" if rank else "an axis, but a scalar has none")
        return None

    def equal(self, left: Size, right: Size) -> bool:
        if require_equal(self.ctx, left, right, self.span) is None:
            return True
        self.ctx.report(array_errors.sizes_of_call(self.span, name=self.name, left=left, right=right))
        return False

    def at_least(self, size: Size, bound: int) -> bool:
        """The range condition `size >= bound`."""
        return require(self.ctx, fa.ge(size, bound), self.span, "range")

    def element(self, *arrays: Array, allowed: Sequence[dt.DType] = dt.CLASSES["Num"]) -> dt.DType | ty.DTypeVar | None:
        """The one dtype of several arrays."""
        first = arrays[0]
        solver = self.ctx.body.solver
        own = [dt.I32 if isinstance(a.type, ty.IndexType) else a.type.dtype for a in arrays]
        for other, kind in zip(arrays[1:], own[1:], strict=True):
            if not solver.unify(own[0], kind):
                self.ctx.report(
                    dtype_errors.dtypes_differ(self.ctx, self.name, first.term, other.term, own[0], kind, self.span)
                )
                return None
        if not solver.restrict(own[0], allowed):
            needed = next((n for n, found in dt.CLASSES.items() if found == tuple(allowed)), "another dtype")
            self.ctx.report(
                dtype_errors.operator_needs(self.ctx, self.name, needed, own[0], first.term, None, self.span)
            )
            return None
        return solver.element(own[0])

    def emit(
        self, intrinsic: str, kind: Type, args: Sequence[Term], known: Known | None = None, **statics: Nested
    ) -> Term:
        """A call of a primitive."""
        written = tuple((name, written_static(value, self.span).core) for name, value in statics.items())
        made = core.Intrinsic(self.span, kind, intrinsic, tuple(a.core for a in args), written)
        return Term(made, kind, bounds_only(known))


def bind_in_order(
    ctx: Context,
    name: str,
    args: Sequence[Arg],
    names: Sequence[str],
    required: int,
    span: Span,
    keyword: Sequence[str] = ("axis",),
) -> Given:
    """The arguments of a call of `name`."""
    return Given(ctx, name, span, bind_by_parameter(ctx, name, args, names, required, span, keyword))


def bind_by_parameter(
    ctx: Context,
    name: str,
    args: Sequence[Arg],
    names: Sequence[str],
    required: int,
    span: Span,
    keyword: Sequence[str] = ("axis",),
) -> dict[str, Arg]:
    """The arguments by parameter; those of `keyword` are given by name only."""
    slots = [Slot(param, param in keyword, i < required, param == "shape") for i, param in enumerate(names)]
    return bind_arguments(ctx, name, slots, args, span)


def each(value: Nested) -> tuple[Nested, ...]:
    """The items of a list; a value alone is a list of one."""
    return value if isinstance(value, tuple) else (value,)


def _nested(known: Known | None) -> Nested:
    match known:
        case Size() | str():
            return known
        case Nothing():
            return None
        case Shape(dims) if all(isinstance(d, Size) for d in dims):
            return tuple(d for d in dims if isinstance(d, Size))
        case Parts(items):
            return tuple(map(_nested, items))
        case _:
            raise LookupError


def written_static(value: Nested, span: Span) -> Term:
    """A static value as an expression."""
    match value:
        case None | str():
            return make_constant(value, span)
        case dt.DType():
            return static_term(value, ty.DTYPE, span)
        case tuple():
            return make_tuple([written_static(v, span) for v in value], span)
        case _:
            return static_term(value, ty.INT, span)
