"""Cells: read by their name, written by `s := e` and `a += e`."""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.effect import Cell
from typechecker.env.context import Context
from typechecker.env.scope import CellBinding
from typechecker.env.value_facts import of_type
from typechecker.env.values import Term, error_term
from typechecker.errors import names as name_errors
from typechecker.errors import stages as stage_errors
from typechecker.relations.coercion import Why, coerce


def read_cell(ctx: Context, cell: CellBinding, span: Span) -> Term:
    """A `state` cell read by its name."""
    if cell.kind == "accum":
        ctx.refuse(stage_errors.accum_read(span, name=cell.name))
    read = Cell("state", cell.name, cell.type)
    ctx.perform(read, span)
    return Term(core.ReadCell(span, cell.type, str(read)), cell.type, of_type(ctx, ctx.resolve(cell.type), cell.name))


def write_cell(ctx: Context, node: ast.CellWrite) -> Term:
    """`s := e` and `a += e`."""
    cell = ctx.scope.cell(node.cell.name)
    wanted = "state" if node.op == ":=" else "accum"
    if cell is None or cell.kind != wanted:
        return _not_written(ctx, node, wanted, None if cell is None else cell.kind)
    term = coerce(ctx, ctx.infer(node.value, cell.type), cell.type, Why("cell", cell.name, "", cell.span))
    written = Cell(wanted, cell.name, cell.type)
    ctx.perform_write(written, node.span)
    return Term(core.WriteCell(node.span, ty.UNIT, str(written), node.op, term.core), ty.UNIT)


def _not_written(ctx: Context, node: ast.CellWrite, wanted: str, kind: str | None) -> Term:
    """Report a write to what is not such a cell. An undefined cell is reported once: the name is bound to an error from
    here on, in the value that is written, too."""
    name, found = node.cell.name, ctx.scope.lookup(node.cell.name)
    if kind is None and found is not None and found.term.is_error:
        ctx.infer(node.value)
        return error_term(node.span)
    inner = ctx.inner()
    if kind is None and found is None:
        inner.scope.bind(name, error_term(node.span), node.cell.span, "let")
    value = inner.infer(node.value)
    ctx.report(name_errors.not_a_cell(ctx, node, wanted, kind, value.type))
    if kind is None and found is None:
        ctx.scope.bind(name, error_term(node.span), node.cell.span, "let")
    return error_term(node.span)
