"""Diagnostics for other programs: JSON, SARIF 2.1.0, and the commands of GitHub's workflows.

Read next: `render`, for people.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from dsl.diagnostics.codes import TITLES
from dsl.diagnostics.message import Diagnostic, Label, Severity
from dsl.diagnostics.render import clip_span
from dsl.diagnostics.source import Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def show_json(diagnostics: Sequence[Diagnostic]) -> str:
    """One list, empty where there is nothing to say."""
    return json.dumps([to_json(d) for d in diagnostics], indent=2, ensure_ascii=False)


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """`related` are the other places it speaks of, `fixes` the advice that can be carried out, with its edits."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        **_place(diagnostic.primary.span),
        "label": diagnostic.primary.text,
        "related": [_place(label.span) | {"text": label.text} for label in diagnostic.secondary],
        "notes": list(diagnostic.notes),
        "help": [help.text for help in diagnostic.help],
        "fixes": [
            {"help": fix.text, "edits": [_place(edit.span) | {"text": edit.text} for edit in fix.edits]}
            for help in diagnostic.help
            for fix in help.fixes
        ],
    }


def _place(span: Span) -> dict[str, Any]:
    span = clip_span(span)
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def show_github(diagnostics: Sequence[Diagnostic]) -> str:
    """One command a line, which GitHub shows beside the lines of a change."""
    return "\n".join(map(_command, diagnostics))


def _command(diagnostic: Diagnostic) -> str:
    place = _place(diagnostic.primary.span)
    fields = {
        "file": place["file"],
        "line": place["line"],
        "endLine": place["end_line"],
        "col": place["column"],
        "title": f"{diagnostic.code} {_title(diagnostic.code)}",
    }
    shown = ",".join(f"{name}={_escaped(str(value), ':,')}" for name, value in fields.items())
    return f"::{diagnostic.severity.value} {shown}::{_escaped(_words(diagnostic))}"


def _title(code: str) -> str:
    return TITLES.get(code, "")


def _escaped(text: str, more: str = "") -> str:
    """Escape text for a workflow command; properties also escape `more`."""
    for character in f"%\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text


def _words(diagnostic: Diagnostic) -> str:
    label = [diagnostic.primary.text] if diagnostic.primary.text else []
    help = [f"help: {help.text}" for help in diagnostic.help]
    return "\n".join([diagnostic.message, *label, *diagnostic.notes, *help])


def show_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """One run, with a rule for each code that occurs."""
    codes = sorted({d.code for d in diagnostics})
    rules = [{"id": code, "shortDescription": {"text": _title(code)}} for code in codes]
    driver = {"name": "dsl", "informationUri": "https://pypi.org/project/puredsl/", "rules": rules}
    run = {"tool": {"driver": driver}, "results": [_result(d) for d in diagnostics], "columnKind": "unicodeCodePoints"}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _result(diagnostic: Diagnostic) -> dict[str, Any]:
    made: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "level": "error" if diagnostic.severity is Severity.ERROR else "warning",
        "message": {"text": _words(diagnostic)},
        "locations": [_location(diagnostic.primary)],
    }
    if diagnostic.secondary:
        made["relatedLocations"] = [_location(label) for label in diagnostic.secondary]
    offered = [fix for help in diagnostic.help for fix in help.fixes]
    fixes = [_fix(fix.text, [(edit.span, edit.text) for edit in fix.edits]) for fix in offered]
    return made | ({"fixes": fixes} if fixes else {})


def _location(label: Label) -> dict[str, Any]:
    found = {"physicalLocation": {"artifactLocation": {"uri": label.span.source.name}, "region": _region(label.span)}}
    return found | ({"message": {"text": label.text}} if label.text else {})


def _region(span: Span) -> dict[str, int]:
    place = _place(span)
    return {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }


def _fix(help: str, edits: Sequence[tuple[Span, str]]) -> dict[str, Any]:
    changes = [
        {
            "artifactLocation": {"uri": span.source.name},
            "replacements": [{"deletedRegion": _region(span), "insertedContent": {"text": text}}],
        }
        for span, text in edits
    ]
    return {"description": {"text": help}, "artifactChanges": changes}
