"""E04: what functions of arrays ask of their static options; E0324: what conditions ask of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.foreign_blocks import split_outside
from dsl.syntax.walk import around
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from typechecker.errors.repairs.edits import Goal, einsum_operands
from typechecker.errors.repairs.trees import tree_of
from typechecker.errors.repairs.trial import definition_around, first_that_mends, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import describe_term, instead, make, operand, replace_with, snippet

if TYPE_CHECKING:
    from dsl.types.decide import Refuted
    from typechecker.env.context import Context
    from typechecker.env.values import Term


option_needs = Template("E0407", "`{option}` of `{name}` must be {wanted}", "invalid value")
sizes_of_call = Template("E0401", "shapes do not match in `{name}`", "`{left}` and `{right}` must be equal")


def length_unknown(ctx: Context, base: Term, span: Span) -> Diagnostic:
    """A list whose length nothing here determines. A computation can wait in a static function until it is known; the
    axes that the library's own functions leave are not equal to what another function computes."""
    text = snippet(base.span) or "this list"
    may, advice = "length", "compute it in a static function, as in `static def out(s: shape) -> shape = …`"
    if base.type == ty.SHAPE:
        may, advice = "number of axes", "name the axes that are read beside the others, as in `x: f32[n, *s]`"
    message = "the length of a list must be known here"
    return make("E0401", message, span, f"`{text}` may have any {may}", help=advice)


list_of_others = Template("E0303", "`{name}` of a static list takes integers", "{term:described}")


no_static_list = Template(
    "E0303",
    "a static list holds integers, pairs of them or conditions",
    "{term:described}, which cannot be list elements",
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


_array_condition = Template(
    "E0324", "`{what}` needs a scalar bool, not an array", "{term.type:plain}, not a scalar bool"
)
_ELEMENTWISE: Mapping[str, str] = MappingProxyType({"and": "&", "or": "|"})
_not_a_condition = Template("E0324", "`{what}` needs a scalar bool, not {kind:type}", "{kind:plain}")


def _selected(ctx: Context, condition: Span) -> Edit | None:
    """The `if` of a condition as a `where`, if that mends the definition."""
    node = definition_around(ctx, condition)
    found = [] if node is None else around(node, ast.If, condition)[:1]
    edits = [
        Edit(n.span, f"where({n.condition.span.text}, {n.then.span.text}, {n.orelse.span.text})")
        for n in found
        if n.condition.span == condition and not isinstance(n.then, ast.Block) and not isinstance(n.orelse, ast.Block)
    ]
    return next(iter(first_that_mends(ctx, [(edit,) for edit in edits])), None)


def array_condition(ctx: Context, term: Term, what: str, whole: Span | None) -> Diagnostic:
    text = snippet(term.span) or "mask"
    advice = f"`any({text})` or `all({text})` gives a scalar bool"
    if what == "if" and (selected := _selected(ctx, term.span)) is not None:
        advice = f"select element by element: `{selected.text}`; {advice}"
        return _array_condition(term.span, ctx, edits=(selected,), what=what, term=term, help=advice)
    if what == "if":
        advice = f"`where({text}, a, b)` selects element by element; {advice}"
    elif what in ("and", "or", "not"):
        written = None if whole is None else _elementwise(ctx, what, whole)
        if whole is not None and written is not None:
            edits = replace_with(whole, written)
            advice = f"element by element write `{written}`; {advice}"
            return _array_condition(term.span, ctx, edits=edits, what=what, term=term, help=advice)
        advice = f"`&`, `|` and `~` work element by element, with each comparison in parentheses; {advice}"
    return _array_condition(term.span, ctx, what=what, term=term, help=advice)


def _elementwise(ctx: Context, what: str, whole: Span) -> str | None:
    """A condition by words as one by signs."""
    written = f"~{operand(whole.text.removeprefix('not').strip())}"
    if what != "not":
        written = f" {_ELEMENTWISE[what]} ".join(map(operand, split_outside(whole.text, what)))
    return None if type_of(ctx, written, whole) is None else written


def not_a_condition(ctx: Context, term: Term, what: str) -> Diagnostic:
    kind, text = ctx.resolve(term.type), snippet(term.span)
    scalar = isinstance(kind, ty.ArrayType | ty.IndexType) and kind.shape.rank == 0
    number = scalar or kind in (ty.INT, ty.SIZE)
    advice = f"compare it: `{text} != 0`" if number and text else "a comparison gives a bool"
    return _not_a_condition(term.span, ctx, what=what, kind=kind, help=advice)


einsum_spec = Template("E0416", "malformed `einsum`: {message}", 'as in `einsum("ij,jk->ik", a, b)`')


_einsum_rank = Template(
    "E0416",
    "`{letters}` names {count:axis|axes}, but this array has {rank}",
    "{term:described}",
)


def einsum_rank(ctx: Context, letters: str, term: Term, span: Span, call: Span) -> Diagnostic:
    kind = ctx.resolve(term.type)
    own = kind.shape.rank if isinstance(kind, ty.ArrayType | ty.IndexType) else None
    rank = "any number" if own is None else own
    written = _other_letters(ctx, call)
    meant, count = instead("did you mean `{}`?", call, written), len(letters)
    return _einsum_rank(span, ctx, letters=letters, count=count, rank=rank, term=term, help=meant)


def _other_letters(ctx: Context, call: Span) -> str | None:
    """The call of `einsum` with other letters, with which the definition checks."""
    root = tree_of(call)
    found = () if root is None else einsum_operands(Goal(root, Shape(()), Shape(())))
    texts = (text for text in found if type_of(ctx, text, call) is not None)
    edits = first_that_mends(ctx, (replace_with(call, text) for text in islice(texts, 6)))
    return edits[0].text if edits else None


_einsum_sizes = Template(
    "E0401",
    "index `{letter}` has two different sizes: {first} and {size}",
    "{held:described}, {term:described}",
    note="{found:example}",
    help="did you mean `{written}`?",
    fix="{written}",
)


def einsum_sizes(
    ctx: Context, letter: str, held: tuple[Size, Term], other: tuple[Size, Term], found: Refuted, span: Span
) -> Diagnostic:
    """Two operands give a letter different sizes; one with its letters in another order may be what was meant."""
    (first, one), (size, two) = held, other
    written = _other_letters(ctx, span)
    return _einsum_sizes(
        span, ctx, letter=letter, first=first, held=one, size=size, term=two, found=found, written=written
    )
