"""Repairs of transformations: the text of `in_axes=(0, none)`, a rule with one result per argument, a loss with a
scalar result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.core.transformation import TRANSFORMATIONS
from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import children, leading_axes, part_names
from typechecker.errors.repairs.edits import argument, integer, name_of
from typechecker.errors.repairs.trees import (
    change,
    changed,
    declarations,
    expressions,
    innermost,
    mentions,
    name,
    option,
    read,
    rewritten,
    tree_of,
    value_of,
    with_args,
)
from typechecker.errors.repairs.trial import (
    definition_around,
    first_that_mends,
    is_right,
    mends,
    offers,
    type_of,
)
from typechecker.errors.words import bare, format_type, is_integer, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context


class _Mapped(Struct, frozen=True):
    """The call of a transformation in the text of an expression, with its argument `in_axes` if it has one."""

    root: ast.Expr
    call: ast.Call
    option: ast.Argument | None


def _mapped(text: str) -> _Mapped | None:
    root = read(text)
    calls = [each for each in expressions(root) if isinstance(each, ast.Call)]
    chosen = next((each for each in calls if argument(each, "in_axes") is not None), innermost(root))
    return None if root is None or chosen is None else _Mapped(root, chosen, argument(chosen, "in_axes"))


def entries(call: str) -> list[str]:
    """The entries of `in_axes`, if it has one for each argument."""
    found = _mapped(call)
    whole = found.option.value if found is not None and found.option is not None else None
    return [item.span.text for item in whole.items] if isinstance(whole, ast.TupleLit) else []


def with_entry(call: str, place: int, entry: str) -> str:
    """A call with another entry of `in_axes`."""
    return with_entries(call, [entry if k == place else old for k, old in enumerate(entries(call))])


def with_entries(call: str, new: Sequence[str]) -> str:
    """A call with these entries of `in_axes`; one entry alone is that of a tuple of one. What is not a call stays as it
    is."""
    found = _mapped(call)
    if found is None:
        return call
    written = f"({', '.join(new)}{',' if len(new) == 1 else ''})"
    if found.option is not None:
        return changed(found.root, Edit(found.option.value.span, written))
    more = with_args(found.call, (*found.call.args, option("in_axes", name(written))))
    return changed(found.root, change(found.call, more))


def axes_of_leaves(kind: Type, axis: int) -> str:
    """The entry of a tree that maps the leaves that have this axis, and no others."""
    match kind:
        case ty.TupleType(parts):
            shown = [axes_of_leaves(part, axis) for part in parts]
            return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"
        case ty.RecordType():
            pairs = zip(part_names(kind), children(kind), strict=True)
            return f"{{{', '.join([f'{name} = {axes_of_leaves(part, axis)}' for name, part in pairs])}}}"
        case _:
            shape = leading_axes(kind)
            has = shape is not None and (shape.rank is None or -shape.rank <= axis < shape.rank)
            return str(axis) if has else "none"


def with_axes_of_leaves(call: str, place: int, given: int, kind: Type, axis: int) -> str:
    """A call with the entry of one of its arguments written out leaf by leaf."""
    entry = axes_of_leaves(kind, axis)
    return with_entries(call, [entry if k == place else old for k, old in enumerate(_every(call, given))])


def with_one_unmapped(call: str, kinds: Sequence[Type]) -> Iterator[str]:
    """A call of arguments of these types, each time with another argument, or leaf of one, that is not mapped."""
    old = _every(call, len(kinds))
    for place, kind in enumerate(kinds):
        spelt = axes_of_leaves(kind, int(old[place])) if is_integer(old[place]) else old[place]
        leaves = [changed(n, Edit(n.span, "none")) for n in expressions(read(spelt)) if integer(n) is not None]
        for entry in dict.fromkeys(["none", *leaves]):
            yield with_entries(call, [entry if k == place else each for k, each in enumerate(old)])


def _every(call: str, given: int) -> list[str]:
    """The entry of each argument, also where one number stands for all."""
    found = _mapped(call)
    one = "0" if found is None or found.option is None else bare(found.option.value.span.text)
    return entries(call) or [one] * given


def of_each_argument(
    ctx: Context, actual: Type, wanted: Type, rule: str, span: Span
) -> tuple[str | None, tuple[Edit, ...]]:
    """Return a tuple for the backward pass that has the derivative of one argument alone, with zeros for the others."""
    if not isinstance(wanted, ty.TupleType) or rule != "bwd":
        return None, ()
    place = next((k for k, part in enumerate(wanted.parts) if ctx.resolve(part) == ctx.resolve(actual)), None)
    told = f"`bwd` gives a derivative for each argument of the function, as one tuple, {format_type(ctx, wanted)}"
    named = ctx.program.modules[ctx.body.module].definitions.get(span.text)
    if wanted == ty.TupleType((actual,)) and named is None and snippet(span):
        written = f"({snippet(span)},)"
        return f"write a tuple of one: `{written}`", replace_with(span, written)
    zeros = ["" if k == place else _zero(part) for k, part in enumerate(wanted.parts)]
    if place is None or named is None or named.node.result is None or None in zeros:
        return told, ()
    value = value_of(named.node.body)
    kinds = [named.node.result.span.text if k == place else plain_type(ctx, p) for k, p in enumerate(wanted.parts)]
    values = [value.span.text if k == place else str(zero) for k, zero in enumerate(zeros)]
    ends = "," if len(values) == 1 else ""
    result, written = f"({', '.join(kinds)}{ends})", f"({', '.join(values)}{ends})"
    edits = (*replace_with(named.node.result.span, result), *replace_with(value.span, written))
    if "\n" in written or not is_right(ctx, named.node, edits):
        return told, ()
    zero = ", and zero for those that have none" if len(values) > 1 else ""
    return f"{told}{zero}: let `{named.name}` give `{written}`, of type `{result}`", edits


def _zero(kind: Type) -> str | None:
    """Return the source of a zero derivative."""
    if not isinstance(kind, ty.ArrayType) or not isinstance(kind.dtype, dt.DType) or kind.shape.rank is None:
        return None
    if not kind.shape.dims:
        return "0.0"
    dtype = "" if kind.dtype is dt.F32 else f", dtype={kind.dtype}"
    return f"zeros([{', '.join(map(str, kind.shape.dims))}]{dtype})"


def as_one_number(ctx: Context, kind: str, result: Type, span: Span) -> Iterator[Help]:
    """The mean of what a function gives: in its definition, where nothing else asks for the elements, or where it is
    given to the derivative."""
    dtype = result.dtype.name if isinstance(result, ty.ArrayType) else ""
    made = innermost(tree_of(span))
    of = made.args[0].value.span.text if made is not None and made.args and name_of(made) == kind else ""
    named = ctx.program.modules[ctx.body.module].definitions.get(of)
    if named is not None and isinstance(named.node.result, ast.IndexedType):
        value = value_of(named.node.body)
        edits = (Edit(named.node.result.span, dtype), Edit(value.span, f"mean({value.span.text})"))
        if _only_under(kind, named.node) and is_right(ctx, named.node, edits):
            yield Help(f"a loss is one number: let `{named.name}` give `{edits[1].text}`, of type `{dtype}`", edits)
            return
    means = offers(ctx, "a loss is one number: `{}`", *_means_of_lambdas(ctx, span))
    yield from means or _mean_of_call(ctx, kind, span)


def by_another_argument(ctx: Context, span: Span) -> Iterator[Help]:
    """The derivative by another argument than the first, where that gives what is wanted."""
    node = definition_around(ctx, span)
    calls = [] if node is None else [call for call in nodes(node) if isinstance(call, ast.Call)]
    for call in calls:
        made = call.function
        if span.covers(call.span) and isinstance(made, ast.Call) and _takes_argnums(made):
            end = Span(span.source, made.span.end - 1, made.span.end - 1)
            edits = first_that_mends(ctx, [(Edit(end, f", argnums={k}"),) for k in range(1, len(call.args))])
            if edits:
                written = rewritten(call.span, *edits)
                yield Help(f"`{snippet(made.span)}` is the derivative by the first argument: `{written}`", edits)


def _takes_argnums(made: ast.Call) -> bool:
    """Return whether a call makes a derivative of which is not said by which argument."""
    row = next((row for kind, row in TRANSFORMATIONS.items() if str(kind) == made.function.span.text), None)
    return row is not None and "argnums" in row.parameters and "argnums" not in made.span.text


def _only_under(kind: str, node: ast.Def) -> bool:
    """Return whether a definition is used by derivatives alone."""
    whole = declarations(node.span.source)
    calls = [each for each in expressions(whole) if isinstance(each, ast.Call) and each.args]
    given = [each.args[0].value.span for each in calls if name_of(each) in (kind, "value_and_grad", "grad")]
    return all(place in given for place in mentions(whole, node.name.name))


def _means_of_lambdas(ctx: Context, span: Span) -> Iterator[tuple[Edit, ...]]:
    node = definition_around(ctx, span)
    inside = [] if node is None else [f for f in around(node, ast.Lambda, _after_name(span)) if span.covers(f.span)]
    for function in inside:
        if "\n" not in function.body.span.text:
            yield replace_with(function.body.span, f"mean({function.body.span.text})")


def _after_name(span: Span) -> Span:
    """The first letter behind the bracket of a call."""
    start = span.start + span.text.find("(") + 1
    return Span(span.source, start, start + 1)


def _mean_of_call(ctx: Context, kind: str, span: Span) -> Iterator[Help]:
    """The derivative of the mean of what a function gives that is named, and called with names."""
    match tree_of(span):
        case ast.Call(ast.Call(ast.Name(made), (ast.Argument(None, ast.Name(f)),)), args) if made == kind and all(
            isinstance(arg.value, ast.Name) for arg in args
        ):
            given = ", ".join([arg.span.text for arg in args])
            head = f"({given})" if len(args) > 1 else given
            edits = replace_with(span, f"{kind}(fn {head} -> mean({f}({given})))({given})")
            if type_of(ctx, edits[0].text, span) is not None:
                yield Help(f"the gradient of the mean is `{edits[0].text}`", edits if mends(ctx, edits) else ())
        case _:
            pass
