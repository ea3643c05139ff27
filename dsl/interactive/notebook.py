"""IPython and Jupyter: `%load_ext dsl`.

    %%dsl                      the functions, constants and enums of the cell become names of the notebook
    %%dsl model                the program of the cell becomes `model`
    %dsl_ir model.loss(p, x)   the IR of a call

Programs, functions and errors are shown in colours. Read next: `dsl.editors.html`.
"""

from __future__ import annotations

import ast
from typing import Any

from IPython.core.error import UsageError

from dsl.diagnostics.diagnostic import DslError
from dsl.editors.html import code_html, error_html, function_html, program_html
from dsl.host.functions.function import Function
from dsl.host.programs.program import Program, check_program
from dsl.syntax.sources import embedded_source


class Text:
    """Text of the language that is shown in colours."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return code_html(self._text)


class Magics:
    """The magics of the language, for one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def dsl(self, line: str, cell: str) -> Program:
        """Check a cell, and put what it declares into the notebook: under its names, or all of it under one."""
        found, name = check_program(embedded_source("<cell>", cell), None), line.strip()
        if name and not name.isidentifier():
            raise UsageError(f"`{name}` is no name for a program")
        self._shell.push({name: found} if name else {each: getattr(found, each) for each in dir(found)})
        return found

    def dsl_ir(self, line: str) -> Text:
        """The IR of a call."""
        call = _call(line)
        named = ast.unparse(call.func)
        if not isinstance(self._shell.ev(named), Function):
            raise UsageError(f"`{named}` is no function of a program")
        given = ", ".join(map(ast.unparse, [*call.args, *call.keywords]))
        return Text(self._shell.ev(f"({named}).ir({given})"))


def _call(line: str) -> ast.Call:
    try:
        node = ast.parse(line.strip(), mode="eval").body
    except SyntaxError:
        node = None
    if not isinstance(node, ast.Call):
        raise UsageError("write a call: %dsl_ir f(x)")
    return node


def load_ipython_extension(shell: Any) -> None:
    """Load the extension for `%load_ext dsl`, into the `InteractiveShell`."""
    magics = Magics(shell)
    shell.register_magic_function(magics.dsl, "cell", "dsl")
    shell.register_magic_function(magics.dsl_ir, "line", "dsl_ir")
    html = shell.display_formatter.formatters["text/html"]
    for kind, draw in ((Program, program_html), (Function, function_html), (DslError, error_html)):
        html.for_type(kind, draw)
