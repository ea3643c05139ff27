"""Linearisation: `jvp` over a `SplitBuilder`, so that what depends on a tangent lands on the tape.

The known half computes the results and the residuals, the tape is linear in the tangents. Knows no op.
Read next: `transpose`.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsl.ir.function import Atom, Function, Var
from dsl.ir.op import NotLinear, Op, Tangent, Zero
from dsl.ir.region import Flags
from dsl.transforms.dce import live
from dsl.transforms.jvp import jvp, push, tangent_params
from dsl.transforms.memo import Memo
from dsl.transforms.split import SplitBuilder, close, depends


@dataclass(frozen=True, slots=True)
class Linearized:
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


@dataclass(frozen=True, slots=True)
class Taped:
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


PRODUCTS = frozenset({"mul", "scale", "div", "dot_general", "conv_general", "triangular_solve"})
"""Ops that are linear in one operand at a time; the others that are linear are so in all together."""


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

    def vanishes(x: Atom) -> bool:
        return x in found if isinstance(x, Var) else x.value == 0

    for e in function.equations:
        if not depends(e.inputs, found):
            continue
        terms = [x for x in e.inputs if x.type.dtype.is_inexact]
        count = sum(isinstance(x, Var) and x in found for x in terms)
        if not isinstance(e.op, Op) or isinstance(e.op.transpose, NotLinear):
            return False
        if count != 1 if e.op.name in PRODUCTS else not all(map(vanishes, terms)):
            return False
        found.update(e.outputs)
    return all(vanishes(r) if flag else r not in found for r, flag in zip(function.results, results, strict=True))
