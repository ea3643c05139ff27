"""What the rule of a derivative could give instead: one for each argument of its function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.trial import is_right
from typechecker.errors.words import format_type, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context


def of_each_argument(
    ctx: Context, actual: Type, wanted: Type, rule: str, span: Span
) -> tuple[str | None, tuple[Edit, ...]]:
    """What the way back gives instead of a derivative of one argument alone: a tuple, with zeros for the others."""
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
    value = named.node.body.result if isinstance(named.node.body, ast.Block) else named.node.body
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
    """What is written for a derivative that is zero."""
    if not isinstance(kind, ty.ArrayType) or not isinstance(kind.dtype, dt.DType) or kind.shape.rank is None:
        return None
    if not kind.shape.dims:
        return "0.0"
    dtype = "" if kind.dtype is dt.F32 else f", dtype={kind.dtype}"
    return f"zeros([{', '.join(map(str, kind.shape.dims))}]{dtype})"
