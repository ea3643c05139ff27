"""IPython and Jupyter: `%load_ext dsl`.

    %%dsl                      the functions, constants and enums of the cell become names of the notebook
    %%dsl model                the cell is a module that other cells import; its program becomes `model`
    %dsl_ir model.loss(p, x)   the IR of a call, as a picture and as text
    %dsl_time model.loss(p, x) the time of a call
    %dsl_cost model.loss(p, x) what a call takes
    %dsl_layout x              which devices hold which part of an array

Programs, functions, arrays, records and errors are drawn. Read next: `cells`, `tables`, `assistance`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any

from IPython.core.error import UsageError
from msgspec import Struct

from dsl.diagnostics.diagnostic import DslError, error_for
from dsl.editors.html import error_html, function_html, program_html
from dsl.editors.text_html import code_html
from dsl.host.functions.function import Function
from dsl.host.measures.costs import cost_of_call
from dsl.host.programs.program import Program, constants
from dsl.notebook.assistance import Assistance, install
from dsl.notebook.cells import Cells, Outcome, Reasons
from dsl.notebook.outcomes import outcome_html, outcome_text
from dsl.notebook.tables import array_html, layout_html, layout_text, tree_html
from dsl.tools.running import time_calls
from lowering.xla.array import Array

REPEATS = 7
"""So many calls are timed, after the first."""


DRAWN: Mapping[type, Callable[[Any], str | None]] = MappingProxyType(
    {
        Program: program_html,
        Function: function_html,
        DslError: error_html,
        Array: array_html,
        dict: tree_html,
        tuple: tree_html,
    }
)
"""The classes that a notebook shows as HTML, unless they have none for a value."""


class Drawn(Struct, frozen=True):
    """A result with two forms: text, and HTML for a notebook."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


class Refused(Struct, frozen=True):
    """The value of a name whose definition no longer fits: a call of it says why."""

    name: str
    reasons: Reasons

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise error_for(self.reasons)

    def __repr__(self) -> str:
        return f"<`{self.name}` no longer fits: {self.reasons[0].message}>"


class Call(Struct, frozen=True):
    """A function of a program, and its arguments."""

    function: Function
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]


class Magics:
    """The magics of the language, for one shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._published: dict[str, Any] = {}
        self.cells = Cells(Path.cwd())

    # ------------------------------------------------------------ cells

    def dsl(self, line: str, cell: str) -> Drawn:
        """Check a cell, and put what it declares into the notebook: under its names, or all of it under one."""
        name = line.strip()
        if name and not name.isidentifier():
            raise UsageError(f"`{name}` is no name for a program")
        title = f"cell {max(1, len(self._shell.history_manager.input_hist_raw) - 1)}"
        outcome = self.cells.run_named(name, cell) if name else self.cells.run(cell, title)
        self._publish(outcome)
        return Drawn(outcome_text(outcome), outcome_html(outcome))

    def _publish(self, outcome: Outcome) -> None:
        """Give what has changed to Python. Names that Python has bound otherwise stay, but those of the cell."""
        found: dict[str, Any] = {**outcome.programs}
        if outcome.program is not None:
            changed = {*outcome.declared, *outcome.again, *outcome.fits}
            hidden = {*constants(outcome.program)} - changed  # a constant is computed when it is new
            found |= {name: getattr(outcome.program, name) for name in dir(outcome.program) if name not in hidden}
            self._keep_compiled({name: value for name, value in found.items() if name not in changed})
        found |= {name: Refused(name, reasons) for name, reasons in outcome.refused.items()}
        names = self._shell.user_ns
        kept = {n: v for n, v in found.items() if n in outcome.declared or self._is_ours(n) or n not in names}
        self._published |= kept
        self._shell.push(kept)

    def _keep_compiled(self, same: Mapping[str, Any]) -> None:
        """Let functions that mean the same as before keep what was compiled for them."""
        for name, value in same.items():
            before = self._published.get(name)
            if isinstance(value, Function) and isinstance(before, Function):
                value.adopt(before)

    def _is_ours(self, name: str) -> bool:
        return name in self._published and self._shell.user_ns.get(name) is self._published[name]

    # ------------------------------------------------------------ calls

    def dsl_ir(self, line: str) -> Drawn:
        """The IR of a call."""
        call = self._call(line, "dsl_ir")
        text, picture = (write(*call.args, **call.kwargs) for write in (call.function.ir, call.function.ir_svg))
        return Drawn(text, f"{_scrolled(picture)}<details><summary>as text</summary>{code_html(text)}</details>")

    def dsl_time(self, line: str) -> Drawn:
        """The time of a call: the first with what compiling takes, if it does, and the median of some more."""
        call = self._call(line, "dsl_time")
        before = call.function.cache_info().misses
        first, *later = time_calls(partial(call.function, *call.args, **call.kwargs), REPEATS + 1)
        compiled = call.function.cache_info().misses > before
        head = f"compiled and called in {first * 1e3:.1f} ms, then " if compiled else ""
        text = f"{head}{median(later) * 1e6:,.0f} µs in the median of {REPEATS} calls"
        return Drawn(text, text)

    def dsl_cost(self, line: str) -> Drawn:
        """The cost of a call: operations, bytes, memory, and how they grow with the sizes."""
        call = self._call(line, "dsl_cost")
        text = str(cost_of_call(call.function, call.args, call.kwargs))
        return Drawn(text, f"<pre>{text}</pre>")

    def dsl_layout(self, line: str) -> Drawn:
        """The devices that hold the parts of an array."""
        array = self._value(line.strip()) if line.strip() else None
        if not isinstance(array, Array):
            raise UsageError("name an array of the language: %dsl_layout x")
        return Drawn(layout_text(array), layout_html(array))

    def _call(self, line: str, magic: str) -> Call:
        """A call that is written, without its being made."""
        try:
            node: ast.expr | None = ast.parse(line.strip(), mode="eval").body
        except SyntaxError:
            node = None
        if not isinstance(node, ast.Call):
            raise UsageError(f"write a call: %{magic} f(x)")
        named = ast.unparse(node.func)
        function = self._value(named)
        if not isinstance(function, Function):
            raise UsageError(f"`{named}` is no function of a program")
        given = ", ".join(map(ast.unparse, [*node.args, *node.keywords]))
        args, kwargs = self._value(f"(lambda *args, **kwargs: (args, kwargs))({given})")
        return Call(function, args, kwargs)

    def _value(self, text: str) -> Any:
        """The value of an expression of Python."""
        try:
            return self._shell.ev(text)
        except NameError as error:
            raise UsageError(str(error)) from None


def _scrolled(picture: str) -> str:
    return f'<div style="overflow: auto; max-height: 40em">{picture}</div>'


def load_ipython_extension(shell: Any) -> None:
    """Load the extension for `%load_ext dsl`, into the `InteractiveShell`."""
    magics = Magics(shell)
    shell.register_magic_function(magics.dsl, "cell", "dsl")
    install(shell, Assistance(magics.cells))
    for magic in (magics.dsl_ir, magics.dsl_time, magics.dsl_cost, magics.dsl_layout):
        shell.register_magic_function(magic, "line", magic.__name__)
    html = shell.display_formatter.formatters["text/html"]
    for kind, draw in DRAWN.items():
        html.for_type(kind, draw)
