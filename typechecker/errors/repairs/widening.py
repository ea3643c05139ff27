"""Numbers that a dtype does not hold: the whole computation in a wider one, and the result as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types.size import Size
from dsl.types.type import Element
from typechecker.errors.repairs.trial import definition_around, first_that_mends
from typechecker.errors.words import bare, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Known
    from typechecker.relations.coercion import Why


def holding(ctx: Context, element: Element, known: Known | None, why: Why) -> tuple[str | None, tuple[Edit, ...]]:
    """The smallest dtype that holds a number and what the other one holds, for the array that it meets."""
    number = known.constant if isinstance(known, Size) else None
    if number is None or not isinstance(element, dt.DType) or not element.is_integer:
        return None, ()
    low, high = dt.integer_range(element)
    numbers = f"choose a number from {low} to {high}"
    ranges = [(d, dt.integer_range(d)) for d in dt.INTEGERS]
    reached = [low, high, number, *_results(why, low, high, number)]
    fits = [d for d, (least, most) in ranges if least <= min(reached) and max(reached) <= most]
    if not fits:
        return f"{element.name} is the widest of its kind: {numbers}", ()
    dtype, sign = min(fits, key=lambda d: d.bits).name, ", which has a sign" if number < 0 <= low else ""
    meets = why.declared if why.kind == "operand" else None
    computed = None if meets is None else _computed_in(ctx, meets, dtype, element.name)
    if computed is not None:
        return f"{computed[0]}; or {numbers}", computed[1]
    other = "" if meets is None else snippet(meets)
    declared = f"cast it to `{dtype}`" if why.kind == "cast" else f"declare it `{dtype}`"
    return f"{numbers}, or {f'convert what it meets, `{dtype}({other})`' if other else declared}{sign}", ()


def _results(why: Why, low: int, high: int, number: int) -> list[int]:
    """The least and the greatest that a sum, a difference or a product with a number may be."""
    match why.name if why.kind == "operand" else "":
        case "+" | "-":
            return [low - abs(number), high + abs(number)]
        case "*":
            return [low * number, high * number]
        case _:
            return []


def _computed_in(ctx: Context, operand: Span, dtype: str, narrow: str) -> tuple[str, tuple[Edit, ...]] | None:
    """A name in a wider dtype from the line on in which it meets a number, and the result in the narrow one, where that
    mends the definition; in words, and as edits."""
    node = definition_around(ctx, operand)
    if node is None or not operand.text.isidentifier():
        return None
    let = f"let {operand.text} = {dtype}({operand.text})"
    value = node.body.result.span if isinstance(node.body, ast.Block) else node.body.span
    for last in (f"{narrow}({bare(value.text)})", value.text):
        edits = first_that_mends(ctx, [_with_line(node.body, value, operand, let, last)])
        if edits:
            back = "" if last == value.text else f", and the result back, `{last}`"
            return f"compute in {dtype}: `{let}`{back}", edits
    return None


def _with_line(body: ast.Expr, value: Span, operand: Span, line: str, last: str) -> tuple[Edit, ...]:
    """A line above the one that a place lies in, and another last line."""
    lines = [*(each.span for each in body.statements), value] if isinstance(body, ast.Block) else [value]
    above = next((each for each in lines if each.covers(operand)), value)
    head = above.source.text[above.source.text.rfind("\n", 0, above.start) + 1 : above.start]
    indent, start = (head, "") if not head.strip() else ("    ", "\n    ")
    made = f"{start}{line}\n{indent}"
    if above == value:
        return (Edit(value, f"{made}{last}"),)
    return (Edit(Span(above.source, above.start, above.start), made), Edit(value, last))
