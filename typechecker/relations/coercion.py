"""How a checked expression is made to fit a type: the one place of subsumption.

`coerce` compares leaf by leaf, lets static numbers take dtypes, widens `idx`, and reports what does not fit with the
reason why the type was expected. `join` finds the common type of branches and items.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, NoReturn

from msgspec import Struct

from dsl.core import core
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
from dsl.types.walk import distribute_axes, with_parts, zip_children
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.known_parts import Name, list_of_sizes
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
from typechecker.relations.numeric_literals import require_number
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
    with ctx.attempt() as attempt, ctx.body.book.inner() as checked:
        made = fit.made(replace(term, type=source), target, path)
    if attempt.failed:
        if holds_error(source) or holds_error(target):
            attempt.discard()
        return Term(term.core, target, None)
    ctx.perform_all(checked)
    if isinstance(target, ty.StaticType | ty.EnumType | ty.OptionalType):
        return _static(term, target)
    known = with_range(ctx, term).known if _keeps(source, target) else None
    return Term(made, target, known)


def _each(fit: _Fit, term: Term, target: Type, parts: tuple[Part, ...], path: str) -> Term:
    """Every part is reported at its own place, if that lies within the place of the whole."""
    done: list[tuple[Name, Term]] = []
    for name, part, wanted in parts:
        place = value_span(part.core)
        inner = replace(fit, span=place) if fit.span.covers(place) else fit
        done.append((name, _fitted(inner, part, part.type, wanted, f"{path}.{name}")))
    made = rebuild(value_span(term.core), target, done)
    return Term(with_value(term.core, made.core), target, made.known)


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
    """One comparison: the whole types are kept for the message, `made` walks their leaves and refuses the first that
    does not fit."""

    ctx: Context
    why: Why
    span: Span
    whole: Type
    wanted: Type

    def made(self, term: Term, target: Type, path: str = "") -> core.Expr:
        """The term as a target that it fits. Run-time integers that are to be indices, and are not proved to be, are
        checked, wherever they stand in it."""
        source, plain = term.type, core.Coerce(term.span, target, term.core)
        if source == target or ty.ERROR in (source, target):
            return plain
        if isinstance(target, ty.OptionalType):
            if source != ty.NONE and not isinstance(term.known, Nothing):
                self.made(replace(term, type=present_type(source)), target.base, path)
            return plain
        held = core.Local(term.span, source, self.ctx.fresh_id(), "whole")
        parts = parts_of(self.ctx, source, target, term.known, partial(project, held))
        if not parts:
            return self._leaf(term, target, path) or plain
        done = [(n, Term(self.made(part, wanted, f"{path}.{n}"), wanted)) for n, part, wanted in parts]
        if not any(isinstance(each.core, core.CheckIndex | core.Sequence) for _, each in done):
            return plain
        binding = core.Bound(core.Bind(held.id, held.name), term.core)
        return core.Sequence(term.span, target, (binding,), rebuild(term.span, target, done).core)

    def _leaf(self, term: Term, target: Type, path: str) -> core.Expr | None:
        """Refuse what does not fit; a check of what may not."""
        known = term.known
        match term.type, target:
            case (ty.StaticType(kind), ty.ArrayType(element, shape)) if kind in NUMBERS:
                if shape.dims and not has_gap(shape, Gap.REPORTED):
                    self.ctx.refuse(errors.shapes.wrong_shape(self._mismatch(path), Shape(()), shape, None))
                require_number(self.ctx, kind, known, element, self.why, self.span)
            case (ty.StaticType(kind), ty.IndexType(bound, shape)) if kind in ("int", "size"):
                if shape.dims or not isinstance(known, Size):
                    self._refuse(path)
                self._require_index(known, bound)
            case ty.ArrayType(element, shape), ty.ArrayType(other, wanted):
                self._require_array(element, shape, other, wanted, path)
            case ty.IndexType(_, shape), ty.ArrayType(other, wanted):
                self._require_array(dt.I32, shape, other, wanted, path)
            case ty.IndexType(bound, shape), ty.IndexType(limit, wanted):
                verdict = None if _lies_below(self.ctx, known, limit) else self.ctx.require(le(bound, limit), self.span)
                if isinstance(verdict, Refuted):
                    self._refuse(path, verdict)
                self._require_shape(shape, wanted, path)
            case ty.ArrayType(element, shape), ty.IndexType(bound, wanted):
                if not self.ctx.unify(element, dt.I32):
                    self._refuse(path)
                self._require_shape(shape, wanted, path)
                return self._as_indices(term, target, bound)
            case ty.KeyType(shape), ty.KeyType(wanted):
                self._require_shape(shape, wanted, path)
            case ty.FunctionType(), ty.FunctionType(result=ty.ErrorType()):
                pass
            case ty.StackedType(ty.TypeVar() as one, axes), ty.StackedType(other, wanted):
                self.made(replace(term, type=one, known=None), other, path)
                self._require_shape(axes, wanted, path)
            case ty.StackedType(one, axes), ty.StackedType(ty.TypeVar() as other, wanted):
                self.made(replace(term, type=one, known=None), other, path)
                self._require_shape(axes, wanted, path)
            case _, ty.StaticType() | ty.EnumType():
                self._to_static(term.type, target, known, path)
            case _:
                self._require_fields(distribute_axes(term.type), distribute_axes(target), path)
        return None

    def _refuse(self, path: str, found: Refuted | None = None) -> NoReturn:
        example = None if found is None else found.counterexample
        self.ctx.refuse(errors.types.wrong_type(self._mismatch(path), example))

    def _mismatch(self, path: str) -> errors.types.Mismatch:
        return errors.types.Mismatch(self.ctx, self.whole, self.wanted, self.why, self.span, path)

    def _require_index(self, known: Size, bound: Size) -> None:
        prop = And((ge(known, 0), lt(known, bound)))
        verdict = None if self.ctx.holds_when_run(prop) else self.ctx.require(prop, self.span)
        if isinstance(verdict, Refuted):
            found = verdict.counterexample
            self.ctx.refuse(errors.indices.index_out_of_range(self.ctx, known, bound, found, self.span))

    def _as_indices(self, term: Term, target: Type, bound: Size) -> core.Expr | None:
        """A check of run-time integers; places that are written out fit, or are asked to, like a single one."""
        match term.known:
            case Elementwise(Size() as low, Size() as high, reached=True):
                self._require_index(low, bound)
                self._require_index(high - 1, bound)
        if proves_index(self.ctx, term.known, bound):
            return None
        self.ctx.perform_check("value", bound, value_span(term.core))
        return core.CheckIndex(term.span, target, term.core, bound)

    def _require_array(self, element: Element, shape: Shape, other: Element, wanted: Shape, path: str) -> None:
        if not self.ctx.unify(element, other):
            self.ctx.refuse(errors.dtypes.wrong_dtype(self._mismatch(path), element, other))
        self._require_shape(shape, wanted, path)

    def _require_shape(self, shape: Shape, wanted: Shape, path: str) -> None:
        failure = require_equal_shapes(self.ctx, shape, wanted, self.span)
        if failure is not None:
            self.ctx.refuse(errors.shapes.wrong_shape(self._mismatch(path), shape, wanted, failure))

    def _require_fields(self, source: Type, target: Type, path: str) -> None:
        """Demand that two types without parts in common have none at all."""
        if zip_children(source, target) is not None:
            return
        if isinstance(source, ty.RecordType) and isinstance(target, ty.RecordType):
            self.ctx.refuse(errors.types.wrong_fields(self._mismatch(path), source, target))
        self._refuse(path)

    def _to_static(self, source: Type, target: Type, known: Known | None, path: str) -> None:
        match source, target:
            case ty.StaticType("int"), ty.StaticType("size"):
                self._require_natural(known)
            case (
                (ty.StaticType("size"), ty.StaticType("int"))
                | (ty.StaticType("int" | "size"), ty.StaticType("float" | "complex" | "pairs"))
                | (ty.StaticType("float"), ty.StaticType("complex"))
                | (ty.StaticType("none") | ty.OptionalType(ty.StaticType("int" | "size")), ty.StaticType("axes"))
            ):
                pass
            case _, ty.StaticType("axes" | "ints") if _lists_integers(source, known):
                pass
            case _, ty.StaticType("shape") if source not in (ty.INT, ty.SIZE) and _lists_integers(source, known):
                self._require_naturals(known)
            case ty.TupleType(parts), ty.StaticType("pairs") if _lists_pair(source) or all(map(_lists_pair, parts)):
                pass
            case _ if is_traced(source):
                self.ctx.refuse(errors.stages.traced_where_static(self.ctx, self.span, source, target, self.why))
            case _:
                self._refuse(path)

    def _require_naturals(self, known: Known | None) -> None:
        whole = _as_list(known)
        if isinstance(whole, Shape) and is_signed(whole):
            self.ctx.require(is_shape(whole), self.span)
        for size in whole.dims if isinstance(whole, Shape) else ():
            self._require_natural(size if isinstance(size, Size) else None)

    def _require_natural(self, known: Known | None) -> None:
        if not isinstance(known, Size) or known.is_nonnegative():
            return
        verdict = self.ctx.require(ge(known, 0), self.span)
        if isinstance(verdict, Refuted):
            self.ctx.refuse(errors.sizes.negative_size(known, verdict.counterexample, self.span))


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
