"""Numbers with which a condition holds, and where they may be written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types.facts import Prop, simplified, sizes_of
from dsl.types.limits import Exceeded
from dsl.types.shape import Substitution
from dsl.types.size import Mod, Size, SizeVar
from typechecker.errors.repairs.trees import expressions, integer, rewritten
from typechecker.errors.repairs.trial import definition_around, mends

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.types.instance import Instance


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
        places = _with_number(ctx, str(value), str(nearest), span)
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


def _with_number(ctx: Context, old: str, new: str, span: Span) -> Iterator[tuple[Span, Edit]]:
    """Another number in a call, or in the type of a parameter around it."""
    node = definition_around(ctx, span)
    for place in (span, *(param.span for param in (() if node is None else node.params))):
        for each in expressions(node):
            if integer(each) == int(old) and place.covers(each.span):
                yield place, Edit(each.span, new)


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
