"""Calls of definitions whose result is a function and is not stated: the body is checked at each call.

A lambda without annotations has no type of its own, and neither has a function of any size. So such a definition is
what a lambda with its body would be: `def scale(k: f32) = fn x -> x * k` serves arrays of every shape.
"""

from __future__ import annotations

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import type as ty
from typechecker.calls.closures import apply_closure
from typechecker.declarations.entities import Definition, State
from typechecker.env.call_record import Applied, Arg
from typechecker.env.context import Context
from typechecker.env.scope import Scope
from typechecker.env.values import Closure, Term, static_term
from typechecker.types.instance import Instance
from typechecker.types.predicates import holds_function


def is_open(info: Definition, result: ty.Type) -> bool:
    """Return whether a call is to be checked with the body, since the result alone does not say what it is."""
    return not info.head.stated and info.state is State.DONE and holds_function(result)


def apply_open(ctx: Context, info: Definition, terms: dict[str, Term], instance: Instance, span: Span) -> Applied:
    """The body applied to the arguments. What the callee is to evaluate by itself, such as a default that mentions
    another parameter, is bound in the body."""
    own = [p for p in info.node.params if own_default(info, terms, p.name.name)]
    given = [p for p in info.node.params if p not in own]
    lets = tuple(ast.Let(_pattern(p), p.type, p.default, None, p.span) for p in own if p.default is not None)
    body = ast.Block(lets, info.node.body, info.node.body.span) if lets else info.node.body
    params = tuple(ast.LambdaParam(_pattern(p), None, p.span) for p in given)
    node = ast.Lambda(params, body, info.head.whole)
    kind = ty.FunctionType((ty.ERROR,) * len(params), ty.ERROR)
    found = core.Lambda(span, kind)
    closure = Closure(node, scope_of(ctx, info, instance), found)
    args = [Arg(None, terms[p.name.name], span) for p in given]
    return apply_closure(ctx, Term(found, kind, closure), closure, args, span)


def scope_of(ctx: Context, info: Definition, instance: Instance) -> Scope:
    """The names that a body sees beside its parameters: its sizes, shapes, dtypes and types as they are at a call."""
    scope, place = ctx.program.modules[info.module].scope.child(), info.head.whole
    for var, size in instance.sizes.items():
        scope.bind(var.name, static_term(size, ty.INT, place), place, "size")
    for shape_var, shape in instance.shapes.items():
        scope.bind(shape_var.name, static_term(shape, ty.SHAPE, place), place, "size")
    for dtype_var, element in instance.dtypes.items():
        scope.bind(dtype_var.name, static_term(instance.solver.element(element), ty.DTYPE, place), place, "generic")
    for type_var, kind in instance.types.items():
        scope.bind(type_var.name, Term(core.Const(place, kind, None), kind), place, "type")
    return scope


def own_default(info: Definition, terms: dict[str, Term], name: str) -> bool:
    """Return whether the callee is to evaluate its default: one that mentions its variables or other parameters."""
    default = info.defaults.get(name)
    return default is not None and terms[name].core is default.core


def _pattern(param: ast.Param) -> ast.NamePattern:
    return ast.NamePattern(param.name.name, param.name.span)
