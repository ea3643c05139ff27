"""Repairs of transformations: the entries of `in_axes=(0, none)`, a loss with a scalar result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import children, leading_axes, part_names
from typechecker.errors.repairs.trees import (
    argument,
    bare,
    behind,
    changed,
    declarations,
    expressions,
    innermost,
    integer,
    mentions,
    name_of,
    read,
    tree_of,
    value_of,
)
from typechecker.errors.repairs.trial import definition_around, is_right, offers
from typechecker.errors.words import replace_with, snippet

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
    return changed(found.root, behind(found.call.args[-1].span, f", in_axes={written}")) if found.call.args else call


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
        spelt = axes_of_leaves(kind, int(old[place])) if integer(read(old[place])) is not None else old[place]
        leaves = [changed(n, Edit(n.span, "none")) for n in expressions(read(spelt)) if integer(n) is not None]
        for entry in dict.fromkeys(["none", *leaves]):
            yield with_entries(call, [entry if k == place else each for k, each in enumerate(old)])


def _every(call: str, given: int) -> list[str]:
    """The entry of each argument, also where one number stands for all."""
    found = _mapped(call)
    one = "0" if found is None or found.option is None else bare(found.option.value.span.text)
    return entries(call) or [one] * given


def as_one_number(ctx: Context, kind: str, dtype: str, span: Span) -> list[Help]:
    """Return the mean of what a function gives: in its definition, in the lambda that it is, or where it is given to
    the derivative; or the derivative of each element."""
    root = tree_of(span)
    made = next((each for each in expressions(root) if isinstance(each, ast.Call) and name_of(each) == kind), None)
    node, of = definition_around(ctx, span), made.args[0].value if made is not None and made.args else None
    named = ctx.program.modules[ctx.body.module].definitions.get(of.span.text) if of is not None else None
    if named is not None and isinstance(named.node.result, ast.IndexedType) and _only_under(kind, named.node):
        value = value_of(named.node.body)
        edits = (Edit(named.node.result.span, dtype), Edit(value.span, f"mean({value.span.text})"))
        if is_right(ctx, named.node, edits):
            return [Help(f"a loss is one number: let `{named.name}` give `{edits[1].text}`, of type `{dtype}`", edits)]
    inside = [each.body for each in nodes(node) if isinstance(each, ast.Lambda) and span.covers(each.span)]
    means = [replace_with(body.span, f"mean({body.span.text})") for body in inside if snippet(body.span, 80)]
    if (
        root is not None
        and made is not None
        and isinstance(root, ast.Call)
        and root.function == made
        and of is not None
    ):
        names = ", ".join([arg.span.text for arg in root.args])
        head = f"({names})" if len(root.args) > 1 else names
        means += [replace_with(span, changed(root, Edit(of.span, f"fn {head} -> mean({of.span.text}({names}))")))]
    each = [replace_with(span, changed(root, Edit(made.function.span, "jacrev")))] if root and made else []
    loss = offers(ctx, "a loss is one number: `{}`", *means)
    return loss or offers(ctx, "the derivatives of each element are `{}`", *each)


def _only_under(kind: str, node: ast.Def) -> bool:
    """Return whether a definition is used by derivatives alone."""
    whole = declarations(node.span.source)
    calls = [each for each in expressions(whole) if isinstance(each, ast.Call) and each.args]
    given = [each.args[0].value.span for each in calls if name_of(each) in (kind, "value_and_grad", "grad")]
    return all(place in given for place in mentions(whole, node.name.name))
