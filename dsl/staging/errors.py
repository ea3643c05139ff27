"""Errors that only staging can find: budgets, and what transformations refuse. Data in, `DslError` out.

A program that checks fails here with nothing else; every other failure is a bug of the compiler.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from dsl.diagnostics.diagnostic import Diagnostic, DslError, Label, error_for
from dsl.diagnostics.message import Help
from dsl.diagnostics.source import Span
from dsl.types.limits import AXES, BITS, EQUATIONS, Exceeded, Growth

SHOWN = 8


_GROWTH: Mapping[Growth, str] = MappingProxyType(
    {
        Growth.INTEGER: f"static integer is too large: more than {BITS:,} bits",
        Growth.FLOAT: "static integer is too large for a float",
        Growth.AXES: f"array has too many axes: more than {AXES}",
        Growth.EQUATIONS: f"function is too large: more than {EQUATIONS:,} operations",
    }
)


def too_large(found: Exceeded, span: Span, chain: Sequence[tuple[str, Span]]) -> DslError:
    """A static value that cannot be computed with."""
    return staging_error("E0506", _GROWTH.get(found.growth, "static value is too large"), span, chain=chain)


def staging_error(
    code: str,
    message: str,
    span: Span,
    label: str = "",
    chain: Sequence[tuple[str, Span]] = (),
    notes: Sequence[str] = (),
    help: Sequence[Help] = (),
) -> DslError:
    """`chain` lists the calls that led here, outermost first; the middle of a long one is left out."""
    steps = [f"called from {name} at {span!r}" for name, span in reversed(chain)]
    if len(steps) > SHOWN:
        half = SHOWN // 2
        steps = [*steps[:half], f"… {len(steps) - SHOWN} more calls …", *steps[-half:]]
    return error_for([Diagnostic(code, message, Label(span, label), notes=(*notes, *steps), help=tuple(help))])
