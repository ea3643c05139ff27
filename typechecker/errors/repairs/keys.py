"""A key of its own for each turn of what uses one many times: the loop goes over as many keys as it has turns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.trees import imported
from typechecker.errors.repairs.trial import definition_around, first_that_mends, free_names, mends
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


class _Repeated(Struct, frozen=True):
    """A body that runs many times over a clause, or for each element of what a mapped function is given."""

    pattern: ast.Pattern | None
    over: ast.Expr
    body: ast.Expr
    clause: Span | None = None
    call: ast.Call | None = None


def key_for_each_turn(ctx: Context, use: Span) -> tuple[tuple[Edit, ...], str] | None:
    """The edits by which what runs many times around the use of a key has a key for each time, and what is written in
    place of its head."""
    node, name = definition_around(ctx, use), use.text
    if node is None or not _is_part(trees.expression_at(node, use)):
        return None
    split = imported(use.source, "random", "split")
    lacking = f"E0201 undefined name `{split.name}`" if split.edits else ""
    for found in _repeated(node, use):
        edits, shown = _with_keys(node, found, name, use, split.name)
        if mends(ctx, edits, lacking):
            return (*split.edits, *edits), f"{shown}{split.said}"
    return None


def _is_part(node: ast.Expr | None) -> bool:
    """Return whether an expression is a name, or a field or a numbered element of one."""
    match node:
        case ast.Name():
            return True
        case ast.Field(base) | ast.Index(base, (ast.NumberLit(int()),)):
            return _is_part(base)
        case _:
            return False


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
                if not isinstance(first.value, ast.Splice):
                    found.append(_Repeated(None, first.value, f, None, call))
            case _:
                pass
    inside = [each for each in found if each.body.span.covers(use)]
    yield from sorted(inside, key=lambda each: each.body.span.end - each.body.span.start)


def _of_clause(clause: ast.ForClause, body: ast.Expr) -> _Repeated:
    place = clause.pattern.span.to(clause.iterable.span)
    return _Repeated(clause.pattern, clause.iterable, body, place)


def _with_keys(node: ast.Def, found: _Repeated, name: str, use: Span, split: str) -> tuple[tuple[Edit, ...], str]:
    """A key beside what each time goes over, and the uses of it."""
    own = name if name.isidentifier() else next(free_names(numbered("k", 0), node))
    keys = f"{split}({name}, {_turns(node, found.over)})"
    uses, shown = _uses(node, found, name, own, split)
    if found.call is not None and isinstance(found.body, ast.Lambda):
        head, behind = found.body.params[0].span.to(found.body.params[-1].span), found.call.args[-1].span
        params = f"{head.text}, {own}"
        alone = use.source.text[head.start - 1] != "("
        edits = (
            Edit(head, f"({params})" if alone else params),
            trees.behind(behind, f", {keys}"),
        )
        given = use.source.text[found.call.args[0].span.start : behind.end]
        return (*edits, *uses), f"`fn ({params}) -> …` over `({given}, {keys})`{shown}"
    written = _clause(found, own, keys)
    return (*([] if found.clause is None else replace_with(found.clause, written)), *uses), f"`for {written}`{shown}"


def _clause(found: _Repeated, own: str, keys: str) -> str:
    """Return the source of a clause, and of its keys."""
    pattern = "" if found.pattern is None else found.pattern.span.text
    match found.over:
        case ast.Call(ast.Name("range"), (_,)):
            counted = found.pattern is not None and any(
                trees.mentions(found.body, each) for each in trees.bound_names(found.pattern)
            )
            return f"({pattern}, {own}) in enumerate({keys})" if counted else f"{own} in {keys}"
        case ast.Call(ast.Name("zip"), args) if isinstance(found.pattern, ast.TuplePattern):
            parts = ", ".join([part.span.text for part in found.pattern.parts])
            return f"({parts}, {own}) in {trees.write(trees.call('zip', *args, trees.name(keys)))}"
        case over:
            return f"({pattern}, {own}) in zip({over.span.text}, {keys})"


def _turns(node: ast.Def, over: ast.Expr) -> str:
    """How many elements there are: the size that the type of a parameter states, or that of the first axis."""
    match over:
        case ast.Call(ast.Name("range"), (number,)):
            return number.span.text
        case ast.Call(ast.Name("zip"), (ast.Argument(None, first), *_)) if not isinstance(first, ast.Splice):
            return _turns(node, first)
        case ast.Name(text):
            match {param.name.name: param.type for param in node.params}.get(text):
                case ast.IndexedType(_, (ast.Name(size), *_)):
                    return size
                case _:
                    return f"{text}.shape[0]"
        case _:
            return trees.write(trees.index(trees.field(over, "shape"), trees.number(0)))


def _uses(node: ast.Def, found: _Repeated, name: str, own: str, split: str) -> tuple[tuple[Edit, ...], str]:
    """The uses of a key in what runs many times: one by its own name, several by keys that it is split into first."""
    kinds = ast.Name | ast.Field | ast.Index
    places = [n.span for n in nodes(found.body) if isinstance(n, kinds) and n.span.text == name]
    if len(places) < 2 or not isinstance(found.body, ast.Block):
        edits = () if own == name else tuple([Edit(place, own) for place in places])
        return edits, f", and `{own}` in place of `{name}`" if edits else ""
    names = [*islice(free_names(numbered(own, 1), node), len(places))]
    number = f", {len(places)}" if len(places) > 2 else ""
    let = f"let ({', '.join(names)}) = {split}({own}{number})"
    first = trees.in_front(found.body.span, f"{let}\n{trees.before(found.body.span)}")
    ordered = zip(sorted(places, key=lambda place: place.start), names, strict=True)
    return (first, *[Edit(place, new) for place, new in ordered]), f", then `{let}`, and each of these once"


def numbered(name: str, first: int) -> Iterator[str]:
    """Yield a name with the numbers from this one on at its end; zero is not written."""
    stem = name.rstrip("0123456789") if name.isidentifier() else "k"
    return (f"{stem}{k or ''}" for k in count(first))
