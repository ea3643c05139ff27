"""E03: patterns, the arms of a `match`, and comparisons, with variants among others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import nodes
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.trial import definition_around, offers
from typechecker.errors.templates import Template
from typechecker.errors.words import format_type, instead, plain_type, replace_with, snippet, suggestion

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term

_pattern_mismatch = Template(
    "E0314",
    "a pattern of {count:part} does not match {kind:type}",
    "{count:part}",
    note="it matches a tuple with that many elements, or an array whose leading size is that number",
)


def pattern_mismatch(ctx: Context, kind: Type, count: int, span: Span, value: Span) -> Diagnostic:
    places = [Label(value, plain_type(ctx, kind))] if value != span else []
    names = [name.strip() for name in span.text.strip("()").split(",")]
    help = _together(ctx, value) or _nested(ctx.resolve(kind), names, span) or _one_of(ctx, kind, names)
    if any(value.text.startswith(f"with {word}") for word in ("rng", "handler")):
        help = [Help("this `with` gives the value alone: `let x = …`")]
    return _pattern_mismatch(span, ctx, secondary=places, count=count, kind=kind, help=help)


def _together(ctx: Context, value: Span) -> list[Help]:
    """The arrays of a tuple that a loop goes through, one beside the other."""
    node = definition_around(ctx, value)
    clauses = [] if node is None else [n for n in nodes(node) if isinstance(n, ast.ForClause)]
    tuples = [n.iterable for n in clauses if n.iterable.span == value and isinstance(n.iterable, ast.TupleLit)]
    texts = [replace_with(value, f"zip{each.span.text}") for each in tuples]
    return offers(ctx, "arrays are gone through together by `{}`", *texts)


def _nested(kind: Type, names: Sequence[str], span: Span) -> list[Help]:
    """The pattern of the parts of a tuple in tuples that has these names, in order."""

    def count(part: Type) -> int:
        return sum(map(count, part.parts)) if isinstance(part, ty.TupleType) else 1

    def write(part: Type, rest: Iterator[str]) -> str:
        return f"({', '.join([write(p, rest) for p in part.parts])})" if isinstance(part, ty.TupleType) else next(rest)

    fits = isinstance(kind, ty.TupleType) and all(map(str.isidentifier, names)) and count(kind) == len(names)
    return instead("write `let {} = …`", span, write(kind, iter(names)) if fits else None)


def _one_of(ctx: Context, kind: Type, names: Sequence[str]) -> list[Help]:
    """Describe the parts of a tuple, where a pattern has fewer."""
    whole = ctx.resolve(kind)
    parts = whole.parts if isinstance(whole, ty.TupleType) else ()
    shown = ", ".join([f"`.{k}` is {format_type(ctx, part)}" for k, part in enumerate(parts)])
    fewer = len(names) < len(parts) <= 6
    return [Help(f"write `_` for each part that is not needed, where {shown}")] if fewer else []


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


_not_comparable = Template(
    "E0315", "`{op}` does not compare {left.type:type} with {right.type:type}", "{left:described}, {right:described}"
)
functions_compared = Template(
    "E0315",
    "`{op}` does not compare values that have functions in them",
    "{left:described}, {right:described}",
    help="functions are not compared; tell variants apart by `match`, or by one that has no functions in it",
)


def not_comparable(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Diagnostic:
    """A text beside a value of an enum may be meant for one of its variants, or for one of a similar name."""
    kinds = [ctx.resolve(term.type) for term in (left, right)]
    enums = [ctx.program.enum_info(kind.module, kind.name) for kind in kinds if isinstance(kind, ty.EnumType)]
    known = [variant.name for enum in enums for variant in enum.variants]
    quoted = [(term.span, snippet(term.span).strip('"')) for term in (left, right) if term.span.text[:1] == '"']
    texts = [
        replace_with(place, name if name in known else suggestion(name, known) or name)
        for place, name in quoted
        if known
    ]
    helps = offers(ctx, "a variant is written without quotes: `{}`", *texts)
    return _not_comparable(span, ctx, op=op, left=left, right=right, help=helps)
