"""E08: transformations."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from dsl.diagnostics.diagnostic import Diagnostic, Label
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.dtype import DType
from dsl.types.size import Size
from dsl.types.type import Type
from typechecker.errors.repairs import type_of
from typechecker.errors.templates import Template
from typechecker.errors.words import count as number
from typechecker.errors.words import example, format_type, make, plain_type, replace_with, snippet

if TYPE_CHECKING:
    from typechecker.env.call_record import Arg
    from typechecker.env.context import Context
    from typechecker.env.values import Term


def arguments_of_result(ctx: Context, kind: str, args: Sequence[Arg], place: Span, span: Span) -> Diagnostic | None:
    """`grad(f, x)` for `grad(f)(x)`, if that checks."""
    written = [snippet(arg.span, 48) for arg in args]
    options = [text for text, arg in zip(written, args, strict=True) if text and arg.name is not None]
    given = [text for text, arg in zip(written, args, strict=True) if text and arg.name is None][1:]
    mended = f"{kind}({', '.join([written[0], *options])})({', '.join(given)})"
    if not all(written) or type_of(ctx, mended, span) is None:
        return None
    return make(
        "E0501",
        f"`{kind}` takes a function and gives a function, which takes the arguments",
        place,
        f"an argument of the function that `{kind}` gives",
        help=f"did you mean `{mended}`?",
        edits=replace_with(span, mended),
    )


def not_scalar(ctx: Context, kind: str, result: Type, span: Span) -> Diagnostic:
    advice = "reduce it (`sum`, `mean`), or use `jacrev` or `vjp`"
    found = ctx.resolve(result)
    if isinstance(found, ty.ArrayType) and found.shape.rank == 0 and isinstance(found.dtype, DType):
        advice = "take `real(…)` or `abs(…)` of it" if found.dtype.is_complex else "return a float: `f32(…)`"
    elif found in (ty.INT, ty.SIZE):
        advice = "return a float: `f32(…)`"
    elif isinstance(found, ty.TupleType):
        given = "((value, aux), gradient)" if kind == "value_and_grad" else "(gradient, aux)"
        advice = f"if that is `(value, aux)`: `{kind}(…, has_aux=true)` gives `{given}`"
        call = re.match(rf"{kind}\(([\w.]+)\)(?:\([^()\n]*\))?", span.text)
        advice += f", `let {given} = {call[0].replace(')', ', has_aux=true)', 1)}`" if call else ""
    return make(
        "E0801",
        f"`{kind}` needs a function that returns a real scalar, not {format_type(ctx, result)}",
        span,
        f"the result is {plain_type(ctx, result)}",
        help=advice,
    )


def not_inexact(ctx: Context, kind: str, place: int, leaf: str, term: Term, span: Span) -> Diagnostic:
    what = f"is {format_type(ctx, term.type)}" if leaf == "itself" else f"has no float at `{leaf}`"
    return make(
        "E0802",
        f"`{kind}` cannot differentiate with respect to argument {place}: it {what}",
        span,
        "integers, bools and keys are not differentiable",
        secondary=[Label(term.span, plain_type(ctx, term.type))] if term.span != span else [],
        help="choose other arguments with `argnums`, or convert to a float first"
        if leaf == "itself"
        else f"give `{leaf}` as an argument of its own, or convert it to a float first",
    )


not_inexact_result = Template(
    "E0802",
    "`{kind}` cannot differentiate a function that returns {result:type}",
    "integers and bools are not differentiable",
    help="return a float: `f32(…)`",
)
unbounded_reverse = Template(
    "E0805",
    "`{kind}` cannot differentiate an `iterate` without a limit in reverse mode",
    "the number of steps to store is unknown",
    help="give the loop a bound: `iterate … while … limit 100 do`, or use `jvp` or `jacfwd`",
)


def map_axis_range(ctx: Context, kind: Type, axis: int, span: Span) -> Diagnostic:
    option = "out_axes" if "out_axes" in span.text else "in_axes"
    return make(
        "E0806",
        f"cannot map over axis {axis} of {format_type(ctx, kind)}",
        span,
        plain_type(ctx, kind),
        help=f"choose the axis, or none, with `{option}`",
    )


def mapped_sizes_differ(
    ctx: Context, first: tuple[Size, Span], other: tuple[Size, Span], found: object, span: Span
) -> Diagnostic:
    return make(
        "E0807",
        f"mapped axes have different sizes: {first[0]} and {other[0]}",
        other[1],
        f"maps {other[0]} elements",
        secondary=[Label(first[1], f"maps {first[0]} elements")] if first[1] != other[1] else [],
        notes=example(getattr(found, "counterexample", None)),
        help="use `none` for an argument that is not mapped: `in_axes=(none, 0)`",
    )


nothing_mapped = Template(
    "E0808",
    "no argument is mapped",
    "`vmap` without a mapped axis",
    help="give an axis for at least one argument with `in_axes`",
)
in_axes_count = Template(
    "E0809", "`in_axes` has {given:entry|entries} for {count:argument}", "one entry for each argument"
)


collective_unsized = Template(
    "E0810",
    "`{name}` needs the size of axis `{axis}`",
    "unknown axis size",
    help='declare it: `! axis("{axis}": n)`',
)
collective_outside = Template(
    "E0810",
    "`{name}` uses axis `{axis}`, which is not in scope",
    "undefined axis",
    help='name it: `vmap(f, axis_name="{axis}")`, or declare its size: `! axis("{axis}": n)`',
)


def argnums_range(kind: str, index: int, count: int, span: Span) -> Diagnostic:
    arguments = number(count, "array argument")
    return make(
        "E0811",
        f"`{kind}` cannot differentiate with respect to argument {index}: the function has {arguments}",
        span,
        "no such argument",
        notes=["static parameters are not counted"],
    )


argnums_name = Template(
    "E0811",
    "`{kind}` cannot differentiate with respect to `{name}`: it is not an array argument",
    "no such argument",
    note="arguments: {known:listed}",
)
bad_option = Template("E0812", "`{name}` of `{kind}` must be {wanted}", "invalid value")
result_without_axis = Template(
    "E0812",
    "`out_axes` is `none`, but the result differs between elements",
    "needs an axis",
    help="`none` is for results that do not depend on mapped arguments; choose an axis, or take one element",
)


def not_a_policy(known: Sequence[str], span: Span) -> Diagnostic:
    return make(
        "E0812",
        "unknown `checkpoint` policy",
        span,
        "one of " + ", ".join([f'"{name}"' for name in known]) + ", or a tuple of names",
        help='name a value, `checkpoint_name(x, "hidden")`, and keep it: `policy=("hidden",)`',
    )


aux_needs_pair = Template(
    "E0812",
    "`{kind}` with `has_aux` needs a function that returns a pair, not {result:type}",
    "expected `(value, aux)`",
)
transform_needs_function = Template(
    "E0814",
    "`{kind}` transforms functions, not {term.type:type}",
    "{term:described}",
    help="pass the function itself: `{kind}(f)(x)`, not `{kind}(f(x))`",
)
jvp_needs_tuples = Template(
    "E0814", "`jvp(f, primals, tangents)` takes two tuples", "{term:described}", help="a tuple of one is written `(x,)`"
)
tangent_count = Template("E0815", "{given:tangent} for {wanted:primal}", "one tangent for each primal")
custom_rule_type = Template(
    "E0813", "`{name}` returns {actual:type}", "expected a pair of {result:plain} and the residuals for `bwd`"
)
rule_not_linear = Template(
    "E0817",
    "the rule `{name}` is not linear in the tangents",
    "derivatives must be linear",
    other="not linear in the tangents",
    help="tangents may be added, and multiplied by values that do not depend on them",
)


def no_shape(ctx: Context, kind: Type, span: Span) -> Diagnostic:
    what = format_type(ctx, kind)
    return make("E0814", f"`eval_shape` describes arrays, not {what}", span, "the result contains a non-array")


def forward_of_reverse_rule(kind: str, rule: Span, span: Span, notes: Sequence[str] = ()) -> Diagnostic:
    message = f"`{kind}` is forward-mode, but this `custom_vjp` only defines a reverse-mode rule"
    return make(
        "E0816",
        message,
        span,
        "no forward-mode rule",
        secondary=[Label(rule, "the rule is given here")] if rule != span else [],
        notes=notes,
        help="use `grad`, `vjp` or `jacrev`, or define the rule with `custom_jvp`",
    )


Reached: TypeAlias = Callable[[str, str, str, Span, Sequence[str], Span], Diagnostic]
"""What a derivative (`kind`, taken at `span`) finds at a place, by a path of calls."""


def not_differentiable(kind: str, op: str, why: str, place: Span, path: Sequence[str], span: Span) -> Diagnostic:
    return make(
        "E0803",
        f"`{kind}` needs the derivative of `{op}`, which has none: {why}",
        span,
        f"goes through `{op}`",
        secondary=_reached(place, f"`{op}` is applied to a differentiated value", span),
        notes=_by_way_of(path, op),
        help="wrap it in `stop_gradient` if its derivative is zero, or define one with `custom_jvp`",
    )


def captured_in_rule(kind: str, rule: str, name: str, place: Span, path: Sequence[str], span: Span) -> Diagnostic:
    return make(
        "E0818",
        f"`{kind}` differentiates `{name}`, which a `{rule}` rule captures",
        span,
        "part of this derivative would be missing",
        secondary=_reached(place, f"captures `{name}`", span),
        notes=_by_way_of(path, rule),
        help=f"pass `{name}` as an argument, so that the rule can define its derivative",
    )


def reached_reverse_rule(kind: str, rule: str, _: str, place: Span, path: Sequence[str], span: Span) -> Diagnostic:
    return forward_of_reverse_rule(kind, place, span, _by_way_of(path, rule))


def _reached(place: Span, words: str, span: Span) -> list[Label]:
    return [Label(place, words)] if place != span else []


def _by_way_of(path: Sequence[str], last: str) -> list[str]:
    calls = [*[name for name in path if name != last], last]
    return ["call path: " + " → ".join([f"`{name}`" for name in calls])] if len(calls) > 1 else []
