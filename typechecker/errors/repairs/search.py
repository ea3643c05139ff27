"""The last step of every help: what it would write is tried before it is shown, and few are shown.

Families of errors propose edits: from the catalogue (`edits`), structural rewrites (`loops`, `keys`), or the names
of other libraries (`other_libraries`). When a definition has been checked, its errors come here. An edit that does not
remove its error is not offered, whatever proposed it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.records import replace
from dsl.syntax import ast
from typechecker.errors.repairs.orders import in_another_order
from typechecker.errors.repairs.trees import OFFERED
from typechecker.errors.repairs.trial import key_of, removes

if TYPE_CHECKING:
    from typechecker.env.context import Context

HELPS = 3
"""How many helps an error has at most."""


def offered(ctx: Context, node: ast.Def, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the errors of a definition with the helps that hold, in the order in which they were proposed."""
    if node.span.source.name == OFFERED:
        return [*found]
    before = Counter(map(key_of, found))
    return [
        replace(each, help=tuple([_holding(ctx, node, before, each, advice) for advice in each.help[:HELPS]]))
        for each in in_another_order(ctx, node, found)
    ]


def _holding(ctx: Context, node: ast.Def, before: Counter[str], error: Diagnostic, advice: Help) -> Help:
    """Return a help whose edits, or those of each option, remove its error; one of others has its words alone. Edits of
    other declarations have been tried there, and what a text imports is not seen from inside of a definition."""

    def holds(edits: tuple[Edit, ...]) -> bool:
        inside = bool(edits) and all(_is_inside(node, edit) for edit in edits)
        return not inside or removes(ctx, node, edits, error, before)

    options = tuple([option for option in advice.options if holds(option.edits)])
    return replace(advice, edits=advice.edits if holds(advice.edits) else (), options=options)


def _is_inside(node: ast.Def, edit: Edit) -> bool:
    """Return whether an edit changes a definition; a line in front of it is outside."""
    return node.span.covers(edit.span) and edit.span.end > node.span.start
