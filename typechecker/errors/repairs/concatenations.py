"""A concatenation that is too long by some elements: an item that is left out, or a slice that begins later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types.shape import Shape
from dsl.types.size import Size
from typechecker.errors.repairs.trial import definition_around, mends
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context

COUNTS = ("one element", "two elements", "three elements")


def shorter_concatenations(ctx: Context, span: Span, actual: Shape, wanted: Shape) -> Iterator[Help]:
    """The concatenation at a place with fewer elements, where the same small number is too many for all sizes."""
    items = _items(ctx, span)
    if not items or not actual.dims or not wanted.dims or actual.dims[1:] != wanted.dims[1:]:
        return
    long, short = actual.dims[0], wanted.dims[0]
    if not isinstance(long, Size) or not isinstance(short, Size):
        return
    extra = (long - short).constant or 0
    if not 0 < extra <= len(COUNTS):
        return
    without = [(item, edits) for item, edits in _without_one(items, extra) if mends(ctx, edits)]
    later = [edits for edits in _begun_later(items, extra) if mends(ctx, edits)]
    said = f"it is {COUNTS[extra - 1]} too long"
    for item, edits in without:
        place = "first" if item == items[0].span else "last" if item == items[-1].span else "inner"
        yield Help(f"{said}: leave out the {place} part `{item.text}`", edits)
    for edits in later:
        yield Help(f"{said}: begin at `{edits[0].text}`", edits)


def _items(ctx: Context, span: Span) -> tuple[ast.Expr, ...]:
    """The items of the concatenation at a place; none where they are not written out there."""
    around = definition_around(ctx, span)
    for node in nodes(around) if around is not None else ():
        match node:
            case ast.Call(ast.Name("concatenate"), (ast.Argument(value=ast.TupleLit(items)), *_), place) if (
                place == span
            ):
                return items
            case _:
                pass
    return ()


def _without_one(items: tuple[ast.Expr, ...], extra: int) -> Iterator[tuple[Span, tuple[Edit, ...]]]:
    """Each list of as many numbers, and the edit that leaves it out with its comma; two items remain at least."""
    for k, item in enumerate(items) if len(items) > 2 else ():
        numbers = item.items if isinstance(item, ast.ListLit) else ()
        if len(numbers) == extra and all(isinstance(each, ast.NumberLit) for each in numbers):
            source = item.span.source
            start, end = (item.span.start, items[1].span.start) if k == 0 else (items[k - 1].span.end, item.span.end)
            yield item.span, (Edit(Span(source, start, end), ""),)


def _begun_later(items: tuple[ast.Expr, ...], extra: int) -> Iterator[tuple[Edit, ...]]:
    """Each slice `base[start:]` that begins as many elements later, and each array that is not sliced."""
    for item in items:
        match item:
            case ast.Index(base=base, items=(ast.Slice(start=start, stop=None, step=None),)):
                first = 0 if start is None else _number(start)
                if first is not None:
                    yield replace_with(item.span, f"{base.span.text}[{first + extra}:]")
            case ast.Name():
                yield replace_with(item.span, f"{item.span.text}[{extra}:]")
            case _:
                pass


def _number(node: ast.Expr) -> int | None:
    return node.value if isinstance(node, ast.NumberLit) and isinstance(node.value, int) else None
