"""E04 and E05: indices, slices and updates, the repairs of reads beyond an end, and options of functions of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size, SizeVar
from dsl.types.type import Type
from dsl.types.walk import leading_axes
from typechecker.errors.bounds import Read, beyond_an_end
from typechecker.errors.repairs.edits import einsum_operands
from typechecker.errors.repairs.goals import size_by_name
from typechecker.errors.repairs.trees import (
    exactly,
    tree_of,
    variables,
)
from typechecker.errors.repairs.trial import definition_around, offers, tried, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import conditions, example, instead, make, replace_with, snippet, suggestion

if TYPE_CHECKING:
    from dsl.types.decide import Refuted
    from typechecker.env.context import Context
    from typechecker.env.values import Term

_unknown_update = Template("E0328", "`.at[…]` has no `{name}`", "not an update", note="updates: {updates:listed}")
_UPDATES: Mapping[str, str] = MappingProxyType({"assign": "set", "div": "divide", "put": "set", "sub": "add"})


def unknown_update(name: str, updates: Sequence[str], span: Span) -> Diagnostic:
    near = _UPDATES.get(name) or suggestion(name, updates)
    return _unknown_update.misspelled(span, name, (), near, updates=updates)


update_arguments = Template("E0307", "`.{name}` takes one value", "{given} given")
fill_of_no_numbers = Template("E0308", "`fill` must be a number, but the elements here are {kind:type}", "not numbers")
fill_without_mode = Template("E0328", '`fill` needs `mode="fill"`', "used with another mode", help='add `mode="fill"`')
unknown_policy = Template(
    "E0328",
    "unknown out-of-bounds mode",
    "one of {policies:listed}",
    help="`clip` takes the nearest element, `wrap` goes on at the other end, `fill` reads what `fill` says",
    tries=(
        "leave it out: an index that is known to be in bounds needs none, and others are checked in the run",
        "F(R, mode=X) => F(R)",
    ),
)
_unknown_axis_indexed = Template(
    "E0414",
    "the indexed axis of `{shape}` depends on its rank",
    "{base:described}",
    help="{advice}",
)
_too_many_indices = Template("E0414", "too many indices: {used} for {rank:axis|axes}", "{base:described}")


def too_many_indices(ctx: Context, base: Term, shape: Shape, used: int, span: Span) -> Diagnostic:
    if shape.rank is not None:
        return _too_many_indices(span, ctx, used=used, rank=shape.rank, base=base)
    advice = f"`{shape}` may have no axis there: state the axes that are indexed beside the others in the type"
    if any("." in str(part) for part in shape.dims):
        advice = "a leaf of a tree that is not known may have no axis: read it where the type of the tree is stated"
    return _unknown_axis_indexed(span, ctx, shape=shape, base=base, advice=advice)


mask_of_fewer_axes = Template(
    "E0402",
    "the mask has shape `{own}`, but `{shape}` is expected",
    "{mask.type:plain}, expected bool{shape}",
    note="a mask has an element for each of the array",
    tries=(
        "did you mean `{}`?",
        *[f"X.at[C].set(V) => where(C[{places}], V, X)" for places in (":, None", ":, None, None", ":, :, None")],
    ),
)
nothing_to_read = Template(
    "E0421",
    '`mode="{policy}"` needs an element on the axis that it reads',
    "the size of this axis is {size}",
    help='`mode="fill", fill=…` gives a value where there is no element',
)
two_ellipses = Template("E0414", "an index can contain at most one `...`", "second `...`")
_cannot_index = Template(
    "E0331",
    "{base.type:type} cannot be indexed",
    "{base:described}",
    help="{advice}",
    tries=("write `{}`", "X[K] => X.K", *[f"X[-1] => X.{k}" for k in (3, 2, 1)], "X[Q] => X.Q"),
)


def cannot_index(ctx: Context, base: Term, span: Span) -> Diagnostic:
    """A part of a tuple is selected by its position, a field of a record by its name."""
    kind = ctx.resolve(base.type)
    text = snippet(base.span) or "x"
    name = next((name for name, _ in kind.fields), "0") if isinstance(kind, ty.RecordType) else "0"
    last = f" to `{text}.{len(kind.parts) - 1}`" if isinstance(kind, ty.TupleType) and len(kind.parts) > 1 else ""
    advice = f"a part is selected by `.`: `{text}.{name}`{last}"
    return _cannot_index(span, ctx, base=base, advice=advice)


_not_an_index = Template(
    "E0331",
    "an index must be an integer, not {term.type:type}",
    "{term.type:plain}",
    help="convert it: `{written}`",
    fix="{written}",
)


def not_an_index(ctx: Context, term: Term, span: Span) -> Diagnostic:
    written = f"i32({span.text})" if isinstance(ctx.resolve(term.type), ty.ArrayType) else None
    return _not_an_index(span, ctx, term=term, written=written)


mask_of_another_size = Template(
    "E0401",
    "a mask of {mask} elements for an axis of {size}",
    "the mask says of each element of the axis whether it is selected",
)
_mask_index = Template("E0420", "a boolean mask selects along one axis", "boolean mask used as an index")


def mask_index(ctx: Context, base: Term, mask: Term, span: Span) -> Diagnostic:
    x, m = snippet(base.span) or "x", snippet(mask.span) or "mask"
    whole = f"`where({m}, {x}, 0)` has all elements, zero where the mask is false"
    axes, selected = leading_axes(ctx.resolve(base.type)), leading_axes(ctx.resolve(mask.type))
    if axes is not None and selected is not None and axes.rank == selected.rank != 0:
        whole += f"; `ravel({x})[ravel({m})]` those that are selected, in one row"
    return _mask_index(span, help=whole)


def index_out_of_range(ctx: Context, place: Size, size: Size, found: Mapping[SizeVar, int], span: Span) -> Diagnostic:
    if "…" in str(place):
        return _unknown_index(span, size=size)
    never = not place.vars() and not size.vars()
    index = span.text if span.text.startswith("-") and snippet(span) else place
    instead = beyond_an_end(ctx, Read(place, place, size, span)) if ctx.is_traced(place) else ()
    return make(
        "E0421",
        f"index {index} is out of bounds for an axis of size {size}",
        span,
        "out of bounds" if never else f"needs 0 <= {place} < {size}",
        notes=example(found),
        help=instead or _index_help(ctx, place, size),
    )


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
    return make(
        "E0422",
        f"the slice `{snippet(span) or f'{low}:{high}'}` is out of bounds for an axis of size {size}",
        span,
        f"from {low} to {high}" if constant else f"needs {conditions(needed)}",
        notes=[*example(found), "slice bounds are not clipped"],
        help=beyond_an_end(ctx, Read(low, high - 1, size, span)),
    )


_slice_length_traced = Template(
    "E0423",
    "slice length must be static",
    "stop - start is only known at run time",
    help="{static}, or mask with `where(arange(n) < k, x, 0)`; `x[arange(n) < k]` is as long as it turns out to be",
)


_MASKED = (
    "take all elements, of which those beyond count as 0: `{}`",
    "X[:A] => where(arange(X.shape[0]) < A, X, 0)",
    "X[A:] => where(arange(X.shape[0]) >= A, X, 0)",
)


def slice_length_traced(ctx: Context, span: Span) -> Diagnostic:
    """A length that one parameter of the run decides, which may be meant to be static."""
    node, given = definition_around(ctx, span), exactly(span, ast.Slice)
    names = set() if given is None else {*variables(given.stop)} - {*variables(given.start)}
    params = [] if node is None else [param for param in node.params if param.name.name in names]
    if masked := tried(ctx, span, _MASKED):
        return _slice_length_traced(span, help=masked, static="")
    if len(params) != 1 or params[0].type is None or params[0].type.span.text != "i32":
        return _slice_length_traced(span, static="write `x[i : i + k]` with a static `k`")
    written = f"static {params[0].name.name}: size"
    edits = replace_with(params[0].span, written)
    return _slice_length_traced(span, edits=edits, static=f"declare the length `{written}`")


bad_step = Template("E0424", "a slice step must be a static, nonzero integer", "invalid step")
backward_step = Template(
    "E0424",
    "a slice step that is not a number must be at least 1, and `{step}` is not",
    "invalid step",
    help="reverse the whole axis with a number: `x[::-1]`",
)
backward_slice = Template(
    "E0424",
    "a slice with a negative step cannot have bounds",
    "bounds here",
    help="slice first, then reverse: `x[a:b][::-1]`",
    tries=("all elements, from the last one, are `{}`", "X[-1::-1] => X[::-1]"),
)
index_arrays_differ = Template(
    "E0401", "index arrays of shapes `{a}` and `{b}` do not broadcast", "index arrays broadcast together"
)
_no_field = Template(
    "E0309",
    "{kind:type} has no field `{name}`",
    "no such field",
    note="{fields}",
    help="{advice}",
    tries=(
        "it is a field of the array: `{}`",
        "X.shape.F => X.F",
        "write `{}`",
        "X.at[R][S].F(V) => X.at[R, S].F(V)",
        "it is a function, which is called: `{}`",
        "X.F => X.F()",
        "a product of arrays is `{}`",
        "X.F => X @ F",
    ),
)


def no_field(ctx: Context, base: Term, name: str, span: Span, kind: Type | None = None) -> Diagnostic:
    found = ctx.resolve(base.type) if kind is None else kind
    found = found.element if isinstance(found, ty.StackedType) else found
    array, text = isinstance(found, ty.ArrayType | ty.IndexType), snippet(base.span) or "x"
    names = [n for n, _ in found.fields] if isinstance(found, ty.RecordType) else [*ARRAY_FIELDS] if array else []
    near, fields = suggestion(name, names), f"fields: {', '.join(names)}" if names else None
    advice = None
    match found:
        case ty.TupleType():
            advice = f"select a tuple element by position: `{text}.0`"
        case ty.EnumType():
            advice = f"fields are read in an arm: `match {text} with`, and below it `Variant({name}) -> {name}`"
        case _ if array and name == "at":
            advice = (
                f'say what happens there: `{text}.at[i].set(v)`, `{text}.at[i].add(v)`, `{text}.at[i].get(mode="clip")`'
            )
        case _:
            pass
    helps = instead("did you mean `{}`?", span, near)
    if not helps and isinstance(found, ty.RecordType):
        helps = tried(ctx, span, ["did you mean `{}`?", "X.F => X.Z"], {"Z": names})
    if found == ty.INT and name == "shape":
        helps = size_by_name(ctx, span)
    return _no_field(span, ctx, kind=found, name=name, fields=fields, help=helps, advice=advice)


ARRAY_FIELDS = ("shape", "dtype", "ndim", "size", "T")


no_tuple_position = Template(
    "E0309", "position {index} is out of range for a tuple of {count}", "valid positions are 0 to {last}"
)
_not_a_tuple = Template("E0309", "{kind:type} is not a tuple", "`.{index}` selects from tuples", help="{advice}")


def not_a_tuple(ctx: Context, base: Term, index: int, span: Span) -> Diagnostic:
    text, kind = snippet(base.span) or "x", ctx.resolve(base.type)
    first = kind.fields[0][0] if isinstance(kind, ty.RecordType) else ""
    by_name, by_place = f"select a field by name: `{text}.{first}`", f"index an array with brackets: `{text}[{index}]`"
    return _not_a_tuple(span, ctx, kind=kind, index=index, advice=by_name if first else by_place)


option_needs = Template("E0407", "`{option}` of `{name}` must be {wanted}", "invalid value")
sizes_of_call = Template("E0401", "shapes do not match in `{name}`", "`{left}` and `{right}` must be equal")
_length_unknown = Template(
    "E0401", "the length of a list must be known here", "`{list}` may have any {may}", help="{advice}"
)


def length_unknown(ctx: Context, base: Term, span: Span) -> Diagnostic:
    """A list whose length nothing here determines. A computation can wait in a static function until it is known; the
    axes that the library's own functions leave are not equal to what another function computes."""
    may, advice = "length", "compute it in a static function, as in `static def out(s: shape) -> shape = …`"
    if base.type == ty.SHAPE:
        may, advice = "number of axes", "name the axes that are read beside the others, as in `x: f32[n, *s]`"
    return _length_unknown(span, list=snippet(base.span) or "this list", may=may, advice=advice)


list_of_others = Template("E0303", "`{name}` of a static list takes integers", "{term:described}")
no_static_list = Template(
    "E0303",
    "a static list holds integers, pairs of them or conditions",
    "{term:described}, which cannot be list elements",
)
static_loop = Template(
    "E0401",
    "the length of a list must be known for a `{word}` over it",
    "may have any number of turns",
    help="`sum`, `prod`, `max`, `min` and comprehensions take lists of any length; or let a `static def` call itself",
)
empty_list_has_no = Template("E0407", "an empty list has no {name}imum", "no items")
_no_transpose = Template(
    "E0402",
    "`.T` swaps the last two axes, but this array {lacking} fewer",
    "{base:described}",
    help="a vector is a column as `{base.span.text}[:, None]`, a row as `{base.span.text}[None, :]`",
    tries=("a vector has no transpose: write `{}`", "X.T => X"),
)


def no_transpose(ctx: Context, base: Term, shape: Shape, span: Span) -> Diagnostic:
    return _no_transpose(span, ctx, base=base, lacking="may have" if shape.rank is None else "has")


einsum_spec = Template("E0416", "malformed `einsum`: {message}", 'as in `einsum("ij,jk->ik", a, b)`')
_einsum_rank = Template("E0416", "`{letters}` names {count:axis|axes}, but this array has {rank}", "{term:described}")
_einsum_sizes = Template(
    "E0401",
    "index `{letter}` has two different sizes: {first} and {size}",
    "{held:described}, {term:described}",
    note="{found:example}",
)


def einsum_rank(ctx: Context, letters: str, term: Term, span: Span, call: Span) -> Diagnostic:
    kind = ctx.resolve(term.type)
    own = kind.shape.rank if isinstance(kind, ty.ArrayType | ty.IndexType) else None
    rank, helps = "any number" if own is None else own, _other_letters(ctx, call)
    return _einsum_rank(span, ctx, letters=letters, count=len(letters), rank=rank, term=term, help=helps)


def einsum_sizes(
    ctx: Context, letter: str, held: tuple[Size, Term], other: tuple[Size, Term], found: Refuted, span: Span
) -> Diagnostic:
    (first, one), (size, two) = held, other
    helps = _other_letters(ctx, span)
    return _einsum_sizes(span, ctx, letter=letter, first=first, held=one, size=size, term=two, found=found, help=helps)


def _other_letters(ctx: Context, call: Span) -> list[Help]:
    """The call of `einsum` with other letters, with which the definition checks."""
    root = tree_of(call)
    found = () if root is None else einsum_operands(root)
    texts = islice((text for text in found if type_of(ctx, text, call) is not None), 6)
    return offers(ctx, "did you mean `{}`?", *(replace_with(call, text) for text in texts))
