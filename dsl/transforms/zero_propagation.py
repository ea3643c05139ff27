"""Which products of a derivative must absorb, and which may be plain.

`scale` is zero where one of its operands is, whatever the other is. The law that it is there for asks less: what is
zero *by selection* stays zero. Such a zero is made by a choice (`where`, a batched `if`), or by the place it stands
at (what a slice leaves out, the start of a sum of cotangents); other zeros are numbers like all others, and so are
the products with them. Both kinds come into a program as a literal or as a `false` turned into a number, and travel
through linear ops alone. So this pass looks where they can get to, and where infinities and nan can: everywhere but
in what literals, truth values and selections among these are made into. A `scale` of a zero by selection and of what
may be infinite absorbs on that side only, which a compiler fuses well; every other one becomes `mul`. Products of
matrices and triangular systems that absorb are weakened in the same way.

Carrier: facts of each var, as bits (`dsl.ops.zero_flow`). Rules: `zero_rule` and `weaken` of ops, `flow` of region ops.
Driver: `_absorb`. Run when nothing more is to be transformed: a transformation adds zeros of
its own.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Literal, Var
from dsl.ir.op import NotLinear, Op, RegionOp
from dsl.ir.region import Facts, Flowed
from dsl.ops import zero_flow
from dsl.ops.whole_zeros import Condition, Whole, chosen_by, whole
from dsl.ops.zero_flow import CHOSEN, NOTHING, WILD, ZERO
from dsl.transforms.memo import Memo
from dsl.transforms.region_map import innermost_first


def absorb(function: Function, given: int = WILD, memo: Memo | None = None) -> Function:
    """`function` with every `scale` as weak as may be; `given` is what is known of its parameters."""
    if not any(_absorbs(e) for body in innermost_first(function) for e in body.equations):
        return function
    return _once(function, (given,) * len(function.params), memo or Memo()).function


def _absorbs(equation: Equation) -> bool:
    op = equation.op
    return isinstance(op, Op) and op.weaken is not None and getattr(equation.params, "absorbs", True)


def _once(function: Function, facts: Facts, memo: Memo) -> Flowed:
    return memo.once(("absorb", function, facts), lambda: _absorb(function, facts, memo))


def _absorb(function: Function, given: Facts, memo: Memo) -> Flowed:
    facts: dict[Atom, int] = {}
    wholes: dict[Atom, Whole] = {}
    made: dict[Atom, Equation] = {}
    b = Builder()
    for var, fact in zip(function.params, given, strict=True):
        facts[var] = CHOSEN if var.type.dtype.is_integer else _of_type(var, fact)
    for equation in function.equations:
        known = tuple([facts[x] if isinstance(x, Var) else _of_literal(x) for x in equation.inputs])
        op = equation.op
        if isinstance(op, Op):
            found = _of_results(op, equation, known)
            condition: Condition = ()
            if chosen := whole(equation, known, wholes, made):
                condition, known = chosen
                one = Whole(condition, after(op, equation, known))
                wholes.update({y: one for y in equation.outputs if not one.always})
                if one.always:
                    condition, found = (), (one.kept,) * len(found)
            if _absorbs(equation):
                _weaken(b, equation, known, condition)
            else:
                b.equations.append(equation)
            made.update(dict.fromkeys(equation.outputs, equation))
        else:
            equation, found = _inside(op, equation, known, memo)
            b.equations.append(equation)
        for y, fact in zip(equation.outputs, found, strict=True):
            facts[y] = _of_type(y, fact)
    results = tuple([facts[r] if isinstance(r, Var) else _of_literal(r) for r in function.results])
    same = len(b.equations) == len(function.equations) and all(
        new is old for new, old in zip(b.equations, function.equations, strict=True)
    )
    if same:
        return Flowed(function, results)
    return Flowed(Function(function.name, function.params, tuple(b.equations), function.results), results)


def _of_literal(x: Literal) -> int:
    finite = abs(x.value) < float("inf")
    return _of_type(x, (NOTHING if finite else WILD) | (ZERO if x.value == 0 else NOTHING))


def _is_exact(x: Atom) -> bool:
    return not x.type.dtype.is_inexact


def _of_type(x: Atom, fact: int) -> int:
    """The part of a fact that counts for a value: for an exact one, whether only the run decides it. What has no
    elements has a zero for its sum."""
    if _is_exact(x):
        return CHOSEN if fact & (CHOSEN | WILD) else NOTHING
    return fact if all(x.type.shape) else fact | ZERO


def _inside(op: RegionOp[Any], equation: Equation, known: Facts, memo: Memo) -> tuple[Equation, Facts]:
    """Follow a region op. An integer in a body may count turns, and a truth value among the results may depend on the
    branch that runs."""
    known = _without_integers(equation, known)
    params, found = op.flow(equation.params, known, lambda body, facts: _once(body, facts, memo))
    found = tuple([CHOSEN if _is_exact(y) else fact for y, fact in zip(equation.outputs, found, strict=True)])
    if tuple(op.bodies(params)) == tuple(op.bodies(equation.params)):
        return equation, found
    return Equation(op, params, equation.inputs, equation.outputs, equation.span), found


def _without_integers(equation: Equation, known: Facts) -> Facts:
    return tuple([NOTHING if x.type.dtype.is_integer else f for x, f in zip(equation.inputs, known, strict=True)])


def _of_results(op: Op[Any], equation: Equation, known: Facts) -> Facts:
    return known if op.traits.apart else (after(op, equation, known),) * len(equation.outputs)


def _weaken(b: Builder, equation: Equation, known: Facts, condition: Condition) -> None:
    """Emit a product as weak as it may be, chosen by the condition where there is one."""
    b.span = equation.span
    assert isinstance(equation.op, Op) and equation.op.weaken is not None
    if not equation.op.weaken(b, equation, known):
        b.equations.append(equation)
        return
    if condition:
        chosen_by(b, condition, b.equations[-1].outputs[0])
    last = b.equations.pop()
    b.equations.append(Equation(last.op, last.params, last.inputs, equation.outputs, equation.span))


def after(op: Op[Any], equation: Equation, known: Facts) -> int:
    """Return the facts about the results of an op without bodies. Integers among its operands say where, not what."""
    if all(map(_is_exact, equation.outputs)):
        return reduce(or_, known, NOTHING)
    known = _without_integers(equation, known)
    if op.zero_rule is not None:
        return op.zero_rule(equation, known)
    if op.traits.moves:
        return zero_flow.moved(equation, known)
    # No tangent goes through an op that is not linear: a zero that it gives is not one by selection.
    return WILD if isinstance(op.transpose, NotLinear) else zero_flow.computed(equation, known)
