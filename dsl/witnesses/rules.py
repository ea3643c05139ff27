"""Rules of derivatives, held against what a derivative is: linear in the tangents, beside a value without them.

One evaluation refutes it. A linear function of t is -f(t) at -t and 2 f(t) at 2 t, exactly, for floats too; and what it
is of a sum, up to rounding, is the sum of what it is. Read next: `dsl.interp`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from dsl.diagnostics.source import Span
from dsl.interp import evaluate, evaluate_watched
from dsl.ir.function import Equation, Function, Tensor

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
TOLERANCE = 1e-2
SEEDS = 4
"""So many points are tried."""


class Fault(Struct, frozen=True):
    """What is wrong with a rule, and the operation at which it becomes so."""

    text: str
    place: Span | None


def fault_of(rule: Function, values: int, tangents: int) -> Fault | None:
    """Find out what is wrong with a rule, by an example: its last parameters are `tangents`, its results `values`, then
    tangents."""
    places = range(len(rule.params) - tangents, len(rule.params))
    for seed in range(SEEDS):
        found = _fault(rule, places, values, np.random.default_rng(seed))
        if found is not None:
            return found
    return None


def _fault(rule: Function, places: range, values: int, rng: np.random.Generator) -> Fault | None:
    sign = rng.choice([-1.0, 1.0])
    point = [_sample(p.type, rng, sign) for p in rule.params[: places.start]]
    one, other = ([_sample(p.type, rng, 3.0) for p in rule.params[places.start :]] for _ in range(2))
    with np.errstate(all="ignore"):
        runs = [evaluate(rule, [*point, *ts]) for ts in _tangents(one, other)]
        kept = [all(_same(run[k], runs[0][k]) for run in runs) for k in range(values)]
        if not all(kept):
            return Fault("depends on the tangents, and belongs to the value", _place(rule, point, one, other))
        for k in range(values, len(rule.results)):
            fault = _nonlinear([run[k] for run in runs])
            if fault is not None:
                return Fault(fault, _place(rule, point, one, other))
    return None


def _tangents(one: Arrays, other: Arrays) -> list[list[Array]]:
    """Nothing, t, -t, 2 t, u, and t + u."""
    scaled = [[(x * factor).astype(x.dtype) for x in one] for factor in (0, 1, -1, 2)]
    return [*scaled, [*other], [(x + y).astype(x.dtype) for x, y in zip(one, other, strict=True)]]


def _nonlinear(runs: Arrays) -> str | None:
    """Say how a value depends on the tangents of several runs, if it is not linear in them."""
    zero, one, minus, double, other, both = runs
    if not all(np.all(np.isfinite(run)) for run in runs):
        return None
    if np.any(zero != 0):
        return "does not depend on the tangents" if _same(zero, one) else "not linear in the tangents"
    if not (_same(minus, -one) and _same(double, 2 * one) and _close(both, one + other)):
        return "not linear in the tangents"
    return None


def _place(rule: Function, point: Arrays, one: Arrays, other: Arrays) -> Span | None:
    """The first operation whose results are neither linear in the tangents nor free of them."""
    seen: list[list[tuple[Equation, Sequence[Array]]]] = []
    for tangents in _tangents(one, other):
        noted: list[tuple[Equation, Sequence[Array]]] = []

        def watch(equation: Equation, xs: Arrays, compute: Any, noted: Any = noted) -> tuple[Array, ...]:
            found: tuple[Array, ...] = compute()
            noted.append((equation, found))
            return found

        evaluate_watched(rule, [*point, *tangents], watch)
        seen.append(noted)
    own = set(rule.equations)
    for steps in zip(*[[each for each in noted if each[0] in own] for noted in seen], strict=False):
        equation = steps[0][0]
        for k in range(len(equation.outputs)):
            values = [outs[k] for _, outs in steps]
            alike = all(_same(value, values[0]) for value in values)
            if not alike and equation.span is not None and _nonlinear(values) is not None:
                return None if equation.span.source.in_library else equation.span
    return None


def _same(left: Array, right: Array) -> bool:
    return bool(np.array_equal(left, right, equal_nan=np.issubdtype(left.dtype, np.inexact)))


def _close(left: Array, right: Array) -> bool:
    scale = np.max(np.abs(right), initial=0.0) + np.max(np.abs(left), initial=0.0)
    return bool(np.all(np.abs(left - right) <= TOLERANCE * scale))


def _sample(type_: Tensor, rng: np.random.Generator, scale: float) -> Array:
    dtype = type_.dtype
    if dtype.is_bool:
        return np.asarray(rng.integers(0, 2, type_.shape), dtype.numpy)
    if not dtype.is_inexact:
        return np.asarray(np.ones(type_.shape), dtype.numpy)
    return np.asarray(rng.uniform(0.5, 1.5, type_.shape) * scale).astype(dtype.numpy)
