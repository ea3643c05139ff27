"""Values in place of what gives them, or may not: the call of a function, what stands for a value that is not given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.trees import before, behind, bound_names, expressions, in_front, read, tree_of
from typechecker.errors.repairs.trial import definition_around, first_that_mends, mends, offers, type_of
from typechecker.errors.words import bare, operand, plain_type, replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


def calls_of_value(ctx: Context, function: Span) -> Iterator[tuple[Edit, ...]]:
    """A function called with names that are bound around it: those that its parameters have where it is defined, or one
    of the parameters of the definition."""
    node = definition_around(ctx, function)
    given = _given(ctx, node, function) if node is not None and "\n" not in function.text else ()
    yield from (replace_with(function, f"{function.text}({each})") for each in islice(given, 6))


def _given(ctx: Context, node: ast.Def, function: Span) -> Iterator[str]:
    definitions = ctx.program.modules[ctx.body.module].definitions
    lets = {n.pattern.span.text: n.value for n in nodes(node) if isinstance(n, ast.Let)}
    for name in [each.name for each in expressions(tree_of(function)) if isinstance(each, ast.Name)]:
        match lets.get(name):
            case ast.Lambda(params):
                yield ", ".join([param.pattern.span.text for param in params])
            case _ if name in definitions:
                yield ", ".join([param.name.name for param in definitions[name].node.params])
            case _:
                pass
    yield from (param.name.name for param in node.params)


def one_part(ctx: Context, place: Span, kind: Type, part: int, declared: Span | None) -> Iterator[Help]:
    """One part of a tuple in place of the whole, or the whole as it is declared."""
    parts = kind.parts if isinstance(kind, ty.TupleType) else ()
    text, indent = place.text, before(place)
    name = next(each for each in ("value", "y", "part") if each not in bound_names(read(text)))
    let = f"let ({', '.join([name if k == part else '_' for k, _ in enumerate(parts)])}) = "
    bound = (in_front(place, let), behind(place, f"\n{indent}{name}"))
    selected = replace_with(place, f"{operand(text)}.{part}")
    edits = first_that_mends(ctx, ([] if "\n" in text else [selected]) + ([] if indent.strip() else [bound]))
    if edits:
        head = text.partition("\n")[0]
        written = (
            f"select it with `.{part}`, `{edits[0].text}`"
            if len(edits) == 1
            else f"`{let}{head}`, and `{name}` in a line below it"
        )
        gives = _GIVES.get(text.split(maxsplit=1)[0], "")
        yield Help(f"{gives}if its part {part} alone is meant: {written}", edits)
    whole = [] if declared is None else [replace_with(declared, plain_type(ctx, kind))]
    yield from offers(ctx, "if all of it is meant, declare it: `-> {}`", *whole)


def parts_of_array(ctx: Context, place: Span, kind: Type, wanted: Type) -> Iterator[Help]:
    """The elements of an array as a tuple, where one of as many parts is wanted."""
    count = len(wanted.parts) if isinstance(wanted, ty.TupleType) and isinstance(kind, ty.ArrayType) else 0
    indent = before(place)
    items = f"({', '.join([f'parts[{k}]' for k in range(count)])})"
    edits = replace_with(place, f"let parts = {place.text}\n{indent}{items}")
    if count > 1 and not indent.strip() and mends(ctx, edits):
        yield Help(f"its elements are a tuple by `{items}`, with `let parts = {place.text}` in a line above", edits)


_GIVES: Mapping[str, str] = MappingProxyType(
    {
        "with": "`with` gives its value and what the cell holds at the end; ",
        "scan": "`scan` gives the last carry and what the turns put out; ",
    }
)
STANDING: Mapping[Type, str] = MappingProxyType({ty.INT: "1", ty.SIZE: "1", ty.FLOAT: "1.0", ty.BOOLEAN: "false"})
"""What may stand for a value that is not given."""


def optional_in(ctx: Context, place: Span, node: ast.Def) -> tuple[ast.Name | ast.Field, str] | None:
    """A name or a field at a place that may be `none`, and what may stand for it then."""
    blocks = around(node, ast.Block, place)
    for each in nodes(node.body):
        if isinstance(each, ast.Name | ast.Field) and place.covers(each.span):
            kind = type_of(ctx, each.span.text, blocks[0].result.span if blocks else each.span)
            if isinstance(kind, ty.OptionalType) and kind.base in STANDING:
                return each, STANDING[kind.base]
    return None


def where_given(node: ast.Def, part: ast.Name | ast.Field, standing: str) -> Iterator[tuple[Span, tuple[Edit, ...]]]:
    """Another value where one is not given: in the `let` of a name, at its only use, or in a line above all of them."""
    text = part.span.text
    for each in nodes(node.body):
        if isinstance(each, ast.Let) and each.pattern.span.text == text and each.type is None:
            yield each.span, (Edit(each.value.span, _chosen(bare(each.value.span.text), standing)),)
    uses = [each for each in nodes(node.body) if isinstance(each, ast.Name | ast.Field) and each.span.text == text]
    chosen = _chosen(text, standing)
    if len(uses) == 1:
        yield part.span, (Edit(part.span, chosen),)
        yield part.span, (Edit(part.span, f"({chosen})"),)
    elif isinstance(part, ast.Name):
        indent, line = before(node.body.span), f"let {text} = {chosen}\n"
        inside = isinstance(node.body, ast.Block) or not indent.strip()
        above = in_front(node.body.span, f"{line}{indent}" if inside else f"\n    {line}    ")
        yield above.span, (above,)


def _chosen(text: str, standing: str) -> str:
    return f"if {text} == none then {standing} else {text}"
