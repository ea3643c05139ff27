"""Repairs of masked selections: a `where` inside a reduction, or in place of a slice whose length is only known at run
time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from typechecker.errors.repairs.trial import apply_edits, definition_around, type_of
from typechecker.errors.words import bare, operand

if TYPE_CHECKING:
    from typechecker.env.context import Context

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
    value = apply_edits(whole.value, tuple([Edit(span, text) for span, text in inside]))
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
