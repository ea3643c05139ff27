"""Texts of programs among the sources of Python: the place of a string in its file, and what `inspect` finds of a
function. Read next: `function`, `program`."""

from __future__ import annotations

import linecache
from hashlib import sha256
from types import FrameType, FunctionType

from msgspec import Struct

from dsl.core import core
from dsl.diagnostics.source import Source
from dsl.syntax.sources import embedded_source

EMBEDDED = "<string>"


def source_in_call(text: str, frame: FrameType) -> Source:
    """The text of a program that is given in a call by the code that runs in `frame`. Its file is read when an error
    is told, and changes nothing of what is kept of the text."""
    linecache.lazycache(frame.f_code.co_filename, frame.f_globals)
    return embedded_source(EMBEDDED, text, find=Call(text, frame.f_code.co_filename, frame.f_lineno))


class Call(Struct, frozen=True):
    """A line of a file of Python that makes a program of a text."""

    text: str
    file: str
    line: int

    def __call__(self) -> Source:
        """The text at its place in the file; without a place where it does not stand there as it is, since it is
        computed or written with escapes."""
        lines = linecache.getlines(self.file)
        whole, call = "".join(lines), sum(map(len, lines[: self.line - 1]))
        at = whole.find(self.text, call) if self.text in whole[call:] else whole.find(self.text)
        if at < 0 or not self.text:
            return embedded_source(EMBEDDED, self.text)
        column = 0 if "\n" in self.text else at - whole.rfind("\n", 0, at) - 1
        return embedded_source(self.file, self.text, whole.count("\n", 0, at), column)


def _definition() -> None:
    """Its code is given other places."""


def as_function_of_python(definition: core.Function) -> FunctionType:
    """A function that does nothing and whose code lies where the definition does, for `inspect.getsource`."""
    source = definition.span.source
    name = source.name if source.name.endswith(".dsl") else f"<dsl {sha256(source.text.encode()).hexdigest()[:12]}>"
    linecache.cache.setdefault(name, (len(source.text), None, source.text.splitlines(keepends=True), name))
    line = source.row(definition.span.start) + 1
    code = _definition.__code__.replace(co_filename=name, co_firstlineno=line, co_name=definition.written_name)
    return FunctionType(code, {}, definition.written_name)
