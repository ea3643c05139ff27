"""E04: sizes that no axis can have, and expressions that are not sizes. Read next: `shapes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic
from dsl.diagnostics.source import Span
from dsl.types import type as ty
from dsl.types.size import Size, SizeVar
from typechecker.errors.templates import Template

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term

_negative_size = Template(
    "E0409",
    "the size {size} {may} negative",
    "sizes must be at least 0",
    note="{found:example}",
    help="state it: `where {open_size} >= 0`",
)
_bad_divisor = Template(
    "E0410",
    "a size is divided by {size}{may}",
    "divisors must be at least 1",
    note="{found:example}",
    help="state it: `where {open_size} >= 1`",
)


def negative_size(size: Size, found: Mapping[SizeVar, int], span: Span, told: bool = True) -> Diagnostic:
    """A size that is or may be negative; one that is `told` is one that a `where` can speak of."""
    if size.constant is not None:
        return _negative_size(span, size=size, may="is", found=None, open_size=None)
    return _negative_size(span, size=size, may="may be", found=found, open_size=size if told else None)


def bad_divisor(size: Size, found: Mapping[SizeVar, int], span: Span, told: bool) -> Diagnostic:
    if size.constant is not None:
        return _bad_divisor(span, size=size, may="", found=None, open_size=None)
    may, open_size = ", which may be less than 1", size if told else None
    return _bad_divisor(span, size=size, may=may, found=found, open_size=open_size)


_traced_size = Template(
    "E0501",
    "a size must be static",
    "{kind:plain} is only known at run time",
    help="take it from a shape, or make it a parameter `static k: int`",
)
_not_a_size = Template("E0411", "a size must be an integer, not {kind:type}", "not a size")


def not_a_size(ctx: Context, term: Term, span: Span) -> Diagnostic:
    kind = ctx.resolve(term.type)
    return (_traced_size if isinstance(kind, ty.ArrayType | ty.IndexType) else _not_a_size)(span, ctx, kind=kind)


parameter_as_size = Template(
    "E0501",
    "a size must be static",
    "`{name}` is a size of the arguments, and this value is only known at run time",
    help="make it a parameter `static {name}: int`, or give the size a name of its own",
)
declared_otherwise = Template(
    "E0411", "a size must be an integer, and `{name}` is {what}", "not a size", help="give the size a name of its own"
)
not_a_shape = Template("E0411", "`*` needs a shape to splice into a list of sizes", "not a shape")
not_a_dtype = Template("E0302", "a dtype is expected here", "not a dtype")
where_not_static = Template("E0411", "`where` conditions compare sizes and static values", "{term.type:plain}")
where_not_decided = Template(
    "E0411",
    "this `where` condition cannot be decided where the function is called",
    "not computed from sizes and static values alone",
    help="compare sizes, static numbers, strings, dtypes or variants, joined with `and`, `or`, `not`",
)
