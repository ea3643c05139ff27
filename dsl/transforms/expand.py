"""Expansion: ops that only speak to transformations become what is lowered.

Gone afterwards: lanes, checkpoint, custom_jvp, custom_vjp, stop_gradient, checkpoint_name, and the limit of `while`. A
`custom_linear` that is left means that a function with a reverse rule only was differentiated forward. Run
when nothing more is to be transformed.
"""

from __future__ import annotations

from typing import cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ir.region import BatchAxis, Batched, CannotTransform, Flags, Problem
from dsl.ops.collective import along, is_alone
from dsl.ops.control.call import CHECKPOINT, CheckpointParams, call, expand_checkpoint
from dsl.ops.control.custom import (
    CUSTOM_JVP,
    CUSTOM_LINEAR,
    CUSTOM_VJP,
    ONLY_BACK,
    CustomJvpParams,
    CustomVjpParams,
)
from dsl.ops.control.lanes import LANES, LanesParams, expand_lanes
from dsl.ops.control.loop import WHILE, WhileParams, expand_while
from dsl.ops.control.mark import CHECKPOINT_NAME, STOP_GRADIENT
from dsl.ops.layout import reshape
from dsl.transforms.memo import Memo
from dsl.transforms.nested import innermost_first, map_bodies
from dsl.transforms.split import rename
from dsl.transforms.vmap import batch


def expand(function: Function, memo: Memo | None = None) -> Function:
    """`function` without ops that only transformations know, at every depth."""
    table = memo or Memo()
    for body in innermost_first(function):
        _once(body, table)
    return _once(function, table)


def _once(function: Function, memo: Memo) -> Function:
    return memo.once(("expand", function), lambda: _expand(function, memo))


def _expand(function: Function, memo: Memo) -> Function:
    b = Builder()
    values: dict[Atom, Atom] = {}
    for equation in function.equations:
        moved = rename(equation, values)
        b.span = equation.span
        found = _expanded(b, moved, memo)
        if found is None:
            b.equations.append(_inside(moved, memo))
        else:
            values.update(zip(equation.outputs, found, strict=True))
    if not values and len(b.equations) == len(function.equations):
        same = all(x is y for x, y in zip(b.equations, function.equations, strict=True))
        if same:
            return function
    # What an expansion has emitted may hold bodies that are still to be expanded.
    equations = tuple([_inside(e, memo) for e in b.equations]) if values else tuple(b.equations)
    results = tuple([values.get(r, r) if isinstance(r, Var) else r for r in function.results])
    return Function(function.name, function.params, equations, results)


def _inside(equation: Equation, memo: Memo) -> Equation:
    params = map_bodies(equation, lambda body: _once(body, memo))
    if params is equation.params:
        return equation
    return Equation(equation.op, params, equation.inputs, equation.outputs, equation.span)


def _expanded(b: Builder, equation: Equation, memo: Memo) -> tuple[Atom, ...] | None:
    """What stands for the equation, or None if it stays."""
    op, params, xs = equation.op, equation.params, equation.inputs
    if op is STOP_GRADIENT or op is CHECKPOINT_NAME:
        return xs
    if isinstance(op, Op):
        return _alone(b, equation) if is_alone(equation) else None
    if op is LANES:
        return expand_lanes(b, cast(LanesParams, params), xs, _batch(memo))
    if op is CHECKPOINT:
        return expand_checkpoint(b, cast(CheckpointParams, params), xs)
    if op is CUSTOM_JVP:
        return call(b, cast(CustomJvpParams, params).function, xs)
    if op is CUSTOM_VJP:
        return call(b, cast(CustomVjpParams, params).function, xs)
    if op is CUSTOM_LINEAR:
        raise CannotTransform(Problem.FORWARD_CUSTOM, "custom_vjp", ONLY_BACK, equation.span)
    if op is WHILE and cast(WhileParams, params).limit is not None:
        return expand_while(b, cast(WhileParams, params), xs)
    return None


def _alone(b: Builder, equation: Equation) -> tuple[Atom, ...]:
    found, _ = along(b, equation, equation.inputs, (None,) * len(equation.inputs))
    return tuple([reshape(b, x, y.type.shape) for x, y in zip(found, equation.outputs, strict=True)])


def _batch(memo: Memo) -> BatchAxis:
    """Mapping of bodies, for the ops that are expanded to all lanes at once."""

    def recur(body: Function, batched: Flags, force: Flags, size: int) -> Batched:
        return batch(body, batched, force, size, memo)

    return recur
