"""Linearisation: `jvp` over a `SplitBuilder`, so that what depends on a tangent lands on the tape.

The known half computes the results and the residuals, the tape is linear in the tangents. Knows no op.
Read next: `transpose`.
"""

from __future__ import annotations

from dataclasses import dataclass

from dsl.ir.function import Atom, Function, Var
from dsl.ir.op import Tangent, Zero
from dsl.ir.region import Flags
from dsl.transforms.jvp import push, tangent_params
from dsl.transforms.memo import Memo
from dsl.transforms.split import SplitBuilder, close


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
    cut = close(
        taped.b, function.name, function.params, wanted, joint, (False,) * count + (True,) * len(late)
    )
    return Linearized(cut.known, cut.unknown, flags, cut.residuals)
