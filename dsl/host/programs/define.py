"""`@dsl.define`: a Python function whose docstring is the body of a definition.

    @dsl.define
    def step(x: Float32[Array, "n"], lr: Float32[Array, ""]) -> Float32[Array, "n"]:
        '''x - lr * x'''

Annotations are those of jaxtyping, or types of the language as strings. Read next: `program`, `language`.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from dsl.diagnostics.diagnostic import Diagnostic, Help, Label, error_for
from dsl.diagnostics.settings import setting_error, value_in_words
from dsl.diagnostics.source import Source, Span
from dsl.host.argument_errors import Problem
from dsl.host.functions.function import Function
from dsl.host.programs.program import check_program, functions
from dsl.host.python_types.language import Writer


def define(function: Callable[..., Any]) -> Function:
    """The definition that the signature and the docstring of `function` spell. Raises `DslError` with all that is
    wrong, at its line of the Python file."""
    if not inspect.isfunction(function):
        raise setting_error(f"`@dsl.define` stands above a `def` of Python, not {value_in_words(function)}")
    code = function.__code__
    first = code.co_firstlineno + _lines_before_body(function) - 1
    signature, doc = inspect.signature(function), function.__doc__ or ""
    try:
        text = definition(function.__name__, signature, doc, function.__globals__)
    except Problem as problem:
        place = Label(Span(Source(code.co_filename, "", line_offset=code.co_firstlineno - 1), 0, 0))
        help = (Help(problem.help),) if problem.help else ()
        raise error_for([Diagnostic(problem.code, problem.message, place, help=help)]) from None
    source = Source(code.co_filename, text, line_offset=first - 1)
    return functions(check_program(source, None))[function.__name__]


def definition(name: str, signature: inspect.Signature, doc: str, names: Mapping[str, Any]) -> str:
    """The text of the definition: a line with its signature, then those of the docstring. `names` are what annotations
    that are text may mention. Raises `Problem` E0901 for an annotation that is no type, E0105 without a docstring."""
    body = textwrap.dedent("    " * 2 + doc).strip()
    if not body:
        help = 'write it in the language between `"""`; `@dsl.checked` checks calls of functions written in Python'
        raise Problem("E0105", f"`{name}` has no docstring, which is the body of its definition", help)
    writer = Writer(names)
    params, result = _parameters(signature, writer), _result(signature, writer)
    generics = ", ".join(f"{generic}: {constraint}" for generic, constraint in writer.generics.items())
    header = f"def {name}{f'[{generics}]' if generics else ''}({params}){result} ="
    return f"{header}\n{textwrap.indent(body, '    ')}\n"


def _parameters(signature: inspect.Signature, writer: Writer) -> str:
    parts: list[str] = []
    keyword_only = False
    for name, parameter in signature.parameters.items():
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


def _result(signature: inspect.Signature, writer: Writer) -> str:
    annotation = signature.return_annotation
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
