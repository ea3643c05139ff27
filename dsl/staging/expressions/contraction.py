"""`@`, `dot`, `tensordot` and `einsum` as sums of products. Knows axes only, not Core."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.build import Builder
from dsl.ir.function import Atom
from dsl.ops import builders
from dsl.ops.contract import DOT_GENERAL, DotParams


def general(
    b: Builder,
    x: Atom,
    y: Atom,
    contract: tuple[Sequence[int], Sequence[int]],
    batch: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> Atom:
    """Axes of the result: the batch ones, the free ones of x, the free ones of y."""
    params = DotParams(tuple(contract[0]), tuple(contract[1]), tuple(batch[0]), tuple(batch[1]), x.type.dtype)
    return DOT_GENERAL(b, params, x, y)[0]


def matmul(b: Builder, x: Atom, y: Atom) -> Atom:
    """NumPy's `@`: vectors contract their one axis, leading axes broadcast."""
    rank_x, rank_y = x.type.rank, y.type.rank
    if rank_x <= 2 and rank_y <= 2:
        return general(b, x, y, ((rank_x - 1,), (max(rank_y - 2, 0),)))
    if rank_y == 1:
        return general(b, x, y, ((rank_x - 1,), (0,)))
    if rank_x == 1:
        return general(b, x, y, ((0,), (rank_y - 2,)))
    return _batched(b, x, y)


def _batched(b: Builder, x: Atom, y: Atom) -> Atom:
    rank = max(x.type.rank, y.type.rank) - 2
    lead_x, lead_y = x.type.shape[:-2], y.type.shape[:-2]
    if not lead_x or not lead_y:
        if not lead_y:
            return general(b, x, y, ((x.type.rank - 1,), (0,)))
        raw = general(b, x, y, ((1,), (rank,)))
        return builders.move_axis(b, raw, 0, rank)
    lead = _leading(lead_x, lead_y)
    x = builders.broadcast_to(b, x, (*lead, *x.type.shape[-2:]))
    y = builders.broadcast_to(b, y, (*lead, *y.type.shape[-2:]))
    axes = tuple(range(rank))
    return general(b, x, y, ((rank + 1,), (rank,)), (axes, axes))


def _leading(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    long, short = (x, y) if len(x) >= len(y) else (y, x)
    head = len(long) - len(short)
    paired = [b if a == 1 else a for a, b in zip(long[head:], short, strict=True)]
    return (*long[:head], *paired)


def tensordot(b: Builder, x: Atom, y: Atom, left: Sequence[int], right: Sequence[int]) -> Atom:
    return general(b, x, y, (left, right))
