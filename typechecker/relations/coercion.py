"""How a checked expression is made to fit a type: the one place of subsumption.

`coerce` compares leaf by leaf, lets static numbers take dtypes, widens `idx`, and reports what does not fit with the
reason why the type was expected. `join` finds the common type of branches and items.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.decide import Refuted, normalise
from dsl.types.facts import And, ge, le, lt
from dsl.types.shape import Shape
from dsl.types.shapefn.stuck import is_shape, is_signed
from dsl.types.size import Size, max_
from dsl.types.static_parts import Gap, has_gap
from dsl.types.type import Element, Type
from dsl.types.walk import distribute_axes, part_names, with_parts, zip_children
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.known_parts import Name, facts_of_parts, list_of_sizes
from typechecker.env.reports import Reported
from typechecker.env.value_facts import with_range
from typechecker.env.values import (
    Elementwise,
    Known,
    Nothing,
    Parts,
    Term,
    Traced,
)
from typechecker.relations.components import (
    Part,
    literal_components,
    project,
    rebuild,
    value,
    with_function,
    with_functions,
    with_value,
)
from typechecker.relations.components import parts as parts_of
from typechecker.relations.numeric_literals import number_misfit
from typechecker.relations.size_equations import require_equal_shapes, same_shape
from typechecker.types.predicates import NUMBERS, holds_error, holds_function, is_number, is_traced, present_type


class Why(Struct, frozen=True):
    """Why a type was expected: as data, for the words of `errors`. `name` is the parameter, carry, field …"""

    kind: Literal[
        "argument",
        "result",
        "annotation",
        "carry",
        "branch",
        "item",
        "static",
        "operand",
        "cell",
        "record",
        "rule",
        "default",
        "cast",
    ]
    name: str = ""
    owner: str = ""
    declared: Span | None = None


def coerce(ctx: Context, term: Term, target: Type, why: Why, span: Span | None = None) -> Term:
    """The term as a `target`; reports a mismatch at the term and goes on as if it fitted."""
    place = span or value_span(term.core)
    source, target = ctx.resolve(term.type), ctx.resolve(target)
    return _fitted(_Fit(ctx, why, place, source, target), term, source, target, "")


def fit(ctx: Context, term: Term, target: Type, why: Why, span: Span | None = None) -> Term:
    """Fit a term without which the enclosing expression has no type."""
    with ctx.attempt() as attempt:
        fitted = coerce(ctx, term, target, why, span)
    if attempt.failed:
        raise Reported
    return fitted


def value_span(node: core.Expr) -> Span:
    """The place of the expression that gives a value: the last one of a block."""
    return value(node).span


def _fitted(fit: _Fit, term: Term, source: Type, target: Type, path: str) -> Term:
    """The term as what the target has at `path`; a tuple or record that is written out is compared part by part."""
    ctx = fit.ctx

    def as_function(part: Term, type_: ty.FunctionType) -> Term:
        return ctx.program.rules.as_function(ctx, part, type_, fit.why, fit.span)

    if source == ty.ERROR or target == ty.ERROR:
        return Term(term.core, target, None)
    if source == target and not holds_function(target):
        return Term(term.core, target, term.known)
    if isinstance(target, ty.OptionalType) and not isinstance(source, ty.OptionalType) and holds_function(source):
        present = _fitted(fit, term, source, target.base, path)
        return Term(present.core, target, present.known)
    if isinstance(target, ty.FunctionType):
        as_it_is = target.result == ty.ERROR and isinstance(source, ty.FunctionType)
        return term if as_it_is else with_function(ctx, term, target, as_function)
    parts = literal_components(ctx, term, source, target)
    if parts:
        return _each(fit, term, target, parts, path)
    if holds_function(target):
        term = with_functions(ctx, term, target, as_function)
        source = ctx.resolve(term.type)
    ctx.program.task.compared = term.core
    mismatch = fit.fit(source, target, term.known, path)
    source = ctx.resolve(source)
    if mismatch is not None:
        if not (holds_error(source) or holds_error(target)):
            ctx.report(mismatch)
        return Term(term.core, target, None)
    if isinstance(target, ty.StaticType | ty.EnumType | ty.OptionalType):
        return _static(term, target)
    known = with_range(ctx, term).known if _keeps(source, target) else None
    return Term(_coerced(ctx, term, source, target), target, known)


def _each(fit: _Fit, term: Term, target: Type, parts: tuple[Part, ...], path: str) -> Term:
    """Every part is reported at its own place, if that lies within the place of the whole."""
    done: list[tuple[Name, Term]] = []
    for name, part, wanted in parts:
        place = value_span(part.core)
        inner = replace(fit, span=place) if fit.span.covers(place) else fit
        done.append((name, _fitted(inner, part, part.type, wanted, f"{path}.{name}")))
    made = rebuild(value_span(term.core), target, done)
    return Term(with_value(term.core, made.core), target, made.known)


def _coerced(ctx: Context, term: Term, source: Type, target: Type) -> core.Expr:
    """The term with a type that it fits. Run-time integers that are to be indices, and are not proved to be, are
    checked, wherever they stand in it."""
    match source, target:
        case ty.ArrayType(dt.I32, _), ty.IndexType(bound, _) if not proves_index(ctx, term.known, bound):
            ctx.perform_check("value", bound, value_span(term.core))
            return core.CheckIndex(term.span, target, term.core, bound)
    held = core.Local(term.span, source, ctx.fresh_id(), "whole")
    parts = parts_of(ctx, source, target, term.known, partial(project, held))
    if not any(_unproved(ctx, part, wanted) for _, part, wanted in parts):
        return core.Coerce(term.span, target, term.core)
    done = [(name, Term(_coerced(ctx, part, part.type, wanted), wanted)) for name, part, wanted in parts]
    binding = core.Bound(core.Bind(held.id, held.name), term.core)
    return core.Sequence(term.span, target, (binding,), rebuild(term.span, target, done).core)


def _unproved(ctx: Context, term: Term, target: Type) -> bool:
    """Return whether there is a run-time integer in the term that must be an index and is not proved to be one."""
    match term.type, target:
        case ty.ArrayType(dt.I32, _), ty.IndexType(bound, _):
            return not proves_index(ctx, term.known, bound)
        case _:
            parts = parts_of(ctx, term.type, target, term.known, lambda _, kind: term.core)
            return any(_unproved(ctx, part, wanted) for _, part, wanted in parts)


def _keeps(source: Type, target: Type) -> bool:
    """Return whether knowledge survives: that of integers and of functions does, that of numbers made arrays not."""
    return not (is_number(source) and isinstance(target, ty.ArrayType)) or source == ty.INT


def _static(term: Term, target: Type) -> Term:
    base = present_type(target)
    known = _as_list(term.known) if base in (ty.SHAPE, ty.INTS) else term.known
    known = _as_pairs(known) if base == ty.PAIRS else known
    if base == ty.AXES and isinstance(known, Shape | Elementwise):
        whole = _as_list(known)
        known = Parts(whole.sizes) if isinstance(whole, Shape) and whole.sizes is not None else whole
    if isinstance(term.known, Elementwise):
        listed = Shape(term.known.items or ())
        return Term(core.ShapeOf(term.span, target, listed), target, known)
    if base in (ty.FLOAT, ty.COMPLEX) and isinstance(known, Size) and known.constant is not None:
        known = float(known.constant) if base == ty.FLOAT else complex(known.constant)
    if term.type == target:
        return Term(term.core, target, known)
    return Term(core.Coerce(term.span, target, term.core), target, known)


def _as_list(known: Known | None) -> Known | None:
    """The value of one integer, or of several, as a list of them."""
    listed = Shape((known,)) if isinstance(known, Size) else list_of_sizes(known)
    return known if listed is None and not isinstance(known, Parts | Elementwise) else listed


def _as_pairs(known: Known | None) -> Known | None:
    """Return facts about pairs of integers; a single pair is a list of one, and an integer denotes the pair of it
    twice."""
    match known:
        case Size():
            return Parts((Parts((known, known)),))
        case Parts((Size(), Size())):
            return Parts((known,))
        case _:
            return known


class _Fit(Struct, frozen=True):
    """One comparison: the whole types are kept for the message, `fit` walks their leaves."""

    ctx: Context
    why: Why
    span: Span
    whole: Type
    wanted: Type

    def fit(self, source: Type, target: Type, known: Known | None, path: str = "") -> Diagnostic | None:
        """Return the mismatch of a type, or None."""
        if source == target or source == ty.ERROR or target == ty.ERROR:
            return None
        match source, target:
            case (ty.StaticType(kind), ty.ArrayType(element, shape)) if kind in NUMBERS:
                return self._number(kind, known, element, shape, path)
            case (ty.StaticType(kind), ty.IndexType(bound, shape)) if kind in ("int", "size"):
                return self._static_index(known, bound, shape, path)
            case ty.ArrayType(element, shape), ty.ArrayType(other, wanted):
                return self._array(element, shape, other, wanted, path)
            case ty.IndexType(_, shape), ty.ArrayType(other, wanted):
                return self._array(dt.I32, shape, other, wanted, path)
            case ty.IndexType(bound, shape), ty.IndexType(limit, wanted):
                return self._index(known, bound, limit, path) or self._shape(shape, wanted, path)
            case ty.ArrayType(element, shape), ty.IndexType(bound, wanted):
                if not self.ctx.unify(element, dt.I32):
                    return self._wrong(path)
                return self._shape(shape, wanted, path) or self._written_indices(known, bound)
            case ty.KeyType(shape), ty.KeyType(wanted):
                return self._shape(shape, wanted, path)
            case ty.FunctionType(), ty.FunctionType(result=ty.ErrorType()):
                return None
            case (ty.TupleType(), ty.TupleType()) | (ty.RecordType(), ty.RecordType()):
                return self._parts(source, target, known, path)
            case (ty.StackedType(), _) | (_, ty.StackedType()):
                return self._stacked(source, target, path)
            case _, ty.StaticType() | ty.EnumType() | ty.OptionalType():
                return self._to_static(source, target, known, path)
            case _:
                return self._wrong(path)

    def _wrong(self, path: str) -> Diagnostic:
        return errors.types.wrong_type(self._mismatch(path))

    def _mismatch(self, path: str) -> errors.types.Mismatch:
        return errors.types.Mismatch(self.ctx, self.whole, self.wanted, self.why, self.span, path)

    def _number(self, kind: str, known: Known | None, element: Element, shape: Shape, path: str) -> Diagnostic | None:
        if shape.dims and not has_gap(shape, Gap.REPORTED):
            return errors.shapes.wrong_shape(self._mismatch(path), Shape(()), shape, None)
        return number_misfit(self.ctx, kind, known, element, self.why, self.span)

    def _static_index(self, known: Known | None, bound: Size, shape: Shape, path: str) -> Diagnostic | None:
        if shape.dims or not isinstance(known, Size):
            return self._wrong(path)
        prop = And((ge(known, 0), lt(known, bound)))
        if self.ctx.holds_when_run(prop):
            return None
        verdict = self.ctx.require(prop, self.span)
        if isinstance(verdict, Refuted):
            return errors.indices.index_out_of_range(self.ctx, known, bound, verdict.counterexample, self.span)
        return None

    def _written_indices(self, known: Known | None, bound: Size) -> Diagnostic | None:
        """Places that are written out fit, or are asked to, like a single one."""
        if not isinstance(known, Elementwise) or not known.reached or known.low is None or known.high is None:
            return None
        for place in (known.low, known.high - 1):
            if (problem := self._static_index(place, bound, Shape(()), "")) is not None:
                return problem
        return None

    def _array(self, element: Element, shape: Shape, other: Element, wanted: Shape, path: str) -> Diagnostic | None:
        if not self.ctx.unify(element, other):
            return errors.dtypes.wrong_dtype(self._mismatch(path), element, other)
        return self._shape(shape, wanted, path)

    def _index(self, known: Known | None, bound: Size, limit: Size, path: str) -> Diagnostic | None:
        if _lies_below(self.ctx, known, limit):
            return None
        verdict = self.ctx.require(le(bound, limit), self.span)
        if isinstance(verdict, Refuted):
            return errors.types.wrong_type(self._mismatch(path), verdict.counterexample)
        return None

    def _shape(self, shape: Shape, wanted: Shape, path: str) -> Diagnostic | None:
        failure = require_equal_shapes(self.ctx, shape, wanted, self.span)
        if failure is None:
            return None
        return errors.shapes.wrong_shape(self._mismatch(path), shape, wanted, failure)

    def _parts(self, source: Type, target: Type, known: Known | None, path: str) -> Diagnostic | None:
        """Return the mismatch of the first part that does not fit."""
        pairs, facts, resolve = zip_children(source, target), facts_of_parts(known), self.ctx.resolve
        if pairs is None and isinstance(source, ty.RecordType) and isinstance(target, ty.RecordType):
            return errors.types.wrong_fields(self._mismatch(path), source, target)
        if pairs is None:
            return self._wrong(path)
        named = zip(part_names(source), pairs, strict=True)
        found = (self.fit(resolve(a), resolve(b), facts.get(name), f"{path}.{name}") for name, (a, b) in named)
        return next((problem for problem in found if problem is not None), None)

    def _stacked(self, source: Type, target: Type, path: str) -> Diagnostic | None:
        match source, target:
            case (ty.StackedType(ty.TypeVar()), ty.StackedType()) | (ty.StackedType(), ty.StackedType(ty.TypeVar())):
                same = self.fit(source.element, target.element, None, path)
                return same or self._shape(source.axes, target.axes, path)
        wide, narrow = distribute_axes(source), distribute_axes(target)
        if isinstance(wide, ty.StackedType) or isinstance(narrow, ty.StackedType):
            return self._wrong(path)
        return self.fit(wide, narrow, None, path)

    def _to_static(self, source: Type, target: Type, known: Known | None, path: str) -> Diagnostic | None:
        match source, target:
            case _, ty.OptionalType(base):
                if isinstance(known, Nothing) or source == ty.NONE:
                    return None
                if isinstance(source, ty.OptionalType):
                    source = source.base
                return self.fit(source, base, known, path)
            case ty.StaticType("int"), ty.StaticType("size"):
                return self._natural(known)
            case ty.StaticType("size"), ty.StaticType("int"):
                return None
            case ty.StaticType("int" | "size"), ty.StaticType("float" | "complex"):
                return None
            case ty.StaticType("float"), ty.StaticType("complex"):
                return None
            case ty.StaticType("none") | ty.OptionalType(ty.StaticType("int" | "size")), ty.StaticType("axes"):
                return None
            case _, ty.StaticType("axes" | "ints") if _lists_integers(source, known):
                return None
            case _, ty.StaticType("shape") if source not in (ty.INT, ty.SIZE) and _lists_integers(source, known):
                return self._naturals(known)
            case ty.TupleType(parts), ty.StaticType("pairs") if _lists_pair(source) or all(map(_lists_pair, parts)):
                return None
            case ty.StaticType("int" | "size"), ty.StaticType("pairs"):
                return None
            case _ if is_traced(source):
                return errors.stages.traced_where_static(self.ctx, self.span, source, target, self.why)
            case _:
                return self._wrong(path)

    def _naturals(self, known: Known | None) -> Diagnostic | None:
        whole = _as_list(known)
        sizes = [dim for dim in whole.dims if isinstance(dim, Size)] if isinstance(whole, Shape) else []
        if isinstance(whole, Shape) and is_signed(whole):
            self.ctx.require(is_shape(whole), self.span)
        return next((problem for size in sizes if (problem := self._natural(size)) is not None), None)

    def _natural(self, known: Known | None) -> Diagnostic | None:
        if not isinstance(known, Size) or known.is_nonnegative():
            return None
        verdict = self.ctx.require(ge(known, 0), self.span)
        if isinstance(verdict, Refuted):
            return errors.sizes.negative_size(known, verdict.counterexample, self.span)
        return None


def _lists_integers(source: Type, known: Known | None) -> bool:
    """Return whether a value can stand for a list of static integers."""
    match source:
        case ty.StaticType("int" | "size" | "ints" | "shape" | "axes"):
            return not isinstance(known, Nothing)
        case ty.TupleType(parts):
            return all(part in (ty.INT, ty.SIZE) for part in parts)
        case _:
            return isinstance(known, Elementwise) and known.items is not None


def _lists_pair(type_: Type) -> bool:
    return (
        isinstance(type_, ty.TupleType) and len(type_.parts) == 2 and all(p in (ty.INT, ty.SIZE) for p in type_.parts)
    )


# ---------------------------------------------------------------- indices


def proves_index(ctx: Context, known: Known | None, bound: Size) -> bool:
    """Return whether what is known of integers says that they are indices below a bound, or those that are written out
    were held against it."""
    written = isinstance(known, Elementwise) and known.reached and None not in (known.low, known.high)
    return written or _lies_below(ctx, known, bound)


def _lies_below(ctx: Context, known: Known | None, bound: Size) -> bool:
    match known:
        case Traced(value) | (Size() as value):
            return ctx.holds(And((ge(value, 0), lt(value, bound))))
        case Elementwise(low, high) if low is not None and high is not None:
            return ctx.holds(And((ge(low, 0), le(high, bound))))
        case _:
            return False


# ---------------------------------------------------------------- branches and items


def join(ctx: Context, terms: list[Term], why: Why) -> Type:
    """The common type of branches or items: numbers become arrays, `idx` takes the larger bound."""
    kind = ctx.resolve(terms[0].type)
    for term in terms[1:]:
        other = ctx.resolve(term.type)
        joined = _join(ctx, kind, other)
        if joined is None:
            coerce(ctx, term, kind, replace(why, declared=why.declared or value_span(terms[0].core)))
            raise Reported
        kind = joined
    return kind


def _join(ctx: Context, a: Type, b: Type) -> Type | None:
    if a == b or b == ty.ERROR:
        return a
    match a, b:
        case ty.ErrorType(), _:
            return b
        case (base, ty.NONE) | (ty.NONE, base) if isinstance(present_type(base), ty.StaticType | ty.EnumType):
            return ty.OptionalType(present_type(base))
        case ty.OptionalType(base), other if base == other:
            return a
        case base, ty.OptionalType(other) if base == other:
            return b
        case ty.StaticType(x), ty.StaticType(y) if x in NUMBERS and y in NUMBERS:
            return _join_numbers(x, y)
        case ty.StaticType(x), _ if x in NUMBERS:
            return b
        case _, ty.StaticType(y) if y in NUMBERS:
            return a
        case ty.IndexType(m, s), ty.IndexType(n, t):
            if not same_shape(ctx, s, t):
                return None
            return ty.IndexType(normalise(max_(m, n), ctx.facts), s)
        case ty.IndexType(), ty.ArrayType():
            return b
        case ty.ArrayType(), ty.IndexType():
            return a
        case (ty.TupleType(), ty.TupleType()) | (ty.RecordType(), ty.RecordType()):
            pairs = zip_children(a, b)
            if pairs is None:
                return a if isinstance(a, ty.TupleType) else None
            return with_parts(a, [_join(ctx, ctx.resolve(x), ctx.resolve(y)) for x, y in pairs])
        case _:
            return a


def _join_numbers(x: str, y: str) -> Type | None:
    order = {"size": 0, "int": 0, "float": 1, "complex": 2}
    if x not in order or y not in order:
        return None
    winner = x if order[x] >= order[y] else y
    return ty.StaticType("int" if winner == "size" else winner)
