"""How a checked expression is made to fit a type: the one place of subsumption.

`coerce` compares leaf by leaf, lets static numbers take dtypes, widens `idx`, and reports what does not fit with the
reason why the type was expected. `join` finds the common type of branches and list items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.decide import Proved, Refuted, normalise
from dsl.types.effect import CHECK
from dsl.types.facts import And, Prop, eq, ge, le, lt
from dsl.types.shape import Shape, Splice
from dsl.types.shapefn import Differ, shapes_equal
from dsl.types.size import Size, max_
from dsl.types.type import DTypeVar, Element, Type
from typechecker import errors
from typechecker.choices import settle, settle_size
from typechecker.context import Context
from typechecker.instance import spread, strip
from typechecker.typexpr import add_axes
from typechecker.values import (
    Elementwise,
    Fields,
    Known,
    Nothing,
    Parts,
    Term,
    Traced,
    VariantValue,
)

NUMBERS = ("int", "float", "complex", "bool", "size")


@dataclass(frozen=True, slots=True)
class Why:
    """Why a type was expected: as data, for the words of `errors`. `name` is the parameter, carry, field …"""

    kind: Literal[
        "argument", "result", "annotation", "carry", "branch", "item", "static", "operand", "cell", "rule", "default"
    ]
    name: str = ""
    owner: str = ""
    declared: Span | None = None


def is_number(kind: Type) -> bool:
    """A static number: it has no dtype of its own."""
    return isinstance(kind, ty.StaticType) and kind.kind in NUMBERS


def coerce(ctx: Context, term: Term, target: Type, why: Why, span: Span | None = None) -> Term:
    """The term as a `target`; reports a mismatch at the term and goes on as if it fitted."""
    place = span or value_span(term.core)
    source, target = ctx.resolve(term.type), ctx.resolve(target)
    if source == ty.ERROR or target == ty.ERROR:
        return Term(term.core, target, None)
    if isinstance(target, ty.FunctionType):
        return ctx.program.rules.as_function(ctx, term, target, why, place)
    ctx.program.compared = term.core
    mismatch = _Fit(ctx, why, place, source, target).fit(source, target, term.known)
    if mismatch is not None:
        if not (_holds_error(source) or _holds_error(target)):
            ctx.report(mismatch)
        return Term(term.core, target, None)
    if isinstance(target, ty.StaticType | ty.EnumType | ty.OptionalType):
        return _static(ctx, term, target)
    known = term.known if _keeps(source, target) else None
    if source == target:
        return Term(term.core, target, known)
    return Term(_coerced(ctx, term, source, target), target, known)


def _holds_error(kind: Type) -> bool:
    """Whether part of a type was reported already."""
    match kind:
        case ty.ErrorType():
            return True
        case ty.TupleType(parts):
            return any(map(_holds_error, parts))
        case ty.RecordType(fields):
            return any(_holds_error(t) for _, t in fields)
        case ty.StackedType(element, _):
            return _holds_error(element)
        case _:
            return False


def value_span(node: core.Expr) -> Span:
    """The place of the expression that gives a value: the last one of a block."""
    while isinstance(node, core.Sequence):
        node = node.result
    return node.span


def _keeps(source: Type, target: Type) -> bool:
    """Whether knowledge survives: that of integers and of functions does, that of numbers made arrays not."""
    return not (is_number(source) and isinstance(target, ty.ArrayType)) or source == ty.INT


def _coerced(ctx: Context, term: Term, source: Type, target: Type) -> core.Expr:
    match source, target:
        case ty.ArrayType(dt.I32, _), ty.IndexType(bound, _) if not _proves_index(ctx, term.known, bound):
            ctx.perform(CHECK, term.span)
            return core.CheckIndex(term.span, target, term.core, bound)
        case _:
            return core.Coerce(term.span, target, term.core)


def _static(ctx: Context, term: Term, target: Type) -> Term:
    known = term.known
    if target == ty.SHAPE and isinstance(known, Parts):
        dims = tuple(i for i in known.items if isinstance(i, Size))
        known = Shape(dims) if len(dims) == len(known.items) else None
    if target in (ty.FLOAT, ty.COMPLEX) and isinstance(known, Size) and known.constant is not None:
        known = float(known.constant) if target == ty.FLOAT else complex(known.constant)
    if term.type == target:
        return Term(term.core, target, known)
    return Term(core.Coerce(term.span, target, term.core), target, known)


@dataclass(frozen=True, slots=True)
class _Fit:
    """One comparison: the whole types are kept for the message, `fit` walks their leaves."""

    ctx: Context
    why: Why
    span: Span
    whole: Type
    wanted: Type

    def fit(self, source: Type, target: Type, known: Known | None, path: str = "") -> errors.Diagnostic | None:
        """What is wrong, or None."""
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
                return self._index(bound, limit, path) or self._shape(shape, wanted, path)
            case ty.ArrayType(element, shape), ty.IndexType(bound, wanted):
                if not self.ctx.body.solver.unify(element, dt.I32):
                    return self._wrong(path)
                return self._shape(shape, wanted, path)
            case ty.KeyType(shape), ty.KeyType(wanted):
                return self._shape(shape, wanted, path)
            case ty.TupleType(parts), ty.TupleType(others):
                return self._tuple(parts, others, known, path)
            case ty.RecordType(), ty.RecordType():
                return self._record(source, target, known, path)
            case (ty.StackedType(), _) | (_, ty.StackedType()):
                return self._stacked(source, target, path)
            case _, ty.StaticType() | ty.EnumType() | ty.OptionalType():
                return self._to_static(source, target, known, path)
            case _:
                return self._wrong(path)

    def _wrong(self, path: str) -> errors.Diagnostic:
        return errors.wrong_type(self.ctx, self.whole, self.wanted, self.why, self.span, path)

    def _number(
        self, kind: str, known: Known | None, element: Element, shape: Shape, path: str
    ) -> errors.Diagnostic | None:
        if shape.dims and not poisoned(shape):
            return errors.wrong_shape(self.ctx, Shape(()), shape, self.whole, self.wanted, self.why, self.span, path, None)
        problem = number_problem(self.ctx, kind, known, element)
        return None if problem is None else errors.number_does_not_fit(problem, kind, known, element, self.why, self.span)

    def _static_index(self, known: Known | None, bound: Size, shape: Shape, path: str) -> errors.Diagnostic | None:
        if shape.dims or not isinstance(known, Size):
            return self._wrong(path)
        prop = And((ge(known, 0), lt(known, bound)))
        verdict = self.ctx.require(prop, self.span)
        if isinstance(verdict, Refuted):
            return errors.index_out_of_range(self.ctx, known, bound, verdict.counterexample, self.span)
        return None

    def _array(
        self, element: Element, shape: Shape, other: Element, wanted: Shape, path: str
    ) -> errors.Diagnostic | None:
        if not self.ctx.body.solver.unify(element, other):
            return errors.wrong_dtype(self.ctx, element, other, self.whole, self.wanted, self.why, self.span, path)
        return self._shape(shape, wanted, path)

    def _index(self, bound: Size, limit: Size, path: str) -> errors.Diagnostic | None:
        verdict = self.ctx.require(le(bound, limit), self.span)
        if isinstance(verdict, Refuted):
            return errors.wrong_type(self.ctx, self.whole, self.wanted, self.why, self.span, path, verdict.counterexample)
        return None

    def _shape(self, shape: Shape, wanted: Shape, path: str) -> errors.Diagnostic | None:
        failure = require_equal_shapes(self.ctx, shape, wanted, self.span)
        if failure is None:
            return None
        return errors.wrong_shape(
            self.ctx, shape, wanted, self.whole, self.wanted, self.why, self.span, path, failure
        )

    def _tuple(
        self, parts: tuple[Type, ...], others: tuple[Type, ...], known: Known | None, path: str
    ) -> errors.Diagnostic | None:
        if len(parts) != len(others):
            return self._wrong(path)
        inner = known.items if isinstance(known, Parts) else (None,) * len(parts)
        for i, (a, b, k) in enumerate(zip(parts, others, inner, strict=True)):
            problem = self.fit(self.ctx.resolve(a), self.ctx.resolve(b), k, f"{path}.{i}")
            if problem is not None:
                return problem
        return None

    def _record(
        self, source: ty.RecordType, target: ty.RecordType, known: Known | None, path: str
    ) -> errors.Diagnostic | None:
        if [n for n, _ in source.fields] != [n for n, _ in target.fields]:
            return errors.wrong_fields(self.ctx, source, target, self.why, self.span, path)
        for (name, a), (_, b) in zip(source.fields, target.fields, strict=True):
            inner = known.get(name) if isinstance(known, Fields) else None
            problem = self.fit(self.ctx.resolve(a), self.ctx.resolve(b), inner, f"{path}.{name}")
            if problem is not None:
                return problem
        return None

    def _stacked(self, source: Type, target: Type, path: str) -> errors.Diagnostic | None:
        if isinstance(source, ty.StackedType) and isinstance(target, ty.StackedType):
            if isinstance(source.element, ty.TypeVar) or isinstance(target.element, ty.TypeVar):
                same = self.fit(source.element, target.element, None, path)
                return same or self._shape(source.axes, target.axes, path)
        wide, narrow = spread(source), spread(target)
        if isinstance(wide, ty.StackedType) or isinstance(narrow, ty.StackedType):
            return self._wrong(path)
        return self.fit(wide, narrow, None, path)

    def _to_static(self, source: Type, target: Type, known: Known | None, path: str) -> errors.Diagnostic | None:
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
            case ty.StaticType("int" | "size" | "none"), ty.StaticType("axes"):
                return None
            case ty.TupleType(parts), ty.StaticType("axes") if all(p in (ty.INT, ty.SIZE) for p in parts):
                return None
            case ty.TupleType(parts), ty.StaticType("shape") if all(p in (ty.INT, ty.SIZE) for p in parts):
                return None
            case _ if is_traced(source):
                return errors.traced_where_static(self.ctx, self.span, source, target, self.why)
            case _:
                return self._wrong(path)

    def _natural(self, known: Known | None) -> errors.Diagnostic | None:
        if not isinstance(known, Size) or known.is_nonnegative():
            return None
        verdict = self.ctx.require(ge(known, 0), self.span)
        if isinstance(verdict, Refuted):
            return errors.negative_size(self.ctx, known, verdict.counterexample, self.span)
        return None


def is_traced(kind: Type) -> bool:
    """Whether some leaf is a run-time array."""
    match kind:
        case ty.ArrayType() | ty.IndexType() | ty.KeyType() | ty.TypeVar():
            return True
        case ty.TupleType(parts):
            return any(map(is_traced, parts))
        case ty.RecordType(fields):
            return any(is_traced(t) for _, t in fields)
        case ty.StackedType(element, _):
            return is_traced(element)
        case _:
            return False


def holds_key(kind: Type) -> bool:
    """Whether some leaf is a key."""
    match kind:
        case ty.KeyType():
            return True
        case ty.TupleType(parts):
            return any(map(holds_key, parts))
        case ty.RecordType(fields):
            return any(holds_key(t) for _, t in fields)
        case ty.StackedType(element, _):
            return holds_key(element)
        case _:
            return False


def require_equal_shapes(ctx: Context, left: Shape, right: Shape, span: Span) -> Refuted | Differ | None:
    """Demand that two shapes are equal; None if they are, or if it became a constraint."""
    if left == right or poisoned(left) or poisoned(right):
        return None
    left, right = settle(ctx, left), settle(ctx, right)
    verdict = shapes_equal(ctx.facts, left, right)
    if isinstance(verdict, Proved):
        return None
    if isinstance(verdict, Differ):
        return verdict
    return _constrain_shapes(ctx, left, right, span)


def erroneous(size: Size) -> bool:
    """Whether a size stands for one that was reported."""
    return any(var.name == "?" for var in size.vars())


def poisoned(shape: Shape) -> bool:
    """Whether a shape holds what was reported: nothing more is said of it."""
    return any(var.name == "?" for var in shape.vars()) or any(var.name == "?" for var in shape.shape_vars())


def _constrain_shapes(ctx: Context, left: Shape, right: Shape, span: Span) -> Refuted | None:
    if left.rank is None or right.rank is None or left.rank != right.rank:
        return Refuted({})
    for a, b in zip(left.dims, right.dims, strict=True):
        if isinstance(a, Splice) or isinstance(b, Splice):
            return Refuted({})
        verdict = require_equal(ctx, a, b, span)
        if verdict is not None:
            return verdict
    return None


def require_equal(ctx: Context, left: Size, right: Size, span: Span) -> Refuted | None:
    """Demand an equation between sizes: a counter-example refutes it, with neither it becomes a constraint."""
    if left == right or erroneous(left) or erroneous(right):
        return None
    left, right = settle_size(ctx, left), settle_size(ctx, right)
    if ctx.is_traced(left) or ctx.is_traced(right):
        return Refuted({})
    return ctx.require_equation(eq(left, right), span)


# ---------------------------------------------------------------- numbers


def number_problem(ctx: Context, kind: str, known: Known | None, element: Element) -> str | None:
    """Why a static number of this kind cannot take this dtype: "kind", "range", "infinite", or None if it can."""
    solver = ctx.body.solver
    element = solver.element(element)
    if kind == "bool":
        return None if solver.unify(element, dt.BOOL) else "kind"
    classes = {"int": "Num", "size": "Num", "float": "Inexact", "complex": "Complex"}
    if not solver.restrict(element, dt.CLASSES[classes[kind]]):
        return "kind"
    solver.hint(element, "int" if kind == "size" else kind)
    element = solver.element(element)
    value = known.constant if isinstance(known, Size) else known
    if not isinstance(value, int | float | complex):
        return None
    candidates = (element,) if isinstance(element, dt.DType) else () if solver.is_flexible(element) else element.allowed
    for candidate in candidates:
        problem = _value_problem(value, candidate)
        if problem is not None:
            return problem
    return None


def _value_problem(value: int | float | complex, dtype: dt.DType) -> str | None:
    if dtype.is_integer and isinstance(value, int):
        info = np.iinfo(dtype.numpy)
        return None if int(info.min) <= value <= int(info.max) else "range"
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    for part in parts:
        if not _stays_finite(part, dtype):
            return "infinite"
    return None


def _stays_finite(value: int | float, dtype: dt.DType) -> bool:
    try:
        number = float(value)
    except OverflowError:
        return False
    if not math.isfinite(number):
        return True
    with np.errstate(over="ignore"):
        return bool(np.isfinite(np.asarray(number).astype(dtype.real.numpy).astype(np.float64)))


def as_array(ctx: Context, kind: Type) -> Type:
    """A static number as the array it will become; other types leaf by leaf, `idx` widened to `i32`."""
    match kind:
        case ty.StaticType(name) if name in NUMBERS:
            return ty.ArrayType(ctx.body.solver.number(name), Shape(()))
        case ty.IndexType(_, shape):
            return ty.ArrayType(dt.I32, shape)
        case ty.TupleType(parts):
            return ty.TupleType(tuple(as_array(ctx, p) for p in parts))
        case ty.RecordType(fields, name):
            return ty.RecordType(tuple((n, as_array(ctx, t)) for n, t in fields), name)
        case ty.StackedType(element, axes):
            return add_axes(as_array(ctx, element), axes)
        case _:
            return kind


# ---------------------------------------------------------------- indices


def _proves_index(ctx: Context, known: Known | None, bound: Size) -> bool:
    match known:
        case Traced(value):
            return ctx.holds(And((ge(value, 0), lt(value, bound))))
        case Size():
            return ctx.holds(And((ge(known, 0), lt(known, bound))))
        case Elementwise(low, high) if low is not None and high is not None:
            return ctx.holds(And((ge(low, 0), le(high, bound))))
        case _:
            return False


# ---------------------------------------------------------------- joins


def join(ctx: Context, terms: list[Term], why: Why) -> Type | None:
    """The common type of branches or items: numbers become arrays, `idx` takes the larger bound; None after a
    report."""
    kind = ctx.resolve(terms[0].type)
    for term in terms[1:]:
        other = ctx.resolve(term.type)
        joined = _join(ctx, kind, other)
        if joined is None:
            coerce(ctx, term, kind, why)
            return None
        kind = joined
    return kind


def _join(ctx: Context, a: Type, b: Type) -> Type | None:
    if a == b or b == ty.ERROR:
        return a
    match a, b:
        case ty.ErrorType(), _:
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
        case ty.IndexType(_, s), ty.ArrayType():
            return b
        case ty.ArrayType(), ty.IndexType():
            return a
        case ty.TupleType(parts), ty.TupleType(others) if len(parts) == len(others):
            joined = [_join(ctx, ctx.resolve(p), ctx.resolve(q)) for p, q in zip(parts, others, strict=True)]
            kinds = tuple(j for j in joined if j is not None)
            return ty.TupleType(kinds) if len(kinds) == len(parts) else None
        case ty.RecordType(fields, name), ty.RecordType(others2, _):
            if [n for n, _ in fields] != [n for n, _ in others2]:
                return None
            pairs = [(n, _join(ctx, t, u)) for (n, t), (_, u) in zip(fields, others2, strict=True)]
            found = tuple((n, t) for n, t in pairs if t is not None)
            return ty.RecordType(found, name) if len(found) == len(fields) else None
        case _:
            return a


def _join_numbers(x: str, y: str) -> Type | None:
    order = {"size": 0, "int": 0, "float": 1, "complex": 2}
    if x not in order or y not in order:
        return None
    winner = x if order[x] >= order[y] else y
    return ty.StaticType("int" if winner == "size" else winner)


def same_shape(ctx: Context, a: Shape, b: Shape) -> bool:
    return a == b or isinstance(shapes_equal(ctx.facts, a, b), Proved)


def iteration_strip(ctx: Context, kind: Type) -> tuple[Size, Type] | None:
    """The leading axis that all leaves share, and the type of an element."""
    found = strip(kind, 1)
    if found is None or isinstance(found[0].dims[0], Splice):
        return None
    return found[0].dims[0], found[1]


def holds_all(ctx: Context, props: tuple[Prop, ...]) -> bool:
    return all(ctx.holds(p) for p in props)


__all__ = [
    "NUMBERS",
    "DTypeVar",
    "VariantValue",
    "Why",
    "as_array",
    "coerce",
    "is_number",
    "is_traced",
    "iteration_strip",
    "join",
    "number_problem",
    "require_equal",
    "require_equal_shapes",
    "same_shape",
]
