"""Which of two operands of different dtypes is to change: numbers and casts by the dtype of the other, or what a loop
starts with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import dtype as dt
from typechecker.errors.repairs.trees import tree_of, variables
from typechecker.errors.repairs.trial import definition_around, first_that_mends, mends
from typechecker.errors.words import bare, replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


def of_narrower(ctx: Context, wide: Span, narrow: Span, into: str, name: str) -> Iterator[tuple[Edit, ...]]:
    """An operand of the dtype `into` as one of that of the other one, `name`: written so; what the other one starts as,
    where a loop carries it, of the dtype `into`."""
    node = definition_around(ctx, wide)
    if node is None:
        return
    written = [
        each for each in nodes(node) if isinstance(each, ast.Call | ast.If | ast.NumberLit) and each.span == wide
    ]
    edits = [edit for each in written for edit in _written(each, into, name)]
    if None not in edits:
        yield tuple([edit for edit in edits if edit is not None])
    loops: list[ast.Loop | ast.Iterate] = [*around(node, ast.Loop, narrow), *around(node, ast.Iterate, narrow)]
    for loop in loops:
        parts = loop.carry.parts if isinstance(loop.carry, ast.TuplePattern) else (loop.carry,)
        starts = loop.init.items if isinstance(loop.init, ast.TupleLit) else (loop.init,)
        found = [start for part, start in zip(parts, starts, strict=False) if part.span.text == narrow.text]
        for start in found if loop.carry_type is None else ():
            yield (Edit(start.span, _start(start, into)),)


def real_numbers(ctx: Context, place: Span) -> list[Help]:
    """Suggest real numbers for a complex one: the modulus below a power, otherwise the real part or the modulus."""
    node, text = definition_around(ctx, place), bare(place.text)
    powers = [n for n in nodes(node) if isinstance(n, ast.Binary) and n.op == "**" and n.span == place]
    for power in powers:
        edits = replace_with(place, f"abs({bare(power.left.span.text)}) ** {power.right.span.text}")
        if mends(ctx, edits):
            return [Help(f"the power of a modulus is `{edits[0].text}`", edits)]
    meant = (("real part", f"real({text})"), ("modulus", f"abs({text})"))
    return [
        Help(f"if the {what} is meant: `{written}`", replace_with(place, written))
        for what, written in meant
        if "\n" not in text and mends(ctx, replace_with(place, written))
    ]


def as_leaf(ctx: Context, place: Span) -> tuple[Edit, ...]:
    """An expression cast to the dtype of a leaf that it is computed of."""
    names = variables(tree_of(place))
    return first_that_mends(ctx, (replace_with(place, f"cast({bare(place.text)}, {name}.dtype)") for name in names))


def _written(node: ast.Expr, into: str, name: str) -> list[Edit | None]:
    """The numbers and casts that an expression chooses among, of the other dtype; None for one that cannot be."""
    match node:
        case ast.If(_, then, orelse):
            return [*_written(then, into, name), *_written(orelse, into, name)]
        case ast.NumberLit(float() as value) if value.is_integer() and dt.BY_NAME[name].is_integer:
            return [Edit(node.span, str(int(value)))]
        case ast.Call(ast.Name(cast) as function, (_,)) if cast == into:
            return [Edit(function.span, name)]
        case _:
            return [None]


def _start(node: ast.Expr, into: str) -> str:
    match node:
        case ast.NumberLit(int() as value) if dt.BY_NAME[into].is_float:
            return f"{value}.0"
        case ast.Call(ast.Name(cast), (argument,)) if cast in dt.BY_NAME:
            return f"{into}({argument.span.text})"
        case _:
            return f"{into}({node.span.text})"
