"""What a type alone says of a value: functions known by their types, integers by their ranges."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.facts import OpaqueProp, Prop
from dsl.types.shape import Shape, StaticName
from dsl.types.size import Size, max_, min_
from dsl.types.type import Type
from typechecker.context import Context
from typechecker.values import Elementwise, Fields, Known, Monomorphic, Parts, Term, Traced


def parameter_known(kind: Type) -> Known | None:
    """What is known of a parameter by its type."""
    return Monomorphic(kind) if isinstance(kind, ty.FunctionType) else None


def opaque_condition(ctx: Context) -> Prop:
    """A static truth that nothing is known of but that it equals itself."""
    return OpaqueProp("condition", (StaticName(ctx.fresh_id(), "condition"),))


def ranged(ctx: Context, term: Term, name: str = "i") -> Term:
    """The term with what its type says of its integers, where nothing better is known."""
    if term.known is not None:
        return term
    known = of_type(ctx, ctx.resolve(term.type), name)
    return term if known is None else Term(term.core, term.type, known)


def of_type(ctx: Context, kind: Type, name: str) -> Known | None:
    """What a type says of a value: where its integers lie."""
    match kind:
        case ty.IndexType(bound, shape):
            if shape.dims:
                return Elementwise(Size.of(0), bound)
            return Traced(ctx.traced_atom(name, Size.of(0), bound))
        case ty.ArrayType(dt.DType() as dtype, shape) if dtype.is_integer:
            return _integer(ctx, dtype, shape, name)
        case ty.FunctionType():
            return Monomorphic(kind)
        case ty.TupleType(parts):
            return Parts(tuple(of_type(ctx, p, name) for p in parts))
        case ty.RecordType(fields):
            return Fields(tuple((n, of_type(ctx, t, n)) for n, t in fields))
        case _:
            return None


def _integer(ctx: Context, dtype: dt.DType, shape: Shape, name: str) -> Known | None:
    low = None if dtype in dt.SIGNED else Size.of(0)
    high = None
    if dtype.bits <= 16:
        low = Size.of(-(1 << (dtype.bits - 1))) if dtype in dt.SIGNED else Size.of(0)
        high = Size.of(1 << (dtype.bits - 1 if dtype in dt.SIGNED else dtype.bits))
    if shape.dims:
        return Elementwise(low, high) if low is not None or high is not None else None
    return Traced(ctx.traced_atom(name, low, high))


def interval(ctx: Context, name: str | None, knowns: Sequence[Known | None], kind: Type) -> Known | None:
    """What `minimum`, `maximum`, `clip` and `where` say of traced integers."""
    if name not in ("minimum", "maximum", "clip", "where") or not isinstance(kind, ty.ArrayType):
        return None
    ends = [_ends(ctx, k) for k in (knowns[1:] if name == "where" else knowns)]
    low, high = _combined(name, ends)
    if low is None and high is None:
        return None
    if kind.shape.dims:
        return Elementwise(low, high)
    return Traced(ctx.traced_atom("i", low, high))


_Ends = tuple[Size | None, Size | None]


def _ends(ctx: Context, known: Known | None) -> _Ends:
    found = array_known(known, ctx)
    return (found.low, found.high) if isinstance(found, Elementwise) else (None, None)


def _combined(name: str, ends: Sequence[_Ends]) -> _Ends:
    if name == "clip":
        lower = _combined("maximum", ends[:2])
        return _combined("minimum", [lower, ends[2]])
    lows, highs = [e[0] for e in ends], [e[1] for e in ends]
    known_lows = [x for x in lows if x is not None]
    known_highs = [x for x in highs if x is not None]
    all_low = len(known_lows) == len(lows)
    all_high = len(known_highs) == len(highs)
    match name:
        case "minimum":
            return (min_(*known_lows) if all_low else None), (min_(*known_highs) if known_highs else None)
        case "maximum":
            return (max_(*known_lows) if known_lows else None), (max_(*known_highs) if all_high else None)
        case _:
            return (min_(*known_lows) if all_low else None), (max_(*known_highs) if all_high else None)


def element_known(ctx: Context, known: Known | None, kind: Type, name: str = "i") -> Known | None:
    """What is known of one element (along the leading axis) of an array of which this is known."""
    if isinstance(known, Elementwise):
        if isinstance(kind, ty.ArrayType | ty.IndexType) and kind.shape.dims:
            return known
        return Traced(ctx.traced_atom(name, known.low, known.high))
    return of_type(ctx, kind, name)


def array_known(known: Known | None, ctx: Context) -> Known | None:
    """What is known of an array all of whose elements are like this."""
    match known:
        case Elementwise():
            return known
        case Size():
            return Elementwise(known, known + 1)
        case Traced(value):
            return bounds_of(ctx, value)
        case _:
            return None


def bounds_of(ctx: Context, value: Size) -> Elementwise | None:
    """Ends of a size over run-time atoms, each linear in it, as sizes without them."""
    low: Size | None = value
    high: Size | None = value
    for _ in range(8):
        low = None if low is None else _end(ctx, low, lower=True)
        high = None if high is None else _end(ctx, high, lower=False)
    low = low if low is not None and not ctx.is_traced(low) else None
    high = high + 1 if high is not None and not ctx.is_traced(high) else None
    return None if low is None and high is None else Elementwise(low, high)


def _end(ctx: Context, value: Size, lower: bool) -> Size | None:
    atoms = [v for v in value.vars() if v in ctx.body.ranges]
    if not atoms:
        return value
    var = max(atoms, key=lambda v: v.id)
    split = value.linear_in(var)
    if split is None:
        return None
    slope = split[0]
    rises, falls = slope.is_nonnegative(), (-slope).is_nonnegative()
    if not rises and not falls:
        return None
    low, high = ctx.body.ranges[var]
    end = low if rises == lower else None if high is None else high - 1
    return None if end is None else value.substitute({var: end})
