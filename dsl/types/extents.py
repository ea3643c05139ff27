"""Sizes where integers are asked for: one that a run decides stands there itself. Read next: `dsl.ir.sizes`."""

from __future__ import annotations

from typing import cast

from dsl.types.size import Size


def decided(size: Size) -> int | None:
    """Return the integer that a size is, or the size, as one, if a run decides it; None if neither."""
    known = size.constant
    if known is not None:
        return known
    return cast("int", size) if all(var.bound is not None for var in size.vars()) else None
