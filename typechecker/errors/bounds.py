"""Repairs of reads beyond an end, and of indices that are checked in a run: other bounds of the loop around them, the
nearest element, a type that is in bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import dtype as dt
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import ge
from dsl.types.size import Size, SizeVar
from typechecker.errors.repairs.goals import state_it
from typechecker.errors.repairs.trees import clauses_of, integer, is_mentioned, lets_of, loops_around
from typechecker.errors.repairs.trial import definition_around, mends, offers, tried
from typechecker.errors.words import replace_with

if TYPE_CHECKING:
    from typechecker.env.body import Checked
    from typechecker.env.context import Context


class Read(Struct, frozen=True):
    """The positions that an iteration reads of an axis of this size, from the first to the last, both written at
    `span`."""

    first: Size
    last: Size
    size: Size
    span: Span


class _Turns(Struct, frozen=True):
    """A loop over a `range`, with its bounds; `place` is the axis that it makes."""

    loop: ast.Comprehension | ast.Loop
    clause: ast.ForClause
    place: int
    var: SizeVar
    low: Size
    high: Size


def beyond_an_end(ctx: Context, read: Read) -> tuple[Help, ...]:
    """Return the repairs of a read beyond an end, each with its meaning."""
    node = definition_around(ctx, read.span)
    if node is None:
        return ()
    turns = next(_turns(ctx, node, read), None)
    shifted = None if turns is None else _shifted(turns, read)
    if shifted is not None and mends(ctx, shifted.edits):
        return (shifted,)
    fewer = () if turns is None else _fewer(ctx, node, turns, read)
    other = [*tried(ctx, read.span, _AROUND), *tried(ctx, read.span, _ZERO)] if read.first == read.last else []
    return (*fewer, *other)


def _turns(ctx: Context, node: ast.Def, read: Read) -> Iterator[_Turns]:
    """Yield the loops around that the places depend on, the innermost first."""
    traced = {var.name: var for var in read.first.vars() | read.last.vars() if var in ctx.body.ranges}
    for loop in loops_around(node, read.span):
        for place, clause in enumerate(clauses_of(loop)):
            var = traced.get(clause.pattern.span.text)
            low, high = (None, None) if var is None else ctx.body.ranges[var]
            match clause.iterable:
                case ast.Call(ast.Name("range"), (_,) | (_, _)) if var is not None and low is not None and high:
                    yield _Turns(loop, clause, place, var, low, high)
                case _:
                    pass


def _shifted(turns: _Turns, read: Read) -> Help | None:
    """An index that counts from one, or down from the size."""
    rest, edits = read.last - Size.of(turns.var), (Edit(read.span, f"{read.span.text} - 1"),)
    if rest == Size.of(0) and turns.low == Size.of(1) and not any(offset < 0 for offset in _offsets(turns)):
        return Help(f"indices count from 0: `{edits[0].text}`", edits)
    if turns.var in rest.vars() and turns.low == Size.of(0):
        return Help(f"the last one is {read.size - 1}: `{edits[0].text}`", edits)
    return None


def _fewer(ctx: Context, node: ast.Def, turns: _Turns, read: Read) -> Iterator[Help]:
    """The range that reads no more than there is, and the result of as many elements."""
    var, low, high = Size.of(turns.var), turns.low, turns.high
    ahead, behind = read.last - var, read.first - var
    if turns.var in ahead.vars() or turns.var in behind.vars():
        return
    offsets = [Size.of(each) for each in _offsets(turns)]
    for offset in [behind, *(offsets if behind.constant is not None else ())]:
        low = low if ctx.holds(fa.le(-offset, low)) else -offset
    for offset in [ahead, *(offsets if ahead.constant is not None else ())]:
        high = high if ctx.holds(fa.le(high, read.size - offset)) else read.size - offset
    if (low, high) == (turns.low, turns.high):
        return
    written = f"range({high})" if low == Size.of(0) else f"range({low}, {high})"
    edits: tuple[Edit, ...] = (Edit(turns.clause.iterable.span, written),)
    shown = f"`for {turns.clause.pattern.span.text} in {written}` leaves out what is not there"
    if mends(ctx, edits):
        yield Help(shown, edits)
    elif (kind := _resized(node, turns, high - low)) is not None and mends(ctx, (*edits, kind)):
        yield Help(f"{shown}: the result is `{kind.text}` then", (*edits, kind))


def _offsets(turns: _Turns) -> Iterator[int]:
    """Yield the numbers that the body adds to the index of the loop, in indices."""
    name = turns.clause.pattern.span.text
    for index in nodes(turns.loop.body):
        for item in index.items if isinstance(index, ast.Index) else ():
            match item:
                case ast.Binary("+" | "-" as op, ast.Name() as left, right) if left.name == name:
                    yield (integer(right) or 0) * (1 if op == "+" else -1)


def _resized(node: ast.Def, turns: _Turns, length: Size) -> Edit | None:
    """The declared result with another size of the axis that a comprehension makes, where no caller is seen."""
    kind, loop = node.result, turns.loop
    if is_mentioned(node) or not isinstance(kind, ast.IndexedType) or not isinstance(loop, ast.Comprehension):
        return None
    sizes = [str(length) if k == turns.place else size.span.text for k, size in enumerate(kind.args)]
    return Edit(kind.span, f"{kind.base.span.text}[{', '.join(sizes)}]")


_AROUND = ("`{}` goes on at the other end", "X[A] => X[A % X.shape[0]]")
_ZERO = ("`{}` takes zero there", 'X[R] => X.at[R].get(mode="fill", fill=0)')
_NEAR = (
    "if one out of bounds is to count as the nearest: `{}`",
    'X.at[R].F(S) => X.at[R].F(S, mode="clip")',
    'X[R] => X.at[R].get(mode="clip")',
)


# ---------------------------------------------------------------- indices that are checked


def in_bounds(ctx: Context, checked: Checked, span: Span) -> Iterator[Help]:
    """An index of a type that is in bounds, and what an index out of bounds takes where it is not to stop the run."""
    node = definition_around(ctx, span)
    if node is not None and checked.what == "value":
        yield from _around(ctx, node, span, str(checked.bound))
        for param in node.params:
            if param.name.name == span.text and param.type is not None:
                yield from _of_bound(ctx, node, param, param.type, checked.bound)
    if node is None or checked.what == "value":
        return
    if checked.what == "index":
        words = "it is in bounds wherever there is an element, and if there always is, state it"
        yield from state_it(ctx, span, [ge(checked.bound, 1)], words)
        for param in node.params:
            if param.name.name == span.text.partition("[")[0] and param.type is not None:
                yield from _of_bound(ctx, node, param, param.type, checked.bound)
    for index in around(node, ast.Index, span):
        if any(item.span == span for item in index.items):
            kind, edges = checked.type, len(index.items) == 1
            if edges and isinstance(kind, ty.IndexType) and kind.bound == checked.bound + 2:
                written = f'{index.base.span.text}.at[{span.text} - 1].get(mode="clip")'
                words = "if it is a place among edges, the element is between two of them: `{}`"
                yield from offers(ctx, words, replace_with(index.span, written))
            else:
                yield from tried(ctx, span, _NEAR)


_AT_THE_OTHER_END = (
    "if it goes on at the other end: `{}`",
    "A + B => (A + B) % Z",
    "A - B => (A - B) % Z",
)


def _around(ctx: Context, node: ast.Def, span: Span, bound: str) -> Iterator[Help]:
    """The index before or behind another one, which goes on at the other end; where it is bound, if it has a name."""
    for place in [each.value.span for each in lets_of(node, span.text)] or [span]:
        yield from tried(ctx, place, _AT_THE_OTHER_END, {"Z": [bound]})


def _of_bound(ctx: Context, node: ast.Def, param: ast.Param, stated: ast.TypeExpr, bound: Size) -> Iterator[Help]:
    """The parameter with the type of an index."""
    base = stated.base if isinstance(stated, ast.IndexedType) else stated
    dtype = dt.BY_NAME.get(base.span.text)
    edits = (Edit(stated.span, f"idx[{bound}]{stated.span.text[len(base.span.text) :]}"),)
    if dtype is not None and dtype.is_integer and mends(ctx, edits):
        name = param.name.name
        always = f"if `{name}` is always in bounds, as a label or a category is"
        words = f"{always}, take an index: the parameter `{name}: {edits[0].text}`"
        yield Help(words, () if is_mentioned(node) else edits)
