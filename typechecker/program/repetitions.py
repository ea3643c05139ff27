"""Mistakes with a name that a declaration makes at several places: one diagnostic shows them all.

Read next: `check`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence

from dsl.diagnostics.codes import FAMILIES, family
from dsl.diagnostics.message import Diagnostic, Edit, Help, Label, Option
from dsl.diagnostics.source import Source, Span
from dsl.records import replace
from typechecker.declarations.entities import Module

_OF_NAMES = FAMILIES["E02"]
_ALSO = "and here"


def told_once(found: Sequence[Diagnostic], modules: Iterable[Module]) -> list[Diagnostic]:
    """Diagnostics in which those of one name in one declaration, mended in the same way, are one: the first, whose
    helps change all places."""
    starts = {m.source: sorted([d.span.placed.start for d in m.tree.declarations]) for m in modules}
    groups: dict[Hashable, list[Diagnostic]] = {}
    for number, diagnostic in enumerate(found):
        of_name = family(diagnostic.code) == _OF_NAMES
        groups.setdefault(_mistake(diagnostic, starts) if of_name else number, []).append(diagnostic)
    return [_joined(group) for group in groups.values()]


def _mistake(diagnostic: Diagnostic, starts: Mapping[Source, Sequence[int]]) -> Hashable:
    span: Span = diagnostic.primary.span
    declaration = bisect_right(starts.get(span.source, ()), span.start)
    return diagnostic.code, diagnostic.message, span.source, declaration, tuple(map(_words, diagnostic.help))


def _words(help: Help) -> tuple[str, ...]:
    """The texts of a help, and those that it writes."""
    options = [option.text for option in help.options]
    return help.text, *options, *[edit.text for edit in _edits([help, *help.options])]


def _joined(group: Sequence[Diagnostic]) -> Diagnostic:
    first, *others = group
    labels = [Label(other.primary.span, _ALSO) for other in others]
    helps = [_joined_help(each) for each in zip(*[d.help for d in group], strict=True)]
    return replace(first, secondary=(*first.secondary, *labels), help=tuple(helps)) if others else first


def _joined_help(helps: Sequence[Help]) -> Help:
    options = [Option(each[0].text, _edits(each)) for each in zip(*[help.options for help in helps], strict=True)]
    return Help(helps[0].text, _edits(helps), tuple(options))


def _edits(changes: Sequence[Help | Option]) -> tuple[Edit, ...]:
    """All edits, each once: places may share one, such as an import."""
    return tuple(dict.fromkeys([edit for change in changes for edit in change.edits]))
