"""Which products of a derivative must absorb, and which may be plain.

`scale` is zero where one of its operands is, whatever the other is. The law that it is there for asks less: what is
zero *by selection* stays zero. Such a zero is made by a choice (`where`, a batched `if`), or by the place it stands
at (what a slice leaves out, the start of a sum of cotangents); other zeros are numbers like all others, and so are
the products with them. Both kinds come into a program as a literal or as a `false` turned into a number, and travel
through linear ops alone. So this pass looks where they can get to, and where infinities and nan can: everywhere but
in what literals, truth values and selections among these are made into. A `scale` of a zero by selection and of what
may be infinite absorbs on that side only, which a compiler fuses well; every other one becomes `mul`.

Carrier: `Fact`s of each var. Rule tables: `RULES` here for ops without bodies, by name; the `flow` of region ops.
Driver: `_absorb`. Run when nothing more is to be transformed: a transformation adds zeros of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Equation, Function, Var
from dsl.ir.op import NONE, NotLinear, Op, RegionOp
from dsl.ir.region import Facts, Flowed
from dsl.ops.control.lanes import LANES
from dsl.ops.convolve import ConvParams, has_holes
from dsl.ops.elementwise import MUL, SCALE, SELECT, compare, mul
from dsl.ops.rule import zeros
from dsl.transforms.memo import Memo
from dsl.transforms.nested import innermost_first

NOTHING: Final = 0
ZERO: Final = 1
"""Some element may be zero by selection."""
WILD: Final = 2
"""Some element may be infinite or nan."""
ANYTHING: Final = ZERO | WILD

Rule: TypeAlias = Callable[[Equation, Facts], int]


def absorb(function: Function, given: int = WILD, memo: Memo | None = None) -> Function:
    """`function` with every `scale` as weak as may be; `given` is what is known of its parameters."""
    if not any(e.op is SCALE for body in innermost_first(function) for e in body.equations):
        return function
    return _once(function, (given,) * len(function.params), memo or Memo()).function


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
        if op is SCALE:
            _product(b, equation, known)
            found: Facts = (reduce(or_, known) | WILD,)
        elif isinstance(op, Op):
            b.equations.append(equation)
            found = (after(op, equation, known),) * len(equation.outputs)
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
        found = tuple([fact | ZERO for fact in found])
    if tuple(op.bodies(params)) == tuple(op.bodies(equation.params)):
        return equation, found
    return Equation(op, params, equation.inputs, equation.outputs, equation.span), found


def _product(b: Builder, equation: Equation, known: Facts) -> None:
    """What stands for a `scale`: the same output, of a weaker product."""
    (x, y), (of_x, of_y) = equation.inputs, known
    left, right = bool(of_x & ZERO and of_y & WILD), bool(of_y & ZERO and of_x & WILD)
    b.span = equation.span
    if left and right:
        b.equations.append(equation)
    elif left or right:
        zero = zeros(x.type)
        none = compare(b, "eq", x if left else y, zero)
        inputs = (none, zero, mul(b, x, y))
        b.equations.append(Equation(SELECT, NONE, inputs, equation.outputs, equation.span))
    else:
        b.equations.append(Equation(MUL, NONE, (x, y), equation.outputs, equation.span))


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
    return reduce(and_, known, ZERO) | WILD


def _converted(equation: Equation, known: Facts) -> int:
    return ZERO if equation.inputs[0].type.dtype.is_bool else known[0] | WILD


def _scattered(equation: Equation, known: Facts) -> int:
    """Sums into a value: zero by selection where that is."""
    return reduce(or_, known) | WILD if known[0] & ZERO else WILD


def _convolved(equation: Equation, known: Facts) -> int:
    image, kernel = [x.type for x in equation.inputs]
    holes = has_holes(cast(ConvParams, equation.params), image, kernel)
    return reduce(or_, known, ANYTHING if holes else WILD)


def _with_holes(equation: Equation, known: Facts) -> int:
    """Linear, with zeros of its own where nothing arrives."""
    return ANYTHING


MOVES: Sequence[str] = (
    *("broadcast_in_dim", "reshape", "transpose", "rev", "neg", "real", "imag", "complex", "conj", "select"),
    *("slice", "pad", "concatenate", "gather", "scatter_set", "dynamic_slice", "dynamic_update_slice"),
    *("stop_gradient", "optimization_barrier", "checkpoint_name"),
)
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        **dict.fromkeys(MOVES, _moved),
        "add": _summed,
        "sub": _summed,
        "convert": _converted,
        "scatter_add": _scattered,
        "conv_general": _convolved,
        "fft": _with_holes,
        "ppermute": _with_holes,
    }
)
