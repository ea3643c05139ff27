"""Derivatives of IR functions, composed of linearisation, transposition and vectorisation: what tests of rules and
passes differentiate with.

A scalar function's gradient is emitted into one function, without residuals to pass. Everything takes a
`Memo`, to be shared by the transformations of one program. Knows no op, except to write identity matrices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor, Var
from dsl.ir.op import Zero
from dsl.ir.region import Flags, Jvp
from dsl.ops.elementwise import compare, convert
from dsl.ops.extent import iota
from dsl.ops.layout import reshape
from dsl.ops.rule_helpers import splat, zeros
from dsl.transforms.dce import live
from dsl.transforms.jvp import jvp
from dsl.transforms.linearize import Linearized, linearize, tape
from dsl.transforms.memo import Memo
from dsl.transforms.transpose import accumulate, pull, transpose
from dsl.transforms.vmap import vmap
from dsl.types.dtype import I32


def flags_of(function: Function, wrt: Sequence[int]) -> Flags:
    """One flag per parameter: the inexact ones among those at positions `wrt`."""
    return tuple([i in wrt and p.type.dtype.is_inexact for i, p in enumerate(function.params)])


def forward(function: Function, memo: Memo | None = None) -> Jvp:
    """Params, then tangents of all inexact ones -> results, then tangents of all inexact ones, zeros
    included."""
    every = tuple([t.dtype.is_inexact for t in function.param_types])
    return jvp(function, every, tuple([t.dtype.is_inexact for t in function.result_types]), memo)


def value_and_grad(function: Function, wrt: Sequence[int], memo: Memo | None = None) -> Function:
    """The results of `function`, then the gradient of result 0, a real scalar, in each of the params
    `wrt`."""
    table = memo or Memo()
    taped = tape(function, flags_of(function, wrt), table)
    b = Builder()
    b.equations = taped.b.equations
    cts: dict[Var, Atom] = {}
    value = taped.tangents[0]
    if not isinstance(value, Zero):
        accumulate(b, cts, value, splat(1, value.type), taped.b.unknown)
    pull(b, taped.b.tape.equations, taped.b.unknown, cts, table)
    found = [_cotangent(cts, taped.params, function.params[i]) for i in wrt]
    outs = (*taped.results, *found)
    return Function(function.name, function.params, tuple(live(b.equations, outs)), outs)


def _cotangent(cts: dict[Var, Atom], tangents: dict[Var, Var], param: Var) -> Atom:
    return cts.get(tangents[param]) or zeros(param.type)


def grad(function: Function, wrt: Sequence[int], memo: Memo | None = None) -> Function:
    """As `value_and_grad`, without result 0."""
    both = value_and_grad(function, wrt, memo)
    outs = both.results[1:]
    return Function(both.name, both.params, tuple(live(both.equations, outs)), outs)


@dataclass(frozen=True, slots=True)
class Vjp:
    """`primal`: params -> results, then extra residuals. `pull`: residuals, then cotangents -> cotangents of
    `wrt`.

    `pull` takes a cotangent for each result flagged in `nonzero`; the others do not depend on the params
    `wrt`. `residuals[i]` counts through `primal.params` and then `primal.results`.
    """

    primal: Function
    pull: Function
    nonzero: Flags
    residuals: tuple[int, ...]


def vjp(function: Function, wrt: Sequence[int], memo: Memo | None = None) -> Vjp:
    """The value of `function` and the way back, in the order of `wrt`, which are distinct inexact params."""
    table = memo or Memo()
    made = linearize(function, flags_of(function, wrt), table)
    return Vjp(made.primal, _pull(made, sorted(wrt), wrt, table), made.nonzero, made.residuals)


def _pull(made: Linearized, order: Sequence[int], wrt: Sequence[int], memo: Memo) -> Function:
    count = len(made.residuals)
    late = len(made.linear.params) - count
    back = transpose(made.linear, (False,) * count + (True,) * late, None, (True,) * late, memo).function
    return Function(back.name, back.params, back.equations, tuple([back.results[order.index(i)] for i in wrt]))


def hvp(function: Function, wrt: Sequence[int], memo: Memo | None = None) -> Function:
    """Params, then directions for the params `wrt` in their order -> the Hessian of result 0 in these
    directions."""
    slope = grad(function, wrt, memo)
    slope = Function(slope.name, slope.params, slope.equations, slope.results[-len(wrt) :])
    done = jvp(slope, flags_of(slope, wrt), (True,) * len(wrt), memo).function
    given = dict(zip(sorted(wrt), done.params[len(slope.params) :], strict=True))
    outs = done.results[len(wrt) :]
    params = (*slope.params, *[given[i] for i in wrt])
    return Function(done.name, params, tuple(live(done.equations, outs)), outs)


def jacfwd(function: Function, wrt: int, memo: Memo | None = None) -> Function:
    """The derivative of each inexact result in param `wrt`, a column at a time: shapes of result, then of
    param."""
    table = memo or Memo()
    made = linearize(function, flags_of(function, (wrt,)), table)
    source = function.params[wrt].type
    count = len(made.residuals)
    places = (*(None,) * count, 0)
    ends = (-1,) * len(made.linear.results)
    columns = vmap(made.linear, places, ends, source.size, table)
    b, results, residuals = _inlined(made)
    found = iter(_emit(b, columns, (*residuals, identity(b, source))))
    outs = [
        reshape(b, next(found), (*y.type.shape, *source.shape))
        if dependent
        else zeros(Tensor(y.type.dtype, (*y.type.shape, *source.shape)))
        for y, dependent in zip(results, made.nonzero, strict=True)
        if y.type.dtype.is_inexact
    ]
    return _closed(function, b, outs)


def jacrev(function: Function, wrt: int, memo: Memo | None = None) -> Function:
    """As `jacfwd`, a row at a time."""
    table = memo or Memo()
    made = linearize(function, flags_of(function, (wrt,)), table)
    source = function.params[wrt].type
    b, results, residuals = _inlined(made)
    outs: list[Atom] = []
    for k, y in enumerate(results):
        if not y.type.dtype.is_inexact:
            continue
        shape = (*y.type.shape, *source.shape)
        if not made.nonzero[k]:
            outs.append(zeros(Tensor(source.dtype, shape)))
            continue
        rows = vmap(_row(made, k, table), (*(None,) * len(residuals), 0), (0,), y.type.size, table)
        (found,) = _emit(b, rows, (*residuals, identity(b, y.type)))
        outs.append(reshape(b, found, shape))
    return _closed(function, b, outs)


def _row(made: Linearized, k: int, memo: Memo) -> Function:
    """Residuals, then the cotangent of result k -> that of the one tangent."""
    count = len(made.residuals)
    flags = tuple([i == k for i, flag in enumerate(made.nonzero) if flag])
    return transpose(made.linear, (False,) * count + (True,), flags, (True,), memo).function


def _inlined(made: Linearized) -> tuple[Builder, tuple[Atom, ...], tuple[Atom, ...]]:
    """A builder that has computed the primal: its results, and the residuals."""
    b = Builder()
    b.params = list(made.primal.params)
    b.equations = list(made.primal.equations)
    values = (*made.primal.params, *made.primal.results)
    return b, made.primal.results[: len(made.nonzero)], tuple([values[i] for i in made.residuals])


def _emit(b: Builder, function: Function, inputs: Sequence[Atom]) -> tuple[Atom, ...]:
    """The equations of `function`, at other values of its params; its results."""
    values: dict[Atom, Atom] = dict(zip(function.params, inputs, strict=True))
    for equation in function.equations:
        b.span = equation.span
        moved = [values.get(x, x) for x in equation.inputs]
        values.update(zip(equation.outputs, b.emit(equation.op, equation.params, moved), strict=True))
    return tuple([values.get(r, r) for r in function.results])


def identity(b: Builder, type: Tensor) -> Atom:
    """The unit vectors of `type`, stacked along a new axis in front."""
    square = (type.size, type.size)
    diagonal = compare(b, "eq", iota(b, I32, square, 0), iota(b, I32, square, 1))
    return reshape(b, convert(b, diagonal, type.dtype), (type.size, *type.shape))


def _closed(function: Function, b: Builder, outs: Sequence[Atom]) -> Function:
    return Function(function.name, function.params, tuple(live(b.equations, outs)), tuple(outs))
