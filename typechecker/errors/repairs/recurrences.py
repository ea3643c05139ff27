"""Names that are used in their own definition: elements that depend on the ones before them are made by a `scan`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from typechecker.errors.repairs.trees import ends_of, fresh_name, lets_of, rewritten
from typechecker.errors.repairs.trial import definition_around, mends
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context

_WORDS = "a name is not in scope in its own definition"


def recurrence(ctx: Context, name: str, span: Span) -> list[Help]:
    """Return the `scan` that makes the elements of a name in whose definition it is used."""
    node = definition_around(ctx, span)
    let = next((each for each in lets_of(node, name) if each.value.span.covers(span)), None)
    if node is None or let is None:
        return []
    found = _scanned(let, name, fresh_name("last", node), fresh_name("now", node))
    if found is None or not mends(ctx, found):
        return [Help(f"{_WORDS}: what depends on the value before it is carried by a `fold`, or by a `scan`")]
    return [Help(f"{_WORDS}: carry the element before by `{ends_of(found[0].text)}`", found)]


def _scanned(let: ast.Let, name: str, last: str, now: str) -> tuple[Edit, ...] | None:
    """Return the edit of a comprehension whose elements depend on the one before alone; an `if` says what the first
    one is."""
    match let.value:
        case ast.Comprehension(ast.If() as body, (clause,)) if "\n" not in let.span.text:
            counter = clause.pattern.span.text
            reads = [each.span for each in nodes(body) if isinstance(each, ast.Index) and each.base.span.text == name]
            if not reads or any(each.text.replace(" ", "") != f"{name}[{counter}-1]" for each in reads):
                return None
            value = rewritten(body.span, *[Edit(each, last) for each in reads])
            before = let.span.source.text[: let.span.start]
            margin = "\n" + " " * (len(before) - before.rfind("\n") - 1 + 4)
            head = f"let (_, {name}) = scan {last} = 0.0 for {counter} in {clause.iterable.span.text} do"
            return replace_with(let.span, f"{head}{margin}let {now} = {value}{margin}({now}, {now})")
        case _:
            return None
