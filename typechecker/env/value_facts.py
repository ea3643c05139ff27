"""Facts that follow from a type alone: function types, and ranges of integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from functools import partial
from math import inf

from dsl.records import replace
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.every import falls, rises
from dsl.types.facts import And, Eq, Le, Lt, Ne, Prop, atoms_of, conjunction, disjunction, ge, le, lt, negation
from dsl.types.intervals import Interval, interval
from dsl.types.limits import AXIS
from dsl.types.shape import Shape
from dsl.types.size import FloorDiv, Mod, Opaque, Size, SizeVar, max_, min_
from dsl.types.type import Element, Type
from dsl.types.walk import distribute_axes, is_product
from typechecker.env.context import Context
from typechecker.env.known_parts import facts_of_leaves, facts_of_parts, leaf_by_leaf
from typechecker.env.values import Condition, Elementwise, Known, Monomorphic, Term, Traced


def without_wrap(ctx: Context, known: Known | None, element: Element) -> Known | None:
    """Return the facts about an integer of this dtype if it certainly does not wrap around."""
    return known if not isinstance(known, Traced) or _is_exact(ctx, known.value, element) else None


def _is_exact(ctx: Context, value: Size, element: Element) -> bool:
    if value.as_atom() in ctx.body.ranges:
        return True
    return all(fits(ctx, value, dtype) for dtype in ctx.body.solver.candidates(element))


def fits(ctx: Context, value: Size, dtype: dt.DType) -> bool:
    """Return whether a polynomial over run-time atoms lies within an integer dtype for all sizes."""
    low, high = dt.integer_range(dtype)
    least, greatest = _interval(ctx, value)
    return low <= least and greatest <= high


def _interval(ctx: Context, value: Size) -> Interval:
    return interval(value, partial(_atom_interval, ctx))


def _atom_interval(ctx: Context, atom: SizeVar | Opaque) -> Interval:
    if not isinstance(atom, SizeVar) or atom not in ctx.body.ranges:
        return (0 if atom.natural else -AXIS), AXIS
    low, high = ctx.body.ranges[atom]
    least = -inf if low is None else _interval(ctx, low)[0]
    greatest = inf if high is None else _interval(ctx, high)[1] - 1
    return (least, min(greatest, AXIS)) if atom in ctx.body.range_atoms else (least, greatest)


def parameter_known(type_: Type) -> Known | None:
    """Return the facts about a parameter that follow from its type."""
    return Monomorphic(type_) if isinstance(type_, ty.FunctionType) else None


def bounds_only(known: Known | None) -> Known | None:
    """Return the facts about an array whose elements come from another, in any order and number."""
    return replace(known, items=None) if isinstance(known, Elementwise) else known


def with_range(ctx: Context, term: Term, name: str = "i") -> Term:
    """The term with what its type says of its integers, where nothing better is known."""
    if not _says_less(term.known):
        return term

    def leaf(found: Sequence[Known | None], type_: Type) -> Known | None:
        return of_type(ctx, type_, name) if found[0] is None else found[0]

    known = leaf_by_leaf([term.known], ctx.resolve(term.type), leaf)
    return term if known is None else Term(term.core, term.type, known)


def _says_less(known: Known | None) -> bool:
    """Return whether nothing is known of a value, or of a part of it."""
    return known is None or any(map(_says_less, facts_of_parts(known).values()))


def called(known: Known | None, name: str) -> Known | None:
    """The run-time integer under the name by which the program calls it."""
    var = known.value.as_atom() if isinstance(known, Traced) else None
    return Traced(Size.of(replace(var, name=name))) if isinstance(var, SizeVar) else known


def of_type(ctx: Context, type_: Type, name: str) -> Known | None:
    """Return the facts about a value that follow from its type: the range of its integers."""
    match type_:
        case ty.IndexType(bound, shape):
            if shape.dims:
                return Elementwise(Size.of(0), bound)
            return Traced(ctx.traced_atom(name, Size.of(0), bound))
        case ty.ArrayType(dt.DType() as dtype, shape) if dtype.is_integer:
            return _integer(ctx, dtype, shape, name)
        case ty.FunctionType():
            return Monomorphic(type_)
        case _ if is_product(distribute_axes(type_)):
            return leaf_by_leaf((), type_, lambda _, leaf: of_type(ctx, leaf, name))
        case _:
            return None


def _integer(ctx: Context, dtype: dt.DType, shape: Shape, name: str) -> Known | None:
    low, high = integer_range(dtype)
    if shape.dims:
        return Elementwise(low, high) if low is not None or high is not None else None
    return Traced(ctx.traced_atom(name, low, high))


def integer_range(dtype: dt.DType) -> tuple[Size | None, Size | None]:
    """The least value of an integer dtype and the one after the greatest; those of wide dtypes are not told."""
    if dtype.bits > 16:
        return None if dtype in dt.SIGNED else Size.of(0), None
    low, high = dt.integer_range(dtype)
    return Size.of(low), Size.of(high + 1)


def held(ctx: Context, known: Known | None, type_: ty.ArrayType) -> Known | None:
    """Return the facts about the result of an operation that certainly did not wrap around."""
    return known if _fits(ctx, known, type_.dtype) else of_type(ctx, type_, "i")


def _fits(ctx: Context, known: Known | None, element: ty.Element) -> bool:
    """Return whether a result lies where its dtype has room. A dtype of 32 bits or more is taken to have room for what
    sizes bound, though not below zero if it is unsigned."""
    element = ctx.body.solver.element(element)
    limits = integer_range(element) if isinstance(element, dt.DType) else None
    ends = array_known(known, ctx)
    if limits is None:
        return True
    low, high = (ends.low, ends.high) if isinstance(ends, Elementwise) else (None, None)
    least, most = limits
    fits_below = least is None or _at_least(ctx, known, low, least)
    return fits_below and (most is None or (high is not None and ctx.holds(le(high, most))))


def _at_least(ctx: Context, known: Known | None, low: Size | None, least: Size) -> bool:
    if isinstance(known, Traced) and ctx.holds(ge(known.value, least)):
        return True
    return low is not None and ctx.holds(ge(low, least))


def of_selection(ctx: Context, name: str | None, terms: Sequence[Term], type_: Type) -> Known | None:
    """Return the facts about `minimum`, `maximum`, `clip`, `abs` and `where` of traced integers."""
    if not isinstance(type_, ty.ArrayType):
        return None
    knowns = [term.known for term in terms]
    if name in ("minimum", "maximum", "clip", "abs"):
        traced = [term for term in terms if isinstance(term.known, Traced)]
        ctx.body.wrapping.update(term.span for term in traced if _exact_value(ctx, term.known) is None)
    match name, knowns:
        case "where", [test, then, orelse]:
            return choice(ctx, test, then, orelse, type_)
        case "abs", [Traced(value)] if without_wrap(ctx, Traced(-value), type_.dtype) is not None:
            return _extremum(ctx, "maximum", [Traced(value), Traced(-value)], type_)
        case "minimum" | "maximum", _:
            return _extremum(ctx, name, knowns, type_)
        case "clip", [x, low, high]:
            return _extremum(ctx, "minimum", [_extremum(ctx, "maximum", [x, low], type_), high], type_)
        case _:
            return None


def as_size(known: Known | None) -> Size | None:
    """An integer known as a size, static or traced."""
    match known:
        case Size():
            return known
        case Traced(value):
            return value
        case _:
            return None


def _exact_value(ctx: Context, known: Known | None) -> Size | None:
    return as_size(without_wrap(ctx, known, dt.I32))


def _extremum(ctx: Context, name: str, knowns: Sequence[Known | None], type_: ty.ArrayType) -> Known | None:
    """Return the facts about an extremum of integers: it is one of them, and bounds them all."""
    values = [value for known in knowns if (value := _exact_value(ctx, known)) is not None]
    complete = len(values) == len(knowns)
    reached = complete and _is_ordered(ctx, (max_ if name == "maximum" else min_)(*values))
    of_ranges = _of_ranges(ctx, knowns) if reached else None
    found = _between(ctx, _combined(name, [_ends(ctx, known) for known in knowns]), type_, of_ranges)
    atom = found.value.as_atom() if isinstance(found, Traced) else None
    if isinstance(found, Traced) and isinstance(atom, SizeVar):
        ctx.body.meanings[atom] = _one_of(found.value, values, name == "maximum", complete)
    return found


def _is_ordered(ctx: Context, value: Size) -> bool:
    """Return whether a size rises or falls with each of its run-time atoms: it takes both of its ends."""
    return all(rises(value, var) or falls(value, var) for var in value.vars() if var in ctx.body.ranges)


def _one_of(result: Size, values: Sequence[Size], greatest: bool, complete: bool) -> Prop:
    """Return the condition that a result bounds some values, and is one of them if these are all."""
    beyond = [le(value, result) if greatest else le(result, value) for value in values]
    reached = [le(result, value) if greatest else le(value, result) for value in values]
    return conjunction([*beyond, disjunction(reached)] if complete else beyond)


def choice(ctx: Context, test: Known | None, then: Known | None, orelse: Known | None, type_: Type) -> Known | None:
    """Return the facts about an integer chosen by `if` or `where`: it is within the range of either branch under the
    condition."""
    if not isinstance(type_, ty.ArrayType | ty.IndexType):
        return None
    ends = [_ends(ctx, then), _ends(ctx, orelse)]
    if isinstance(test, Condition):
        props = (test.prop, negation(test.prop))
        ends = [_tightened(ctx, p, k, e) for p, k, e in zip(props, (then, orelse), ends, strict=True)]
    return _between(ctx, _combined("where", ends), type_, _of_ranges(ctx, (test, then, orelse)))


def of_branches(
    ctx: Context, test: Known | None, then: Known | None, orelse: Known | None, type_: Type
) -> Known | None:
    """Return the facts about a run-time `if`, leaf by leaf: those of both branches, or the range of an integer."""

    def leaf(ways: Sequence[Known | None], type_: Type) -> Known | None:
        a, b = ways
        return a if a == b else choice(ctx, test, a, b, type_)

    return then if then == orelse else leaf_by_leaf((then, orelse), type_, leaf)


def of_elements(ctx: Context, sources: Sequence[Term], type_: Type) -> Known | None:
    """Return the facts about a value whose leaves contain only elements of the same leaves of these, or of a whole
    without such leaves: the rule for everything that moves elements."""

    def leaf(knowns: Sequence[Known | None], type_: Type) -> Known | None:
        if not isinstance(type_, ty.ArrayType | ty.IndexType):
            return None
        ends = [_ends(ctx, each) for known in knowns for each in facts_of_leaves(known)]
        return _between(ctx, _combined("where", ends), type_, None)

    return leaf_by_leaf([with_range(ctx, source).known for source in sources], type_, leaf)


_Ends = tuple[Size | None, Size | None]


def _between(
    ctx: Context, ends: _Ends, type_: ty.ArrayType | ty.IndexType, of_ranges: Set[SizeVar] | None
) -> Known | None:
    low, high = ends
    if low is None and high is None:
        return None
    if type_.shape.dims:
        return Elementwise(low, high)
    atom = ctx.traced_atom("i", low, high) if of_ranges is None else ctx.range_atom("i", low, high, of_ranges)
    return Traced(atom)


def _of_ranges(ctx: Context, knowns: Sequence[Known | None]) -> Set[SizeVar] | None:
    """The variables of which values are built, if these are those of `range`, sizes and static values alone."""
    found: set[SizeVar] = set()
    for known in knowns:
        match known:
            case Size():
                continue
            case Traced(value) if only_ranges(ctx, value):
                found |= value.vars()
            case Condition(prop) if all(only_ranges(ctx, Size.of(atom)) for atom in atoms_of(prop)):
                found |= {var for atom in atoms_of(prop) for var in Size.of(atom).vars()}
            case _:
                return None
    return found


def only_ranges(ctx: Context, value: Size) -> bool:
    """Return whether an index is built of `range` variables, sizes and static values alone."""
    atoms = [v for v in value.vars() if v in ctx.body.ranges]
    return all(v in ctx.body.range_atoms for v in atoms)


def _tightened(ctx: Context, fact: Prop, known: Known | None, ends: _Ends) -> _Ends:
    """The ends of an integer where a fact holds: those that the fact, the sizes in it, and zero give as well, or what
    these are when as much is added to them as to the run-time integer."""
    exact = without_wrap(ctx, known, dt.I32)
    if not isinstance(exact, Traced):
        return ends
    value = exact.value
    inner = ctx.observing(fact)
    sides = [side for side in _sides(fact) if not ctx.is_traced(side)]
    added = [value - Size.of(v) for v in value.vars() if v in ctx.body.ranges]
    named = [*sides, *(side + shift for side in sides for shift in added if shift.terms and not ctx.is_traced(shift))]
    tops = [top for v in value.vars() if v in ctx.body.ranges and (top := ctx.body.ranges[v][1]) is not None]
    lows = [c for c in (Size.of(0), *named) if inner.holds(ge(value, c))]
    highs = [c for c in (*tops, *named, *(n + 1 for n in named)) if not ctx.is_traced(c) and inner.holds(lt(value, c))]
    low = [*([] if ends[0] is None else [ends[0]]), *lows]
    high = [*([] if ends[1] is None else [ends[1]]), *highs]
    return max_(*low) if low else None, min_(*high) if high else None


def bounded_where_it_stands(ctx: Context, known: Known | None) -> bool:
    """Return whether sizes bound an integer from below and above, by its own range or what has come true in a run."""
    return None not in _tightened(ctx, conjunction(ctx.observed), known, _ends(ctx, known))


def _sides(prop: Prop) -> Iterator[Size]:
    match prop:
        case Eq(left, right) | Ne(left, right) | Le(left, right) | Lt(left, right):
            yield left
            yield right
        case And(props):
            for part in props:
                yield from _sides(part)
        case _:
            return


def _ends(ctx: Context, known: Known | None) -> _Ends:
    found = array_known(known, ctx)
    return (found.low, found.high) if isinstance(found, Elementwise) else (None, None)


def _combined(name: str, ends: Sequence[_Ends]) -> _Ends:
    lows, highs = [low for low, _ in ends if low is not None], [high for _, high in ends if high is not None]
    least, most = max_ if name == "maximum" else min_, min_ if name == "minimum" else max_
    low_known = lows and (name == "maximum" or len(lows) == len(ends))
    high_known = highs and (name == "minimum" or len(highs) == len(ends))
    return least(*lows) if low_known else None, most(*highs) if high_known else None


def element_known(ctx: Context, known: Known | None, type_: Type) -> Known | None:
    """Return the facts about an element of this type (along leading axes) of an array, or of a similar value, with
    these facts."""

    def leaf(knowns: Sequence[Known | None], type_: Type) -> Known | None:
        found = array_known(knowns[0], ctx)
        if isinstance(type_, ty.FunctionType) and knowns[0] is not None:
            return knowns[0]
        if not isinstance(found, Elementwise) or not isinstance(type_, ty.ArrayType | ty.IndexType):
            return of_type(ctx, type_, "i")
        if type_.shape.dims:
            return Elementwise(found.low, found.high)
        return Traced(ctx.traced_atom("i", found.low, found.high))

    return leaf_by_leaf([known], type_, leaf)


def array_known(known: Known | None, ctx: Context) -> Known | None:
    """Return the facts about an array all of whose elements have these facts."""
    match known:
        case Elementwise():
            return known
        case Size():
            return Elementwise(known, known + 1)
        case Traced(value):
            return bounds_of(ctx, value) if without_wrap(ctx, known, dt.I32) else None
        case _:
            return None


def bounds_of(ctx: Context, value: Size) -> Elementwise | None:
    """Ends of a size that rises or falls with each of its run-time atoms, as sizes without them."""
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
    match value.as_atom():
        case FloorDiv(part, by) if not ctx.is_traced(by) and ctx.holds_when_run(ge(by, 1)):
            end = _end(ctx, part, lower)
            return None if end is None else end // by
        case Mod(_, by) if not ctx.is_traced(by) and ctx.holds_when_run(ge(by, 1)):
            return Size.of(0) if lower else by - 1
    var = max(atoms, key=lambda v: v.id)
    upwards = rises(value, var)
    if not upwards and not falls(value, var):
        return None
    low, high = ctx.body.ranges[var]
    end = low if upwards == lower else None if high is None else high - 1
    return None if end is None else value.substitute({var: end})
