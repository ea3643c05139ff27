"""Diagnostics as the protocol has them, and what mends them: the edits of their advice, and the formatter's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from lsprotocol import types as lsp

from dsl.diagnostics.diagnostic import Diagnostic, DslError, Severity
from dsl.diagnostics.message import Option
from dsl.diagnostics.source import Source, Span
from dsl.lsp.analysis import Checked
from dsl.lsp.documents import Part
from dsl.lsp.places import Places, uri_of
from dsl.syntax.format import format_source

_SEVERITIES: Mapping[Severity, lsp.DiagnosticSeverity] = MappingProxyType(
    {Severity.ERROR: lsp.DiagnosticSeverity.Error, Severity.WARNING: lsp.DiagnosticSeverity.Warning}
)


def to_lsp(diagnostic: Diagnostic, places: Places) -> lsp.Diagnostic:
    """A diagnostic with the other places it speaks of."""
    primary = diagnostic.primary
    detail = [primary.text] if primary.text else []
    help = [f"help: {help.text}" for help in diagnostic.help]
    return lsp.Diagnostic(
        places.range(primary.span),
        "\n".join([diagnostic.message, *detail, *diagnostic.notes, *help]),
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        source="dsl",
        related_information=[
            lsp.DiagnosticRelatedInformation(places.location(label.span), label.text) for label in diagnostic.secondary
        ],
    )


def actions(checked: Checked, where: lsp.Range, places: Places) -> Iterator[lsp.CodeAction]:
    """The advice that can be carried out, for the diagnostics in a range."""
    for diagnostic in checked.result.diagnostics:
        if diagnostic.primary.span.source.name != checked.part.source.name:
            continue
        shown = to_lsp(diagnostic, places)
        if not (_before(shown.range.end, where.start) or _before(where.end, shown.range.start)):
            for help in diagnostic.help:
                yield from (_action(fix, shown, places, sure=fix.edits == help.edits) for fix in help.fixes)


def _before(one: lsp.Position, other: lsp.Position) -> bool:
    return (one.line, one.character) < (other.line, other.character)


def _action(fix: Option, shown: lsp.Diagnostic, places: Places, *, sure: bool) -> lsp.CodeAction:
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in fix.edits:
        changes.setdefault(uri_of(edit.span.source), []).append(places.edit(edit.span, edit.text))
    return lsp.CodeAction(
        fix.text if sure else f"write `{fix.text}`",
        kind=lsp.CodeActionKind.QuickFix,
        diagnostics=[shown],
        is_preferred=sure,
        edit=lsp.WorkspaceEdit(changes={uri: list(edits) for uri, edits in changes.items()}),
    )


def formatting_edits(part: Part, places: Places) -> Iterator[lsp.TextEdit]:
    """The edit that formats a program, if it can be read and would change. A string keeps its quotes on their lines."""
    span = Span(part.source, 0, len(part.source.text))
    try:
        text = format_source(part.source)
    except DslError:
        return
    if part.in_string:
        span, text = _inside(part.source), text.strip("\n")
    if text != span.text and not (part.in_string and "\n" in text and "\n" not in span.text):
        yield places.edit(span, text)


def _inside(source: Source) -> Span:
    """A text without the ends of lines around it."""
    inside = source.text.strip("\n")
    start = source.text.index(inside)
    return Span(source, start, start + len(inside))
