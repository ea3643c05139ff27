"""`dsl doc`: what a program says of itself and of its public functions, in a terminal or as a page of HTML."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.syntax import Syntax

from dsl.diagnostics.atomic import make_folder, write_atomically
from dsl.diagnostics.files import file_error
from dsl.editors.html import program_html
from dsl.editors.pygments_lexer import DslLexer
from dsl.host.programs.program import Program, doc, functions, load
from dsl.tools.named_programs import programs_in

_PAGE = """<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ max-width: 60rem; margin: 2rem auto; font-family: sans-serif; }}</style>
<h1>{title}</h1>
{body}
"""


def document(path: Path, output: Path | None) -> int:
    """Print what a program says, or write it as a page; for a folder, write a page for each of its programs and an
    index. Raises `DslError` where a program has errors."""
    if path.is_dir():
        _write_site(path, Path("site") if output is None else output)
    elif output is None:
        _print(load(path))
    else:
        _write(output, path.stem, program_html(load(path)))
    return 0


def _write_site(folder: Path, output: Path) -> None:
    files = programs_in(folder)
    if not files:
        raise file_error("E0960", folder, f"`{folder}` has no programs")
    names = {file: ".".join(file.relative_to(folder).with_suffix("").parts) for file in files}
    pages = {name: load(file) for file, name in names.items()}
    for name, program in pages.items():
        _write(output / f"{name}.html", name, program_html(program))
    items = (f'<li><a href="{escape(n)}.html">{escape(n)}</a> {escape(_summary(p))}</li>' for n, p in pages.items())
    _write(output / "index.html", folder.resolve().name, f"<ul>{''.join(items)}</ul>")
    print(f"wrote {output / 'index.html'}")


def _summary(program: Program) -> str:
    """The first line of a program's comment."""
    return (doc(program) or "").partition("\n")[0]


def _write(output: Path, title: str, body: str) -> None:
    make_folder(output.parent)
    write_atomically(output, _PAGE.format(title=escape(title), body=body).encode("utf-8"))


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
