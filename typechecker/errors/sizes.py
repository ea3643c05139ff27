"""E04: sizes that no axis can have or that data decide, and numbers with which a condition holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop, simplified, sizes_of
from dsl.types.limits import Exceeded
from dsl.types.shape import Substitution
from dsl.types.size import Size, SizeVar
from typechecker.errors.repairs.trees import expressions, integer, rewritten
from typechecker.errors.repairs.trial import definition_around, mends
from typechecker.errors.templates import Template

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.env.values import Term
    from typechecker.types.instance import Instance

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
not_a_shape = Template(
    "E0411",
    "`*` needs a shape to splice into a list of sizes",
    "not a shape",
    help="a shape comes from the signature of the definition; the parameter of a `fn` needs no type: `fn x -> …`",
)
not_a_dtype = Template("E0302", "a dtype is expected here", "not a dtype")
where_not_static = Template("E0411", "`where` conditions compare sizes and static values", "{term.type:plain}")
where_not_decided = Template(
    "E0411",
    "this `where` condition cannot be decided where the function is called",
    "not computed from sizes and static values alone",
    help="compare sizes, static numbers, strings, dtypes or variants, joined with `and`, `or`, `not`",
)
of_parameter = Template(
    "E0427",
    "`{name}` is decided by the data of a run, and a parameter has the size of its argument",
    "an argument has a size of its own",
    help="write `{written}`, which may be any size, also one that data decide",
    fix="{written}",
)
not_an_axis = Template(
    "E0427",
    "`{name}` is not the size of an axis of the result",
    "nothing decides it",
    help="a size that data decide stands alone in the type of the result: `f32[{name}]`",
)
without_bound = Template(
    "E0427",
    "nothing bounds `{name}`",
    "its elements have no place in memory",
    help="state how many there are at most: `where {name} <= n`",
)
beyond_bound = Template(
    "E0427",
    "the result does not keep to its bound",
    "{prop} does not follow",
    help="state a bound that follows from the sizes of the arguments",
)
needs_size = Template(
    "E0425",
    "{what} needs to know the size before a run",
    "the size is decided by the data of a run",
    help="{advice}",
)
decided_again = Template("E0426", "{what} decides a size anew each time", "`{size}` differs each time", help="{advice}")
leaves_place = Template(
    "E0426",
    "`{size}` is not decided where this stands",
    "the size is decided inside only",
    help="let a function with a result such as `f32[?k]` decide it",
)


_FAR = 64
"""How far away other numbers are looked for."""


def numbers_that_fit(ctx: Context, prop: Prop, instance: Instance, span: Span) -> Iterator[Help]:
    """Yield the nearest numbers with which a condition holds that the literals of a call do not meet."""
    values = {var: instance.size(Size.of(var)) for size in sizes_of(prop) for var in sorted(size.vars(), key=str)}
    for var, size in values.items() if all(size.constant is not None for size in values.values()) else ():
        others = Substitution({other: own for other, own in values.items() if other is not var})
        value = size.evaluate({})
        nearest = _nearest(others.prop(prop), var, value)
        every = [(place, edit) for new in nearest for place, edit in _with_number(ctx, value, new, span)]
        place, edit = next(((place, edit) for place, edit in every if mends(ctx, (edit,))), (span, None))
        numbers = " and ".join(map(str, nearest))
        shown = "" if edit is None else f": for example `{rewritten(place, edit)}`"
        fits = "that fit are" if nearest[1:] else "that fits is"
        if nearest:
            yield Help(f"`{var}` is {value} here; the nearest {fits} {numbers}{shown}", () if edit is None else (edit,))


def _nearest(prop: Prop, var: SizeVar, value: int) -> list[int]:
    """Return the last number below one with which a condition holds, and the first above."""

    def holds(number: int) -> bool:
        with suppress(Exceeded):
            return simplified(Substitution({var: Size.of(number)}).prop(prop)) == fa.Known(True)
        return False

    sides = range(value - 1, max(value - _FAR, 0) - 1, -1), range(max(value + 1, 0), value + _FAR)
    found = [next(filter(holds, side), None) for side in sides]
    return [number for number in found if number is not None]


def _with_number(ctx: Context, old: int, new: int, span: Span) -> Iterator[tuple[Span, Edit]]:
    """Another number in a call, or in the type of a parameter around it."""
    node = definition_around(ctx, span)
    for place in (span, *(param.span for param in (() if node is None else node.params))):
        for each in expressions(node):
            if integer(each) == old and place.covers(each.span):
                yield place, Edit(each.span, str(new))
