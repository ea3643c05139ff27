"""Numbers that a dtype does not hold: the whole computation in a wider one, and the result as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from typechecker.errors.repairs.trial import definition_around, first_that_mends
from typechecker.errors.words import bare

if TYPE_CHECKING:
    from typechecker.env.context import Context


def computed_in(ctx: Context, operand: Span, dtype: str, narrow: str) -> tuple[str, tuple[Edit, ...]] | None:
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
