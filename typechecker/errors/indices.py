"""E04 and E05: indices, slices and functional updates; the selection of fields and elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.dtype import BY_NAME
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import leading_axes
from typechecker.errors.repairs.edits import integer
from typechecker.errors.repairs.indices import Read, beyond_an_end, masked_slice, reduced_by_mask, static_name
from typechecker.errors.repairs.trees import call_of, enclosing, tree_of, without_argument
from typechecker.errors.repairs.trial import first_that_mends, mends, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    conditions,
    describe_term,
    example,
    format_type,
    instead,
    is_integer,
    make,
    plain_type,
    rename,
    replace_with,
    snippet,
    suggestion,
)

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term


def unknown_update(name: str, updates: Sequence[str], span: Span) -> Diagnostic:
    near = {"assign": "set", "div": "divide", "put": "set", "maximum": "max", "minimum": "min"}.get(name)
    near = near or suggestion(name, updates)
    if name.startswith("sub"):
        return _unknown_update(span, name=name, updates=updates, help="add the negative: `.add(-v)`")
    advice = None if near is None else f"did you mean `{near}`?"
    return _unknown_update(span, edits=rename(span, name, near), name=name, updates=updates, help=advice)


update_arguments = Template("E0307", "`.{name}` takes one value", "{given} given")
fill_of_no_numbers = Template("E0308", "`fill` must be a number, but the elements here are {kind:type}", "not numbers")
fill_without_mode = Template("E0328", '`fill` needs `mode="fill"`', "used with another mode", help='add `mode="fill"`')


def unknown_policy(ctx: Context, policies: tuple[str, ...], span: Span) -> Diagnostic:
    """A policy that there is none of; none is needed where the index is known to fit, or is checked."""
    allowed = ", ".join(f'"{policy}"' for policy in policies)
    given = call_of(span)
    edits = () if given is None else (without_argument(*given),)
    advice = "leave it out: an index that is known to be in bounds needs none, and others are checked in the run"
    fits = mends(ctx, edits)
    return make(
        "E0328",
        "unknown out-of-bounds mode",
        span,
        f"one of {allowed}",
        help=advice if fits else f"out of bounds, {', '.join([f'`{name}` {_POLICIES[name]}' for name in policies])}",
        edits=edits if fits else (),
    )


_POLICIES: Mapping[str, str] = MappingProxyType(
    {
        "clip": "takes the nearest element",
        "wrap": "goes on at the other end",
        "fill": "reads what `fill` says",
        "drop": "changes nothing",
    }
)
"""What is done out of bounds."""


_unknown_axis_indexed = Template("E0414", "the indexed axis of `{shape}` depends on its rank", "{base:described}")
_too_many_indices = Template("E0414", "too many indices: {used} for {rank:axis|axes}", "{base:described}")


def too_many_indices(ctx: Context, base: Term, shape: Shape, used: int, has_rest: bool, span: Span) -> Diagnostic:
    if shape.rank is None:
        leaf = any("." in str(part) for part in shape.dims)
        help_ = f"`{shape}` may have no axis there: state the axes that are indexed beside the others in the type"
        item = span.text[len(base.span.text) :].strip("[]")
        written = f"{base.span.text}[..., {item}]"
        if not has_rest and type_of(ctx, written, span) is not None:
            help_ = f"write `...` for the unknown axes: `{written}`"
        if leaf:
            help_ = "a leaf of a tree that is not known may have no axis: read it where the type of the tree is stated"
        return _unknown_axis_indexed(span, ctx, shape=shape, base=base, help=help_)
    return _too_many_indices(span, ctx, used=used, rank=shape.rank, base=base)


_unknown_update = Template("E0328", "`.at[…]` has no `{name}`", "not an update", note="updates: {updates:listed}")


def mask_of_fewer_axes(
    ctx: Context, mask: Term, base: Term, own: Shape, shape: Shape, value: ast.Expr | Term | None, span: Span
) -> Diagnostic:
    """A mask with the first axes alone; what is `set` there can be chosen by `where` instead."""
    places = ", ".join([*(":" for _ in own.dims), *("None" for _ in shape.dims[len(own.dims) :])])
    chosen = None if value is None else f"where({mask.span.text}[{places}], {value.span.text}, {base.span.text})"
    fits = chosen is not None and type_of(ctx, chosen, span) is not None
    return make(
        "E0402",
        f"the mask has shape `{own}`, but `{shape}` is expected",
        mask.span,
        f"{plain_type(ctx, mask.type)}, expected bool{shape}",
        notes=["a mask has an element for each of the array"],
        help=instead("did you mean `{}`?", span, chosen if fits else None),
    )


nothing_to_read = Template(
    "E0421",
    '`mode="{policy}"` needs an element on the axis that it reads',
    "the size of this axis is {size}",
    help='`mode="fill", fill=…` gives a value where there is no element',
)
two_ellipses = Template("E0414", "an index can contain at most one `...`", "second `...`")


def cannot_index(ctx: Context, base: Term, span: Span) -> Diagnostic:
    kind = ctx.resolve(base.type)
    advice = None
    edits: tuple[Edit, ...] = ()
    if isinstance(kind, ty.TupleType):
        position = integer(_item(span))
        place = None if position is None else position % len(kind.parts or (0,))
        fits = position is not None and -len(kind.parts) <= position < len(kind.parts)
        selected = f"{snippet(base.span) or 't'}.{place if fits else 0}"
        advice = f"select a tuple element by position: `{selected}`"
        edits = replace_with(span, selected) if fits else ()
    if isinstance(kind, ty.RecordType):
        item = _item(span)
        named = item.value if isinstance(item, ast.StringLit) else ""
        field = named if named and kind.field(named) else kind.fields[0][0] if kind.fields else "w"
        selected = f"{snippet(base.span) or 'p'}.{field}"
        shown = [field] if named else [name for name, _ in kind.fields][:3]
        listed = " or ".join([f"`{snippet(base.span) or 'p'}.{name}`" for name in shown])
        advice = f"select a record field by name: {listed or f'`{selected}`'}"
        edits = replace_with(span, selected) if named and kind.field(named) else ()
    what = describe_term(ctx, base)
    return make("E0331", f"{format_type(ctx, kind)} cannot be indexed", span, what, help=advice, edits=edits)


def _item(place: Span) -> object:
    """The one index of an expression that is indexed."""
    root = tree_of(place)
    return root.items[0] if isinstance(root, ast.Index) and len(root.items) == 1 else None


def not_an_index(ctx: Context, term: Term, span: Span) -> Diagnostic:
    advice = f"convert it: `i32({snippet(span) or '…'})`" if isinstance(term.type, ty.ArrayType) else None
    return make(
        "E0331",
        f"an index must be an integer, not {format_type(ctx, term.type)}",
        span,
        plain_type(ctx, term.type),
        help=advice,
    )


mask_of_another_size = Template(
    "E0401",
    "a mask of {mask} elements for an axis of {size}",
    "the mask says of each element of the axis whether it is selected",
)


def mask_index(ctx: Context, base: Term, mask: Term, span: Span) -> Diagnostic:
    x, m, kind = snippet(base.span) or "x", snippet(mask.span) or "mask", ctx.resolve(base.type)
    dtype = str(kind.dtype) if isinstance(kind, ty.ArrayType) else "f32"
    edits = first_that_mends(ctx, reduced_by_mask(ctx, span, dtype))
    whole = f"`where({m}, {x}, 0)` has all elements, zero where the mask is false"
    axes, selected = leading_axes(kind), leading_axes(ctx.resolve(mask.type))
    if axes is not None and selected is not None and axes.rank == selected.rank != 0:
        whole += f"; `ravel({x})[ravel({m})]` those that are selected, in one row"
    return make(
        "E0420",
        "a boolean mask selects along one axis",
        span,
        "boolean mask used as an index",
        help=_kept_mask(edits) if edits else whole,
        edits=edits,
    )


def _kept_mask(edits: tuple[Edit, ...]) -> str:
    """Return the replacement for reductions of a masked selection."""
    if len(edits) == 1:
        return f"reduce over all elements: write `{edits[0].text}`"
    first, *rest = edits
    uses = " and ".join([f"`{edit.text}` for `{edit.span.text}`" for edit in rest])
    let = first.span.source.text[: first.span.start].rpartition("\n")[2].strip()
    return f"keep the mask, `{let} {first.text}`, and reduce over all elements: write {uses}"


def index_out_of_range(ctx: Context, place: Size, size: Size, found: Mapping[SizeVar, int], span: Span) -> Diagnostic:
    if "…" in str(place):
        return _unknown_index(span, size=size)
    never = not place.vars() and not size.vars()
    index = span.text if span.text.startswith("-") and snippet(span) else place
    problem = make(
        "E0421",
        f"index {index} is out of bounds for an axis of size {size}",
        span,
        "out of bounds" if never else f"needs 0 <= {place} < {size}",
        notes=example(found),
        help=_index_help(ctx, place, size),
    )
    instead = beyond_an_end(ctx, Read(place, place, size, span)) if ctx.is_traced(place) else ()
    return replace(problem, help=instead or problem.help)


_unknown_index = Template(
    "E0421",
    "index {text} may be out of bounds for an axis of size {size}",
    "needs 0 <= {text} < {size}",
    help="its value is not known here: take it as a parameter, which `where` can speak of, or read by a policy, "
    '`.at[{text}].get(mode="clip")`',
)


def _index_help(ctx: Context, place: Size, size: Size) -> str | None:
    gap = (size - place).constant
    if place.constant is not None and place.constant < 0:
        return "an index counts from the end only if it is written with a minus sign: `x[-1]`" if size.vars() else None
    if ctx.is_traced(place):
        return "change the bounds of the range"
    if gap is not None:
        return f"the last index is {size - 1}" + (": `x[-1]`" if size.vars() else "")
    return f"state it: `where {size} > {place}`"


index_always_out = Template(
    "E0421", "this index is out of bounds for an axis of size {size} in every run", "always out of bounds"
)


def slice_out_of_range(
    ctx: Context, low: Size, high: Size, size: Size, found: Mapping[SizeVar, int], span: Span
) -> Diagnostic:
    needed = fa.And((fa.ge(low, 0), fa.le(low, high), fa.le(high, size)))
    constant = not (low.vars() or high.vars() or size.vars())
    problem = make(
        "E0422",
        f"the slice `{snippet(span) or f'{low}:{high}'}` is out of bounds for an axis of size {size}",
        span,
        f"from {low} to {high}" if constant else f"needs {conditions(needed)}",
        notes=[*example(found), "slice bounds are not clipped"],
    )
    return replace(problem, help=beyond_an_end(ctx, Read(low, high - 1, size, span)))


def slice_length_traced(ctx: Context, span: Span) -> Diagnostic:
    masked = masked_slice(ctx, span)
    name = static_name(ctx, span)
    static = "" if name is None else f"make `{name}` static, or "
    advice = f"{static}mask with `{masked[0].text}`" if masked else f"{static}mask with `where`"
    return make(
        "E0423",
        "slice length must be static",
        span,
        "stop - start is only known at run time",
        help=advice if masked or static else "write `x[i : i + k]` with a static `k`, or mask with `where`",
        edits=masked if mends(ctx, masked) else (),
    )


bad_step = Template("E0424", "a slice step must be a static, nonzero integer", "invalid step")
backward_step = Template(
    "E0424",
    "a slice step that is not a number must be at least 1, and `{step}` is not",
    "invalid step",
    help="reverse the whole axis with a number: `x[::-1]`",
)
_backward_slice = Template(
    "E0424", "a slice with a negative step cannot have bounds", "bounds here", help="slice first, then reverse: {steps}"
)


def backward_slice(ctx: Context, node: ast.Slice) -> Diagnostic:
    """Elements from the last to the first; those of the one index of an array are offered in two steps."""
    around = enclosing(node.span, ast.Index)
    index = next((each for each in around if [item.span for item in each.items] == [node.span]), None)
    if index is None or not isinstance(index.base, ast.Name | ast.Field) or integer(node.step) != -1:
        return _backward_slice(node.span, steps="`x[a:b][::-1]`")
    base, place = index.base.span.text, index.span
    bounds = _bounds(*[None if bound is None else bound.span.text for bound in (node.start, node.stop)])
    written = f"{base}[{bounds}][::-1]".replace("[:][", "[")
    if type_of(ctx, written, place) is None:
        return _backward_slice(node.span, steps="`x[a:b][::-1]`")
    return _backward_slice(node.span, edits=replace_with(place, written), steps=f"`{written}`")


def _bounds(first: str | None, last: str | None) -> str:
    """The bounds of the elements from one place down to the one behind another, or up to it, if that is behind."""
    if first is not None and last is not None and last.startswith(f"{first} + "):
        return f"{first} : {last}"
    return f"{_next(last)}:{'' if first == '-1' else _next(first)}"


def _next(bound: str | None) -> str:
    """The text of the place behind a bound."""
    if bound is None:
        return ""
    if is_integer(bound):
        return str(int(bound) + 1)
    return bound.removesuffix(" - 1") if bound.endswith(" - 1") else f"{bound} + 1"


index_arrays_differ = Template(
    "E0401", "index arrays of shapes `{a}` and `{b}` do not broadcast", "index arrays broadcast together"
)


def no_field(ctx: Context, base: Term, name: str, span: Span, kind: Type | None = None) -> Diagnostic:
    found = ctx.resolve(base.type) if kind is None else kind
    if isinstance(found, ty.StackedType):
        found = found.element
    if isinstance(found, ty.TupleType):
        return make(
            "E0309",
            f"{format_type(ctx, found)} has no field `{name}`",
            span,
            "no such field",
            help=f"select a tuple element by position: `{snippet(base.span) or 't'}.0`",
        )
    names = [n for n, _ in found.fields] if isinstance(found, ty.RecordType) else []
    if isinstance(found, ty.EnumType):
        matched = f"`match {snippet(base.span) or 'x'} with`, and below it `Variant({name}) -> {name}`"
        message = f"{format_type(ctx, found)} has no field `{name}`"
        return make("E0309", message, span, "no such field", help=f"fields of a variant are read in an arm: {matched}")
    names = list(ARRAY_FIELDS) if isinstance(found, ty.ArrayType | ty.IndexType) else names
    if name in BY_NAME and snippet(base.span):
        return _conversion(ctx, base, name, span)
    near = suggestion(name, names)
    of_array = snippet(base.span).removesuffix(".shape")
    advice, edits = (f"did you mean `{near}`?", replace_with(span, near)) if near is not None else (None, ())
    if isinstance(found, ty.ArrayType | ty.IndexType) and ctx.scope.lookup(name) is not None:
        advice, edits = _product(ctx, base, name, span)
    elif isinstance(found, ty.ArrayType | ty.IndexType) and name in ctx.program.visible_names(ctx):
        advice, edits = f"`{name}` is a function: `{snippet(base.span) or 'x'}.{name}()`", ()
    if isinstance(found, ty.ArrayType | ty.IndexType) and name == "at":
        place = f"{snippet(base.span) or 'x'}.at[i]"
        advice = f'say what happens there: `{place}.set(v)`, `{place}.add(v)`, `{place}.get(mode="clip")`'
        twice = [each for each in enclosing(span, ast.Index) if isinstance(each.base, ast.Index)]
        if twice and isinstance(twice[0].base, ast.Index):
            items = [item.span.text for item in (*twice[0].base.items, *twice[0].items)]
            whole = Span(span.source, span.start, twice[0].span.end)
            written = f"at[{', '.join(items)}]"
            advice, edits = f"write `.{written}`", replace_with(whole, written)
    if found == ty.SHAPE and name in ARRAY_FIELDS and of_array != snippet(base.span):
        advice = f"it is a field of the array: `{of_array}.{name}`"
        edits = replace_with(Span(span.source, base.span.start, span.end), f"{of_array}.{name}")
    return make(
        "E0309",
        f"{format_type(ctx, found)} has no field `{name}`",
        span,
        "no such field",
        notes=["fields: " + ", ".join(names)] if names else [],
        help=advice,
        edits=edits,
    )


def _conversion(ctx: Context, base: Term, name: str, span: Span) -> Diagnostic:
    """A dtype behind a dot."""
    written, message = f"{name}({base.span.text})", f"{format_type(ctx, ctx.resolve(base.type))} has no field `{name}`"
    call = instead("a conversion is a call: `{}`", base.span.to(span), written)
    return make("E0309", message, span, "no such field", help=call)


def _product(ctx: Context, base: Term, name: str, span: Span) -> tuple[str | None, tuple[Edit, ...]]:
    """A dot between arrays."""
    written, whole = f"{snippet(base.span)} @ {name}", Span(span.source, base.span.start, span.end)
    fits = type_of(ctx, written, whole) is not None
    return (f"a product of arrays is `{written}`", replace_with(whole, written)) if fits else (None, ())


ARRAY_FIELDS = ("shape", "dtype", "ndim", "size", "T")


no_tuple_position = Template(
    "E0309", "position {index} is out of range for a tuple of {count}", "valid positions are 0 to {last}"
)
_not_a_tuple = Template("E0309", "{kind:type} is not a tuple", "`.{index}` selects from tuples")


def not_a_tuple(ctx: Context, base: Term, index: int, span: Span) -> Diagnostic:
    text, kind = snippet(base.span) or "x", ctx.resolve(base.type)
    first = kind.fields[0][0] if isinstance(kind, ty.RecordType) else ""
    advice = (
        f"select a field by name: `{text}.{first}`" if first else f"index an array with brackets: `{text}[{index}]`"
    )
    return _not_a_tuple(span, ctx, kind=kind, index=index, help=advice)
