"""Local rewrites that change no value: folding of literals, neutral operands, moves of moves.

One pass in order of dependence; a rule sees the operands as they have become, and the equations that made
them. A rewrite is allowed only if it is exact for every input, nan, infinities and the sign of zero
included, with one exception: `scale`, the product that only derivatives use, may lose the sign of a zero.
Rules are a table from the name of an op to a function. Read next: `cse`.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias, cast

import numpy as np

from dsl.ir.function import Atom, Equation, Function, Literal, Tensor, Var
from dsl.ir.op import NONE, Op
from dsl.ops.control.branch import CondParams
from dsl.ops.control.call import CALL, CallParams
from dsl.ops.elementwise import ADD, DIV, MUL, NEG, SUB, CompareParams, DTypeParams
from dsl.ops.layout import BroadcastParams, PermutationParams
from dsl.ops.rule import splat, zeros
from dsl.transforms.memo import Memo
from dsl.transforms.nested import innermost_first, map_bodies
from dsl.types.dtype import F32, F64

Defs: TypeAlias = "dict[Atom, Equation]"
Atoms: TypeAlias = tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Instead:
    """Another equation for the same output."""

    op: Any
    params: Any
    inputs: Atoms


Rewrite: TypeAlias = "Atom | Instead | None"
Rule: TypeAlias = Callable[[Any, Atoms, Var, "dict[Atom, Equation]"], Rewrite]


def simplify(function: Function, memo: Memo | None = None) -> Function:
    """`function` with every local rewrite applied once, at every depth."""
    table = memo or Memo()
    for body in innermost_first(function):
        _once(body, table)
    return _once(function, table)


def _once(function: Function, memo: Memo) -> Function:
    return memo.once(("simplify", function), lambda: _simplify(function, memo))


def _simplify(function: Function, memo: Memo) -> Function:
    values: dict[Atom, Atom] = {}
    defs: dict[Atom, Equation] = {}
    equations: list[Equation] = []
    rules = RULES
    changed = False
    for equation in function.equations:
        inputs = equation.inputs
        if values:
            inputs = tuple([values.get(x, x) if x.__class__ is Var else x for x in inputs])
            if inputs != equation.inputs:
                equation = Equation(equation.op, equation.params, inputs, equation.outputs, equation.span)
        rule = rules.get(equation.op.name)
        if rule is not None:
            found = rule(equation.params, inputs, equation.outputs[0], defs)
            while isinstance(found, Instead):
                equation = Equation(found.op, found.params, found.inputs, equation.outputs, equation.span)
                again = rules.get(found.op.name)
                found = again and again(found.params, found.inputs, equation.outputs[0], defs)
            if found is not None:
                values[equation.outputs[0]] = found
                changed = True
                continue
        elif equation.op.__class__ is not Op:
            equation, renamed = _region(equation, memo)
            if renamed is not None:
                values.update(zip(equation.outputs, renamed, strict=True))
                changed = True
                continue
        equations.append(equation)
        for y in equation.outputs:
            defs[y] = equation
    if not changed and all(a is b for a, b in zip(equations, function.equations, strict=True)):
        return function
    results = tuple([values.get(r, r) if r.__class__ is Var else r for r in function.results])
    return Function(function.name, function.params, tuple(equations), results)


def _region(equation: Equation, memo: Memo) -> tuple[Equation, Atoms | None]:
    """An op with simpler bodies, and what its outputs are if it has become nothing but names."""
    params = map_bodies(equation, lambda body: _once(body, memo))
    op, inputs = equation.op, equation.inputs
    if op.name == "cond" and isinstance(inputs[0], Literal):
        branches = cast(CondParams, params).branches
        index = int(inputs[0].value.real)
        branch = branches[index if 0 <= index < len(branches) else -1]
        op, params, inputs = CALL, CallParams(branch), inputs[1:]
    if params is not equation.params:
        equation = Equation(op, params, inputs, equation.outputs, equation.span)
    if op is CALL and not cast(CallParams, params).function.equations:
        body = cast(CallParams, params).function
        given: dict[Atom, Atom] = dict(zip(body.params, inputs, strict=True))
        return equation, tuple([given[r] if isinstance(r, Var) else r for r in body.results])
    return equation, None


# --- literals ---------------------------------------------------------------------------------------------


def _is(x: Atom, value: float) -> bool:
    return isinstance(x, Literal) and x.value == value


def _signed_zero(x: Atom, sign: float) -> bool:
    """Whether `x` is a zero that is neutral for a sum: of this sign, or of a dtype without signs of zero."""
    if not isinstance(x, Literal) or x.value != 0 or x.type.dtype.is_complex:
        return False
    return not x.type.dtype.is_float or math.copysign(1.0, float(x.value.real)) == sign


def _python(value: Any, type: Tensor) -> Literal:
    """A NumPy scalar as a literal."""
    dtype = type.dtype
    if dtype.is_complex:
        return Literal(complex(value), type)
    if dtype.is_float:
        return Literal(float(value), type)
    return Literal(bool(value) if dtype.is_bool else int(value), type)


def _folded(op: Op[Any], params: Any, xs: Atoms, y: Var) -> Literal | None:
    """The value of an elementwise op on splats, computed on one element."""
    arrays, types = [], []
    for x in xs:
        if not isinstance(x, Literal):
            return None
        arrays.append(np.asarray(x.value, x.type.dtype.numpy))
        types.append(Tensor(x.type.dtype))
    (found,) = op.evaluate(params, tuple(types), *arrays)
    return _python(found[()], y.type)


# --- arithmetic -------------------------------------------------------------------------------------------


def _add(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    a, b = xs
    if _signed_zero(b, -1.0):
        return a
    if _signed_zero(a, -1.0):
        return b
    for one, other in ((a, b), (b, a)):
        made = defs.get(other) if isinstance(other, Var) else None
        if made is not None and made.op is NEG:
            return Instead(SUB, NONE, (one, made.inputs[0]))
    return _folded(ADD, params, xs, y)


def _sub(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    a, b = xs
    if _signed_zero(b, 1.0):
        return a
    made = defs.get(b) if isinstance(b, Var) else None
    if made is not None and made.op is NEG:
        return Instead(ADD, NONE, (a, made.inputs[0]))
    return _folded(SUB, params, xs, y)


def _neg(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (a,) = xs
    made = defs.get(a) if isinstance(a, Var) else None
    if made is not None and made.op is NEG:
        return made.inputs[0]
    return _folded(NEG, params, xs, y)


def _mul(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    a, b = xs
    for one, other in ((a, b), (b, a)):
        if isinstance(other, Literal):
            if other.value == 1:
                return one
            if other.value == 0 and other.type.dtype.is_integer:
                return other
            if other.value == -1 and not other.type.dtype.is_complex:
                return Instead(NEG, NONE, (one,))
    return _folded(MUL, params, xs, y)


def _scale(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    for one, other in (xs, xs[::-1]):
        if isinstance(other, Literal):
            if other.value == 0:
                return zeros(y.type)
            if cmath.isfinite(other.value):
                return Instead(MUL, NONE, (one, other))
    return None


def _div(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    """One correctly rounded division is the same wherever it is done."""
    if _is(xs[1], 1):
        return xs[0]
    return _folded(DIV, params, xs, y) if y.type.dtype in (F32, F64) else None


def _compare(params: CompareParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    if isinstance(xs[0], Literal) and isinstance(xs[1], Literal):
        a, b = xs[0].value, xs[1].value
        if params.direction in ("eq", "ne"):
            return splat((a == b) == (params.direction == "eq"), y.type)
        if isinstance(a, complex) or isinstance(b, complex):
            return None
        found = {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[params.direction]
        return splat(found, y.type)
    return None


def _select(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    pred, a, b = xs
    if isinstance(pred, Literal):
        return a if pred.value else b
    if a is b or (isinstance(a, Literal) and isinstance(b, Literal) and a.key == b.key):
        return a
    return None


def _convert(params: DTypeParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if x.type.dtype == params.dtype:
        return x
    if isinstance(x, Literal):
        with np.errstate(all="ignore"):
            return _fold_convert(x, y)
    return None


def _fold_convert(x: Literal, y: Var) -> Literal | None:
    source, target = x.type.dtype, y.type.dtype
    if source.is_complex or (target.is_integer and not source.is_integer and not source.is_bool):
        return None
    return _python(np.asarray(x.value, source.numpy).astype(target.numpy)[()], y.type)


# --- moves ------------------------------------------------------------------------------------------------


def _made(x: Atom, name: str, defs: Defs) -> Equation | None:
    made = defs.get(x) if isinstance(x, Var) else None
    return made if made is not None and made.op.name == name else None


def _moved(x: Atom, y: Var) -> Rewrite:
    """A splat stays one however it is moved; a move to the same shape that keeps the order is none."""
    return Literal(x.value, y.type) if isinstance(x, Literal) else None


def _reshape(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if x.type == y.type:
        return x
    made = _made(x, "reshape", defs)
    if made is not None:
        inner = made.inputs[0]
        return inner if inner.type == y.type else Instead(made.op, params, (inner,))
    return _moved(x, y)


def _transpose(params: PermutationParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if params.permutation == tuple(range(len(params.permutation))):
        return x
    made = _made(x, "transpose", defs)
    if made is not None:
        before = cast(PermutationParams, made.params).permutation
        both = PermutationParams(tuple([before[a] for a in params.permutation]))
        return Instead(made.op, both, made.inputs)
    return _moved(x, y)


def _broadcast(params: BroadcastParams, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    (x,) = xs
    if x.type == y.type:
        return x
    made = _made(x, "broadcast_in_dim", defs)
    if made is not None:
        before = cast(BroadcastParams, made.params).dims
        both = BroadcastParams(params.shape, tuple([params.dims[d] for d in before]))
        return Instead(made.op, both, made.inputs)
    return _moved(x, y)


def _rev(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    made = _made(xs[0], "rev", defs)
    if made is not None and made.params == params:
        return made.inputs[0]
    return _moved(xs[0], y)


def _slice(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    return xs[0] if xs[0].type == y.type else _moved(xs[0], y)


def _reduce_sum(params: Any, xs: Atoms, y: Var, defs: Defs) -> Rewrite:
    if not params.axes:
        return xs[0]
    x = xs[0]
    return zeros(y.type) if isinstance(x, Literal) and x.value == 0 else None


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "add": _add,
        "sub": _sub,
        "neg": _neg,
        "mul": _mul,
        "scale": _scale,
        "div": _div,
        "compare": _compare,
        "select": _select,
        "convert": _convert,
        "reshape": _reshape,
        "transpose": _transpose,
        "broadcast_in_dim": _broadcast,
        "rev": _rev,
        "slice": _slice,
        "reduce_sum": _reduce_sum,
    }
)
