"""Changes of an expression that would give it a shape that fits, for "did you mean …?".

Each is checked in place before it is offered: `type_of` infers what the changed text would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, permutations
from operator import mul
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Dim, Shape, ShapeVar
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import FloorDiv, Opaque, Size, SizeVar
from dsl.types.static_conditions import is_free_number
from dsl.types.type import Type
from dsl.types.walk import leading_axes
from typechecker.errors.causes import Operation
from typechecker.errors.repairs.edits import (
    Goal,
    proposals,
    transposed,
    with_another_size,
    with_kept_axis,
    with_list_of_one,
    with_more_axes,
    with_new_axes,
    with_other_names,
    without_new_axes,
)
from typechecker.errors.repairs.trees import ALL, NEW, expression_at, index, mentions, rewritten, tree_of, write
from typechecker.errors.repairs.trial import definition_around, first_that_checks, mends, offers, type_of
from typechecker.errors.words import bare, operand, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term


def other_type(ctx: Context, failure: ShapeFailure, terms: Sequence[Term]) -> tuple[str | None, tuple[Edit, ...]]:
    """The type of a parameter with the size that is wanted, where nothing else speaks of its own."""
    info = ctx.program.modules[ctx.body.module].definitions.get(ctx.body.owner)
    for term, own, other in zip(terms[::-1], failure.sizes[::-1], failure.sizes, strict=False):
        name = snippet(term.span)
        param = None if info is None else next((p for p in info.node.params if p.name.name == name), None)
        binding = ctx.scope.lookup(name)
        if info is None or param is None or param.type is None or binding is None or binding.kind != "param":
            continue
        atom = own.as_atom() if isinstance(own, Size) else None
        uses = mentions(param.type, atom.name) if isinstance(atom, SizeVar) else []
        if isinstance(atom, SizeVar) and uses and uses == mentions(info.node, atom.name):
            mended = with_another_size(param.type, atom.name, other)
            return f"did you mean `{name}: {mended}`?", replace_with(param.type.span, mended)
    return None, ()


def repairs(ctx: Context, failure: ShapeFailure, what: Operation, span: Span) -> list[tuple[Edit, ...]]:
    """The first change of one of two operands, or the swap of both, with which the operation checks; the next one too,
    if both say which axes an operand has. Where one text is checked for several values, it has to check for all."""
    sides = [_side(ctx, term) for term in what.terms if span.covers(term.span)]
    if len(sides) != 2 or sides[0] is None or sides[1] is None:
        return []
    left, right = sides[0], sides[1]
    found = _products(left, right) if failure.kind == "inner sizes differ" else _broadcasts(what.name, left, right)
    checked = (edits for edits in found if type_of(ctx, rewritten(span, *edits), span) is not None)
    if ctx.program.task.replay.calls:
        checked = (edits for edits in checked if mends(ctx, edits))
    first = next(checked, ())
    if not first or "None" not in first[0].text or (len(first) == 1 and first[0].text.endswith(":]")):
        return [first] if first else []
    second = next(checked, ())
    alike = bool(second) and second[0].span == first[0].span and "None" in second[0].text
    return [first, second] if alike else [first]


class _Side(Struct, frozen=True):
    """One of two operands."""

    span: Span
    root: ast.Expr
    shape: Shape

    def changed(self, new: ast.Expr) -> tuple[Edit, ...]:
        return replace_with(self.span, write(new))


def _side(ctx: Context, term: Term) -> _Side | None:
    root, shape = tree_of(term.span), leading_axes(ctx.resolve(term.type)) or Shape(())
    return None if root is None or not snippet(term.span, 48) or shape.rank is None else _Side(term.span, root, shape)


def _products(left: _Side, right: _Side) -> Iterator[tuple[Edit, ...]]:
    yield right.changed(transposed(right.root))
    yield left.changed(transposed(left.root))
    yield (Edit(left.span, operand(right.span.text)), Edit(right.span, operand(left.span.text)))


def _broadcasts(name: str, left: _Side, right: _Side) -> Iterator[tuple[Edit, ...]]:
    rank = len(left.shape.dims)
    if rank == len(right.shape.dims) > 0 and not _of_one_size(left.shape, right.shape):
        rest = [ALL] * (rank - 1)
        one, two = [[index(side.root, *items, *rest) for items in ((ALL, NEW), (NEW, ALL))] for side in (left, right)]
        yield from ((*left.changed(a), *right.changed(b)) for a, b in zip(one, two[::-1], strict=True))
    for side, other in ((right, left.shape.dims), (left, right.shape.dims)):
        mine = side.shape.dims
        missing = len(other) - len(mine)
        yield from map(side.changed, without_new_axes(side.root))
        for kept in with_kept_axis(side.root):
            yield replace_with(side.span, rewritten(Span(side.root.span.source, 0, len(side.span.text)), kept))
        yield from map(side.changed, with_more_axes(side.root, missing))
        if name == "*" and len(mine) == len(other) == 2 and left.shape.dims[1] == right.shape.dims[0]:
            yield (Edit(Span(left.span.source, left.span.end, right.span.start), " @ "),)
        if missing == 0 and mine[-1:] == (Size.of(1),) and len(mine) == 2:
            yield side.changed(transposed(side.root))
        yield from (side.changed(with_new_axes(side.root, axes, len(other))) for axes in _places(mine, other))


def _of_one_size(left: Shape, right: Shape) -> bool:
    """Return whether axes that meet have sizes of one variable: nearly equal, they are meant to be equal."""
    pairs = zip(left.dims, right.dims, strict=True)
    return any(a != b and not _variables(a).isdisjoint(_variables(b)) for a, b in pairs)


def _variables(dim: Dim) -> frozenset[SizeVar | ShapeVar]:
    return Shape((dim,)).vars() | Shape((dim,)).shape_vars()


def _places(mine: Sequence[Dim], other: Sequence[Dim]) -> list[tuple[int, ...]]:
    """The axes among those of another array that these may meet, the last ones first: those of the same sizes, or where
    there are none, those that they stretch."""
    choices = [list(zip(axes, mine, strict=True)) for axes in combinations(range(len(other)), len(mine)) if axes]
    same = [pairs for pairs in choices if all(other[k] == size for k, size in pairs)]
    found = same or [pairs for pairs in choices if all(other[k] in (size, Size.of(1)) for k, size in pairs)]
    return [tuple(k for k, _ in pairs) for pairs in sorted(found, key=lambda pairs: -pairs[-1][0])]


def reshape_to(ctx: Context, actual: Shape, wanted: Shape, span: Span) -> str | None:
    """An expression close to the one at a place that has the shape which is wanted there, if one is likely."""
    root = tree_of(span) if snippet(span, 80) and actual.rank is not None else None
    for other in () if root is None else proposals(Goal(root, actual, wanted)):
        type_ = type_of(ctx, other, span)
        if isinstance(type_, ty.ArrayType | ty.IndexType) and type_.shape == wanted:
            return other
    return None


def mapped_call(ctx: Context, name: str, argument: Span) -> tuple[Edit, ...]:
    """The change of the call of a function of one argument that maps it over an axis that it does not take, if that
    checks."""
    call = Span(argument.source, max(argument.start - len(name) - 1, 0), argument.end + 1)
    mapped = f"vmap({name})({argument.text})"
    fits = call.text == f"{name}({argument.text})" and type_of(ctx, mapped, call) is not None
    return replace_with(call, mapped) if fits else ()


def is_of_signature(ctx: Context, shape: Shape, kind: Type, place: Span) -> bool:
    """Return whether the type of what stands at a place, of this shape, may stand in the signature: all that it
    mentions has a name there, and it is read as it is written."""
    names = [*(var.name for var in shape.vars()), *(var.name for var in shape.shape_vars())]
    bindings = [ctx.scope.lookup(name) for name in names]
    named = all(binding is not None and binding.kind in ("size", "static", "generic") for binding in bindings)
    inside = any(isinstance(atom, Opaque) and is_free_number(atom) for atom in shape.atoms())
    return named and not inside and type_of(ctx, f"(fn (v: {plain_type(ctx, kind)}) -> v)({place.text})", place) == kind


def with_vectors(ctx: Context, span: Span) -> str | None:
    """An expression with a list of one in the place of its first scalar that is written out."""
    root = tree_of(span)
    return None if root is None else first_that_checks(ctx, with_list_of_one(root), span)


_ENDS = (
    ("{}:", "if the first {} of `{}` {} to be left out, as where each meets the step that leads to it"),
    (":-{}", "if the last {} of `{}` {} to be left out, as where each meets the step that begins with it"),
)


def without_ends(ctx: Context, sides: Sequence[tuple[Span, Sequence[Dim]]]) -> Iterator[Help]:
    """The longer of two sides without some of its first or last elements, where as many are too many for all sizes."""
    for (place, dims), (_, others) in permutations(sides, 2) if len(sides) == 2 else ():
        pairs = zip(dims, others, strict=False) if len(dims) == len(others) else ()
        gaps = [(k, a - b) for k, (a, b) in enumerate(pairs) if isinstance(a, Size) and isinstance(b, Size) and a != b]
        if len(gaps) != 1 or not 0 < (gap := gaps[0][1].constant or 0) <= 2 or "\n" in place.text:
            continue
        for end, words in _ENDS:
            edits = replace_with(place, f"{operand(place.text)}[{':, ' * gaps[0][0]}{end.format(gap)}]")
            said = words.format("one" if gap == 1 else "two", place.text, "is" if gap == 1 else "are")
            yield from [Help(f"{said}: `{edits[0].text}`", edits)] if mends(ctx, edits) else []


def whole_quotients(ctx: Context, old: Dim, new: Dim) -> fa.Prop | None:
    """The conditions that quotients of sizes leave nothing over, if two numbers of elements are equal then."""
    if not isinstance(old, Size) or not isinstance(new, Size):
        return None
    stated: fa.Prop = fa.Known(True)
    for atom in Shape((old, new)).atoms():
        if isinstance(atom, FloorDiv) and atom.numerator.as_atom() is not None:
            stated = fa.conjunction((stated, fa.eq(atom.numerator % atom.denominator, Size.of(0))))
    known = stated == fa.Known(True)
    return None if known or not ctx.assuming(stated).holds(fa.eq(old, new)) else stated


def of_other_names(ctx: Context, failure: ShapeFailure, what: Operation) -> Iterator[tuple[Edit, ...]]:
    """An operand by what it may have been confused with: the other size where it is made, the other axis where it is
    indexed, a name that is bound and not used."""
    node = next((definition_around(ctx, term.span) for term in what.terms), None)
    sizes = [str(size) for size in failure.sizes]
    named = sizes if all(map(str.isidentifier, sizes)) else []
    for term in what.terms if node is not None else ():
        root = expression_at(node, term.span)
        if root is not None and snippet(term.span, 64):
            changes = with_other_names(root, named)
            yield from (replace_with(term.span, rewritten(term.span, *each)) for each in changes)
        if isinstance(root, ast.Name) and node is not None:
            yield from (replace_with(term.span, name) for name in _unused(node))


def _unused(node: ast.Def) -> list[str]:
    """The names that are bound in a definition and occur nowhere else."""
    bound = [each.name for each in nodes(node) if isinstance(each, ast.NamePattern)]
    names = [*(param.name.name for param in node.params), *bound]
    return [name for name in names if not mentions(node, name)]


COUNTS = ("one element", "two elements", "three elements")


def shorter_concatenations(ctx: Context, span: Span, actual: Shape, wanted: Shape) -> Iterator[Help]:
    """The concatenation at a place with fewer elements, where the same small number is too many for all sizes."""
    items = _items(ctx, span)
    if not items or not actual.dims or not wanted.dims or actual.dims[1:] != wanted.dims[1:]:
        return
    long, short = actual.dims[0], wanted.dims[0]
    if not isinstance(long, Size) or not isinstance(short, Size):
        return
    extra = (long - short).constant or 0
    if not 0 < extra <= len(COUNTS):
        return
    without = [(item, edits) for item, edits in _without_one(items, extra) if mends(ctx, edits)]
    later = [edits for edits in _begun_later(items, extra) if mends(ctx, edits)]
    said = f"it is {COUNTS[extra - 1]} too long"
    for item, edits in without:
        place = "first" if item == items[0].span else "last" if item == items[-1].span else "inner"
        yield Help(f"{said}: leave out the {place} part `{item.text}`", edits)
    for edits in later:
        yield Help(f"{said}: begin at `{edits[0].text}`", edits)


def _items(ctx: Context, span: Span) -> tuple[ast.Expr, ...]:
    """The items of the concatenation at a place; none where they are not written out there."""
    around = definition_around(ctx, span)
    for node in nodes(around) if around is not None else ():
        match node:
            case ast.Call(ast.Name("concatenate"), (ast.Argument(value=ast.TupleLit(items)), *_), place) if (
                place == span
            ):
                return items
            case _:
                pass
    return ()


def _without_one(items: tuple[ast.Expr, ...], extra: int) -> Iterator[tuple[Span, tuple[Edit, ...]]]:
    """Each list of as many numbers, and the edit that leaves it out with its comma; two items remain at least."""
    for k, item in enumerate(items) if len(items) > 2 else ():
        numbers = item.items if isinstance(item, ast.ListLit) else ()
        if len(numbers) == extra and all(isinstance(each, ast.NumberLit) for each in numbers):
            source = item.span.source
            start, end = (item.span.start, items[1].span.start) if k == 0 else (items[k - 1].span.end, item.span.end)
            yield item.span, (Edit(Span(source, start, end), ""),)


def _begun_later(items: tuple[ast.Expr, ...], extra: int) -> Iterator[tuple[Edit, ...]]:
    """Each slice `base[start:]` that begins as many elements later, and each array that is not sliced."""
    for item in items:
        match item:
            case ast.Index(base=base, items=(ast.Slice(start=start, stop=None, step=None),)):
                first = 0 if start is None else _number(start)
                if first is not None:
                    yield replace_with(item.span, f"{base.span.text}[{first + extra}:]")
            case ast.Name():
                yield replace_with(item.span, f"{item.span.text}[{extra}:]")
            case _:
                pass


def _number(node: ast.Expr) -> int | None:
    return node.value if isinstance(node, ast.NumberLit) and isinstance(node.value, int) else None


RANK = 5
"""Axes of a shape whose orders are tried."""


def joined_axes(ctx: Context, actual: Shape, wanted: Shape, span: Span) -> Iterator[Help]:
    """A value whose axes are joined into those that are wanted, if there is one order of axes for it."""
    sizes, whole = [d for d in actual.dims if isinstance(d, Size)], [d for d in wanted.dims if isinstance(d, Size)]
    if len(sizes) < len(actual.dims) or len(whole) < len(wanted.dims) or not len(whole) < len(sizes) <= RANK:
        return
    orders = [order for order in permutations(range(len(sizes))) if _joins([sizes[k] for k in order], order, whole)]
    if len(orders) == 1 and "\n" not in span.text:
        order = orders[0]
        kept = order == tuple(range(len(sizes)))
        value = bare(span.text) if kept else f"transpose({bare(span.text)}, ({', '.join(map(str, order))}))"
        edits = replace_with(span, f"reshape({value}, [{', '.join(map(str, whole))}])")
        yield from offers(ctx, "it has as many elements; its axes are joined by `{}`", edits)


def _joins(sizes: Sequence[Size], order: Sequence[int], whole: Sequence[Size]) -> bool:
    """Return whether sizes next to one another have these products; those that are joined keep their order."""
    if not whole:
        return not sizes
    for count in range(1, len(sizes) - len(whole) + 2):
        joined = reduce(mul, sizes[:count])
        if joined == whole[0] and list(order[:count]) == sorted(order[:count]):
            return _joins(sizes[count:], order[count:], whole[1:])
    return False
