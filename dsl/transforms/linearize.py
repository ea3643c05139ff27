"""Linearisation: `jvp` over a `SplitBuilder`, so that what depends on a tangent lands on the tape.

The known half computes the results and the residuals, the tape is linear in the tangents. Knows no op.
Read next: `transpose`.
"""

from __future__ import annotations

from msgspec import Struct

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import NotLinear, Op, Tangent, Zero
from dsl.ir.region import Flags
from dsl.transforms.dce import live
from dsl.transforms.jvp import jvp, push, tangent_params
from dsl.transforms.memo import Memo
from dsl.transforms.partial_eval import SplitBuilder, close, depends


class Linearized(Struct, frozen=True):
    """`primal`: params -> results, then extra residuals. `linear`: residuals, then tangents -> tangents of
    results.

    Only tangents of the flagged inexact parameters are parameters of `linear`, and only those of the
    `nonzero` results are its results. `residuals[i]` counts through `primal.params` and then
    `primal.results`.
    """

    primal: Function
    linear: Function
    nonzero: Flags
    residuals: tuple[int, ...]


class Taped(Struct, frozen=True):
    """A linearisation still in its builder: `b` holds the known half, `b.tape` the linear one."""

    b: SplitBuilder
    results: tuple[Atom, ...]
    tangents: tuple[Tangent, ...]
    params: dict[Var, Var]


def tape(function: Function, nonzero: Flags, memo: Memo) -> Taped:
    """Linearises `function` at its own parameters. The tangent of a parameter p is `params[p]`."""
    params = tangent_params(function, nonzero)
    b = SplitBuilder(memo, params.values())
    results, tangents = push(b, function, dict(params), memo)
    return Taped(b, results, tangents, params)


def linearize(function: Function, nonzero: Flags, memo: Memo | None = None) -> Linearized:
    """The value of `function` and its derivative as a linear function, which may be run many times."""
    taped = tape(function, nonzero, memo or Memo())
    flags = tuple([not isinstance(t, Zero) for t in taped.tangents])
    late = tuple([t for t in taped.tangents if not isinstance(t, Zero)])
    count = len(taped.results)
    joint = (*taped.results, *late)
    wanted = tuple(taped.params.values())
    cut = close(taped.b, function.name, function.params, wanted, joint, (False,) * count + (True,) * len(late))
    return Linearized(cut.known, cut.unknown, flags, cut.residuals)


def as_derivative(function: Function, linear: Flags, results: Flags, memo: Memo | None = None) -> Function:
    """`function`, whose flagged results are linear in the flagged params, with these as a derivative has them.

    A linear function is its own derivative, and so its products absorb: what is zero by selection stays zero. Where
    it cannot be seen to be linear, from ops without bodies alone, it is `function` itself.
    """
    if not _is_linear(function, linear, results):
        return function
    made = jvp(function, linear, results, memo)
    late, tangents = iter(made.function.params[len(function.params) :]), iter(made.function.results[len(results) :])
    params = tuple([next(late) if flag else p for p, flag in zip(function.params, linear, strict=True)])
    outs = tuple([next(tangents) if flag else r for r, flag in zip(function.results, results, strict=True)])
    return Function(function.name, params, tuple(live(made.function.equations, outs)), outs)


def _is_linear(function: Function, linear: Flags, results: Flags) -> bool:
    found = {p for p, flag in zip(function.params, linear, strict=True) if flag}

    for e in function.equations:
        if depends(e.inputs, found):
            if not _is_linear_in(e, found):
                return False
            found.update(e.outputs)
    pairs = zip(function.results, results, strict=True)
    return all(_vanishes(r, found) if flag else r not in found for r, flag in pairs)


def _is_linear_in(equation: Equation, found: set[Var]) -> bool:
    """Return whether the results are linear in the operands among `found`, all together."""
    op, inputs = equation.op, equation.inputs
    if not isinstance(op, Op) or isinstance(op.transpose, NotLinear):
        return False
    if op.traits.multilinear:
        places = [i for i, x in enumerate(inputs) if isinstance(x, Var) and x in found]
        return len(places) == 1 and places[0] in op.traits.multilinear
    return all(_vanishes(x, found) for x in inputs if x.type.dtype.is_inexact)


def _vanishes(x: Atom, found: set[Var]) -> bool:
    return x in found if isinstance(x, Var) else x.value == 0
