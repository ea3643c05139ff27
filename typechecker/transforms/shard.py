"""`shard`: arguments are cut along the axes of a mesh, and results are put together again.

The function is checked at the types of one part: an axis of size `n` that is cut along an axis of the mesh with `k`
places has `n // k` there, and that `k` divides `n` is asked of the callers. Read next: `vmap`, which maps elements.
`with_sharding` says how the elements of one array lie.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted
from dsl.types.shape import Shape
from dsl.types.shapefn import ShapeFailure, extent, replaced
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import add_axes, children, is_empty, strip, with_children, with_shape
from typechecker import errors
from typechecker.calls.arguments import bind_in_order
from typechecker.calls.calls import apply_full
from typechecker.env.call_record import Applied, Arg, local
from typechecker.env.context import Context
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Fields, Known, Nothing, Parts, Term, Transformed
from typechecker.errors.causes import Operation
from typechecker.expressions.atoms import make_constant, make_tuple
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import as_array
from typechecker.relations.shapes import demand_axis
from typechecker.transforms.transformed_values import count_parameters, wrap_call
from typechecker.transforms.vmap import Mapped, along_axes, mapped_count, outer_arguments, settled_result, specs_of
from typechecker.types.predicates import holds_key, holds_static, is_traced

# ---------------------------------------------------------------- meshes


def mesh(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`mesh(data=4, model=2)`: the axes in order, each a pair of a name and a static size."""
    axes: dict[str, Term] = {}
    for arg in args:
        term = ctx.typed(arg.value)
        size = term.known if not is_traced(ctx.resolve(term.type)) else None
        if arg.name is None or not isinstance(size, Size) or isinstance(ctx.require(fa.ge(size, 1), arg.span), Refuted):
            ctx.refuse(errors.transforms.not_a_mesh(arg.span))
        if arg.name in axes:
            ctx.refuse(errors.transforms.axis_named_twice(arg.span, name=arg.name))
        axes[arg.name] = make_tuple([make_constant(arg.name, arg.span), term], arg.span)
    if not axes:
        ctx.refuse(errors.transforms.not_a_mesh(span))
    return make_tuple(list(axes.values()), span)


def axes_of(ctx: Context, mesh: Term) -> list[tuple[str, Size]]:
    """The axes of a mesh, and how many places they have."""
    axes: list[tuple[str, Size]] = []
    for pair in mesh.known.items if isinstance(mesh.known, Parts) else (None,):
        match pair:
            case Parts((str() as name, Size() as size)) if size.constant is None or size.constant > 0:
                axes.append((name, size))
            case _:
                ctx.refuse(errors.transforms.not_a_mesh(mesh.span))
    if not axes or len(dict(axes)) < len(axes):
        ctx.refuse(errors.transforms.not_a_mesh(mesh.span))
    return axes


# ---------------------------------------------------------------- cutting


class Cutting(Struct, frozen=True, eq=False):
    """Types and their parts along the axes of a mesh. `cuts`: sizes that were cut, places, and sizes there."""

    ctx: Context
    mesh: Sequence[tuple[str, Size]]
    options: Mapping[str, Span]
    cuts: list[tuple[Size, Size, Size]] = field(default_factory=list)

    def whole(self, type_: Type, spec: Known | None, span: Span) -> Type:
        """The type of what is put together of parts."""
        return self.part(type_, spec, span, "out_specs")

    def part(self, type_: Type, spec: Known | None, span: Span, option: str = "in_specs") -> Type:
        """The type of one part of an argument, or by `out_specs` of the whole."""
        match self.ctx.resolve(type_), spec:
            case whole, Nothing():
                if option == "in_specs" and holds_key(whole):
                    self.ctx.refuse(errors.keys.unsplit_key(self.mesh, span))
                return type_
            case (ty.TupleType() | ty.RecordType()) as whole, _ if (
                specs := specs_of(whole, spec, _is_cut)
            ) is not None:
                pairs = zip(children(whole), specs, strict=True)
                return with_children(whole, [self.part(part, one, span, option) for part, one in pairs])
            case ty.StackedType(ty.TupleType() | ty.RecordType() as element, axes), _ if (
                specs := specs_of(element, spec, _is_cut)
            ) is not None:
                pairs = zip(children(element), specs, strict=True)
                parts = [self.part(add_axes(part, axes), one, span, option) for part, one in pairs]
                return self._stacked(type_, with_children(element, parts), len(axes.dims), option)
            case ty.StackedType(element, axes) as leaf, Fields() if _is_cut(spec):
                return ty.StackedType(element, self._shape(leaf, axes, spec, option, span))
            case (ty.ArrayType() | ty.IndexType() | ty.KeyType()) as leaf, Fields() if _is_cut(spec):
                if isinstance(leaf, ty.KeyType) and len(spec.items) < len(self.mesh):
                    self.ctx.refuse(errors.keys.unsplit_key(self.mesh, span))
                return with_shape(leaf, self._shape(leaf, leaf.shape, spec, option, span))
            case ty.ErrorType(), _:
                return ty.ERROR
            case other, _:
                self.ctx.refuse(errors.transforms.not_a_spec(self.options[option], self.ctx, kind=other, option=option))

    def _stacked(self, type_: Type, parts: Type, count: int, option: str) -> Type:
        """The stack whose fields are these arrays, which have as many axes in front in common."""
        found = strip(parts, count)
        heads = {(strip(part, count) or (None,))[0] for part in children(parts) if not is_empty(part)}
        if found is None or len(heads) > 1:
            self.ctx.refuse(errors.transforms.not_a_spec(self.options[option], self.ctx, kind=type_, option=option))
        return ty.StackedType(found[1], found[0])

    def _shape(self, type_: Type, shape: Shape, spec: Fields, option: str, span: Span) -> Shape:
        names = [name for name, _ in self.mesh]
        for name, _ in spec.items:
            if name not in names:
                self.ctx.refuse(errors.transforms.unknown_mesh_axis(self.options[option], name=name, known=names))
        for name, count in self.mesh:
            axis = spec.get(name)
            if isinstance(axis, Size) and axis.constant is not None:
                size = extent(shape, axis.constant)
                new = self._joined(size, count) if option == "out_specs" else self._cut(size, name, count, span)
                found = replaced(self.ctx.facts, shape, axis.constant, new)
                if isinstance(found, ShapeFailure):
                    self.ctx.refuse(
                        errors.transforms.spec_axis_range(
                            self.options[option], self.ctx, kind=type_, name=name, axis=axis.constant, option=option
                        )
                    )
                demand_axis(self.ctx, shape, axis.constant, Operation("shard", ()), span)
                shape = found
        return shape

    def _cut(self, size: Size, name: str, count: Size, span: Span) -> Size:
        refuted = self.ctx.require(fa.eq(size % count, Size.of(0)), span)
        if isinstance(refuted, Refuted):
            self.ctx.refuse(errors.transforms.not_divisible(span, size=size, name=name, count=count, found=refuted))
        self.cuts.append((size, count, size // count))
        return size // count

    def _joined(self, size: Size, count: Size) -> Size:
        """So many times the size, in the sizes that were cut."""
        product = size * count
        for whole, places, part in reversed(self.cuts):
            times, rest = product.divided_by(part * places)
            product = times * whole + rest
        return product


def _is_cut(spec: Known | None) -> bool:
    """Return whether this says which axes are cut, and not what is to become of the fields of a record."""
    if not isinstance(spec, Fields):
        return False
    return all(isinstance(axis, Size) and axis.constant is not None for _, axis in spec.items)


# ---------------------------------------------------------------- applying


def cutting(ctx: Context, transformed: Transformed) -> tuple[Cutting, Known | None, Known | None]:
    """Return the facts about `mesh`, `in_specs` and `out_specs`."""
    given = dict(transformed.options)
    places = {name: term.span for name, term in given.items()}
    return (
        Cutting(ctx, axes_of(ctx, given["mesh"]), places),
        given["in_specs"].known,
        given["out_specs"].known,
    )


def shard(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    """A call of `shard(f, mesh, in_specs, out_specs)`: `f` is checked at the types of one part."""
    cut, in_specs, out_specs = cutting(ctx, transformed)
    mapped = _parts_of_arguments(cut, transformed, args, in_specs)
    inner_args = [Arg(a.name, m.inner, a.span) for a, m in zip(args, mapped, strict=True)]
    with along_axes(ctx, dict(cut.mesh), span):
        inner = apply_full(ctx.repeated(), transformed.function, inner_args, span)
    result = cut.whole(settled_result(ctx, transformed.kind, inner, span), out_specs, cut.options["out_specs"])
    positional, cores = outer_arguments(ctx, inner, mapped, cut.whole)
    known = of_elements(ctx, [inner.term], result)
    return wrap_call(function, replace(inner, positional=positional, core_args=cores), result, span, known)


def _parts_of_arguments(
    cut: Cutting, transformed: Transformed, args: list[Arg], in_specs: Known | None
) -> list[Mapped]:
    ctx = cut.ctx
    places = count_parameters(ctx, transformed.function, args)
    count = mapped_count(places)
    if isinstance(in_specs, Parts) and len(in_specs.items) != count:
        ctx.refuse(errors.transforms.spec_count(cut.options["in_specs"], given=len(in_specs.items), count=count))
    out: list[Mapped] = []
    for arg, place in zip(args, places, strict=True):
        term = ctx.typed(arg.value)
        spec = Nothing() if place is None else in_specs.items[place] if isinstance(in_specs, Parts) else in_specs
        part = cut.part(term.type, spec, arg.span)
        whole = isinstance(spec, Nothing)
        out.append(Mapped(term, term if whole else local(ctx, "x", part, arg.span, term.known), spec, not whole))
    return out


# ---------------------------------------------------------------- with_sharding


def with_sharding(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """The value has the type and the shape of `x`: an array, or a tuple or record of arrays."""
    given = bind_in_order(ctx, "with_sharding", args, ("x", "mesh", "spec"), 3, span, keyword=())
    x, mesh, spec = [ctx.typed(given.chosen[name].value) for name in ("x", "mesh", "spec")]
    x = coerce(ctx, x, as_array(ctx, ctx.resolve(x.type)), Why("argument", "x", "with_sharding"))
    type_ = ctx.resolve(x.type)
    if holds_key(type_) or holds_static(type_):
        ctx.refuse(errors.transforms.not_a_spec(spec.span, ctx, kind=type_, option="spec"))
    Cutting(ctx, axes_of(ctx, mesh), {"spec": spec.span}).part(type_, spec.known, x.span, "spec")
    statics = (("mesh", mesh.core), ("spec", spec.core))
    made = core.Intrinsic(span, type_, "with_sharding", (x.core,), statics)
    return Term(made, type_, of_elements(ctx, [x], type_))
