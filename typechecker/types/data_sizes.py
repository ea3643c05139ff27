"""Sizes that data decide, in types: an array of such a size opens it, and a result packs it again.

`x[mask]` and each call of a function with a result `f32[?k]` open a size that is like no other one, in a range. A
mask that has a name opens one size wherever it is used. Where such a size may be used, and where it is known,
`typechecker.analyses.data_sizes` says. Read next: `typechecker.declarations.determinacy`.
"""

from __future__ import annotations

from dsl.core import core
from dsl.core.walk import subexpressions
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.decide import Proved
from dsl.types.dtype import I32
from dsl.types.facts import Eq, Le, Lt, Prop, atoms_of, conjunction, le
from dsl.types.shape import Shape, Substitution
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import children, part_names, shapes_in, with_children
from typechecker import errors
from typechecker.env.context import Context
from typechecker.env.known_parts import facts_of_parts
from typechecker.env.values import Fields, Known, Parts, Term
from typechecker.types.instance import Instance

DATA = "?"
"""What the name of a size that data decide begins with."""


def variables_of(prop: Prop) -> frozenset[SizeVar]:
    """The size variables that a condition mentions."""
    return frozenset([var for atom in atoms_of(prop) for var in Size.of(atom).vars()])


def traced_in(shape: Shape) -> frozenset[SizeVar]:
    """The sizes that data decide in a shape."""
    return frozenset([var for var in shape.vars() if var.traced])


def opened_in(type_: Type) -> tuple[SizeVar, ...]:
    """The sizes that data decide in a type, in order; those of functions in it are not of its value."""
    found = (var for shape in shapes_in(type_) for var in sorted(traced_in(shape), key=lambda var: var.id))
    return tuple(dict.fromkeys(found))


def bound_by(prop: Prop, var: SizeVar) -> Size | None:
    """The size of other variables that one is at most, if a condition says so."""
    match prop:
        case Le(left, right):
            rest = right - left
        case Lt(left, right):
            rest = right - left - 1
        case Eq(left, right):
            rest = right - left if Size.of(var) == left else left - right
        case _:
            return None
    bound = rest + Size.of(var)
    return None if any(each.traced for each in bound.vars()) else bound


def fresh_size(ctx: Context, name: str, bound: Size | None) -> SizeVar:
    """A size that a run decides, at most `bound`. No other one in the body has its name."""
    taken = {var.name for var in ctx.body.ranges if var.traced}
    names = (name, *(f"{name}{number}" for number in range(2, len(taken) + 3)))
    var = SizeVar(ctx.fresh_id(), next(each for each in names if each not in taken), traced=True)
    ctx.body.opened += 1
    ctx.body.ranges[var] = (Size.of(0), None if bound is None else bound + 1)
    return var


def places(ctx: Context, mask: Term, size: Size, span: Span) -> tuple[core.Expr, Size]:
    """The positions where a mask over an axis of this size holds, and how many there are."""
    named = mask.core.id if isinstance(mask.core, core.Local) else None
    var = None if named is None else ctx.body.masks.get(named)
    if var is None:
        name = mask.core.name if isinstance(mask.core, core.Local) else "k"
        var = fresh_size(ctx, DATA + name, size)
    if named is not None:
        ctx.body.masks[named] = var
    count = Size.of(var)
    kind = ty.IndexType(size, Shape((count,)))
    return core.Opened(span, kind, core.Intrinsic(span, kind, "places", (mask.core,)), (var,)), count


def opened_at_call(ctx: Context, signature: core.Signature, instance: Instance) -> tuple[SizeVar, ...]:
    """The sizes that a call decides, in place of those of the signature; of them its promises hold."""
    for var in signature.opens:
        found = (bound_by(prop, var) for prop in signature.promises)
        bounds = [instance.size(bound) for bound in found if bound is not None]
        instance.sizes[var] = Size.of(fresh_size(ctx, var.name, bounds[0] if bounds else None))
    opened = tuple([next(iter(instance.sizes[var].vars())) for var in signature.opens])
    if opened:
        said = conjunction([instance.prop(prop) for prop in signature.promises])
        ctx.body.meanings.update(dict.fromkeys(opened, said))
    return opened


def deciding(value: core.Expr, term: Term) -> Term:
    """A size of a value, with the value before it if that decides sizes: where it has no name, nothing else has it."""
    if not any(isinstance(part, core.Opened) for part in subexpressions(value)):
        return term
    node = term.core
    return Term(core.Sequence(node.span, term.type, (core.Perform(value),), node), term.type, term.known)


def counted(ctx: Context, kind: Type, known: Known | None) -> Type:
    """The type of a result in which sizes that data decide are numbers of the run."""
    match kind, known:
        case ((ty.INT | ty.SIZE), Size()) if not ctx.body.ranges.keys().isdisjoint(known.vars()):
            return ty.ArrayType(I32, Shape(()))
        case ((ty.TupleType() | ty.RecordType()), Parts() | Fields()):
            facts, parts = facts_of_parts(known), zip(part_names(kind), children(kind), strict=True)
            return with_children(kind, [counted(ctx, part, facts.get(name)) for name, part in parts])
        case _:
            return kind


def packed(ctx: Context, found: core.Signature, term: Term, span: Span) -> Type:
    """The stated result with the sizes of the value in place of those that it opens. They keep the promises."""
    instance = Instance(ctx.body.solver, ctx.facts, open_sizes=frozenset(found.opens))
    instance.bind_type(found.result, ctx.resolve(term.type))
    for prop in found.promises:
        kept = instance.prop(prop)
        if not isinstance(ctx.decide(kept), Proved):
            ctx.report(errors.sizes.beyond_bound(span, prop=kept))
    return instance.type(found.result)


def left_open(ctx: Context, result: Type) -> tuple[tuple[SizeVar, ...], tuple[Prop, ...]]:
    """The sizes that a result without a stated type opens, and what bounds them."""
    opens = opened_in(result)
    bounds = {var: _bound(ctx, var) for var in opens}
    return opens, tuple([le(Size.of(var), bound) for var, bound in bounds.items() if bound is not None])


def _bound(ctx: Context, var: SizeVar) -> Size | None:
    """Return the largest value of a size, in sizes that are known before a run."""
    high = ctx.body.ranges[var][1] if var in ctx.body.ranges else None
    while high is not None and any(each.traced for each in high.vars()):
        inner = {each: ctx.body.ranges.get(each, (None, None))[1] for each in high.vars() if each.traced}
        known = {each: end - 1 for each, end in inner.items() if end is not None}
        high = Substitution(known).size(high) if len(known) == len(inner) else None
    return None if high is None else high - 1
