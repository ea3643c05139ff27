"""Common subexpressions: equal equations over equal inputs become one. Effects are never merged.

Literals are equal by `Literal.key`; bodies are the same function or not. Knows no op.
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import is_

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import AnyOp, Op
from dsl.ops.effects import has_effect
from dsl.transforms.memo import Memo
from dsl.transforms.region_map import innermost_first, map_bodies


def merge(function: Function, memo: Memo | None = None) -> Function:
    """`function` with equal equations merged, at every depth."""
    table = memo or Memo()
    for body in innermost_first(function):
        _once(body, table)
    return _once(function, table)


def _once(function: Function, memo: Memo) -> Function:
    return memo.once(("cse", function), lambda: _merge(function, memo))


def _merge(function: Function, memo: Memo) -> Function:
    values: dict[Atom, Atom] = {}
    seen: dict[Hashable, tuple[Var, ...]] = {}
    equations: list[Equation] = []
    for equation in function.equations:
        inputs = equation.inputs
        if values:
            inputs = tuple([values.get(x, x) if x.__class__ is Var else x for x in inputs])
        op, params = equation.op, equation.params
        if op.__class__ is not Op:
            params = map_bodies(equation, lambda body: _once(body, memo))
        key = _key(op, params, inputs)
        before = seen.get(key)
        if before is not None and not has_effect(equation, memo.effects):
            values.update(zip(equation.outputs, before, strict=True))
            continue
        seen[key] = equation.outputs
        if inputs is not equation.inputs or params is not equation.params:
            equation = Equation(op, params, inputs, equation.outputs, equation.span)
        equations.append(equation)
    if len(equations) == len(function.equations) and all(map(is_, equations, function.equations)):
        return function
    results = tuple([values.get(r, r) if r.__class__ is Var else r for r in function.results])
    return Function(function.name, function.params, tuple(equations), results)


def _key(op: AnyOp, params: Hashable, inputs: tuple[Atom, ...]) -> Hashable:
    # A var stands for itself, a literal for its value; hashing a literal as such would lose the sign of zero.
    parts = [x if isinstance(x, Var) else x.key for x in inputs]
    if op.__class__ is Op and op.traits.commutative:
        parts.sort(key=id if parts[0].__class__ is parts[1].__class__ is Var else _kind)
    return (op.name, params, *parts)


def _kind(part: object) -> bool:
    return not isinstance(part, Var)
