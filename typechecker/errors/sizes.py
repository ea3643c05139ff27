"""E04: sizes that no axis can have or that data decide, and numbers with which a condition holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Diagnostic, Edit, Help
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types import type as ty
from dsl.types.facts import Prop, simplified, sizes_of
from dsl.types.limits import Exceeded
from dsl.types.shape import Substitution
from dsl.types.size import Mod, Size, SizeVar
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


_LARGEST = 1 << 16
"""Numbers up to which others are looked for."""
_BEYOND = 8
"""So many numbers on one side of a bound meet the condition, and as many on the other do not: one that comes and goes,
as `even(n)`, has no bound."""


def numbers_that_fit(ctx: Context, prop: Prop, instance: Instance, span: Span) -> Iterator[Help]:
    """Yield the sizes that a call's literals must have: divisors, or the nearest value of each."""
    divisors = _that_divide(prop, instance)
    values = {var: instance.size(Size.of(var)) for size in sizes_of(prop) for var in sorted(size.vars(), key=str)}
    if divisors is not None:
        yield Help(divisors)
    elif all(size.constant is not None for size in values.values()):
        for var, size in values.items():
            others = Substitution({other: own for other, own in values.items() if other is not var})
            yield from _that_fits(ctx, simplified(others.prop(prop)), var, size.evaluate({}), span)


def _that_fits(ctx: Context, prop: Prop, var: SizeVar, value: int, span: Span) -> Iterator[Help]:
    nearest = _nearest(prop, var, value)
    if nearest is not None:
        bound = f"`{var}` is {value} here, and must be at {'least' if nearest > value else 'most'} {nearest}"
        places = _with_number(ctx, value, nearest, span)
        place, edit = next(((place, edit) for place, edit in places if mends(ctx, (edit,))), (span, None))
        shown = "" if edit is None else f": for example `{rewritten(place, edit)}`"
        yield Help(f"{bound}{shown}", () if edit is None else (edit,))


def _nearest(prop: Prop, var: SizeVar, value: int) -> int | None:
    """The first value above, or the last one below, from which on a condition holds."""

    def met(number: int) -> bool:
        with suppress(Exceeded):
            return simplified(Substitution({var: Size.of(number)}).prop(prop)) == fa.Known(True)
        return False

    above = next((number for number in (_LARGEST, 0) if value < number and met(number)), None)
    if above is not None:
        nearest = _first(value, above, met)
        within, beyond = range(nearest, nearest + _BEYOND), range(max(0, nearest - _BEYOND), nearest)
    elif met(0):
        nearest = _first(0, value, lambda number: not met(number)) - 1
        within, beyond = range(max(0, nearest - _BEYOND + 1), nearest + 1), range(nearest + 1, nearest + _BEYOND)
    else:
        return None
    return nearest if all(map(met, within)) and not any(map(met, beyond)) else None


def _first(low: int, high: int, met: Callable[[int], bool]) -> int:
    """The first integer from `low` on with which a condition is met that stays so; `high`, if there is none before.
    Integers of any size: those of which a `range` tells the length have to fit into a word of the machine."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if met(middle) else (middle + 1, high)
    return low


def _with_number(ctx: Context, old: int, new: int, span: Span) -> Iterator[tuple[Span, Edit]]:
    """Another number in a call, or in the type of a parameter around it."""
    node = definition_around(ctx, span)
    for place in (span, *(param.span for param in (() if node is None else node.params))):
        for each in expressions(node):
            if integer(each) == old and place.covers(each.span):
                yield place, Edit(each.span, str(new))


def _that_divide(prop: Prop, instance: Instance) -> str | None:
    """Of a number that leaves something over: the nearest ones that leave nothing."""
    atom = prop.left.as_atom() if isinstance(prop, fa.Eq) and isinstance(prop.left, Size) else None
    if not isinstance(prop, fa.Eq) or prop.right != Size.of(0) or not isinstance(atom, Mod):
        return None
    whole, part = [instance.size(size).constant for size in (atom.numerator, atom.denominator)]
    if whole is None or part is None or not 0 < part <= whole <= _LARGEST:
        return None
    if atom.denominator.constant is not None:
        below = whole - whole % part
        return f"{atom.numerator} must be a multiple of {part}: {below} and {below + part} are"
    below, above = [next(k for k in ks if whole % k == 0) for ks in (range(part, 0, -1), range(part, whole + 1))]
    return f"`{atom.denominator}` must divide {whole}: the nearest to {part} that do are {below} and {above}"
