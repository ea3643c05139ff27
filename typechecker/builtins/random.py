"""Draws from an array, or from the numbers below a static one: `random.permutation` and `random.choice`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dsl.diagnostics.source import Span
from dsl.types.type import Type
from typechecker.calls.arguments import bound
from typechecker.calls.calls import apply
from typechecker.declarations.program_checker import SpecialRule
from typechecker.env.call_record import Arg
from typechecker.env.context import Context
from typechecker.env.values import Nothing, Term, error_term
from typechecker.types.predicates import is_number

RANDOM = "random"


def _permutation(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`permutation(key, x)`: the rows of x in random order, or 0, …, x - 1."""
    chosen = bound(ctx, "permutation", args, ("key", "x"), 2, span)
    if chosen is None:
        return error_term(span)
    source = Arg(None, ctx.infer(chosen["x"].value), chosen["x"].span)
    name = "_permutation__order" if _is_count(ctx, source) else "shuffle"
    return _call(ctx, name, [Arg(None, chosen["key"].value, chosen["key"].span), source], span, expected)


def _choice(ctx: Context, args: list[Arg], span: Span, expected: Type | None) -> Term:
    """`choice(key, a, shape=[], replace=true, p=none)`: elements of a, or of 0, …, a - 1, with probabilities p."""
    chosen = bound(ctx, "choice", args, ("key", "a", "shape", "replace", "p"), 2, span, ())
    if chosen is None:
        return error_term(span)
    given = {name: Arg(name, arg.value, arg.span) for name, arg in chosen.items()}
    given["a"] = Arg("a", ctx.infer(chosen["a"].value), chosen["a"].span)
    if "p" in given:
        given["p"] = Arg("p", ctx.infer(given["p"].value), given["p"].span)
    weights = given["p"].value if "p" in given else None
    if isinstance(weights, Term) and isinstance(weights.known, Nothing):
        del given["p"]
    variant = "_".join(["weighted"] * ("p" in given) + ["below"] * _is_count(ctx, given["a"]))
    return _call(ctx, f"_choice__{variant}" if variant else "_choice", list(given.values()), span, expected)


def _is_count(ctx: Context, arg: Arg) -> bool:
    return isinstance(arg.value, Term) and is_number(ctx.resolve(arg.value.type))


def _call(ctx: Context, name: str, args: list[Arg], span: Span, expected: Type | None) -> Term:
    function = ctx.program.lookup(ctx.program.modules[RANDOM], name, span)
    assert function is not None
    return apply(ctx, function, args, span, expected)


def table() -> Mapping[str, SpecialRule]:
    """All of them by name."""
    return MappingProxyType({"random.permutation": _permutation, "random.choice": _choice})
