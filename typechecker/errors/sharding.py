"""The words of diagnostics about meshes and what is cut along them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.errors.words import count as number
from typechecker.errors.words import example, format_type, make, plain_type

if TYPE_CHECKING:
    from typechecker.env.context import Context


def not_a_mesh(span: Span) -> Diagnostic:
    return make(
        "E1008",
        "a mesh has axes with a name and a static size of at least 1",
        span,
        "not an axis of a mesh",
        help="write `mesh(data=4, model=2)`",
    )


def axis_named_twice(name: str, span: Span) -> Diagnostic:
    return make("E1008", f"the mesh has two axes `{name}`", span, "named twice")


def unknown_mesh_axis(name: str, known: Sequence[str], span: Span) -> Diagnostic:
    axes = ", ".join([f"`{each}`" for each in known])
    return make("E1009", f"the mesh has no axis `{name}`", span, "unknown axis", notes=[f"axes of the mesh: {axes}"])


def not_a_spec(ctx: Context, kind: Type, option: str, span: Span) -> Diagnostic:
    return make(
        "E1010",
        f"`{option}` does not say how {format_type(ctx, kind)} is cut",
        span,
        plain_type(ctx, kind),
        help="name the axis that is cut along one of the mesh, `{data = 0}`; `none` is for what is not cut",
    )


def spec_axis_range(ctx: Context, kind: Type, name: str, axis: int, option: str, span: Span) -> Diagnostic:
    return make(
        "E1010",
        f"{format_type(ctx, kind)} has no axis {axis} to cut along `{name}`",
        span,
        plain_type(ctx, kind),
        help=f"choose the axis, or none, with `{option}`",
    )


def spec_count(given: int, count: int, span: Span) -> Diagnostic:
    return make(
        "E1010",
        f"`in_specs` has {number(given, 'entry', 'entries')} for {number(count, 'argument')}",
        span,
        "one entry for each argument",
    )


def result_not_cut(name: str, span: Span) -> Diagnostic:
    return make(
        "E1011",
        f"the result differs along the axis `{name}` of the mesh, and `out_specs` does not cut it there",
        span,
        "claims that all parts are the same",
        help=f'cut it, `{{{name} = 0}}`, or make one of all parts: `psum(x, "{name}")`',
    )


def not_divisible(size: Size, name: str, count: Size, found: object, span: Span) -> Diagnostic:
    return make(
        "E1012",
        f"an axis of size {size} cannot be cut into {count} equal parts",
        span,
        f"cut along `{name}`, which has {count} places",
        notes=example(getattr(found, "counterexample", None)),
        help="pad the array, or choose another mesh",
    )
