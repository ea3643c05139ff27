"""E03: patterns, the arms of a `match`, and comparisons, with variants among others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, count
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around, nodes
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.repairs.edits import name_of
from typechecker.errors.repairs.trees import change, changed, innermost, tree_of
from typechecker.errors.repairs.trees import name as name_node
from typechecker.errors.repairs.trial import definition_around, first_that_mends, free_names, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import format_type, make, plain_type, replace_with, snippet, suggestion

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term


def pattern_mismatch(ctx: Context, kind: Type, count: int, span: Span, value: Span) -> Diagnostic:
    together = _together(ctx, value)
    if together is not None:
        return _no_iterable(span, other=value, edits=replace_with(value, together), count=count, written=together)
    alone = _value_alone(value.text) or _with_value(ctx, count, value)
    of_fields = first_that_mends(ctx, _by_name(ctx, kind, span))
    if of_fields:
        first, *uses = of_fields
        alone = f"a record has one name, `for {first.text} in {value.text}`, and its fields are "
        alone += ", ".join([f"`{text}`" for text in dict.fromkeys(edit.text for edit in uses)])
    written = _pattern_of(ctx.resolve(kind), [name.strip() for name in span.text.strip("()").split(",")])
    return make(
        "E0314",
        f"a pattern of {count} parts does not match {format_type(ctx, kind)}",
        span,
        f"{count} parts",
        secondary=[Label(value, plain_type(ctx, kind))] if value != span else [],
        notes=["it matches a tuple with that many elements, or an array whose leading size is that number"],
        help=(alone or _one_of(ctx, kind, span)) if written is None else f"write `let {written} = {_shown(value)}`",
        edits=of_fields if written is None else replace_with(span, written),
    )


_no_iterable = Template(
    "E0314",
    "a pattern of {count} parts does not match what the loop goes through",
    "{count} parts",
    other="an element of it is not {count} parts",
    help="arrays are gone through together by `{written}`",
)


def _together(ctx: Context, value: Span) -> str | None:
    """Return the iteration source of a loop over a tuple of arrays."""
    node = definition_around(ctx, value)
    clauses = [] if node is None else [n for n in nodes(node) if isinstance(n, ast.ForClause)]
    tuples = [n.iterable for n in clauses if n.iterable.span == value and isinstance(n.iterable, ast.TupleLit)]
    edits = first_that_mends(ctx, [replace_with(value, f"zip{each.span.text}") for each in tuples])
    return edits[0].text if edits else None


def _by_name(ctx: Context, kind: Type, pattern: Span) -> Iterator[tuple[Edit, ...]]:
    """Yield edits that bind the element of a loop to one name, with its fields in place of the pattern's names."""
    node, found = definition_around(ctx, pattern), ctx.resolve(kind)
    found = found.element if isinstance(found, ty.StackedType) else found
    names = [name.strip() for name in pattern.text.strip("()").split(",")]
    if node is None or not isinstance(found, ty.RecordType) or not all(found.field(name) for name in names):
        return
    loops: list[ast.Loop | ast.Comprehension] = [*around(node, ast.Loop, pattern)]
    loops += around(node, ast.Comprehension, pattern)
    for loop in loops:
        uses = [n.span for n in nodes(loop.body) if isinstance(n, ast.Name) and n.name in names]
        own = next(free_names(chain(("p", "q", "each"), (f"each{k}" for k in count(2))), node))
        yield (Edit(pattern, own), *(Edit(use, f"{own}.{use.text}") for use in uses))


def _with_value(ctx: Context, count: int, value: Span) -> str | None:
    """A help for a gradient that is taken apart into the value and the gradient."""
    root = tree_of(value)
    made = innermost(root)
    if count != 2 or root is None or made is None or name_of(made) != "grad":
        return None
    written = changed(root, change(made.function, name_node("value_and_grad")))
    if not isinstance(type_of(ctx, written, value), ty.TupleType):
        return None
    return f"`grad` gives the gradient alone; both are `{written}`"


def _pattern_of(kind: Type, names: Sequence[str]) -> str | None:
    """The pattern of the parts of a tuple in tuples that has these names, in order; `_` for parts beyond them."""
    if not isinstance(kind, ty.TupleType) or not all(map(str.isidentifier, names)):
        return None
    flat = _count(kind) == len(names)
    return _nested(kind, iter(names)) if flat else None


def _one_of(ctx: Context, kind: Type, span: Span) -> str | None:
    """Which parts of a tuple the names of a shorter pattern may be meant for, if these are few."""
    whole, names = ctx.resolve(kind), [name.strip() for name in span.text.strip("()").split(",")]
    parts = whole.parts if isinstance(whole, ty.TupleType) else ()
    if not len(names) < len(parts) <= 6:
        return None
    shown = ", ".join([f"`.{k}` is {format_type(ctx, part)}" for k, part in enumerate(parts)])
    placed = [dict(zip(places, names, strict=True)) for places in combinations(range(len(parts)), len(names))]
    patterns = [f"`({', '.join([at.get(k, '_') for k in range(len(parts))])})`" for at in placed]
    which = f": {', '.join(patterns[:-1])} or {patterns[-1]}" if len(patterns) <= 4 else ""
    return f"write `_` for each part that is not needed, where {shown}{which}"


def _shown(value: Span) -> str:
    """The text of a value, if it stands on one line."""
    return snippet(value, 64) or snippet(Span(value.source, value.start, value.start + len(value.text.split("(")[0])))


def _count(kind: Type) -> int:
    return sum(map(_count, kind.parts)) if isinstance(kind, ty.TupleType) else 1


def _nested(kind: Type, names: Iterator[str]) -> str:
    if not isinstance(kind, ty.TupleType):
        return next(names)
    return f"({', '.join([_nested(part, names) for part in kind.parts])})"


def _value_alone(text: str) -> str | None:
    """A help for what is taken apart and is the value of a handler that gives nothing beside it."""
    plain = next((words for words in ("with rng", "with handler") if text.startswith(words)), None)
    return None if plain is None else f"`{plain} … do` gives the value alone: `let x = …`"


pattern_place = Template(
    "E0314", "refutable pattern outside of a `match`", "variants and literals are only allowed in `match` arms"
)
match_pattern = Template("E0314", "this pattern never matches {kind:type}", "type mismatch")


def not_exhaustive(missing: Iterable[str], span: Span) -> Diagnostic:
    names = ", ".join("other values" if m == "_" else f"`{m}`" for m in missing)
    first = Span(span.source, span.start, span.start + len(span.text.partition("\n")[0].rstrip()))
    return make(
        "E0317",
        f"non-exhaustive `match`: missing {names}",
        first,
        "not every case is covered",
        help="add an arm for each of these, or a final `_` arm for the rest",
    )


unreachable_arm = Template("W0301", "unreachable `match` arm", "the arms above cover every case")
_variant_arity = Template("E0314", "`{name}` has {wanted:field}, but the pattern has {given}", "wrong number of fields")


def variant_arity(name: str, fields: Sequence[str], given: Sequence[str], span: Span) -> Diagnostic:
    """A pattern of a variant with other parts than it has fields; those that lack are named as the fields are."""
    wanted, parts = len(fields), [*given[: len(fields)], *fields[len(given) :]]
    written = f"{name}({', '.join(parts)})" if fields else name
    edits = () if given else replace_with(span, written)
    return _variant_arity(span, edits=edits, name=name, wanted=wanted, given=len(given), help=f"write `{written}`")


_not_comparable = Template(
    "E0315",
    "`{op}` does not compare {left.type:type} with {right.type:type}",
    "{left:described}, {right:described}",
    help="a variant is written without quotes: `{variant}`",
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
    quoted = [term.span for term in (left, right) if known and term.span.text.startswith('"')]
    name = quoted[0].text.strip('"') if quoted else ""
    variant = name if name in known else suggestion(name, known) or name
    edits = first_that_mends(ctx, [replace_with(place, variant) for place in quoted])
    return _not_comparable(span, ctx, edits=edits, op=op, left=left, right=right, variant=variant or None)
