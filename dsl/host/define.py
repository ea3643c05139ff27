"""`@dsl.define`: a Python function whose docstring is the body of a definition.

    @dsl.define
    def step(x: Float32[Array, "n"], lr: Float32[Array, ""]) -> Float32[Array, "n"]:
        '''x - lr * x'''

Annotations are those of jaxtyping, or types of the language as strings. Read next: `program`, `language`.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from dsl.diagnostics.diagnostic import ArgumentError, Diagnostic, Label
from dsl.diagnostics.source import Source, Span
from dsl.host.argument_errors import Problem
from dsl.host.function import Function
from dsl.host.program import checked, functions
from dsl.host.python_types.language import Writer


def define(function: Callable[..., Any]) -> Function:
    """The definition that the signature and the docstring of `function` spell. Raises `DslError` with all that is
    wrong, at its line of the Python file."""
    body = textwrap.dedent("    " * 2 + (function.__doc__ or "")).strip()
    code = function.__code__
    first = code.co_firstlineno + _lines_before_body(function) - 1
    try:
        header = _header(function)
    except Problem as problem:
        place = Label(Span(Source(code.co_filename, "", line_offset=code.co_firstlineno - 1), 0, 0))
        raise ArgumentError([Diagnostic(problem.code, problem.message, place)]) from None
    text = f"{header}\n{textwrap.indent(body, '    ')}\n"
    source = Source(code.co_filename, text, line_offset=first - 1)
    return functions(checked(source, None))[function.__name__]


def _header(function: Callable[..., Any]) -> str:
    writer = Writer(function)
    params, result = _parameters(function, writer), _result(function, writer)
    generics = ", ".join(f"{name}: {constraint}" for name, constraint in writer.generics.items())
    return f"def {function.__name__}{f'[{generics}]' if generics else ''}({params}){result} ="


def _parameters(function: Callable[..., Any], writer: Writer) -> str:
    parts: list[str] = []
    keyword_only = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        annotation = writer.type_of(parameter.annotation)
        static = "static " if annotation.startswith("static ") else ""
        default = "" if parameter.default is parameter.empty else f" = {_literal(parameter.default)}"
        parts.append(f"{static}{name}: {annotation.removeprefix('static ')}{default}")
    return ", ".join(parts)


def _literal(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _result(function: Callable[..., Any], writer: Writer) -> str:
    annotation = inspect.signature(function).return_annotation
    return "" if annotation is inspect.Signature.empty else f" -> {writer.type_of(annotation)}"


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
