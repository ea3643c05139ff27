"""Decide if two shapes are equal for all sizes and shapes that satisfy the facts."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from dsl.types.conditional import is_truth
from dsl.types.decide import Decision, Proved, Refuted, Unknown, decide, excludes
from dsl.types.facts import Eq, Facts
from dsl.types.shape import CHOICE, Dim, Shape, ShapeCall, Splice
from dsl.types.shapefn.outcome import normalise_shape
from dsl.types.size import Atom, Size, SizeVar, rebuild

_MOST_CONDITIONS = 3
"""Of so many conditions that choose shapes all truths are tried."""


class Differ(Struct, frozen=True):
    """Two shapes that are not equal: the axis (None if the ranks differ), counted from the end if it is
    negative, and sizes for which it shows."""

    axis: int | None
    counterexample: dict[SizeVar, int]


def shapes_equal(facts: Facts, left: Shape, right: Shape) -> Proved | Differ | Unknown:
    """Decide if two shapes are equal for all sizes and shapes that satisfy the facts."""
    found = _plainly_equal(facts, left, right)
    return _equal_in_each_case(facts, left, right) if isinstance(found, Unknown) else found


def _equal_in_each_case(facts: Facts, left: Shape, right: Shape) -> Proved | Unknown:
    """Decide if shapes chosen by a condition are equal in both cases."""
    chosen = (call.args[0] for shape in (left, right) for call in shape.calls() if call.function == CHOICE)
    atoms = dict.fromkeys(atom for t in chosen if isinstance(t, Size) for atom in filter(is_truth, t.atoms()))
    if not 1 <= len(atoms) <= _MOST_CONDITIONS:
        return Unknown()
    for truth in (Size.of(0), Size.of(1)):
        known = Eq(Size.of(atom := next(iter(atoms))), truth)
        there = facts.assume(known)
        case = [_put(shape, atom, truth) for shape in (left, right)]
        if not excludes(facts, known) and not isinstance(shapes_equal(there, *case), Proved):
            return Unknown()
    return Proved()


def _put(shape: Shape, chosen: Atom, truth: Size) -> Shape:
    def put(atom: Atom) -> Size:
        return truth if atom == chosen else rebuild(atom, put)

    return shape.map_atoms(put)


def _plainly_equal(facts: Facts, left: Shape, right: Shape) -> Proved | Differ | Unknown:
    if left == right:
        return Proved()
    left, right = normalise_shape(left, facts), normalise_shape(right, facts)
    if left.rank is not None and right.rank is not None and left.rank != right.rank:
        return Differ(None, {})
    pairs, rest_left, rest_right = _aligned(left, right)
    open_question = False
    for axis, a, b in pairs:
        decision = _dims_equal(facts, a, b)
        if isinstance(decision, Refuted):
            return Differ(axis, decision.counterexample)
        open_question |= isinstance(decision, Unknown)
    match _rest_equal(rest_left, rest_right):
        case False:
            return Differ(None, {})
        case None:
            return Unknown()
        case True:
            return Unknown() if open_question else Proved()


def equal_axes(left: Shape, right: Shape) -> tuple[tuple[int | None, Eq], ...] | None:
    """The equations under which two shapes are equal, each with its axis; None if no sizes make them so."""
    if left.rank is not None and right.rank is not None and left.rank != right.rank:
        return None
    pairs, rest_left, rest_right = _aligned(left, right)
    found: list[tuple[int | None, Eq]] = []
    for axis, a, b in pairs:
        if isinstance(a, Size) and isinstance(b, Size):
            found.append((axis, Eq(a, b)))
        elif a != b:
            return None
    return tuple(found) if rest_left == rest_right else None


_Pair: TypeAlias = tuple[int | None, Dim, Dim]


def _aligned(left: Shape, right: Shape) -> tuple[list[_Pair], tuple[Dim, ...], tuple[Dim, ...]]:
    """Axes that meet, with their number (None between two shape variables), and what is left because it is
    not known what meets it."""
    front = min(left.leading, right.leading)
    back = min(left.trailing, right.trailing, len(left.dims) - front, len(right.dims) - front)
    pairs: list[_Pair] = [(i, left.dims[i], right.dims[i]) for i in range(front)]
    ends: list[_Pair] = [(-i, left.dims[-i], right.dims[-i]) for i in range(back, 0, -1)]
    a = list(left.dims[front : len(left.dims) - back])
    b = list(right.dims[front : len(right.dims) - back])
    while a and b and _meet(a[0], b[0]):
        pairs.append((None, a.pop(0), b.pop(0)))
    while a and b and _meet(a[-1], b[-1]):
        ends.insert(0, (None, a.pop(), b.pop()))
    return pairs + ends, tuple(a), tuple(b)


def _meet(a: Dim, b: Dim) -> bool:
    return (isinstance(a, Size) and isinstance(b, Size)) or a == b


def _dims_equal(facts: Facts, a: Dim, b: Dim) -> Decision:
    if isinstance(a, Size) and isinstance(b, Size):
        return decide(facts, Eq(a, b))
    return Proved() if a == b else Unknown()


def _rest_equal(left: tuple[Dim, ...], right: tuple[Dim, ...]) -> bool | None:
    """Return whether what did not meet is equal: no if shape variables alone make the difference, as they stand for any
    shape; not known where a stuck call does."""
    if left == right:
        return True
    calls = any(isinstance(dim, Splice) and isinstance(dim.of, ShapeCall) for dim in left + right)
    return None if calls else False
