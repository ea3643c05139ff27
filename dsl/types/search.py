"""The search for the smallest assignment of sizes with given properties: witnesses and counter-examples.

Assignments are tried by the sum of their magnitudes, then in lexicographic order of the variables. A value
that rests on a call that nobody can compute, such as one of a shape variable, counts for nothing: what is found holds
whatever such calls give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, assert_never

from msgspec import Struct

from dsl.types.facts import (
    And,
    Eq,
    Known,
    Le,
    Lt,
    Ne,
    Not,
    OpaqueProp,
    Or,
    Prop,
    Relation,
    map_prop,
    sizes_of,
)
from dsl.types.limits import Exceeded
from dsl.types.shape import Shape
from dsl.types.size import FloorDiv, Mod, Size, SizeVar, parts

Assignment: TypeAlias = dict[SizeVar, int]

GREATEST = 8


def variables(props: Iterable[Prop]) -> tuple[SizeVar, ...]:
    """The variables of propositions, in order of first appearance as written."""
    return tuple(dict.fromkeys([var for prop in props for var in prop.variables]))


def holds(prop: Prop, values: Mapping[SizeVar, int]) -> bool | None:
    """Return whether a proposition is true for these values; None where it is undefined, too large or not known."""
    match prop:
        case Eq() | Ne() | Le() | Lt():
            return _compare(prop, values)
        case Known(value):
            return value
        case And(props):
            return _all(holds(p, values) for p in props)
        case Or(props):
            return _opposite(_all(_opposite(holds(p, values)) for p in props))
        case Not(inner):
            return _opposite(holds(inner, values))
        case OpaqueProp(args=args) if any(isinstance(arg, Shape) and arg.shape_vars() for arg in args):
            return None
        case OpaqueProp():
            return _decided(prop, values)
        case _:
            assert_never(prop)


def _compare(relation: Relation, values: Mapping[SizeVar, int]) -> bool | None:
    try:
        left, right = relation.left.evaluate(values), relation.right.evaluate(values)
    except (ZeroDivisionError, Exceeded):
        return None
    except LookupError:
        return _decided(relation, values)
    match relation:
        case Eq():
            return left == right
        case Ne():
            return left != right
        case Le():
            return left <= right
        case Lt():
            return left < right
        case _:
            assert_never(relation)


def _decided(prop: Prop, values: Mapping[SizeVar, int]) -> bool | None:
    """The truth of a proposition that computes itself where the values are put in."""
    sizes = {var: Size.of(value) for var, value in values.items()}
    try:
        found = map_prop(prop, lambda size: size.substitute(sizes))
    except Exceeded:
        return None
    return found.value if isinstance(found, Known) else None


def _all(results: Iterable[bool | None]) -> bool | None:
    known: bool | None = True
    for result in results:
        if result is False:
            return False
        known = known if result else None
    return known


def _opposite(result: bool | None) -> bool | None:
    return None if result is None else not result


def split_connected(start: Sequence[Prop], facts: Sequence[Prop]) -> tuple[tuple[Prop, ...], tuple[Prop, ...]]:
    """The facts that share variables with `start`, directly or through each other, and the rest."""
    reached = set(variables(start))
    near: list[Prop] = []
    far = [(prop, prop.vars()) for prop in facts]
    grown = True
    while grown:
        grown = False
        for item in list(far):
            if not item[1] or item[1] & reached:
                far.remove(item)
                near.append(item[0])
                grown |= not item[1] <= reached
                reached |= item[1]
    kept = set(near)
    return tuple(prop for prop in facts if prop in kept), tuple(prop for prop, _ in far)


def definedness(props: Iterable[Prop]) -> tuple[Prop, ...]:
    """Return the conditions that every denominator is at least 1, inner ones first, so that what follows is defined."""
    atoms = [atom for prop in props for atom in reversed(prop.inside) if isinstance(atom, FloorDiv | Mod)]
    found = dict.fromkeys([atom.denominator for atom in sorted(atoms, key=_weight)])
    return tuple([Le(Size.of(1), d) for d in found if d.constant is None or d.constant < 1])


def _weight(atom: FloorDiv | Mod) -> int:
    return atom.weight


_HOPELESS = 50
"""A proposition that so many assignments did not decide, and none did, is not asked again."""


class _Verdicts:
    """How often each proposition of a search was not decided, and which ones were."""

    def __init__(self) -> None:
        self.hopeless = False
        self._decided: set[int] = set()
        self._undecided: Counter[int] = Counter()

    def ask(self, prop: Prop, values: Assignment) -> bool:
        """Return whether a proposition is true for these values."""
        verdict = holds(prop, values)
        if verdict is not None:
            self._decided.add(id(prop))
        elif id(prop) not in self._decided:
            self._undecided[id(prop)] += 1
            self.hopeless |= self._undecided[id(prop)] >= _HOPELESS
        return verdict is True


class Search(Struct, frozen=True):
    """All assignments of `order` under which every one of `props` holds, smallest first.

    Iteration yields None for each step of work, and an assignment for each find, so that the caller may
    stop. It ends where a proposition is not decided by many assignments, and was by none: it rests on what no
    assignment tells.
    """

    order: tuple[SizeVar, ...]
    props: tuple[Prop, ...]
    domains: tuple[tuple[int, ...], ...]

    def __iter__(self) -> Iterator[Assignment | None]:
        checks = self._checks()
        values: Assignment = {}
        if any(holds(prop, values) is not True for prop in checks.pop(-1, [])):
            return
        least = _suffix_sums([min(map(abs, d), default=0) for d in self.domains])
        most = _suffix_sums([max(map(abs, d), default=0) for d in self.domains])
        if not all(self.domains):
            return
        total, verdicts = least[0], _Verdicts()
        step: int | None = 0
        while step is not None and total + step <= most[0] and not verdicts.hopeless:
            total += step
            step = yield from self._extend(0, total, values, checks, (least, most), verdicts)

    def _checks(self) -> dict[int, list[Prop]]:
        """Each proposition at the place of the variable that settles it."""
        place = {var: i for i, var in enumerate(self.order)}
        checks: dict[int, list[Prop]] = {}
        for prop in self.props:
            last = max((place[var] for var in prop.variables), default=-1)
            checks.setdefault(last, []).append(prop)
        return checks

    def _extend(
        self,
        at: int,
        left: int,
        values: Assignment,
        checks: Mapping[int, list[Prop]],
        limits: tuple[list[int], list[int]],
        verdicts: _Verdicts,
    ) -> Generator[Assignment | None, None, int | None]:
        """Assign the variables from place `at` on, with magnitudes that sum to `left`; returns by how much that must
        grow before it reaches another assignment, None where it never does."""
        if at == len(self.order):
            yield dict(values)
            return None
        least, most = limits[0][at + 1], limits[1][at + 1]
        var = self.order[at]
        steps: list[int] = []
        for value in self.domains[at]:
            if verdicts.hopeless:
                break
            rest = left - abs(value)
            if rest < least:
                steps.append(least - rest)
            elif rest <= most:
                yield None
                values[var] = value
                if all(verdicts.ask(prop, values) for prop in checks.get(at, ())):
                    further = yield from self._extend(at + 1, rest, values, checks, limits, verdicts)
                    steps += () if further is None else (further,)
        values.pop(var, None)
        return min(steps, default=None)


def _suffix_sums(numbers: list[int]) -> list[int]:
    sums = [0]
    for number in reversed(numbers):
        sums.append(sums[-1] + number)
    return sums[::-1]


def search(order: tuple[SizeVar, ...], props: Sequence[Prop], more: Mapping[SizeVar, Iterable[int]]) -> Search:
    """A search over 0 ... 8 for every variable (and the negatives, for integers of any sign), and over
    further values, without those that a proposition about one variable alone excludes."""
    alone: dict[SizeVar, list[Prop]] = {}
    for prop in props:
        found = prop.variables
        if len(found) == 1:
            alone.setdefault(found[0], []).append(prop)
    domains = tuple(_domain(var, alone.get(var, ()), more.get(var, ())) for var in order)
    return Search(order, tuple(props), domains)


def _domain(var: SizeVar, props: Sequence[Prop], more: Iterable[int]) -> tuple[int, ...]:
    values = set(range(GREATEST + 1)) | {value for value in more if value >= 0}
    if not var.natural:
        values |= {-value for value in values} | set(more)
    ordered = sorted(values, key=lambda value: (abs(value), value < 0))
    found = tuple(value for value in ordered if _allows(props, var, value))
    return found or tuple(value for value in _beyond(props) if _allows(props, var, value))


def _allows(props: Iterable[Prop], var: SizeVar, value: int) -> bool:
    return all(holds(prop, {var: value}) is True for prop in props)


def _beyond(props: Sequence[Prop]) -> tuple[int, ...]:
    """Return the remaining candidates if equations and inequations exclude all small values: the literals that they
    name, and the least value that they do not exclude."""
    equal = {literal for literal in _literals(p for p in props if isinstance(p, Eq)) if literal > GREATEST}
    excluded = max(_literals(p for p in props if isinstance(p, Ne)), default=0)
    return tuple(sorted(equal | {excluded + 1})) if excluded >= GREATEST else tuple(sorted(equal))


def _literals(props: Iterable[Prop]) -> Iterator[int]:
    for prop in props:
        for size in _all_sizes(prop):
            yield from (abs(coefficient) for _, coefficient in size.terms)


def interesting(props: Iterable[Prop]) -> frozenset[int]:
    """Values beyond the small ones at which something may change: the literals that occur, and their
    neighbours."""
    literals = {literal for literal in _literals(props) if literal >= GREATEST}
    return frozenset(value + shift for value in sorted(literals)[:8] for shift in (-1, 0, 1))


def _all_sizes(prop: Prop) -> Iterator[Size]:
    for size in sizes_of(prop):
        if isinstance(size, Size):
            yield size
        for atom in size.atoms():
            yield from (part for part in parts(atom) if isinstance(part, Size))


def first(steps: Iterator[Assignment | None], budget: int) -> tuple[Assignment | None, bool]:
    """The next find within a number of steps, and whether there is nothing more to search."""
    for count, found in enumerate(steps):
        if found is not None:
            return found, False
        if count >= budget:
            return None, False
    return None, True
