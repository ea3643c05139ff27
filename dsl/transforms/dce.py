"""Dead code elimination: what no result needs goes, except effects; region ops lose unused inputs and
outputs.

`live` looks at one list of equations and is cheap enough to end every transformation; `prune` and
`eliminate` go into bodies, by the `prune` rule of each region op. Knows no op.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ir.region import Flags, Pruned
from dsl.ops.effects import has_effect
from dsl.transforms.memo import Memo


def live(equations: Sequence[Equation], results: Iterable[Atom]) -> list[Equation]:
    """The equations that the results depend on, or that have an effect; bodies stay as they are."""
    needed = {r for r in results if isinstance(r, Var)}
    kept: list[Equation] = []
    for equation in reversed(equations):
        if needed.isdisjoint(equation.outputs) and not _is_kept(equation):
            continue
        kept.append(equation)
        for x in equation.inputs:
            if isinstance(x, Var):
                needed.add(x)
    kept.reverse()
    return kept


def eliminate(function: Function, memo: Memo | None = None) -> Function:
    """`function` with dead code gone at every depth. Its parameters and results stay."""
    every = (True,) * len(function.results)
    return prune(function, every, (True,) * len(function.params), memo or Memo()).function


def prune(function: Function, used: Flags, keep: Flags | None, memo: Memo) -> Pruned:
    """The used results alone, over the parameters that they need or that are in `keep`."""
    kept = keep or (False,) * len(function.params)
    return memo.once(("prune", function, used, kept), lambda: _prune(function, used, kept, memo))


def _prune(function: Function, used: Flags, keep: Flags, memo: Memo) -> Pruned:
    results = tuple([r for r, u in zip(function.results, used, strict=True) if u])
    needed = {r for r in results if isinstance(r, Var)}
    equations: list[Equation] = []
    for equation in reversed(function.equations):
        if needed.isdisjoint(equation.outputs) and not _is_kept(equation, memo.effects):
            continue
        if not isinstance(equation.op, Op):
            equation = _shrink(equation, needed, memo)
        equations.append(equation)
        for x in equation.inputs:
            if isinstance(x, Var):
                needed.add(x)
    kept = tuple([k or p in needed for p, k in zip(function.params, keep, strict=True)])
    if all(used) and all(kept) and _same(equations, function.equations):
        return Pruned(function, kept)
    params = tuple([p for p, k in zip(function.params, kept, strict=True) if k])
    return Pruned(Function(function.name, params, tuple(reversed(equations)), results), kept)


def _is_kept(equation: Equation, known: dict[Function, bool] | None = None) -> bool:
    """Return whether an equation stays without a use of its results: it has an effect, or types mention what it
    decides."""
    return has_effect(equation, known) or (isinstance(equation.op, Op) and equation.op.decides)


def _same(backwards: Sequence[Equation], equations: Sequence[Equation]) -> bool:
    return len(backwards) == len(equations) and all(x is y for x, y in zip(reversed(backwards), equations, strict=True))


def _shrink(equation: Equation, needed: set[Var], memo: Memo) -> Equation:
    op = equation.op
    assert not isinstance(op, Op)

    def recur(body: Function, used: Flags, keep: Flags | None = None) -> Pruned:
        return prune(body, used, keep, memo)

    used = tuple([o in needed for o in equation.outputs])
    params, ins, outs = op.prune(equation.params, used, recur)
    inputs = tuple([x for x, k in zip(equation.inputs, ins, strict=True) if k])
    outputs = tuple([y for y, k in zip(equation.outputs, outs, strict=True) if k])
    if params is equation.params and len(inputs) == len(equation.inputs) and len(outputs) == len(equation.outputs):
        return equation
    return Equation(op, params, inputs, outputs, equation.span)
