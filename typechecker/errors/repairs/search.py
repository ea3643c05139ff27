"""The last step of every help: what it would write is tried before it is shown, and few are shown.

When a definition has been checked, its errors come here. An edit that does not remove its error is not offered,
whatever proposed it. Of a first error whose help says nothing that could be carried out, other orders are tried: of the
names of a pattern, the parts of a tuple, the arguments of a call; and what may stand for a value that may be `none`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.records import replace
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import type as ty
from typechecker.errors.repairs.trees import OFFERED, bindings, integer, rewritten, sizes_in, unused
from typechecker.errors.repairs.trial import is_right, key_of, mends, removes, type_of
from typechecker.errors.words import format_type, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context


HELPS = 2
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


ORDERS = 8
"""How many other orders of a definition are tried."""


class Order(Struct, frozen=True):
    """Other texts of some parts of `whole`; `gives` is what a pattern takes apart. `words` is said before the text."""

    whole: Span
    edits: tuple[Edit, ...]
    words: str = "write what is given in another order:"
    gives: ast.Expr | None = None


def in_another_order(ctx: Context, node: ast.Def, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The errors that were found in a definition: one alone, with its help, where another order mends them all."""
    inside = [d for d in found if node.span.covers(d.primary.span)]
    if not inside:
        return [*found]
    free = _free_name(ctx, node, inside[0])
    if free is not None:
        others = [advice for advice in inside[0].help if advice.edits != free.edits]
        return [replace(d, help=(free, *others)) if d is inside[0] else d for d in found]
    kept = [advice for advice in inside[0].help if advice.edits]
    if not all(_declares(node, advice) for advice in kept):
        return [*found]
    optional = _optional_in(ctx, node, inside[0])
    if optional is not None:
        same = [d for d in inside[1:] if _optional_in(ctx, node, d) == optional]
        words = (
            f"`{optional}` may be `none`: provide a value for that case: `if {optional} == none then … else {optional}`"
        )
        first = replace(inside[0], help=(Help(words), *kept))
        return [first, *(d for d in found if d is not inside[0] and d not in same)]
    tried = (order for order in islice(_orders(node, inside[0].primary.span), ORDERS) if not _is_alike(ctx, order))
    order = next((order for order in tried if mends(ctx, order.edits) and is_right(ctx, node, order.edits)), None)
    if order is None:
        return [*found]
    advice = Help(_said(ctx, node, order), order.edits)
    return [replace(inside[0], help=(advice, *kept)), *(d for d in found if d not in inside)]


def _optional_in(ctx: Context, node: ast.Def, error: Diagnostic) -> str | None:
    """Return the first name or field at the place of an error that may be `none` in place of a number, which the error
    says."""
    place, said = error.primary.span, [error.message, *(each.text for each in (error.primary, *error.secondary))]
    blocks = around(node, ast.Block, place)
    for each in nodes(node.body):
        if isinstance(each, ast.Name | ast.Field) and place.covers(each.span):
            kind = type_of(ctx, each.span.text, blocks[0].result.span if blocks else place)
            if isinstance(kind, ty.OptionalType) and kind.base in (ty.INT, ty.SIZE, ty.FLOAT, ty.BOOLEAN):
                shown = format_type(ctx, kind)
                if any(shown in text for text in said):
                    return each.span.text
    return None


def _declares(node: ast.Def, advice: Help) -> bool:
    """Return whether a help changes the declared result alone."""
    return node.result is not None and all(node.result.span.covers(edit.span) for edit in advice.edits)


def _free_name(ctx: Context, node: ast.Def, error: Diagnostic) -> Help | None:
    """Return a name that is bound and not used in place of one at an error, where the definition is right then."""
    place, taken, names = error.primary.span, sizes_in(node), [*_names(node.body)]
    mentioned = {each.name for each in names}
    sizes = [param.name.name for param in node.params if param.static and param.name.name not in mentioned]
    free = dict.fromkeys([each for each in (*unused(node), *sizes) if each[:1].islower()])
    if not free:
        return None
    bound, places = Counter(bindings(node)), {(each.name, each.span.start) for each in _names(node)}
    uses = Counter(name for name, _ in places)
    for each in names:
        if place.covers(each.span) and each.name not in taken:
            left_over = bound[each.name] if uses[each.name] == 1 else 0
            for name in free:
                edits = (Edit(each.span, name),)
                fewer_unused = name in sizes or left_over < bound[name]
                if fewer_unused and mends(ctx, edits) and is_right(ctx, node, edits):
                    written = f"`{rewritten(place, *edits)}`" if each.span != place and snippet(place, 48) else "it"
                    return Help(f"`{name}` is not used yet: did you mean {written}?", edits)
    return None


def _names(node: object) -> Iterator[ast.Name]:
    return (each for each in nodes(node) if isinstance(each, ast.Name))


def _orders(node: ast.Def, place: Span) -> Iterator[Order]:
    for each in nodes(node.body):
        given = [arg.value for arg in each.args] if isinstance(each, ast.Call) else []
        if any(isinstance(value, ast.Name) and value.span == place for value in given):
            edit = Edit(place, f"fn (a, b) -> {place.text}(b, a)")
            yield Order(place, (edit,), "it is called with its arguments in another order:")
    for each in nodes(node.body):
        if isinstance(each, ast.Let) and isinstance(each.pattern, ast.TuplePattern) and not any(each.pattern.types):
            yield from _permuted(each.pattern.span, each.pattern.parts, each.value)
    for each in nodes(node.body):
        match each:
            case ast.TupleLit(items, span) if span.covers(place) or place.covers(span):
                yield from _permuted(span, items)
            case ast.Call(ast.Name("max" | "min" as name), (_, ast.Argument(None, axis)), span) if (
                integer(axis) is not None
            ):
                words = f"`{name}` of two compares element by element; along an axis it is"
                yield Order(span, (Edit(axis.span, f"axis={axis.span.text}"),), words)
            case ast.Call(ast.Name() | ast.Field(), args, span) if span.covers(place):
                yield from _permuted(span, [arg.value for arg in args if arg.name is None])


def _permuted(
    whole: Span, parts: Sequence[ast.Pattern] | Sequence[ast.Expr | ast.Splice], gives: ast.Expr | None = None
) -> Iterator[Order]:
    """The orders of two or three parts that each name something: numbers stand where they are meant to."""
    names = all(any(isinstance(each, ast.Pattern | ast.Name) for each in nodes(part)) for part in parts)
    texts = [part.span.text for part in parts]
    for other in islice(permutations(texts), 1, None) if names and 2 <= len(parts) <= 3 else ():
        pairs = zip(parts, other, strict=True)
        edits = tuple([Edit(part.span, text) for part, text in pairs if part.span.text != text])
        yield Order(whole, edits, gives=gives)


def _is_alike(ctx: Context, order: Order) -> bool:
    """Return whether all that changes places has one type: then no type is wrong for its place, and only the values
    differ."""
    if order.gives is not None or len(order.edits) < 2:
        return False
    kinds = {type_of(ctx, edit.span.text, edit.span) for edit in order.edits}
    return len(kinds) == 1 and None not in kinds


def _said(ctx: Context, node: ast.Def, order: Order) -> str:
    written = rewritten(order.whole, *order.edits).strip()
    if order.gives is None:
        return f"{order.words} `{written}`"
    ends = [each.result.span for each in nodes(node.body) if isinstance(each, ast.Block)]
    kinds = [type_of(ctx, order.gives.span.text, end) for end in ends if end.start >= order.gives.span.end]
    kind = next((kind for kind in kinds if isinstance(kind, ty.TupleType)), None)
    shown = snippet(order.gives.span, 64) or order.gives.span.text.partition("(")[0].split(" ")[0]
    gives = "" if kind is None else f"`{shown}` gives {format_type(ctx, kind)}: "
    return f"{gives}write `let {written} = …`"
