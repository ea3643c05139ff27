"""`vmap`: arguments lose the axis that is mapped over, results gain it.

The mapped function is checked at the types of one element. Sizes of the mapped axes must agree; an argument may be
mapped leaf by leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NoReturn

from msgspec import Struct

from dsl.core import core
from dsl.core.transformation import Kind
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.types import type as ty
from dsl.types.effect import Axis, Effect
from dsl.types.shape import Shape
from dsl.types.shapefn import ShapeFailure, extent, inserted, removed
from dsl.types.size import Size
from dsl.types.type import Type
from dsl.types.walk import children, part_names, with_children, with_shape
from typechecker import errors
from typechecker.calls.calls import apply_full
from typechecker.calls.effect_restrictions import in_parallel
from typechecker.env.call_record import Applied, Arg, local
from typechecker.env.context import Context
from typechecker.env.value_facts import of_elements
from typechecker.env.values import Fields, Known, Nothing, Parts, Term, Transformed
from typechecker.errors.causes import Operation
from typechecker.loops.comprehensions import element_hint
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.numeric_literals import settled_type
from typechecker.relations.shapes import demand_axis
from typechecker.relations.size_equations import require_equal
from typechecker.transforms.transformed_values import count_parameters, require_data, wrap_call
from typechecker.types.predicates import holds_key, is_traced


class Mapped(Struct, frozen=True):
    """An argument, what stands for it where the function is checked, and what was said of it."""

    outer: Term
    inner: Term
    spec: Known | None
    mapped: bool


def options_of(transformed: Transformed) -> tuple[Known | None, Known | None, Known | None]:
    """Return the facts about `in_axes`, `out_axes` and `axis_name`."""
    given = {name: term.known for name, term in transformed.options}
    first = Size.of(0)
    return given.get("in_axes", first), given.get("out_axes", first), given.get("axis_name")


def vmap(
    ctx: Context, function: Term, transformed: Transformed, args: list[Arg], span: Span, expected: Type | None
) -> Applied:
    """A call of `vmap(f)`: `f` is checked at the types of one element."""
    in_axes, out_axes, name = options_of(transformed)
    places = count_parameters(ctx, transformed.function, args)
    count = mapped_count(places)
    if isinstance(in_axes, Parts) and len(in_axes.items) != count:
        named = [arg.name for arg, place in zip(args, places, strict=True) if arg.name is not None and place is None]
        ctx.refuse(errors.transforms.in_axes_count(ctx, len(in_axes.items), count, named, transformed.span))
    sizes: list[tuple[Size, Span]] = []
    written = {name: term.span for name, term in transformed.options}
    mapped = _map_arguments(ctx, args, places, in_axes, sizes, span, written.get("in_axes", span))
    if not sizes:
        ctx.refuse(errors.transforms.nothing_mapped(span))
    for count, (size, place) in enumerate(sizes[1:], start=2):
        refuted = require_equal(ctx, sizes[0][0], size, place)
        if refuted is not None:
            kinds = [m.outer.type for m in mapped if m is not None]
            ctx.refuse(errors.transforms.mapped_sizes_differ(ctx, sizes[:count], refuted, kinds, span))
    inner_args = [a if m is None else Arg(a.name, m.inner, a.span) for a, m in zip(args, mapped, strict=True)]
    with along_axes(ctx, {name: sizes[0][0]} if isinstance(name, str) else {}, span):
        wanted = element_hint(expected, 1) if out_axes == Size.of(0) else None
        inner = apply_full(ctx.repeated(), transformed.function, inner_args, span, wanted)

    def whole(kind: Type, spec: Known | None, place: Span) -> Type:
        return with_axis(ctx, kind, spec, sizes[0][0], place)

    one = settled_result(ctx, transformed.kind, inner, span)
    result = with_axis(ctx, one, out_axes, sizes[0][0], span, written.get("out_axes", span))
    positional, cores = outer_arguments(ctx, inner, [m for m in mapped if m is not None], whole)
    known = of_elements(ctx, [inner.term], result)
    return wrap_call(function, replace(inner, positional=positional, core_args=cores), result, span, known)


@contextmanager
def along_axes(ctx: Context, axes: Mapping[str, Size], span: Span) -> Iterator[None]:
    """In the function of one element or part: these axes have names there, and nothing runs in an order."""
    effects: dict[Effect, Span] = {}
    try:
        with ctx.body.book.inner(effects), ctx.mapping(axes):
            yield
    finally:
        others = {e: place for e, place in effects.items() if not (isinstance(e, Axis) and e.name in axes)}
        in_parallel(ctx, others, span)


def mapped_count(places: Sequence[int | None]) -> int:
    """How many parameters `in_axes` counts, by the places of the arguments among them."""
    return 1 + max((place for place in places if place is not None), default=-1)


def settled_result(ctx: Context, kind: Kind, inner: Applied, span: Span) -> Type:
    """The type of one element or part of a result, as an array of a settled dtype."""
    require_data(ctx, kind, inner.term.type, span)
    return settled_type(ctx, inner.term.type)


def _map_arguments(
    ctx: Context,
    args: list[Arg],
    places: list[int | None],
    in_axes: Known | None,
    sizes: list[tuple[Size, Span]],
    whole: Span,
    option: Span,
) -> list[Mapped | None]:
    """The arguments, those that are mapped and others; None for one that is passed on as it is written."""
    counted = [arg for arg, place in zip(args, places, strict=True) if place is not None]
    out: list[Mapped | None] = []
    for arg, place in zip(args, places, strict=True):
        if place is None and arg.name is None:
            out.append(None)
            continue
        term = ctx.typed(arg.value)
        kind = ctx.resolve(term.type)
        spec = in_axes
        if place is None:
            spec = Size.of(0) if is_traced(kind) else Nothing()
        elif isinstance(in_axes, Parts):
            spec = in_axes.items[place]
        element = _Mapping(ctx, counted, kind, sizes, whole, arg.span, option).element(kind, spec)
        passed = isinstance(spec, Nothing)
        out.append(Mapped(term, term if passed else local(ctx, "x", element, arg.span, term.known), spec, not passed))
    return out


class _Mapping(Struct, frozen=True):
    """The argument at `span` of the call `whole`, of the type `own`, by its elements. `args` are those that `in_axes`
    counts, `sizes` those that are mapped so far, and `option` is where it is written."""

    ctx: Context
    args: Sequence[Arg]
    own: Type
    sizes: list[tuple[Size, Span]]
    whole: Span
    span: Span
    option: Span

    def element(self, kind: Type, spec: Known | None, path: str = "") -> Type:
        """The type of one element."""
        match self.ctx.resolve(kind), spec:
            case whole, Nothing():
                if holds_key(whole):
                    self.ctx.refuse(errors.keys.unmapped_key(self.span, self.ctx))
                return kind
            case ty.ErrorType(), _:
                return ty.ERROR
            case (ty.TupleType() | ty.RecordType()) as whole, _ if (
                specs := specs_of(whole, spec, _is_axis)
            ) is not None:
                parts = zip(part_names(whole), children(whole), specs, strict=True)
                return with_children(whole, [self.element(part, one, f"{path}.{name}") for name, part, one in parts])
            case ty.StackedType(element, axes), Size() as axis if axis.constant == 0 and isinstance(axes.dims[0], Size):
                self.sizes.append((axes.dims[0], self.span))
                return ty.StackedType(element, Shape(axes.dims[1:])) if axes.dims[1:] else element
            case (ty.ArrayType() | ty.IndexType() | ty.KeyType()) as leaf, Size() as axis if axis.constant is not None:
                rest = removed(self.ctx.facts, leaf.shape, axis.constant)
                if isinstance(rest, ShapeFailure):
                    self._refuse_axis(leaf, axis.constant, path)
                demand_axis(self.ctx, leaf.shape, axis.constant, Operation("vmap", ()), self.span)
                self.sizes.append((extent(leaf.shape, axis.constant), self.span))
                return with_shape(leaf, rest)
            case other, Size() as axis if axis.constant is not None:
                self._refuse_axis(other, axis.constant, path)
            case other, _:
                self.ctx.refuse(errors.transforms.not_axes(self.option, self.ctx, kind=other, option="in_axes"))

    def _refuse_axis(self, leaf: Type, axis: int, path: str) -> NoReturn:
        place = next((k for k, arg in enumerate(self.args) if arg.span == self.span), len(self.args))
        argument = (place, self.own, len(self.args))
        self.ctx.refuse(errors.transforms.no_mapped_axis(self.ctx, leaf, axis, path, argument, self.span, self.whole))


def specs_of(
    whole: ty.TupleType | ty.RecordType, spec: Known | None, for_all: Callable[[Known | None], bool]
) -> Sequence[Known | None] | None:
    """Return the specification of each part of a tuple or record: its own entry, or one `for_all`; otherwise None."""
    names = list(map(str, part_names(whole)))
    match spec:
        case _ if for_all(spec):
            return (spec,) * len(names)
        case Parts(items) if isinstance(whole, ty.TupleType) and len(items) == len(names):
            return items
        case Fields(items) if isinstance(whole, ty.RecordType) and {name for name, _ in items} == set(names):
            return [spec.get(name) for name in names]
        case _:
            return None


def _is_axis(spec: Known | None) -> bool:
    return isinstance(spec, Size)


def with_axis(ctx: Context, kind: Type, spec: Known | None, size: Size, span: Span, option: Span | None = None) -> Type:
    """The type of the mapped result; `option` is where `out_axes` is written."""
    match ctx.resolve(kind), spec:
        case _, Nothing():
            return kind
        case (ty.TupleType() | ty.RecordType()) as whole, _ if (specs := specs_of(whole, spec, _is_axis)) is not None:
            pairs = zip(children(whole), specs, strict=True)
            return with_children(whole, [with_axis(ctx, part, one, size, span, option) for part, one in pairs])
        case ty.StackedType(element, axes), _:
            return ty.StackedType(element, Shape((size, *axes.dims)))
        case (ty.TypeVar()) as leaf, _:
            return ty.StackedType(leaf, Shape((size,)))
        case (ty.ArrayType() | ty.IndexType() | ty.KeyType()) as leaf, Size() as axis if axis.constant is not None:
            shape = inserted(ctx.facts, leaf.shape, axis.constant, size)
            if isinstance(shape, ShapeFailure):
                ctx.refuse(errors.transforms.no_result_axis(ctx, leaf, axis.constant, span))
            if axis.constant not in (0, -1):
                beside = axis.constant - 1 if axis.constant > 0 else axis.constant + 1
                demand_axis(ctx, leaf.shape, beside, Operation("vmap", ()), span)
            return with_shape(leaf, shape)
        case other, _:
            ctx.refuse(errors.transforms.not_axes(option or span, ctx, kind=other, option="out_axes"))


def outer_arguments(
    ctx: Context, inner: Applied, mapped: Sequence[Mapped], whole: Callable[[Type, Known | None, Span], Type]
) -> tuple[tuple[Term, ...], tuple[core.Expr | None, ...]]:
    """The arguments in the order of the parameters of the function, coerced as it demands; `whole` is the type of the
    argument of whose element it demands a type."""
    by_id = {m.inner.core.id: m for m in mapped if m.mapped and isinstance(m.inner.core, core.Local)}
    cores = list(inner.core_args)
    positional: list[Term] = []
    for place, term in zip(inner.places, inner.positional, strict=True):
        found = by_id.get(_local_id(term.core))
        if found is None:
            positional.append(term)
            continue
        outer = found.outer
        if ctx.resolve(term.type) != ctx.resolve(found.inner.type):
            outer = coerce(ctx, outer, whole(term.type, found.spec, outer.span), Why("argument", "x", "vmap"))
        positional.append(outer)
        cores[place] = outer.core
    return tuple(positional), tuple(cores)


def _local_id(node: core.Expr) -> int:
    """Which variable an argument is, made to fit as a whole or, with functions in it, part by part."""
    match node:
        case core.Local(id=number):
            return number
        case core.Coerce(value=inner) | core.CheckIndex(value=inner):
            return _local_id(inner)
        case core.Sequence(statements=(core.Bound(value=whole), *_)):
            return _local_id(whole)
        case _:
            return -1
