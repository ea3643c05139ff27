"""`einsum`: sums over axes that arrays share."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters

from dsl.core import core
from dsl.diagnostics.source import Span
from dsl.types import dtype as dt
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.calls.primitives import array_argument, element_of, primitive
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Term, error_term
from typechecker.errors import calls as call_errors
from typechecker.errors import dtypes as dtype_errors
from typechecker.errors import shapes as shape_errors
from typechecker.relations.coercion import Why, coerce
from typechecker.relations.size_equations import require_equal


def einsum(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`einsum("ij,jk->ik", a, b)`."""
    if len(args) < 2:
        ctx.report(call_errors.missing_arguments("einsum", ["the spec", "an array"][len(args) :], span))
        return error_term(span)
    spec = coerce(ctx, ctx.infer(args[0].value), ty.STRING, Why("static", "spec", "einsum"))
    arrays = [array_argument(ctx, a, "einsum") for a in args[1:]]
    found = [a for a in arrays if a is not None]
    if len(found) < len(arrays) or not isinstance(spec.known, str):
        return error_term(span)
    element = element_of(ctx, found[0][1])
    for term, kind in found[1:]:
        if not ctx.body.solver.unify(element, element_of(ctx, kind)):
            ctx.report(
                dtype_errors.dtypes_differ(ctx, "einsum", found[0][0], term, element, element_of(ctx, kind), span)
            )
            return error_term(span)
    if not ctx.body.solver.restrict(element, dt.CLASSES["Num"]):
        ctx.report(dtype_errors.operator_needs(ctx, "einsum", "Num", element, found[0][0], None, span))
        return error_term(span)
    text = _expanded(spec.known.replace(" ", ""), [kind.shape.rank for _, kind in found])
    shape = _einsum_shape(ctx, text, found, args, span)
    if shape is None:
        return error_term(span)
    kind2 = ty.ArrayType(ctx.body.solver.element(element), shape)
    written = core.Const(spec.span, ty.STRING, text)
    return primitive("einsum", kind2, [t for t, _ in found], span, [("spec", written)])


def _expanded(text: str, ranks: Sequence[int | None]) -> str:
    """The text with letters for `...`: those axes of an operand that have no letter, counted from the last."""
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if "..." not in text or len(inputs) != len(ranks):
        return text
    free = [c for c in ascii_letters if c not in text]
    counts = [max((r or 0) - len(t) + 3, 0) if "..." in t else 0 for t, r in zip(inputs, ranks, strict=True)]
    rest = "".join(free[: max(counts)])
    done = [t.replace("...", rest[len(rest) - n :], 1) for t, n in zip(inputs, counts, strict=True)]
    if arrow:
        return ",".join(done) + arrow + right.replace("...", rest, 1)
    single = sorted(c for c in set(left) - {",", "."} if left.count(c) == 1)
    return ",".join(done) + "->" + rest + "".join(single)


def _einsum_shape(
    ctx: Context, spec: str, found: Sequence[tuple[Term, ty.ArrayType | ty.IndexType]], args: Sequence[Arg], span: Span
) -> Shape | None:
    left, arrow, right = spec.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(found):
        ctx.report(
            shape_errors.einsum_spec(
                args[0].span, message=f"{len(inputs)} operands in the specification, but {len(found)} given"
            )
        )
        return None
    if not all(c.isalpha() or c == "," for c in left) or not all(c.isalpha() for c in right):
        ctx.report(shape_errors.einsum_spec(args[0].span, message="indices must be letters"))
        return None
    if not arrow:
        right = "".join(sorted(c for c in set(left) if c != "," and left.count(c) == 1))
    sizes: dict[str, tuple[Size, Term]] = {}
    for letters, (term, kind) in zip(inputs, found, strict=True):
        if kind.shape.rank != len(letters):
            ctx.report(shape_errors.einsum_rank(ctx, letters, term, term.span))
            return None
        for letter, dim in zip(letters, kind.shape.dims, strict=True):
            assert isinstance(dim, Size)
            if letter not in sizes:
                sizes[letter] = (dim, term)
                continue
            refuted = require_equal(ctx, sizes[letter][0], dim, span)
            if refuted is not None:
                first, held = sizes[letter]
                error = shape_errors.einsum_sizes
                ctx.report(error(span, ctx, letter=letter, first=first, held=held, size=dim, term=term, found=refuted))
                return None
    bad = next((c for c in right if c not in sizes or right.count(c) > 1), None)
    if bad is not None:
        ctx.report(
            shape_errors.einsum_spec(
                args[0].span, message=f"`{bad}` of the result must occur once there, and in an operand"
            )
        )
        return None
    return Shape(tuple(sizes[c][0] for c in right))
