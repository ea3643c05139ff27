"""Small bodies of reductions, scatters and sorts: a combination of two scalars, an order of scalars.

Knows no op of ours. Read next: `reduce`, `index`, `sort`, which use them.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsl.ir.function import Tensor
from dsl.types.dtype import BOOL
from lowering.stablehlo.context import Context
from lowering.stablehlo.elementwise import comparison

TRUTH = Tensor(BOOL)


def block(inner: Context, names: Sequence[str], types: Sequence[Tensor], end: str) -> str:
    """A block with these arguments, the lines written so far, and its last line."""
    header = ", ".join([f"{name}: {inner.type(type)}" for name, type in zip(names, types, strict=True)])
    return "\n".join([f"^bb0({header}):", *inner.lines, end])


def combination(cx: Context, spelling: str | None, element: Tensor) -> str:
    """The body that combines two elements by one operation, or (None) leaves the second."""
    inner = cx.child()
    x, y = inner.fresh(), inner.fresh()
    text = inner.type(element)
    total = y if spelling is None else inner.emit(f"stablehlo.{spelling} {x}, {y} : {text}")
    return block(inner, (x, y), (element, element), f"stablehlo.return {total} : {text}")


def extreme(cx: Context, direction: str, x: str, y: str, element: Tensor) -> tuple[str, str]:
    """Return two flags: x is the more extreme of the two, and they are equal; nan exceeds every number."""
    first, same = comparison(cx, direction, x, y, element), comparison(cx, "eq", x, y, element)
    if not element.dtype.is_float:
        return first, same
    x_nan, y_nan = comparison(cx, "ne", x, x, element), comparison(cx, "ne", y, y, element)
    both = logic(cx, "and", x_nan, y_nan)
    return logic(cx, "or", first, logic(cx, "xor", x_nan, both)), logic(cx, "or", same, both)


def before(cx: Context, direction: str, x: str, y: str, element: Tensor) -> tuple[str, str]:
    """Return two flags: x precedes y in ascending (lt) or descending (gt) order, and they are equal; nan is the largest
    number."""
    if direction == "gt":
        return extreme(cx, "gt", x, y, element)
    after, same = extreme(cx, "gt", x, y, element)
    neither = logic(cx, "or", after, same)
    return cx.emit(f"stablehlo.not {neither} : {cx.type(TRUTH)}"), same


def logic(cx: Context, spelling: str, x: str, y: str) -> str:
    return cx.emit(f"stablehlo.{spelling} {x}, {y} : {cx.type(TRUTH)}")
