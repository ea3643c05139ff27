"""The values of numbers and texts as they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.syntax import errors

MAX_DIGITS = 1000
"""The longest number that is read; Python itself refuses to convert much longer ones."""

_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SIMPLE: Mapping[str, str] = MappingProxyType(
    {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}
)


def decode_number(text: str, span: Span, report: Callable[[Diagnostic], None]) -> int | float | complex:
    """The value of a number; one that cannot be represented is reported and stands as 0."""
    if len(text) > MAX_DIGITS:
        report(errors.number_too_large(span, f"numbers have at most {MAX_DIGITS} digits"))
        return 0
    if text[:2] in ("0x", "0X"):
        return int(text, 16)
    imaginary = text.endswith("j")
    digits = text[:-1] if imaginary else text
    if not imaginary and digits.replace("_", "").isdecimal():
        return int(digits)
    value = float(digits)
    if math.isinf(value):
        report(errors.number_too_large(span, "the largest double is about 1.8e308"))
        return 0.0
    return complex(0.0, value) if imaginary else value


def decode_string(text: str, span: Span, report: Callable[[Diagnostic], None]) -> str:
    """The value of a text in its quotes; an unknown escape is reported and stands for itself."""
    inner = text[1:-1]
    if "\\" not in inner:
        return inner

    def value(match: re.Match[str]) -> str:
        escape = match.group(1)
        if len(escape) > 1:
            return chr(int(escape[1:], 16))
        if escape in _SIMPLE:
            return _SIMPLE[escape]
        start = span.start + 1 + match.start()
        report(errors.unknown_escape(Span(span.source, start, start + 2), escape))
        return escape

    return _ESCAPE.sub(value, inner)
