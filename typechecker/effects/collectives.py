"""The collectives over a named axis: psum, pmean, pmax, pmin, all_gather, reduce_scatter, all_to_all, ppermute,
axis_index.

Each performs the effect `axis("i")`. How many elements the axis has is known where the map over it, or a
signature that says `axis("i": n)`, is in sight; those that move elements need to know. Read next: `mapping`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.effect import Axis
from dsl.types.shape import Shape
from dsl.types.shapefn import ShapeFailure, extent, inserted, removed
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, children, has_parts, leaves, with_children
from typechecker import errors
from typechecker.calls.arguments import Given, bind_in_order
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.reports import Reported
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Known, Parts, Term
from typechecker.expressions.atoms import make_constant
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array


def _named(g: Given) -> str:
    """The name of the axis, which is performed as an effect."""
    return _performed(g, g.text("axis_name"))


def _performed(g: Given, name: str) -> str:
    g.ctx.perform(Axis(name, g.ctx.body.axes.get(name)), g.span)
    return name


def _several(g: Given) -> list[str]:
    """The names of one axis or of a tuple of axes."""
    known = g.ctx.infer(g.chosen["axis_name"].value).known
    if isinstance(known, Parts) and known.items and all(isinstance(name, str) for name in known.items):
        return [_performed(g, name) for name in known.items if isinstance(name, str)]
    return [_named(g)]


def _size_of(g: Given, axis: str) -> Size:
    """How many elements an axis has, which must be in sight."""
    ctx = g.ctx
    size = ctx.body.axes.get(axis)
    if size is None:
        declared = () if ctx.body.permitted is None else ctx.body.permitted.effects
        unsized = any(isinstance(effect, Axis) and effect.name == axis for effect in declared)
        error = errors.transforms.collective_unsized if unsized else errors.transforms.collective_outside
        ctx.refuse(error(g.span, name=g.name, axis=axis))
    return size


def _tree(g: Given, allowed: Sequence[dt.DType]) -> Term:
    """The operand: data, all leaves of the allowed dtypes; numbers become arrays, and indices integers, whose sum is no
    index."""
    term = g.ctx.typed(g.chosen["x"].value)
    term = coerce(g.ctx, term, as_array(g.ctx, g.ctx.resolve(term.type)), Why("argument", "x", g.name))
    _require_leaves(g, term, g.ctx.resolve(term.type), allowed)
    return term


def _require_leaves(g: Given, term: Term, type_: Type, allowed: Sequence[dt.DType]) -> None:
    match type_:
        case ty.ArrayType(element, _):
            g.require_class(element, allowed, term)
        case _ if has_parts(type_):
            for leaf in leaves(g.ctx.resolve(type_)):
                _require_leaves(g, term, leaf, allowed)
        case ty.TypeVar(_, _, constraint) if not constraint.keys and set(constraint.dtypes) <= set(allowed):
            return
        case ty.ErrorType():
            raise Reported
        case _:
            g.ctx.refuse(errors.types.not_an_array(g.chosen["x"].span, g.ctx, name=g.name, term=term))


def _reduction(name: str, allowed: Sequence[dt.DType], moves: bool = False) -> SpecialRule:
    """A value in the place of those along an axis; one of them if it `moves` elements."""

    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        g = bind_in_order(ctx, name, args, ("x", "axis_name"), 2, span, keyword=())
        term = _tree(g, allowed)
        for axis in _several(g):
            type_ = ctx.resolve(term.type)
            known = of_elements(ctx, [term], type_) if moves else None
            term = g.emit(name, type_, [term], known, axis_name=axis)
        return term

    return rule


OfLeaf: TypeAlias = Callable[[Given, Type, int, Size], Type]
"""(the call, type of the operand, axis, number of elements) -> type of the result."""


def _along_axis(collective: str, allowed: Sequence[dt.DType], result: OfLeaf, moves: bool = True) -> SpecialRule:
    def rule(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
        g = bind_in_order(ctx, collective, args, ("x", "axis_name", "axis"), 2, span)
        term, name = _tree(g, allowed), _named(g)
        place, size = g.integer("axis"), _size_of(g, name)
        if place.constant is None:
            g.refuse("axis", "an integer, known when the program is checked")
        kind = result(g, ctx.resolve(term.type), place.constant, size)
        known = of_elements(ctx, [term], kind) if moves else None
        return g.emit(collective, kind, [term], known, axis_name=name, axis=place)

    return rule


def _gathered(g: Given, type_: Type, axis: int, size: Size) -> Type:
    match type_:
        case ty.ArrayType(element, shape):
            found = inserted(g.ctx.facts, shape, axis, size)
            if isinstance(found, ShapeFailure):
                g.refuse("axis", "an axis of the gathered array")
            return ty.ArrayType(element, found)
        case ty.TupleType() | ty.RecordType():
            return with_children(type_, [_gathered(g, part, axis, size) for part in children(type_)])
        case other if axis == 0:
            return add_axes(other, Shape((size,)))
        case _:
            g.refuse("axis", "0 for a value that is not an array")


def _scattered(g: Given, type_: Type, axis: int, size: Size) -> Type:
    """The axis of the operand, which has a slice for each element, is gone."""
    match type_:
        case ty.ArrayType(element, shape):
            rest = removed(g.ctx.facts, shape, axis)
            if isinstance(rest, ShapeFailure):
                g.refuse("axis", "an axis of the array")
            g.require_equal(extent(shape, axis), size)
            return ty.ArrayType(element, rest)
        case ty.TupleType() | ty.RecordType():
            return with_children(type_, [_scattered(g, part, axis, size) for part in children(type_)])
        case _:
            g.refuse("x", "an array, or a tuple or record of arrays")


def _exchanged(g: Given, type_: Type, axis: int, size: Size) -> Type:
    _scattered(g, type_, axis, size)
    return type_


def _ppermute(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    g = bind_in_order(ctx, "ppermute", args, ("x", "axis_name", "perm", "shift"), 2, span, keyword=("shift",))
    term, name = _tree(g, dt.CLASSES["Num"]), _named(g)
    type_ = ctx.resolve(term.type)
    if "perm" not in g.chosen and "shift" in g.chosen:
        known, shift = of_elements(ctx, [term], type_), g.integer("shift")
        return g.emit("ppermute", type_, [term], known, axis_name=name, shift=shift)
    perm = _permutation(g, _size_of(g, name))
    known = of_elements(ctx, [term, make_constant(0, span)], type_)
    return g.emit("ppermute", type_, [term], known, axis_name=name, perm=perm)


def _permutation(g: Given, size: Size) -> Term:
    """Pairs whose number is known, of an axis that has the elements that they name."""
    if "shift" in g.chosen:
        g.refuse("perm", "left out where `shift` is given")
    perm = _listed(g)
    pairs = _pairs(perm.known)
    if pairs is None or not _injective(pairs, size.constant):
        g.refuse("perm", "pairs (giver, receiver) of elements of the axis, each giving and receiving once at most")
    if pairs and size.constant is None:
        g.require_at_least(1 + max(max(pair) for pair in pairs), size)
    return perm


def _listed(g: Given) -> Term:
    """The pairs as they are given. Those of a comprehension must be known one by one."""
    given = g.chosen.get("perm", Arg(None, make_constant(None, g.span), g.span))
    if not isinstance(given.value, ast.Comprehension):
        return g.ctx.typed(given.value, ty.PAIRS)
    with g.ctx.attempt() as attempt:
        return g.ctx.typed(given.value, ty.PAIRS)
    attempt.discard()
    g.refuse("perm", "pairs that are all known here; `shift=1` moves along an axis of any size, around its end")


def _pairs(known: Known | None) -> list[tuple[int, int]] | None:
    """Literal pairs."""
    out: list[tuple[int, int]] = []
    for pair in known.items if isinstance(known, Parts) else (None,):
        match pair:
            case Parts((Size(constant=int(giver)), Size(constant=int(receiver)))):
                out.append((giver, receiver))
            case Shape((Size(constant=int(giver)), Size(constant=int(receiver)))):
                out.append((giver, receiver))
            case _:
                return None
    return out


def _injective(pairs: Sequence[tuple[int, int]], size: int | None) -> bool:
    for places in zip(*pairs, strict=True):
        if len(set(places)) < len(places) or min(places) < 0 or (size is not None and max(places) >= size):
            return False
    return True


def _axis_index(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """An index of the axis, where its size is in sight."""
    g = bind_in_order(ctx, "axis_index", args, ("axis_name",), 1, span, keyword=())
    name = _named(g)
    size = ctx.body.axes.get(name)
    scalar = Shape(())
    kind = ty.ArrayType(dt.I32, scalar) if size is None else ty.IndexType(size, scalar)
    return g.emit("axis_index", kind, [], axis_name=name)


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    return MappingProxyType(
        {
            "psum": _reduction("psum", dt.CLASSES["Num"]),
            "pmean": _reduction("pmean", dt.CLASSES["Inexact"]),
            "pmax": _reduction("pmax", dt.CLASSES["Real"], moves=True),
            "pmin": _reduction("pmin", dt.CLASSES["Real"], moves=True),
            "all_gather": _along_axis("all_gather", dt.ALL, _gathered),
            "reduce_scatter": _along_axis("reduce_scatter", dt.CLASSES["Num"], _scattered, moves=False),
            "all_to_all": _along_axis("all_to_all", dt.ALL, _exchanged),
            "ppermute": _ppermute,
            "axis_index": _axis_index,
        }
    )
