"""Which rule an expression follows, and the rules that call one another tied together.

The modules of rules form no cycle: what one needs of a later one it reaches through `Rules`, which is filled in here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.decide import Refuted, excludes
from dsl.types.facts import Prop
from dsl.types.limits import Exceeded, Growth
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.calls import calls, closures, function_values
from typechecker.calls.intrinsic_call import intrinsic_call
from typechecker.declarations.program_checker import PRELUDE, Rules
from typechecker.effects import handlers
from typechecker.env import call_record, values
from typechecker.env.context import Context
from typechecker.env.value_facts import ranged
from typechecker.env.values import Definition, Term, Traced
from typechecker.errors import shapes as shape_errors
from typechecker.expressions import atoms, blocks, matching, operators, vector_spaces
from typechecker.indexing import index, updates
from typechecker.loops import comprehensions, loops
from typechecker.program import bodies
from typechecker.relations import coercion, unify_branches
from typechecker.transforms import transformations


def rules() -> Rules:
    """The rules that others call."""
    return Rules(
        infer=infer,
        require=require,
        static_term=atoms.static_term,
        as_function=function_values.as_function,
        with_functions=function_values.with_functions,
        read_cell=handlers.read_cell,
        apply_global=apply_global,
        at_method=updates.at_method,
        operation=handlers.operation,
        apply_full=calls.apply_full,
        apply_transformed=transformations.apply_transformed,
        unfold=bodies.unfold,
        traced_constant=lambda size: Traced(size),
        ranged=ranged,
        write_cell=handlers.write_cell,
        join_branches=matching.join_branches,
        is_vector_space=vector_spaces.is_vector_space,
        join_items=lambda ctx, terms: unify_branches.join(ctx, terms, coercion.Why("item")),
        merge=matching.merge,
        signature=bodies.signature,
        constant=bodies.constant,
        enum=bodies.enum,
    )


def require(ctx: Context, prop: Prop, span: Span, what: str) -> bool:
    """A range condition on sizes; in a signature it is written down, elsewhere demanded. False after a report."""
    if ctx.written is not None and not excludes(ctx.facts, prop):
        ctx.written.append(prop)
        return True
    verdict = ctx.require(prop, span)
    if not isinstance(verdict, Refuted):
        return True
    found = verdict.counterexample
    match prop:
        case fa.Le(left, right) if what == "divisor" or left.is_literal(1):
            ctx.report(shape_errors.bad_divisor(right, found, span))
        case fa.Le(left, right):
            ctx.report(shape_errors.negative_size(ctx, right - left, found, span))
        case _:
            ctx.report(shape_errors.negative_size(ctx, Size.of(0), found, span))
    return False


def apply_global(ctx: Context, name: str, args: list[Term], span: Span) -> Term:
    """A call of a function of the prelude."""
    function = ctx.program.lookup(ctx.program.modules[PRELUDE], name, span)
    assert function is not None, name
    return calls.apply(ctx, function, [call_record.Arg(None, a, a.span) for a in args], span)


def infer(ctx: Context, node: ast.Expr, expected: Type | None) -> Term:
    """The rule for each form of expression. What exceeds its budget is reported at the innermost expression that is
    not evaluated for another one."""
    replay = ctx.program.task.replay
    if replay.calls:
        replay.step()
        return _RULES[type(node)](ctx, node, expected)
    try:
        return _RULES[type(node)](ctx, node, expected)
    except Exceeded as found:
        ctx.program.report_exceeded(found, node.span)
    except RecursionError:
        ctx.program.report_exceeded(Exceeded(Growth.DEPTH), node.span)
    return values.error_term(node.span)


def _call(ctx: Context, node: ast.Call, expected: Type | None) -> Term:
    if ctx.in_library and intrinsic_call(node):
        return _intrinsic(ctx, node, expected)
    return calls.call(ctx, node, expected)


def _intrinsic(ctx: Context, node: ast.Call, expected: Type | None) -> Term:
    """`intrinsic.NAME(…)` in the library has the type that its definition states."""
    assert isinstance(node.function, ast.Field)
    args, statics = [], []
    for arg in node.args:
        assert not isinstance(arg.value, ast.Splice)
        term = ctx.infer(arg.value)
        if isinstance(term.known, Definition):
            ctx.program.signature(ctx.program.definition(term.known.module, term.known.name))
        if arg.name is None:
            args.append(term.core)
        else:
            statics.append((arg.name.name, term.core))
    kind = expected if expected is not None else ty.ERROR
    name = node.function.name.name
    return Term(core.Intrinsic(node.span, kind, name, tuple(args), tuple(statics)), kind)


def _error(ctx: Context, node: ast.ErrorExpr, expected: Type | None) -> Term:
    return values.error_term(node.span)


_RULES: Mapping[type, Callable[..., Term]] = {
    ast.NumberLit: atoms.number,
    ast.BoolLit: atoms.boolean,
    ast.StringLit: atoms.string,
    ast.NoneLit: atoms.nothing,
    ast.Name: atoms.name,
    ast.Field: atoms.field,
    ast.TupleItem: atoms.tuple_item,
    ast.Call: _call,
    ast.Index: index.index,
    ast.Unary: operators.unary,
    ast.Binary: operators.binary,
    ast.Compare: operators.compare,
    ast.Pipe: calls.pipe,
    ast.TupleLit: atoms.tuple_literal,
    ast.ListLit: atoms.list_literal,
    ast.RecordLit: atoms.record_literal,
    ast.RecordUpdate: atoms.record_update,
    ast.Comprehension: comprehensions.comprehension,
    ast.Lambda: closures.lambda_,
    ast.If: blocks.if_,
    ast.Match: matching.match,
    ast.Loop: loops.loop,
    ast.Iterate: loops.iterate,
    ast.With: handlers.with_,
    ast.Block: blocks.block,
    ast.ErrorExpr: _error,
}
