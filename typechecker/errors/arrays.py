"""E04: what functions of arrays ask of their static options; E0324: what conditions ask of arrays."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from typechecker.errors.repairs.edits import einsum_operands
from typechecker.errors.repairs.trees import tree_of
from typechecker.errors.repairs.trial import offers, type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import replace_with, snippet

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


_no_transpose = Template(
    "E0402",
    "`.T` swaps the last two axes, but this array {lacking} fewer",
    "{base:described}",
    tries=("a vector is its own transpose: write `{}`", "X.T => X"),
)


def no_transpose(ctx: Context, base: Term, shape: Shape, span: Span) -> Diagnostic:
    return _no_transpose(span, ctx, base=base, lacking="may have" if shape.rank is None else "has")


array_condition = Template(
    "E0324",
    "`{what}` needs a scalar bool, not an array",
    "{term.type:plain}, not a scalar bool",
    help="`any({text})` or `all({text})` gives a scalar bool",
    tries=(
        "select element by element: `{}`",
        "if C then A else B => where(C, A, B)",
        "element by element write `{}`",
        "A and B => A & B",
        "A and B and C => A & B & C",
        "A or B => A | B",
        "not A => ~A",
    ),
)
not_a_condition = Template(
    "E0324",
    "`{what}` needs a scalar bool, not {term.type:type}",
    "{term.type:plain}",
    help="a comparison gives a bool",
    tries=("compare it: `{}`", "X => X != 0"),
)
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
