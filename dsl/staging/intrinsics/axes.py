"""Static axes against the rank at hand. The checker knows the rank of most arrays; where a function is written
for any rank and its axis comes from Python, this is the first place that sees both.

Read next: `dsl.staging.intrinsics.shapes`.
"""

from __future__ import annotations

from dsl.diagnostics.diagnostic import DslError
from dsl.ir.build import Builder
from dsl.staging.errors import staging_error
from dsl.staging.values import Value, as_int, as_ints


def no_axis(b: Builder, message: str) -> DslError:
    """E0403 at the place being staged."""
    assert b.span is not None
    return staging_error("E0403", message, b.span)


def axis_of(b: Builder, axis: Value, rank: int) -> int:
    """One axis counted from the front; E0403 where there is none."""
    found = as_int(axis)
    if not -rank <= found < rank:
        have = f"its axes are 0 to {rank - 1}, or -{rank} to -1" if rank else "it has none"
        raise no_axis(b, f"axis {found} is out of range for an array of rank {rank} ({have})")
    return found % rank


def axes_in_order(b: Builder, axes: Value, rank: int) -> tuple[int, ...]:
    """Axes counted from the front, as given; each at most once."""
    found = tuple([axis_of(b, axis, rank) for axis in as_ints(axes)])
    if len(set(found)) < len(found):
        raise no_axis(b, f"repeated axis in {as_ints(axes)}")
    return found


def axes_of(b: Builder, axis: Value, rank: int) -> tuple[int, ...]:
    """Axes counted from the front, sorted; none means all."""
    return tuple(range(rank)) if axis is None else tuple(sorted(axes_in_order(b, axis, rank)))
