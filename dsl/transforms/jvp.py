"""Forward derivatives. Carrier: vars with a nonzero tangent, each with it. Rule table: `jvp` of the ops.
Driver: `push`.

A var without an entry has tangent zero, and nothing is emitted for it; nor for a var whose tangent no result needs,
such as one that only `stop_gradient` reads. The primal equations are those of the original function, over its own vars;
only region ops, which compute primal and tangent together, rename outputs. Knows no op. Read next: `partial_eval` and
`linearize`.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import NotDifferentiable, Op, Tangent, Zero
from dsl.ir.region import CannotTransform, Flags, Jvp, Problem
from dsl.ops.effects import has_effect
from dsl.ops.rule_helpers import materialise, zero_jvp
from dsl.transforms.dce import live
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import SplitBuilder, depends, rename

TANGENT_IN_VALUE = "its rule computes the value from a tangent"


def push(
    b: Builder, function: Function, tangents: dict[Var, Atom], memo: Memo
) -> tuple[tuple[Atom, ...], tuple[Tangent, ...]]:
    """Emits `function`, over its own parameters, with the tangents of its vars; gives results and theirs.

    `tangents` holds those of the parameters, and is filled.
    """
    renamed: dict[Atom, Atom] = {}
    needed = _needed(function, memo)
    for equation in function.equations:
        moved = rename(equation, renamed)
        if needed.isdisjoint(equation.outputs) or not depends(equation.inputs, tangents):
            b.equations.append(moved)
            continue
        ts = tuple([_tangent(x, tangents) for x in equation.inputs])
        b.span = equation.span
        if isinstance(moved.op, Op):
            b.equations.append(moved)
            after = _first_order(b, moved, ts)
        else:
            outputs, after = _region(b, moved, ts, memo)
            renamed.update(zip(equation.outputs, outputs, strict=True))
        for y, t in zip(equation.outputs, after, strict=True):
            if not isinstance(t, Zero):
                tangents[y] = t
    results = tuple([renamed.get(r, r) for r in function.results])
    return results, tuple([_tangent(r, tangents) for r in function.results])


def _needed(function: Function, memo: Memo) -> set[Var]:
    """The vars whose tangents reach a result, and those of equations with an effect, which are followed as they are."""
    needed = {r for r in function.results if isinstance(r, Var)}
    for equation in reversed(function.equations):
        if has_effect(equation, memo.effects):
            needed.update(equation.outputs)
        flat = isinstance(equation.op, Op) and equation.op.jvp is zero_jvp
        if not flat and not needed.isdisjoint(equation.outputs):
            needed.update(x for x in equation.inputs if isinstance(x, Var))
    return needed


def _tangent(x: Atom, tangents: dict[Var, Atom]) -> Tangent:
    found = tangents.get(x) if isinstance(x, Var) else None
    return Zero(x.type) if found is None else found


def _first_order(b: Builder, equation: Equation, ts: tuple[Tangent, ...]) -> tuple[Tangent, ...]:
    op = equation.op
    assert isinstance(op, Op)
    if isinstance(op.jvp, NotDifferentiable):
        if not any(y.type.dtype.is_inexact for y in equation.outputs):
            return tuple([Zero(y.type) for y in equation.outputs])
        raise CannotTransform(Problem.NOT_DIFFERENTIABLE, op.name, op.jvp.why, equation.span)
    return op.jvp(b, equation.params, equation.inputs, equation.outputs, ts)


def _region(
    b: Builder, equation: Equation, ts: tuple[Tangent, ...], memo: Memo
) -> tuple[tuple[Atom, ...], tuple[Tangent, ...]]:
    op = equation.op
    assert not isinstance(op, Op)

    def recur(body: Function, nonzero: Flags, force: Flags | None = None) -> Jvp:
        return jvp(body, nonzero, force, memo)

    try:
        outputs, after = op.jvp(b, equation.params, equation.inputs, ts, recur)
    except CannotTransform as problem:
        problem.span = problem.span or equation.span
        raise
    if isinstance(b, SplitBuilder) and depends(outputs, b.unknown):
        raise CannotTransform(Problem.NOT_LINEAR, op.name, TANGENT_IN_VALUE, equation.span)
    return outputs, after


def tangent_params(function: Function, nonzero: Sequence[bool]) -> dict[Var, Var]:
    """A fresh var for the tangent of every flagged parameter; integers and bools have none."""
    return {
        p: Var(p.type) for p, flag in zip(function.params, nonzero, strict=True) if flag and p.type.dtype.is_inexact
    }


def jvp(function: Function, nonzero: Flags, force: Flags | None = None, memo: Memo | None = None) -> Jvp:
    """The function of primals and tangents. See `Jvp` for its parameters and results.

    `nonzero` says which parameters have a tangent; results flagged in `force` get one even if it is zero.
    """
    table = memo or Memo()
    flags = force or (False,) * len(function.results)
    return table.once(("jvp", function, nonzero, flags), lambda: _jvp(function, nonzero, flags, table))


def _jvp(function: Function, nonzero: Flags, force: Flags, memo: Memo) -> Jvp:
    b = Builder()
    params = tangent_params(function, nonzero)
    results, tangents = push(b, function, dict(params), memo)
    flags = tuple([f or not isinstance(t, Zero) for t, f in zip(tangents, force, strict=True)])
    outs = (*results, *[materialise(t) for t, f in zip(tangents, flags, strict=True) if f])
    equations = tuple(live(b.equations, outs))
    return Jvp(Function(function.name, (*function.params, *params.values()), equations, outs), flags)
