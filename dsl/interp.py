"""The reference evaluator: a function of the IR run op by op over NumPy arrays.

The oracle of the tests and what `.interpret()` calls. It knows no op: each op's `evaluate` rule does the
work, and ops with bodies are given this evaluator to run them. Read next: `dsl.ops`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dsl.ir.function import Atom, Equation, Function, Literal, Var
from dsl.ir.op import Op

Array = np.ndarray[Any, Any]


def evaluate(function: Function, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The results of `function` on `arrays`, which must have exactly the types of its parameters."""
    env: dict[Var, Array] = dict(zip(function.params, arrays, strict=True))

    def read(x: Atom) -> Array:
        return splat_array(x) if isinstance(x, Literal) else env[x]

    for equation in function.equations:
        results = _apply(equation, [read(x) for x in equation.inputs])
        env.update(zip(equation.outputs, results, strict=True))
    return tuple(read(x) for x in function.results)


def _apply(equation: Equation, arrays: Sequence[Array]) -> tuple[Array, ...]:
    op, params = equation.op, equation.params
    if isinstance(op, Op):
        return op.evaluate(params, tuple(x.type for x in equation.inputs), *arrays)
    return op.evaluate(_run, params, *arrays)


def _run(body: Function, *arrays: Array) -> tuple[Array, ...]:
    """Run a body for a region op."""
    return evaluate(body, arrays)


def splat_array(x: Literal) -> Array:
    return np.full(x.type.shape, x.value, x.type.dtype.numpy)
