"""Rules of derivatives, held against what a derivative is: linear in the tangents, beside a value without them.

One evaluation refutes it. A linear function of t is -f(t) at -t and 2 f(t) at 2 t, exactly, for floats too; and what it
is of a sum, up to rounding, is the sum of what it is. Nothing is printed, and no function of Python called. Read next:
`dsl.interp`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.interp import evaluate_watched
from dsl.ir.function import Equation, Function, Tensor
from dsl.ir.op import Op
from dsl.ir.region import CannotTransform
from dsl.ir.sizes import traced_axes
from dsl.transforms.vmap import vmap

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
Step = tuple[Equation, Arrays, Arrays]
"""An equation with its operands and its results."""

TOLERANCE, OF_TWO_BYTES = 1e-2, 0.3
"""Of a sum, whose parts may cancel; floats of two bytes have three digits."""
SCALES = (1.0, -1.0, 3.0, -3.0, 0.0)
"""Points of about these values are tried."""
NOT_LINEAR, NO_TANGENT, IN_VALUE = (
    "not linear in the tangents",
    "does not depend on the tangents",
    "depends on the tangents, and belongs to the value",
)


class Fault(Struct, frozen=True):
    """Return the fault of a rule, and the operation that causes it."""

    text: str
    place: Span | None


def fault_of(rule: Function, values: int, tangents: int, axes: Mapping[str, int]) -> Fault | None:
    """Find out what is wrong with a rule, by an example: its last parameters are `tangents`, its results `values`, then
    tangents. It may speak over named `axes`."""
    if any(traced_axes(p.type) for p in rule.params):
        return None  # of a size that a run decides
    try:
        for name, size in axes.items():
            rule = vmap(rule, (0,) * len(rule.params), (0,) * len(rule.results), size, name=name)
    except CannotTransform:
        return None  # what the map is refused for is told of where it is mapped
    for seed, scale in enumerate(SCALES):
        with np.errstate(all="ignore"):
            found = _Example(rule, len(rule.params) - tangents, np.random.default_rng(seed), scale).fault(values)
        if found is not None:
            return found
    return None


class _Example:
    """A rule at one point, for no tangents, for t, -t, 2 t, u and t + u, and for what is no number."""

    def __init__(self, rule: Function, first: int, rng: np.random.Generator, scale: float) -> None:
        point = [_sample(p.type, rng, scale) for p in rule.params[:first]]
        one, other = ([_sample(p.type, rng, 3.0) for p in rule.params[first:]] for _ in range(2))
        scaled = [[(x * factor).astype(x.dtype) for x in one] for factor in (0, 1, -1, 2)]
        nothing = [np.full_like(x, np.nan) for x in one]
        both = [(x + y).astype(x.dtype) for x, y in zip(one, other, strict=True)]
        self._rule = rule
        self._steps: list[list[Step]] = []
        self._runs = [self._run([*point, *tangents]) for tangents in (*scaled, other, both, nothing)]

    def fault(self, values: int) -> Fault | None:
        """Say what is wrong with the results, of which the first are `values`."""
        results = [[run[k] for run in self._runs] for k in range(len(self._rule.results))]
        texts = [IN_VALUE for runs in results[:values] if _moves(runs)]
        texts += [text for runs in results[values:] if (text := _nonlinear(runs)) is not None]
        texts += [NOT_LINEAR for runs in self._shown() if _moves(runs)]
        return Fault(texts[0], self._place()) if texts else None

    def _run(self, arrays: Arrays) -> Arrays:
        noted: list[Step] = []
        self._steps.append(noted)

        def watch(equation: Equation, xs: Arrays, compute: Callable[[], tuple[Array, ...]]) -> tuple[Array, ...]:
            found = _zeros(equation) if _has_effect(equation) else compute()
            noted.append((equation, xs, found))
            return found

        return evaluate_watched(self._rule, arrays, watch)

    def _shown(self) -> list[list[Array]]:
        """The operands of effects, run by run."""
        shown = [[x for equation, xs, _ in steps if _has_effect(equation) for x in xs] for steps in self._steps]
        return [list(runs) for runs in zip(*shown, strict=False)]

    def _place(self) -> Span | None:
        """The first operation whose results are neither linear in the tangents nor free of them."""
        own = set(self._rule.equations)
        for steps in zip(*[[step for step in steps if step[0] in own] for steps in self._steps], strict=False):
            for runs in zip(*[found for _, _, found in steps], strict=True):
                span = steps[0][0].span
                if span is not None and _moves(runs) and _nonlinear(runs) is not None:
                    return None if span.source.in_library else span
        return None


def _has_effect(equation: Equation) -> bool:
    return isinstance(equation.op, Op) and equation.op.effect is not None


def _zeros(equation: Equation) -> tuple[Array, ...]:
    return tuple([np.zeros(y.type.shape, y.type.dtype.numpy) for y in equation.outputs])


def _moves(runs: Arrays) -> bool:
    """Return whether a value depends on the tangents of several runs."""
    return not all(_same(run, runs[0]) for run in runs)


def _nonlinear(runs: Arrays) -> str | None:
    """Say how a value depends on the tangents of several runs, if it is not linear in them."""
    zero, one, minus, double, other, both, _ = runs
    if not _is_inexact(zero):
        return NOT_LINEAR if _moves(runs) else None
    if any(np.any(np.isnan(run)) for run in runs[:-1]):
        return None
    if np.any(zero != 0):
        return NO_TANGENT if _same(zero, one) else NOT_LINEAR
    if not (_same(minus, -one) and _same(double, 2 * one) and _close(both, one + other)):
        return NOT_LINEAR
    return None


def _same(left: Array, right: Array) -> bool:
    return bool(np.array_equal(left, right, equal_nan=_is_inexact(left)))


def _is_inexact(x: Array) -> bool:
    return x.dtype.kind not in "biu"


def _close(left: Array, right: Array) -> bool:
    scale = np.max(np.abs(right), initial=0.0) + np.max(np.abs(left), initial=0.0)
    tolerance = OF_TWO_BYTES if left.dtype.itemsize == 2 else TOLERANCE
    return bool(not np.isfinite(scale) or np.all(np.abs(left - right) <= tolerance * scale))


def _sample(type_: Tensor, rng: np.random.Generator, scale: float) -> Array:
    dtype = type_.dtype
    if dtype.is_bool:
        return np.asarray(rng.integers(0, 2, type_.shape), dtype.numpy)
    if not dtype.is_inexact:
        return np.asarray(np.ones(type_.shape), dtype.numpy)
    return np.asarray(rng.uniform(0.5, 1.5, type_.shape) * scale).astype(dtype.numpy)
