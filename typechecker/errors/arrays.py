"""E04: what functions of arrays ask of their static options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.shape import Shape
from typechecker.errors.templates import Template
from typechecker.errors.words import describe_term, make, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term


option_needs = Template("E0407", "`{option}` of `{name}` must be {wanted}", "invalid value")
sizes_of_call = Template("E0401", "shapes do not match in `{name}`", "`{left}` and `{right}` must be equal")


def length_unknown(ctx: Context, base: Term, span: Span) -> Diagnostic:
    text = snippet(base.span) or "this list"
    return make(
        "E0401",
        "the length of a list must be known here",
        span,
        f"`{text}` may have any length" if base.type != ty.SHAPE else f"`{text}` may have any number of axes",
        help="give what is computed a name, `static def out(s: shape) -> shape = …`: its calls wait until `s` is known",
    )


list_of_others = Template("E0303", "`{name}` of a static list takes integers", "{term:described}")


no_static_list = Template(
    "E0303",
    "a static list holds integers, pairs of them or conditions",
    "{term:described}, of which there are no lists",
)
static_loop = Template(
    "E0401",
    "the length of a list must be known for a `{word}` over it",
    "may have any number of turns",
    help="`sum`, `prod`, `max`, `min` and comprehensions take lists of any length; or let a `static def` call itself",
)
empty_list_has_no = Template("E0407", "an empty list has no {name}imum", "no items")


def no_transpose(ctx: Context, base: Term, shape: Shape, span: Span) -> Diagnostic:
    lacking = "but this array may have fewer" if shape.rank is None else "but this array has fewer"
    vector = base.span.text if shape.rank == 1 else ""
    return make(
        "E0402",
        f"`.T` swaps the last two axes, {lacking}",
        span,
        describe_term(ctx, base),
        help=f"a vector has no transpose: write `{vector}`" if vector else None,
        edits=replace_with(span, vector) if vector and span.text == f"{vector}.T" else (),
    )
