"""Numbers with which a condition holds, in place of those with which it does not, and where they may be written."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from dsl.diagnostics.diagnostic import Edit, Help
from dsl.diagnostics.source import Span
from dsl.types import facts as fa
from dsl.types.facts import Prop, simplified, sizes_of
from dsl.types.limits import Exceeded
from dsl.types.shape import Substitution
from dsl.types.size import Mod, Size, SizeVar
from typechecker.errors.repairs.trial import apply_edits, definition_around, mends

if TYPE_CHECKING:
    from typechecker.env.context import Context
    from typechecker.types.instance import Instance

_LARGEST = 1 << 16
"""Numbers up to which others are looked for."""


def numbers_that_fit(ctx: Context, prop: Prop, instance: Instance, span: Span) -> Iterator[Help]:
    """What the sizes must be that are numbers at a call: divisors, or the nearest value of each."""
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
        shown = "" if edit is None else f": for example `{apply_edits(place, (edit,))}`"
        yield Help(f"{bound}{shown}", () if edit is None else (edit,))


def _nearest(prop: Prop, var: SizeVar, value: int) -> int | None:
    """The first value above, or the last one below, from which on a condition holds."""

    def met(number: int) -> bool:
        with suppress(Exceeded):
            return simplified(Substitution({var: Size.of(number)}).prop(prop)) == fa.Known(True)
        return False

    above = _LARGEST if met(_LARGEST) else 0
    if value < above and met(above):
        return value + bisect_left(range(value, above), True, key=met)
    return bisect_left(range(value), True, key=lambda number: not met(number)) - 1 if met(0) else None


def _with_number(ctx: Context, old: str, new: str, span: Span) -> Iterator[tuple[Span, Edit]]:
    """Another number in a call, or in the type of a parameter around it."""
    node = definition_around(ctx, span)
    for place in (span, *(param.span for param in (() if node is None else node.params))):
        for found in re.finditer(rf"(?<![\w.]){old}(?![\w.])", place.text):
            yield place, Edit(Span(span.source, place.start + found.start(), place.start + found.end()), new)


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
