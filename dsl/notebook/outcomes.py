"""The effect of a cell in words: what it declares, what was checked again, what no longer fits. Read next: `cells`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from dsl.diagnostics.message import Diagnostic
from dsl.diagnostics.render import render_plain
from dsl.editors.html import function_html
from dsl.editors.text_html import diagnostic_html
from dsl.host.functions.function import Function
from dsl.host.programs.program import functions
from dsl.notebook.cells import Outcome


def outcome_text(outcome: Outcome) -> str:
    """The effect of a cell as lines of text, diagnostics as they are drawn in a terminal."""
    found = [*_types(outcome), *_remarks(outcome), *map(render_plain, _diagnostics(outcome))]
    return "\n".join(found)


def outcome_html(outcome: Outcome) -> str:
    """The effect of a cell: the functions as their documentation, then what else is to be told."""
    declared = "".join(map(function_html, _functions(outcome)))
    remarks = "".join([f"<div>{escape(remark)}</div>" for remark in _remarks(outcome)])
    return declared + remarks + "".join(map(diagnostic_html, _diagnostics(outcome)))


def _functions(outcome: Outcome) -> Sequence[Function]:
    """The public functions that a cell declares; of a named cell all of its program."""
    modules = [outcome.programs[name] for name in outcome.declared if name in outcome.programs]
    named = [function for module in modules for function in functions(module).values()]
    if outcome.program is None or named:
        return named
    found = functions(outcome.program)
    return [found[name] for name in outcome.declared if name in found]


def _types(outcome: Outcome) -> Iterator[str]:
    for function in _functions(outcome):
        yield function.type


def _remarks(outcome: Outcome) -> Iterator[str]:
    for words, names in (
        ("checked again", outcome.again),
        ("fits again", outcome.fits),
        ("no longer fits", [*outcome.refused]),
    ):
        if names:
            yield f"{words}: {', '.join(names)}"


def _diagnostics(outcome: Outcome) -> list[Diagnostic]:
    """The reasons, each once: the names of a chunk share theirs."""
    reasons = [d for found in outcome.refused.values() for d in found]
    return list(dict.fromkeys([*outcome.warnings, *reasons]))
