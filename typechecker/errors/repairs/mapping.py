"""The text of what says how the arguments of a transformed function are mapped: `in_axes=(0, none)`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.type import Type
from dsl.types.walk import children, leading_axes, part_names
from typechecker.errors.repairs.edits import argument, integer
from typechecker.errors.repairs.trees import (
    change,
    expressions,
    innermost,
    name,
    option,
    read,
    rewritten,
    whole_of,
    with_args,
)
from typechecker.errors.words import bare, is_integer


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
        return rewritten(whole_of(found.root), Edit(found.option.value.span, written))
    more = with_args(found.call, (*found.call.args, option("in_axes", name(written))))
    return rewritten(whole_of(found.root), change(found.call, more))


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
        leaves = [
            rewritten(whole_of(n), Edit(n.span, "none")) for n in expressions(read(spelt)) if integer(n) is not None
        ]
        for entry in dict.fromkeys(["none", *leaves]):
            yield with_entries(call, [entry if k == place else each for k, each in enumerate(old)])


def _every(call: str, given: int) -> list[str]:
    """The entry of each argument, also where one number stands for all."""
    found = _mapped(call)
    one = "0" if found is None or found.option is None else bare(found.option.value.span.text)
    return entries(call) or [one] * given
