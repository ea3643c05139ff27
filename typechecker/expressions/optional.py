"""A `T?` that is known not to be `none` is a `T`: in the other branch of `if k == none`, behind the arm for `none`.

Read next: `typechecker.expressions.blocks` and `typechecker.expressions.matching`, which ask.
"""

from __future__ import annotations

from dsl.core import core
from dsl.records import replace
from dsl.syntax import ast
from dsl.types import type as ty
from dsl.types.shape import PRESENT, Computed, StaticName
from typechecker.env.context import Context
from typechecker.env.static_values import integers_inside
from typechecker.env.values import Choice, Known, Nothing, Term


def present(subject: Term) -> Term:
    """The subject where it is not `none`."""
    if not isinstance(subject.type, ty.OptionalType):
        return subject
    base = subject.type.base
    known = _present(subject.known, base)
    node = replace(subject.core, type=base) if isinstance(subject.core, core.Local) else subject.core
    return Term(node, base, known)


def _present(known: Known | None, base: ty.Type) -> Known | None:
    """What is known of a value of this type that is not `none`."""
    match known:
        case StaticName() | Computed():
            return integers_inside(known, PRESENT, PRESENT, (0,) if base in (ty.INT, ty.SIZE) else (), base)
        case Choice(_, Nothing(), value) | Choice(_, value, Nothing()):
            return _present(value, base)
        case Nothing() | Choice():
            return None
        case _:
            return known


def with_present(ctx: Context, node: ast.Expr) -> Context:
    """Where the value of a name is not `none`."""
    found = ctx.scope.lookup(node.name) if isinstance(node, ast.Name) else None
    if not isinstance(node, ast.Name) or found is None or not isinstance(found.term.type, ty.OptionalType):
        return ctx
    inner = ctx.inner()
    inner.scope.bind(node.name, present(found.term), found.span, found.kind, found.depth)
    return inner


def branches(ctx: Context, node: ast.Expr, then: Context, orelse: Context) -> tuple[Context, Context]:
    """The contexts of the branches of `if e == none` and `if e != none`; those of others as they are."""
    match node:
        case ast.Compare((subject, ast.NoneLit()) | (ast.NoneLit(), subject), (op,)):
            if op == "==":
                return then, with_present(orelse, subject)
            return (with_present(then, subject) if op == "!=" else then), orelse
    return then, orelse
