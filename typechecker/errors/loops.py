"""E03 and E04: what loops go over, carry and give."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help, Label
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Type
from dsl.types.walk import leading_axes, named_leaves
from typechecker.errors.repairs.loops import collected, shown, whole_turns
from typechecker.errors.repairs.trial import first_that_mends, offers
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    describe_term,
    format_type,
    make,
    plain_type,
    reason,
    snippet,
)

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.errors.types import Mismatch

_not_iterable = Template(
    "E0325",
    "{term.type:type} cannot be iterated",
    "{what}",
    note="iterables are `range(n)`, arrays, `zip`, `enumerate`, tuples, trees whose leaves share a leading axis",
    tries=("X => range(X)",),
)


def not_iterable(ctx: Context, term: Term, span: Span) -> Diagnostic:
    scalars = [path for path, leaf in named_leaves(ctx.resolve(term.type)) if path and leading_axes(leaf) == Shape(())]
    what = f"no axis: {_quoted(scalars)}" if scalars else describe_term(ctx, term)
    return _not_iterable(span, ctx, term=term, what=what)


def _quoted(paths: Sequence[str]) -> str:
    return ", ".join([f"`{path}`" for path in paths])


_leaves_disagree = Template(
    "E0418",
    "the leaves of this tree share no leading axis",
    "{kind:plain}",
    note="{sizes}",
    help="iterate over the leaves of one size by `zip`, and read the others in the body",
)


def leaves_disagree(ctx: Context, kind: Type, span: Span) -> Diagnostic:
    """The leaves with the size of their first axis."""
    by_size: dict[str, list[str]] = {}
    for path, leaf in named_leaves(kind):
        shape = leading_axes(leaf)
        by_size.setdefault(str(shape.dims[0]) if shape is not None and shape.dims else "", []).append(path)
    sizes = "; ".join(
        f"{_quoted(paths)} {'has' if len(paths) == 1 else 'have'} {size or 'no axis'}{' on axis 0' if size else ''}"
        for size, paths in by_size.items()
    )
    return _leaves_disagree(span, ctx, kind=kind, sizes=sizes)


zip_tuples = Template("E0325", "`zip` takes tuples of one length, or arrays, not both", "mixed")
_iteration_only = Template(
    "E0326",
    "`{name}` is only allowed after `in`",
    "not a value",
    help="{advice}",
    tries=(
        "compare: `{}`",
        "A in range(B) => 0 <= A and A < B",
        "write `{}`, an array",
        "range(X) => arange(X)",
        "range(A, B) => arange(A, B)",
        *[f"range(X) => arange(X, dtype={dtype})" for dtype in ("f32", "f64", "i64")],
    ),
)


def iteration_only(ctx: Context, name: str, span: Span) -> Diagnostic:
    """`range` as a value may be the array of its numbers, or compared with."""
    said = "`arange(n)` is the array of the numbers from 0 to n - 1"
    return _iteration_only(span, ctx, name=name, advice=said if name == "range" else None)


_without_output = Template(
    "E0310", "the body of a `scan` must return a pair: the new carry and an output", "{kind:plain}, not a pair"
)


def scan_body(ctx: Context, kind: Type, carry: Type, span: Span) -> Diagnostic:
    """A body that gives the carry alone may be that of a `fold`; of more than two parts, some are meant to be one."""
    count = len(carry.parts) if isinstance(carry, ty.TupleType) else 1
    turns = whole_turns(ctx, span, count) if count > 1 else ()
    whole = offers(ctx, "the carry is one value, and what is put out another: `{}`", *turns)
    text = snippet(span, 64)
    advice = f"if what is carried is the output, too, write `({text}, {text})`; " if text else ""
    advice = "" if isinstance(kind, ty.TupleType) and len(kind.parts) > 2 else advice
    advice = f"{advice}if there is no output, use `fold` in place of `scan`"
    return _without_output(span, ctx, kind=kind, help=whole or advice)


carry_not_data = Template(
    "E0310",
    "{term.type:type} cannot be carried",
    "a carry may only contain arrays and keys",
    help="keep it outside the loop: static values are visible inside",
)
cell_not_data = Template(
    "E0310",
    "cell `{name}` cannot hold {kind:type}",
    "a cell holds arrays",
    help="keep it outside: static values are visible inside",
)
not_summable = Template("E0319", "an accumulator may only contain numbers", "cannot be summed")


def carry_changed(found: Mismatch, code: str) -> Diagnostic:
    ctx, declared = found.ctx, found.why.declared
    start, end = format_type(ctx, found.wanted), format_type(ctx, found.actual)
    scan = first_that_mends(ctx, collected(ctx, found.span)) if code == "E0417" else ()
    parts = found.wanted.parts if isinstance(found.wanted, ty.TupleType) else ()
    turns = whole_turns(ctx, found.span, len(parts)) if parts and not isinstance(found.actual, ty.TupleType) else ()
    help = offers(ctx, "all that is carried is one tuple: write `{}`", *turns)
    if scan:
        words = f"a loop cannot grow an array; `scan` collects what each turn gives:\n{shown(scan)}"
        help = [Help(words, scan)]
    return make(
        code,
        f"{reason(found.why)} changes its type{found.at}: it starts as {start} and becomes {end}",
        found.span,
        found.types,
        secondary=[] if declared is None else [Label(declared, f"starts as {plain_type(ctx, found.wanted)}")],
        notes=["a carry must keep its type"],
        help=help,
    )
