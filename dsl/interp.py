"""The reference evaluator: a function of the IR run op by op over NumPy arrays.

The oracle of the tests and what `.interpret()` and debuggers call. It knows no op: each op's `evaluate` rule does the
work, and ops with bodies are given this evaluator to run them. Where data decide a size, arrays have the size of the
run, and what is behind is evaluated for it: there is no padding here. Read next: `dsl.ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import numpy as np

from dsl.ir.function import Atom, Equation, Function, Literal, Var
from dsl.ir.op import Op
from dsl.ir.sizes import decided_in, known_sizes, traced_axes
from dsl.types.size import Size, SizeVar

Array = np.ndarray[Any, Any]


def evaluate(function: Function, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The results of `function` on `arrays`, which must have exactly the types of its parameters."""
    return _run_deciding(function, *arrays) if decided_in(function) else _run(function, *arrays)


Watch: TypeAlias = Callable[[Equation, Sequence[Array], Callable[[], tuple[Array, ...]]], tuple[Array, ...]]
"""Called for each equation, in bodies too, with its operands and what computes it; gives the results."""


def evaluate_watched(function: Function, arrays: Sequence[Array], watch: Watch) -> tuple[Array, ...]:
    """The results of `function` on `arrays`, every equation of which is evaluated by `watch`."""
    sizes = _Sizes({}) if decided_in(function) else None

    def apply(equation: Equation, xs: Sequence[Array]) -> tuple[Array, ...]:
        return watch(equation, xs, lambda: _applied(equation, xs, run))

    def run(body: Function, *xs: Array) -> tuple[Array, ...]:
        return _evaluated(body, xs, None if sizes is None else _Sizes({}), apply)

    return _evaluated(function, arrays, sizes, apply)


def _run(function: Function, *arrays: Array) -> tuple[Array, ...]:
    """Run a function, such as a body of a region op, in which no size is decided."""
    return _evaluated(function, arrays, None, _apply)


def _run_deciding(function: Function, *arrays: Array) -> tuple[Array, ...]:
    """Run a function in which sizes are decided, or in whose place they are."""
    return _evaluated(function, arrays, _Sizes({}), _apply_deciding)


Apply: TypeAlias = Callable[[Equation, Sequence[Array]], tuple[Array, ...]]


def _evaluated(function: Function, arrays: Sequence[Array], sizes: _Sizes | None, apply: Apply) -> tuple[Array, ...]:
    env: dict[Var, Array] = dict(zip(function.params, arrays, strict=True))

    def read(x: Atom) -> Array:
        return splat_array(x if sizes is None else sizes.of(x)) if isinstance(x, Literal) else env[x]

    for equation in function.equations:
        known = equation if sizes is None else sizes.known(equation)
        results = apply(known, [read(x) for x in equation.inputs])
        if sizes is not None:
            sizes.decide(equation.outputs, results)
        env.update(zip(equation.outputs, results, strict=True))
    return tuple(read(x) for x in function.results)


class _Sizes:
    """The sizes that a run has decided so far."""

    def __init__(self, values: dict[SizeVar, int]) -> None:
        self._values = values
        self._resized = known_sizes(values)

    def of(self, x: Literal) -> Literal:
        return cast("Literal", self._resized.atom(x))

    def known(self, equation: Equation) -> Equation:
        """The equation for these sizes."""
        inputs = [Var(self._resized.type(x.type)) for x in equation.inputs]
        return Equation(equation.op, self._resized.any(equation.params), tuple(inputs), equation.outputs, equation.span)

    def decide(self, outputs: Sequence[Var], results: Sequence[Array]) -> None:
        """Take new sizes from the arrays that have them."""
        for output, result in zip(outputs, results, strict=True):
            for axis in traced_axes(output.type):
                var = cast("Size", output.type.shape[axis]).as_atom()
                if isinstance(var, SizeVar):
                    self._values.setdefault(var, result.shape[axis])


def _apply(equation: Equation, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return _applied(equation, arrays, _run)


def _apply_deciding(equation: Equation, arrays: Sequence[Array]) -> tuple[Array, ...]:
    return _applied(equation, arrays, _run_deciding)


def _applied(equation: Equation, arrays: Sequence[Array], run: Callable[..., tuple[Array, ...]]) -> tuple[Array, ...]:
    op, params = equation.op, equation.params
    if isinstance(op, Op):
        return op.evaluate(params, tuple(x.type for x in equation.inputs), *arrays)
    return op.evaluate(run, params, *arrays)


def splat_array(x: Literal) -> Array:
    return np.full(x.type.shape, x.value, x.type.dtype.numpy)
