"""E03 and E04: what loops go over, carry and give; patterns, the arms of a `match`, comparisons and conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isnan
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Help, Label
from dsl.diagnostics.source import Span
from dsl.syntax import ast
from dsl.syntax.walk import around
from dsl.types import type as ty
from dsl.types.shape import Shape
from dsl.types.type import Type
from dsl.types.walk import leading_axes, named_leaves
from typechecker.errors.repairs.trees import tree_of, value_of
from typechecker.errors.repairs.trial import definition_around, tried
from typechecker.errors.templates import Template
from typechecker.errors.words import (
    describe_term,
    format_type,
    instead,
    make,
    plain_type,
    reason,
    replace_with,
    snippet,
    suggestion,
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
    tries=(
        "X => range(X)",
        "the leaves are gone through by `{}`",
        "sum([E for P in X]) => tree_reduce(fn (total, P) -> total + E, X, 0.0)",
    ),
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
    advice = said if name == "range" else f"write it where it is iterated: `for … in {snippet(span) or name}`"
    return _iteration_only(span, ctx, name=name, advice=advice)


_without_output = Template(
    "E0310", "the body of a `scan` must return a pair: the new carry and an output", "{kind:plain}, not a pair"
)


_OUTPUTS = (
    "what is carried is the output, too: `{}`",
    "A => (A, A)",
    "without an output it is a `fold`: `{}`",
    "scan P = A for G in X do E => fold P = A for G in X do E",
)


def scan_body(ctx: Context, kind: Type, carry: Type, span: Span) -> Diagnostic:
    """A body that gives the carry alone may be that of a `fold`; of more than two parts, some are meant to be one."""
    words = "the carry is one value, and what is put out another: `{}`"
    whole = _whole_turns(ctx, span, len(carry.parts), words) if isinstance(carry, ty.TupleType) else []
    whole = whole or tried(ctx, span, _OUTPUTS)
    text = snippet(span, 64)
    advice = f"if what is carried is the output, too, write `({text}, {text})`; " if text else ""
    advice = "" if isinstance(kind, ty.TupleType) and len(kind.parts) > 2 else advice
    advice = f"{advice}if there is no output, use `fold` in place of `scan`"
    return _without_output(span, ctx, kind=kind, help=whole or advice)


def _whole_turns(ctx: Context, given: Span, count: int, words: str) -> list[Help]:
    """The value of a turn of the loop around it, with what lacks: an output, which is one of the parts of the carry, or
    the parts of the carry that stay as they are. A carry by one name has so many parts."""
    for loop in around(definition_around(ctx, given), ast.Loop, given)[:1]:
        value, own = value_of(loop.body), loop.carry.span.text
        names = [f"{own}.{k}" for k in range(count)]
        if isinstance(loop.carry, ast.TuplePattern):
            names = [part.span.text for part in loop.carry.parts]
        items = [each.span.text for each in (value.items if isinstance(value, ast.TupleLit) else (value,))]
        wholes = [", ".join([*names[:k], items[0], *names[k + 1 :]]) for k in range(len(names))]
        rules = ["A => (A, Z)", "(A, B) => ((Y), B)"] if loop.kind == "scan" else ["A => (Y)"]
        return tried(ctx, value.span, [words, *rules], {"Z": items, "Y": wholes})
    return []


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


_JOINED = (
    "append(A, E)",
    *[f"{name}({both})" for name in ("concatenate", "concat") for both in ("(A, [E])", "[A, [E]]")],
)
_STACKED = (
    *[f"concatenate((A, {one}))" for one in ("[F]", "F[None]", "F[None, :]", "F[None, :, :]")],
    "append(A, F)",
)
_GROWN = (
    "a loop cannot grow an array; `scan` collects the value of each iteration: `{}`",
    *[f"fold (C, A) = (B, Z) for P in X do (E, {stacked}) => scan C = B for P in X do (E, F)" for stacked in _STACKED],
    "a loop cannot grow an array; a comprehension collects what each turn gives: `{}`",
    *[f"fold A = Z for P in X do {joined} => [E for P in X]" for joined in _JOINED],
)


_WITHOUT_A_CALL = ("did you mean `{}`?", "F(X) => X")


def _one_number(found: Mismatch) -> list[Help]:
    """An array where a part of a carry is one number."""
    kinds: Sequence[Type] = (found.actual, found.wanted)
    place = found.path.removeprefix(".")
    if place.isdigit():
        kinds = tuple([kind.parts[int(place)] if isinstance(kind, ty.TupleType) else kind for kind in kinds])
    actual, wanted = [leading_axes(found.ctx.resolve(kind)) for kind in kinds]
    if not snippet(found.span) or actual is None or wanted != Shape(()):
        return []
    written = f"sum({snippet(found.span)})"
    return instead("if one number is meant, reduce it, for example `{}`", found.span, written)


def carry_changed(found: Mismatch, code: str) -> Diagnostic:
    ctx, declared = found.ctx, found.why.declared
    start, end = format_type(ctx, found.wanted), format_type(ctx, found.actual)
    parts = found.wanted.parts if isinstance(found.wanted, ty.TupleType) else ()
    words, help = "all that is carried is one tuple: write `{}`", list[Help]()
    if parts and not isinstance(found.actual, ty.TupleType):
        help = _whole_turns(ctx, found.span, len(parts), words)
    if code == "E0417":
        help = tried(ctx, found.span, _GROWN) or _one_number(found) or help
        help = help or (tried(ctx, found.span, _WITHOUT_A_CALL) if isinstance(tree_of(found.span), ast.Call) else [])
    return make(
        code,
        f"{reason(found.why)} changes its type{found.at}: it starts as {start} and becomes {end}",
        found.span,
        found.types,
        secondary=[] if declared is None else [Label(declared, f"starts as {plain_type(ctx, found.wanted)}")],
        notes=["a carry must keep its type"],
        help=help,
    )


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
    helps = nested or tried(ctx, value, _AS_MANY, {"Z": [str(count)]})
    return _pattern_mismatch(span, ctx, secondary=places, count=count, kind=kind, help=helps, advice=advice)


_AS_MANY = (
    "arrays are gone through together by `{}`",
    "(R, S) => zip(R, S)",
    "did you mean `{}`?",
    "F(A) => F(A, Z)",
    "F(A, K) => F(A, Z)",
)


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
    missing = list(missing)
    names = ", ".join("other values" if m == "_" else f"`{m}`" for m in missing)
    first = Span(span.source, span.start, span.start + len(span.text.partition("\n")[0].rstrip()))
    return _not_exhaustive(first, names=names, help="add a last arm for them: `_ -> …`" if missing == ["_"] else None)


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
    kinds, texts = [ctx.resolve(term.type) for term in (left, right)], [left.span.text, right.span.text]
    enums = [ctx.program.enum_info(kind.module, kind.name) for kind in kinds if isinstance(kind, ty.EnumType)]
    known = [variant.name for enum in enums for variant in enum.variants]
    names = [each.strip('"') for each in texts if each.startswith('"')]
    near = [name if name in known else suggestion(name, known) or name for name in names]
    rules = ["a variant is written without quotes: `{}`", f"A {op} Q => A {op} Z", f"Q {op} A => Z {op} A"]
    return _not_comparable(span, ctx, op=op, left=left, right=right, help=tried(ctx, span, rules, {"Z": near}))


_compared_with_nan = Template("E0315", "`{op}` with nan is {answer} whatever the other side is", "nan")


def compared_with_nan(ctx: Context, op: str, left: Term, right: Term, span: Span) -> Diagnostic:
    """Report a comparison with a number that is known to be nan; `isnan` may be meant."""
    on_left = isinstance(left.known, float) and isnan(left.known)
    sides, answer = ("B == A" if on_left else "A == B"), str(op == "!=").lower()
    rules = [f"{sides} => isnan(A)", *[f"{sides.replace('==', '!=')} => {no}isnan(A)" for no in ("not ", "~")]]
    helps = tried(ctx, span, ["test for nan: `{}`", *rules]) or [Help("`isnan(x)` tells where an array is nan")]
    nan = (left if on_left else right).span
    return _compared_with_nan(nan, op=op, answer=answer, help=helps)


# ---------------------------------------------------------------- conditions


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
