"""Which of several definitions of one name a call is of: the first written that takes such arguments.

Numbers and names of the arguments come first, then, where several definitions take these, what the arguments are:
arrays by their class of dtypes, tuples by the number of their parts, records by the names of their fields, static
numbers, which have no axes, static lists.
Where a static value is taken as it is, none is called that makes an array of it: numbers and lists of them are exact.
Bodies, sizes and conditions have no part in it, so that the choice is the same wherever sizes are known or not. Where
none fits, the definition that comes closest says what is wrong, and unless that tells what to write, all are listed.
Read next: `definitions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

from msgspec import Struct

from dsl.core.binding import ByPosition, Missing, Mistake, Slot, TooMany, bind
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.heads import HeadParam
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import part_names
from typechecker import errors
from typechecker.calls.definitions import call_definition
from typechecker.declarations.entities import Definition as DefinitionInfo
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.solver import dtypes_of_number
from typechecker.env.values import Overloaded, Term, error_term
from typechecker.expressions.atoms import list_items, stacked
from typechecker.expressions.static_lists import as_list, make_list
from typechecker.types.predicates import is_number

_OF_INTEGERS = (ty.INT, ty.INTS, ty.AXES, ty.PAIRS)
"""What an integer stands for: itself, a list of one, or the pair of it twice."""


class Fit(IntEnum):
    """How well an argument meets a parameter: it is of another kind, of the kind but not of the class, fits once an
    array is made of it, or fits as it is."""

    OTHER = 0
    KIND = 1
    CONVERTED = 2
    FITS = 3


class Candidate(Struct, frozen=True):
    """A definition, with the parameter of each argument by its place, and what is wrong with their number and names."""

    info: DefinitionInfo
    params: Mapping[int, HeadParam]
    mistakes: tuple[Mistake, ...]

    @staticmethod
    def of(info: DefinitionInfo, args: Sequence[Arg]) -> Candidate:
        params = {param.name: param for param in info.head.params}
        slots = [Slot(name, param.keyword_only, param.required) for name, param in params.items()]
        bound = bind(slots, [arg.name for arg in args])
        return Candidate(info, {place: params[name] for name, place in bound.places.items()}, bound.mistakes)

    def type_at(self, ctx: Context, place: int) -> Type:
        """Return the type of an argument's parameter."""
        signature = ctx.program.rules.signature(ctx.program, self.info)
        params = () if signature is None else signature.params
        return next((param.type for param in params if param.name == self.params[place].name), ty.ERROR)

    def misfit(self) -> tuple[bool, int]:
        """Rank an overload: whether it takes fewer positional arguments, and how many it does not take; missing
        arguments weigh least."""
        fewer = any(isinstance(mistake, TooMany | ByPosition) for mistake in self.mistakes)
        return fewer, sum(not isinstance(mistake, Missing) for mistake in self.mistakes)


def apply_overloaded(ctx: Context, function: Term, shared: Overloaded, args: list[Arg], span: Span) -> Applied:
    """A call of one of several definitions of a name."""
    every = [Candidate.of(info, args) for info in ctx.program.overloads(shared)]
    able = [one for one in every if not one.mistakes]
    if len(able) == 1:
        return _apply(ctx, function, able[0], args, span)
    if able:
        telling = _telling(able, len(args))
        args = list(args)
        for place, array in telling.items():
            args[place] = _examined(ctx, args[place], array, [one.type_at(ctx, place) for one in able])
        closest, fit = _closest(ctx, able, args, telling)
        if fit >= Fit.CONVERTED:
            return _apply(ctx, function, closest, args, span)
        for place in telling:
            _require_count(ctx, shared.name, able, args[place], place)
    else:
        closest = min(every, key=Candidate.misfit)
    with ctx.attempt() as attempt:
        return _apply(ctx, function, closest, args, span)
    note = errors.calls.definitions_of(shared.name, [one.info.node for one in every])
    for found in attempt.discard():
        kept = [each for each in found.notes if not each.startswith(errors.calls.PARAMETERS)]  # those of one alone
        of_one = len(kept) < len(found.notes)
        ctx.report(replace(found, notes=(*kept, note)) if of_one or not found.help else found)
    raise Reported


def _apply(ctx: Context, function: Term, one: Candidate, args: list[Arg], span: Span) -> Applied:
    return call_definition(ctx, one.info, ctx.program.function(one.info, function.span), args, span)


def _require_count(ctx: Context, name: str, able: Sequence[Candidate], arg: Arg, place: int) -> None:
    """Demand that a tuple has as many parts as one of the definitions takes."""
    types = [one.type_at(ctx, place) for one in able]
    taken = sorted({len(each.parts) for each in types if isinstance(each, ty.TupleType)})
    found = ctx.resolve(arg.value.type) if isinstance(arg.value, Term) else ty.ERROR
    if len(taken) > 1 and len(types) == len(taken) and isinstance(found, ty.TupleType):
        given = len(found.parts)
        if given not in taken:
            ctx.refuse(errors.calls.part_count(arg.span, name, able[0].params[place].name, given, taken))


# ---------------------------------------------------------------- by what the arguments are


def _telling(able: Sequence[Candidate], count: int) -> dict[int, bool]:
    """The places of the arguments that tell the definitions apart, and whether they may be arrays: all that are not
    static parameters of one written type."""
    telling: dict[int, bool] = {}
    for place in range(count):
        array = any(not (one.params[place].static or one.info.head.static) for one in able)
        types = {one.params[place].type for one in able if one.params[place].type}
        if array or len(types) > 1:
            telling[place] = array
    return telling


def _examined(ctx: Context, arg: Arg, array: bool, types: Iterable[Type]) -> Arg:
    """An argument, checked, for parameters of these types. A list that is written out where no array may stand is left
    to the parameter, which says what its items are; where both may stand, one of static integers is a static list."""
    match arg.value:
        case ast.ListLit() | ast.TupleLit() if not array:
            return arg
        case ast.ListLit(items) if items and not any(isinstance(i, ast.Splice) for i in items):
            listed = any(kind in ty.LISTS and ty.LISTS[kind] == ty.INT for kind in types)
            return replace(arg, value=_listed(ctx, arg.value) if listed else ctx.infer(arg.value))
        case _:
            return replace(arg, value=ctx.infer(arg.value))


def _listed(ctx: Context, node: ast.ListLit) -> Term:
    """A list of static integers, or an array of other items."""
    with ctx.attempt():
        terms = list_items(ctx, node)
        if all(term.type in (ty.INT, ty.SIZE) for term in terms):
            return make_list(ty.INTS, terms, node.span)
        return stacked(ctx, terms, None, node.span)
    return error_term(node.span)


def _closest(
    ctx: Context, able: Sequence[Candidate], args: Sequence[Arg], telling: Iterable[int]
) -> tuple[Candidate, Fit]:
    """The first that takes the arguments as they are; else the one that comes closest."""
    found: list[tuple[Candidate, Fit]] = []
    for one in able:
        each = (_fit_one(ctx, one.type_at(ctx, place), args[place]) for place in telling)
        found.append((one, min(each, default=Fit.FITS)))  # by the argument that meets its parameter worst
        if found[-1][1] is Fit.FITS:
            break
    return max(found, key=lambda pair: pair[1])


def _fit_one(ctx: Context, wanted: Type, arg: Arg) -> Fit:
    if not isinstance(arg.value, Term):
        return _fit_written(wanted, arg.value)
    found = ctx.resolve(arg.value.type)
    match wanted:
        case _ if isinstance(found, ty.ErrorType):
            return Fit.FITS
        case ty.ArrayType(shape=shape) if is_number(found) and any(isinstance(dim, Size) for dim in shape.dims):
            return Fit.KIND
        case ty.ArrayType(element):
            return _fit_array(ctx, found, ctx.body.solver.candidates(element), arg.value)
        case ty.StaticType():
            return _fit_static(ctx, wanted, found, arg.value)
        case ty.TupleType(parts):
            return _fit_tuple(found, len(parts))
        case ty.RecordType():
            same = isinstance(found, ty.RecordType) and part_names(found) == part_names(wanted)
            return Fit.FITS if same else Fit.OTHER
        case ty.KeyType():
            return Fit.FITS if isinstance(found, ty.KeyType) else Fit.OTHER
        case _:
            return Fit.FITS


def _fit_written(wanted: Type, value: ast.Expr) -> Fit:
    """Return how a list or tuple without a type of its own fits: it must have as many items."""
    if not isinstance(wanted, ty.TupleType) or not isinstance(value, ast.ListLit | ast.TupleLit):
        return Fit.FITS if wanted in ty.LISTS or isinstance(wanted, ty.TupleType) else Fit.OTHER
    spliced = any(isinstance(item, ast.Splice) for item in value.items)
    return Fit.FITS if spliced or len(value.items) == len(wanted.parts) else Fit.KIND


def _fit_tuple(found: Type, count: int) -> Fit:
    if isinstance(found, ty.TupleType):
        return Fit.FITS if len(found.parts) == count else Fit.KIND
    return Fit.FITS if isinstance(found, ty.StackedType) else Fit.OTHER


def _fit_array(ctx: Context, found: Type, allowed: tuple[DType, ...], term: Term) -> Fit:
    match found:
        case ty.ArrayType(element):
            fits = ctx.body.solver.admits(element, allowed)
        case ty.IndexType():
            fits = dt.I32 in allowed
        case ty.StaticType(kind) if is_number(found):
            fits = any(dtype in allowed for dtype in dtypes_of_number(kind))
        case _:
            return Fit.OTHER
    if not fits:
        return Fit.KIND
    return Fit.CONVERTED if is_number(found) or as_list(ctx, term) is not None else Fit.FITS


def _fit_static(ctx: Context, wanted: ty.StaticType, found: Type, term: Term) -> Fit:
    if wanted == ty.SIZE and found == ty.INT:
        natural = isinstance(term.known, Size) and ctx.holds(fa.ge(term.known, 0))
        return Fit.FITS if natural else Fit.KIND
    listed = as_list(ctx, term)
    return Fit.FITS if _is_static(wanted, found if listed is None else listed.type) else Fit.OTHER


def _is_static(wanted: ty.StaticType, found: Type) -> bool:
    """Return whether a static value of one type can stand for one of another."""
    if isinstance(found, ty.TupleType):
        return wanted in ty.LISTS and all(_is_static(ty.INT, part) for part in found.parts)
    if wanted in ty.LISTS and found in ty.LISTS:
        return ty.LISTS[found] == ty.LISTS[wanted]
    return found == wanted or (wanted in _OF_INTEGERS and found in (ty.INT, ty.SIZE))
