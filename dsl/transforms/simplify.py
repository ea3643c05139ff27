"""Local rewrites that change no value, in one pass in order of dependence: the driver of `dsl.ops.rewrites`.

Knows no op. Read next: `cse`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ops.rewrites import REGION_RULES, RULES, Atoms, Instead
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import rename
from dsl.transforms.region_map import change_bodies, innermost_first


def simplify(function: Function, memo: Memo | None = None) -> Function:
    """`function` with every local rewrite applied once, at every depth."""
    table = memo or Memo()
    for body in innermost_first(function):
        _once(body, table)
    return _once(function, table)


def _once(function: Function, memo: Memo) -> Function:
    return memo.once(("simplify", function), lambda: _simplify(function, memo))


def _simplify(function: Function, memo: Memo) -> Function:
    values: dict[Atom, Atom] = {}
    defs: dict[Atom, Equation] = {}
    equations: list[Equation] = []
    inside = partial(_once, memo=memo)
    for before in function.equations:
        for equation in _rewritten(change_bodies(rename(before, values), inside), values, defs):
            equations.append(equation)
            defs.update(dict.fromkeys(equation.outputs, equation))
    same = len(equations) == len(function.equations)
    if same and all(a is b for a, b in zip(equations, function.equations, strict=True)):
        return function
    results = tuple([values.get(r, r) if r.__class__ is Var else r for r in function.results])
    return Function(function.name, function.params, tuple(equations), results)


def _rewritten(equation: Equation, values: dict[Atom, Atom], defs: Mapping[Atom, Equation]) -> Iterator[Equation]:
    """Yield the simplified equation, or nothing if its outputs become names of other values, which are added to
    `values`."""
    found = _rewrite(equation, defs)
    while isinstance(found, Instead):
        for made in found.made:
            yield from _rewritten(made, values, defs)
        equation = rename(Equation(found.op, found.params, found.inputs, equation.outputs, equation.span), values)
        found = _rewrite(equation, defs)
    if found is None:
        yield equation
    else:
        values.update(zip(equation.outputs, found, strict=True))


def _rewrite(equation: Equation, defs: Mapping[Atom, Equation]) -> Atoms | Instead | None:
    op = equation.op
    if not isinstance(op, Op):
        region_rule = REGION_RULES.get(op)
        return None if region_rule is None else region_rule(equation.params, equation.inputs)
    rule = RULES.get(op)
    found = None if rule is None else rule(equation.params, equation.inputs, equation.outputs[0], defs)
    return found if found is None or isinstance(found, Instead) else (found,)
