"""E03: patterns, the arms of a `match`, and comparisons, with variants among others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help, Label
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.trial import tried
from typechecker.errors.templates import Template
from typechecker.errors.words import format_type, instead, plain_type, replace_with

if TYPE_CHECKING:
    from typechecker.env.context import Context

_pattern_mismatch = Template(
    "E0314",
    "a pattern of {count:part} does not match {kind:type}",
    "{count:part}",
    note="it matches a tuple with that many elements, or an array whose leading size is that number",
    help="{advice}",
)


def pattern_mismatch(ctx: Context, kind: Type, count: int, span: Span, value: Span) -> Diagnostic:
    places = [Label(value, plain_type(ctx, kind))] if value != span else []
    names, whole, advice = [name.strip() for name in span.text.strip("()").split(",")], ctx.resolve(kind), None
    parts = whole.parts if isinstance(whole, ty.TupleType) else ()
    if any(value.text.startswith(f"with {word}") for word in ("rng", "handler")):
        advice = "this `with` gives the value alone: `let x = …`"
    elif len(names) < len(parts) <= 6:
        shown = ", ".join([f"`.{k}` is {format_type(ctx, part)}" for k, part in enumerate(parts)])
        advice = f"write `_` for each part that is not needed, where {shown}"
    nested = instead("write `let {} = …`", span, _nested(whole, iter(names))) if _leaves(whole) == len(names) else []
    helps = nested or tried(ctx, value, ["arrays are gone through together by `{}`", "(R, S) => zip(R, S)"])
    return _pattern_mismatch(span, ctx, secondary=places, count=count, kind=kind, help=helps, advice=advice)


def _leaves(kind: Type) -> int:
    return sum(map(_leaves, kind.parts)) if isinstance(kind, ty.TupleType) else 1


def _nested(kind: Type, names: Iterator[str]) -> str:
    """Return the pattern of the parts of a tuple in tuples that has these names, in order."""
    if not isinstance(kind, ty.TupleType):
        return next(names)
    return f"({', '.join([_nested(part, names) for part in kind.parts])})"


pattern_place = Template(
    "E0314",
    "refutable pattern outside of a `match`",
    "variants and literals are only allowed in `match` arms",
    help="take the value apart in the arms of a `match`",
)
match_pattern = Template("E0314", "this pattern never matches {kind:type}", "type mismatch")
_not_exhaustive = Template(
    "E0317",
    "non-exhaustive `match`: missing {names}",
    "not every case is covered",
    help="add an arm for each of these, or a final `_` arm for the rest",
)


def not_exhaustive(missing: Iterable[str], span: Span) -> Diagnostic:
    names = ", ".join("other values" if m == "_" else f"`{m}`" for m in missing)
    first = Span(span.source, span.start, span.start + len(span.text.partition("\n")[0].rstrip()))
    return _not_exhaustive(first, names=names)


unreachable_arm = Template("W0301", "unreachable `match` arm", "the arms above cover every case")
_variant_arity = Template("E0314", "`{name}` has {wanted:field}, but the pattern has {given}", "wrong number of fields")


def variant_arity(name: str, fields: Sequence[str], given: Sequence[str], span: Span) -> Diagnostic:
    """A pattern of a variant with other parts than it has fields; those that lack are named as the fields are."""
    parts = [*given[: len(fields)], *fields[len(given) :]]
    written = f"{name}({', '.join(parts)})" if fields else name
    edits = () if given else replace_with(span, written)
    return _variant_arity(
        span, name=name, wanted=len(fields), given=len(given), help=[Help(f"write `{written}`", edits)]
    )


not_comparable = Template(
    "E0315",
    "`{op}` does not compare {left.type:type} with {right.type:type}",
    "{left:described}, {right:described}",
    tries=("a variant is written without quotes: `{}`", "A {op} Q => A {op} Q", "Q {op} A => Q {op} A"),
)
functions_compared = Template(
    "E0315",
    "`{op}` does not compare values that have functions in them",
    "{left:described}, {right:described}",
    help="functions are not compared; tell variants apart by `match`, or by one that has no functions in it",
)
