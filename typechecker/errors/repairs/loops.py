"""Loops and comprehensions as they could be written instead: a `scan` for one that grows an array, or writes a cell; a
carry or an output that is missing.

What is made here are edits; whether they mend the definition is seen where they are offered (`trial`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import TYPE_CHECKING, TypeAlias

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from typechecker.errors.repairs.trees import (
    before,
    fresh_name,
    integer,
    mentions,
    name_of,
    operand,
    rewritten,
    value_of,
)
from typechecker.errors.repairs.trial import definition_around
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


_JOINING = ("append", "concat", "concatenate", "hstack", "vstack")


def collected(ctx: Context, place: Span) -> Iterator[tuple[Edit, ...]]:
    """Yield the `fold` around a place that appends to an array that is empty at first, as a `scan` that puts out what
    each turn adds; as a comprehension, where it carries nothing else."""
    node = definition_around(ctx, place)
    for loop in around(node, ast.Loop, place)[:1] if node is not None else ():
        parts = _parts(loop.carry)
        carry = [*zip(parts, _items(loop.init), _items(value_of(loop.body)), strict=False)]
        for name, start, result in carry if loop.kind == "fold" and loop.carry_type is None else ():
            others = [each for each in carry if each[0] is not name]
            for element in _added(name.span.text, result) if _is_empty(start) else ():
                yield from _as_scan(loop, name.span.text, element, others)


def _parts(pattern: ast.Pattern) -> Sequence[ast.Pattern]:
    return pattern.parts if isinstance(pattern, ast.TuplePattern) else (pattern,)


def _items(value: ast.Expr) -> Sequence[ast.Expr | ast.Splice]:
    return value.items if isinstance(value, ast.TupleLit) else (value,)


def _added(name: str, result: ast.Expr | ast.Splice) -> Iterator[str]:
    """Yield the element that is appended to an array of this name."""
    if not isinstance(result, ast.Call) or name_of(result) not in _JOINING:
        return
    given = [arg.value for arg in result.args if arg.name is None]
    joined = given[0].items if len(given) == 1 and isinstance(given[0], ast.TupleLit | ast.ListLit) else given
    if len(joined) == 2 and joined[0].span.text == name:
        match joined[1]:
            case ast.ListLit((item,)):
                yield item.span.text
            case ast.Index(base, (ast.NoneLit(), *_)):
                yield base.span.text
            case other:
                yield other.span.text


def _is_empty(start: ast.Expr | ast.Splice) -> bool:
    match start:
        case ast.ListLit(()):
            return True
        case ast.Call(_, (ast.Argument(None, ast.ListLit((size, *_)) | size), *_)):
            return integer(size) == 0
        case _:
            return False


_Carried: TypeAlias = "tuple[ast.Pattern, ast.Expr | ast.Splice, ast.Expr | ast.Splice]"


def _as_scan(loop: ast.Loop, name: str, element: str, others: Sequence[_Carried]) -> Iterator[tuple[Edit, ...]]:
    value = value_of(loop.body)
    pattern, start, end = [_tuple([part[k].span.text for part in others]) or "()" for k in range(3)]
    body = rewritten(loop.body.span, Edit(value.span, f"({end}, {element})"))
    clause = loop.clause
    if not others and value is loop.body:
        yield (Edit(loop.span, f"[{element} for {clause.pattern.span.text} in {clause.iterable.span.text}]"),)
    between = loop.span.source.text[loop.init.span.end : loop.body.span.start]
    if not mentions(loop.body, name)[1:]:
        scan = f"scan {pattern if others else '_'} = {start}{between}{body}"
        yield (Edit(loop.span, scan if others else f"({scan}).1"),)


def one_by_one(ctx: Context, place: Span) -> Iterator[tuple[Edit, ...]]:
    """Yield edits that turn a parallel computation around a location into a `scan`."""
    node = definition_around(ctx, place)
    if node is None:
        return
    for found in around(node, ast.Comprehension, place)[:1]:
        yield _in_turn(node, found, [(c.pattern.span.text, c.iterable.span.text) for c in found.clauses], found.body)
    for call in around(node, ast.Call, place):
        match call:
            case ast.Call(ast.Call(ast.Name("vmap"), (ast.Argument(None, function),)), (ast.Argument(None, over),)):
                name = fresh_name("v", node)
                yield _in_turn(node, call, [(name, over.span.text)], f"{operand(function.span.text)}({name})")


def _in_turn(
    node: ast.Def, found: ast.Comprehension | ast.Call, clauses: Sequence[tuple[str, str]], body: ast.Expr | str
) -> tuple[Edit, ...]:
    """A `scan` that carries nothing: in a `let` of its own, where the elements are bound."""
    text = inner = body if isinstance(body, str) else body.span.text
    for pattern, over in clauses[::-1]:
        inner = f"scan _ = () for {pattern} in {over} do ((), {text})"
        text = f"({inner}).1"
    lets = [each for each in nodes(node) if isinstance(each, ast.Let) and each.value.span == found.span]
    if lets and lets[0].type is None:
        return (Edit(lets[0].span, f"let (_, {lets[0].pattern.span.text}) = {inner}"),)
    return (Edit(found.span, text),)


def _tuple(texts: Sequence[str]) -> str:
    return f"({', '.join(texts)})" if len(texts) > 1 else "".join(texts)


def bounded(loop: ast.Iterate) -> tuple[str, Edit]:
    """The head of a loop that is left after some turns, and where its limit is written."""
    text, behind = loop.span.source.text, loop.condition.span.end
    end = behind + len(text[behind : text.index("do", behind)].rstrip())
    edit = Edit(Span(loop.span.source, end, end), " limit 100")
    head = " ".join(loop.span.source.text[loop.span.start : end].split())
    return f"{head}{edit.text} do", edit


def shown(edits: tuple[Edit, ...]) -> str:
    """The text that an edit writes, with the indentation of its first line left out of the others."""
    (edit,) = edits
    lines = f"{before(edit.span) if not before(edit.span).strip() else ''}{edit.text}"
    return dedent(lines)


def whole_turns(ctx: Context, given: Span, count: int) -> Iterator[tuple[Edit, ...]]:
    """The value of a turn of the loop around it, with what lacks: an output, which is one of the parts of the carry, or
    the parts of the carry that stay as they are. A carry by one name has so many parts."""
    node = definition_around(ctx, given)
    for loop in () if node is None else around(node, ast.Loop, given)[:1]:
        value = value_of(loop.body)
        own = loop.carry.span.text
        names = [f"{own}.{k}" for k in range(count)] if count > 1 else [own]
        if isinstance(loop.carry, ast.TuplePattern):
            names = [part.span.text for part in loop.carry.parts]
        items = [item.span.text for item in _items(value)]
        if loop.kind == "scan" and len(items) == len(names):
            yield from (replace_with(value.span, f"({value.span.text}, {output})") for output in items)
        if len(names) > 1 and len(items) == (2 if loop.kind == "scan" else 1):
            wholes = [", ".join([*names[:k], items[0], *names[k + 1 :]]) for k in range(len(names))]
            ends = [f"(({whole}), {items[1]})" if loop.kind == "scan" else f"({whole})" for whole in wholes]
            yield from (replace_with(value.span, end) for end in ends)
