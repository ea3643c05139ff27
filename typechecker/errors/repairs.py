"""Changes of a program that would make two shapes meet, for "did you mean …?"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit
from dsl.diagnostics.source import Span
from dsl.types.shape import Shape
from dsl.types.shapefn import ShapeFailure
from dsl.types.size import Size, SizeVar
from typechecker.errors.words import operand, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term


@dataclass(frozen=True, slots=True)
class Operands:
    """The two sides of an operator whose shapes meet."""

    op: str
    left: Term
    right: Term
    left_shape: Shape
    right_shape: Shape


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


def repair(what: Operands) -> tuple[Edit, ...]:
    """The change of one operand, or the swap of both, that makes these shapes meet."""
    left, right = what.left_shape.dims, what.right_shape.dims
    a, b = snippet(what.left.span), snippet(what.right.span)
    if not a or not b or None in (what.left_shape.rank, what.right_shape.rank):
        return ()
    if what.op == "@":
        return _repair_product(what, operand(a), operand(b))
    for term, text, mine, other in ((what.right, b, right, left), (what.left, a, left, right)):
        if len(mine) != len(other) - 1:
            continue
        if "axis=" in text and "keepdims" not in text and text.endswith(")") and operand(text) == text:
            return replace_with(term.span, f"{text[:-1]}, keepdims=true)")
        if len(mine) == 1 and other[0] in (mine[0], Size.of(1)):
            return replace_with(term.span, f"{operand(text)}[:, None]")
    return ()


def _repair_product(what: Operands, a: str, b: str) -> tuple[Edit, ...]:
    left, right = what.left_shape.dims, what.right_shape.dims
    match len(left), len(right):
        case 2, 2 if left[1] == right[1]:
            return replace_with(what.right.span, f"{b}.T")
        case 2, 2 if left[0] == right[0]:
            return replace_with(what.left.span, f"{a}.T")
        case (2, 2) | (1, 2) | (2, 1) if left[0] == right[-1]:
            return (*replace_with(what.left.span, b), *replace_with(what.right.span, a))
        case _:
            return ()


def applied(span: Span, edits: tuple[Edit, ...]) -> str:
    """The text of a place after edits inside it."""
    text = span.text
    for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
        start, end = edit.span.start - span.start, edit.span.end - span.start
        text = text[:start] + edit.text + text[end:]
    return text
