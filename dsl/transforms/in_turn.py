"""A map whose elements cannot be computed together, since each decides sizes of its own: a loop over them.

Knows `scan` alone. Read next: `vmap`, which falls back on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.build import Builder
from dsl.ir.function import Atom, Function, Tensor
from dsl.ops.control.scan import SCAN, ScanParams
from dsl.ops.layout import move_axis


def in_turn(function: Function, places: Sequence[int | None], targets: Sequence[int], size: int) -> Function:
    """`function` mapped over a new axis of `size`, at `places` of its parameters and at `targets` of its results."""
    b, shared, lines = Builder(), list[Atom](), list[Atom]()
    for param, place in zip(function.params, places, strict=True):
        shape = param.type.shape
        if place is None:
            shared.append(b.param(param.type))
        else:
            whole = b.param(Tensor(param.type.dtype, (*shape[:place], size, *shape[place:])))
            lines.append(move_axis(b, whole, place, 0))
    order = sorted(zip(function.params, places, strict=True), key=lambda each: each[1] is not None)
    body = Function(function.name, tuple([p for p, _ in order]), function.equations, function.results)
    outs = SCAN(b, ScanParams(body, len(shared), 0, size), *shared, *lines)
    return b.finish(function.name, [move_axis(b, y, 0, target) for y, target in zip(outs, targets, strict=True)])
