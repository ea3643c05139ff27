"""Loops and comprehensions as they could be written instead: a `scan` for one that grows an array, or writes a cell; a
carry or an output that is missing.

What is made here are edits; whether they mend the definition is seen where they are offered (`trial`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count
from textwrap import dedent
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from typechecker.errors.repairs.trees import before, mentions, read, rewritten, value_of
from typechecker.errors.repairs.trial import definition_around, free_names
from typechecker.errors.words import operand, replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context


_JOINING = ("append", "concat", "concatenate", "hstack", "vstack")


class Collected(Struct, frozen=True):
    """A loop that grows an array by an element at each turn: the name of the array, what it starts as, and the
    element. `others` are the parts of the carry beside it: the pattern, the start and the result of each."""

    loop: ast.Loop
    name: str
    start: ast.Expr
    element: str
    others: tuple[tuple[str, str, str], ...]


def collected_by_scan(ctx: Context, place: Span) -> Iterator[tuple[Edit, ...]]:
    """The loop around a place that grows an array, as a `scan` that puts out what each turn adds."""
    node = definition_around(ctx, place)
    if node is None:
        return
    for loop in around(node, ast.Loop, place)[:1]:
        for growing in _growing(loop):
            yield from _as_scan(node, growing)


def _growing(loop: ast.Loop) -> Iterator[Collected]:
    carried, starts, results = _parts(loop.carry), _items(loop.init), _items(value_of(loop.body))
    if loop.kind != "fold" or loop.carry_type is not None or not len(carried) == len(starts) == len(results):
        return
    parts = [*zip(carried, starts, results, strict=True)]
    for place, (name, start, result) in enumerate(parts):
        others = tuple([(a.span.text, b.span.text, c.span.text) for a, b, c in parts[:place] + parts[place + 1 :]])
        for element in _added(name, result):
            yield Collected(loop, name.span.text, start, element, others)


def _parts(pattern: ast.Pattern) -> Sequence[ast.Pattern]:
    return pattern.parts if isinstance(pattern, ast.TuplePattern) else (pattern,)


def _items(value: ast.Expr) -> Sequence[ast.Expr]:
    return value.items if isinstance(value, ast.TupleLit) else (value,)


def _added(name: ast.Pattern, result: ast.Expr) -> Iterator[str]:
    """Yield the ways to append to an array of this name."""
    if not isinstance(result, ast.Call) or not isinstance(result.function, ast.Name):
        return
    given = [arg.value for arg in result.args if arg.name is None]
    joined = given[0].items if len(given) == 1 and isinstance(given[0], ast.TupleLit | ast.ListLit) else given
    if result.function.name in _JOINING and len(joined) == 2 and joined[0].span.text == name.span.text:
        yield from _elements(joined[1])


def _elements(node: object) -> Iterator[str]:
    match node:
        case ast.ListLit((item,)):
            yield item.span.text
        case ast.Index(base, (ast.NoneLit(), *_)):
            yield base.span.text
        case ast.Name() | ast.Call() | ast.Binary():
            yield node.span.text


def _as_scan(node: ast.Def, growing: Collected) -> Iterator[tuple[Edit, ...]]:
    """The `let` of the loop, or the loop as the value of a block, with a `scan` in its place."""
    loop, own = growing.loop, f"{growing.name}[-1]"
    carried, body, read_again = _carrying(growing, own)
    if not carried and body.startswith("((), ") and not loop.reverse and _is_empty(growing.start):
        clause = loop.clause
        text = f"[{growing.element} for {clause.pattern.span.text} in {clause.iterable.span.text}]"
        yield (Edit(loop.span, text),)
    if read_again:
        return
    pattern, start = [_tuple([part[k] for part in carried]) for k in (0, 1)]
    between = loop.span.source.text[loop.init.span.end : loop.body.span.start]
    scan = f"scan {pattern or '_'} = {start or '()'}{between}{body}"
    empty = _is_empty(growing.start)
    let = next((each for each in _lets(node) if each.value.span == loop.span), None)
    if let is not None:
        yield from _bound(node, growing, let, scan, len(carried) - len(growing.others))
    elif not before(loop.span).strip():
        names = [f"{part[0]}" for part in growing.others]
        if empty and len(names) == 1 == len(carried) and growing.name == _parts(loop.carry)[1].span.text:
            yield (Edit(loop.span, scan),)
            return
        rest = growing.name if empty else _fresh("rest", node)
        last = ["_"] * (len(carried) - len(names))
        made = f"let ({_tuple([*names, *last]) or '_'}, {rest}) = {scan}"
        whole = growing.name if empty else f"concatenate(({growing.start.span.text}, {rest}))"
        value = _tuple([whole if p.span.text == growing.name else p.span.text for p in _parts(loop.carry)])
        yield (Edit(loop.span, f"{made}\n{before(loop.span)}{value}"),)


def counted_elements(ctx: Context, place: Span) -> Iterator[tuple[Edit, ...]]:
    """The loop over elements around an index of an unknown name, over their numbers, too."""
    node = definition_around(ctx, place)
    indexed = node is not None and any(
        item.span.covers(place) for i in around(node, ast.Index, place) for item in i.items
    )
    if node is None or not indexed:
        return
    several = [clause for each in around(node, ast.Comprehension, place) for clause in each.clauses]
    for clause in (*several, *[each.clause for each in around(node, ast.Loop, place)]):
        over = f"({place.text}, {clause.pattern.span.text}) in enumerate({clause.iterable.span.text})"
        yield (Edit(clause.pattern.span.to(clause.iterable.span), over),)


def bounded(loop: ast.Iterate) -> tuple[str, Edit]:
    """The head of a loop that is left after some turns, and where its limit is written."""
    text, behind = loop.span.source.text, loop.condition.span.end
    end = behind + len(text[behind : text.index("do", behind)].rstrip())
    edit = Edit(Span(loop.span.source, end, end), " limit 100")
    head = " ".join(loop.span.source.text[loop.span.start : end].split())
    return f"{head}{edit.text} do", edit


def one_by_one(ctx: Context, place: Span) -> Iterator[tuple[Edit, ...]]:
    """Yield edits that turn a parallel computation around a location into a `scan`."""
    node = definition_around(ctx, place)
    if node is None:
        return
    for found in around(node, ast.Comprehension, place)[:1]:
        yield _in_turn(node, found, [(c.pattern.span.text, c.iterable.span.text) for c in found.clauses], found.body)
    for call in around(node, ast.Call, place):
        match call:
            case ast.Call(ast.Call(ast.Name("vmap"), (ast.Argument(None, function),)), (ast.Argument(None, over),)):
                name = _fresh("v", node)
                yield _in_turn(node, call, [(name, over.span.text)], f"{operand(function.span.text)}({name})")


def _in_turn(
    node: ast.Def, found: ast.Comprehension | ast.Call, clauses: Sequence[tuple[str, str]], body: ast.Expr | str
) -> tuple[Edit, ...]:
    """A `scan` that carries nothing: in a `let` of its own, where the elements stand alone."""
    text = body if isinstance(body, str) else body.span.text
    for pattern, over in clauses[::-1]:
        inner = f"scan _ = () for {pattern} in {over} do ((), {text})"
        text = f"({inner}).1"
    let = next((each for each in _lets(node) if each.value.span == found.span and each.type is None), None)
    if let is not None:
        return (Edit(let.span, f"let (_, {let.pattern.span.text}) = {inner}"),)
    behind = found.span.source.text[found.span.end :].partition("\n")[0]
    if before(found.span).strip() or behind.strip():
        return (Edit(found.span, text),)
    name = _fresh("values", node)
    return (Edit(found.span, f"let (_, {name}) = {inner}\n{before(found.span)}{name}"),)


def _lets(node: ast.Def) -> list[ast.Let]:
    return [each for each in nodes(node) if isinstance(each, ast.Let)]


def _bound(node: ast.Def, growing: Collected, let: ast.Let, scan: str, last: int) -> Iterator[tuple[Edit, ...]]:
    """The pattern of a `let` of the loop, for the parts of the `scan`."""
    patterns, carried = _parts(let.pattern), _parts(growing.loop.carry)
    if len(patterns) != len(carried) or let.type is not None:
        return
    place = [part.span.text for part in carried].index(growing.name)
    names = [part.span.text for k, part in enumerate(patterns) if k != place]
    own, empty = patterns[place].span.text, _is_empty(growing.start)
    rest = own if empty else _fresh("rest", node)
    written = f"let ({_tuple([*names, *['_'] * last]) or '_'}, {rest}) = {scan}"
    if not empty:
        joined = f"concatenate(({growing.start.span.text}, {rest}))"
        written += f"\n{before(let.span)}let {own} = {joined}"
    yield (Edit(let.span, written),)


def _carrying(growing: Collected, own: str) -> tuple[list[tuple[str, str, str]], str, bool]:
    """Return the carry of a `scan` and the source of its body: the other variables, and the last element if an
    iteration reads it. The third is whether the body still mentions the array that grew."""
    body, loop = growing.loop.body, growing.loop
    value, element, edits, carried = value_of(body), growing.element, list[Edit](), list(growing.others)
    reads = [each for each in nodes(body) if isinstance(each, ast.Index) and each.span.text == own]
    if reads:
        named = next((each for each in _statements(body) if each.value.span == reads[-1].span), None)
        named = next((each for each in _statements(body) if each.value in reads), named)
        name = named.pattern.span.text if named is not None else _fresh("last", loop)
        outside = [read for read in reads if not value.span.covers(read.span)]
        edits += [Edit(read.span, name) for read in outside if named is None or read is not named.value]
        element = element.replace(own, name)
        edits += [] if named is None else [Edit(_line(named.span), "")]
        start = next(_elements(growing.start), f"{growing.start.span.text}[-1]")
        carried = [(a, b, c.replace(own, name)) for a, b, c in [*carried, (name, start, element)]]
    result = f"({_tuple([part[2] for part in carried]) or '()'}, {element})"
    edits.append(Edit(value.span, result))
    kept = [place for place in mentions(body, growing.name) if not any(edit.span.covers(place) for edit in edits)]
    again = any(mentions(read(text), growing.name) for text in (element, *[part[2] for part in carried]))
    return carried, rewritten(body.span, *edits), bool(kept) or again


def _statements(body: ast.Expr) -> list[ast.Let]:
    return [each for each in body.statements if isinstance(each, ast.Let)] if isinstance(body, ast.Block) else []


def _line(place: Span) -> Span:
    """A place with the end of its line and the indentation of the next one."""
    text = place.source.text
    following = text[text.find("\n", place.end) + 1 :]
    return Span(place.source, place.start, len(text) - len(following.lstrip(" ")))


def _tuple(texts: Sequence[str]) -> str:
    return f"({', '.join(texts)})" if len(texts) > 1 else "".join(texts)


def _is_empty(start: ast.Expr) -> bool:
    match start:
        case ast.ListLit(()) | ast.Index(_, (ast.Slice(None, ast.NumberLit(0), None),)):
            return True
        case ast.Call(_, (ast.Argument(None, ast.NumberLit(0) | ast.ListLit((ast.NumberLit(0), *_))), *_)):
            return True
        case _:
            return False


def _fresh(name: str, node: ast.Def | ast.Loop) -> str:
    """A name like this one that does not occur in a node."""
    return next(free_names(chain([name], (f"{name}{k}" for k in count(2))), node))


def shown(edits: tuple[Edit, ...]) -> str:
    """The text that an edit writes, with the indentation of its first line left out of the others."""
    (edit,) = edits
    lines = f"{before(edit.span) if not before(edit.span).strip() else ''}{edit.text}"
    return dedent(lines)


def whole_turns(ctx: Context, given: Span, count: int) -> Iterator[tuple[Edit, ...]]:
    """The value of a turn of the loop around it, with what lacks: an output, which is one of the parts of the carry, or
    the parts of the carry that stay as they are. A carry by one name has so many parts."""
    node = definition_around(ctx, given)
    for loop in () if node is None else around(node, ast.Loop, given)[:1]:
        value = value_of(loop.body)
        own = loop.carry.span.text
        names = [f"{own}.{k}" for k in range(count)] if count > 1 else [own]
        if isinstance(loop.carry, ast.TuplePattern):
            names = [part.span.text for part in loop.carry.parts]
        items = [item.span.text for item in value.items] if isinstance(value, ast.TupleLit) else [value.span.text]
        if loop.kind == "scan" and len(items) == len(names):
            outputs = sorted(items, key=lambda item: not _output(node, loop).startswith(item))
            yield from (replace_with(value.span, f"({value.span.text}, {output})") for output in outputs)
        if len(names) > 1 and len(items) == (2 if loop.kind == "scan" else 1):
            wholes = [", ".join([*names[:k], items[0], *names[k + 1 :]]) for k in range(len(names))]
            ends = [f"(({whole}), {items[1]})" if loop.kind == "scan" else f"({whole})" for whole in wholes]
            yield from (replace_with(value.span, end) for end in ends)


def _output(node: ast.Def | None, loop: ast.Loop) -> str:
    """The name of the outputs of a `scan`, if one is bound."""
    lets = [each for each in nodes(node) if isinstance(each, ast.Let) and each.value.span == loop.span]
    pattern = lets[0].pattern if lets else None
    return pattern.parts[-1].span.text if isinstance(pattern, ast.TuplePattern) else ""
