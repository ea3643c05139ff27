"""The declarations and values entered at a prompt. Independent of terminals.

Declarations are the text of one module, which grows. An expression is the body of a function of that module, whose
parameters are the names it mentions that have values; it is called with these. Read next: `repl`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import median
from textwrap import indent
from typing import Any

from msgspec import Struct

from dsl.diagnostics.diagnostic import DslError
from dsl.diagnostics.source import Source
from dsl.host.functions.function import Function
from dsl.host.programs.program import Program, check_program, functions
from dsl.syntax import ast
from dsl.syntax.parse import parse
from dsl.syntax.tables import tables
from dsl.syntax.walk import declared_names
from dsl.tools.running import time_calls, wait_for
from dsl.types.show import seen_from, show_row, show_type

CALLED = "entered"
"""The name of the function that an expression is the body of."""
_LET = re.compile(r"let\s+(\w+)\s*=\s*((?:.*)(?:\n[ ].*|\n)*)")
_REPEATS = 7
INDENT = "    "


class Value(Struct, frozen=True):
    """A value and its type as text; of what has no value, nothing."""

    type: str
    value: Any = None


class Session:
    """Declarations and values so far; the modules they import are looked for in `folder`."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._declared: dict[str, str] = {}
        self._values: dict[str, Value] = {}
        self._key = 0

    def with_values(self, values: Mapping[str, Value]) -> Session:
        """A session with the same declarations, in which names have these values."""
        made = Session(self._folder)
        made._declared, made._values = self._declared, dict(values)
        return made

    # ------------------------------------------------------------ what is known

    @property
    def text(self) -> str:
        """All declarations."""
        return "\n\n".join(self._declared.values())

    @property
    def names(self) -> Mapping[str, str]:
        """Return the names in scope, with their types or declarations."""
        return {**self._declared, **{name: value.type for name, value in self._values.items()}}

    def program(self) -> Program:
        """The module of the declarations. Raises `DslError`."""
        return check_program(Source("<prompt>", self.text + "\n"), self._folder)

    # ------------------------------------------------------------ what is entered

    def enter(self, text: str) -> Value | None:
        """Declare, or bind a name, or compute a value. Raises `DslError`; then nothing has changed."""
        named, tree = _LET.fullmatch(text), _declarations(text)
        if not tree or (text.startswith("let ") and named is None):
            return self._computed(text)
        try:
            self._declare(tree, text)
        except DslError:
            if named is None:
                raise
            self._values[named[1]] = found = self._computed(named[2])
            return found
        return None

    def load(self, text: str) -> None:
        """Declare all that a text declares."""
        self._declare(_declarations(text), text)

    def _declare(self, tree: tuple[ast.Declaration, ...], text: str) -> None:
        before = dict(self._declared)
        names = [name for declaration in tree for name in declared_names(declaration)] or [text]
        for name in names:
            self._declared.pop(name, None)
        self._declared[names[0]] = text
        try:
            self.program()
        except DslError:
            self._declared = before
            raise
        for name in names:
            self._values.pop(name, None)

    def _computed(self, text: str) -> Value:
        function, given = self.function(text)
        return Value(type_of(function), wait_for(function(**given, **self._seed(function))))

    def function(self, text: str, before: str = "") -> tuple[Function, dict[str, Any]]:
        """The function that an expression is the body of, and its arguments. Text may stand `before` it.

        Raises `DslError`, in which the expression begins on line 1.
        """
        names = [name for name in dict.fromkeys(re.findall(tables().terminals["NAME"], text)) if name in self._values]
        params = ", ".join(f"{name}: {self._values[name].type}" for name in names)
        head = f"{self.text}\n\ndef {CALLED}({params}) =\n{indent(before, INDENT)}"
        body = indent(text.strip("\n"), INDENT)
        source = Source("<prompt>", f"{head}{body}\n", -head.count("\n"), -len(INDENT))
        return functions(check_program(source, self._folder))[CALLED], {
            name: self._values[name].value for name in names
        }

    def _seed(self, function: Function) -> dict[str, int]:
        """Return the seed arguments of a function that draws, new ones at each call."""
        self._key += function.draws
        return {"key": self._key} if function.draws else {}

    # ------------------------------------------------------------ what is asked

    def type(self, text: str) -> str:
        """The type of an expression, which is not computed; of a function of the session its signature."""
        defined = functions(self.program())
        return defined[text].type if text in defined else type_of(self.function(text)[0])

    def ir(self, text: str) -> str:
        """The IR of an expression."""
        function, given = self.function(text)
        return function.ir(**given, **self._seed(function))

    def time(self, text: str) -> tuple[float, float]:
        """Seconds of the first call of an expression, with what compiling takes, and the median of some more."""
        function, given = self.function(text)
        took = list(time_calls(partial(function, **given, **self._seed(function)), _REPEATS + 1))
        return took[0], median(took[1:])


def type_of(function: Function) -> str:
    """The type of what a function gives, and its effects."""
    write = seen_from(function.definition.module)
    return show_type(function.signature.result, write) + show_row(function.signature.effects, write)


def _declarations(text: str) -> tuple[ast.Declaration, ...]:
    tree, _ = parse(Source("<prompt>", text))
    return tree.declarations
