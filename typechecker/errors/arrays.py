"""E04: what functions of arrays ask of their static options; E0324: what conditions ask of arrays."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.foreign_blocks import split_outside
from dsl.syntax.walk import around
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from typechecker.errors.repairs.edits import einsum_operands
from typechecker.errors.repairs.trees import tree_of
from typechecker.errors.repairs.trial import definition_around, offers, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import describe_term, instead, make, operand, replace_with, snippet

if TYPE_CHECKING:
    from dsl.types.decide import Refuted
    from typechecker.env.context import Context
    from typechecker.env.values import Term


option_needs = Template("E0407", "`{option}` of `{name}` must be {wanted}", "invalid value")
sizes_of_call = Template("E0401", "shapes do not match in `{name}`", "`{left}` and `{right}` must be equal")
_length_unknown = Template(
    "E0401", "the length of a list must be known here", "`{list}` may have any {may}", help="{advice}"
)


def length_unknown(ctx: Context, base: Term, span: Span) -> Diagnostic:
    """A list whose length nothing here determines. A computation can wait in a static function until it is known; the
    axes that the library's own functions leave are not equal to what another function computes."""
    may, advice = "length", "compute it in a static function, as in `static def out(s: shape) -> shape = …`"
    if base.type == ty.SHAPE:
        may, advice = "number of axes", "name the axes that are read beside the others, as in `x: f32[n, *s]`"
    return _length_unknown(span, list=snippet(base.span) or "this list", may=may, advice=advice)


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
    vector = base.span.text if shape.rank == 1 and span.text == f"{base.span.text}.T" else None
    message, label = f"`.T` swaps the last two axes, {lacking}", describe_term(ctx, base)
    return make("E0402", message, span, label, help=instead("a vector has no transpose: write `{}`", span, vector))


_array_condition = Template(
    "E0324",
    "`{what}` needs a scalar bool, not an array",
    "{term.type:plain}, not a scalar bool",
    help="`any({text})` or `all({text})` gives a scalar bool",
)
_not_a_condition = Template("E0324", "`{what}` needs a scalar bool, not {kind:type}", "{kind:plain}")


def array_condition(ctx: Context, term: Term, what: str, whole: Span | None) -> Diagnostic:
    helps = _selected(ctx, term.span) if what == "if" else _elementwise(ctx, what, whole)
    return _array_condition(term.span, ctx, what=what, term=term, help=helps)


def _selected(ctx: Context, condition: Span) -> list[Help]:
    """The `if` of a condition as a `where`, if that mends the definition."""
    node = definition_around(ctx, condition)
    found = [] if node is None else [n for n in around(node, ast.If, condition) if n.condition.span == condition]
    texts = [(n.span, f"where({n.condition.span.text}, {n.then.span.text}, {n.orelse.span.text})") for n in found]
    return offers(ctx, "select element by element: `{}`", *(replace_with(span, text) for span, text in texts))


def _elementwise(ctx: Context, what: str, whole: Span | None) -> list[Help]:
    """A condition by words as one by signs."""
    if whole is None or what not in ("and", "or", "not"):
        return []
    sign = "&" if what == "and" else "|"
    written = f"~{operand(whole.text.removeprefix('not').strip())}"
    if what != "not":
        written = f" {sign} ".join(map(operand, split_outside(whole.text, what)))
    fits = type_of(ctx, written, whole) is not None
    return instead("element by element write `{}`", whole, written if fits else None)


def not_a_condition(ctx: Context, term: Term, what: str) -> Diagnostic:
    kind, text = ctx.resolve(term.type), snippet(term.span)
    scalar = isinstance(kind, ty.ArrayType | ty.IndexType) and kind.shape.rank == 0
    number = scalar or kind in (ty.INT, ty.SIZE)
    advice = f"compare it: `{text} != 0`" if number and text else "a comparison gives a bool"
    return _not_a_condition(term.span, ctx, what=what, kind=kind, help=advice)


einsum_spec = Template("E0416", "malformed `einsum`: {message}", 'as in `einsum("ij,jk->ik", a, b)`')
_einsum_rank = Template("E0416", "`{letters}` names {count:axis|axes}, but this array has {rank}", "{term:described}")
_einsum_sizes = Template(
    "E0401",
    "index `{letter}` has two different sizes: {first} and {size}",
    "{held:described}, {term:described}",
    note="{found:example}",
)


def einsum_rank(ctx: Context, letters: str, term: Term, span: Span, call: Span) -> Diagnostic:
    kind = ctx.resolve(term.type)
    own = kind.shape.rank if isinstance(kind, ty.ArrayType | ty.IndexType) else None
    rank, helps = "any number" if own is None else own, _other_letters(ctx, call)
    return _einsum_rank(span, ctx, letters=letters, count=len(letters), rank=rank, term=term, help=helps)


def einsum_sizes(
    ctx: Context, letter: str, held: tuple[Size, Term], other: tuple[Size, Term], found: Refuted, span: Span
) -> Diagnostic:
    (first, one), (size, two) = held, other
    helps = _other_letters(ctx, span)
    return _einsum_sizes(span, ctx, letter=letter, first=first, held=one, size=size, term=two, found=found, help=helps)


def _other_letters(ctx: Context, call: Span) -> list[Help]:
    """The call of `einsum` with other letters, with which the definition checks."""
    root = tree_of(call)
    found = () if root is None else einsum_operands(root)
    texts = islice((text for text in found if type_of(ctx, text, call) is not None), 6)
    return offers(ctx, "did you mean `{}`?", *(replace_with(call, text) for text in texts))
