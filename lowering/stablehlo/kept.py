"""Values that take long to compute and are read more than once: XLA would compute them for each reading.

XLA's compiler for CPUs computes pointwise operations where they are used: the sine of a row for each line that it is
added to, the random numbers of an array for each part that is taken of it. Barriers do not stop it, as they are gone
before operations are fused. A call that is not inlined does: what it is given is in memory. Read next: `work`, for
costs.
"""

from __future__ import annotations

import re

from dsl.ir.function import Atom, Equation, Var
from dsl.ir.op import Op
from dsl.ir.traits import Cost
from dsl.ops.control.call import CALL
from dsl.ops.unary import COS, SIN
from lowering.stablehlo.context import Context
from lowering.stablehlo.work import is_computed_where_used

LEAST = 1 << 14
"""Elements that are read, from which on a call is worth it. Loops over fewer become one function of machine code, and
none of them may have a call inside."""

TIMES = 8
"""Readings of each element from which a value of some cost is worth its memory."""

WAVES = (SIN, COS)
"""Functions of moderate cost that take longer than the others, as their arguments have to be reduced."""

DEEP = 64
"""Equations that are looked through for one that takes long."""


def kept_to_repeat(cx: Context, x: Atom, size: int) -> str:
    """The name of a value of which an array of so many elements is made, each of them again and again."""
    often = size >= LEAST and size >= TIMES * x.type.size
    return _kept(cx, x) if often and x.type.size > 1 else cx.operand(x)


def kept_in_parts(cx: Context, x: Atom) -> str:
    """The name of a value that several equations take parts of."""
    several = x.type.size >= LEAST and cx.readers(x) > 1
    return _kept(cx, x) if several else cx.operand(x)


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
        if _is_long(made):
            return True
        if is_computed_where_used(made):
            waiting += [each for each in made.inputs if each not in seen]
            seen.update(made.inputs)
    return False


def _is_long(equation: Equation) -> bool:
    """Return whether an equation computes element by element, and more than a quotient or an exponential; calls do."""
    if not isinstance(equation.op, Op):
        return equation.op is CALL
    shape = equation.outputs[0].type.shape
    is_high = equation.op.traits.cost is Cost.HIGH and all(x.type.shape == shape for x in equation.inputs)
    return is_high or equation.op in WAVES


def _through_call(cx: Context, x: str, type: str) -> str:
    name = "kept_" + re.sub(r"\W", "_", type)
    cx.module.include(f"func.func private @{name}(%a0: {type}) -> {type} {{\nreturn %a0 : {type}\n}}")
    return cx.emit(
        f'func.call @{name}({x}) {{mhlo.frontend_attributes = {{inlineable = "false"}}}} : ({type}) -> {type}'
    )
