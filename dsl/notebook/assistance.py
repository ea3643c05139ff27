"""Help while one types in a cell of the language: completions, and what a name or an expression is.

A cell is looked at as if it were run now, after the others. Kernels of Jupyter complete by IPython's matchers; for what
stands under the cursor they have no hook but the kernel's own method. Read next: `dsl.lsp.complete`, `cells`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from IPython.core.completer import CompletionContext, SimpleCompletion, SimpleMatcherResult, context_matcher
from lsprotocol import types as lsp
from msgspec import Struct
from pygls.workspace import PositionCodec

from dsl.diagnostics.source import Source
from dsl.lsp.analysis import Analysis, Checked
from dsl.lsp.complete import complete
from dsl.lsp.describe import hover
from dsl.lsp.documents import Part
from dsl.lsp.places import Places
from dsl.notebook.cells import Cells

_NOWHERE = Path("<cells>")
"""The folder of named cells where a notebook has none."""
_MAGIC = re.compile(r"%%dsl[ \t]*(\w*)[ \t]*\n")
_FENCE = re.compile(r"^```.*\n?", re.MULTILINE)
_TYPED = re.compile(r"\w*$")


class Found(Struct, frozen=True):
    """A completion: the whole word, and its kind as IPython names it."""

    text: str
    kind: str


class Place(Struct, frozen=True):
    """A character of a cell in the program that the cell would be a part of."""

    checked: Checked
    offset: int


class Assistance:
    """Answers about the cells of a notebook."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._analysis = Analysis()
        self._places = Places(PositionCodec())

    def complete(self, cell: str, offset: int) -> list[Found]:
        """The completions of the word before a character of a cell, whose first line is the magic."""
        place = self._place(cell, offset)
        if place is None:
            return []
        items = complete(self._analysis, place.checked, place.offset)
        ordered = sorted(items, key=lambda item: item.sort_text or f"9{item.label}")
        kinds = [lsp.CompletionItemKind(item.kind).name.lower() for item in ordered if item.kind is not None]
        return [Found(item.label, kind) for item, kind in zip(ordered, kinds, strict=True)]

    def describe(self, cell: str, offset: int) -> str | None:
        """A name or an expression at a character of a cell, in Markdown: its type, and what its comment says."""
        place = self._place(cell, offset)
        found = None if place is None else hover(place.checked, place.offset, self._places)
        return None if found is None else str(getattr(found.contents, "value", found.contents))

    def _place(self, cell: str, offset: int) -> Place | None:
        magic = _MAGIC.match(cell)
        if magic is None or offset < magic.end():
            return None
        own = Source("<cell>", cell[magic.end() :])
        around = "" if magic[1] else self._cells.text_around(own).source.text
        folder = self._cells.folder or _NOWHERE
        for name, source in self._cells.modules.items():
            if name != magic[1]:
                self._analysis.open(folder / f"{name}.dsl", source.text)
        checked = self._analysis.check(Part(Source("<notebook>", around + own.text), folder))
        return Place(checked, len(around) + offset - magic.end())


# ---------------------------------------------------------------- IPython


def install(shell: Any, assistance: Assistance) -> None:
    """Let a shell, and its kernel if it has one, ask in cells of the language."""
    others = [each for each in shell.Completer.custom_matchers if getattr(each, "matcher_identifier", "") != "dsl"]
    shell.Completer.custom_matchers = [*others, _matcher(assistance)]
    kernel = getattr(shell, "kernel", None)
    if kernel is not None:
        kernel.do_inspect = _inspection(kernel.do_inspect, assistance)


def _matcher(assistance: Assistance) -> Any:
    def match_dsl(context: CompletionContext) -> SimpleMatcherResult:
        before = context.full_text.split("\n")[: context.cursor_line]
        offset = sum(map(len, before)) + len(before) + context.cursor_position
        typed = _TYPED.search(context.full_text[:offset])
        found = assistance.complete(context.full_text, offset)
        return {
            "completions": [SimpleCompletion(each.text, type=each.kind) for each in found],
            "matched_fragment": typed[0] if typed is not None else "",
            "suppress": _MAGIC.match(context.full_text) is not None,
            "ordered": True,
        }

    mark: Any = context_matcher
    return mark(identifier="dsl")(match_dsl)


Inspect = Callable[..., dict[str, Any]]


def _inspection(otherwise: Inspect, assistance: Assistance) -> Inspect:
    """A kernel's answer to what stands under the cursor; for cells of Python the one that it had."""

    def do_inspect(code: str, cursor_pos: int, *args: Any, **kwargs: Any) -> dict[str, Any]:
        if _MAGIC.match(code) is None:
            return otherwise(code, cursor_pos, *args, **kwargs)
        said = assistance.describe(code, cursor_pos)
        bare = "" if said is None else _FENCE.sub("", said)
        data = {} if said is None else {"text/markdown": said, "text/plain": bare}
        return {"status": "ok", "found": said is not None, "data": data, "metadata": {}}

    return do_inspect
