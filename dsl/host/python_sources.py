"""Texts of programs among the sources of Python: the place of a string in its file, and what `inspect` finds of a
function. Read next: `function`, `program`."""

from __future__ import annotations

import linecache
from hashlib import sha256
from types import FrameType, FunctionType

from dsl.core import core
from dsl.diagnostics.source import Source
from dsl.syntax.sources import embedded_source

EMBEDDED = "<string>"


def written_at(text: str, frame: FrameType) -> Source:
    """The text of a program at its place in the file whose code runs in `frame`; without a place where it does not
    stand there as it is, since it is computed or written with escapes."""
    name = frame.f_code.co_filename
    lines = linecache.getlines(name, frame.f_globals)
    whole, call = "".join(lines), sum(map(len, lines[: frame.f_lineno - 1]))
    at = whole.find(text, call) if text in whole[call:] else whole.find(text)
    if at < 0 or not text:
        return embedded_source(EMBEDDED, text)
    column = 0 if "\n" in text else at - whole.rfind("\n", 0, at) - 1
    return embedded_source(name, text, whole.count("\n", 0, at), column)


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
