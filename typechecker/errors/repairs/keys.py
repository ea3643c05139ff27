"""Keys that are not used up: one that is bound and not used yet, one more of those that a key is split into, another
element of an array, and one for each turn of a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from typechecker.errors.repairs import trees
from typechecker.errors.repairs.trees import imported, name_of, operand
from typechecker.errors.repairs.trial import definition_around, mends, offers
from typechecker.errors.words import instead, replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


def another_key(node: ast.Def, name: str, span: Span, first: Span) -> list[Help]:
    """Return a key in place of one that is used up: one that its pattern, or that of what it is split into, binds and
    nothing uses; one more of those that it is split into."""
    splits = [each for each in _splits(node) if each.span.end <= span.start]
    made = [let for let in splits if _key_of(let) == first]
    for let in made or [let for let in splits if name in trees.bound_names(let.pattern)][-1:]:
        names = [part.span.text for part in let.pattern.parts] if isinstance(let.pattern, ast.TuplePattern) else []
        free = [other for other in names if other != name and not trees.mentions(node, other)]
        if free:
            return instead("`{}` is not used yet: did you mean it?", span, free[0])
        if names and isinstance(let.value, ast.Call):
            new = _numbered(name, len(names) + 1, node)
            more = f"{let.value.function.span.text}({let.value.args[0].span.text}, {len(names) + 1})"
            written = f"let ({', '.join([*names, new])}) = {more}"
            words = f"make one key more, `{written}`, and use `{new}` here"
            return [Help(words, (*replace_with(let.span, written), *replace_with(span, new)))]
    one, other = _numbered(name, 1, node), _numbered(name, 2, node)
    split = imported(span.source, "random", "split")
    return [
        Help(
            f"split it first, `let ({one}, {other}) = {split.name}({name}, 2)`, and use each of these once{split.said}"
        )
    ]


def _splits(node: ast.Def) -> list[ast.Let]:
    """Return the `let`s that split keys, in their order."""
    lets = [each for each in nodes(node) if isinstance(each, ast.Let) and isinstance(each.value, ast.Call)]
    found = [each for each in lets if isinstance(each.value, ast.Call) and name_of(each.value) == "split"]
    return sorted(found, key=lambda let: let.span.start)


def _key_of(let: ast.Let) -> Span | None:
    return let.value.args[0].value.span if isinstance(let.value, ast.Call) and let.value.args else None


def _numbered(name: str, first: int, node: ast.Def) -> str:
    """Return the name with a number at its end that a definition does not use."""
    stem, taken = name.rstrip("0123456789") if name.isidentifier() else "k", trees.bound_names(node)
    return next(f"{stem}{k}" for k in range(first, first + len(taken) + 1) if f"{stem}{k}" not in taken)


ELEMENTS = 8
"""How many other elements of an array are tried."""


def free_element(ctx: Context, use: Span) -> list[Help]:
    """Return another element of an array of keys in place of one that is used up, if one is free."""
    node = definition_around(ctx, use)
    for each in () if node is None else nodes(node):
        match each:
            case ast.Index(base, (ast.NumberLit(int()),), span) if span == use:
                texts = [f"{base.span.text}[{k}]" for k in range(ELEMENTS)]
                return offers(ctx, "`{}` is free", *(replace_with(use, text) for text in texts))
            case _:
                pass
    return []


def key_for_each_turn(ctx: Context, use: Span) -> list[Help]:
    """Return the loop around the use of a key over as many keys as it has turns."""
    node, name = definition_around(ctx, use), use.text
    if node is None or "\n" in name or "(" in name:
        return []
    split = imported(use.source, "random", "split")
    lacking = f"E0201 undefined name `{split.name}`" if split.edits else ""
    own = name if name.isidentifier() else trees.fresh_name("k", node)
    for clause, body in _clauses(node, use):
        written = _clause(node, clause, body, own, f"{split.name}({name}, {_turns(node, clause.iterable)})")
        places = [n.span for n in nodes(body) if isinstance(n, ast.Expr) and n.span.text == name]
        uses = [Edit(place, own) for place in places if own != name]
        edits = (*replace_with(clause.pattern.span.to(clause.iterable.span), written), *uses)
        if mends(ctx, edits, lacking):
            shown = f"`for {written}`" + (f", and `{own}` in place of `{name}`" if uses else "")
            return [Help(f"use one key per iteration: {shown}{split.said}", (*split.edits, *edits))]
    return []


def _clauses(node: ast.Def, use: Span) -> Iterator[tuple[ast.ForClause, ast.Expr]]:
    """Yield the clauses of the loops around a use, each with what it repeats, the innermost first."""
    loops: list[ast.Comprehension | ast.Loop] = [*around(node, ast.Comprehension, use), *around(node, ast.Loop, use)]
    for loop in sorted(loops, key=lambda each: each.span.end - each.span.start):
        clauses = loop.clauses[::-1] if isinstance(loop, ast.Comprehension) else (loop.clause,)
        yield from ((clause, loop.body) for clause in clauses if loop.body.span.covers(use))


def _clause(node: ast.Def, clause: ast.ForClause, body: ast.Expr, own: str, keys: str) -> str:
    """Return the text of a clause that goes over keys, too."""
    pattern = clause.pattern.span.text
    match clause.iterable:
        case ast.Call(ast.Name("range"), (_,)):
            counted = any(trees.mentions(body, each) for each in trees.bound_names(clause.pattern))
            return f"({pattern}, {own}) in enumerate({keys})" if counted else f"{own} in {keys}"
        case ast.Call(ast.Name("zip"), args) if isinstance(clause.pattern, ast.TuplePattern):
            parts = ", ".join([part.span.text for part in clause.pattern.parts])
            return f"({parts}, {own}) in zip({', '.join([*(arg.span.text for arg in args), keys])})"
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
            for param in node.params:
                match param.type:
                    case ast.IndexedType(_, (ast.Name(size), *_)) if param.name.name == text:
                        return size
                    case _:
                        pass
        case _:
            pass
    return f"{operand(over.span.text)}.shape[0]"
