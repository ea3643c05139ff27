"""E0820: sums over a named axis of what is the same along it."""

from __future__ import annotations

from collections.abc import Sequence

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Label
from dsl.diagnostics.source import Span
from typechecker.errors.templates import Template
from typechecker.errors.words import replace_with, snippet

_sum_of_the_same = Template(
    "E0820",
    "`{name}` over `{axis}` of a value that is the same along `{axis}`",
    "multiplies it by the size of the axis",
    help='{instead}; if the multiple is meant, the size of the axis is `psum(1.0, "{axis}")`',
)
_sum_of_the_repeated = Template(
    "E0820",
    "`{name}` over `{axis}` of the gradient of a value that is the same along `{axis}`",
    "multiplies the gradient by the size of the axis",
    help='take the mean, `pmean(…, "{axis}")`, or the gradient of what each element has before it is summed',
)


def sum_of_the_same(node: core.Intrinsic, axis: str, places: Sequence[Label], called: Span | None) -> Diagnostic:
    """A sum of a value that all elements have alike. `called` is the call that leads to it."""
    value = None if called else _summed_alone(node, axis)
    instead = f"write `{value}`" if value else f"leave `{node.name}` away {'for it' if called else 'here'}"
    edits = () if value is None or node.name != "psum" else replace_with(node.span, value)
    return _sum_of_the_same(
        called or node.span,
        secondary=_with_sum(node, places, called),
        edits=edits,
        name=node.name,
        axis=axis,
        instead=instead if node.name == "psum" else "its slice of it needs no sum",
    )


def sum_of_the_repeated(node: core.Intrinsic, axis: str, places: Sequence[Label], called: Span | None) -> Diagnostic:
    """A sum of gradients of a value that all elements have alike."""
    at, text = node.span, node.span.text
    mean = Edit(Span(at.source, at.start, at.start + len("psum")), "pmean")
    edits = [mean] if called is None and text.startswith("psum(") else []
    secondary = _with_sum(node, places, called)
    return _sum_of_the_repeated(called or at, secondary=secondary, edits=edits, name=node.name, axis=axis)


def _with_sum(node: core.Intrinsic, places: Sequence[Label], called: Span | None) -> list[Label]:
    return [*([Label(node.span, "summed here")] if called else []), *places]


def _summed_alone(node: core.Intrinsic, axis: str) -> str | None:
    """The text of what is summed, over this axis alone."""
    text = node.span.text
    alone = text.startswith(f"{node.name}(") and text.endswith(f', "{axis}")')
    return (snippet(node.args[0].span) or None) if alone else None
