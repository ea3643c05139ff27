"""Changes of an expression that would give it a shape that fits, for "did you mean …?".

Each is checked in place before it is offered: `type_of` infers what the changed text would be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from string import ascii_lowercase
from typing import TYPE_CHECKING

from msgspec import Struct

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.foreign_blocks import split_outside
from dsl.syntax.walk import nodes
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.shape import Dim, Shape, ShapeVar
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Opaque, Size, SizeVar
from dsl.types.static_conditions import is_free_number
from dsl.types.type import Type
from dsl.types.walk import leading_axes
from typechecker.errors.causes import Operation
from typechecker.errors.repairs.trial import apply_edits, definition_around, first_that_checks, mends, type_of
from typechecker.errors.words import operand, plain_type, replace_with, snippet

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
        written = param.type.span.text
        if isinstance(atom, SizeVar) and _mentions(written, atom.name) == _mentions(info.node.span.text, atom.name) > 0:
            mended = re.sub(rf"\b{re.escape(atom.name)}\b", str(other), written)
            return f"did you mean `{name}: {mended}`?", replace_with(param.type.span, mended)
    return None, ()


def _mentions(text: str, name: str) -> int:
    return len(re.findall(rf"\b{re.escape(name)}\b", text))


def repairs(ctx: Context, failure: ShapeFailure, what: Operation, span: Span) -> list[tuple[Edit, ...]]:
    """The first change of one of two operands, or the swap of both, with which the operation checks; the next one too,
    if both say which axes an operand has. Where one text is checked for several values, it has to check for all."""
    sides = [_side(ctx, term) for term in what.terms if span.covers(term.span)]
    if len(sides) != 2 or not all(side.text and side.shape.rank is not None for side in sides):
        return []
    found = _products(*sides) if failure.kind == "inner sizes differ" else _broadcasts(what.name, *sides)
    checked = (edits for edits in found if type_of(ctx, apply_edits(span, edits), span) is not None)
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
    text: str
    shape: Shape


def _side(ctx: Context, term: Term) -> _Side:
    return _Side(term.span, snippet(term.span, 48), leading_axes(ctx.resolve(term.type)) or Shape(()))


def _products(left: _Side, right: _Side) -> Iterator[tuple[Edit, ...]]:
    yield replace_with(right.span, transpose_text(right.text))
    yield replace_with(left.span, transpose_text(left.text))
    yield (*replace_with(left.span, operand(right.text)), *replace_with(right.span, operand(left.text)))


def transpose_text(text: str) -> str:
    return text.removesuffix(".T") if text.endswith(".T") else f"{operand(text)}.T"


def _broadcasts(name: str, left: _Side, right: _Side) -> Iterator[tuple[Edit, ...]]:
    rank = len(left.shape.dims)
    if rank == len(right.shape.dims) > 0 and not _of_one_size(left.shape, right.shape):
        rest = ", :" * (rank - 1)
        for one, two in ((f"[:, None{rest}]", f"[None, :{rest}]"), (f"[None, :{rest}]", f"[:, None{rest}]")):
            yield (
                *replace_with(left.span, f"{operand(left.text)}{one}"),
                *replace_with(right.span, f"{operand(right.text)}{two}"),
            )
    for side, other in ((right, left.shape.dims), (left, right.shape.dims)):
        mine = side.shape.dims
        if re.search(r"\[[:, None]+\]$", side.text):
            yield replace_with(side.span, side.text[: side.text.rindex("[")])
        for kept in _with_kept_axis(side.text):
            yield replace_with(side.span, kept)
        missing = len(other) - len(mine)
        if missing > 0 and side.text.endswith("]") and "None" in side.text:
            yield replace_with(side.span, re.sub(r"\[(?=[^\[\]]*\]$)", "[" + "None, " * missing, side.text))
        if name == "*" and len(mine) == len(other) == 2 and left.shape.dims[1] == right.shape.dims[0]:
            yield (Edit(Span(left.span.source, left.span.end, right.span.start), " @ "),)
        if missing == 0 and mine[-1:] == (Size.of(1),) and len(mine) == 2:
            yield replace_with(side.span, transpose_text(side.text))
        for axes in _places(mine, other):
            index = ", ".join(":" if k in axes else "None" for k in range(len(other)))
            yield replace_with(side.span, f"{operand(side.text)}[{index}]")


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


def _with_kept_axis(text: str) -> Iterator[str]:
    """The text with `keepdims=true` in one of the calls that reduce an axis."""
    for match in re.finditer(r"axis=-?\w+(?=\))", text):
        yield f"{text[: match.end()]}, keepdims=true{text[match.end() :]}"


def reshape_to(ctx: Context, actual: Shape, wanted: Shape, span: Span) -> str | None:
    """An expression close to the one at a place that has the shape which is wanted there, if one is likely."""
    text = snippet(span, 80)
    if not text or actual.rank is None:
        return None
    for other in _rewrites(text, actual, wanted):
        type_ = type_of(ctx, other, span)
        if isinstance(type_, ty.ArrayType | ty.IndexType) and type_.shape == wanted:
            return other
    return None


def _rewrites(text: str, actual: Shape, wanted: Shape) -> Iterator[str]:
    """All of which an index selects, the same reduction along another axis, one along an axis instead of a maximum,
    another derivative, one axis of size 1 less or more, an item several times, the axes of `einsum` or of the
    whole in another order."""
    for match in re.finditer(rf"({_PLAIN}) @ ({_PLAIN})", text):
        yield f"{text[: match.start()]}{match[2]} @ {match[1]}{text[match.end() :]}"
    for match in re.finditer(r"argnums=(\d)", text):
        yield from (f"{text[: match.start(1)]}{k}{text[match.end(1) :]}" for k in range(4))
    call = re.fullmatch(r"[\w.]+\((.*)\)", text) if (actual.rank or 0) < (wanted.rank or 0) else None
    if call is not None and not any(arg.strip().startswith("axis=") for arg in split_outside(call[1], ",")):
        yield from (f"{text[:-1]}, axis={k})" for k in (1, 0, 2))
    selected = re.fullmatch(r"(\w+)\[[^\[\]]*\]", text)
    if selected is not None:
        yield selected[1]
    reduced = re.fullmatch(r"(.+)\.(max|min)\((-?\d+)\)|(max|min)\((.+), (-?\d+)\)", text)
    if reduced:
        base, method, axis, name, argument, other = reduced.groups()
        yield f"{method or name}({base or argument}, axis={axis or other})"
    for match in re.finditer(r"axis=(\d)", text):
        for axis in {0, 1, 2} - {int(match[1])}:
            yield f"{text[: match.start()]}axis={axis}{text[match.end() :]}"
    for match in re.finditer(r"\b(grad|jacfwd|jacrev|hessian)(?=\()", text):
        yield from (
            f"{text[: match.start()]}{other}{text[match.end() :]}" for other in _DERIVATIVES if other != match[0]
        )
    if wanted.dims == actual.dims[:-1] and actual.dims[-1] == Size.of(1):
        yield f"{operand(text)}[..., 0]"
    if actual.dims == wanted.dims[1:]:
        yield re.sub(r"\[\d\]$", "", text)
    if actual.dims == wanted.dims[:-1]:
        yield f"{operand(text)}[..., None]"
    if wanted.rank == 0:
        yield re.sub(r",? *axis=-?\d+", "", text)
    yield re.sub(r"\b(zeros|ones)_like\(\w+\)", rf"\1([{', '.join(map(str, wanted.dims))}])", text)
    yield re.sub(r"_pool\(([\w.]+), (\d+)", r"_pool(\1, (\2, \2)", text)
    yield re.sub(r"_pool\(([\w.]+), (\d+)\)", r"_pool(\1, (\2, \2), \2)", text)
    for match in re.finditer(r"\brange\(([^()]*)\)", text):
        yield from (f"{text[: match.start(1)]}{size}{text[match.end(1) :]}" for size in wanted.dims)
    yield text.replace("][", ", ")
    repeated = re.sub(r"\[([\w.]+)\] \* (\w+)", r"full([\2], \1)", text)
    if repeated != text:
        yield repeated
    yield from einsum_results(text)
    if wanted.rank == 2:
        yield transpose_text(text)
    elif len(set(wanted.dims)) == wanted.rank and set(wanted.dims) == set(actual.dims):
        yield f"transpose({text}, ({', '.join([str(actual.dims.index(size)) for size in wanted.dims])}))"


_PLAIN = r"[\w.]+(?![\w.(\[])"
"""A name, or a field or the transpose of one."""


def einsum_results(text: str) -> Iterator[str]:
    """The text with the letters of the result of an `einsum` in each other order."""
    match = re.search(r'(einsum\(".*?->)(\w+)"', text)
    if match is not None:
        for letters in _orders(match[2]):
            yield f"{text[: match.start()]}{match[1]}{letters}{text[match.end() - 1 :]}"


def einsum_operands(text: str) -> Iterator[str]:
    """The text with the letters of an operand of an `einsum` in each other order, or with one more in front of those of
    an operand and of the result."""
    match = re.match(r'einsum\("([\w,]+)->(\w+)"', text)
    if match is None:
        return
    operands, result = match[1].split(","), match[2]
    used = dict.fromkeys("".join(operands))
    more = next(letter for letter in ascii_lowercase if letter not in match.group())
    for k, letters in enumerate(operands):
        renamed = [f"{letters[:at]}{new}{letters[at + 1 :]}" for at in range(len(letters)) for new in used]
        kept = [other for other in (*_orders(letters), *renamed) if len({*other}) == len(other)]
        others = [*((other, result) for other in kept), (more + letters, more + result)]
        for other, out in others:
            written = ",".join([*operands[:k], other, *operands[k + 1 :]])
            yield f'einsum("{written}->{out}"{text[match.end() :]}'


def _orders(letters: str) -> list[str]:
    """The letters in all other orders, those first that move few."""
    found = {"".join(order) for order in permutations(letters)} if len(letters) <= 4 else set()
    moved = {order: sum(a != b for a, b in zip(order, letters, strict=True)) for order in found - {letters}}
    return sorted(moved, key=lambda order: (moved[order], order))


_DERIVATIVES = ("grad", "jacrev", "hessian")


def mapped_call(ctx: Context, name: str, argument: Span) -> str | None:
    """The call of a function of one argument, mapped over an axis that it does not take, if that checks."""
    call = Span(argument.source, max(argument.start - len(name) - 1, 0), argument.end + 1)
    mapped = f"vmap({name})({argument.text})"
    if call.text != f"{name}({argument.text})":
        return None
    return None if type_of(ctx, mapped, call) is None else mapped


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
    parts = re.fullmatch(r"(\w+\([(\[])(.*)([)\]].*\))", span.text)
    if parts is None:
        return None
    items = split_outside(parts[2], ",")
    texts = [", ".join([*items[:k], f"[{item}]", *items[k + 1 :]]) for k, item in enumerate(items)]
    return first_that_checks(ctx, [f"{parts[1]}{text}{parts[3]}" for text in texts], span)


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
        for index, words in _ENDS:
            edits = replace_with(place, f"{operand(place.text)}[{':, ' * gaps[0][0]}{index.format(gap)}]")
            if mends(ctx, edits):
                said = words.format("one" if gap == 1 else "two", place.text, "is" if gap == 1 else "are")
                yield Help(f"{said}: `{edits[0].text}`", edits)


def whole_quotients(ctx: Context, old: Dim, new: Dim) -> fa.Prop | None:
    """The conditions that quotients of sizes leave nothing over, if two numbers of elements are equal then."""
    if not isinstance(old, Size) or not isinstance(new, Size):
        return None
    sizes = {var.name: Size.of(var) for var in [*old.vars(), *new.vars()]}
    stated: fa.Prop = fa.Known(True)
    for names in dict.fromkeys(re.findall(r"(\w+) // (\w+)", f"{old} {new}")):
        first, second = [Size.of(int(name)) if name.isdigit() else sizes.get(name) for name in names]
        if first is not None and second is not None:
            stated = fa.conjunction((stated, fa.eq(first % second, Size.of(0))))
    known = stated == fa.Known(True)
    return None if known or not ctx.assuming(stated).holds(fa.eq(old, new)) else stated


def of_other_names(ctx: Context, failure: ShapeFailure, what: Operation) -> Iterator[tuple[Edit, ...]]:
    """An operand by what it may have been confused with: the other size where it is made, the other axis where it is
    indexed, a name that is bound and not used."""
    node = next((definition_around(ctx, term.span) for term in what.terms), None)
    sizes = [str(size) for size in failure.sizes]
    for term in what.terms if node is not None else ():
        text = snippet(term.span, 64)
        for own, other in (sizes, sizes[::-1]) if len(sizes) == 2 and all(map(str.isidentifier, sizes)) else ():
            for call in re.finditer(rf"\w+\(\[?[^()]*\b{own}\b[^()]*\)", text):
                written = re.sub(rf"\b{own}\b", other, call.group())
                yield replace_with(term.span, f"{text[: call.start()]}{written}{text[call.end() :]}")
        for index in re.finditer(r"(\w)\[(\w+)\]", text):
            yield replace_with(term.span, f"{text[: index.start()]}{index[1]}[:, {index[2]}]{text[index.end() :]}")
        for index in re.finditer(r"\[([^\[\],]+), ([^\[\],]+)\]", text):
            yield replace_with(term.span, f"{text[: index.start()]}[{index[2]}, {index[1]}]{text[index.end() :]}")
        if node is not None and text.isidentifier():
            yield from (replace_with(term.span, name) for name in _unused(node))


def _unused(node: ast.Def) -> list[str]:
    """The names that are bound in a definition and occur nowhere else."""
    bound = [each.name for each in nodes(node) if isinstance(each, ast.NamePattern)]
    names = [*(param.name.name for param in node.params), *bound]
    return [name for name in names if _mentions(node.span.text, name) == 1]
