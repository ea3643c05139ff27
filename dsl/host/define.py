"""`@dsl.define`: a Python function whose docstring is the body of a definition.

    @dsl.define
    def step(x: "f32[n]", lr: "f32") -> "f32[n]":
        '''x - lr * x'''

Annotations are types of the language as strings. Read next: `program`.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from dsl.diagnostics.source import Source
from dsl.host.function import Function
from dsl.host.program import checked, functions


def define(function: Callable[..., Any]) -> Function:
    """The definition that the signature and the docstring of `function` spell."""
    body = textwrap.dedent("    " * 2 + (function.__doc__ or "")).strip()
    header = f"def {function.__name__}({_parameters(function)}){_result(function)} ="
    text = f"{header}\n{textwrap.indent(body, '    ')}\n"
    code = function.__code__
    first = code.co_firstlineno + _lines_before_body(function) - 1
    source = Source(code.co_filename, text, line_offset=first - 1)
    return functions(checked(source, None))[function.__name__]


def _parameters(function: Callable[..., Any]) -> str:
    parts: list[str] = []
    keyword_only = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        annotation = _spelled(parameter.annotation)
        static = "static " if annotation.startswith("static ") else ""
        default = "" if parameter.default is parameter.empty else f" = {_literal(parameter.default)}"
        parts.append(f"{static}{name}: {annotation.removeprefix('static ')}{default}")
    return ", ".join(parts)


def _spelled(annotation: object) -> str:
    """The text of a type; under `from __future__ import annotations` it is quoted once more."""
    text = str(annotation).strip()
    return text[1:-1].strip() if text[:1] in ("'", '"') and text[-1:] == text[:1] else text


def _literal(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _result(function: Callable[..., Any]) -> str:
    annotation = inspect.signature(function).return_annotation
    return "" if annotation is inspect.Signature.empty else f" -> {_spelled(annotation)}"


def _lines_before_body(function: Callable[..., Any]) -> int:
    """Lines from the decorator to the first line of the docstring's text; 1 where the source is not at
    hand.
    """
    try:
        lines, _ = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return 1
    first = (function.__doc__ or "").strip().splitlines()[:1]
    return next((k for k, line in enumerate(lines) if first and first[0].strip() in line), 1)
