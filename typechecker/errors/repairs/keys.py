"""A key of its own for each turn of what uses one many times: the loop goes over as many keys as it has turns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from typechecker.errors.repairs.trial import definition_around, first_that_mends, free_names, mends
from typechecker.errors.words import imported, replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


class _Repeated(Struct, frozen=True):
    """A body that runs many times over a clause, or for each element of what a mapped function is given."""

    pattern: str
    over: str
    body: ast.Expr
    clause: Span | None = None
    call: ast.Call | None = None


def key_for_each_turn(ctx: Context, use: Span) -> tuple[tuple[Edit, ...], str] | None:
    """The edits by which what runs many times around the use of a key has a key for each time, and what is written in
    place of its head."""
    node, name = definition_around(ctx, use), use.text
    if node is None or not re.fullmatch(r"[\w.]+(\[\d+\])?", name):
        return None
    split = imported(use.source, "random", "split")
    lacking = f"E0201 undefined name `{split.name}`" if split.edits else ""
    for found in _repeated(node, use):
        edits, shown = _with_keys(node, found, name, use, split.name)
        if mends(ctx, edits, lacking):
            return (*split.edits, *edits), f"{shown}{split.said}"
    return None


ELEMENTS = 8
"""How many other elements of an array are tried."""


def free_element(ctx: Context, use: Span) -> tuple[Edit, ...] | None:
    """Another element of an array of keys in place of one that is used up, if one is free."""
    node = definition_around(ctx, use)
    for each in () if node is None else nodes(node):
        match each:
            case ast.Index(_, (ast.NumberLit(int()) as item,), span) if span == use:
                start, end = item.span.start - use.start, item.span.end - use.start
                texts = [f"{use.text[:start]}{place}{use.text[end:]}" for place in range(ELEMENTS)]
                return first_that_mends(ctx, [replace_with(use, text) for text in texts]) or None
            case _:
                pass
    return None


def _repeated(node: ast.Def, use: Span) -> Iterator[_Repeated]:
    """Yield the repeated bodies around a use, innermost first."""
    found: list[_Repeated] = []
    for each in around(node, ast.Comprehension, use):
        found += [_of_clause(clause, each.body) for clause in each.clauses[::-1]]
    found += [_of_clause(each.clause, each.body) for each in around(node, ast.Loop, use)]
    for call in around(node, ast.Call, use):
        match call:
            case ast.Call(ast.Call(ast.Name("vmap"), (ast.Argument(None, ast.Lambda() as f),)), (first, *_)):
                found.append(_Repeated("", first.value.span.text, f, None, call))
            case _:
                pass
    inside = [each for each in found if each.body.span.covers(use)]
    yield from sorted(inside, key=lambda each: each.body.span.end - each.body.span.start)


def _of_clause(clause: ast.ForClause, body: ast.Expr) -> _Repeated:
    place = clause.pattern.span.to(clause.iterable.span)
    return _Repeated(clause.pattern.span.text, clause.iterable.span.text, body, place)


def _with_keys(node: ast.Def, found: _Repeated, name: str, use: Span, split: str) -> tuple[tuple[Edit, ...], str]:
    """A key beside what each time goes over, and the uses of it."""
    own = name if name.isidentifier() else next(_numbered("k", node))
    keys = f"{split}({name}, {_turns(node, found.over)})"
    uses, shown = _uses(node, found, name, own, split)
    if found.call is not None and isinstance(found.body, ast.Lambda):
        head, behind = found.body.params[0].span.to(found.body.params[-1].span), found.call.args[-1].span
        params = f"{head.text}, {own}"
        alone = use.source.text[head.start - 1] != "("
        edits = (
            Edit(head, f"({params})" if alone else params),
            Edit(Span(use.source, behind.end, behind.end), f", {keys}"),
        )
        given = use.source.text[found.call.args[0].span.start : behind.end]
        return (*edits, *uses), f"`fn ({params}) -> …` over `({given}, {keys})`{shown}"
    written = _clause(found, own, keys)
    return (*([] if found.clause is None else replace_with(found.clause, written)), *uses), f"`for {written}`{shown}"


def _clause(found: _Repeated, own: str, keys: str) -> str:
    """Return the source of a clause, and of its keys."""
    zipped = re.fullmatch(r"zip\((.*)\)", found.over)
    ranged = re.fullmatch(r"range\([^,]*\)", found.over)
    if ranged is not None and re.search(rf"\b{found.pattern}\b", found.body.span.text) is None:
        return f"{own} in {keys}"
    if ranged is not None:
        return f"({found.pattern}, {own}) in enumerate({keys})"
    if zipped is not None and found.pattern.startswith("("):
        return f"{found.pattern[:-1]}, {own}) in zip({zipped[1]}, {keys})"
    return f"({found.pattern}, {own}) in zip({found.over}, {keys})"


def _turns(node: ast.Def, over: str) -> str:
    """How many elements there are: the size that the type of a parameter states, or that of the first axis."""
    ranged, zipped = re.fullmatch(r"range\(([^,]*)\)", over), re.match(r"zip\(([\w.]+)", over)
    if ranged is not None:
        return ranged[1]
    name = over if zipped is None else zipped[1]
    types = {param.name.name: param.type.span.text for param in node.params if param.type is not None}
    stated = re.fullmatch(r"\w+\[(\w+)[\],].*", types.get(name, ""))
    return f"{name}.shape[0]" if stated is None else stated[1]


def _uses(node: ast.Def, found: _Repeated, name: str, own: str, split: str) -> tuple[tuple[Edit, ...], str]:
    """The uses of a key in what runs many times: one by its own name, several by keys that it is split into first."""
    kinds = ast.Name | ast.Field | ast.Index
    places = [n.span for n in nodes(found.body) if isinstance(n, kinds) and n.span.text == name]
    if len(places) < 2 or not isinstance(found.body, ast.Block):
        edits = () if own == name else tuple([Edit(place, own) for place in places])
        return edits, f", and `{own}` in place of `{name}`" if edits else ""
    names = [*islice(_numbered(f"{own.rstrip('0123456789')}1", node), len(places))]
    number = f", {len(places)}" if len(places) > 2 else ""
    let = f"let ({', '.join(names)}) = {split}({own}{number})"
    start, text = found.body.span.start, found.body.span.source.text
    first = Edit(
        Span(found.body.span.source, start, start), f"{let}\n{text[text.rfind(chr(10), 0, start) + 1 : start]}"
    )
    ordered = zip(sorted(places, key=lambda place: place.start), names, strict=True)
    return (first, *[Edit(place, new) for place, new in ordered]), f", then `{let}`, and each of these once"


def _numbered(stem: str, node: ast.Def) -> Iterator[str]:
    """Names that do not occur: this one, with the next numbers at its end."""
    plain = stem.rstrip("0123456789")
    return free_names((f"{plain}{k or ''}" for k in count(int(stem[len(plain) :] or 0))), node)
