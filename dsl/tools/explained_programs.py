"""`dsl explain FILE`: the pages of what is wrong in a program, with its own lines in the place of the example.

Each error stands with the definition it is in, and with that definition after the edits of its first advice that has
some. Such advice was tried before it is given (`typechecker.errors.repairs`). Read next: `explaining`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from dsl.diagnostics.diagnostic import Diagnostic, Edit
from dsl.diagnostics.explain import page, title
from dsl.diagnostics.source import Source, Span
from dsl.tools.checking import diagnostics_of


def explained(paths: Sequence[Path], code: str | None) -> str:
    """The pages of all codes in these programs, or of one, as Markdown."""
    found = [d for d in diagnostics_of(paths) if code in (None, d.code)]
    names = ", ".join(map(str, paths))
    if not found:
        return f"{names}: nothing is wrong\n" if code is None else f"{names}: no {code}\n\n{page(code)}"
    grouped = groupby(sorted(found, key=lambda d: d.code), key=lambda d: d.code)
    return "\n".join([_of_code(name, list(each)) for name, each in grouped])


def _of_code(code: str, found: Sequence[Diagnostic]) -> str:
    """A page that begins with the places of a program where its code occurs."""
    general = page(code) or ""
    head, _, rest = general.partition("\n")
    own = "\n".join(["\n".join(_case(d)) for d in found])
    return f"{head if title(general)[0] else f'# {code}'}\n\n{own}\n## In general\n{rest}"


def _case(diagnostic: Diagnostic) -> Iterator[str]:
    """The message, what it says of other places, and the definition before and after the advice."""
    line, column = diagnostic.primary.span.source.position(diagnostic.primary.span.start)
    yield f"## {diagnostic.primary.span.source.name}, line {line}, column {column}\n"
    yield f"{_sentence(diagnostic.message)}\n"
    yield from _reasons(diagnostic)
    yield _example("bad", diagnostic.primary.span.source, [diagnostic.primary.span])
    for help in diagnostic.help:
        yield f"{_sentence(help.text)}\n"
        for fix in help.fixes:
            yield from _mended(fix.edits, diagnostic.primary.span)


def _reasons(diagnostic: Diagnostic) -> Iterator[str]:
    labels = [diagnostic.primary, *diagnostic.secondary]
    said = [f"- `{_shown(label.span)}`: {label.text}" for label in labels if label.text]
    lines = [*said, *[f"- {note}" for note in diagnostic.notes]]
    if lines:
        yield "\n".join([*lines, ""])


def _mended(offered: Sequence[Edit], place: Span) -> Iterator[str]:
    """The definitions that edits of the refused text change, afterwards."""
    edits = [edit for edit in offered if edit.span.source is place.source]
    if len(edits) == len(offered):
        text, places = _applied(place.source, edits)
        after = Source(place.source.name, text)
        yield _example("good", after, [Span(after, start, start) for start in places])


def _applied(source: Source, edits: Iterable[Edit]) -> tuple[str, list[int]]:
    """The text after the edits, and where they are in it."""
    text, shift, places = source.text, 0, []
    for edit in sorted(edits, key=lambda edit: edit.span.start):
        start, end = edit.span.start + shift, edit.span.end + shift
        text = text[:start] + edit.text + text[end:]
        shift += len(edit.text) - (edit.span.end - edit.span.start)
        places.append(start)
    return text, places


def _example(word: str, source: Source, places: Sequence[Span]) -> str:
    """The definitions around places, as a block of a page."""
    rows = dict.fromkeys(_definition(source, place.start) for place in places)
    blocks = ["\n".join(map(source.line, range(start, end))).rstrip() for start, end in rows]
    return "\n".join([f"```dsl {word}", *blocks, "```", ""])


def _definition(source: Source, offset: int) -> tuple[int, int]:
    """The rows of the definition around a character: it begins where a line does, and ends before the next."""
    starts = [row for row in range(len(source.line_starts)) if _begins(source.line(row))]
    row = source.row(offset)
    start = max([at for at in starts if at <= row], default=0)
    return start, min([at for at in starts if at > max(row, start)], default=len(source.line_starts))


def _begins(line: str) -> bool:
    return bool(line) and not line[0].isspace() and line[0] not in ")]}"


def _shown(span: Span) -> str:
    return " ".join(span.text.split())


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"
