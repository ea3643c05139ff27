"""Transposition of linear programs. Carrier: the cotangent of each linear var. Rule table: `transpose`.
Driver: `pull`.

A linear var without an entry has cotangent zero, and nothing is emitted for it. What does not depend on a
linear parameter is emitted forward first. Knows no op except `add`, which accumulates. Read next:
`dsl.staging.transforms.differentiate`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Linear, NotLinear, Op, Tangent, TransposeRule, Zero
from dsl.ir.region import CannotTransform, Flags, Problem, Transposed
from dsl.ops.elementwise import add
from dsl.ops.rule_helpers import zeros
from dsl.transforms.dce import live
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import SplitBuilder, replay


def pull(b: Builder, equations: Sequence[Equation], linear: set[Var], cts: dict[Var, Atom], memo: Memo) -> None:
    """Runs the linear `equations` backwards, from the cotangents in `cts` to those of their free linear
    vars.

    The linear vars are those in `linear`; all others are known where `b` stands. The entry of a var is
    complete when its own equation is reached, and is taken out there.
    """
    for equation in reversed(equations):
        found = [cts.pop(y, None) for y in equation.outputs]
        if found.count(None) == len(found):
            continue
        b.span = equation.span
        given = tuple([Zero(y.type) if ct is None else ct for y, ct in zip(equation.outputs, found, strict=True)])
        xs = equation.inputs
        seen = tuple([Linear(x.type) if isinstance(x, Var) and x in linear else x for x in xs])
        for x, ct in zip(xs, _rule(b, equation, seen, given, memo), strict=True):
            if ct is not None and not isinstance(ct, Zero):
                accumulate(b, cts, x, ct, linear)


def accumulate(b: Builder, cts: dict[Var, Atom], x: Atom, ct: Atom, linear: set[Var]) -> None:
    if isinstance(x, Var) and x in linear:
        before = cts.get(x)
        cts[x] = ct if before is None else add(b, before, ct)


def _rule(
    b: Builder, equation: Equation, xs: tuple[Atom | Linear, ...], cts: tuple[Tangent, ...], memo: Memo
) -> Iterable[Tangent | None]:
    op = equation.op
    if isinstance(op, Op):
        if isinstance(op.transpose, NotLinear):
            raise CannotTransform(Problem.NOT_LINEAR, op.name, op.transpose.why, equation.span)
        return _first_order(b, equation, op.transpose, xs, cts)

    def recur(body: Function, linear: Flags, nonzero: Flags, force: Flags | None = None) -> Transposed:
        return transpose(body, linear, nonzero, force, memo)

    try:
        return op.transpose(b, equation.params, xs, cts, recur)
    except CannotTransform as problem:
        problem.span = problem.span or equation.span
        raise


def _first_order(
    b: Builder,
    equation: Equation,
    rule: TransposeRule[Any],
    xs: tuple[Atom | Linear, ...],
    cts: tuple[Tangent, ...],
) -> Iterable[Tangent | None]:
    try:
        return rule(b, equation.params, xs, cts)
    except CannotTransform as problem:
        raise CannotTransform(problem.problem, equation.op.name, problem.reason, equation.span) from None


def transpose(
    function: Function,
    linear: Flags,
    nonzero: Flags | None = None,
    force: Flags | None = None,
    memo: Memo | None = None,
) -> Transposed:
    """The transpose of `function` in its `linear` parameters. See `Transposed` for parameters and results.

    `nonzero` says which results have a cotangent (all, if not given); linear parameters flagged in `force`
    (one flag per linear parameter) get theirs even if it is zero.
    """
    table = memo or Memo()
    given = nonzero if nonzero is not None else (True,) * len(function.results)
    forced = force if force is not None else (False,) * sum(linear)
    key = ("transpose", function, linear, given, forced)
    return table.once(key, lambda: _transpose(function, linear, given, forced, table))


def _transpose(function: Function, linear: Flags, nonzero: Flags, force: Flags, memo: Memo) -> Transposed:
    known = [p for p, flag in zip(function.params, linear, strict=True) if not flag]
    wanted = [p for p, flag in zip(function.params, linear, strict=True) if flag]
    b = SplitBuilder(memo, wanted)
    results = replay(b, function)
    params = known.copy()
    cts: dict[Var, Atom] = {}
    for result, flag in zip(results, nonzero, strict=True):
        if flag:
            params.append(Var(result.type))
            accumulate(b, cts, result, params[-1], b.unknown)
    backward = Builder()
    backward.equations = b.equations
    pull(backward, b.tape.equations, b.unknown, cts, memo)
    flags = tuple([f or p in cts for p, f in zip(wanted, force, strict=True)])
    outs = tuple([cts.get(p) or zeros(p.type) for p, f in zip(wanted, flags, strict=True) if f])
    return Transposed(Function(function.name, tuple(params), tuple(live(backward.equations, outs)), outs), flags)
