"""Repairs of what is selected: reads beyond an end; masks: a `where` inside a reduction, or in place of a slice whose
length is only known at run time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import facts as fa
from dsl.types.size import Size, SizeVar
from typechecker.errors.repairs.trees import declarations, mentions, rewritten
from typechecker.errors.repairs.trial import definition_around, first_that_mends, mends, type_of
from typechecker.errors.words import bare, operand, snippet

if TYPE_CHECKING:
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
    sums = first_that_mends(ctx, _with_first_sum(node, read))
    if sums:
        return (Help(f"let sums begin with that of no element: `{sums[0].text}`", sums),)
    turns = next(iter(_turns(ctx, node, read)), None)
    shifted = None if turns is None else _shifted(turns, read)
    if shifted is not None and mends(ctx, shifted.edits):
        return (shifted,)
    fewer = [] if turns is None else [*_fewer(ctx, node, turns, read)]
    other = [each for each in _instead(ctx, node, read) if mends(ctx, each.edits)] if read.first == read.last else []
    return (*fewer, *other)


def _with_first_sum(node: ast.Def, read: Read) -> Iterator[tuple[Edit, ...]]:
    """Running sums that are read behind their end, with the sum of no element in front: then those of the elements
    from one place up to another are a difference of two."""
    for index in around(node, ast.Index, read.span)[:1]:
        for let in nodes(node):
            match let:
                case ast.Let(ast.NamePattern(name), _, ast.Call(ast.Name("cumsum"), (_,), span)) if (
                    name == index.base.span.text
                ):
                    for zero in ("0.0", "0"):
                        yield (Edit(span, f"concatenate(([{zero}], {span.text}))"),)
                case _:
                    pass


def _turns(ctx: Context, node: ast.Def, read: Read) -> list[_Turns]:
    """The loops around that the places depend on, the innermost first."""
    found = []
    traced = {var.name: var for var in read.first.vars() | read.last.vars() if var in ctx.body.ranges}
    loops: list[ast.Comprehension | ast.Loop] = [
        *around(node, ast.Comprehension, read.span),
        *around(node, ast.Loop, read.span),
    ]
    for loop in sorted(loops, key=lambda each: each.span.end - each.span.start):
        for place, clause in enumerate(loop.clauses if isinstance(loop, ast.Comprehension) else (loop.clause,)):
            var = traced.get(clause.pattern.span.text)
            low, high = (None, None) if var is None else ctx.body.ranges[var]
            if var is not None and low is not None and high is not None and _is_range(clause.iterable):
                found.append(_Turns(loop, clause, place, var, low, high))
    return found


def _is_range(node: ast.Expr) -> bool:
    return isinstance(node, ast.Call) and node.function.span.text == "range" and len(node.args) < 3


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
    bounds = _bounds(ctx, turns, read)
    if bounds is None:
        return
    low, high = bounds
    written = f"range({high})" if low == Size.of(0) else f"range({low}, {high})"
    edits: tuple[Edit, ...] = (Edit(turns.clause.iterable.span, written),)
    shown = f"`for {turns.clause.pattern.span.text} in {written}` leaves out what is not there"
    if mends(ctx, edits):
        yield Help(shown, edits)
        return
    kind = _resized(node, turns, high - low)
    if kind is not None and mends(ctx, (*edits, kind)):
        yield Help(f"{shown}: the result is `{kind.text}` then", (*edits, kind))


def _bounds(ctx: Context, turns: _Turns, read: Read) -> tuple[Size, Size] | None:
    """Within which bounds the reads of a body stay in bounds, as far as they are the index and a number."""
    var, size = Size.of(turns.var), read.size
    ahead, behind = read.last - var, read.first - var
    if turns.var in ahead.vars() or turns.var in behind.vars():
        return None
    offsets = [Size.of(each) for each in _offsets(turns)]
    low, high = turns.low, turns.high
    for offset in [behind, *(offsets if behind.constant is not None else ())]:
        low = low if ctx.holds(fa.le(-offset, low)) else -offset
    for offset in [ahead, *(offsets if ahead.constant is not None else ())]:
        high = high if ctx.holds(fa.le(high, size - offset)) else size - offset
    return (low, high) if (low, high) != (turns.low, turns.high) else None


def _offsets(turns: _Turns) -> Iterator[int]:
    """The numbers that the body adds to the index of the loop, in indices."""
    name = turns.clause.pattern.span.text
    for index in nodes(turns.loop.body):
        for item in index.items if isinstance(index, ast.Index) else ():
            match item:
                case ast.Binary("+" | "-" as op, ast.Name() as left, ast.NumberLit() as right) if left.name == name:
                    yield int(f"{op}{right.span.text}") if right.span.text.isdigit() else 0


def _resized(node: ast.Def, turns: _Turns, length: Size) -> Edit | None:
    """The declared result with another size of the axis that a comprehension makes, where no caller is seen."""
    kind, called = node.result, mentions(declarations(node.span.source), node.name.name)
    if called or not isinstance(kind, ast.IndexedType) or not isinstance(turns.loop, ast.Comprehension):
        return None
    sizes = [str(length) if k == turns.place else size.span.text for k, size in enumerate(kind.args)]
    return Edit(kind.span, f"{kind.base.span.text}[{', '.join(sizes)}]")


def _instead(ctx: Context, node: ast.Def, read: Read) -> Iterator[Help]:
    """Yield substitutes for an element that does not exist."""
    item, size = read.span.text, read.size
    found = next((each for each in around(node, ast.Index, read.span) if read.span in _places(each.items)), None)
    if found is None or not snippet(found.span):
        return
    below, above = not ctx.holds(fa.ge(read.first, 0)), not ctx.holds(fa.lt(read.last, size))
    nearest = f"max({item}, 0)" if below else item
    nearest = f"min({nearest}, {size - 1})" if above else nearest
    end = "nearest" if below and above else "first" if below else "last"
    for written, meaning in (
        (f"{operand(item)} % {size}", "goes on at the other end"),
        (nearest, f"takes the {end} one again"),
    ):
        edits = (Edit(read.span, written),)
        yield Help(f"`{rewritten(found.span, *edits)}` {meaning}", edits)
    base = found.base.span
    inside = f'{base.text}.at{found.span.text[len(base.text) :]}.get(mode="fill", fill=0)'
    yield Help(f"`{inside}` takes zero there", (Edit(found.span, inside),))


def _places(items: Sequence[ast.IndexItem]) -> list[Span]:
    return [item.span for item in items]


_REDUCED: Mapping[str, str] = MappingProxyType(
    {
        "sum": "sum(where({places}, {value}, 0){options})",
        "mean": "sum(where({places}, {value}, 0){options}) / sum({dtype}({mask}))",
        "prod": "prod(where({places}, {value}, 1){options})",
        "max": "max(where({places}, {value}, -inf){options})",
        "min": "min(where({places}, {value}, inf){options})",
        "len": "sum({counted}({mask}))",
    }
)
"""What reductions of selected elements are, by the mask and the values of all elements."""


class _Reduction(Struct, frozen=True):
    """A reduction of what is computed element by element, and how it is called."""

    span: Span
    name: str
    value: Span
    options: str = ""


def reduced_by_mask(ctx: Context, mask: Span, dtype: str) -> Iterator[tuple[Edit, ...]]:
    """The reductions of what a mask selects as such of all elements. Where a `let` binds what is selected, it binds the
    mask instead. A mask of the first axis alone stands for all elements behind it."""
    node = definition_around(ctx, mask)
    selected = None if node is None else _selected(node, mask)
    if node is None or selected is None:
        return
    let = next((each for each in nodes(node) if isinstance(each, ast.Let) and each.value.span == selected.span), None)
    name = let.pattern.name if let is not None and isinstance(let.pattern, ast.NamePattern) else None
    places = _alike(node, selected) if name is None else _uses(node, name)
    edits = () if name is None else (Edit(selected.span, bare(mask.text)),)
    written = name or bare(mask.text)
    wholes = dict.fromkeys(_reduction(node, place) for place, _ in places)
    for stretched, counted in product((written, f"{operand(written)}[:, None]"), ("i32", dtype)):
        words = {"places": stretched, "mask": written, "counted": counted, "dtype": dtype}
        found = [_of_all_elements(node, whole, places, selected.base.span.text, words) for whole in wholes if whole]
        if found and len(found) == len(wholes):
            yield (*edits, *sorted(found, key=lambda edit: edit.span.start))


def _selected(node: ast.Def, mask: Span) -> ast.Index | None:
    return next((each for each in around(node, ast.Index, mask) if [i.span for i in each.items] == [mask]), None)


def _uses(node: ast.Def, name: str) -> list[tuple[Span, Span | None]]:
    return [(each.span, None) for each in nodes(node) if isinstance(each, ast.Name) and each.name == name]


def _alike(node: ast.Def, selected: ast.Index) -> list[tuple[Span, Span | None]]:
    """Find selections by the same mask inside the same reduction."""
    whole = _reduction(node, selected.span)
    items = [item.span.text for item in selected.items]
    found = [n for n in nodes(node) if isinstance(n, ast.Index) and [item.span.text for item in n.items] == items]
    return [(each.span, each.base.span) for each in found if whole is not None and whole.span.covers(each.span)]


def _reduction(node: ast.Def, place: Span) -> _Reduction | None:
    """Return the reduction of an elementwise expression of the selection at a location, or of its length."""
    holders = [n for n in nodes(node) if isinstance(n, _HOLDERS) and n.span.covers(place) and n.span != place]
    for each in sorted(holders, key=lambda n: n.span.end - n.span.start):
        match each:
            case ast.Call(ast.Name(name), (ast.Argument(None, value), *options)) if name in _REDUCED:
                return _Reduction(each.span, name, value.span, "".join([f", {option.span.text}" for option in options]))
            case ast.Call(ast.Field(value, ast.Ident(name)), ()) if name in _REDUCED:
                return _Reduction(each.span, name, value.span)
            case ast.Field(value, ast.Ident("size")) | ast.Index(ast.Field(value, ast.Ident("shape"))):
                return _Reduction(each.span, "len", value.span) if value.span == place else None
            case ast.Binary() | ast.Unary() | ast.Field():
                pass
            case _:
                return None
    return None


_HOLDERS = (ast.Call, ast.Field, ast.Index, ast.Binary, ast.Unary, ast.Compare, ast.If, ast.ListLit, ast.TupleLit)


def _of_all_elements(
    node: ast.Def,
    whole: _Reduction,
    places: Sequence[tuple[Span, Span | None]],
    base: str,
    words: Mapping[str, str],
) -> Edit:
    """The reduction with all elements in place of those that are selected."""
    inside = [(span, base if own is None else own.text) for span, own in places if whole.value.covers(span)]
    value = rewritten(whole.value, *[Edit(span, text) for span, text in inside])
    text = _REDUCED[whole.name].format(value=value, options=whole.options, **words)
    operators = [each for each in around(node, ast.Binary, whole.span) if each.span != whole.span]
    return Edit(whole.span, f"({text})" if operators and " / " in text else text)


def static_name(ctx: Context, place: Span) -> str | None:
    """The one name in the bounds of a slice, if it may be made static: no loop binds it."""
    node = definition_around(ctx, place)
    names = {each.name for item in _slices(node, place) for each in nodes(item) if isinstance(each, ast.Name)}
    loops: list[ast.Loop | ast.Comprehension] = []
    if node is not None:
        loops = [*around(node, ast.Loop, place), *around(node, ast.Comprehension, place)]
    bound = {each.name for loop in loops for each in _bound_by(loop)}
    return next(iter(names)) if len(names) == 1 and not names & bound else None


def _bound_by(loop: ast.Loop | ast.Comprehension) -> Iterator[ast.NamePattern]:
    patterns = [loop.clause.pattern, loop.carry] if isinstance(loop, ast.Loop) else [c.pattern for c in loop.clauses]
    return (each for each in nodes(patterns) if isinstance(each, ast.NamePattern))


def _slices(node: ast.Def | None, place: Span) -> list[ast.Slice]:
    return [item for each in _indexed(node, place) for item in each.items if isinstance(item, ast.Slice)]


def _indexed(node: ast.Def | None, place: Span) -> list[ast.Index]:
    """Return the index expressions with exactly the index at a location."""
    found = [] if node is None else around(node, ast.Index, place)
    return [each for each in found if [item.span for item in each.items] == [place]]


def masked_slice(ctx: Context, place: Span) -> tuple[Edit, ...]:
    """The first elements of an array, or what is done with them, by a mask; none if that does not check."""
    node = definition_around(ctx, place)
    for index in _indexed(node, place):
        match index.items[0]:
            case ast.Slice(None, ast.Name() | ast.NumberLit() | ast.Field() as stop, None):
                found = _by_mask(node, index, stop.span.text)
                if found is not None and type_of(ctx, found.text, found.span) is not None:
                    return (found,)
            case _:
                pass
    return ()


def _by_mask(node: ast.Def | None, index: ast.Index, stop: str) -> Edit | None:
    """Return the edit of a slice up to `stop` with zero for the other elements, or of an update that keeps the
    others."""
    match index.base:
        case ast.Field(base, ast.Ident("at")):
            for call in around(node, ast.Call, index.span):
                match call:
                    case ast.Call(ast.Field(ast.Index(), ast.Ident(name)) as function, (ast.Argument(None, value),)):
                        array, operator = base.span.text, _UPDATES.get(name)
                        if function.base.span != index.span or operator is None:
                            return None
                        changed = operator.format(array=array, value=value.span.text)
                        return Edit(call.span, f"where(arange({array}.shape[0]) < {stop}, {changed}, {array})")
                    case _:
                        pass
            return None
        case base:
            array = base.span.text
            return Edit(index.span, f"where(arange({array}.shape[0]) < {stop}, {array}, 0)")


_UPDATES: Mapping[str, str] = MappingProxyType(
    {"set": "{value}", "add": "{array} + {value}", "multiply": "{array} * {value}"}
)
"""What an update puts in place of an element."""
