"""Inlining of calls: of functions that are small, and of functions called once.

A function that is called often and is not small stays shared: its code is lowered once. Inlined equations get
vars of their own and keep their spans. Knows `call` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ops.control.call import CALL, CallParams
from dsl.transforms.memo import Memo
from dsl.transforms.nested import map_bodies

SMALL = 8
"""Functions of at most so many equations are inlined wherever they are called."""


def inline(function: Function, small: int = SMALL) -> Function:
    """`function` with small functions and functions called once in place of their calls, at every depth."""
    uses: Counter[Function] = Counter()
    _count(function, uses, set())
    return _inline(function, uses, small, Memo())


def _count(function: Function, uses: Counter[Function], seen: set[Function]) -> None:
    seen.add(function)
    for equation in function.equations:
        if isinstance(equation.op, Op):
            continue
        for body in equation.op.bodies(equation.params):
            uses[body] += 1
            if body not in seen:
                _count(body, uses, seen)


def _inline(function: Function, uses: Counter[Function], small: int, memo: Memo) -> Function:
    return memo.once(("inline", function), lambda: _inlined(function, uses, small, memo))


def _inlined(function: Function, uses: Counter[Function], small: int, memo: Memo) -> Function:
    if all(isinstance(e.op, Op) for e in function.equations):
        return function
    values: dict[Atom, Atom] = {}
    equations: list[Equation] = []
    changed = False
    for equation in function.equations:
        inputs = tuple([values.get(x, x) if isinstance(x, Var) else x for x in equation.inputs])
        params = map_bodies(equation, lambda body: _inline(body, uses, small, memo))
        if equation.op is CALL and _wanted(equation.params, params, uses, small):
            changed = True
            results = paste(equations, cast(CallParams, params).function, inputs)
            values.update(zip(equation.outputs, results, strict=True))
        elif params is equation.params and inputs == equation.inputs:
            equations.append(equation)
        else:
            changed = True
            equations.append(Equation(equation.op, params, inputs, equation.outputs, equation.span))
    if not changed:
        return function
    results = tuple([values.get(r, r) if isinstance(r, Var) else r for r in function.results])
    return Function(function.name, function.params, tuple(equations), results)


def _wanted(before: Any, after: Any, uses: Counter[Function], small: int) -> bool:
    return uses[before.function] == 1 or len(after.function.equations) <= small


def paste(equations: list[Equation], body: Function, inputs: Sequence[Atom]) -> tuple[Atom, ...]:
    """Appends the equations of `body` at other values of its params, over fresh vars; gives its results."""
    values: dict[Atom, Atom] = dict(zip(body.params, inputs, strict=True))
    for equation in body.equations:
        moved = tuple([values[x] if isinstance(x, Var) else x for x in equation.inputs])
        outputs = tuple([Var(y.type) for y in equation.outputs])
        values.update(zip(equation.outputs, outputs, strict=True))
        equations.append(Equation(equation.op, equation.params, moved, outputs, equation.span))
    return tuple([values[r] if isinstance(r, Var) else r for r in body.results])
