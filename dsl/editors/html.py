"""Programs, functions and errors as HTML, for notebooks and pages. Read next: `text_html`."""

from __future__ import annotations

from html import escape

from dsl.diagnostics.diagnostic import DslError
from dsl.editors.text_html import code_html, diagnostic_html
from dsl.host.functions.function import Function
from dsl.host.programs.program import Program, doc, functions


def function_html(function: Function) -> str:
    """The signature of a function, and what its comment says."""
    said = f"<p>{escape(function.doc)}</p>" if function.doc else ""
    return code_html(function.type) + said


def program_html(program: Program) -> str:
    """Render the documentation of a program and its public functions as HTML."""
    said = doc(program)
    head = f"<p>{escape(said)}</p>" if said else ""
    return head + "".join(map(function_html, functions(program).values()))


def error_html(error: DslError) -> str:
    """Diagnostics as they are drawn in a terminal."""
    return "".join(map(diagnostic_html, error.diagnostics))
