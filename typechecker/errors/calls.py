"""E03: calls: what is called, and with which arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dsl.core import core
from dsl.diagnostics.diagnostic import Diagnostic, Edit, Label
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.type import Type
from typechecker.errors.words import count, make, plain_type, rename, replace_with, shown, snippet, suggestion

if TYPE_CHECKING:
    from typechecker.applied import Arg
    from typechecker.context import Context
    from typechecker.values import Term


def not_callable(ctx: Context, term: Term, span: Span) -> Diagnostic:
    text = snippet(span) or "x"
    before = span.source.text[: span.start].rstrip()
    kind = ctx.resolve(term.type)
    advice = None
    if before.endswith("|>"):
        advice = "`x |> f` is `f(x)`; with more arguments write `x |> fn v -> f(v, y)`"
    elif isinstance(kind, ty.StaticType):
        advice = f"a product is written with `*`: `{text} * (…)`"
    elif isinstance(kind, ty.ArrayType) and kind.shape.rank != 0:
        advice = f"an array is indexed with brackets: `{text}[…]`"
    return make("E0311", f"{shown(ctx, kind)} is not a function", span, "called here", help=advice)


def no_method(ctx: Context, base: Term, name: str, known: Iterable[str], span: Span) -> Diagnostic:
    near = suggestion(name, known)
    return make("E0201", f"there is no function or field `{name}`", span,
                f"`{snippet(base.span) or 'x'}.{name}(…)` is `{name}({snippet(base.span) or 'x'}, …)`",
                help=None if near is None else f"did you mean `{near}`?",
                edits=() if near is None else replace_with(span, near))


def too_many_arguments(
    name: str, wanted: int, given: int, keyword: core.Parameter | None, span: Span, extra: Arg
) -> Diagnostic:
    if keyword is not None:
        text = snippet(span)
        if keyword.name in ("axis", "keepdims"):
            return make("E0306", f"`{keyword.name}` of `{name}` must be given by name", span, "given by position",
                        help=f"write `{keyword.name}={text}`",
                        edits=_by_name(span, keyword.name))
        return make("E0307", f"`{keyword.name}` of `{name}` must be given by name", span, "given by position",
                    help=f"write `{keyword.name}={text}`",
                    edits=_by_name(span, keyword.name))
    return make("E0307", f"`{name}` takes {count(wanted, 'argument')}, not {given}", span, "one too many")


def unknown_keyword(name: str, keyword: str, known: Sequence[str], span: Span) -> Diagnostic:
    near = suggestion(keyword, known)
    return make("E0308", f"`{name}` has no parameter `{keyword}`", span, "not a parameter",
                notes=["parameters: " + ", ".join(known)] if known else ["it takes arguments by position"],
                help=None if near is None else f"did you mean `{near}`?",
                edits=rename(span, keyword, near))


def argument_twice(name: str, keyword: str, span: Span, first: Span) -> Diagnostic:
    return make("E0308", f"`{keyword}` of `{name}` is given twice", span, "again here",
                secondary=[Label(first, "first here")])


def missing_arguments(name: str, missing: Sequence[str], span: Span) -> Diagnostic:
    names = ", ".join(f"`{m}`" for m in missing)
    return make("E0307", f"`{name}` is called without {names}", span, f"{names} missing")


def lambda_arity(wanted: int, given: int, named: str | None, span: Span) -> Diagnostic:
    if named is not None:
        return make("E0308", "a lambda takes its arguments by position", span, f"`{named}=` is given by name")
    return make(
        "E0307", f"this function takes {count(wanted, 'argument')}, and is given {given}", span, "of this function",
        help="`fn (a, b) -> …` has two parameters, `fn ((a, b)) -> …` one pair",
    )


def not_a_function(ctx: Context, term: Term, wanted: Type, owner: str, name: str, span: Span) -> Diagnostic:
    return make("E0303", f"argument `{name}` of `{owner}` is {shown(ctx, term.type)}, where a function is expected",
                span, f"expected {plain_type(ctx, wanted)}",
                help="pass the function itself, without calling it")


def splice_argument(span: Span) -> Diagnostic:
    return make("E0307", "arguments are written out", span, "`*` does not unpack arguments",
                help="pass the parts one by one: `f(t.0, t.1)`")


def cast_arity(name: str, given: int, span: Span) -> Diagnostic:
    return make("E0307", f"a cast takes one argument: `{name}(x)`", span, f"{given} given")


def missing_type(owner: str, name: str, span: Span) -> Diagnostic:
    return make("E0318", f"the parameter `{name}` of `{owner}` has no type", span, "needs a type",
                help=f"write for instance `{name}: f32[n]`")


def recursive_result(name: str, span: Span) -> Diagnostic:
    return make("E0320", f"`{name}` is recursive and does not state its result", span, "the result type is missing",
                help="write `-> TYPE` after its parameters")


def undetermined_dtype(name: str, span: Span) -> Diagnostic:
    return make("E0323", f"the dtype `{name}` is determined by no argument", span, "not determined",
                help=f"pass it: `static {name}: dtype`")


def _by_name(span: Span, name: str) -> tuple[Edit, ...]:
    """The edit that gives a number by name; of anything else it is not certain that it was meant."""
    text = snippet(span)
    return replace_with(span, f"{name}={text}") if text.lstrip("-").isdigit() else ()
