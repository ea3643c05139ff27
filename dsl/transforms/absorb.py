"""Which products of a derivative must absorb, and which may be plain.

`scale` is zero where one of its operands is, whatever the other is. The law that it is there for asks less: what is
zero *by selection* stays zero. Such a zero is made by a choice (`where`, a batched `if`), or by the place it stands
at (what a slice leaves out, the start of a sum of cotangents); other zeros are numbers like all others, and so are
the products with them. Both kinds come into a program as a literal or as a `false` turned into a number, and travel
through linear ops alone. So this pass looks where they can get to, and where infinities and nan can: everywhere but
in what literals, truth values and selections among these are made into. A `scale` of a zero by selection and of what
may be infinite absorbs on that side only, which a compiler fuses well; every other one becomes `mul`. Products of
matrices and triangular systems that absorb are weakened in the same way.

Carrier: facts of each var, as bits. Rule tables: `PRODUCTS`, and `RULES` for what is known of results, by name; the
`flow` of region ops. Driver: `_absorb`. Run when nothing more is to be transformed: a transformation adds zeros of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import NotLinear, Op, RegionOp
from dsl.ir.region import Facts, Flowed
from dsl.ops.contract import DotParams, sheltered
from dsl.ops.control.lanes import LANES
from dsl.ops.convolve import ConvParams, has_holes
from dsl.ops.elementwise import SCALE, compare, mul, select
from dsl.ops.linalg import SolveParams, sheltered_solve, triangular_solve
from dsl.ops.rule import zeros
from dsl.transforms.memo import Memo
from dsl.transforms.nested import innermost_first

NOTHING: Final = 0
ZERO: Final = 1
"""Some element may be zero by selection."""
CHOSEN: Final = 2
"""And of these, one may be so by a choice between values that was made when the program ran."""
WILD: Final = 4
"""Some element may be infinite or nan."""
ANYTHING: Final = ZERO | CHOSEN | WILD

Rule: TypeAlias = Callable[[Equation, Facts], int]
Product: TypeAlias = Callable[[Builder, Equation, Facts], bool]
"""Emits what stands for a product that absorbs, with the last equation for its output; or says that it stays."""


def absorb(function: Function, given: int = WILD, memo: Memo | None = None) -> Function:
    """`function` with every `scale` as weak as may be; `given` is what is known of its parameters."""
    if not any(_absorbs(e) for body in innermost_first(function) for e in body.equations):
        return function
    return _once(function, (given,) * len(function.params), memo or Memo()).function


def _absorbs(equation: Equation) -> bool:
    return equation.op is SCALE or bool(getattr(equation.params, "absorbs", False))


def _once(function: Function, facts: Facts, memo: Memo) -> Flowed:
    return memo.once(("absorb", function, facts), lambda: _absorb(function, facts, memo))


def _absorb(function: Function, given: Facts, memo: Memo) -> Flowed:
    facts: dict[Atom, int] = {}
    b = Builder()
    for var, fact in zip(function.params, given, strict=True):
        facts[var] = _of_type(var, fact)
    for equation in function.equations:
        known = tuple([_fact(x, facts) for x in equation.inputs])
        op = equation.op
        if isinstance(op, Op):
            if _absorbs(equation):
                _weaken(b, equation, known)
            else:
                b.equations.append(equation)
            found: Facts = (after(op, equation, known),) * len(equation.outputs)
        else:
            equation, found = _inside(op, equation, known, memo)
            b.equations.append(equation)
        for y, fact in zip(equation.outputs, found, strict=True):
            facts[y] = _of_type(y, fact)
    results = tuple([_fact(r, facts) for r in function.results])
    same = len(b.equations) == len(function.equations) and all(
        new is old for new, old in zip(b.equations, function.equations, strict=True)
    )
    if same:
        return Flowed(function, results)
    return Flowed(Function(function.name, function.params, tuple(b.equations), function.results), results)


def _fact(x: Atom, facts: Mapping[Atom, int]) -> int:
    if isinstance(x, Var):
        return facts[x]
    finite = abs(x.value) < float("inf")
    return _of_type(x, (NOTHING if finite else WILD) | (ZERO if x.value == 0 else NOTHING))


def _of_type(x: Atom, fact: int) -> int:
    """Only inexact values count; and what has no elements has a zero for its sum."""
    if not x.type.dtype.is_inexact:
        return NOTHING
    return fact if all(x.type.shape) else fact | ZERO


def _inside(op: RegionOp[Any], equation: Equation, known: Facts, memo: Memo) -> tuple[Equation, Facts]:
    params, found = op.flow(equation.params, known, lambda body, facts: _once(body, facts, memo))
    if op is LANES:
        found = tuple([fact | ZERO | CHOSEN for fact in found])
    if tuple(op.bodies(params)) == tuple(op.bodies(equation.params)):
        return equation, found
    return Equation(op, params, equation.inputs, equation.outputs, equation.span), found


# --- products ---------------------------------------------------------------------------------------------


def _weaken(b: Builder, equation: Equation, known: Facts) -> None:
    b.span = equation.span
    if not PRODUCTS[equation.op.name](b, equation, known):
        b.equations.append(equation)
        return
    last = b.equations.pop()
    b.equations.append(Equation(last.op, last.params, last.inputs, equation.outputs, equation.span))


def _scaled(b: Builder, equation: Equation, known: Facts) -> bool:
    (x, y), (of_x, of_y) = equation.inputs, known
    left, right = bool(of_x & ZERO and of_y & WILD), bool(of_y & ZERO and of_x & WILD)
    if left and right:
        return False
    if left or right:
        zero = zeros(x.type)
        select(b, compare(b, "eq", x if left else y, zero), zero, mul(b, x, y))
    else:
        mul(b, x, y)
    return True


def _summed_up(b: Builder, equation: Equation, known: Facts) -> bool:
    """Of sums, only what a choice has left out counts: to guard those of every loop would cost too much."""
    (x, y), (of_x, of_y) = equation.inputs, known
    left, right = bool(of_x & CHOSEN and of_y & WILD), bool(of_y & CHOSEN and of_x & WILD)
    sheltered(b, cast(DotParams, equation.params), x, y, left, right)
    return True


def _solved(b: Builder, equation: Equation, known: Facts) -> bool:
    a, right = equation.inputs
    params = cast(SolveParams, equation.params)
    if known[1] & CHOSEN:
        sheltered_solve(b, params, a, right)
    else:
        triangular_solve(b, replace(params, absorbs=False), a, right)
    return True


PRODUCTS: Mapping[str, Product] = MappingProxyType(
    {"scale": _scaled, "dot_general": _summed_up, "triangular_solve": _solved}
)


# --- what is known of results -----------------------------------------------------------------------------


def after(op: Op[Any], equation: Equation, known: Facts) -> int:
    """What is known of the results of an op without bodies."""
    rule = RULES.get(op.name)
    if rule is not None:
        return rule(equation, known)
    # No tangent goes through an op that is not linear: a zero that it gives is not one by selection.
    return WILD if isinstance(op.transpose, NotLinear) else reduce(or_, known, WILD)


def _moved(equation: Equation, known: Facts) -> int:
    return reduce(or_, known)


def _summed(equation: Equation, known: Facts) -> int:
    """Zero by selection only where all terms are."""
    return reduce(or_, known) | WILD if reduce(and_, known, ZERO) else WILD


def _selected(equation: Equation, known: Facts) -> int:
    found = reduce(or_, known)
    return found | CHOSEN if found & ZERO else found


def _multiplied(equation: Equation, known: Facts) -> int:
    """That the factor was chosen, as the share of a maximum is, says nothing of the branches before it."""
    of_x, of_y = known
    return of_x | (of_y & ~CHOSEN) | WILD


def _converted(equation: Equation, known: Facts) -> int:
    return ZERO if equation.inputs[0].type.dtype.is_bool else known[0] | WILD


def _scattered(equation: Equation, known: Facts) -> int:
    """Sums into a value: zero by selection where that is."""
    return reduce(or_, known) | WILD if known[0] & ZERO else WILD


def _convolved(equation: Equation, known: Facts) -> int:
    image, kernel = [x.type for x in equation.inputs]
    holes = has_holes(cast(ConvParams, equation.params), image, kernel)
    return reduce(or_, known, ZERO | WILD if holes else WILD)


def _with_holes(equation: Equation, known: Facts) -> int:
    """Linear, with zeros of its own where nothing arrives."""
    return reduce(or_, known, ZERO | WILD)


MOVES: Sequence[str] = (
    *("broadcast_in_dim", "reshape", "transpose", "rev", "neg", "real", "imag", "complex", "conj"),
    *("slice", "pad", "concatenate", "gather", "scatter_set", "dynamic_slice", "dynamic_update_slice"),
    *("stop_gradient", "optimization_barrier", "checkpoint_name"),
)
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **dict.fromkeys(MOVES, _moved),
        "select": _selected,
        "scale": _multiplied,
        "add": _summed,
        "sub": _summed,
        "convert": _converted,
        "scatter_add": _scattered,
        "conv_general": _convolved,
        "fft": _with_holes,
        "ppermute": _with_holes,
    }
)
