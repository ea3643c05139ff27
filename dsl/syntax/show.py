"""A tree as text, without spans: for tests, bug reports and the comparison of two trees.

Neither function recurses, so both take trees of any depth.
"""

from __future__ import annotations

from dsl.diagnostics.source import Source, Span
from dsl.records import fields, is_record
from dsl.syntax import ast


def show(root: object) -> str:
    """`Binary('+', Name('a'), NumberLit(1))`: every field of every node but spans and sources."""
    out: list[str] = []
    todo: list[tuple[bool, object]] = [(False, root)]  # (already text, what is to be written)
    while todo:
        written, value = todo.pop()
        if written:
            out.append(str(value))
        elif isinstance(value, tuple):
            _push(todo, "(", list(value), ",)" if len(value) == 1 else ")")
        elif is_record(value):
            parts = [getattr(value, f.name) for f in fields(value)]
            _push(todo, type(value).__name__ + "(", [p for p in parts if not _place(p)], ")")
        else:
            out.append(repr(value))
    return "".join(out)


def _place(value: object) -> bool:
    return isinstance(value, Span | Source)


def _push(todo: list[tuple[bool, object]], opener: str, parts: list[object], closer: str) -> None:
    todo.append((True, closer))
    for number, part in enumerate(reversed(parts)):
        todo.append((False, part))
        if number < len(parts) - 1:
            todo.append((True, ", "))
    todo.append((True, opener))


def too_deep(root: object, limit: int) -> Span | None:
    """The first node found that has more than `limit` nodes above it."""
    level: list[object] = [root]
    for _ in range(limit + 1):
        level = [child for node in level for child in _children(node)]
        if not level:
            return None
    span = getattr(level[0], "span", None)
    return span if isinstance(span, Span) else None


def _children(node: object) -> list[object]:
    """The nodes directly inside a node, through its tuples."""
    found: list[object] = []
    todo: list[object] = [getattr(node, name) for name in getattr(type(node), "__match_args__", ())]
    while todo:
        value = todo.pop()
        if isinstance(value, Span | str | None):
            continue
        if isinstance(value, tuple):
            todo.extend(value)
        elif hasattr(type(value), "__match_args__") and not isinstance(value, Source | ast.Ident):
            found.append(value)
    return found
