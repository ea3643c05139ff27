"""Values that take long to compute and are read more than once: XLA would compute them for each reading.

XLA's compiler for CPUs computes pointwise operations where they are used: the sine of a row for each line that it is
added to, the random numbers of an array for each part that is taken of it, or for each kernel that reads them, as a
function and its derivative do. Barriers do not stop it, as they are gone before operations are fused. A call that is
not inlined does: what it is given is in memory. Read next: `kernels`; `work`, for costs.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import Op
from dsl.ir.traits import Cost
from dsl.ops.control.call import CallParams
from dsl.ops.unary import COS, SIN
from lowering.stablehlo.context import Context
from lowering.stablehlo.kernels import KERNELS, is_fused, kernels

LEAST, LEAST_AT_TOP = 1 << 14, 1 << 11
"""Elements that are read, from which on a call is worth it; the second where no loop can be around. Loops over fewer
than the first become one function of machine code, and none of them may have a call inside."""

TIMES = 8
"""Readings of each element from which a value of some cost is worth its memory."""

WAVES = (SIN, COS)
"""Functions of moderate cost that take longer than the others, as their arguments have to be reduced."""

DEEP = 64
"""Equations that are looked through for one that takes long."""


def kept_to_repeat(cx: Context, x: Atom, size: int) -> str:
    """The name of a value of which an array of so many elements is made, each of them again and again."""
    often = size >= _least(cx) and size >= TIMES * x.type.size
    return _kept(cx, x) if often and x.type.size > 1 else cx.operand(x)


def kept_in_parts(cx: Context, x: Atom) -> str:
    """The name of a value that several equations take parts of."""
    several = x.type.size >= _least(cx) and cx.readers(x) > 1
    return _kept(cx, x) if several else cx.operand(x)


def keep_shared(cx: Context, equation: Equation, shared: Collection[Atom]) -> None:
    """Keeps those results of an equation that are `shared`."""
    for y in equation.outputs:
        if y in shared and y.type.size >= _least(cx):
            _kept(cx, y)


def shared(cx: Context, body: Function) -> Collection[Atom]:
    """Return the values that take long and that several kernels read. Of values that are made of one another it is the
    last, so that a mask is kept, not the random numbers that it is made of."""

    def is_long(equation: Equation) -> bool:
        return _is_long(cx, equation)

    if not any(map(is_long, body.equations)):
        return ()
    long: set[Atom] = set()
    for equation in body.equations:
        if is_long(equation) or (is_fused(equation) and not long.isdisjoint(equation.inputs)):
            long.update(equation.outputs)

    def takes_long(equation: Equation) -> bool:
        return not long.isdisjoint(equation.outputs)

    read = kernels(body, takes_long, lambda equation: is_fused(equation) or is_long(equation))
    return {x for x in long if read.get(x) == KERNELS}


def _least(cx: Context) -> int:
    return LEAST_AT_TOP if cx.is_at_top else LEAST


def _kept(cx: Context, x: Atom) -> str:
    """The name of a value, which all that follows reads in memory, if it takes long to compute."""
    if isinstance(x, Var) and cx.is_for_cpu and _takes_long(cx, x):
        cx.names[x] = _through_call(cx, cx.names[x], cx.type(x.type))
        del cx.made[x]
    return cx.operand(x)


def _takes_long(cx: Context, x: Atom) -> bool:
    """Return whether an equation that takes long is among those that are computed where the value is used."""
    waiting, seen = [x], {x}
    while waiting and len(seen) <= DEEP:
        made = cx.made.get(waiting.pop())
        if made is None:
            continue
        if _is_long(cx, made):
            return True
        if is_fused(made):
            waiting += [each for each in made.inputs if each not in seen]
            seen.update(made.inputs)
    return False


def _is_long(cx: Context, equation: Equation) -> bool:
    """Return whether an equation computes element by element, and more than a quotient or an exponential, or calls a
    function that does."""
    if isinstance(equation.params, CallParams):
        return _calls_long(cx, equation.params.function)
    if not isinstance(equation.op, Op):
        return False
    op = equation.op
    is_high = op.traits.cost is Cost.HIGH and not op.traits.moves and isinstance(op.sharding, str)
    return is_high or op in WAVES


def _calls_long(cx: Context, body: Function) -> bool:
    """Return whether an equation of a function that is called takes long."""
    known = cx.module.long
    if body not in known:
        known[body] = any(_is_long(cx, equation) for equation in body.equations)
    return known[body]


def _through_call(cx: Context, x: str, type: str) -> str:
    name = "kept_" + re.sub(r"\W", "_", type)
    cx.module.include(f"func.func private @{name}(%a0: {type}) -> {type} {{\nreturn %a0 : {type}\n}}")
    return cx.emit(
        f'func.call @{name}({x}) {{mhlo.frontend_attributes = {{inlineable = "false"}}}} : ({type}) -> {type}'
    )
