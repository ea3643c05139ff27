"""`dsl doc`: what a program says of itself and of its public functions, in a terminal or as a page of HTML."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax

from dsl.diagnostics.atomic import write_atomically
from dsl.editors.html import program_html
from dsl.editors.pygments_lexer import DslLexer
from dsl.host.programs.program import Program, doc, functions, load

_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ max-width: 60rem; margin: 2rem auto; font-family: sans-serif; }}</style>
<h1>{title}</h1>
{body}
"""


def document(path: Path, output: Path | None) -> int:
    """Print what a program says, or write it as a page. Raises `DslError` where it has errors."""
    program = load(path)
    if output is None:
        _print(program)
    else:
        page = _PAGE.format(title=escape(path.stem), body=program_html(program))
        write_atomically(output, page.encode("utf-8"))
    return 0


def _print(program: Program) -> None:
    console = Console(file=sys.stdout)
    if said := doc(program):
        console.print(Markdown(said))
    for number, function in enumerate(functions(program).values()):
        if number or said:
            console.print()
        console.print(Syntax(function.type, DslLexer(), word_wrap=True, background_color="default"))
        if function.doc:
            console.print(Markdown(function.doc, style="dim"))
